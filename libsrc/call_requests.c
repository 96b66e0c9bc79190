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
	locked = rsd_lock();
	index = rsd_add_offset_entry(&rsd_rt.requests, &c->t->nr_requests, RSD_HANDLE(*h), h,
		kind & ~RSD_Q_PERSISTENT, wild, kind & RSD_Q_PERSISTENT);
	v = index == RSD_NO_REQUEST ? RSD_ABSENT : rsd_lookup_offset(&rsd_rt.requests, index);
	rsd_unlock(locked);
	if (index == RSD_NO_REQUEST)
		rsd_trouble("no memory for the request table");
	rsd_put(c, v);
}

/* Requests that were made unseen (by a Fortran layer that goes past us) are taken in when they are met. */
static void look_up(struct rsd_call *c, struct rsd_saved *s, MPI_Request h, const MPI_Request *var)
{
	struct rsd_requests *q = &rsd_rt.requests;
	const struct rsd_request *r;

	*s = (struct rsd_saved){ .kind = RSD_G_REQUEST, .value = RSD_HANDLE(h), .request = RSD_NO_REQUEST };
	s->id = rsd_constant_of(RSD_G_REQUEST, s->value);
	if (rsd_is_const(s->id))
		return;
	s->id = RSD_ABSENT;
	s->request = rsd_find_request(q, s->value, var);
	if (s->request == RSD_NO_REQUEST)
		s->request = rsd_add_offset_entry(q, &c->t->nr_requests, s->value, var, RSD_Q_OTHER, false, false);
	if (s->request == RSD_NO_REQUEST)
		return;
	r = &q->req[s->request];
	s->id = rsd_lookup_offset(q, s->request);
	s->serial = r->id;
	s->request_kind = r->kind;
	s->wild = r->wild;
}

void rsd_pre_requests(struct rsd_call *c, const MPI_Request *p, int64_t n)
{
	struct rsd_saved *at;
	bool locked;

	c->req = c->t->nr_saved;
	c->nr_req = 0;
	if (!p || n <= 0)
		return;
	at = rsd_save(c, (size_t)n);
	if (!at)
		return;
	c->nr_req = (size_t)n;
	locked = rsd_lock();
	for (int64_t i = 0; i < n; i++)
		look_up(c, &at[i], p[i], &p[i]);
	rsd_unlock(locked);
}

/* Requests that are null now and were not before have ended. */
static void remove_ended(struct rsd_call *c, const MPI_Request *p)
{
	struct rsd_requests *q = &rsd_rt.requests;
	bool locked = rsd_lock();

	for (size_t i = 0; i < c->nr_req; i++) {
		const struct rsd_saved *s = &c->t->saved[c->req + i];

		if (s->request != RSD_NO_REQUEST && p[i] == MPI_REQUEST_NULL &&
		    q->req[s->request].live && q->req[s->request].id == s->serial)
			rsd_remove_request(q, s->request);
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
			at[i] = c->t->saved[c->req + i].id;
	}
	if (p)
		remove_ended(c, p);
}

void rsd_put_request(struct rsd_call *c, const MPI_Request *p)
{
	rsd_put(c, c->nr_req == 1 ? c->t->saved[c->req].id : RSD_ABSENT);
	if (p)
		remove_ended(c, p);
}

void rsd_put_request_used(struct rsd_call *c, MPI_Request h)
{
	struct rsd_saved s;
	bool locked = rsd_lock();

	look_up(c, &s, h, NULL);
	rsd_unlock(locked);
	rsd_put(c, s.id);
}
