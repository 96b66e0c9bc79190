/*
 * tally.h - one rank's calls counted twice, by the loops and by the columns, and held against each
 * other
 *
 * The queue says how often each place is passed: counts of loops multiplied up,
 * nothing is walked. A column must have exactly as many values: one a call, or for the
 * elements of arrays as many as the lengths add up to.
 */
#ifndef RSD_TALLY_H
#define RSD_TALLY_H

#include "trace.h"

struct rsd_tally {
	const struct rsd_trace *t;
	uint64_t *calls;   /* per place, of the rank last looked at */
	uint64_t *entries; /* scratch: how often the loops around are gone through, by depth */
	size_t alloc_entries;
	struct rsd_buf why; /* what is wrong */
};

int rsd_tally_init(struct rsd_tally *y, const struct rsd_trace *t); /* 0 or RSD_ERR_NOMEM */
void rsd_tally_release(struct rsd_tally *y);
/* 0 with *events set, or RSD_ERR_NOMEM, or RSD_ERR_MISMATCH with a text in y->why. */
int rsd_tally_rank(struct rsd_tally *y, int rank, uint64_t *events);

#endif
