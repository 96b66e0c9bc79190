#include <stdbool.h>
#include <stdlib.h>

#include "histogram.h"
#include "coder.h"
#include "util.h"

void rsd_histogram_init(struct rsd_histogram *h)
{
	*h = (struct rsd_histogram){ .min_rank = -1, .max_rank = -1 };
}

void rsd_histogram_release(struct rsd_histogram *h)
{
	free(h->bin);
	rsd_histogram_init(h);
}

uint64_t rsd_histogram_bound(int b)
{
	return b > 0 ? (uint64_t)1 << (b - 1) : 0;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int alloc_bins(struct rsd_histogram *h)
{
	if (!h->bin)
		h->bin = rsd_calloc(RSD_HISTOGRAM_BINS, sizeof(*h->bin));
	return h->bin ? 0 : RSD_ERR_NOMEM;
}

int rsd_histogram_add_first(struct rsd_histogram *h, uint64_t v)
{
	if (alloc_bins(h))
		return RSD_ERR_NOMEM;
	h->nr = 1;
	h->sum = h->min = h->max = v;
	h->bin[rsd_histogram_bin(v)]++;
	return 0;
}

void rsd_histogram_add_extreme(struct rsd_histogram *h, uint64_t v)
{
	uint32_t *bin = &h->bin[rsd_histogram_bin(v)];

	h->nr++;
	h->sum = add_saturating(h->sum, v);
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	if (*bin < UINT32_MAX)
		++*bin;
}

void rsd_histogram_full_bin(uint32_t *bin)
{
	*bin = UINT32_MAX;
}

void rsd_histogram_full_sum(struct rsd_histogram *h)
{
	h->sum = UINT64_MAX;
}

int rsd_histogram_add_of(struct rsd_histogram *h, uint64_t v, int rank)
{
	uint32_t bin[RSD_HISTOGRAM_BINS] = { 0 };
	const struct rsd_histogram one = { 1, v, v, v, rank, rank, bin };

	bin[rsd_histogram_bin(v)] = 1;
	return rsd_histogram_merge(h, &one);
}

void rsd_histogram_set_rank(struct rsd_histogram *h, int rank)
{
	if (h->nr)
		h->min_rank = h->max_rank = rank;
}

int rsd_histogram_merge(struct rsd_histogram *a, const struct rsd_histogram *b)
{
	if (!b->nr)
		return 0;
	if (alloc_bins(a))
		return RSD_ERR_NOMEM;
	/* Of equal extremes the first one, a's, keeps its rank. */
	if (!a->nr || b->min < a->min) {
		a->min = b->min;
		a->min_rank = b->min_rank;
	}
	if (!a->nr || b->max > a->max) {
		a->max = b->max;
		a->max_rank = b->max_rank;
	}
	a->nr = add_saturating(a->nr, b->nr);
	a->sum = add_saturating(a->sum, b->sum);
	for (int i = 0; i < RSD_HISTOGRAM_BINS; i++) {
		uint64_t nr = (uint64_t)a->bin[i] + b->bin[i];

		a->bin[i] = nr > UINT32_MAX ? UINT32_MAX : (uint32_t)nr;
	}
	return 0;
}

/* ---- bytes ----------------------------------------------------------------------------- */

static int length(uint64_t v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

static uint64_t mul_saturating(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* What the sum can't be below, and above: from all else. */
static void bound_sum(const struct rsd_histogram *h, uint64_t *low, uint64_t *high)
{
	int first = rsd_histogram_bin(h->min), last = rsd_histogram_bin(h->max);
	uint64_t rest = h->nr - 1 - (h->nr > 1), extremes = h->min + (h->nr > 1 ? h->max : 0);

	*low = *high = extremes < h->min ? UINT64_MAX : extremes;
	for (int i = first; i <= last; i++) {
		uint64_t nr = h->bin[i], from = rsd_histogram_bound(i),
			 to = rsd_histogram_bound(i + 1) - 1;

		nr -= i == first && nr > 0;
		nr -= i == last && h->nr > 1 && nr > 0;
		nr = nr < rest ? nr : rest;
		rest -= nr;
		*low = add_saturating(*low, mul_saturating(nr, from > h->min ? from : h->min));
		*high = add_saturating(
			*high, mul_saturating(nr, to < h->max && i < last ? to : h->max));
	}
	*low = add_saturating(*low, mul_saturating(rest, h->min));
	*high = add_saturating(*high, mul_saturating(rest, h->max));
}

/* Bits beyond those that are kept, of a number of so many. */
static int beyond(int bits)
{
	return bits > RSD_HISTOGRAM_DIGITS ? bits - RSD_HISTOGRAM_DIGITS : 0;
}

void rsd_histogram_round(struct rsd_histogram *h)
{
	uint64_t low, high;
	int cut;

	if (!h->nr)
		return;
	cut = beyond(length(h->min));
	h->min = h->min >> cut << cut;
	cut = beyond(length(h->max));
	h->max = h->max >> cut << cut;
	bound_sum(h, &low, &high);
	cut = beyond(length(low));
	h->sum = h->sum > high ? high : h->sum;
	if (h->sum > low)
		h->sum = low + ((h->sum - low) >> cut << cut);
}

/* What the coder, if there is one, is told of the numbers of a histogram: the same for both directions. */
struct fields {
	struct rsd_coder *c;
	const struct rsd_histogram_hints *k;
};

static void field_at(const struct fields *f, enum rsd_hist_field what, uint64_t hint, uint64_t at)
{
	if (f->c)
		rsd_coder_field(f->c, RSD_FIELD_HISTOGRAM + f->k->kind * RSD_NR_HIST_FIELDS + what,
			hint, at);
}

static void field(const struct fields *f, enum rsd_hist_field what, uint64_t hint)
{
	field_at(f, what, hint, 0);
}

/* An extreme within its bin, 'range' being what the bin has room for. */
static void field_place(const struct fields *f, bool is_max, int bin, uint64_t range)
{
	field(f, RSD_HIST_PLACE, (unsigned)bin << 1 | is_max);
	if (f->c)
		rsd_coder_range(f->c, range, beyond(bin));
}

static uint64_t room_above(uint64_t v, int bin)
{
	return bin + 1 < RSD_HISTOGRAM_BINS && v < rsd_histogram_bound(bin + 1)
		       ? rsd_histogram_bound(bin + 1) - 1 - v
		       : 0;
}

static void field_bin(const struct fields *f, uint64_t left, int i, int last)
{
	uint64_t rough = left < 16 ? left : 16 + (unsigned)length(left);

	if (i == last)
		rough = i = last = 0;
	field_at(f, RSD_HIST_BIN, rough << 8 | (unsigned)(last - i), (unsigned)i);
}

static void field_sum(const struct fields *f, uint64_t nr, uint64_t low, uint64_t high)
{
	field(f, RSD_HIST_SUM, low == high ? 0 : 1 + (unsigned)length(nr));
	if (f->c)
		rsd_coder_range(f->c, high - low, beyond(length(low)));
}

static void field_octaves(const struct fields *f, uint64_t nr, int bin)
{
	field(f, RSD_HIST_OCTAVES, (unsigned)length(nr) << 8 | (unsigned)bin);
}

static void encode_extremes(
	const struct rsd_histogram *h, const struct fields *f, struct rsd_buf *out)
{
	int low = rsd_histogram_bin(h->min), high = rsd_histogram_bin(h->max);
	uint64_t from = high > low ? rsd_histogram_bound(high) : h->min;

	field(f, RSD_HIST_MIN, f->k->like);
	rsd_buf_put_uint(out, (unsigned)low);
	field_place(f, false, low, room_above(rsd_histogram_bound(low), low));
	rsd_buf_put_uint(out, h->min - rsd_histogram_bound(low));
	field_octaves(f, h->nr, low);
	rsd_buf_put_uint(out, (unsigned)(high - low));
	field_place(f, true, high, h->nr > 1 ? room_above(from, high) : 0);
	rsd_buf_put_uint(out, h->max - from);
	field(f, RSD_HIST_RANK, 0);
	rsd_buf_put_uint(out, (uint64_t)((int64_t)h->min_rank + 1));
	field(f, RSD_HIST_RANK_MAX, (uint64_t)h->min_rank << 1 | (h->min == h->max));
	rsd_buf_put_uint(out, (uint64_t)((int64_t)h->max_rank + 1));
}

void rsd_histogram_encode(
	const struct rsd_histogram *h, const struct rsd_histogram_hints *k, struct rsd_buf *out)
{
	const struct fields f = { out->coder, k };
	int first = rsd_histogram_bin(h->min), last = rsd_histogram_bin(h->max);
	uint64_t left = h->nr, low, high;

	field(&f, RSD_HIST_NR, k->like);
	rsd_buf_put_int(out, (int64_t)(h->nr - k->nr));
	if (!h->nr)
		return;
	encode_extremes(h, &f, out);
	for (int i = first; i < last; i++) {
		field_bin(&f, left, i, last);
		rsd_buf_put_uint(out, h->bin[i]);
		left -= h->bin[i];
	}
	field_bin(&f, left, last, last);
	rsd_buf_put_int(out, (int64_t)(left - h->bin[last]));
	bound_sum(h, &low, &high);
	field_sum(&f, h->nr, low, high);
	rsd_buf_put_uint(out, h->sum - low);
}

static int decode_rank(struct rsd_reader *in)
{
	uint64_t r = rsd_reader_uint(in);

	if (r > INT32_MAX)
		in->err = RSD_ERR_FORMAT;
	return in->err ? -1 : (int)r - 1;
}

/* False with the reader's error set where they contradict each other. */
static bool decode_extremes(struct rsd_histogram *h, const struct fields *f, struct rsd_reader *in)
{
	uint64_t low, high, from;

	field(f, RSD_HIST_MIN, f->k->like);
	low = rsd_reader_uint(in);
	if (low >= RSD_HISTOGRAM_BINS)
		in->err = RSD_ERR_FORMAT;
	if (in->err)
		return false;
	from = rsd_histogram_bound((int)low);
	field_place(f, false, (int)low, room_above(from, (int)low));
	h->min = add_saturating(from, rsd_reader_uint(in));
	field_octaves(f, h->nr, (int)low);
	high = rsd_reader_uint(in);
	if (high >= RSD_HISTOGRAM_BINS - low)
		in->err = RSD_ERR_FORMAT;
	if (in->err)
		return false;
	high += low;
	from = high > low ? rsd_histogram_bound((int)high) : h->min;
	field_place(f, true, (int)high, h->nr > 1 ? room_above(from, (int)high) : 0);
	h->max = add_saturating(from, rsd_reader_uint(in));
	field(f, RSD_HIST_RANK, 0);
	h->min_rank = decode_rank(in);
	field(f, RSD_HIST_RANK_MAX, (uint64_t)h->min_rank << 1 | (h->min == h->max));
	h->max_rank = decode_rank(in);
	if (rsd_histogram_bin(h->min) != (int)low || rsd_histogram_bin(h->max) != (int)high)
		in->err = RSD_ERR_FORMAT;
	return !in->err;
}

/* The bins and the sum. */
static void decode_bins(struct rsd_histogram *h, const struct fields *f, struct rsd_reader *in)
{
	int first = rsd_histogram_bin(h->min), last = rsd_histogram_bin(h->max);
	uint64_t left = h->nr, v, low, high;

	for (int i = first; !in->err && i <= last; i++) {
		field_bin(f, left, i, last);
		v = i < last ? rsd_reader_uint(in) : left - (uint64_t)rsd_reader_int(in);
		if (v > UINT32_MAX || v > left)
			in->err = RSD_ERR_FORMAT;
		h->bin[i] = (uint32_t)v;
		left -= v;
	}
	if (in->err)
		return;
	bound_sum(h, &low, &high);
	field_sum(f, h->nr, low, high);
	h->sum = low + rsd_reader_uint(in);
	if (h->sum < h->max)
		in->err = RSD_ERR_FORMAT;
}

int rsd_histogram_decode(
	struct rsd_histogram *h, const struct rsd_histogram_hints *k, struct rsd_reader *in)
{
	const struct fields f = { in->coder, k };

	rsd_histogram_init(h);
	field(&f, RSD_HIST_NR, k->like);
	h->nr = k->nr + (uint64_t)rsd_reader_int(in);
	if (in->err || !h->nr)
		return in->err;
	if (alloc_bins(h))
		return RSD_ERR_NOMEM;
	if (decode_extremes(h, &f, in))
		decode_bins(h, &f, in);
	if (in->err)
		rsd_histogram_release(h);
	return in->err;
}

int rsd_histogram_decode_3(struct rsd_histogram *h, struct rsd_reader *in)
{
	uint64_t span, nr = 0;

	rsd_histogram_init(h);
	h->nr = rsd_reader_uint(in);
	if (in->err || !h->nr)
		return in->err;
	h->sum = rsd_reader_uint(in);
	h->min = rsd_reader_uint(in);
	span = rsd_reader_uint(in);
	h->max = add_saturating(h->min, span);
	h->min_rank = decode_rank(in);
	h->max_rank = decode_rank(in);
	if (!in->err && (h->max - h->min != span || h->sum < h->max))
		in->err = RSD_ERR_FORMAT;
	if (!in->err && alloc_bins(h)) {
		rsd_histogram_release(h);
		return RSD_ERR_NOMEM;
	}
	for (int i = rsd_histogram_bin(h->min); !in->err && i <= rsd_histogram_bin(h->max); i++) {
		uint64_t v = rsd_reader_uint(in);

		if (v > UINT32_MAX)
			in->err = RSD_ERR_FORMAT;
		h->bin[i] = (uint32_t)v;
		nr += v;
	}
	if (!in->err && nr > h->nr)
		in->err = RSD_ERR_FORMAT;
	if (in->err)
		rsd_histogram_release(h);
	return in->err;
}
