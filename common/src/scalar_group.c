#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "ScalarParam.h"
#include "params_queue.h"
#include "util.h"

struct grouping {
	struct rsd_scalar_bin *value; /* each that occurs and may be grouped, ascending */
	size_t nr, alloc;
	struct rsd_scalars groups; /* without ranks yet; by ascending values */
};

static int by_value(const void *a, const void *b)
{
	uint32_t x = ((const struct rsd_scalar_bin *)a)->value;
	uint32_t y = ((const struct rsd_scalar_bin *)b)->value;

	return (x > y) - (x < y);
}

static bool may_be_grouped(int64_t v)
{
	return v > 0 && v <= RSD_SCALAR_MAX_VALUE;
}

static int count_values(struct grouping *g, const struct rsd_column *c)
{
	struct rsd_map place = RSD_MAP_INIT; /* of a value, in g->value */
	struct rsd_cursor *k = rsd_cursor_new(c);
	int err = k ? 0 : RSD_ERR_NOMEM;
	int64_t v;

	while (!err && !rsd_cursor_next(k, &v)) {
		uint64_t *at = may_be_grouped(v) ? rsd_map_find(&place, (uint64_t)v) : NULL;

		if (at)
			g->value[*at].nr++;
		if (at || !may_be_grouped(v))
			continue;
		err = RSD_GROW(g->value, g->nr + 1, g->alloc);
		if (!err)
			err = rsd_map_set(&place, (uint64_t)v, g->nr);
		if (!err)
			g->value[g->nr++] = (struct rsd_scalar_bin){ (uint32_t)v, 1 };
	}
	rsd_cursor_free(k);
	rsd_map_release(&place);
	if (!err && g->nr)
		qsort(g->value, g->nr, sizeof(*g->value), by_value);
	return err;
}

/* From the least value on: as many as lie within the percentage are a group, then the next begins. */
static int make_groups(struct grouping *g, int col, uint32_t error)
{
	for (size_t i = 0, end; i < g->nr && g->groups.nr < RSD_SCALAR_IDS; i = end) {
		struct rsd_scalar s = { .col = col, .id = (int)g->groups.nr, .error = error };

		for (end = i; end < g->nr &&
			      rsd_scalar_within(g->value[i].value, g->value[end].value, error);
			end++)
			s.draws += g->value[end].nr;
		/* With 100 % anything is within of anything above it; with less a value is at least within of itself. */
		if (end - i < 2)
			continue;
		s.nr_bins = rsd_scalar_reduce(&g->value[i], end - i, s.bin);
		if (!rsd_scalars_add(&g->groups, &s))
			return RSD_ERR_NOMEM;
	}
	return 0;
}

/* The value, or the reference to its group. */
static int64_t replaced(const struct grouping *g, int64_t v)
{
	size_t lo = 0, hi = g->groups.nr;

	if (!may_be_grouped(v))
		return v;
	while (lo < hi) { /* the first group that ends at or above it */
		size_t mid = lo + (hi - lo) / 2;
		const struct rsd_scalar *s = &g->groups.s[mid];

		if ((int64_t)s->bin[s->nr_bins - 1].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < g->groups.nr && g->groups.s[lo].bin[0].value <= v
		       ? rsd_scalar_ref(g->groups.s[lo].id)
		       : v;
}

static struct rsd_column *with_references(const struct grouping *g, const struct rsd_column *c)
{
	struct rsd_column *to = rsd_column_new(false);
	struct rsd_cursor *k = rsd_cursor_new(c);
	int err = to && k ? 0 : RSD_ERR_NOMEM;
	int64_t v;

	while (!err && !rsd_cursor_next(k, &v))
		err = rsd_column_append(to, replaced(g, v));
	rsd_cursor_free(k);
	if (!err)
		return to;
	rsd_column_free(to);
	return NULL;
}

int rsd_scalars_group(const struct rsd_column *c, int col, uint32_t error,
	struct rsd_scalars *groups, struct rsd_column **to)
{
	struct grouping g = { .value = NULL };
	struct rsd_buf bytes = RSD_BUF_INIT;
	int err = 0;

	*to = NULL;
	if (rsd_column_size(c) <= RSD_SCALAR_WORTH || rsd_column_length(c) > RSD_SCALAR_MAX_NR)
		return 0;
	err = count_values(&g, c);
	if (!err)
		err = make_groups(&g, col, error);
	if (!err && g.groups.nr) {
		*to = with_references(&g, c);
		err = *to ? 0 : RSD_ERR_NOMEM;
	}
	if (*to) {
		rsd_scalars_encode(&g.groups, &bytes);
		err = bytes.err;
	}
	if (*to && !err && bytes.len + rsd_column_size(*to) < rsd_column_size(c)) {
		*groups = g.groups;
		g.groups = (struct rsd_scalars){ NULL, 0, 0 };
	} else {
		rsd_column_free(*to);
		*to = NULL;
	}
	rsd_buf_release(&bytes);
	rsd_scalars_release(&g.groups);
	free(g.value);
	return err;
}
