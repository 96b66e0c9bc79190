/* groups.c - see groups.h */
#include "groups.h"

#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "util.h"
#include "weight.h"

#define MOST_ENTRIES ((size_t)1 << 26) /* of all tables together */
#define MOST_DEPTH 16
#define MOST_WINDOWS 1024 /* of a rank at one place: looked at */

enum state { UNKNOWN, WORLD, TABLE };

struct member {
	int rank;      /* of the world */
	int own, size; /* rank in the communicator and its size */
	int64_t color; /* what tells communicators of the same number apart */
};

struct comm {
	int64_t id;
	enum state state;
	struct member *member; /* by color and own rank */
	size_t nr;
	size_t *of_rank; /* where each rank stands in 'member'; SIZE_MAX: nowhere */
};

struct places {
	const struct rsd_place **place;
	size_t nr, alloc;
};

struct report_groups {
	const struct rsd_trace *t;
	struct comm *comm;
	size_t nr, alloc, entries;
	int depth;
	struct places maker;	    /* of communicators */
	struct places window_maker; /* and of windows */
};

/* What a call that makes a communicator calls it. */
static const char *const result[] = { "newcomm", "comm_cart" };

static int add_place(struct places *l, const struct rsd_place *p)
{
	if (RSD_GROW(l->place, l->nr + 1, l->alloc))
		return RSD_ERR_NOMEM;
	l->place[l->nr++] = p;
	return 0;
}

struct report_groups *report_groups_new(const struct rsd_trace *t)
{
	struct report_groups *g = rsd_calloc(1, sizeof(*g));
	int err = 0;

	if (!g)
		return NULL;
	g->t = t;
	for (size_t i = 0; i < t->nr_places && !err; i++) {
		const struct rsd_place *p = &t->place[i];
		const struct rsd_func *fn = &t->func[p->func];

		if (!p->col)
			continue;
		if (rsd_func_find_param(fn, result[0]) >= 0 ||
			rsd_func_find_param(fn, result[1]) >= 0)
			err = add_place(&g->maker, p);
		else if (rsd_func_find_param(fn, "win") >= 0 &&
			 rsd_func_find_param(fn, "comm") >= 0)
			err = add_place(&g->window_maker, p);
	}
	if (!err)
		return g;
	report_groups_free(g);
	return NULL;
}

void report_groups_free(struct report_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr; i++) {
		free(g->comm[i].member);
		free(g->comm[i].of_rank);
	}
	free(g->comm);
	free(g->maker.place);
	free(g->window_maker.place);
	free(g);
}

static const struct comm *find_comm(struct report_groups *g, int64_t id);

/* ---- what a rank gave where it made the communicator ------------------------------------------ */

/* The one value that a parameter has in all of a rank's calls. */
static bool value_of(const struct rsd_trace *t, const struct rsd_place *p, const char *name,
	int rank, int64_t *v)
{
	const struct rsd_func *fn = &t->func[p->func];
	int param = rsd_func_find_param(fn, name);
	const struct rsd_params *col;
	enum rsd_encoding enc;
	struct rsd_column *c;
	bool ok;

	if (param < 0 || fn->param[param].type != RSD_T_INT)
		return false;
	col = p->col + rsd_func_first_column(fn, param);
	if (rsd_params_get(col, rank, &enc, &c))
		return false;
	ok = enc == RSD_E_ABS && rsd_column_is_constant(c, v);
	rsd_column_free(c);
	return ok;
}

/* The elements of an array, where it has 'most' at most and a rank makes one call: their number, or -1. */
static int array_of(const struct rsd_trace *t, const struct rsd_place *p, const char *name,
	int rank, int64_t *v, int most)
{
	const struct rsd_func *fn = &t->func[p->func];
	int param = rsd_func_find_param(fn, name), nr = -1;
	const struct rsd_params *col;
	enum rsd_encoding enc;
	struct rsd_column *n = NULL, *c = NULL;
	struct rsd_cursor *k = NULL;

	if (param < 0 || fn->param[param].type != RSD_T_INTS)
		return -1;
	col = p->col + rsd_func_first_column(fn, param);
	if (!rsd_params_get(col, rank, &enc, &n) && rsd_column_length(n) == 1 &&
		!rsd_params_get(&col[1], rank, &enc, &c) &&
		rsd_column_length(c) <= (uint64_t)most && (k = rsd_cursor_new(c)) != NULL)
		for (nr = 0; nr < most && !rsd_cursor_next(k, &v[nr]); nr++)
			;
	rsd_cursor_free(k);
	rsd_column_free(c);
	rsd_column_free(n);
	return nr;
}

/* The only place where 'rank' made the communicator; NULL: none, or several. */
static const struct rsd_place *maker(const struct report_groups *g, int64_t id, int rank)
{
	const struct rsd_place *found = NULL;
	int64_t v;

	for (size_t i = 0; i < g->maker.nr; i++) {
		const struct rsd_place *p = g->maker.place[i];

		for (size_t k = 0; k < RSD_ARRAY_SIZE(result); k++) {
			if (!value_of(g->t, p, result[k], rank, &v) || v != id)
				continue;
			if (found)
				return NULL;
			found = p;
		}
	}
	return found;
}

/* MPI_Cart_sub: which of the grid's slices it is. */
static bool slice_of(struct report_groups *g, const struct rsd_place *p, int64_t parent, int rank,
	int own, int64_t *color)
{
	int64_t dim[16], remains[16];
	const struct rsd_place *grid = maker(g, parent, rank);
	int nr = grid ? array_of(g->t, grid, "dims", rank, dim, 16) : -1;

	*color = 0;
	if (nr < 0 || array_of(g->t, p, "remain_dims", rank, remains, 16) != nr)
		return false;
	for (int i = nr - 1, scale = 1; i >= 0; i--) {
		if (dim[i] <= 0)
			return false;
		if (!remains[i]) {
			*color += own % dim[i] * scale;
			scale *= (int)dim[i];
		}
		own /= (int)dim[i];
	}
	return true;
}

static bool color_of(struct report_groups *g, int64_t id, int rank, int64_t *color)
{
	const struct rsd_place *p = maker(g, id, rank);
	const char *name = p ? g->t->func[p->func].name : "";
	const struct comm *parent;
	int64_t comm, above = 0;
	int own = rank;

	if (!p || !value_of(g->t, p, "comm", rank, &comm) || comm == id)
		return false;
	parent = find_comm(g, comm);
	if (!parent || parent->state == UNKNOWN)
		return false;
	if (parent->state == TABLE) {
		size_t at = parent->of_rank[rank];

		if (at == SIZE_MAX)
			return false;
		above = parent->member[at].color;
		own = parent->member[at].own;
	}
	if (!strcmp(name, "MPI_Comm_split")) {
		if (!value_of(g->t, p, "color", rank, color))
			return false;
	} else if (strcmp(name, "MPI_Cart_sub") || !slice_of(g, p, comm, rank, own, color)) {
		return false;
	}
	*color += above << 32;
	return true;
}

/* ---- who is in it -------------------------------------------------------------------------------- */

static int by_color(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	return x->own != y->own ? (x->own > y->own) - (x->own < y->own)
				: (x->rank > y->rank) - (x->rank < y->rank);
}

static bool add_members(struct report_groups *g, struct comm *c, const struct rsd_object *o)
{
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	size_t nr;

	if (rsd_params_ranks(&o->attr[1], &ranks))
		return false;
	nr = rsd_ranks_count(&ranks);
	g->entries += nr + (size_t)g->t->nprocs;
	if (g->entries <= MOST_ENTRIES)
		c->member = rsd_calloc(nr + 1, sizeof(*c->member));
	for (int r = rsd_ranks_first(&ranks); r >= 0 && c->member; r = rsd_ranks_next(&ranks, r)) {
		int64_t own = rsd_object_attribute(g->t, RSD_O_COMM, c->id, 1, r);
		int64_t size = rsd_object_attribute(g->t, RSD_O_COMM, c->id, 0, r);
		int64_t inter = rsd_object_attribute(g->t, RSD_O_COMM, c->id, 3, r);

		if (own < 0 || size <= own || size > g->t->nprocs || inter > 0) {
			c->nr = 0;
			break;
		}
		c->member[c->nr++] = (struct member){ r, (int)own, (int)size, 0 };
	}
	rsd_ranks_release(&ranks);
	return c->nr > 0;
}

/* Every communicator has its ranks 0 .. size - 1, once each. */
static bool is_whole(const struct comm *c)
{
	for (size_t i = 0; i < c->nr;) {
		size_t size = (size_t)c->member[i].size;

		if (i + size > c->nr)
			return false;
		for (size_t k = 0; k < size; k++, i++) {
			if (c->member[i].own != (int)k || c->member[i].size != (int)size ||
				c->member[i].color != c->member[i - k].color)
				return false;
		}
	}
	return true;
}

static void resolve(struct report_groups *g, struct comm *c, const struct rsd_object *o)
{
	bool same = true;

	if (!add_members(g, c, o))
		return;
	for (size_t i = 0; i < c->nr; i++)
		same &= c->member[i].own == c->member[i].rank;
	if (same && c->nr == (size_t)g->t->nprocs) {
		c->state = WORLD;
		return;
	}
	if ((size_t)c->member[0].size != c->nr) {
		for (size_t i = 0; i < c->nr; i++)
			if (!color_of(g, c->id, c->member[i].rank, &c->member[i].color))
				return;
	}
	qsort(c->member, c->nr, sizeof(*c->member), by_color);
	c->of_rank = rsd_malloc((size_t)g->t->nprocs * sizeof(*c->of_rank));
	if (!c->of_rank || !is_whole(c))
		return;
	for (int r = 0; r < g->t->nprocs; r++)
		c->of_rank[r] = SIZE_MAX;
	for (size_t i = 0; i < c->nr; i++)
		c->of_rank[c->member[i].rank] = i;
	c->state = TABLE;
}

/* NULL: no memory, or parents without end. The pointer holds until the next one is looked for. */
static const struct comm *find_comm(struct report_groups *g, int64_t id)
{
	const struct rsd_object *o = rsd_trace_find_object(g->t, RSD_O_COMM, id);
	struct comm c = { .id = id, .state = UNKNOWN };

	for (size_t i = 0; i < g->nr; i++)
		if (g->comm[i].id == id)
			return &g->comm[i];
	if (g->depth >= MOST_DEPTH)
		return NULL;
	g->depth++;
	if (rsd_is_const(id) && !strcmp(rsd_format_constant(g->t, id), "MPI_COMM_WORLD"))
		c.state = WORLD;
	else if (o)
		resolve(g, &c, o);
	g->depth--;
	if (RSD_GROW(g->comm, g->nr + 1, g->alloc)) {
		free(c.member);
		free(c.of_rank);
		return NULL;
	}
	g->comm[g->nr] = c;
	return &g->comm[g->nr++];
}

bool report_groups_is_world(struct report_groups *g, int64_t comm)
{
	const struct comm *c = find_comm(g, comm);

	return c && c->state == WORLD;
}

int report_groups_world(
	struct report_groups *g, int64_t comm, int rank, int64_t peer, bool relative)
{
	const struct comm *c = find_comm(g, comm);
	const struct member *m;
	size_t at;

	if (!c || c->state == UNKNOWN || peer < 0)
		return -1;
	if (c->state == WORLD) {
		if (relative)
			peer = (peer + rank) % g->t->nprocs;
		return peer < g->t->nprocs ? (int)peer : -1;
	}
	at = c->of_rank[rank];
	if (at == SIZE_MAX)
		return -1;
	m = &c->member[at];
	if (relative)
		peer = (peer + m->own) % m->size;
	return peer < m->size ? m[peer - m->own].rank : -1;
}

/* The parameter's values of a rank's calls; NULL: none, or not as they are. */
static struct rsd_column *values_of(
	const struct rsd_trace *t, const struct rsd_place *p, const char *name, int rank)
{
	const struct rsd_func *fn = &t->func[p->func];
	int param = rsd_func_find_param(fn, name);
	enum rsd_encoding enc;
	struct rsd_column *c;

	if (rsd_params_get(p->col + rsd_func_first_column(fn, param), rank, &enc, &c))
		return NULL;
	if (enc == RSD_E_ABS)
		return c;
	rsd_column_free(c);
	return NULL;
}

/* Windows that one place makes, side by side with what of. False: of several. */
static bool find_window(
	const struct rsd_column *win, const struct rsd_column *of, int64_t id, int64_t *comm)
{
	struct rsd_cursor *a = rsd_cursor_new(win), *b = rsd_cursor_new(of);
	bool one = a && b;
	int64_t v, c;

	for (int i = 0; one && i < MOST_WINDOWS; i++) {
		if (rsd_cursor_next(a, &v) || rsd_cursor_next(b, &c))
			break;
		if (v != id)
			continue;
		one = *comm == RSD_ABSENT || *comm == c;
		*comm = c;
	}
	rsd_cursor_free(a);
	rsd_cursor_free(b);
	return one;
}

int64_t report_groups_of_window(struct report_groups *g, int64_t win, int rank)
{
	int64_t comm = RSD_ABSENT;
	bool one = true;

	for (size_t i = 0; i < g->window_maker.nr && one; i++) {
		const struct rsd_place *p = g->window_maker.place[i];
		struct rsd_column *w = values_of(g->t, p, "win", rank),
				  *c = values_of(g->t, p, "comm", rank);

		if (w && c)
			one = find_window(w, c, win, &comm);
		rsd_column_free(w);
		rsd_column_free(c);
	}
	return one ? comm : RSD_ABSENT;
}
