#include "order.h"

#include <pthread.h>
#include "opstruct.h"
#include "util.h"

static pthread_key_t key;
static enum { NOT_YET, TOLD, NOT_TOLD } ends_are;

/* NULL: it is not known, or there is none. */
static const struct rsd_thread *main_thread(void)
{
	return rsd_is_shut(RSD_SHUT_OUTSIDE) ? NULL : rsd_thread_main();
}

static uint64_t ended(const struct rsd_thread *t)
{
	return __atomic_load_n(&t->nr_gone, __ATOMIC_ACQUIRE) +
	       __atomic_load_n(&t->nr_events, __ATOMIC_ACQUIRE);
}

/*
 * The thread is not held: it may begin or end a call at the same time. From a call's begin until its event is counted the
 * tracer is inside the thread or it is in a wrapper, and where it goes from the one to the other both hold. A call that is just going
 * into MPI may be missed: what the ending thread did cannot have waited for it. One that has just been counted may be taken for another one.
 */
static uint64_t begun(const struct rsd_thread *t)
{
	int left_out = __atomic_load_n(&t->left_out, __ATOMIC_ACQUIRE);
	bool in_call = __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE) > left_out;

	in_call |= __atomic_load_n(&t->inside, __ATOMIC_ACQUIRE);
	return ended(t) + in_call;
}

/*
 * Of a thread that ends, before who joins it goes on. What is destroyed after this may still make calls: so it is looked at anew
 * as often as there are rounds of that.
 */
static void ends(void *arg)
{
	struct rsd_thread *t = arg;
	const struct rsd_thread *m;
	bool locked;

	pthread_setspecific(key, t);
	if (rsd_rt.phase != RSD_RUNNING || !t->number)
		return;
	locked = rsd_lock();
	m = main_thread();
	if (m)
		__atomic_store_n(&t->until, begun(m), __ATOMIC_RELAXED);
	rsd_unlock(locked);
}

void rsd_order_begins(struct rsd_thread *t)
{
	const struct rsd_thread *m = main_thread();

	t->until = RSD_NOT_ENDED;
	t->from = m ? ended(m) : 0;
	/* The first one, too: another one may become the main thread. */
	if (ends_are == NOT_YET)
		ends_are = pthread_key_create(&key, ends) ? NOT_TOLD : TOLD;
	if (ends_are == TOLD)
		pthread_setspecific(key, t);
}

static int put(struct rsd_trace *trace, const struct rsd_thread *t)
{
	const int64_t v[] = { (int64_t)t->from,
		t->until == RSD_NOT_ENDED ? RSD_ABSENT : (int64_t)t->until };
	struct rsd_object *o = rsd_trace_add_object(trace, RSD_O_ORDER, t->number);

	return o ? rsd_object_set(o, rsd_rt.rank, v) : RSD_ERR_NOMEM;
}

int rsd_order_to_trace(struct rsd_trace *trace)
{
	int err = 0;

	for (const struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		if (t->number && (t->from || t->until != RSD_NOT_ENDED))
			err = put(trace, t);
	}
	return err;
}
