#include "call_values.h"
#include "util.h"

void rsd_made_request(struct rsd_call *c, const MPI_Request *h, int kind, int source, int tag)
{
	bool wild = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
	uint32_t index;
	int64_t v;
	bool locked;

	if (!c->results || !h) {
		rsd_put_absent(c);
		return;
	}
	v = rsd_constant_of(RSD_G_REQUEST, RSD_HANDLE(*h));
	if (rsd_is_const(v)) {
		rsd_put(c, v);
		return;
	}
	locked = rsd_lock_in_turn();
	index = rsd_add_offset_entry(&rsd_rt.requests, &c->t->nr_requests, c->t->number,
		RSD_HANDLE(*h), h, kind & ~RSD_Q_PERSISTENT, wild, kind & RSD_Q_PERSISTENT);
	v = index == RSD_NO_REQUEST ? RSD_ABSENT : rsd_lookup_offset(&rsd_rt.requests, index);
	rsd_unlock(locked);
	if (index == RSD_NO_REQUEST)
		rsd_trouble("no memory for the request table");
	rsd_put(c, v);
}

/*
 * Completes what was looked up: null requests are constants, and those that were made unseen (by
 * a Fortran layer that goes past us) are taken in when they are met.
 */
static void complete(struct rsd_call *c, struct rsd_offset *o, const MPI_Request *var)
{
	struct rsd_requests *q = &rsd_rt.requests;

	if (o->index != RSD_NO_REQUEST)
		return;
	o->offset = rsd_constant_of(RSD_G_REQUEST, o->handle);
	if (rsd_is_const(o->offset))
		return;
	o->offset = RSD_ABSENT;
	o->index = rsd_add_offset_entry(
		q, &c->t->nr_requests, c->t->number, o->handle, var, RSD_Q_OTHER, false, false);
	if (o->index == RSD_NO_REQUEST)
		return;
	o->offset = rsd_lookup_offset(q, o->index);
	o->id = q->req[o->index].id;
	o->kind = RSD_Q_OTHER;
	o->wild = false;
}

void rsd_pre_requests(struct rsd_call *c, const MPI_Request *p, int64_t n)
{
	struct rsd_thread *t = c->t;
	struct rsd_offset *list;
	bool locked;

	c->nr_req = 0;
	if (!p || n <= 0)
		return;
	if (RSD_GROW(t->offset, c->req + (size_t)n, t->alloc_offsets)) {
		rsd_thread_stop(t, RSD_ERR_NOMEM);
		return;
	}
	c->nr_req = (size_t)n;
	t->nr_offsets = c->req + (size_t)n;
	list = t->offset + c->req;
	for (int64_t i = 0; i < n; i++)
		list[i].handle = RSD_HANDLE(p[i]);
	locked = rsd_lock_in_turn();
	rsd_lookup_offsetlist(
		&rsd_rt.requests, list, (size_t)n, RSD_HANDLE(MPI_REQUEST_NULL), p, sizeof(*p));
	for (int64_t i = 0; i < n; i++)
		complete(c, &list[i], &p[i]);
	rsd_unlock(locked);
}

/* Requests that are null now and were not before have ended. */
static void remove_ended(struct rsd_call *c, const MPI_Request *p)
{
	struct rsd_requests *q = &rsd_rt.requests;
	bool locked = rsd_lock_in_turn();

	for (size_t i = 0; i < c->nr_req; i++) {
		const struct rsd_offset *o = &c->t->offset[c->req + i];

		if (p[i] == MPI_REQUEST_NULL && rsd_request_is_live(q, o))
			rsd_remove_request(q, o->index);
	}
	rsd_unlock(locked);
}

void rsd_put_requests(struct rsd_call *c, const MPI_Request *p, int64_t n)
{
	int64_t *at;

	if (n < 0 || (!p && n > 0) || (size_t)n != c->nr_req) {
		rsd_put_absent(c);
	} else {
		at = rsd_values(c, c->nr_req + 1);
		if (at)
			*at++ = n;
		for (size_t i = 0; at && i < c->nr_req; i++)
			at[i] = c->t->offset[c->req + i].offset;
	}
	if (p)
		remove_ended(c, p);
}

void rsd_put_request(struct rsd_call *c, const MPI_Request *p)
{
	const struct rsd_offset *o = rsd_request_of(c, 0);

	rsd_put(c, o ? o->offset : RSD_ABSENT);
	if (p)
		remove_ended(c, p);
}

void rsd_put_request_used(struct rsd_call *c, MPI_Request h)
{
	struct rsd_offset o = { .handle = RSD_HANDLE(h) };
	bool locked = rsd_lock_in_turn();

	o.index = rsd_find_request(&rsd_rt.requests, o.handle, NULL);
	if (o.index != RSD_NO_REQUEST)
		o.offset = rsd_lookup_offset(&rsd_rt.requests, o.index);
	else
		complete(c, &o, NULL);
	rsd_unlock(locked);
	rsd_put(c, o.offset);
}
