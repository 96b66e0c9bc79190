/*
 * merge_align.h - unites two trees: the alignment behind merge.h
 *
 * Two sequences of nodes, of disjoint ranks, become one. Nodes pair up where
 * they are events of one place, or loops of equal structure, or loops that are
 * alike: enough of what is in the one is in the other at the same depth.
 * Loops that pair up are united body by body; a loop may also pair up with nodes that are its
 * body, on ranks that ran it once. Between pairs the nodes of both
 * sides stay in their order; how the two mix is free, and short stretches
 * mix in the order of the source code as far as call sites tell, so that ranks which
 * skip different calls end in one and the same sequence.
 */
#ifndef RSD_MERGE_ALIGN_H
#define RSD_MERGE_ALIGN_H

#include "trace.h"

/*
 * Moves the nodes of 'b' (which is then empty) into 'a', a tree of trace 't';
 * places are those of 't' on both sides already. 'ranks_a' and 'ranks_b' are what participants
 * of NULL stand for, all of a's below all of b's; or they are equal, and one of the trees
 * is empty. '*work' is what may still be spent on aligning, and is lessened. On
 * RSD_ERR_NOMEM every node is in one of the trees, but the order is not kept.
 */
int rsd_merge_trees(const struct rsd_trace *t, struct rsd_tree *a, struct rsd_tree *b,
	const struct rsd_ranks *ranks_a, const struct rsd_ranks *ranks_b, int64_t *work);

#endif
