/* actions.c - what a call does, as timeline.h lists it: see lane.h */
#include <stdlib.h>
#include "lane.h"
#include "util.h"
#include "volume.h"
#include "weight.h"

static struct rsd_action *add(struct rsd_lane *l, enum rsd_action_kind kind)
{
	struct rsd_action *a;

	if (RSD_GROW(l->action, l->nr_actions + 1, l->alloc_actions))
		return NULL;
	a = &l->action[l->nr_actions++];
	*a = (struct rsd_action){
		.kind = kind, .comm = -1, .world = -1, .node = l->node, .root = RSD_ABSENT
	};
	return a;
}

/* Who is meant by a peer of this call's communicator. */
static void set_peer(struct rsd_timeline *tl, const struct rsd_lane *l, struct rsd_action *a,
	int64_t comm, int64_t peer, int64_t tag)
{
	int side;

	a->comm = rsd_comms_find(&tl->comms, l->where.rank, comm, &side);
	a->peer = peer;
	a->tag = tag;
	a->world = rsd_comms_peer(&tl->comms, a->comm, side, l->where.rank, peer);
}

/* ---- sending ------------------------------------------------------------------------------- */

static int send_out(struct rsd_timeline *tl, struct rsd_lane *l, struct rsd_action *a)
{
	const struct rsd_channel_name c = { a->comm, l->where.rank, a->world, a->tag };
	struct rsd_message m = {
		.ns = l->begin, .bytes = a->bytes, .node = a->node, .location = (int)(l - tl->lane)
	};

	if (a->world < 0)
		return 0;
	if (!rsd_match_send(&tl->match, &c, &m))
		return RSD_ERR_NOMEM;
	a->message = m.id;
	a->number = m.number;
	rsd_timeline_wake(tl, rsd_match_key(&c));
	return 0;
}

static int act_send(struct rsd_timeline *tl, struct rsd_lane *l, enum rsd_action_kind kind,
	uint64_t bytes, uint64_t request)
{
	int64_t dest = rsd_value(&l->values, RSD_A_DEST);
	struct rsd_action *a;

	if (rsd_is_const(dest) && kind == RSD_X_SEND)
		return 0; /* MPI_PROC_NULL */
	a = add(l, kind);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = request;
	a->bytes = bytes;
	set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), dest,
		rsd_value(&l->values, RSD_A_SENDTAG));
	return send_out(tl, l, a);
}

/* ---- receiving ---------------------------------------------------------------------------------- */

/* The last action is to be given the message that it receives. ticket 0: takes one now. */
static int need_message(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t ticket)
{
	struct rsd_action *a = &l->action[l->nr_actions - 1];
	const struct rsd_channel_name c = { a->comm, a->world, l->where.rank, a->tag };

	if (a->world < 0 || rsd_is_const(a->tag)) {
		tl->unmatched++;
		return 0;
	}
	if (!ticket && !(ticket = rsd_match_ticket(&tl->match, &c)))
		return RSD_ERR_NOMEM;
	a->number = ticket;
	if (RSD_GROW(l->need, l->nr_needs + 1, l->alloc_needs))
		return RSD_ERR_NOMEM;
	l->need[l->nr_needs++] = (struct rsd_need){ l->nr_actions - 1, c, ticket };
	return 0;
}

/* A status says from whom, and with which tag. */
static void see_status(const int64_t *status, int64_t *source, int64_t *tag)
{
	if (!status || (status[0] != RSD_STATUS_KEPT && status[0] != RSD_STATUS_MATCHED))
		return;
	if (status[1] != RSD_ABSENT)
		*source = status[1];
	if (status[2] != RSD_ABSENT)
		*tag = status[2];
}

static bool is_proc_null(const struct rsd_timeline *tl, int64_t peer)
{
	return rsd_value_is(tl->t, peer, "MPI_PROC_NULL");
}

static int act_recv(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t bytes)
{
	int64_t source = rsd_value(&l->values, RSD_A_SOURCE),
		tag = rsd_value(&l->values, RSD_A_RECVTAG);
	struct rsd_action *a;

	if (is_proc_null(tl, source))
		return 0;
	see_status(rsd_values_at(&l->values, RSD_A_STATUS), &source, &tag);
	if (is_proc_null(tl, source))
		return 0;
	a = add(l, RSD_X_RECV);
	if (!a)
		return RSD_ERR_NOMEM;
	a->bytes = bytes;
	set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), source, tag);
	return need_message(tl, l, 0);
}

/* A matched probe takes the message; its receive comes later, by the number of the message. */
static int act_mprobe(struct rsd_timeline *tl, struct rsd_lane *l)
{
	struct rsd_live_request r = { .kind = RSD_L_RECV,
		.comm_value = rsd_value(&l->values, RSD_A_COMM) };
	int64_t id = rsd_value(&l->values, RSD_A_MESSAGE);
	struct rsd_channel_name c = { .dest = l->where.rank };

	if (rsd_is_const(id) || id < 0)
		return 0;
	r.peer = rsd_value(&l->values, RSD_A_SOURCE);
	r.tag = rsd_value(&l->values, RSD_A_TAG);
	see_status(rsd_values_at(&l->values, RSD_A_STATUS), &r.peer, &r.tag);
	r.comm = rsd_comms_find(&tl->comms, l->where.rank, r.comm_value, &r.side);
	c.comm = r.comm;
	c.source = rsd_comms_peer(&tl->comms, r.comm, r.side, l->where.rank, r.peer);
	c.tag = r.tag;
	if (c.source >= 0 && !(r.ticket = rsd_match_ticket(&tl->match, &c)))
		return RSD_ERR_NOMEM;
	return rsd_live_add(&l->messages, -1 - id, &r);
}

static int act_mrecv(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t bytes)
{
	int64_t id = rsd_value(&l->values, RSD_A_MESSAGE);
	const struct rsd_live_request *r = id < 0 ? NULL : rsd_live_find(&l->messages, -1 - id);
	struct rsd_action *a;
	int err;

	if (!r)
		return 0;
	a = add(l, RSD_X_RECV);
	if (!a)
		return RSD_ERR_NOMEM;
	a->bytes = bytes;
	set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
	err = need_message(tl, l, r->ticket);
	rsd_live_drop(&l->messages, -1 - id);
	return err;
}

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
	a = add(l, r->kind == RSD_L_SEND   ? RSD_X_ISEND
		   : r->kind == RSD_L_RECV ? RSD_X_IRECV
					   : RSD_X_ICOLL);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	a->bytes = r->bytes;
	a->received = r->received;
	a->coll = r->coll;
	a->root = r->root;
	set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
	r->comm = a->comm;
	if (r->kind == RSD_L_SEND) {
		int err = send_out(tl, l, a);

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

/* Of this thread or, as any may complete it, of another one of the rank. */
static struct rsd_live_request *find(
	struct rsd_timeline *tl, struct rsd_lane *l, int64_t id, struct rsd_lane **owner)
{
	struct rsd_live_request *r = rsd_live_find(&l->live, id);
	const uint64_t *first = rsd_map_find(&tl->lane_of_rank, (uint64_t)l->where.rank);

	*owner = l;
	for (size_t i = first ? (size_t)*first : tl->nr_lanes;
		!r && i < tl->nr_lanes && tl->lane[i].where.rank == l->where.rank; i++) {
		*owner = &tl->lane[i];
		r = rsd_live_find(&tl->lane[i].live, id);
	}
	return r;
}

static int finish_receive(struct rsd_timeline *tl, struct rsd_lane *l,
	const struct rsd_live_request *r, const int64_t *status)
{
	int64_t source = r->peer, tag = r->tag;
	struct rsd_action *a;

	see_status(status, &source, &tag);
	a = add(l, is_proc_null(tl, source) ? RSD_X_CANCELLED : RSD_X_IRECV_DONE);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	if (a->kind == RSD_X_CANCELLED)
		return 0; /* nothing comes from there */
	a->bytes = r->bytes;
	a->node = r->node;
	set_peer(tl, l, a, r->comm_value, source, tag);
	return need_message(tl, l, r->ticket);
}

static int finish_other(
	struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_live_request *r)
{
	struct rsd_action *a;

	if (r->kind == RSD_L_OTHER)
		return 0;
	a = add(l, r->cancelled		   ? RSD_X_CANCELLED
		   : r->kind == RSD_L_SEND ? RSD_X_ISEND_DONE
					   : RSD_X_ICOLL_DONE);
	if (!a)
		return RSD_ERR_NOMEM;
	a->request = r->id;
	set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
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
	a = add(l, RSD_X_UNFINISHED);
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

static int act_complete(struct rsd_timeline *tl, struct rsd_lane *l)
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

static int act_start(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const int64_t *requests = rsd_values_at(&l->values, RSD_A_REQUESTS);
	int err = 0;

	if (!requests)
		return start(tl, l, rsd_value(&l->values, RSD_A_REQUEST));
	for (int64_t i = 0; i < length_of(requests) && !err; i++)
		err = start(tl, l, requests[1 + i]);
	return err;
}

static void act_cancel(struct rsd_timeline *tl, struct rsd_lane *l)
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

static uint64_t bytes_of(double bytes)
{
	return bytes > 0 && bytes < 1e18 ? (uint64_t)bytes : 0;
}

static uint64_t persistent_bytes(const struct rsd_timeline *tl, const struct rsd_lane *l)
{
	int64_t count = rsd_value(&l->values, RSD_A_COUNT),
		type = rsd_value(&l->values, RSD_A_DATATYPE);
	int64_t size = rsd_object_attribute(tl->t, RSD_O_DATATYPE, type, 0, l->where.rank);

	return rsd_is_const(count) || count < 0 || size < 0
		       ? 0
		       : bytes_of((double)count * (double)size);
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
		.bytes = bytes_of(v->sent),
		.received = bytes_of(v->received),
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
static int act_request(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int64_t id = rsd_value(&l->values, RSD_A_REQUEST);
	struct rsd_live_request r;
	int err = 0;

	if (rsd_is_const(id))
		return 0;
	if (!describe(tl, l, v, &r))
		r = (struct rsd_live_request){ .kind = RSD_L_OTHER };
	if (l->values.call->kind == RSD_K_SENDRECV) /* the sending half has no request of its own */
		err = act_send(tl, l, RSD_X_SEND, bytes_of(v->sent), 0);
	if (!err && !r.persistent)
		err = post(tl, l, &r);
	return err ? err : rsd_live_add(&l->live, id, &r);
}

/* ---- collectives ------------------------------------------------------------------------------------ */

static bool nobody_leaves_early(enum rsd_coll coll)
{
	switch (coll) {
	case RSD_COLL_BARRIER:
	case RSD_COLL_ALLGATHER:
	case RSD_COLL_ALLGATHERV:
	case RSD_COLL_ALLTOALL:
	case RSD_COLL_ALLTOALLV:
	case RSD_COLL_ALLTOALLW:
	case RSD_COLL_ALLREDUCE:
	case RSD_COLL_REDUCE_SCATTER:
	case RSD_COLL_REDUCE_SCATTER_BLOCK:
		return true;
	default:
		return false;
	}
}

static int act_coll(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	struct rsd_action *a = add(l, RSD_X_COLL);

	if (!a)
		return RSD_ERR_NOMEM;
	set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), RSD_ABSENT, RSD_ABSENT);
	a->coll = l->values.call->coll;
	a->bytes = bytes_of(v->sent);
	a->received = bytes_of(v->received);
	a->root = rsd_value(&l->values, RSD_A_ROOT);
	if (tl->times != RSD_TIMES_KEPT && nobody_leaves_early(a->coll))
		l->meets_in = a->comm;
	return 0;
}

static int act_comm_make(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int err;

	l->forming = rsd_comms_arrive(
		&tl->comms, l->where.rank, tl->t->func[l->event.func].name, &l->values, &err);
	if (err)
		return err;
	if (l->forming) {
		l->formed_value = rsd_value(&l->values, RSD_A_NEWCOMM);
		l->formed_action = l->nr_actions;
		if (!add(l, RSD_X_COMM_MADE))
			return RSD_ERR_NOMEM;
		if (rsd_comms_is_formed(l->forming))
			rsd_timeline_wake(tl, (uint64_t)(uintptr_t)l->forming | 1);
	}
	err = act_coll(tl, l, v);
	if (!err && l->values.call->makes_request)
		err = act_request(tl, l, v);
	return err;
}

static int act_comm_free(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	struct rsd_action *a = add(l, RSD_X_COMM_FREED);

	if (!a)
		return RSD_ERR_NOMEM;
	set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), RSD_ABSENT, RSD_ABSENT);
	return act_coll(tl, l, v);
}

/* ---- a call --------------------------------------------------------------------------------------- */

static int act_blocking(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int err;

	switch (l->values.call->kind) {
	case RSD_K_SEND:
		return act_send(tl, l, RSD_X_SEND, bytes_of(v->sent), 0);
	case RSD_K_SENDRECV:
		err = act_send(tl, l, RSD_X_SEND, bytes_of(v->sent), 0);
		return err ? err : act_recv(tl, l, bytes_of(v->received));
	case RSD_K_RECV:
		return act_recv(tl, l, bytes_of(v->received));
	case RSD_K_MPROBE:
		return act_mprobe(tl, l);
	case RSD_K_MRECV:
		return act_mrecv(tl, l, bytes_of(v->received));
	case RSD_K_START:
		return act_start(tl, l);
	case RSD_K_COMPLETE:
		return act_complete(tl, l);
	case RSD_K_CANCEL:
		act_cancel(tl, l);
		return 0;
	case RSD_K_REQUEST_FREE:
		rsd_live_drop(&l->live, rsd_value(&l->values, RSD_A_REQUEST));
		return 0;
	case RSD_K_COLL:
		return act_coll(tl, l, v);
	case RSD_K_COMM_MAKE:
		return act_comm_make(tl, l, v);
	case RSD_K_COMM_FREE:
		return act_comm_free(tl, l, v);
	default:
		return 0;
	}
}

/* A call that failed did nothing; one whose error is in the statuses completed requests. */
static bool has_failed(const struct rsd_timeline *tl, const struct rsd_event *e)
{
	int64_t error = e->nr_val ? e->val[e->nr_val - 1] : 0;

	return error != 0 && error != RSD_ABSENT &&
	       !rsd_value_is(tl->t, error, "MPI_ERR_IN_STATUS") &&
	       !rsd_value_is(tl->t, error, "MPI_ERR_TRUNCATE");
}

int rsd_lane_act(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const struct rsd_call *call = &tl->calls.call[l->event.func];
	struct rsd_volume v;
	int err = rsd_values_of(&l->values, &tl->calls, &l->event);

	l->nr_actions = l->nr_needs = l->met = 0;
	l->forming = NULL;
	l->meets_in = -1;
	l->meeting = 0;
	if (err || has_failed(tl, &l->event))
		return err;
	rsd_volume_of_event(tl->t, &l->event, &v);
	if (call->makes_request && call->kind != RSD_K_COMM_MAKE)
		return act_request(tl, l, &v);
	return act_blocking(tl, l, &v);
}
