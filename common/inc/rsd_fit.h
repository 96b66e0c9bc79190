/*
 * rsd_fit.h - the cursor in the open loop: where an event fits
 *
 * Part of rsd_node, not for others. The cursor is q->level: the loops it is in, outermost
 * first. While q->trying is set the cursor moves, but loop counts are not kept.
 */
#ifndef RSD_RSD_FIT_H
#define RSD_RSD_FIT_H

#include "rsd_node.h"

#define RSD_FIT_DEPTH 16 /* loops entered by one event */

/*
 * Where a symbol fits: in level 'level', after leaving those inside it, at body
 * position path[0]; if that is a loop, at position path[1] of its body, and so on.
 */
struct rsd_fit {
	size_t level;
	bool again; /* not in the current iteration but in the next one */
	uint32_t path[RSD_FIT_DEPTH];
	int depth; /* of path, > 0 */
	int steps; /* left to look at */
};

bool rsd_fit_find(const struct rsd_queue *q, rsd_symbol sym, struct rsd_fit *f);
/* Moves the cursor there and past it. These and all below return q->err. */
int rsd_fit_apply(struct rsd_queue *q, const struct rsd_fit *f);
/*
 * Repeating an inner loop was preferred to leaving it: wrong where what follows the
 * loop begins like its body. Then what was done of its unfinished iteration is fitted
 * again, after it, with 'sym'; first on trial. *fits tells whether it did.
 */
int rsd_fit_rewind(struct rsd_queue *q, rsd_symbol sym, bool *fits);
/* Completes all iterations the cursor is in, if nothing is left of them but loops, which then ran 0 times. */
int rsd_fit_end(struct rsd_queue *q);

int rsd_queue_fail(struct rsd_queue *q);
/* The cursor enters a loop. */
int rsd_queue_push_level(struct rsd_queue *q, rsd_symbol loop, uint64_t done);
int rsd_queue_add_count(struct rsd_queue *q, rsd_symbol loop, uint64_t count);

static inline bool rsd_queue_is_loop(const struct rsd_queue *q, rsd_symbol sym)
{
	return q->symbols.sym[sym].place < 0;
}

/* To be called when the innermost level or its position changed. */
static inline void rsd_queue_set_expected(struct rsd_queue *q)
{
	struct rsd_level *l = &q->level[q->nr_levels - 1];

	q->inner = l;
	q->expect = q->symbols.body[l->body + l->pos];
}

#endif
