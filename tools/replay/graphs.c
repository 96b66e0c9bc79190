#include "graphs.h"

#include <stdlib.h>
#include <string.h>
#include "own_calls.h"
#include "player.h"
#include "util.h"

/*
 * Who does not ask within so many later graphs, or later calls, or before so many neighbours of later ones are known, is not
 * waited for.
 */
#define MOST_GRAPHS ((size_t)1 << 16)
#define MOST_CALLS ((uint64_t)1 << 18)
#define MOST_KEPT ((size_t)1 << 20)

/* A communicator that was made, with all its copies. */
struct graph {
	struct graph *next;
	uint64_t made_at;
	size_t slots; /* that it and its copies have */
	bool asked;
	bool seen; /* by the player: nobody waits for the answer */
	struct rsd_graph_order order;
};

struct rsd_graphs {
	const struct rsd_replay *r;
	struct rsd_walk *walk;
	bool at_end;
	uint64_t walked;	     /* calls */
	size_t kept;		     /* neighbours that are known, of all graphs */
	struct rsd_map by_slot;	     /* a communicator -> struct graph * */
	struct graph *first, **last; /* the next one that the player comes to, and those after it */
	size_t nr;
	struct graph *now;   /* the one that it is at, or NULL */
	struct rsd_arg *arg; /* of the event, by parameter */
	size_t alloc_arg;
};

static bool is_making(const struct rsd_func *f)
{
	return !strcmp(f->name, "MPI_Dist_graph_create");
}

static bool is_asking(const struct rsd_func *f)
{
	return !strcmp(f->name, "MPI_Dist_graph_neighbors");
}

static bool is_copying(const struct rsd_func *f)
{
	return !strncmp(f->name, "MPI_Comm_dup", 12) || !strncmp(f->name, "MPI_Comm_idup", 13);
}

static bool is_freeing(const struct rsd_func *f)
{
	return !strcmp(f->name, "MPI_Comm_free") || !strcmp(f->name, "MPI_Comm_disconnect");
}

/* ---- communicators that there are --------------------------------------------------------- */

static void free_neighbours(struct rsd_neighbours *n)
{
	free(n->rank);
	free(n->weight);
}

static void free_graph(struct rsd_graphs *g, struct graph *h)
{
	g->kept -= h->order.in.nr + h->order.out.nr;
	free_neighbours(&h->order.in);
	free_neighbours(&h->order.out);
	free(h);
}

static struct graph *find(const struct rsd_graphs *g, int64_t slot)
{
	uint64_t *at = rsd_map_find(&g->by_slot, (uint64_t)slot);

	return at ? (struct graph *)(uintptr_t)*at : NULL;
}

static void forget(struct rsd_graphs *g, int64_t slot)
{
	struct graph *h = find(g, slot);

	if (!h)
		return;
	rsd_map_delete(&g->by_slot, (uint64_t)slot);
	if (!--h->slots && h->seen)
		free_graph(g, h);
}

static int give_slot(struct rsd_graphs *g, int64_t slot, struct graph *h)
{
	if (find(g, slot) == h)
		return 0;
	forget(g, slot);
	if (rsd_map_set(&g->by_slot, (uint64_t)slot, (uint64_t)(uintptr_t)h))
		return RSD_ERR_NOMEM;
	h->slots++;
	return 0;
}

/* ---- one event ---------------------------------------------------------------------------- */

static int64_t first_value(const struct rsd_graphs *g, const struct rsd_func *f, const char *param)
{
	int i = rsd_func_find_param(f, param);

	return i < 0 ? RSD_ABSENT : g->arg[i].head;
}

/* NULL: no array, or no memory, and *nr is 0. */
static int *copy_array(
	const struct rsd_graphs *g, const struct rsd_func *f, const char *param, size_t *nr)
{
	int i = rsd_func_find_param(f, param);
	const struct rsd_arg *a = i < 0 ? NULL : &g->arg[i];
	int *out;

	*nr = a && !rsd_is_const(a->head) ? (size_t)a->head : 0;
	out = *nr ? rsd_calloc(*nr, sizeof(*out)) : NULL;
	if (!out)
		*nr = 0;
	for (size_t k = 0; k < *nr; k++)
		out[k] = (int)(rsd_is_const(a->v[k]) ? g->r->constant[rsd_const_index(a->v[k])]
						     : a->v[k]);
	return out;
}

static void keep_neighbours(const struct rsd_graphs *g, const struct rsd_func *f,
	struct rsd_neighbours *n, const char *ranks, const char *weights)
{
	size_t nr;

	n->rank = copy_array(g, f, ranks, &n->nr);
	n->weight = copy_array(g, f, weights, &nr);
	if (nr < n->nr) {
		free(n->weight);
		n->weight = NULL;
	}
}

static int see_made(struct rsd_graphs *g, const struct rsd_func *f)
{
	struct graph *h = rsd_calloc(1, sizeof(*h));
	int64_t slot = first_value(g, f, "comm_dist_graph");

	if (!h)
		return RSD_ERR_NOMEM;
	h->made_at = g->walked;
	*g->last = h;
	g->last = &h->next;
	g->nr++;
	return rsd_is_const(slot) ? 0 : give_slot(g, slot, h);
}

static int see_comm(struct rsd_graphs *g, const struct rsd_func *f)
{
	int64_t slot = first_value(g, f, "comm"), copy;
	struct graph *h = rsd_is_const(slot) ? NULL : find(g, slot);

	if (!h)
		return 0;
	if (is_freeing(f)) {
		forget(g, slot);
	} else if (is_copying(f)) {
		copy = first_value(g, f, "newcomm");
		return rsd_is_const(copy) ? 0 : give_slot(g, copy, h);
	} else if (is_asking(f) && !h->asked && !h->seen) {
		keep_neighbours(g, f, &h->order.in, "sources", "sourceweights");
		keep_neighbours(g, f, &h->order.out, "destinations", "destweights");
		g->kept += h->order.in.nr + h->order.out.nr;
		h->asked = true;
	}
	return 0;
}

static int see_event(struct rsd_graphs *g, const struct rsd_event *e)
{
	const struct rsd_func *f = &g->r->trace->func[e->func];
	bool making = is_making(f);

	if (e->nested || (!making && !is_asking(f) && !is_copying(f) && !is_freeing(f)))
		return 0;
	if (RSD_GROW(g->arg, (size_t)f->nr_params, g->alloc_arg))
		return RSD_ERR_NOMEM;
	rsd_own_calls_split(f, e->val, g->arg);
	return making ? see_made(g, f) : see_comm(g, f);
}

/* ---- the walk ------------------------------------------------------------------------------ */

bool rsd_graphs_are_asked(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		if (!t->place[i].nested && is_asking(&t->func[t->place[i].func]))
			return true;
	}
	return false;
}

struct rsd_graphs *rsd_graphs_new(const struct rsd_replay *r, int thread, int *err)
{
	struct rsd_graphs *g;

	*err = 0;
	if (!rsd_own_calls_have(r, thread, is_making) || !rsd_own_calls_have(r, thread, is_asking))
		return NULL;
	g = rsd_calloc(1, sizeof(*g));
	if (!g) {
		*err = RSD_ERR_NOMEM;
		return NULL;
	}
	g->r = r;
	g->last = &g->first;
	*err = rsd_walk_new(&g->walk, r->trace, r->rank, thread);
	if (*err) {
		rsd_graphs_free(g);
		return NULL;
	}
	return g;
}

/* The player has passed it. */
static void drop(struct rsd_graphs *g, struct graph *h)
{
	if (!h)
		return;
	h->seen = true;
	if (!h->slots)
		free_graph(g, h);
}

void rsd_graphs_free(struct rsd_graphs *g)
{
	struct graph *h;

	if (!g)
		return;
	rsd_walk_free(g->walk);
	drop(g, g->now);
	while ((h = g->first)) {
		g->first = h->next;
		drop(g, h);
	}
	for (size_t i = 0; i < g->by_slot.alloc; i++) {
		if (g->by_slot.slot[i].used) {
			h = (struct graph *)(uintptr_t)g->by_slot.slot[i].value;
			if (!--h->slots)
				free_graph(g, h);
		}
	}
	rsd_map_release(&g->by_slot);
	free(g->arg);
	free(g);
}

/* Is it still to be found out whether the next graph was asked? */
static bool has_to_look(const struct rsd_graphs *g)
{
	if (g->at_end)
		return false;
	if (!g->first) /* the player is there */
		return true;
	return !g->first->asked && g->first->slots && g->nr <= MOST_GRAPHS && g->kept < MOST_KEPT &&
	       g->walked - g->first->made_at < MOST_CALLS;
}

void rsd_graphs_see(struct rsd_graphs *g, const struct rsd_event *e)
{
	struct rsd_event ahead;

	if (!g || e->nested || !is_making(&g->r->trace->func[e->func]))
		return;
	drop(g, g->now);
	while (has_to_look(g)) {
		if (rsd_walk_next(g->walk, &ahead) || see_event(g, &ahead))
			g->at_end = true;
		g->walked++;
	}
	g->now = g->first;
	if (!g->now)
		return;
	g->first = g->now->next;
	g->nr--;
	if (!g->first)
		g->last = &g->first;
}

const struct rsd_graph_order *rsd_graphs_order(const struct rsd_graphs *g)
{
	return g && g->now && g->now->asked ? &g->now->order : NULL;
}
