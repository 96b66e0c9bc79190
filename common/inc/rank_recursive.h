/*
 * rank_recursive.h - a set of MPI ranks, stored as nested strided runs
 *
 * A task participant list. An event that every rank issues must cost the same
 * for 8 ranks and for 80,000, so ranks are never listed one by one, and a
 * plane of a 3D grid is one entry, not one per row:
 *
 *	{0..63} x {0,64,128,...,960} without ...	[first 0; 16 x 64; 8 x 1]
 *	{0,1,2,3, 8,10,12}				[first 0; 4 x 1] [first 8; 3 x 2]
 *
 * A run is 'first' plus dimensions (count, stride), outermost first. Runs are
 * sorted by 'first'; members of the set are listed in ascending order
 * ("position in the set" means in that order).
 *
 * Invariants: counts are > 1, strides > 0; each inner extent is less than the
 * outer stride, so that a run's members ascend; runs do not interleave; the
 * split into runs is a function of the set alone, so equal sets have equal runs.
 */
#ifndef RSD_RANK_RECURSIVE_H
#define RSD_RANK_RECURSIVE_H

#include <stdbool.h>
#include <stddef.h>
#include "buf.h"

#define RSD_RUN_DIMS 4

struct rsd_run {
	int first;
	int nr_dims; /* 0: the single rank 'first' */
	struct {
		int count, stride;
	} dim[RSD_RUN_DIMS]; /* outermost first */
};

struct rsd_ranks {
	struct rsd_run *run; /* owned; read-only outside rank_recursive.c */
	size_t nr, alloc;
};
#define RSD_RANKS_INIT ((struct rsd_ranks){ NULL, 0, 0 })

void rsd_ranks_release(struct rsd_ranks *s);
int rsd_ranks_copy(struct rsd_ranks *dst,
	const struct rsd_ranks *src); /* dst is overwritten, was initialised */
/* Adds 'rank', larger than every member. 0 or RSD_ERR_NOMEM with 's' unchanged. */
int rsd_ranks_append(struct rsd_ranks *s, int rank);
/* Adds first, first+1, ... first+count-1; all larger than every member. Cheap for any count. */
int rsd_ranks_append_range(struct rsd_ranks *s, int first, int count);
/* out := a + b, sets of any overlap; cheap where all of b lies above all of a. 'out' is initialised, neither a nor b. */
int rsd_ranks_union(struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b);
/* s := s + more. On error 's' is unchanged. */
int rsd_ranks_add(struct rsd_ranks *s, const struct rsd_ranks *more);
/* out := a without b. */
int rsd_ranks_minus(struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b);
/* Members of both. 'out' is initialised, neither a nor b. O(runs) where one set is a range around the other. */
int rsd_ranks_intersect(
	struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b);
bool rsd_ranks_has(const struct rsd_ranks *s, int rank);
bool rsd_ranks_equal(const struct rsd_ranks *a, const struct rsd_ranks *b);
bool rsd_ranks_is_empty(const struct rsd_ranks *s);
int rsd_ranks_first(const struct rsd_ranks *s); /* -1 if empty */
int rsd_ranks_last(const struct rsd_ranks *s);	/* -1 if empty */
size_t rsd_ranks_count(const struct rsd_ranks *s);
/* How many members are below 'rank': the position of a member. O(runs). */
size_t rsd_ranks_position(const struct rsd_ranks *s, int rank);
/* The smallest member > 'rank', or -1. rsd_ranks_next(s, -1) starts a loop. */
int rsd_ranks_next(const struct rsd_ranks *s, int rank);

/*
 * Text: "0-63", "0,2,4-9:5", nested as "(0-7)+64*16", several runs that repeat as "(1,3-5)+64*16"; see
 * doc/trace-format. Bytes likewise.
 */
void rsd_ranks_print(const struct rsd_ranks *s, struct rsd_buf *out);
/* For people's messages: "rank 3", "ranks 0,2", "ranks 0,4-7"; more than eight as print writes them. */
void rsd_ranks_show(const struct rsd_ranks *s, struct rsd_buf *out);
/*
 * Reads what print wrote, up to 'len' bytes; 'out' is initialised. RSD_ERR_FORMAT on anything else or a rank >=
 * limit, and where brackets with several runs stand for more than '*room' runs, which is lessened.
 */
int rsd_ranks_parse(struct rsd_ranks *out, const char *s, size_t len, int limit, size_t *room);
void rsd_ranks_encode(const struct rsd_ranks *s, struct rsd_buf *out);
int rsd_ranks_decode(struct rsd_ranks *out, struct rsd_reader *in, int limit);

#endif
