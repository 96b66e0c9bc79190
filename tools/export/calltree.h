/*
 * calltree.h - the loops of a trace, how often they run, and the tree of call paths that calls are made on
 *
 * Loops and calls are numbered as they stand in the trace, thread by thread: numbers are the same whenever the trace is read.
 *
 * A call path is the stack, outermost frame first, with the loops put in: a loop stands below the frames that all the
 * calls in it have in common, but above the last one, as it is around the call.
 *
 *	0 ROOT
 *	1  main at app+0x1a30             the call in main to step
 *	2   loop 0                        in step
 *	3    step at app+0x2b10           the call of MPI_Send in step
 *	4     MPI_Send
 */
#ifndef RSD_CALLTREE_H
#define RSD_CALLTREE_H

#include "hash.h"
#include "trace.h"

struct rsd_item { /* a node of the trace's trees */
	const struct rsd_node *node;
	int thread;
	int parent; /* the loop it is in, or -1 */
	int loop;   /* a loop's number; -1: a call */
	int state;  /* the path it is at: of a loop its own node, of a call its leaf */
	uint64_t
		entries; /* all ranks: how often it is reached; of a call, how often it is called */
	uint64_t total, most; /* of a loop: iterations, the most of one entry */
	int ranks;	      /* so many reach it */
	size_t depth;	      /* of a loop: frames around it */
	int sig;	      /* of a loop: a call in it, for the frames around it; -1 */
};

enum rsd_state_kind { RSD_STATE_ROOT, RSD_STATE_FRAME, RSD_STATE_LOOP, RSD_STATE_CALL };

struct rsd_state {
	enum rsd_state_kind kind;
	int parent;
	struct rsd_frame frame; /* FRAME */
	int sig;		/* FRAME: a signature whose innermost frame it is, or -1 */
	int item;		/* LOOP, CALL: the first item that is there */
	int place;		/* CALL */
	uint64_t calls;		/* below it, and its own */
};

struct rsd_calltree {
	const struct rsd_trace *t;
	struct rsd_item *item;
	size_t nr_items, alloc_items;
	int nr_loops;
	struct rsd_state *state;
	size_t nr_states, alloc_states;
	struct rsd_map by_child; /* hash of parent, kind, key -> state */
	struct rsd_map by_node;	 /* address of a node -> item */
};

/* 0, RSD_ERR_NOMEM, or RSD_ERR_FORMAT where counts of loops contradict each other. */
int rsd_calltree_init(struct rsd_calltree *c, const struct rsd_trace *t);
void rsd_calltree_release(struct rsd_calltree *c);
/* The item of a node, or NULL. */
const struct rsd_item *rsd_calltree_item(const struct rsd_calltree *c, const struct rsd_node *n);

#endif
