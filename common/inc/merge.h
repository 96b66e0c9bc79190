/*
 * merge.h - joins two traces into one
 *
 * Aligns the two trees, thread by thread, and unites what matches: an event with
 * an event of the same place, a loop with a loop whose body is alike, going into
 * it. What has no partner keeps its participants. So the order of every rank's calls
 * is kept by construction: leaving out the nodes a rank is not in gives back
 * that rank's sequence.
 *
 * Alignment: equal heads and tails are paired first, by structure hash; the rest by
 * longest common subsequence over structure (Myers, An O(ND) Difference Algorithm,
 * Algorithmica 1986), with bounded work: past RSD_MERGE_LIMIT steps the rest is
 * concatenated, which is still lossless. Linear in what differs, not in what is alike.
 *
 * Tables merge by content; columns by params.h.
 */
#ifndef RSD_MERGE_H
#define RSD_MERGE_H

#include "trace.h"

#define RSD_MERGE_LIMIT (1 << 22)

/*
 * Are these parts of one trace? The number of processes, the date (rank 0's, which all ranks of a
 * run have) and the level must be the same where both have them; programs and hosts may differ. 0, or
 * RSD_ERR_MISMATCH with what disagrees in 'why', where the parts have the names given.
 */
int rsd_merge_check(const struct rsd_trace *a, const char *name_a, const struct rsd_trace *b,
	const char *name_b, struct rsd_buf *why);

/*
 * Merges 'b' into 'a'. Every rank of b lies above every rank of a (the tree of
 * radix_tree.h sees to it; offline merging sorts). Takes 'b', which is freed.
 * On error (RSD_ERR_NOMEM, or RSD_ERR_MISMATCH: other nprocs, one function
 * name with two parameter lists) 'a' may only be freed.
 */
int rsd_merge(struct rsd_trace *a, struct rsd_trace *b);

/*
 * Joins what ranks of 'a' recorded after MPI_Finalize (threads >= RSD_AFTER,
 * which 'a' has none of) to 'a'; the ranks of b are among those of a. Takes 'b'.
 */
int rsd_merge_after(struct rsd_trace *a, struct rsd_trace *b);

/* Keeps the smaller encoding of each column; done once, before a trace is written. */
void rsd_merge_settle(struct rsd_trace *t);

#endif
