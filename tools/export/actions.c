/* actions.c - what a call does, as timeline.h lists it: see lane.h */
#include <stdlib.h>
#include "lane.h"
#include "util.h"
#include "volume.h"
#include "weight.h"

struct rsd_action *rsd_lane_add(struct rsd_lane *l, enum rsd_action_kind kind)
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

uint64_t rsd_lane_bytes(double bytes)
{
	return bytes > 0 && bytes < 1e18 ? (uint64_t)bytes : 0;
}

/* Who is meant by a peer of this call's communicator. */
void rsd_lane_set_peer(struct rsd_timeline *tl, const struct rsd_lane *l, struct rsd_action *a,
	int64_t comm, int64_t peer, int64_t tag)
{
	int side;

	a->comm = rsd_comms_find(&tl->comms, l->where.rank, comm, &side);
	a->peer = peer;
	a->tag = tag;
	a->world = rsd_comms_peer(&tl->comms, a->comm, side, l->where.rank, peer);
}

/* ---- sending ------------------------------------------------------------------------------- */

int rsd_lane_send_out(struct rsd_timeline *tl, struct rsd_lane *l, struct rsd_action *a)
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

int rsd_lane_send(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int64_t dest = rsd_value(&l->values, RSD_A_DEST);
	struct rsd_action *a;

	if (rsd_is_const(dest))
		return 0; /* MPI_PROC_NULL */
	a = rsd_lane_add(l, RSD_X_SEND);
	if (!a)
		return RSD_ERR_NOMEM;
	a->bytes = rsd_lane_bytes(v->sent);
	rsd_lane_set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), dest,
		rsd_value(&l->values, RSD_A_SENDTAG));
	return rsd_lane_send_out(tl, l, a);
}

/* ---- receiving ---------------------------------------------------------------------------------- */

/* The last action is to be given the message that it receives. ticket 0: takes one now. */
int rsd_lane_need(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t ticket)
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
void rsd_lane_see_status(const int64_t *status, int64_t *source, int64_t *tag)
{
	if (!status || (status[0] != RSD_STATUS_KEPT && status[0] != RSD_STATUS_MATCHED))
		return;
	if (status[1] != RSD_ABSENT)
		*source = status[1];
	if (status[2] != RSD_ABSENT)
		*tag = status[2];
}

bool rsd_lane_is_proc_null(const struct rsd_timeline *tl, int64_t peer)
{
	return rsd_trace_is_constant(tl->t, peer, "MPI_PROC_NULL");
}

static int act_recv(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t bytes)
{
	int64_t source = rsd_value(&l->values, RSD_A_SOURCE),
		tag = rsd_value(&l->values, RSD_A_RECVTAG);
	struct rsd_action *a;

	if (rsd_lane_is_proc_null(tl, source))
		return 0;
	rsd_lane_see_status(rsd_values_at(&l->values, RSD_A_STATUS), &source, &tag);
	if (rsd_lane_is_proc_null(tl, source))
		return 0;
	a = rsd_lane_add(l, RSD_X_RECV);
	if (!a)
		return RSD_ERR_NOMEM;
	a->bytes = bytes;
	rsd_lane_set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), source, tag);
	return rsd_lane_need(tl, l, 0);
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
	rsd_lane_see_status(rsd_values_at(&l->values, RSD_A_STATUS), &r.peer, &r.tag);
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
	a = rsd_lane_add(l, RSD_X_RECV);
	if (!a)
		return RSD_ERR_NOMEM;
	a->bytes = bytes;
	rsd_lane_set_peer(tl, l, a, r->comm_value, r->peer, r->tag);
	err = rsd_lane_need(tl, l, r->ticket);
	rsd_live_drop(&l->messages, -1 - id);
	return err;
}

/* ---- collectives ------------------------------------------------------------------------------------ */

/* Only where nobody can be done before others have come is it known what is waited for. */
static void set_meeting(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_action *a)
{
	int64_t own = rsd_object_attribute(
		tl->t, RSD_O_COMM, rsd_value(&l->values, RSD_A_COMM), 1, l->where.rank);

	l->is_root = !rsd_is_const(a->root) && own == a->root;
	switch (a->coll) {
	case RSD_COLL_BARRIER:
	case RSD_COLL_ALLGATHER:
	case RSD_COLL_ALLGATHERV:
	case RSD_COLL_ALLTOALL:
	case RSD_COLL_ALLTOALLV:
	case RSD_COLL_ALLTOALLW:
	case RSD_COLL_ALLREDUCE:
	case RSD_COLL_REDUCE_SCATTER:
	case RSD_COLL_REDUCE_SCATTER_BLOCK:
		l->meets = RSD_MEETS_ALL;
		break;
	case RSD_COLL_BCAST:
	case RSD_COLL_SCATTER:
	case RSD_COLL_SCATTERV:
		l->meets = l->is_root ? RSD_MEETS_NOBODY : RSD_MEETS_ROOT;
		break;
	case RSD_COLL_GATHER:
	case RSD_COLL_GATHERV:
	case RSD_COLL_REDUCE:
		l->meets = l->is_root ? RSD_MEETS_AS_ROOT : RSD_MEETS_NOBODY;
		break;
	default:
		return;
	}
	/* Roots of intercommunicators are told in another way. */
	if (l->meets == RSD_MEETS_ALL || (!rsd_is_const(a->root) && own >= 0))
		l->meets_in = a->comm;
}

static int act_coll(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	struct rsd_action *a = rsd_lane_add(l, RSD_X_COLL);

	if (!a)
		return RSD_ERR_NOMEM;
	rsd_lane_set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), RSD_ABSENT, RSD_ABSENT);
	a->coll = l->values.call->coll;
	a->bytes = rsd_lane_bytes(v->sent);
	a->received = rsd_lane_bytes(v->received);
	a->root = rsd_value(&l->values, RSD_A_ROOT);
	if (tl->times != RSD_TIMES_KEPT)
		set_meeting(tl, l, a);
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
		if (!rsd_lane_add(l, RSD_X_COMM_MADE))
			return RSD_ERR_NOMEM;
		if (rsd_comms_is_formed(l->forming))
			rsd_timeline_wake(tl, (uint64_t)(uintptr_t)l->forming | 1);
	}
	err = act_coll(tl, l, v);
	if (!err && l->values.call->makes_request)
		err = rsd_lane_request(tl, l, v);
	return err;
}

static int act_comm_free(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	struct rsd_action *a = rsd_lane_add(l, RSD_X_COMM_FREED);

	if (!a)
		return RSD_ERR_NOMEM;
	rsd_lane_set_peer(tl, l, a, rsd_value(&l->values, RSD_A_COMM), RSD_ABSENT, RSD_ABSENT);
	return act_coll(tl, l, v);
}

/* ---- a call --------------------------------------------------------------------------------------- */

static int act_blocking(struct rsd_timeline *tl, struct rsd_lane *l, const struct rsd_volume *v)
{
	int err;

	switch (l->values.call->kind) {
	case RSD_K_SEND:
		return rsd_lane_send(tl, l, v);
	case RSD_K_SENDRECV:
		err = rsd_lane_send(tl, l, v);
		return err ? err : act_recv(tl, l, rsd_lane_bytes(v->received));
	case RSD_K_RECV:
		return act_recv(tl, l, rsd_lane_bytes(v->received));
	case RSD_K_MPROBE:
		return act_mprobe(tl, l);
	case RSD_K_MRECV:
		return act_mrecv(tl, l, rsd_lane_bytes(v->received));
	case RSD_K_START:
		return rsd_lane_start(tl, l);
	case RSD_K_COMPLETE:
		return rsd_lane_complete(tl, l);
	case RSD_K_CANCEL:
		rsd_lane_cancel(tl, l);
		return 0;
	case RSD_K_REQUEST_FREE:
		rsd_lane_free_request(tl, l);
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

int rsd_lane_act(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const struct rsd_call *call = l->values.call;
	struct rsd_volume v;

	l->nr_actions = l->nr_needs = l->met = 0;
	l->forming = NULL;
	l->meets_in = -1;
	l->meeting = 0;
	/* A call that failed did nothing; one whose error is in the statuses completed requests. */
	if (l->event.nr_val && rsd_volume_moved_nothing(tl->t, l->event.val[l->event.nr_val - 1]))
		return 0;
	rsd_volume_of_event(tl->t, &l->event, &v);
	if (call->makes_request && call->kind != RSD_K_COMM_MAKE)
		return rsd_lane_request(tl, l, &v);
	return act_blocking(tl, l, &v);
}
