/* stats_times.c - see stats_times.h */
#include "stats_times.h"

int rsd_stats_add_timing(struct rsd_stats_row *r, const struct rsd_place *p)
{
	int err = 0;

	if (!p->has_timing)
		return 0;
	err = rsd_histogram_merge(&r->dur, &p->timing.dur);
	if (!err)
		err = rsd_histogram_merge(&r->dur, &p->timing.dur_first);
	return err ? err : rsd_histogram_merge(&r->before, &p->timing.before);
}

/* Values of which no more is known than this. */
static int add_sum(struct rsd_histogram *to, uint64_t nr, double sum, uint64_t min, uint64_t max,
	int min_rank, int max_rank)
{
	uint32_t none[RSD_HISTOGRAM_BINS] = { 0 };
	const struct rsd_histogram h = { nr, (uint64_t)sum, min, max, min_rank, max_rank, none };

	return rsd_histogram_merge(to, &h);
}

/* Of 'calls' calls out of the place's, whose values are in two histograms. */
static int add_part(struct rsd_histogram *to, const struct rsd_histogram *a,
	const struct rsd_histogram *b, uint64_t calls)
{
	double nr = (double)a->nr + (double)b->nr, sum = (double)a->sum + (double)b->sum;
	uint64_t min = a->nr && (!b->nr || a->min <= b->min) ? a->min : b->min;
	uint64_t max = a->nr && (!b->nr || a->max >= b->max) ? a->max : b->max;

	/* Whether the ranks of the extremes are among those of these calls is not known. */
	return nr > 0 ? add_sum(to, calls, sum / nr * (double)calls, min, max, -1, -1) : 0;
}

int rsd_stats_add_share(struct rsd_stats_row *r, const struct rsd_place *p, uint64_t calls)
{
	static const struct rsd_histogram none;
	int err;

	if (!calls || !p->has_timing)
		return 0;
	err = add_part(&r->dur, &p->timing.dur, &p->timing.dur_first, calls);
	return err ? err : add_part(&r->before, &p->timing.before, &none, calls);
}

static int add_column(struct rsd_histogram *to, const struct rsd_params *p, int rank)
{
	struct rsd_column *col;
	struct rsd_column_stats c;
	enum rsd_encoding enc;

	if (rsd_params_get(p, rank, &enc, &col))
		return 0;
	rsd_column_stats(col, &c);
	rsd_column_free(col);
	if (!c.nr || c.min < 0)
		return 0;
	return add_sum(to, c.nr, c.sum, (uint64_t)c.min, (uint64_t)c.max, rank, rank);
}

int rsd_stats_add_columns(struct rsd_stats_row *r, const struct rsd_place *p, int rank)
{
	int err = p->has_times ? add_column(&r->dur, &p->dur_ns, rank) : 0;

	return p->has_times && !err ? add_column(&r->before, &p->before_ns, rank) : err;
}

int rsd_stats_add_event(struct rsd_stats_row *r, const struct rsd_event *e, uint64_t before_ns)
{
	int err;

	if (!e->has_time)
		return 0;
	err = rsd_histogram_add_of(&r->dur, (uint64_t)e->dur_ns, e->rank);
	return err ? err : rsd_histogram_add_of(&r->before, before_ns, e->rank);
}

bool rsd_stats_has_times(const struct rsd_stats *s)
{
	for (size_t i = 0; i < s->nr_rows; i++) {
		if (s->row[i].dur.nr)
			return true;
	}
	return false;
}

double rsd_stats_beyond_mean(const struct rsd_histogram *h)
{
	double mean = h->nr ? (double)h->sum / (double)h->nr : 0, beyond = 0;

	for (int b = 0; h->nr && b < RSD_HISTOGRAM_BINS; b++) {
		double from = (double)rsd_histogram_bound(b),
		       to = (double)rsd_histogram_bound(b + 1);
		double above, share;

		from = from > (double)h->min ? from : (double)h->min;
		to = to < (double)h->max && b + 1 < RSD_HISTOGRAM_BINS ? to : (double)h->max;
		if (!h->bin[b] || to <= mean)
			continue;
		/* As if the bin's values were spread evenly over it. */
		above = from > mean ? from : mean;
		share = to > from ? (to - above) / (to - from) : 1;
		beyond += h->bin[b] * share * ((above + to) / 2 - mean);
	}
	return beyond;
}
