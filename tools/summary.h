/*
 * summary.h - what a place's columns say, in a few words
 *
 * A parameter that never changed is its value. One that changed is its column's
 * text: "0+1x10" (0, 1 .. 9), "(-1 1)x500"; doc/trace-format has the grammar. A peer that
 * depends on the rank is "rank+1" (own rank in the communicator, modulo its size); where
 * sets of ranks differ each has its entry: {0: 5, 1-3: 7}.
 */
#ifndef RSD_SUMMARY_H
#define RSD_SUMMARY_H

#include "format.h"

struct rsd_summary {
	const struct rsd_format *f;
	const struct rsd_trace *t;
	const struct rsd_place *p;
	int rank;		       /* only this rank's values; -1: those of all */
	const struct rsd_ranks *among; /* only those of these ranks; NULL: of all */
	bool full;		       /* people, too, get long texts in full */
	enum rsd_style style;
};

/*
 * Appends the summary of parameter 'param' (its index; nr_params: the error code).
 * Returns false, having appended nothing, where it is absent, or no call failed.
 */
bool rsd_summary_param(const struct rsd_summary *s, int param, struct rsd_buf *out);
/* A loop's iterations: a number where they are the same for every rank and entry. */
void rsd_summary_count(
	const struct rsd_summary *s, const struct rsd_params *count, struct rsd_buf *out);

#endif
