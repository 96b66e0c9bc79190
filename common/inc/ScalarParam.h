/*
 * ScalarParam.h - histogram mode: numbers that are kept as histograms, and the error percentage
 *
 * With RECORD_HISTO=P, or built with USE_HISTO_COMPRESS (libsrc/Makefile.libsrc), a tracer gives up the order of
 * numbers that are nearly the same. Which ones, and what is kept:
 *
 *	The counts of point-to-point calls: what a function's table says it sends and receives. What ranks have to agree
 *	on, counts of collectives and of loops, only once all ranks are together, and where all are sure to draw alike
 *	(scalar_agree.h). Nothing else: arrays, ranks, tags and handles stay exact.
 *	Of such a column at a place, if it does not fold, values that lie within P percent of a common
 *	middle are a group; a group of one value, and columns that would not get shorter, stay exact.
 *	A value in a group becomes a reference: which group, and not which value. References are
 *	constants (opstruct.h), the last ones of the table, so that they fold and merge as all values do.
 *
 *	column     1003 8 1017 998 8 1011 ...        (~0 8 ~0)x...
 *	scalar ~0                                    998:1 1003:1 1011:1 1017:1
 *
 * Of a group there is, for a set of ranks that each have as many values in it, how often which value occurred: up to
 * 34 of them, least, largest and the sum exact, others as the means of 16 bins. Ranks that number a group alike share
 * it where all of it is within the percentage.
 *
 * A reader draws: rank number k of R gets every R-th of the sorted values, from the k-th on, in an order that depends
 * only on how many there are (a permutation with a fixed seed). So all of the values are drawn, once: the
 * sum over the ranks is exact, and any two readers draw the same. Of a whole group each rank draws all values, so ranks whose columns
 * were equal still have equal ones, and the sum of each rank is exact: a loop runs as often in all as it did.
 */
#ifndef RSD_SCALAR_PARAM_H
#define RSD_SCALAR_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "opstruct.h"
#include "rank_recursive.h"

/* The error percentage where the build turns the mode on and RECORD_HISTO does not say another one. */
#define RSD_SCALAR_PERCENT 5

#ifdef USE_HISTO_COMPRESS
#define RSD_SCALAR_DEFAULT RSD_SCALAR_PERCENT
#else
#define RSD_SCALAR_DEFAULT (-1) /* exact */
#endif

#define RSD_SCALAR_IDS 64		      /* groups of one column */
#define RSD_SCALAR_BINS 34		      /* values of one group */
#define RSD_SCALAR_MAX_VALUE INT32_MAX	      /* larger ones stay exact */
#define RSD_SCALAR_MAX_NR ((uint64_t)1 << 31) /* values of all ranks in one group */
/* What rsd_scalars_draw makes of a trace at most: values, and so many more for each rank's column. */
#define RSD_SCALAR_MAX_DRAWN ((uint64_t)1 << 28)
#define RSD_SCALAR_RANK_COST ((uint64_t)1 << 10)
#define RSD_SCALAR_MAX_ERROR 100000
/* What a column takes must be more than this to be worth a look: one that folds is smaller. */
#define RSD_SCALAR_WORTH 64

/* References: the last constants that there can be. */
#define RSD_SCALAR_FIRST (RSD_CONST_MAX - RSD_SCALAR_IDS)
static inline int64_t rsd_scalar_ref(int id)
{
	return RSD_CONST(RSD_SCALAR_FIRST + id);
}
/* Of a value: the group it refers to, or -1. */
static inline int rsd_scalar_id(int64_t v)
{
	return v >= RSD_CONST(RSD_SCALAR_FIRST) && rsd_is_const(v)
		       ? rsd_const_index(v) - RSD_SCALAR_FIRST
		       : -1;
}

struct rsd_scalar_bin {
	uint32_t value;
	uint64_t nr;
};

struct rsd_scalar {
	int col, id;	/* column of the place, group */
	uint32_t error; /* thousandths of a percent */
	bool whole;	/* each rank draws all values, in the same order; else they are dealt out */
	struct rsd_ranks ranks;
	uint64_t
		draws; /* of each rank; all bins together hold as many: for all ranks, or (whole) for each */
	struct rsd_scalar_bin bin[RSD_SCALAR_BINS]; /* ascending values */
	size_t nr_bins;
};

struct rsd_scalars { /* of a place, or (whole ones, of column 0) of a loop */
	struct rsd_scalar *s;
	size_t nr, alloc;
};

struct rsd_trace;
struct rsd_column;

void rsd_scalars_release(struct rsd_scalars *a);
bool rsd_scalars_has(const struct rsd_scalars *a, int col); /* a group of this column? */
/* Adds a copy of 's' without ranks; they are filled in by the caller. NULL: no memory. */
struct rsd_scalar *rsd_scalars_add(struct rsd_scalars *a, const struct rsd_scalar *s);
/* Takes b's, whose ranks are not in 'a'. 0 or RSD_ERR_NOMEM. */
int rsd_scalars_merge(struct rsd_scalars *a, struct rsd_scalars *b);
/*
 * Brings sorted values down to RSD_SCALAR_BINS, the sum kept: 'out' is filled in. The values are within an int's range, and
 * together at most RSD_SCALAR_MAX_NR.
 */
size_t rsd_scalar_reduce(const struct rsd_scalar_bin *in, size_t nr, struct rsd_scalar_bin *out);
/* Are least and largest value within the percentage of a value between them? */
bool rsd_scalar_within(uint32_t least, uint32_t largest, uint32_t error);
/* Do numbers and bounds agree with each other? 'nr_cols': of the place. */
bool rsd_scalar_is_valid(const struct rsd_scalar *s, int nr_cols);

/* Bytes (transfer.h). Decode checks what can be checked alone. */
void rsd_scalars_encode(const struct rsd_scalars *a, struct rsd_buf *out);
int rsd_scalars_decode(
	struct rsd_scalars *a, int nr_cols, bool may_be_whole, struct rsd_reader *in, int limit);

/* Does a trace have references (which drawing takes away)? Of whole groups? */
bool rsd_trace_has_scalars(const struct rsd_trace *t);
bool rsd_trace_has_whole_scalars(const struct rsd_trace *t);
uint32_t rsd_scalar_error(double percent);
/* The column of a count parameter, or -1. */
int rsd_scalar_column(const struct rsd_func *f, int param);
/*
 * Groups the values of column 'c', which is number 'col': 'groups', empty before, gets them, without ranks, and *to the column with
 * references. *to is NULL where that would save nothing. What comes out is a function of the sequence of values.
 */
int rsd_scalars_group(const struct rsd_column *c, int col, uint32_t error,
	struct rsd_scalars *groups, struct rsd_column **to);
/*
 * Makes groups of the columns of a trace of one rank, as said above, as long as readers have room to draw them for all
 * ranks. 0, or RSD_ERR_NOMEM: what is not grouped by then is exact.
 */
int rsd_scalars_record(struct rsd_trace *t, int rank, double percent);
/*
 * The same of what ranks have to agree on, in a trace of all of them (others are left as they are): counts of collectives, and how
 * often loops ran (scalar_agree.h). 0, or RSD_ERR_NOMEM: the trace is not to be used then, ranks may disagree in it.
 */
int rsd_scalars_agree(struct rsd_trace *t, double percent);
#define RSD_META_DRAWN "drawn" /* key of the meta data: what was */
/*
 * Replaces references by values, drawn; says so in the meta data. RSD_ERR_FORMAT where references and groups do not
 * agree; RSD_ERR_RANGE where that were more than RSD_SCALAR_MAX_DRAWN values. 'why' gets a text. The trace is for reading then, not to be
 * written as rsd or binary.
 */
int rsd_scalars_draw(struct rsd_trace *t, struct rsd_buf *why);
/* Replaces references by constants that say what they are: ~1008(998..1017). For printing columns. */
int rsd_scalars_show(struct rsd_trace *t);
/* "MPI_Send count, MPI_Recv count (within 5 %)"; nothing where there are none. */
void rsd_scalars_list(const struct rsd_trace *t, struct rsd_buf *out);
/* The largest ratio of two values of a group; at least 1. */
double rsd_scalars_spread(const struct rsd_trace *t);

#endif
