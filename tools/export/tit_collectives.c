/*
 * tit_collectives.c - collectives in SimGrid's actions
 *
 * On MPI_COMM_WORLD, and communicators that are the same processes in the same order, those that the replay has. The others
 * become messages, the plainest way: each to the root and the root to each, or, of an Alltoall, each to each.
 */
#include <inttypes.h>
#include "tit.h"

struct party { /* who takes part */
	const struct rsd_comm *c;
	int size, own, root;
	int rank, tag;
};

static int member(const struct party *p, int k)
{
	return p->c->member[0] ? p->c->member[0][k] : k;
}

static bool is_world(const struct rsd_comm *c, int nprocs)
{
	if (c->inter || c->size[0] != nprocs)
		return false;
	for (int i = 0; c->member[0] && i < nprocs; i++)
		if (c->member[0][i] != i)
			return false;
	return true;
}

/* ---- as messages --------------------------------------------------------------------------------- */

static void put_send(struct rsd_buf *out, const struct party *p, int to, uint64_t bytes)
{
	rsd_buf_printf(out, "%d send %d %d %" PRIu64 " " TIT_BYTE "\n", p->rank, member(p, to),
		p->tag, bytes);
}

/* Of the size that comes. */
static void put_recv(struct rsd_buf *out, const struct party *p, int from)
{
	rsd_buf_printf(out, "%d recv %d %d -1 " TIT_BYTE "\n", p->rank, member(p, from), p->tag);
}

static void up(struct rsd_buf *out, const struct party *p, uint64_t bytes)
{
	if (p->own != p->root) {
		put_send(out, p, p->root, bytes ? bytes : 1);
		return;
	}
	for (int k = 0; k < p->size; k++)
		if (k != p->own)
			put_recv(out, p, k);
}

static void down(struct rsd_buf *out, const struct party *p, uint64_t bytes)
{
	if (p->own != p->root) {
		put_recv(out, p, p->root);
		return;
	}
	for (int k = 0; k < p->size; k++)
		if (k != p->own)
			put_send(out, p, k, bytes ? bytes : 1);
}

static void across(struct rsd_buf *out, const struct party *p, uint64_t bytes, uint64_t room)
{
	for (int k = 0; k < p->size; k++)
		if (k != p->own)
			rsd_buf_printf(out, "%d irecv %d %d %" PRIu64 " " TIT_BYTE "\n", p->rank,
				member(p, k), p->tag, room ? room : 1);
	for (int k = 0; k < p->size; k++)
		if (k != p->own)
			put_send(out, p, k, bytes ? bytes : 1);
	for (int k = 0; k < p->size; k++)
		if (k != p->own)
			rsd_buf_printf(
				out, "%d wait %d %d %d\n", p->rank, member(p, k), p->rank, p->tag);
}

static void put_messages(struct rsd_buf *out, const struct party *p, const struct rsd_action *a)
{
	switch (a->coll) {
	case RSD_COLL_GATHER:
	case RSD_COLL_GATHERV:
	case RSD_COLL_REDUCE:
		up(out, p, a->bytes);
		break;
	case RSD_COLL_BCAST:
		down(out, p, a->bytes);
		break;
	case RSD_COLL_SCATTER:
	case RSD_COLL_SCATTERV:
		down(out, p, a->bytes / (uint64_t)p->size);
		break;
	case RSD_COLL_ALLTOALL:
	case RSD_COLL_ALLTOALLV:
	case RSD_COLL_ALLTOALLW:
		across(out, p, a->bytes / (uint64_t)p->size, a->received + a->bytes);
		break;
	case RSD_COLL_SCAN:
	case RSD_COLL_EXSCAN:
		if (p->own > 0)
			put_recv(out, p, p->own - 1);
		if (p->own + 1 < p->size)
			put_send(out, p, p->own + 1, a->bytes);
		break;
	default:
		up(out, p, a->bytes);
		down(out, p, a->received ? a->received : a->bytes);
		break;
	}
}

/* ---- as they are ------------------------------------------------------------------------------------ */

/* False where the replay has none of that kind. */
static bool put_own(struct rsd_buf *out, const struct party *p, const struct rsd_action *a)
{
	uint64_t sent = a->bytes, got = a->received, nr = (uint64_t)p->size;

	switch (a->coll) {
	case RSD_COLL_BARRIER:
		rsd_buf_printf(out, "%d barrier\n", p->rank);
		return true;
	case RSD_COLL_BCAST:
		rsd_buf_printf(out, "%d bcast %" PRIu64 " %d " TIT_BYTE "\n", p->rank,
			sent ? sent : got, p->root);
		return true;
	case RSD_COLL_REDUCE:
		rsd_buf_printf(
			out, "%d reduce %" PRIu64 " 0 %d " TIT_BYTE "\n", p->rank, sent, p->root);
		return true;
	case RSD_COLL_ALLREDUCE:
		rsd_buf_printf(out, "%d allreduce %" PRIu64 " 0 " TIT_BYTE "\n", p->rank, sent);
		return true;
	case RSD_COLL_ALLTOALL:
		rsd_buf_printf(out,
			"%d alltoall %" PRIu64 " %" PRIu64 " " TIT_BYTE " " TIT_BYTE "\n", p->rank,
			(sent ? sent : got) / nr, got / nr);
		return true;
	case RSD_COLL_ALLGATHER:
		rsd_buf_printf(out,
			"%d allgather %" PRIu64 " %" PRIu64 " " TIT_BYTE " " TIT_BYTE "\n", p->rank,
			sent ? sent : got / nr, got / nr);
		return true;
	case RSD_COLL_GATHER:
		rsd_buf_printf(out,
			"%d gather %" PRIu64 " %" PRIu64 " %d " TIT_BYTE " " TIT_BYTE "\n", p->rank,
			sent ? sent : got / nr, got ? got / nr : sent, p->root);
		return true;
	case RSD_COLL_SCATTER:
		rsd_buf_printf(out,
			"%d scatter %" PRIu64 " %" PRIu64 " %d " TIT_BYTE " " TIT_BYTE "\n",
			p->rank, sent ? sent / nr : got, got ? got : sent / nr, p->root);
		return true;
	default:
		return false;
	}
}

void tit_put_collective(struct tit *x, const struct rsd_moment *m, const struct rsd_action *a)
{
	const struct rsd_comm *c = a->comm < 0 ? NULL : &x->comms->comm[a->comm];
	struct party p = { .c = c, .rank = m->event->rank, .own = -1 };
	bool world = c && is_world(c, x->x->t->nprocs);
	struct rsd_buf *out = &x->out[p.rank];

	if (a->coll == RSD_COLL_HANDLE || a->comm == RSD_COMM_SELF)
		return;
	if (!c || c->inter || a->coll == RSD_COLL_NEIGHBOR) {
		x->left_out++;
		return;
	}
	p.size = c->size[0];
	p.root = rsd_is_const(a->root) || a->root < 0 ? 0 : (int)a->root;
	p.tag = TIT_COLL_TAG + a->comm % 50000;
	if (world && put_own(out, &p, a))
		return;
	for (int k = 0; k < p.size; k++)
		if (member(&p, k) == p.rank)
			p.own = k;
	if (p.own < 0 || p.root >= p.size) {
		x->left_out++;
		return;
	}
	x->in_messages++;
	put_messages(out, &p, a);
}
