#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "trace.h"
#include "util.h"

/* What a column takes must be more than this to be worth a look: one that folds is smaller. */
#define WORTH 64

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

/* Does it save anything? Takes 'to'. */
static int take(struct rsd_place *p, int col, int rank, struct grouping *g, struct rsd_column *to)
{
	struct rsd_params *params = &p->col[col];
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_params out = RSD_PARAMS_INIT;
	size_t had = p->scalars.nr;
	size_t before = rsd_column_size(params->enc[RSD_E_ABS].variant[0].col);
	int err = 0;

	rsd_scalars_encode(&g->groups, &bytes);
	if (bytes.err || bytes.len + rsd_column_size(to) >= before) {
		err = bytes.err;
		rsd_column_free(to);
		rsd_buf_release(&bytes);
		return err;
	}
	rsd_buf_release(&bytes);
	for (size_t i = 0; i < g->groups.nr && !err; i++)
		err = rsd_ranks_append(&g->groups.s[i].ranks, rank);
	if (err) {
		rsd_column_free(to);
		return err;
	}
	err = rsd_params_set(&out, rank, to, NULL);
	if (!err)
		err = rsd_scalars_merge(&p->scalars, &g->groups);
	if (!err) {
		rsd_params_release(params);
		*params = out;
		return 0;
	}
	while (p->scalars.nr > had) /* what nothing refers to */
		rsd_ranks_release(&p->scalars.s[--p->scalars.nr].ranks);
	rsd_params_release(&out);
	return err;
}

static int record_column(struct rsd_place *p, int col, int rank, uint32_t error)
{
	const struct rsd_params *params = &p->col[col];
	struct grouping g = { .value = NULL };
	const struct rsd_column *c;
	struct rsd_column *to;
	int err = 0;

	if (params->enc[RSD_E_ABS].nr != 1)
		return 0;
	c = params->enc[RSD_E_ABS].variant[0].col;
	if (rsd_column_size(c) <= WORTH || rsd_column_length(c) > RSD_SCALAR_MAX_NR)
		return 0;
	err = count_values(&g, c);
	if (!err)
		err = make_groups(&g, col, error);
	if (!err && g.groups.nr) {
		to = with_references(&g, c);
		err = to ? take(p, col, rank, &g, to) : RSD_ERR_NOMEM;
	}
	rsd_scalars_release(&g.groups);
	free(g.value);
	return err;
}

/* The column of a count parameter, or -1. */
static int column_of(const struct rsd_func *f, int param)
{
	if (param < 0 || f->param[param].type != RSD_T_INT || f->param[param].role != RSD_R_INT)
		return -1;
	return rsd_func_first_column(f, param);
}

/* A count that is sent and received by one call (MPI_Sendrecv_replace) has to agree with another rank's. */
static int record_place(struct rsd_place *p, const struct rsd_func *f, int rank, uint32_t error)
{
	const int param[] = { f->sent_count, f->recv_count };
	int err = 0;

	if (f->class != RSD_C_P2P || f->sent_count == f->recv_count)
		return 0;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(param) && !err; i++) {
		int col = column_of(f, param[i]);

		if (col >= 0)
			err = record_column(p, col, rank, error);
	}
	return err;
}

int rsd_scalars_record(struct rsd_trace *t, int rank, double percent)
{
	uint32_t error = (uint32_t)(percent * (RSD_SCALAR_MAX_ERROR / 100) + 0.5);
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err && error; i++)
		err = record_place(&t->place[i], &t->func[t->place[i].func], rank, error);
	return err;
}
