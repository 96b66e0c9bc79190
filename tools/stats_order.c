/* stats_order.c - the order of the rows of stats.h */
#include "stats.h"

#include <stdlib.h>
#include "util.h"

static int compare_totals(const void *a, const void *b)
{
	const struct rsd_stats_row *x = a, *y = b;

	if (x->dur.sum != y->dur.sum)
		return x->dur.sum < y->dur.sum ? 1 : -1;
	if (x->v.calls != y->v.calls)
		return x->v.calls < y->v.calls ? 1 : -1;
	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static int compare_calls(const void *a, const void *b)
{
	const struct rsd_stats_row *x = a, *y = b;

	return x->v.calls != y->v.calls ? (x->v.calls < y->v.calls ? 1 : -1) : compare_totals(a, b);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct rsd_stats_row *x = a, *y = b;
	double p = x->v.sent + x->v.received, q = y->v.sent + y->v.received;

	return p != q ? (p < q ? 1 : -1) : compare_totals(a, b);
}

static int compare_keys(const void *a, const void *b)
{
	const struct rsd_stats_row *x = a, *y = b;

	return x->key != y->key ? (x->key < y->key ? -1 : 1) : compare_totals(a, b);
}

static int compare_before(const void *a, const void *b)
{
	const struct rsd_stats_row *x = a, *y = b;

	if (x->before.sum != y->before.sum)
		return x->before.sum < y->before.sum ? 1 : -1;
	return compare_totals(a, b);
}

void rsd_stats_sort(struct rsd_stats *s, enum rsd_stats_order order)
{
	static int (*const compare[])(const void *a, const void *b) = {
		[RSD_SORT_TIME] = compare_totals,
		[RSD_SORT_BEFORE] = compare_before,
		[RSD_SORT_CALLS] = compare_calls,
		[RSD_SORT_BYTES] = compare_bytes,
		[RSD_SORT_KEY] = compare_keys,
	};

	if (s->nr_rows)
		qsort(s->row, s->nr_rows, sizeof(*s->row), compare[order]);
}
