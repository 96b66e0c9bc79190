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
 *    If that was wrong, the last unfinished iteration of the inner loop is taken back.
 *  - An event that fits nowhere but equals the one before it, an event of the open
 *    loop's own body, makes that event a loop inside the body: it ran once in every
 *    earlier iteration. So "for i: A; B i times" is one loop from the start.
 *  - Any other event closes the loop: its count is appended to its column and
 *    the part of the body that was done becomes top-level symbols.
 *  - Symbols that reach the top level are matched: if the last p of them equal the p
 *    before, they become a loop, open, of 2 iterations. Periods below RSD_QUEUE_GRAM are
 *    tried one by one; longer ones are proposed by a hash table from the last RSD_QUEUE_GRAM
 *    symbols to earlier places where they stood, newest first, a bounded number; a rolling hash
 *    then compares p with p in O(1), and equality is confirmed by comparison.
 *
 * So an append costs O(1) amortised, whatever the window and the length of the queue.
 * The values of events and the counts of loops live in columns in execution
 * order; folding moves no values. Each execution of a loop has one entry in the
 * column of its symbol, none while it is still open.
 */
#ifndef RSD_RSD_NODE_H
#define RSD_RSD_NODE_H

#include "prsd_node.h"

#define RSD_QUEUE_GRAM 16

struct rsd_top { /* one symbol of the top level */
	rsd_symbol sym;
	uint32_t
		older; /* the gram that ends here: next older position in its bucket, or UINT32_MAX */
	uint64_t prefix; /* rolling hash of the top level up to and including this one */
};

struct rsd_level { /* one loop the cursor is in; outermost first */
	rsd_symbol loop;
	uint32_t body, nr_body; /* as in the symbol's info */
	uint32_t pos;  /* next element of the body; the loop inside that the next level is in */
	uint64_t done; /* complete iterations */
};

struct rsd_queue {
	struct rsd_symbols symbols;
	struct rsd_top *top;
	size_t nr, alloc;
	uint32_t *bucket;	 /* grams by hash: newest position, or UINT32_MAX */
	size_t nr_buckets;	 /* 0 or a power of two */
	struct rsd_level *level; /* empty: no loop is open; else level[0].loop == top[nr-1].sym */
	size_t nr_levels, alloc_levels;
	struct rsd_level *inner; /* the last one, where a symbol is expected */
	struct rsd_level *kept;	 /* scratch: the cursor while something is tried */
	size_t alloc_kept;
	bool trying;	     /* loop counts are not kept */
	int nr_counts;	     /* how many there were, since it was set to 0 */
	rsd_symbol expect;   /* the symbol at the cursor, RSD_NO_SYMBOL without one */
	rsd_symbol *pending; /* scratch: symbols to be appended (again), the next one last */
	size_t nr_pending, alloc_pending;
	int64_t window; /* symbols a period may span; -1: no limit */
	uint64_t nr_events;
	int err; /* sticky RSD_ERR_NOMEM: nothing is appended any more */
};

void rsd_queue_init(struct rsd_queue *q, int64_t window);
void rsd_queue_release(struct rsd_queue *q);
/* The cursor goes on by one symbol. */
static inline void rsd_level_step(struct rsd_level *l)
{
	if (++l->pos == l->nr_body) {
		l->pos = 0;
		l->done++;
	}
}
/* rsd_queue_append, for an event that is not the one at the cursor. */
int rsd_queue_append_other(struct rsd_queue *q, rsd_symbol sym);
/* Appends an event at place symbol 'sym' and folds. 0 or RSD_ERR_NOMEM. */
static inline int rsd_queue_append(struct rsd_queue *q, rsd_symbol sym)
{
	struct rsd_level *l = q->inner;

	if (__builtin_expect(sym != q->expect, 0))
		return rsd_queue_append_other(q, sym);
	rsd_level_step(l);
	q->expect = q->symbols.body[l->body + l->pos];
	q->nr_events++;
	return 0;
}
/* Closes what is open, so that the queue can be read. Further appends are allowed (they start anew at the top level). */
int rsd_queue_close(struct rsd_queue *q);

#endif
