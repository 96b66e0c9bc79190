/*
 * spans.c - how much memory a call touches, and which it is given
 */
#include <inttypes.h>
#include <string.h>
#include "player.h"
#include "util.h"

#define ALIGN ((int64_t)64)

/* ---- extents of datatypes, as MPI tells them; the last ones are remembered ------------------ */

struct rsd_extents { /* of one element */
	MPI_Datatype type;
	bool known;
	MPI_Count size, lb, extent, true_lb, true_extent;
};

static _Thread_local struct rsd_extents cache[16];

void rsd_play_forget_extents(struct rsd_play *p)
{
	(void)p;
	memset(cache, 0, sizeof(cache));
}

static const struct rsd_extents *extents(struct rsd_play *p, MPI_Datatype type)
{
	uint64_t h = (uint64_t)(uintptr_t)(intptr_t)type;
	struct rsd_extents *x = &cache[(h ^ h >> 4 ^ h >> 12) % RSD_ARRAY_SIZE(cache)];

	if (x->known && x->type == type)
		return x;
	x->known = false;
	x->type = type;
	if (PMPI_Type_size_x(type, &x->size) || PMPI_Type_get_extent_x(type, &x->lb, &x->extent) ||
		PMPI_Type_get_true_extent_x(type, &x->true_lb, &x->true_extent))
		rsd_play_give_up(p, "has a datatype of no known extent");
	x->known = true;
	return x;
}

/* ---- spans ------------------------------------------------------------------------------------ */

static void widen(struct rsd_span *s, int64_t lo, int64_t hi)
{
	if (lo < s->lo)
		s->lo = lo;
	if (hi > s->hi)
		s->hi = hi;
}

/* a * b + c, or an end to the call where that is beyond all memory. */
static int64_t place_of(struct rsd_play *p, int64_t a, int64_t b, int64_t c)
{
	int64_t v;

	if (__builtin_mul_overflow(a, b, &v) || __builtin_add_overflow(v, c, &v) ||
		v > INT64_MAX / 4 || v < INT64_MIN / 4)
		rsd_play_give_up(p, "has a buffer larger than memory");
	return v;
}

/* 'count' elements that begin 'at' bytes from the buffer argument. */
static void add_block(
	struct rsd_play *p, struct rsd_span *s, int64_t at, int64_t count, MPI_Datatype type)
{
	const struct rsd_extents *x;
	int64_t last;

	if (count <= 0 || type == MPI_DATATYPE_NULL)
		return;
	x = extents(p, type);
	if (x->size == 0) /* however many there are */
		return;
	last = place_of(p, count - 1, x->extent, at);
	widen(s, (last < at ? last : at) + x->true_lb,
		(last > at ? last : at) + x->true_lb + x->true_extent);
}

struct rsd_span rsd_play_bytes(struct rsd_play *p, int64_t len)
{
	(void)p;
	return (struct rsd_span){ 0, len > 0 ? len : 0 };
}

struct rsd_span rsd_play_span(struct rsd_play *p, int64_t count, MPI_Datatype type)
{
	struct rsd_span s = { 0, 0 };

	add_block(p, &s, 0, count, type);
	return s;
}

static MPI_Datatype type_at(struct rsd_play *p, int place, const MPI_Datatype *array, size_t i)
{
	return array ? array[i] : (MPI_Datatype)(intptr_t)rsd_play_handle(p, place, RSD_G_DATATYPE);
}

struct rsd_span rsd_play_span_of(struct rsd_play *p, int counts, int displs, int types)
{
	const struct rsd_arg *n = rsd_play_arg(p, counts);
	const struct rsd_arg *d = displs < 0 ? NULL : rsd_play_arg(p, displs);
	bool each = rsd_funcs[p->f->func].param[types].type == RSD_T_INTS;
	const MPI_Datatype *array = each ? rsd_play_datatypes(p, types) : NULL;
	struct rsd_span s = { 0, 0 };
	int64_t total = 0;

	if (rsd_is_const(n->head) || (each && !array))
		return s;
	for (size_t i = 0; i < n->nr; i++) {
		MPI_Datatype type = type_at(p, types, array, i);
		int64_t at;

		if (!d) {
			total = place_of(p, total, 1, n->v[i]);
			continue;
		}
		if (rsd_is_const(d->head) || i >= d->nr || n->v[i] <= 0)
			continue;
		at = each || type == MPI_DATATYPE_NULL
			     ? d->v[i]
			     : place_of(p, d->v[i], extents(p, type)->extent, 0);
		add_block(p, &s, at, n->v[i], type);
	}
	if (!d && n->nr)
		add_block(p, &s, 0, total, type_at(p, types, array, 0));
	return s;
}

/* ---- memory -------------------------------------------------------------------------------------- */

static int64_t round_up(int64_t v)
{
	return (v + ALIGN - 1) / ALIGN * ALIGN;
}

static void *shared(struct rsd_play *p, enum rsd_arena_use use, struct rsd_span span, int *grown)
{
	int64_t before = round_up(span.lo < 0 ? -span.lo : 0);
	char *base = rsd_buffers_shared(&p->buffers, use,
		(size_t)before + (size_t)(span.hi > 0 ? span.hi : 0) + (size_t)ALIGN, grown);

	if (!base)
		rsd_play_give_up(
			p, "no memory for a buffer of %" PRId64 " bytes", span.hi - span.lo);
	return base + before;
}

/* MPI_BOTTOM with addresses in the datatype: memory of ours, which the tracer is told to take for it. */
static void *bottom(struct rsd_play *p, struct rsd_span span, enum rsd_arena_use use)
{
	int grown;
	void *m;

	if (span.hi <= span.lo)
		return MPI_BOTTOM;
	m = shared(p, RSD_ARENA_BOTTOM_SEND + (use - RSD_ARENA_SEND), span, &grown);
	if (p->r->guide && p->r->guide->stands_for("MPI_BOTTOM", m))
		rsd_play_give_up(p, "no memory");
	return m;
}

static bool is_constant(const struct rsd_play *p, int place, const char *name)
{
	int64_t v = rsd_play_arg(p, place)->head;

	return rsd_is_const(v) && v != RSD_ABSENT &&
	       !strcmp(p->r->trace->constant[rsd_const_index(v)], name);
}

/*
 * Does nobody get what is in the buffer, or give what comes there? Whose it is are the next peers behind it: sendbuf, dest,
 * recvbuf, source; but origin, result, target.
 */
static bool is_nowhere(const struct rsd_play *p, int place)
{
	const struct rsd_func *f = &rsd_funcs[p->f->func];
	bool found = false;

	for (int i = place + 1; i < f->nr_params; i++) {
		int role = f->param[i].role;

		if (role == RSD_R_BUFFER && found)
			break;
		if (role != RSD_R_PEER && role != RSD_R_MESSAGE)
			continue;
		if (!is_constant(
			    p, i, role == RSD_R_PEER ? "MPI_PROC_NULL" : "MPI_MESSAGE_NO_PROC"))
			return false;
		found = true;
	}
	return found;
}

static void *buffer(struct rsd_play *p, int place, struct rsd_span span, enum rsd_arena_use use)
{
	int64_t v = rsd_play_arg(p, place)->head;
	int grown;

	if (is_nowhere(p, place))
		span = (struct rsd_span){ 0, 0 };
	if (rsd_is_const(v) && v != RSD_ABSENT) {
		const char *name = p->r->trace->constant[rsd_const_index(v)];

		if (!strcmp(name, "MPI_BOTTOM") || (!strcmp(name, "NULL") && span.hi > span.lo))
			return bottom(p, span, use);
		return (void *)(intptr_t)rsd_play_value(p, v);
	}
	return shared(p, use, span, &grown);
}

void *rsd_play_send_buffer(struct rsd_play *p, int place, struct rsd_span span)
{
	return buffer(p, place, span, RSD_ARENA_SEND);
}

void *rsd_play_recv_buffer(struct rsd_play *p, int place, struct rsd_span span)
{
	return buffer(p, place, span, RSD_ARENA_RECV);
}

void *rsd_play_own_buffer(struct rsd_play *p, int place, struct rsd_span span)
{
	/* Mappings last, so MPI may keep it. All windows may have the same: what is in it means nothing. */
	return buffer(p, place, span, RSD_ARENA_KEPT);
}

/* ---- facts ------------------------------------------------------------------------------------------ */

int64_t rsd_play_size(struct rsd_play *p, MPI_Comm comm)
{
	int size = 1;

	(void)p;
	if (comm != MPI_COMM_NULL)
		PMPI_Comm_size(comm, &size);
	return size;
}

int64_t rsd_play_peers(struct rsd_play *p, MPI_Comm comm)
{
	int inter = 0, size = 1;

	if (comm == MPI_COMM_NULL)
		return 1;
	PMPI_Comm_test_inter(comm, &inter);
	if (!inter)
		return rsd_play_size(p, comm);
	PMPI_Comm_remote_size(comm, &size);
	return size;
}

static void degrees(MPI_Comm comm, int *in, int *out)
{
	int topology, weighted, ndims, rank;

	*in = *out = 0;
	if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &topology))
		return;
	if (topology == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
	} else if (topology == MPI_CART) {
		PMPI_Cartdim_get(comm, &ndims);
		*in = *out = 2 * ndims;
	} else if (topology == MPI_GRAPH) {
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, in);
		*out = *in;
	}
}

int64_t rsd_play_in_degree(struct rsd_play *p, MPI_Comm comm)
{
	int in, out;

	(void)p;
	degrees(comm, &in, &out);
	return in;
}

int64_t rsd_play_out_degree(struct rsd_play *p, MPI_Comm comm)
{
	int in, out;

	(void)p;
	degrees(comm, &in, &out);
	return out;
}
