/*
 * neighbours.c - a distributed graph's neighbours are in the order of the traced run
 *
 * MPI makes the communicator that the program asked for. Where a rank is to have its neighbours in another order,
 * one with the same edges takes its place, of which each rank says the order itself.
 */
#include <stdlib.h>
#include <string.h>
#include "graphs.h"
#include "optab.h"
#include "player.h"
#include "steer.h"
#include "util.h"

struct edges {		    /* as they are now */
	int *rank, *weight; /* weight: MPI_UNWEIGHTED where the graph has none */
	int nr;
};

struct edges_of_rank {
	struct edges in, out;
	int weighted;
};

static bool make_room(struct edges *e, int weighted)
{
	size_t nr = (size_t)e->nr + 1;

	e->rank = rsd_calloc(nr, sizeof(*e->rank));
	e->weight = weighted ? rsd_calloc(nr, sizeof(*e->weight)) : MPI_UNWEIGHTED;
	return e->rank && e->weight;
}

static bool read_graph(MPI_Comm comm, struct edges_of_rank *g)
{
	if (PMPI_Dist_graph_neighbors_count(comm, &g->in.nr, &g->out.nr, &g->weighted))
		return false;
	return make_room(&g->in, g->weighted) && make_room(&g->out, g->weighted) &&
	       !PMPI_Dist_graph_neighbors(comm, g->in.nr, g->in.rank, g->in.weight, g->out.nr,
		       g->out.rank, g->out.weight);
}

static void release_graph(struct edges_of_rank *g)
{
	free(g->in.rank);
	free(g->out.rank);
	if (g->weighted) {
		free(g->in.weight);
		free(g->out.weight);
	}
}

static void to_front(int *v, size_t first, size_t at)
{
	int moved = v[at];

	memmove(v + first + 1, v + first, (at - first) * sizeof(*v));
	v[first] = moved;
}

/* True where that changes anything. What the trace does not tell, or MPI does not have, is left behind. */
static bool put_in_order(struct edges *e, const struct rsd_neighbours *was, bool weighted)
{
	size_t nr = (size_t)e->nr;
	bool changed = false;

	for (size_t i = 0; i < was->nr && i < nr; i++) {
		size_t at = i;

		while (at < nr &&
			(e->rank[at] != was->rank[i] ||
				(weighted && was->weight && e->weight[at] != was->weight[i])))
			at++;
		if (at == nr)
			break;
		changed |= at != i;
		to_front(e->rank, i, at);
		if (weighted)
			to_front(e->weight, i, at);
	}
	return changed;
}

/* Ranks may know different things, but all take part, as making a communicator takes all. */
static int arrange(const struct rsd_play *p, MPI_Info info, MPI_Comm *comm)
{
	const struct rsd_graph_order *order = p->e.nested ? NULL : rsd_graphs_order(p->graphs);
	struct edges_of_rank g = { .weighted = 0 };
	enum { AS_IT_WAS, OTHERWISE, TROUBLE };
	int state = AS_IT_WAS, worst, err;
	MPI_Comm other;

	if (!read_graph(*comm, &g)) {
		rsd_replay_say(p->r,
			"the neighbours of a graph cannot be read: their order is MPI's own now");
		state = TROUBLE;
	}
	if (order && state != TROUBLE && put_in_order(&g.in, &order->in, g.weighted))
		state = OTHERWISE;
	if (order && state != TROUBLE && put_in_order(&g.out, &order->out, g.weighted))
		state = OTHERWISE;
	err = PMPI_Allreduce(&state, &worst, 1, MPI_INT, MPI_MAX, *comm);
	if (!err && worst == OTHERWISE) {
		err = PMPI_Dist_graph_create_adjacent(*comm, g.in.nr, g.in.rank, g.in.weight,
			g.out.nr, g.out.rank, g.out.weight, info, 0, &other);
		if (!err) {
			PMPI_Comm_free(comm);
			*comm = other;
		}
	}
	release_graph(&g);
	return err;
}

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
	const int destinations[], const int weights[], MPI_Info info, int reorder,
	MPI_Comm *comm_dist_graph)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Dist_graph_create);
	int err = REAL(Dist_graph_create)(comm_old, n, sources, degrees, destinations, weights,
		info, reorder, comm_dist_graph);

	if (err || !p || !p->r->asks_graphs)
		return err;
	return arrange(p, info, comm_dist_graph);
}
