/* comms.c - see comms.h */
#include "comms.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"
#include "weight.h"

enum { ATTR_PEERS, ATTR_RANK, ATTR_SIZE, ATTR_INTER };

struct rsd_forming {
	struct rsd_forming *next;
	/* what those that make it have in common */
	int parent;
	const char *function;
	int64_t color;
	bool inter;
	int size[2];
	int *member[2];
	int missing, waiting; /* those that are not there yet, that have not taken it yet */
	int64_t slot;	      /* number of the first member */
	int leader, remote;   /* MPI_Intercomm_create: of the own side, of the other */
	bool is_bridge;
	struct rsd_forming *other; /* the other side's */
	int side;		   /* a bridge's: which one this is */
	int nr_dims, *dims;
	int made; /* its number, or -1 */
};

int rsd_comms_init(struct rsd_comms *c, const struct rsd_trace *t)
{
	*c = (struct rsd_comms){ .t = t };
	if (RSD_GROW(c->comm, 2, c->alloc))
		return RSD_ERR_NOMEM;
	c->comm[RSD_COMM_WORLD] = (struct rsd_comm){ .size = { t->nprocs, 0 }, .parent = -1 };
	c->comm[RSD_COMM_SELF] = (struct rsd_comm){ .size = { 1, 0 }, .parent = -1 };
	c->nr = 2;
	return 0;
}

static void free_forming(struct rsd_forming *f)
{
	free(f->member[0]);
	free(f->member[1]);
	free(f->dims);
	free(f);
}

void rsd_comms_release(struct rsd_comms *c)
{
	while (c->forming) {
		struct rsd_forming *next = c->forming->next;

		free_forming(c->forming);
		c->forming = next;
	}
	for (size_t i = 0; i < c->nr; i++) {
		free(c->comm[i].member[0]);
		free(c->comm[i].member[1]);
		free(c->comm[i].dims);
	}
	free(c->comm);
	rsd_map_release(&c->by_slot);
	rsd_map_release(&c->by_hash);
}

static uint64_t slot_key(int rank, int64_t slot)
{
	return (uint64_t)(unsigned)rank << 32 | (uint32_t)slot;
}

int rsd_comms_find(const struct rsd_comms *c, int rank, int64_t value, int *side)
{
	const uint64_t *at;

	*side = 0;
	if (rsd_trace_is_constant(c->t, value, "MPI_COMM_WORLD"))
		return RSD_COMM_WORLD;
	if (rsd_trace_is_constant(c->t, value, "MPI_COMM_SELF"))
		return RSD_COMM_SELF;
	if (rsd_is_const(value))
		return -1;
	at = rsd_map_find(&c->by_slot, slot_key(rank, value));
	if (!at)
		return -1;
	*side = (int)(*at & 1);
	return (int)(*at >> 1);
}

int rsd_comms_peer(const struct rsd_comms *c, int comm, int side, int rank, int64_t peer)
{
	const struct rsd_comm *m;
	int group;

	if (comm < 0)
		return -1;
	m = &c->comm[comm];
	group = m->inter ? 1 - side : 0;
	if (rsd_is_const(peer) || peer < 0 || peer >= m->size[group])
		return -1;
	if (comm == RSD_COMM_SELF)
		return rank;
	return m->member[group] ? m->member[group][peer] : (int)peer;
}

/* ---- known ones ---------------------------------------------------------------------------- */

static uint64_t hash_of(const struct rsd_comm *m, int64_t slot)
{
	uint64_t h = (uint64_t)slot;

	for (int i = 0; i < 2; i++)
		if (m->member[i])
			h = rsd_hash_bytes(m->member[i], (size_t)m->size[i] * sizeof(int), h + 1);
	return h;
}

static bool is_same(const struct rsd_comm *a, const struct rsd_comm *b)
{
	for (int i = 0; i < 2; i++) {
		if (a->size[i] != b->size[i])
			return false;
		if (a->size[i] &&
			memcmp(a->member[i], b->member[i], (size_t)a->size[i] * sizeof(int)))
			return false;
	}
	return a->hash == b->hash && a->inter == b->inter && a->parent == b->parent;
}

/* Takes what 'm' owns. Its number, or an error. */
static int intern(struct rsd_comms *c, struct rsd_comm *m, int64_t slot)
{
	const uint64_t *at;

	m->hash = hash_of(m, slot);
	at = rsd_map_find(&c->by_hash, m->hash);
	if (at && is_same(&c->comm[*at], m)) {
		struct rsd_comm *known = &c->comm[*at];

		free(m->member[0]);
		free(m->member[1]);
		free(known->dims);
		known->dims = m->dims;
		known->nr_dims = m->nr_dims;
		return (int)*at;
	}
	if (c->nr == INT_MAX || RSD_GROW(c->comm, c->nr + 1, c->alloc) ||
		rsd_map_set(&c->by_hash, m->hash, c->nr))
		return RSD_ERR_NOMEM;
	c->comm[c->nr] = *m;
	return (int)c->nr++;
}

/* ---- ones being made -------------------------------------------------------------------------- */

static int settle(struct rsd_comms *c, struct rsd_forming *f)
{
	struct rsd_comm m = { .inter = f->inter,
		.size = { f->size[0], f->size[1] },
		.member = { f->member[0], f->member[1] },
		.parent = f->parent,
		.nr_dims = f->nr_dims,
		.dims = f->dims };

	f->member[0] = f->member[1] = f->dims = NULL;
	f->made = intern(c, &m, f->slot);
	return f->made < 0 ? f->made : 0;
}

/* Both sides of an MPI_Intercomm_create are there: one communicator for both. */
static int join_sides(struct rsd_comms *c, struct rsd_forming *f, struct rsd_forming *g)
{
	struct rsd_forming *a = f->leader < g->leader ? f : g, *b = a == f ? g : f;
	struct rsd_comm m = { .inter = true,
		.size = { a->size[0], b->size[0] },
		.member = { a->member[0], b->member[0] },
		.parent = -1 };

	a->member[0] = b->member[0] = NULL;
	a->side = 0;
	b->side = 1;
	a->made = b->made = intern(c, &m, a->slot);
	return a->made < 0 ? a->made : 0;
}

static int find_other_side(struct rsd_comms *c, struct rsd_forming *f)
{
	for (struct rsd_forming *g = c->forming; g; g = g->next)
		if (g != f && g->is_bridge && g->made < 0 && !g->missing &&
			g->leader == f->remote && g->remote == f->leader)
			return join_sides(c, f, g);
	return 0;
}

bool rsd_comms_is_formed(const struct rsd_forming *f)
{
	return f->made >= 0;
}

int rsd_comms_form(struct rsd_comms *c, struct rsd_forming *f)
{
	f->missing = 0;
	return f->made >= 0 ? 0 : settle(c, f);
}

static struct rsd_forming *new_forming(struct rsd_comms *c, const struct rsd_forming *like)
{
	struct rsd_forming *f = rsd_malloc(sizeof(*f));

	if (!f)
		return NULL;
	*f = *like;
	for (int i = 0; i < 2; i++) {
		f->member[i] = rsd_malloc(((size_t)f->size[i] + 1) * sizeof(int));
		for (int k = 0; f->member[i] && k < f->size[i]; k++)
			f->member[i][k] = -1;
	}
	if (!f->member[0] || !f->member[1]) {
		f->dims = NULL; /* the caller's still */
		free_forming(f);
		return NULL;
	}
	f->next = c->forming;
	c->forming = f;
	return f;
}

static struct rsd_forming *find_forming(
	struct rsd_comms *c, const struct rsd_forming *like, int side, int64_t at)
{
	for (struct rsd_forming *f = c->forming; f; f = f->next)
		if (f->made < 0 && f->parent == like->parent &&
			strcmp(f->function, like->function) == 0 && f->color == like->color &&
			f->size[0] == like->size[0] && f->size[1] == like->size[1] &&
			f->member[side][at] < 0)
			return f;
	return new_forming(c, like);
}

/* ---- Cartesian ones ------------------------------------------------------------------------------ */

/* MPI_Cart_sub: those stay together that agree in the coordinates which are dropped. */
static int64_t cart_color(
	const struct rsd_comm *parent, const int64_t *remain, int64_t rank, struct rsd_forming *f)
{
	int64_t color = 0, rest = rank, inner = 1;

	if (!parent->dims || !remain || rsd_is_const(remain[0]) || remain[0] < parent->nr_dims)
		return 0;
	f->dims = rsd_calloc((size_t)parent->nr_dims + 1, sizeof(int));
	for (int i = 0; i < parent->nr_dims; i++)
		inner *= parent->dims[i];
	for (int i = 0; i < parent->nr_dims; i++) {
		inner /= parent->dims[i];
		if (!remain[1 + i])
			color = color * parent->dims[i] + rest / inner;
		else if (f->dims)
			f->dims[f->nr_dims++] = parent->dims[i];
		rest %= inner;
	}
	return color;
}

/* All together are processes: no more than an int holds. */
static void copy_dims(const int64_t *dims, struct rsd_forming *f)
{
	int64_t nr = 1;

	if (!dims || rsd_is_const(dims[0]) || dims[0] <= 0)
		return;
	f->dims = rsd_calloc((size_t)dims[0], sizeof(int));
	for (int64_t i = 0; f->dims && i < dims[0]; i++) {
		if (dims[1 + i] <= 0 || dims[1 + i] > INT_MAX / nr) {
			free(f->dims);
			f->dims = NULL;
			f->nr_dims = 0;
			return;
		}
		nr *= dims[1 + i];
		f->dims[f->nr_dims++] = (int)dims[1 + i];
	}
}

/* ---- arriving -------------------------------------------------------------------------------- */

static int attribute(const struct rsd_comms *c, int64_t id, int attr, int rank)
{
	int64_t v = rsd_object_attribute(c->t, RSD_O_COMM, id, attr, rank);

	return v < 0 || v > c->t->nprocs ? -1 : (int)v;
}

/* Who is at the other end of the bridge: only the leader's arguments tell. */
static void see_leaders(
	struct rsd_comms *c, struct rsd_forming *f, int rank, int at, const struct rsd_values *v)
{
	int side, comm;

	if (at != rsd_value(v, RSD_A_LOCAL_LEADER))
		return;
	comm = rsd_comms_find(c, rank, rsd_value(v, RSD_A_PEER_COMM), &side);
	f->leader = rank;
	f->remote = rsd_comms_peer(c, comm, side, rank, rsd_value(v, RSD_A_REMOTE_LEADER));
}

/* What the call says of the communicator to be. False where it is not known. */
static bool describe(
	struct rsd_comms *c, int rank, const struct rsd_values *v, struct rsd_forming *f, int *side)
{
	int64_t value = rsd_value(v, RSD_A_NEWCOMM), own = rsd_value(v, RSD_A_COMM);
	int size = attribute(c, value, ATTR_SIZE, rank), parent_rank;

	f->parent = rsd_comms_find(c, rank, own, side);
	f->inter = attribute(c, value, ATTR_INTER, rank) == 1;
	f->is_bridge = f->inter && v->call->param[RSD_A_PEER_COMM] >= 0;
	if (size <= 0)
		return false;
	if (!f->inter || f->is_bridge)
		*side = 0;
	f->size[*side] = size;
	if (f->inter && !f->is_bridge)
		f->size[1 - *side] = attribute(c, value, ATTR_PEERS, rank);
	if (v->call->param[RSD_A_COLOR] >= 0)
		f->color = rsd_value(v, RSD_A_COLOR);
	parent_rank = f->parent == RSD_COMM_WORLD ? rank : attribute(c, own, ATTR_RANK, rank);
	if (v->call->param[RSD_A_REMAIN] >= 0 && f->parent >= 0 && parent_rank >= 0)
		f->color = cart_color(
			&c->comm[f->parent], rsd_values_at(v, RSD_A_REMAIN), parent_rank, f);
	if (v->call->param[RSD_A_DIMS] >= 0)
		copy_dims(rsd_values_at(v, RSD_A_DIMS), f);
	return f->size[0] >= 0 && f->size[1] >= 0;
}

struct rsd_forming *rsd_comms_arrive(
	struct rsd_comms *c, int rank, const char *function, const struct rsd_values *v, int *err)
{
	struct rsd_forming like = { .function = function, .made = -1, .leader = -1, .remote = -2 },
			   *f;
	int64_t value = rsd_value(v, RSD_A_NEWCOMM);
	int at, side;

	*err = 0;
	if (rsd_is_const(value))
		return NULL;
	at = attribute(c, value, ATTR_RANK, rank);
	if (!describe(c, rank, v, &like, &side) || at < 0 || at >= like.size[side]) {
		free(like.dims);
		return NULL;
	}
	like.missing = like.size[0] + like.size[1];
	f = find_forming(c, &like, side, at);
	if (!f || f->dims != like.dims)
		free(like.dims);
	if (!f) {
		*err = RSD_ERR_NOMEM;
		return NULL;
	}
	f->member[side][at] = rank;
	f->waiting++;
	f->missing -= f->missing > 0;
	if (at == 0 && side == 0)
		f->slot = value;
	if (f->is_bridge)
		see_leaders(c, f, rank, at, v);
	if (!f->missing)
		*err = f->is_bridge ? find_other_side(c, f) : settle(c, f);
	return *err ? NULL : f;
}

static int side_of(const struct rsd_comms *c, const struct rsd_forming *f, int rank)
{
	const struct rsd_comm *m = &c->comm[f->made];

	if (f->is_bridge)
		return f->side;
	for (int i = 0; m->inter && i < m->size[1]; i++)
		if (m->member[1][i] == rank)
			return 1;
	return 0;
}

int rsd_comms_take(struct rsd_comms *c, struct rsd_forming *f, int rank, int64_t value)
{
	int made = f->made, side = side_of(c, f, rank);
	struct rsd_forming **at = &c->forming;

	if (rsd_map_set(&c->by_slot, slot_key(rank, value), (uint64_t)made << 1 | (uint64_t)side))
		return RSD_ERR_NOMEM;
	if (--f->waiting > 0)
		return made;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	free_forming(f);
	return made;
}
