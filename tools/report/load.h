/*
 * load.h - calls, bytes and time of each rank
 *
 * A value that many ranks have alike is added to a run of them at once. Where there are more ranks than
 * REPORT_LOAD_SLOTS, neighbours share a slot, which has their mean.
 */
#ifndef RSD_REPORT_LOAD_H
#define RSD_REPORT_LOAD_H

#include "volume.h"

#define REPORT_LOAD_SLOTS (1 << 22)

enum { REPORT_CALLS, REPORT_SENT, REPORT_RECEIVED, REPORT_TIME, REPORT_NR_LOADS };

struct report_load {
	int64_t nr_ranks, width; /* ranks a slot */
	int64_t nr_slots;
	double *diff
		[REPORT_NR_LOADS]; /* differences to the slot before, until report_load_settle */
	bool timed;
};

int report_load_init(struct report_load *l, int nr_ranks); /* 0 or RSD_ERR_NOMEM */
void report_load_release(struct report_load *l);
/* Every rank of the set has 'v'. */
void report_load_add(
	struct report_load *l, const struct rsd_ranks *ranks, const struct rsd_volume *v);
void report_load_add_rank(struct report_load *l, int rank, const struct rsd_volume *v, double ns);
/* Makes sums of the differences. Nothing is added afterwards. */
void report_load_settle(struct report_load *l);

#endif
