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
#define RSD_HISTOGRAM_DIGITS 12 /* binary ones that rounding keeps */

struct rsd_histogram {
	uint64_t nr;
	uint64_t sum, min, max;
	int min_rank, max_rank;
	uint32_t *bin; /* RSD_HISTOGRAM_BINS, saturating; NULL while nr is 0 */
};

/* The bin of a value. */
static inline int rsd_histogram_bin(uint64_t v)
{
	if (__builtin_expect(v >> (RSD_HISTOGRAM_BINS - 1) != 0, 0))
		return RSD_HISTOGRAM_BINS - 1;
	/* The length of v is the place of the leading bit of 2v + 1, which 0 has, too. */
	return 63 - __builtin_clzll(v << 1 | 1);
}

void rsd_histogram_init(struct rsd_histogram *h);
void rsd_histogram_release(struct rsd_histogram *h);
/* Adds the first value. 0 or RSD_ERR_NOMEM. */
int rsd_histogram_add_first(struct rsd_histogram *h, uint64_t v);
/* Adds another one that is below or above all others, or beyond the last bin's bound. */
void rsd_histogram_add_extreme(struct rsd_histogram *h, uint64_t v);
/* Their full counts stay at the most. */
void rsd_histogram_full_bin(uint32_t *bin);
void rsd_histogram_full_sum(struct rsd_histogram *h);
/* Adds another one. What seldom happens is a branch, and costs nothing else. */
static inline void rsd_histogram_add_more(struct rsd_histogram *h, uint64_t v)
{
	uint32_t *bin;

	if (__builtin_expect(v < h->min || v > h->max || v >> (RSD_HISTOGRAM_BINS - 1), 0)) {
		rsd_histogram_add_extreme(h, v);
		return;
	}
	bin = &h->bin[(unsigned)rsd_histogram_bin(v)];
	h->nr++;
	if (__builtin_expect(__builtin_add_overflow(h->sum, v, &h->sum), 0))
		rsd_histogram_full_sum(h);
	if (__builtin_expect(++*bin == 0, 0))
		rsd_histogram_full_bin(bin);
}
/* Allocates at the first value only. 0 or RSD_ERR_NOMEM. */
static inline int rsd_histogram_add(struct rsd_histogram *h, uint64_t v)
{
	if (!h->nr)
		return rsd_histogram_add_first(h, v);
	rsd_histogram_add_more(h, v);
	return 0;
}
/* Adds a value of a rank's, which all others have, too. 0 or RSD_ERR_NOMEM. */
int rsd_histogram_add_of(struct rsd_histogram *h, uint64_t v, int rank);
void rsd_histogram_set_rank(struct rsd_histogram *h, int rank);
int rsd_histogram_merge(struct rsd_histogram *a, const struct rsd_histogram *b);
/*
 * Cuts sum and extremes to so many significant bits: what is beyond is less than the clock can tell, and takes
 * more room than all else. No value gets into another bin, and the sum stays one that such values can have.
 */
void rsd_histogram_round(struct rsd_histogram *h);
/* Lower bound of bin b; bin 0 is the value 0. */
uint64_t rsd_histogram_bound(int b);
/*
 * Bytes. What the histogram is of ('kind', 0 to 2), how many values it is expected to have and another number it is
 * likely to depend on make it shorter, and must be the same for decoding.
 */
struct rsd_histogram_hints {
	unsigned kind;
	uint64_t nr, like;
};
void rsd_histogram_encode(
	const struct rsd_histogram *h, const struct rsd_histogram_hints *k, struct rsd_buf *out);
int rsd_histogram_decode(
	struct rsd_histogram *h, const struct rsd_histogram_hints *k, struct rsd_reader *in);
/* Bytes as versions 1 to 3 of the format had them. */
int rsd_histogram_decode_3(struct rsd_histogram *h, struct rsd_reader *in);

#endif
