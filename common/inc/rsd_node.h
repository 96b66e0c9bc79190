/*
 * rsd_node.h - the operation queue of one thread, folded as it grows (compress_rsd)
 *
 * Top level: a sequence of symbols (prsd_node.h). rsd_queue_append adds an event
 * place and folds:
 *
 *  - While the last thing at the top level is an open loop, a cursor stands in
 *    its body (and in the loops inside). An event that is the next one expected
 *    moves the cursor: nothing is stored. Where the next thing in a body is a
 *    loop, the event may enter it, pass it over (0 iterations), repeat it or
 *    leave it, in this order of preference: repeat, go on.
 *  - An event that fits nowhere closes the loop: its count is appended to its
 *    column and the part of the body that was done becomes top-level symbols.
 *  - Each symbol that reaches the top level is matched: positions of the same
 *    symbol, newest first (a bounded number, within the window), propose a period p;
 *    rolling hashes compare the last p symbols with the p before them in O(1); equality
 *    is then confirmed by comparison. A match becomes a loop, open, of 2 iterations.
 *
 * So an append costs O(1) amortised, whatever the window and the length of the queue.
 * The values of events and the counts of loops live in columns in execution
 * order; folding moves no values.
 */
#ifndef RSD_RSD_NODE_H
#define RSD_RSD_NODE_H

#include "prsd_node.h"

struct rsd_top {		/* one symbol of the top level */
	rsd_symbol sym;
	uint32_t older;		/* the position of the same symbol before this one, or UINT32_MAX */
	uint64_t prefix;	/* rolling hash of the top level up to and including this one */
};

struct rsd_level {		/* one loop the cursor is in; outermost first */
	rsd_symbol loop;
	uint32_t pos;		/* next element of the body */
	uint64_t done;		/* complete iterations */
};

struct rsd_queue {
	struct rsd_symbols symbols;
	struct rsd_top *top;
	size_t nr, alloc;
	struct rsd_level *level;	/* empty: no loop is open; else level[0].loop == top[nr-1].sym */
	size_t nr_levels, alloc_levels;
	int64_t window;		/* symbols a period may span; -1: no limit */
	uint64_t nr_events;
	int err;		/* sticky RSD_ERR_NOMEM: nothing is appended any more */
};

void rsd_queue_init(struct rsd_queue *q, int64_t window);
void rsd_queue_release(struct rsd_queue *q);
/* Appends an event at place symbol 'sym' and folds. 0 or RSD_ERR_NOMEM. */
int rsd_queue_append(struct rsd_queue *q, rsd_symbol sym);
/* Closes what is open, so that the queue can be read. Further appends are allowed (they start anew at the top level). */
int rsd_queue_close(struct rsd_queue *q);

#endif
