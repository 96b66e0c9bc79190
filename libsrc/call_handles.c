#include "call_values.h"
#include "util.h"

static void put_used(struct rsd_call *c, int kind, int64_t value)
{
	/* An unrecorded call need not be looked at: what is made or freed is followed elsewhere. */
	if (c->recorded)
		rsd_put(c, rsd_handle_used(kind, value, rsd_may_ask(c)));
}

static void put_made(struct rsd_call *c, int kind, int64_t value)
{
	rsd_put(c, c->results ? rsd_handle_made(kind, value) : RSD_ABSENT);
}

struct rsd_saved *rsd_save(struct rsd_call *c, size_t n)
{
	struct rsd_thread *t = c->t;
	struct rsd_saved *at;

	if (t->nr_saved + n > t->alloc_saved && RSD_GROW(t->saved, t->nr_saved + n, t->alloc_saved)) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return NULL;
	}
	at = t->saved + t->nr_saved;
	t->nr_saved += n;
	return at;
}

static void pre(struct rsd_call *c, int kind, int64_t value)
{
	struct rsd_saved s = { .kind = kind, .value = value, .request = RSD_NO_REQUEST }, *at;

	s.id = rsd_handle_freeing(kind, value, &s.serial);
	at = rsd_save(c, 1);
	if (at)
		*at = s;
}

/* The next saved handle that is no request. */
void rsd_put_freed(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;
	size_t i = c->taken;

	while (i < t->nr_saved && t->saved[i].kind == RSD_G_REQUEST)
		i++;
	if (i >= t->nr_saved) {
		rsd_put_absent(c);
		return;
	}
	c->taken = i + 1;
	rsd_put(c, t->saved[i].id);
	rsd_handle_freed(t->saved[i].kind, t->saved[i].value, t->saved[i].serial, c->ret == MPI_SUCCESS);
}

#define HANDLE(name, type, kind) \
	void rsd_put_##name(struct rsd_call *c, type h) \
	{ \
		put_used(c, kind, RSD_HANDLE(h)); \
	} \
	void rsd_made_##name(struct rsd_call *c, const type *h) \
	{ \
		if (c->results && h) \
			put_made(c, kind, RSD_HANDLE(*h)); \
		else \
			rsd_put_absent(c); \
	} \
	void rsd_pre_##name(struct rsd_call *c, const type *h) \
	{ \
		if (h) \
			pre(c, kind, RSD_HANDLE(*h)); \
	}

HANDLE(comm, MPI_Comm, RSD_G_COMM)
HANDLE(datatype, MPI_Datatype, RSD_G_DATATYPE)
HANDLE(op, MPI_Op, RSD_G_OP)
HANDLE(group, MPI_Group, RSD_G_GROUP)
HANDLE(win, MPI_Win, RSD_G_WIN)
HANDLE(file, MPI_File, RSD_G_FILE)
HANDLE(info, MPI_Info, RSD_G_INFO)
HANDLE(errhandler, MPI_Errhandler, RSD_G_ERRHANDLER)
HANDLE(keyval, int, RSD_G_KEYVAL)
#if MPI_VERSION >= 4
HANDLE(session, MPI_Session, RSD_G_SESSION)
#endif

void rsd_made_comm_like(struct rsd_call *c, const MPI_Comm *h, MPI_Comm like)
{
	if (c->results && h)
		rsd_put(c, rsd_handle_made_like(RSD_G_COMM, RSD_HANDLE(*h), like));
	else
		rsd_put_absent(c);
}

void rsd_made_message(struct rsd_call *c, const MPI_Message *h)
{
	if (c->results && h)
		put_made(c, RSD_G_MESSAGE, RSD_HANDLE(*h));
	else
		rsd_put_absent(c);
}

void rsd_pre_message(struct rsd_call *c, const MPI_Message *h)
{
	if (h)
		pre(c, RSD_G_MESSAGE, RSD_HANDLE(*h));
}

/* The length, or 'absent'; true: elements are to follow. */
static bool put_length(struct rsd_call *c, const void *p, int64_t n)
{
	bool absent = n < 0 || (!p && n > 0);

	rsd_put(c, absent ? RSD_ABSENT : n);
	return !absent;
}

void rsd_put_datatypes(struct rsd_call *c, const MPI_Datatype *p, int64_t n)
{
	if (!c->recorded || !put_length(c, p, n))
		return;
	for (int64_t i = 0; i < n; i++)
		put_used(c, RSD_G_DATATYPE, RSD_HANDLE(p[i]));
}

void rsd_put_infos(struct rsd_call *c, const MPI_Info *p, int64_t n)
{
	if (!c->recorded || !put_length(c, p, n))
		return;
	for (int64_t i = 0; i < n; i++)
		put_used(c, RSD_G_INFO, RSD_HANDLE(p[i]));
}

void rsd_made_datatypes(struct rsd_call *c, const MPI_Datatype *p, int64_t n)
{
	if (!c->results)
		n = -1;
	if (!put_length(c, p, n))
		return;
	for (int64_t i = 0; i < n; i++)
		put_made(c, RSD_G_DATATYPE, RSD_HANDLE(p[i]));
}
