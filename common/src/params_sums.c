/*
 * params_sums.c - what all values of a column come to, section by section
 */
#include "params_queue_impl.h"

#include <string.h>

/* Unrolls reps, section by section. */
static int each(const struct rsd_column *c, struct rsd_item_place *p, uint64_t nr,
	struct rsd_rounds *r, int64_t offset, int (*fn)(int64_t, int64_t, uint64_t, void *),
	void *arg)
{
	int64_t moved = offset;
	struct rsd_item i;
	int ret = 0;

	while (!ret && nr && rsd_item_place_next(p, c, &i)) {
		nr--;
		if (rsd_item_is_move(&i)) {
			moved = rsd_wrap_add(moved, rsd_item_moved(&i, r));
			continue;
		}
		if (!rsd_item_is_rep(&i)) {
			if (!rsd_is_const(i.start))
				i.start = rsd_wrap_add(i.start, moved);
			moved = offset;
			ret = fn(i.start, i.stride, i.count, arg);
			continue;
		}
		struct rsd_item_place body = *p;
		uint64_t *done = &r->done[r->nr++];
		int64_t o = offset;

		for (*done = 0; !ret && *done < rsd_item_count(&i); ++*done) {
			*p = body;
			ret = each(c, p, (uint64_t)i.stride, r, o, fn, arg);
			o = rsd_wrap_add(o, i.start);
		}
		r->nr--;
		nr -= (uint64_t)i.stride;
	}
	return ret;
}

int rsd_column_each(const struct rsd_column *c,
	int (*fn)(int64_t start, int64_t stride, uint64_t count, void *arg), void *arg)
{
	struct rsd_rounds r = { .nr = 0 };
	struct rsd_item_place p;

	rsd_item_place_start(&p, c);
	return each(c, &p, UINT64_MAX, &r, 0, fn, arg);
}

static int add_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	uint64_t pairs = count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);

	*(uint64_t *)arg += (uint64_t)start * count + (uint64_t)stride * pairs;
	return 0;
}

uint64_t rsd_column_total(const struct rsd_column *c)
{
	uint64_t total = 0;

	rsd_column_each(c, add_section, &total);
	return total;
}

struct summing {
	int (*fn)(int64_t min, int64_t max, void *arg); /* or NULL, and 'out' is filled in */
	void *arg;
	struct rsd_column_stats *out;
	int64_t step[RSD_COLUMN_DEPTH]; /* of the reps around: what a round adds, */
	uint64_t rounds[RSD_COLUMN_DEPTH];
	uint64_t times; /* all their rounds together */
	int depth;
};

/* 'count' values 'step' apart, where there was one. */
static void spread(int64_t step, uint64_t count, int64_t *lo, int64_t *hi, double *mean)
{
	int64_t end = rsd_wrap_mul(step, count - 1);

	*(end < 0 ? lo : hi) = rsd_wrap_add(end < 0 ? *lo : *hi, end);
	*mean += (double)step * ((double)count - 1) / 2;
}

static int sum_run(struct summing *s, const struct rsd_item *run, const int64_t *moved)
{
	struct rsd_column_stats *out = s->out;
	uint64_t nr = run->count * s->times;
	int64_t lo = run->start, hi = lo;
	double mean = (double)lo;

	if (rsd_is_const(run->start)) {
		if (out)
			out->nr_consts += nr;
		return 0;
	}
	spread(run->stride, run->count, &lo, &hi, &mean);
	for (int k = 0; k < s->depth; k++)
		spread(rsd_wrap_add(s->step[k], moved[k]), s->rounds[k], &lo, &hi, &mean);
	if (s->fn)
		return s->fn(lo, hi, s->arg);
	if (!out->nr || lo < out->min)
		out->min = lo;
	if (!out->nr || hi > out->max)
		out->max = hi;
	out->nr += nr;
	out->sum += (double)nr * mean;
	return 0;
}

static int sum_items(
	const struct rsd_column *c, struct rsd_item_place *p, uint64_t nr, struct summing *s)
{
	int64_t moved[RSD_COLUMN_DEPTH] = { 0 };
	struct rsd_item i;
	int ret = 0;

	while (!ret && nr && rsd_item_place_next(p, c, &i)) {
		nr--;
		if (rsd_item_is_move(&i)) {
			moved[s->depth - 1 - rsd_item_level(&i)] = i.start;
		} else if (!rsd_item_is_rep(&i)) {
			ret = sum_run(s, &i, moved);
			memset(moved, 0, sizeof(moved));
		} else {
			s->step[s->depth] = i.start;
			s->rounds[s->depth++] = rsd_item_count(&i);
			s->times *= rsd_item_count(&i);
			ret = sum_items(c, p, (uint64_t)i.stride, s);
			s->times /= rsd_item_count(&i);
			s->depth--;
			nr -= (uint64_t)i.stride;
		}
	}
	return ret;
}

int rsd_column_extremes(
	const struct rsd_column *c, int (*fn)(int64_t min, int64_t max, void *arg), void *arg)
{
	struct summing s = { .fn = fn, .arg = arg, .times = 1 };
	struct rsd_item_place p;

	rsd_item_place_start(&p, c);
	return sum_items(c, &p, UINT64_MAX, &s);
}

void rsd_column_stats(const struct rsd_column *c, struct rsd_column_stats *out)
{
	struct summing s = { .out = out, .times = 1 };
	struct rsd_item_place p;

	*out = (struct rsd_column_stats){ 0 };
	rsd_item_place_start(&p, c);
	sum_items(c, &p, UINT64_MAX, &s);
}
