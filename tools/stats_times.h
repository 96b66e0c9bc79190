/*
 * stats_times.h - how times get into a row of stats.h: durations, and what was computed before the calls
 *
 * Of a place they are kept for all ranks together, as histograms; where every call's were kept, there are columns of each
 * rank. All return 0 or RSD_ERR_NOMEM, and add nothing where there are no times.
 */
#ifndef RSD_STATS_TIMES_H
#define RSD_STATS_TIMES_H

#include "stats.h"

/* All calls at a place; the first one there, which is kept apart from the others, too. */
int rsd_stats_add_timing(struct rsd_stats_row *r, const struct rsd_place *p);
/* Of some calls, where the place's are shared out: the mean; the extremes are no wider than these. */
int rsd_stats_add_share(struct rsd_stats_row *r, const struct rsd_place *p, uint64_t calls);
/* One rank's calls at a place, where every call's times were kept. */
int rsd_stats_add_columns(struct rsd_stats_row *r, const struct rsd_place *p, int rank);
/* One call that came 'before_ns' after the one before. */
int rsd_stats_add_event(struct rsd_stats_row *r, const struct rsd_event *e, uint64_t before_ns);

/* Has any row a time? */
bool rsd_stats_has_times(const struct rsd_stats *s);
/*
 * By how much the values that are above the mean are above it, in all: where one rank comes later to a call than the
 * others, how much they may wait for it. From the bins, so roughly.
 */
double rsd_stats_beyond_mean(const struct rsd_histogram *h);

#endif
