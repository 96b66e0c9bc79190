/* actions_requests.c - what calls do that make, start and complete requests: see lane.h */
#include <stdlib.h>
#include "lane.h"
#include "util.h"
#include "weight.h"

/* ---- requests ------------------------------------------------------------------------------------- */

static int post(struct rsd_timeline *tl, struct rsd_lane *l, struct rsd_live_request *r)
{
	struct rsd_action *a;
	struct rsd_channel_name c;

	r->id = ++l->last_request;
	r->active = true;
	r->cancelled = false;
	r->node = l->node;
	if (r->kind == RSD_L_OTHER)
		return 0;
	a = rsd_lane_add(l, r->kind == RSD_L_SEND   ? RSD_X_ISEND
			    : r->kind == RSD_L_RECV ? RSD_X_IRECV
						    : RSD_X_ICOLL);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	a->bytes = r->bytes;
	a->received = r->received;
	a->coll = r->coll;
	a->root = r->root;
	rsd_lane_set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
	r->comm = a->comm;
	if (r->kind == RSD_L_SEND) {
		int err = rsd_lane_send_out(tl, l, a);

		r->ticket = a->number;
		return err;
	}
	a->number = r->ticket;
	if (r->kind != RSD_L_RECV || r->ticket || a->world < 0 || rsd_is_const(a->tag))
		return 0;
	c = (struct rsd_channel_name){ a->comm, a->world, l->where.rank, a->tag };
	a->number = r->ticket = rsd_match_ticket(&tl->match, &c);
	return r->ticket ? 0 : RSD_ERR_NOMEM;
}

/*
 * Of this thread or, as any may complete it, of another one of the rank: the one that it names, or, in traces from before
 * that, any.
 */
static struct rsd_live_request *find(
	struct rsd_timeline *tl, struct rsd_lane *l, int64_t id, struct rsd_lane **owner)
{
	bool foreign = rsd_is_foreign(id);
	struct rsd_live_request *r = foreign ? NULL : rsd_live_find(&l->live, id);
	const uint64_t *first = rsd_map_find(&tl->lane_of_rank, (uint64_t)l->where.rank);

	*owner = l;
	for (size_t i = first ? (size_t)*first : tl->nr_lanes;
		!r && i < tl->nr_lanes && tl->lane[i].where.rank == l->where.rank; i++) {
		*owner = &tl->lane[i];
		if (!foreign ||
			rsd_thread_number(tl->lane[i].where.thread) == rsd_foreign_owner(id))
			r = rsd_live_find(&tl->lane[i].live, id);
	}
	return r;
}

static int finish_receive(struct rsd_timeline *tl, struct rsd_lane *l,
	const struct rsd_live_request *r, const int64_t *status)
{
	int64_t source = r->peer, tag = r->tag;
	struct rsd_action *a;

	rsd_lane_see_status(status, &source, &tag);
	a = rsd_lane_add(l, rsd_lane_is_proc_null(tl, source) ? RSD_X_CANCELLED : RSD_X_IRECV_DONE);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	if (a->kind == RSD_X_CANCELLED)
		return 0; /* nothing comes from there */
	a->bytes = r->bytes;
	a->node = r->node;
	rsd_lane_set_peer(tl, l, a, r->comm_value, source, tag);
	return rsd_lane_need(tl, l, r->ticket);
}

static int finish_other(
	struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_live_request *r)
{
	struct rsd_action *a;

	if (r->kind == RSD_L_OTHER)
		return 0;
	a = rsd_lane_add(l, r->cancelled	    ? RSD_X_CANCELLED
			    : r->kind == RSD_L_SEND ? RSD_X_ISEND_DONE
						    : RSD_X_ICOLL_DONE);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	rsd_lane_set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
	a->number = r->ticket;
	a->coll = r->coll;
	a->root = r->root;
	a->bytes = r->bytes;
	a->received = r->received;
	a->node = r->node;
	return 0;
}

static int complete(struct rsd_timeline *tl, struct rsd_lane *l, int64_t id, const int64_t *status)
{
	struct rsd_lane *owner;
	struct rsd_live_request *r = find(tl, l, id, &owner);
	int err = 0;

	if (!r || !r->active)
		return 0;
	if (r->kind == RSD_L_RECV && !r->cancelled)
		err = finish_receive(tl, l, r, status);
	else
		err = finish_other(tl, l, r);
	r->active = false;
	r->ticket = 0;
	if (!r->persistent)
		rsd_live_drop(&owner->live, id);
	return err;
}

static int unfinished(struct rsd_timeline *tl, struct rsd_lane *l, int64_t id)
{
	struct rsd_lane *owner;
	const struct rsd_live_request *r = find(tl, l, id, &owner);
	struct rsd_action *a;

	if (!r || !r->active || r->kind == RSD_L_OTHER)
		return 0;
	a = rsd_lane_add(l, RSD_X_UNFINISHED);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	return 0;
}

static int64_t length_of(const int64_t *array)
{
	return !array || rsd_is_const(*array) || *array < 0 ? 0 : *array;
}

/* One of an array: Waitany, Testany. */
static int complete_any(struct rsd_timeline *tl, struct rsd_lane *l, const int64_t *requests)
{
	int64_t i = rsd_value(&l->values, RSD_A_INDEX);

	if (i < 0 || i >= length_of(requests))
		return 0;
	return complete(tl, l, requests[1 + i], rsd_values_at(&l->values, RSD_A_STATUS));
}

/* All, or those that an array of indices names. */
static int complete_several(struct rsd_timeline *tl, struct rsd_lane *l, const int64_t *requests)
{
	const int64_t *indices = rsd_values_at(&l->values, RSD_A_INDICES);
	const int64_t *statuses = rsd_values_at(&l->values, RSD_A_STATUSES),
		      *st = statuses ? statuses + 1 : NULL;
	bool some = l->values.call->param[RSD_A_INDICES] >= 0;
	int64_t nr = some ? length_of(indices) : length_of(requests),
		nr_status = length_of(statuses);
	int err = 0;

	for (int64_t k = 0; k < nr && !err; k++) {
		int64_t i = some ? indices[1 + k] : k;
		const int64_t *status = k < nr_status ? st : NULL;

		if (i >= 0 && i < length_of(requests))
			err = complete(tl, l, requests[1 + i], status);
		if (status)
			st += rsd_status_length(*st);
	}
	return err;
}

int rsd_lane_complete(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const int64_t *requests = rsd_values_at(&l->values, RSD_A_REQUESTS);
	bool no = rsd_value(&l->values, RSD_A_FLAG) == 0;
	int err = 0;

	if (!requests && no)
		return unfinished(tl, l, rsd_value(&l->values, RSD_A_REQUEST));
	if (!requests)
		return complete(tl, l, rsd_value(&l->values, RSD_A_REQUEST),
			rsd_values_at(&l->values, RSD_A_STATUS));
	for (int64_t i = 0; no && i < length_of(requests) && !err; i++)
		err = unfinished(tl, l, requests[1 + i]);
	if (no)
		return err;
	if (l->values.call->param[RSD_A_INDEX] >= 0)
		return complete_any(tl, l, requests);
	return complete_several(tl, l, requests);
}

static int start(struct rsd_timeline *tl, struct rsd_lane *l, int64_t id)
{
	struct rsd_lane *owner;
	struct rsd_live_request *r = find(tl, l, id, &owner);

	return r ? post(tl, l, r) : 0;
}

int rsd_lane_start(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const int64_t *requests = rsd_values_at(&l->values, RSD_A_REQUESTS);
	int err = 0;

	if (!requests)
		return start(tl, l, rsd_value(&l->values, RSD_A_REQUEST));
	for (int64_t i = 0; i < length_of(requests) && !err; i++)
		err = start(tl, l, requests[1 + i]);
	return err;
}

void rsd_lane_free_request(struct rsd_timeline *tl, struct rsd_lane *l)
{
	int64_t id = rsd_value(&l->values, RSD_A_REQUEST);
	struct rsd_lane *owner;

	if (find(tl, l, id, &owner))
		rsd_live_drop(&owner->live, id);
}

void rsd_lane_cancel(struct rsd_timeline *tl, struct rsd_lane *l)
{
	struct rsd_lane *owner;
	struct rsd_live_request *r = find(tl, l, rsd_value(&l->values, RSD_A_REQUEST), &owner);
	struct rsd_channel_name c = { .dest = l->where.rank };

	if (!r || r->kind != RSD_L_RECV)
		return; /* a send may have gone out */
	r->cancelled = true;
	c.comm = r->comm;
	c.source = rsd_comms_peer(&tl->comms, r->comm, r->side, l->where.rank, r->peer);
	c.tag = r->tag;
	if (r->ticket)
		rsd_match_cancel(&tl->match, &c, r->ticket);
}

/* ---- calls that make requests -------------------------------------------------------------------- */

static uint64_t persistent_bytes(const struct rsd_timeline *tl, const struct rsd_lane *l)
{
	int64_t count = rsd_value(&l->values, RSD_A_COUNT),
		type = rsd_value(&l->values, RSD_A_DATATYPE);
	int64_t size = rsd_object_attribute(tl->t, RSD_O_DATATYPE, type, 0, l->where.rank);

	return rsd_is_const(count) || count < 0 || size < 0
		       ? 0
		       : rsd_lane_bytes((double)count * (double)size);
}

/* What the request is to do; false where it does nothing that is exported. */
static bool describe(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v,
	struct rsd_live_request *r)
{
	const struct rsd_call *call = l->values.call;
	const struct rsd_live_request *m;
	bool init = call->kind == RSD_K_SEND_INIT || call->kind == RSD_K_RECV_INIT ||
		    call->kind == RSD_K_COLL_INIT;

	*r = (struct rsd_live_request){ .persistent = init,
		.comm_value = rsd_value(&l->values, RSD_A_COMM),
		.bytes = rsd_lane_bytes(v->sent),
		.received = rsd_lane_bytes(v->received),
		.coll = call->coll,
		.peer = RSD_ABSENT,
		.tag = RSD_ABSENT,
		.root = rsd_value(&l->values, RSD_A_ROOT) };
	r->comm = rsd_comms_find(&tl->comms, l->where.rank, r->comm_value, &r->side);
	if (call->kind == RSD_K_SEND || call->kind == RSD_K_SEND_INIT) {
		r->kind = RSD_L_SEND;
		r->peer = rsd_value(&l->values, RSD_A_DEST);
		r->tag = rsd_value(&l->values, RSD_A_SENDTAG);
	} else if (call->kind == RSD_K_RECV || call->kind == RSD_K_RECV_INIT ||
		   call->kind == RSD_K_SENDRECV) {
		r->kind = RSD_L_RECV;
		r->peer = rsd_value(&l->values, RSD_A_SOURCE);
		r->tag = rsd_value(&l->values, RSD_A_RECVTAG);
		r->bytes = r->received;
	} else if (call->kind == RSD_K_MRECV) {
		int64_t id = rsd_value(&l->values, RSD_A_MESSAGE);

		m = id < 0 ? NULL : rsd_live_find(&l->messages, -1 - id);
		if (!m)
			return false;
		r->kind = RSD_L_RECV;
		r->comm_value = m->comm_value;
		r->comm = m->comm;
		r->side = m->side;
		r->peer = m->peer;
		r->tag = m->tag;
		r->ticket = m->ticket;
		r->bytes = r->received;
		rsd_live_drop(&l->messages, -1 - id);
	} else if (call->kind == RSD_K_COLL || call->kind == RSD_K_COLL_INIT) {
		r->kind = RSD_L_COLL;
	}
	if (init && r->kind != RSD_L_COLL)
		r->bytes = persistent_bytes(tl, l);
	return true;
}

/* Every function with a result 'request', also those that are not known here: the table counts them. */
int rsd_lane_request(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int64_t id = rsd_value(&l->values, RSD_A_REQUEST);
	struct rsd_live_request r;
	int err = 0;

	if (rsd_is_const(id))
		return 0;
	if (!describe(tl, l, v, &r))
		r = (struct rsd_live_request){ .kind = RSD_L_OTHER };
	if (l->values.call->kind == RSD_K_SENDRECV) /* the sending half has no request of its own */
		err = rsd_lane_send(tl, l, v);
	if (!err && !r.persistent)
		err = post(tl, l, &r);
	return err ? err : rsd_live_add(&l->live, id, &r);
}
