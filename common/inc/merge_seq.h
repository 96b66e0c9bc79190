/*
 * merge_seq.h - parts of merging that deal with sequences of nodes
 *
 * For merge_align.c. A sequence is a list of siblings; nodes carry their
 * structure hash in 'shape' while traces are merged.
 */
#ifndef RSD_MERGE_SEQ_H
#define RSD_MERGE_SEQ_H

#include "trace.h"

struct rsd_seq { /* of a tree, or the body of a loop */
	struct rsd_node **first, **last;
	struct rsd_node *parent;
};

static inline void rsd_seq_unlink(struct rsd_seq *s, struct rsd_node *n)
{
	*(n->prev ? &n->prev->next : s->first) = n->next;
	*(n->next ? &n->next->prev : s->last) = n->prev;
	n->next = n->prev = NULL;
}

/* Links 'n' in before 'at' (NULL: at the end). */
static inline void rsd_seq_insert(struct rsd_seq *s, struct rsd_node *n, struct rsd_node *at)
{
	n->parent = s->parent;
	n->next = at;
	n->prev = at ? at->prev : *s->last;
	*(n->prev ? &n->prev->next : s->first) = n;
	*(at ? &at->prev : s->last) = n;
}

/* Sets 'shape' of the node and of all in it; returns it. */
uint64_t rsd_node_set_shape(struct rsd_node *n);
/* Hashes of loops may collide: a reason to unite loops; uniting unequal ones is never wrong. */
static inline bool rsd_node_same_shape(const struct rsd_node *x, const struct rsd_node *y)
{
	return x->shape == y->shape && x->place == y->place;
}

struct rsd_keys {      /* what is in a loop, and how deep */
	uint64_t *key; /* sorted, unique: place << 8 | depth; NULL: not filled in yet */
	size_t nr;
};
void rsd_keys_release(struct rsd_keys *k);
/* Fills 'k' in from the loop's body, unless it is. 0 or RSD_ERR_NOMEM. Charges the work. */
int rsd_keys_fill(struct rsd_keys *k, const struct rsd_node *loop, int64_t *work);
/*
 * Loops are alike where half of the smaller one is in the other, some of it at
 * the same depth, and the larger one is not out of all proportion: a rank in a corner of
 * a 3D grid makes a quarter of the calls of one inside.
 */
bool rsd_keys_alike(const struct rsd_keys *a, const struct rsd_keys *b, int64_t *work);

/*
 * A loop that a rank ran once was not folded there. Where the body of a loop among the
 * nodes from 'from' to 'to' of one side stands in 'plain', the other side, between '*at'
 * and 'stop', these nodes become a loop of one iteration per entry. 'up' is the loop
 * whose body both are (NULL: none), with the counts of all ranks; 'ranks' is what
 * participants of NULL in 'plain' stand for. '*at' is then the first node of the
 * stretch as it is now; '*done' tells if there was any such loop. 0 or RSD_ERR_NOMEM.
 */
int rsd_seq_wrap(struct rsd_seq *plain, struct rsd_node **at, const struct rsd_node *stop,
	const struct rsd_node *from, const struct rsd_node *to, const struct rsd_node *up,
	const struct rsd_ranks *ranks, int64_t *work, bool *done);

#endif
