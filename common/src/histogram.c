#include <stdlib.h>

#include "histogram.h"
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

void rsd_histogram_encode(const struct rsd_histogram *h, struct rsd_buf *out)
{
	int first, last;

	rsd_buf_put_uint(out, h->nr);
	if (!h->nr)
		return;
	rsd_buf_put_uint(out, h->sum);
	rsd_buf_put_uint(out, h->min);
	rsd_buf_put_uint(out, h->max - h->min);
	rsd_buf_put_uint(out, (uint64_t)((int64_t)h->min_rank + 1));
	rsd_buf_put_uint(out, (uint64_t)((int64_t)h->max_rank + 1));
	first = rsd_histogram_bin(h->min);
	last = rsd_histogram_bin(h->max);
	for (int i = first; i <= last; i++)
		rsd_buf_put_uint(out, h->bin[i]);
}

static int decode_rank(struct rsd_reader *in)
{
	uint64_t r = rsd_reader_uint(in);

	if (r > INT32_MAX)
		in->err = RSD_ERR_FORMAT;
	return in->err ? -1 : (int)r - 1;
}

int rsd_histogram_decode(struct rsd_histogram *h, struct rsd_reader *in)
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
