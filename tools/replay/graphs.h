/*
 * graphs.h - looks ahead in a thread's calls for the order of neighbours that MPI chose
 *
 * After MPI_Dist_graph_create a rank's neighbours are in an order of MPI's own; MPICH has them as the edges
 * came in. A program that cares for it asks (MPI_Dist_graph_neighbors), of that communicator or a copy of it, and what it
 * then passes to neighbourhood collectives is in that order. So there is a second walk of
 * the same calls, which is as far ahead of the player as the answer for the communicator that is being made, within bounds of calls and
 * of memory: an answer that comes later is not known.
 */
#ifndef RSD_GRAPHS_H
#define RSD_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>

struct rsd_event;
struct rsd_graphs;
struct rsd_play;
struct rsd_replay;
struct rsd_trace;

struct rsd_neighbours {	    /* as the program was told; it may have asked for some only */
	int *rank, *weight; /* weight: NULL where it did not ask, or there are none */
	size_t nr;
};

struct rsd_graph_order {
	struct rsd_neighbours in, out;
};

/* Does any rank ask? All ranks have the same answer. */
bool rsd_graphs_are_asked(const struct rsd_trace *t);
/* NULL with *err 0 where the thread makes no such communicator, or never asks; or with RSD_ERR_NOMEM. */
struct rsd_graphs *rsd_graphs_new(const struct rsd_replay *r, int thread, int *err);
void rsd_graphs_free(struct rsd_graphs *g);
/* The player is at its next call, which it may leave out: each that makes such a communicator is to be seen here. */
void rsd_graphs_see(struct rsd_graphs *g, const struct rsd_event *e);
/* Of that communicator, until the next one is seen; NULL: the program did not ask. */
const struct rsd_graph_order *rsd_graphs_order(const struct rsd_graphs *g);

#endif
