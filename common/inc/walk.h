/*
 * walk.h - visits one rank's calls in order, straight from the compressed form
 *
 * Memory is proportional to the trace's places and nesting, never to its events.
 *
 *	struct rsd_walk *w;
 *	err = rsd_walk_new(&w, trace, rank, thread);
 *	while (!(err = rsd_walk_next(w, &event)))
 *		...
 *	if (err != RSD_ERR_END) damaged, rsd_walk_error(w) says what
 *	rsd_walk_free(w);
 */
#ifndef RSD_WALK_H
#define RSD_WALK_H

#include "trace.h"

struct rsd_walk;

/* 0 with *out set (freed by rsd_walk_free); else *out is NULL: RSD_ERR_NOMEM, or RSD_ERR_END where the rank has no such thread. */
int rsd_walk_new(struct rsd_walk **out, const struct rsd_trace *t, int rank, int thread);
/*
 * The walk of the log's thread, for those that go through a trace by its logs: RSD_ERR_END where it begins with
 * another one, or with a tree, as a walk goes on with all that its thread has.
 */
int rsd_walk_new_log(struct rsd_walk **out, const struct rsd_trace *t, const struct rsd_log *log);
void rsd_walk_free(struct rsd_walk *w);
/* The next call; relative peers are made absolute. RSD_ERR_END after the last one; RSD_ERR_FORMAT where the trace contradicts itself. */
int rsd_walk_next(struct rsd_walk *w, struct rsd_event *e);
/* A text for the last RSD_ERR_FORMAT: "place 7: column 3 has too few values". */
const char *rsd_walk_error(const struct rsd_walk *w);
/* The node of the call just visited (for tools that show loops); its loops are node->parent, ... */
const struct rsd_node *rsd_walk_node(const struct rsd_walk *w);

/* Threads that 'rank' has, ascending; the caller frees *thread, which is NULL in error. */
int rsd_trace_threads(const struct rsd_trace *t, int rank, int **thread, size_t *nr);

/* The last part (RSD_PART) that any thread of the trace has; 0: there are none. */
int rsd_trace_last_part(const struct rsd_trace *t);

/* How often each node runs over all ranks, and how often each place is called, without walking events: O(size of the trace)
 * as far as counts are regular. calls[] has t->nr_places entries. */
int rsd_trace_count_calls(const struct rsd_trace *t, uint64_t *calls);

#endif
