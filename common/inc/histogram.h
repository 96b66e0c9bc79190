/*
 * histogram.h - counts of values in logarithmic bins, with extremes
 *
 * Bin b holds values v with RSD_HISTOGRAM_SUB bins per octave; adding is a
 * shift and an increment. Merging is exact. min and max carry the rank that
 * held them (after merging; -1 before a rank is set).
 */
#ifndef RSD_HISTOGRAM_H
#define RSD_HISTOGRAM_H

#include <stdint.h>
#include "buf.h"

#define RSD_HISTOGRAM_SUB 1 /* bins per octave */
#define RSD_HISTOGRAM_BINS 48

struct rsd_histogram {
	uint64_t nr;
	uint64_t sum, min, max;
	int min_rank, max_rank;
	uint32_t *bin; /* RSD_HISTOGRAM_BINS, saturating; NULL while nr is 0 */
};

void rsd_histogram_init(struct rsd_histogram *h);
void rsd_histogram_release(struct rsd_histogram *h);
int rsd_histogram_add(struct rsd_histogram *h, uint64_t v); /* allocates at the first value only */
void rsd_histogram_set_rank(struct rsd_histogram *h, int rank);
int rsd_histogram_merge(struct rsd_histogram *a, const struct rsd_histogram *b);
/* Lower bound of bin b; bin 0 is the value 0. */
uint64_t rsd_histogram_bound(int b);
void rsd_histogram_encode(const struct rsd_histogram *h, struct rsd_buf *out);
int rsd_histogram_decode(struct rsd_histogram *h, struct rsd_reader *in);

#endif
