#include "guide.h"
#include "req_tables.h"
#include "runtime.h"

static int signature(const struct rsd_sigs *from, int id)
{
	bool locked;
	int sig;

	/* The first of our calls may come from here, and so the tracer may have to be made first. */
	if (id == -1 || !rsd_thread_self())
		return -1;
	locked = rsd_lock();
	sig = rsd_sigs_import(&rsd_rt.sigs, from, id);
	rsd_unlock(locked);
	/* -1 is no error here. */
	return sig < 0 ? -2 : sig;
}

static void at(int sig)
{
	struct rsd_thread *t = rsd_thread_self();

	if (!t)
		return;
	t->guided = true;
	t->site = sig < 0 && sig != RSD_GUIDE_OWN ? -1 : sig;
}

static int stands_for(const char *constant, const void *p)
{
	return rsd_thread_self() ? rsd_constant_alias(constant, RSD_HANDLE(p)) : 0;
}

static void moved(int64_t handle, const void *from, const void *to)
{
	if (rsd_thread_self())
		rsd_tables_move(handle, from, to);
}

static void passed(void)
{
	struct rsd_thread *t = rsd_thread_self();

	bool locked;

	if (!t)
		return;
	locked = rsd_table_lock(&t->requests);
	t->nr_requests++;
	rsd_table_unlock(&t->requests, locked);
}

static void thread(int number)
{
	struct rsd_thread *t = rsd_thread_self();

	if (t)
		rsd_thread_set_number(t, number);
}

/* The one variable that the libraries export. */
extern const struct rsd_guide rsd_guide;
const struct rsd_guide rsd_guide = {
	.version = RSD_GUIDE_VERSION,
	.signature = signature,
	.at = at,
	.stands_for = stands_for,
	.moved = moved,
	.passed = passed,
	.thread = thread,
};
