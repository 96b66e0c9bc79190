/*
 * summary_ranks.h - a column over ranks in a few words: summary.h's middle part
 */
#ifndef RSD_SUMMARY_RANKS_H
#define RSD_SUMMARY_RANKS_H

#include "summary_column.h"

struct rsd_view { /* a variant, as far as it is asked for, or the column of a single rank */
	const struct rsd_variant *variant; /* NULL: of a single rank */
	struct rsd_ranks shown;		   /* ranks of it that are asked for */
	const struct rsd_column *col;
	bool relative;
	bool same; /* the column is that of every rank, but for how often a constant stands in it */
};

/* One view after the other. */
struct rsd_views {
	const struct rsd_summary *s;
	const struct rsd_params *params;
	int enc;
	size_t next;
	struct rsd_column *owned;
	struct rsd_view v;
	int err;
};
void rsd_views_begin(
	struct rsd_views *w, const struct rsd_summary *s, const struct rsd_params *params);
bool rsd_views_next(struct rsd_views *w);
void rsd_views_end(struct rsd_views *w);

/*
 * The summary of one column over ranks; in arrays of 'each' where that is above 0. 'partial': some
 * ranks have none, so that a value never stands alone. False where there is nothing to say.
 */
bool rsd_summary_params(const struct rsd_summary *s, const struct rsd_meaning *m,
	const struct rsd_params *params, int64_t each, bool partial, struct rsd_buf *out);
/*
 * 1 with *v set where it is one and the same value in all calls that have one (*partial: some
 * ranks have none), 0 where none has, -1 where values differ.
 */
int rsd_summary_shared(
	const struct rsd_summary *s, const struct rsd_params *params, int64_t *v, bool *partial);

#endif
