#include "call_values.h"
#include "fortran.h"
#include "req_tables.h"
#include "trouble.h"
#include "util.h"

/* The constant that this is the value of, which is the null request's mostly; or the value. */
static inline int64_t request_constant(int64_t handle)
{
	return __builtin_expect(rsd_may_be_constant(RSD_G_REQUEST, handle), 0)
		       ? rsd_constant_of(RSD_G_REQUEST, handle)
		       : handle;
}

/* A request h, which the program keeps at 'var'. */
static void made(struct rsd_call *c, MPI_Request h, const void *var, int kind, int source, int tag)
{
	bool wild = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
	struct rsd_requests *q = &c->t->requests;
	uint32_t index;
	int64_t v;
	bool locked;

	v = request_constant(RSD_HANDLE(h));
	if (rsd_is_const(v)) {
		rsd_put(c, v);
		return;
	}
	locked = rsd_table_lock(q);
	index = rsd_add_offset_entry(q, c->recorded ? &c->t->nr_requests : NULL, c->t->number,
		RSD_HANDLE(h), var, kind & ~RSD_Q_PERSISTENT, wild, kind & RSD_Q_PERSISTENT);
	v = index == RSD_NO_REQUEST ? RSD_ABSENT : rsd_lookup_offset(q, index);
	rsd_table_unlock(q, locked);
	if (index == RSD_NO_REQUEST)
		rsd_trouble("no memory for the request table");
	rsd_put(c, v);
}

void rsd_made_request(struct rsd_call *c, const MPI_Request *h, int kind, int source, int tag)
{
	if (c->results && h)
		made(c, *h, h, kind, source, tag);
	else
		rsd_put_absent(c);
}

void rsd_made_f_request(struct rsd_call *c, const MPI_Fint *h, int kind, int source, int tag)
{
	if (c->results && h)
		made(c, PMPI_Request_f2c(*h), h, kind, source, tag);
	else
		rsd_put_absent(c);
}

/*
 * Completes what was looked up: null requests are constants, and those that were made unseen (by
 * a Fortran layer that goes past us) are taken in when they are met, though not counted.
 */
static void complete(struct rsd_call *c, struct rsd_offset *o, const void *var)
{
	struct rsd_requests *q = &c->t->requests;
	bool locked;

	if (o->index != RSD_NO_REQUEST)
		return;
	o->offset = request_constant(o->handle);
	if (rsd_is_const(o->offset))
		return;
	o->offset = RSD_ABSENT;
	locked = rsd_table_lock(q);
	rsd_note_request(q,
		rsd_add_offset_entry(
			q, NULL, c->t->number, o->handle, var, RSD_Q_OTHER, false, false),
		o);
	rsd_table_unlock(q, locked);
}

/* Room for n requests; NULL: there are none, or there is no memory. */
static struct rsd_offset *room(struct rsd_call *c, const void *p, int64_t n)
{
	struct rsd_thread *t = c->t;

	c->nr_req = 0;
	if (!p || n <= 0)
		return NULL;
	if (n > UINT32_MAX - c->start.req ||
		(c->start.req + (size_t)n > t->alloc_offsets &&
			RSD_GROW(t->offset, c->start.req + (size_t)n, t->alloc_offsets))) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return NULL;
	}
	c->nr_req = (uint32_t)n;
	t->fill.req = c->start.req + c->nr_req;
	return t->offset + c->start.req;
}

/* The handles of 'list' are there; the program keeps them from 'p' on, 'size' apart. */
static void look_up(struct rsd_call *c, struct rsd_offset *list, const void *p, size_t size)
{
	rsd_tables_look_up(c->t, list, c->nr_req, RSD_HANDLE(MPI_REQUEST_NULL), p, size);
	for (size_t i = 0; i < c->nr_req; i++)
		complete(c, &list[i], (const char *)p + i * size);
}

void rsd_pre_requests(struct rsd_call *c, const MPI_Request *p, int64_t n)
{
	struct rsd_offset *list = room(c, p, n);

	if (!list)
		return;
	for (int64_t i = 0; i < n; i++)
		list[i].handle = RSD_HANDLE(p[i]);
	look_up(c, list, p, sizeof(*p));
}

void rsd_pre_f_requests(struct rsd_call *c, const MPI_Fint *p, int64_t n)
{
	struct rsd_offset *list = room(c, p, n);

	if (!list)
		return;
	for (int64_t i = 0; i < n; i++)
		list[i].handle = RSD_HANDLE(PMPI_Request_f2c(p[i]));
	look_up(c, list, p, sizeof(*p));
}

/* One table is locked at a time, as long as what ends is in it. */
struct removal {
	struct rsd_requests *in;
	bool locked;
};

static void change_table(struct removal *r, struct rsd_requests *in)
{
	if (r->in == in)
		return;
	if (r->in)
		rsd_table_unlock(r->in, r->locked);
	r->in = in;
	r->locked = in && rsd_table_lock(in);
}

/* One that is null now and was not before has ended. */
static void remove_if(struct removal *r, bool null, const struct rsd_offset *o)
{
	if (!null || o->index == RSD_NO_REQUEST)
		return;
	change_table(r, o->in);
	if (rsd_request_is_live(o->in, o))
		rsd_remove_request(o->in, o->index);
}

static void remove_ended(struct rsd_call *c, const MPI_Request *p)
{
	struct removal r = { NULL, false };

	for (size_t i = 0; i < c->nr_req; i++)
		remove_if(&r, p[i] == MPI_REQUEST_NULL, &c->t->offset[c->start.req + i]);
	change_table(&r, NULL);
}

static void remove_f_ended(struct rsd_call *c, const MPI_Fint *p)
{
	MPI_Fint null = PMPI_Request_c2f(MPI_REQUEST_NULL);
	struct removal r = { NULL, false };

	for (size_t i = 0; i < c->nr_req; i++)
		remove_if(&r, p[i] == null, &c->t->offset[c->start.req + i]);
	change_table(&r, NULL);
}

static void put_offsets(struct rsd_call *c, const void *p, int64_t n)
{
	int64_t *at;

	if (n < 0 || (!p && n > 0) || (size_t)n != c->nr_req) {
		rsd_put_absent(c);
		return;
	}
	at = rsd_room(c, c->nr_req + 1);
	if (at)
		*at++ = n;
	for (size_t i = 0; at && i < c->nr_req; i++)
		at[i] = c->t->offset[c->start.req + i].offset;
}

static void put_offset(struct rsd_call *c)
{
	const struct rsd_offset *o = rsd_request_of(c, 0);

	rsd_put(c, o ? o->offset : RSD_ABSENT);
}

void rsd_put_requests(struct rsd_call *c, const MPI_Request *p, int64_t n)
{
	put_offsets(c, p, n);
	if (p)
		remove_ended(c, p);
}

void rsd_put_f_requests(struct rsd_call *c, const MPI_Fint *p, int64_t n)
{
	put_offsets(c, p, n);
	if (p)
		remove_f_ended(c, p);
}

void rsd_put_request(struct rsd_call *c, const MPI_Request *p)
{
	put_offset(c);
	if (p)
		remove_ended(c, p);
}

void rsd_put_f_request(struct rsd_call *c, const MPI_Fint *p)
{
	put_offset(c);
	if (p)
		remove_f_ended(c, p);
}

void rsd_put_request_used(struct rsd_call *c, MPI_Request h)
{
	struct rsd_offset o = { .handle = RSD_HANDLE(h) };

	rsd_tables_look_up_used(c->t, &o);
	complete(c, &o, NULL);
	rsd_put(c, o.offset);
}
