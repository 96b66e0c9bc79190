/* load.c - see load.h */
#include "load.h"

#include <stdlib.h>
#include "util.h"

int report_load_init(struct report_load *l, int nr_ranks)
{
	*l = (struct report_load){ .nr_ranks = nr_ranks };
	l->width = (nr_ranks + REPORT_LOAD_SLOTS - 1) / REPORT_LOAD_SLOTS;
	l->nr_slots = (nr_ranks + l->width - 1) / l->width;
	for (int i = 0; i < REPORT_NR_LOADS; i++) {
		l->diff[i] = rsd_calloc((size_t)l->nr_slots + 1, sizeof(**l->diff));
		if (!l->diff[i])
			return RSD_ERR_NOMEM;
	}
	return 0;
}

void report_load_release(struct report_load *l)
{
	for (int i = 0; i < REPORT_NR_LOADS; i++)
		free(l->diff[i]);
	*l = (struct report_load){ 0 };
}

static void add_slots(
	struct report_load *l, int64_t first, int64_t end, const double *v, double part)
{
	for (int i = 0; i < REPORT_NR_LOADS; i++) {
		if (v[i] == 0)
			continue;
		l->diff[i][first] += v[i] * part;
		l->diff[i][end] -= v[i] * part;
	}
}

/* Ranks first .. end - 1. */
static void add_range(struct report_load *l, int64_t first, int64_t end, const double *v)
{
	double one = 1 / (double)l->width;

	while (first < end && (first % l->width || first + l->width > end)) {
		add_slots(l, first / l->width, first / l->width + 1, v, one);
		first++;
	}
	if (first < end) {
		int64_t whole = first / l->width + (end - first) / l->width;

		add_slots(l, first / l->width, whole, v, 1);
		add_range(l, whole * l->width, end, v);
	}
}

/* Dimension 'dim' of a run and those inside of it. */
static void add_dims(
	struct report_load *l, const struct rsd_run *run, int dim, int64_t first, const double *v)
{
	if (dim == run->nr_dims) {
		add_range(l, first, first + 1, v);
	} else if (dim == run->nr_dims - 1 && run->dim[dim].stride == 1) {
		add_range(l, first, first + run->dim[dim].count, v);
	} else {
		for (int i = 0; i < run->dim[dim].count; i++)
			add_dims(l, run, dim + 1, first + (int64_t)i * run->dim[dim].stride, v);
	}
}

void report_load_add(
	struct report_load *l, const struct rsd_ranks *ranks, const struct rsd_volume *v)
{
	const double value[REPORT_NR_LOADS] = { (double)v->calls, v->sent, v->received, 0 };

	for (size_t i = 0; i < ranks->nr; i++)
		add_dims(l, &ranks->run[i], 0, ranks->run[i].first, value);
}

void report_load_add_rank(struct report_load *l, int rank, const struct rsd_volume *v, double ns)
{
	const double value[REPORT_NR_LOADS] = { (double)v->calls, v->sent, v->received, ns };

	l->timed |= ns > 0;
	add_range(l, rank, rank + 1, value);
}

void report_load_settle(struct report_load *l)
{
	for (int i = 0; i < REPORT_NR_LOADS; i++)
		for (int64_t s = 1; s < l->nr_slots; s++)
			l->diff[i][s] += l->diff[i][s - 1];
}
