#include "call_values.h"
#include "fortran.h"
#include "util.h"

int64_t rsd_value_asking(struct rsd_call *c, int kind, int64_t value)
{
	return rsd_handle_used(c->t->known, kind, value, rsd_may_ask(c));
}

static void put_used(struct rsd_call *c, int kind, int64_t value)
{
	/* An unrecorded call need not be looked at: what is made or freed is followed elsewhere. */
	if (c->recorded)
		rsd_put(c, rsd_value_handle(c, kind, value));
}

static void put_made(struct rsd_call *c, int kind, int64_t value)
{
	rsd_put(c, c->results ? rsd_handle_made(kind, value) : RSD_ABSENT);
}

static void pre(struct rsd_call *c, int kind, int64_t value)
{
	struct rsd_saved s = { .kind = kind, .value = value };
	struct rsd_thread *t = c->t;

	if (RSD_GROW(t->saved, t->fill.saved + 1, t->alloc_saved)) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return;
	}
	s.id = rsd_handle_freeing(kind, value, &s.serial);
	t->saved[t->fill.saved++] = s;
}

void rsd_put_freed(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;
	const struct rsd_saved *s;

	if (c->start.saved + c->taken >= t->fill.saved) {
		rsd_put_absent(c);
		return;
	}
	s = &t->saved[c->start.saved + c->taken++];
	rsd_put(c, s->id);
	rsd_handle_freed(s->kind, s->value, s->serial, c->ret == MPI_SUCCESS);
}

#define HANDLE(name, type, kind)                                                                   \
	void rsd_put_##name(struct rsd_call *c, type h)                                            \
	{                                                                                          \
		put_used(c, kind, RSD_HANDLE(h));                                                  \
	}                                                                                          \
	void rsd_made_##name(struct rsd_call *c, const type *h)                                    \
	{                                                                                          \
		if (c->results && h)                                                               \
			put_made(c, kind, RSD_HANDLE(*h));                                         \
		else                                                                               \
			rsd_put_absent(c);                                                         \
	}                                                                                          \
	void rsd_pre_##name(struct rsd_call *c, const type *h)                                     \
	{                                                                                          \
		if (h)                                                                             \
			pre(c, kind, RSD_HANDLE(*h));                                              \
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

/* Arrays of handles, as C has them and as Fortran has. */
#define USED_ARRAY(name, element, kind, to_c)                                                      \
	void rsd_put_##name(struct rsd_call *c, const element *p, int64_t n)                       \
	{                                                                                          \
		if (!c->recorded || !put_length(c, p, n))                                          \
			return;                                                                    \
		for (int64_t i = 0; i < n; i++)                                                    \
			put_used(c, kind, RSD_HANDLE(to_c(p[i])));                                 \
	}
#define MADE_ARRAY(name, element, kind, to_c)                                                      \
	void rsd_made_##name(struct rsd_call *c, const element *p, int64_t n)                      \
	{                                                                                          \
		if (!put_length(c, p, c->results ? n : -1))                                        \
			return;                                                                    \
		for (int64_t i = 0; i < n; i++)                                                    \
			put_made(c, kind, RSD_HANDLE(to_c(p[i])));                                 \
	}

USED_ARRAY(datatypes, MPI_Datatype, RSD_G_DATATYPE, )
USED_ARRAY(f_datatypes, MPI_Fint, RSD_G_DATATYPE, PMPI_Type_f2c)
USED_ARRAY(infos, MPI_Info, RSD_G_INFO, )
USED_ARRAY(f_infos, MPI_Fint, RSD_G_INFO, PMPI_Info_f2c)
MADE_ARRAY(datatypes, MPI_Datatype, RSD_G_DATATYPE, )
MADE_ARRAY(f_datatypes, MPI_Fint, RSD_G_DATATYPE, PMPI_Type_f2c)
