#include "params_cut.h"

#include <string.h>

#include "params_join.h"
#include "util.h"

int rsd_params_cut_cost(const struct rsd_params *p, const struct rsd_ranks *gone, uint64_t *cost)
{
	int err = 0;

	*cost = 0;
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr && !err; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];
			struct rsd_ranks rest = RSD_RANKS_INIT;

			if (!v->nr_numbers)
				continue;
			err = rsd_ranks_minus(&rest, &v->ranks, gone);
			if (!err && !rsd_ranks_equal(&rest, &v->ranks))
				*cost += rsd_ranks_count(&rest) * v->nr_numbers;
			rsd_ranks_release(&rest);
		}
	}
	return err;
}

/* A column over 'ranks' becomes one over the 'rest' of them. */
static int cut_number(
	struct rsd_number *n, const struct rsd_ranks *ranks, const struct rsd_ranks *rest)
{
	struct rsd_column *to = rsd_column_new(false);
	struct rsd_cursor *k = rsd_cursor_new(n->over);
	int err = to && k ? 0 : RSD_ERR_NOMEM, left = rsd_ranks_first(rest);
	int64_t v;

	for (int r = rsd_ranks_first(ranks); left >= 0 && !err; r = rsd_ranks_next(ranks, r)) {
		err = rsd_cursor_next(k, &v);
		if (err || r != left)
			continue;
		err = rsd_column_append(to, v);
		left = rsd_ranks_next(rest, left);
	}
	rsd_cursor_free(k);
	if (!err)
		err = rsd_column_freeze(to);
	if (err) {
		rsd_column_free(to);
		return err;
	}
	rsd_column_free(n->over);
	n->over = to;
	return 0;
}

/* Without any rank left, it is without a column. */
static int cut_variant(struct rsd_variant *v, const struct rsd_ranks *gone)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;
	int err = rsd_ranks_minus(&rest, &v->ranks, gone);

	if (!err && rsd_ranks_is_empty(&rest))
		rsd_variant_release(v);
	if (err || !v->col || rsd_ranks_equal(&rest, &v->ranks)) {
		rsd_ranks_release(&rest);
		return err;
	}
	for (size_t i = 0; i < v->nr_numbers && !err; i++)
		err = cut_number(&v->number[i], &v->ranks, &rest);
	rsd_ranks_release(&v->ranks);
	v->ranks = rest;
	return err;
}

int rsd_params_cut(struct rsd_params *p, const struct rsd_ranks *gone)
{
	int err = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS && !err; e++) {
		struct rsd_variants *a = &p->enc[e];
		size_t nr = 0;

		for (size_t i = 0; i < a->nr && !err; i++)
			err = cut_variant(&a->variant[i], gone);
		for (size_t i = 0; i < a->nr; i++)
			if (a->variant[i].col)
				a->variant[nr++] = a->variant[i];
		a->nr = nr;
		rsd_variants_sort(a->variant, a->nr);
	}
	return err;
}

int rsd_params_mix(struct rsd_params *a, struct rsd_params *b)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		struct rsd_variants *to = &a->enc[e], *from = &b->enc[e];

		if (RSD_GROW(to->variant, to->nr + from->nr, to->alloc))
			return RSD_ERR_NOMEM;
		if (from->nr)
			memcpy(&to->variant[to->nr], from->variant,
				from->nr * sizeof(*from->variant));
		to->nr += from->nr;
		from->nr = 0;
		rsd_variants_sort(to->variant, to->nr);
	}
	return 0;
}
