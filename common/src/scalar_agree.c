#include <string.h>
#include <stdlib.h>

#include "hash.h"
#include "params_cut.h"
#include "scalar_agree.h"
#include "util.h"

void rsd_sequences_release(struct rsd_sequences *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		rsd_column_free(s->c[i].col);
		rsd_column_free(s->c[i].refs);
		rsd_scalars_release(&s->c[i].groups);
		rsd_ranks_release(&s->c[i].ranks);
	}
	free(s->c);
	rsd_map_release(&s->by_hash);
	*s = (struct rsd_sequences){ .error = s->error };
}

/* The form that a column has depends on how it came about; appended value by value, on its values only. */
static struct rsd_column *appended(const struct rsd_column *c)
{
	struct rsd_column *to = rsd_column_new(false);
	struct rsd_cursor *k = rsd_cursor_new(c);
	int err = to && k ? 0 : RSD_ERR_NOMEM;
	int64_t v;

	while (!err && !rsd_cursor_next(k, &v))
		err = rsd_column_append(to, v);
	rsd_cursor_free(k);
	if (!err)
		return to;
	rsd_column_free(to);
	return NULL;
}

int rsd_sequences_find(struct rsd_sequences *s, const struct rsd_column *c)
{
	struct rsd_column *col;
	const uint64_t *id;
	uint64_t key;

	if (rsd_column_length(c) > RSD_SCALAR_MAX_DRAWN - s->looked_at)
		return RSD_ERR_RANGE;
	s->looked_at += rsd_column_length(c);
	col = appended(c);
	if (!col || rsd_column_freeze(col)) {
		rsd_column_free(col);
		return RSD_ERR_NOMEM;
	}
	key = rsd_column_hash(col);
	for (; (id = rsd_map_find(&s->by_hash, key)); key++) {
		if (rsd_column_equal(s->c[*id].col, col)) {
			rsd_column_free(col);
			return (int)*id;
		}
	}
	if (s->nr >= INT32_MAX || RSD_GROW(s->c, s->nr + 1, s->alloc) ||
		rsd_map_set(&s->by_hash, key, s->nr)) {
		rsd_column_free(col);
		return RSD_ERR_NOMEM;
	}
	s->c[s->nr] = (struct rsd_sequence){ .col = col, .ranks = RSD_RANKS_INIT };
	return (int)s->nr++;
}

int rsd_sequences_group(struct rsd_sequences *s)
{
	int err = 0;

	for (size_t i = 0; i < s->nr && !err; i++) {
		struct rsd_sequence *c = &s->c[i];

		if (!c->bad)
			err = rsd_scalars_group(c->col, 0, s->error, &c->groups, &c->refs);
		c->bad |= !c->refs;
	}
	return err;
}

int rsd_sequence_add_groups(const struct rsd_sequence *c, int col, const struct rsd_ranks *ranks,
	struct rsd_scalars *out)
{
	for (size_t i = 0; i < c->groups.nr; i++) {
		struct rsd_scalar *s = rsd_scalars_add(out, &c->groups.s[i]);

		if (!s)
			return RSD_ERR_NOMEM;
		s->col = col;
		s->whole = true;
		if (rsd_ranks_copy(&s->ranks, ranks)) {
			out->nr--;
			return RSD_ERR_NOMEM;
		}
	}
	return 0;
}

/* Of the groups from..to-1; by halves, as each may be of one rank only. */
static int unite_ranks(
	const struct rsd_scalars *a, int col, size_t from, size_t to, struct rsd_ranks *out)
{
	struct rsd_ranks half[2] = { RSD_RANKS_INIT, RSD_RANKS_INIT };
	size_t mid = from + (to - from) / 2;
	int err;

	if (to - from < 2)
		return to > from && a->s[from].col == col ? rsd_ranks_copy(out, &a->s[from].ranks)
							  : 0;
	err = unite_ranks(a, col, from, mid, &half[0]);
	if (!err)
		err = unite_ranks(a, col, mid, to, &half[1]);
	if (!err)
		err = rsd_ranks_union(out, &half[0], &half[1]);
	rsd_ranks_release(&half[0]);
	rsd_ranks_release(&half[1]);
	return err;
}

int rsd_scalars_ranks(const struct rsd_scalars *groups, int col, struct rsd_ranks *out)
{
	return unite_ranks(groups, col, 0, groups->nr, out);
}

/* Of these ranks of the variant. */
static int cost_of(const struct rsd_params *p, const struct rsd_variant *v,
	const struct rsd_ranks *ranks, bool once, uint64_t most, uint64_t *cost)
{
	uint64_t nr = once && !rsd_ranks_is_empty(ranks) ? 1 : rsd_ranks_count(ranks);
	uint64_t each = RSD_SCALAR_RANK_COST + rsd_column_length(v->col);
	int err = 0;

	if (!v->nr_numbers) {
		*cost = nr <= most / each ? *cost + nr * each : UINT64_MAX / 2;
		return 0;
	}
	for (int r = rsd_ranks_first(ranks); r >= 0 && !err && *cost <= most;
		r = rsd_ranks_next(ranks, r)) {
		enum rsd_encoding enc;
		struct rsd_column *c;

		err = rsd_params_get(p, r, &enc, &c);
		if (!err) {
			*cost += RSD_SCALAR_RANK_COST + rsd_column_length(c);
			rsd_column_free(c);
		}
	}
	return err;
}

int rsd_scalars_cost(const struct rsd_params *p, const struct rsd_ranks *drawn, bool once,
	uint64_t most, uint64_t *cost)
{
	const struct rsd_variants *a = &p->enc[RSD_E_ABS];
	uint64_t cut = 0;
	int err = drawn ? rsd_params_cut_cost(p, drawn, &cut) : 0;

	for (size_t i = 0; i < a->nr && !err; i++) {
		struct rsd_ranks ranks = RSD_RANKS_INIT;

		err = drawn ? rsd_ranks_intersect(&ranks, &a->variant[i].ranks, drawn)
			    : rsd_ranks_copy(&ranks, &a->variant[i].ranks);
		if (!err)
			err = cost_of(p, &a->variant[i], &ranks, once, most, cost);
		rsd_ranks_release(&ranks);
	}
	*cost = cut <= most ? *cost + cut : UINT64_MAX / 2;
	return err;
}

int rsd_scalars_cost_of_groups(const struct rsd_params *p, const struct rsd_scalars *groups,
	int col, uint64_t most, uint64_t *cost)
{
	struct rsd_ranks drawn = RSD_RANKS_INIT;
	int err = rsd_scalars_ranks(groups, col, &drawn);

	if (!err)
		err = rsd_scalars_cost(
			p, &drawn, rsd_scalars_drawn_once(p, groups, col), most, cost);
	rsd_ranks_release(&drawn);
	return err;
}

/* What readers will draw already, of what each rank has recorded. */
static int spent(const struct rsd_trace *t, uint64_t *cost)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err; i++) {
		const struct rsd_place *p = &t->place[i];
		int nr = p->scalars.nr ? rsd_func_columns(&t->func[p->func]) : 0;

		for (int c = 0; c < nr && !err; c++)
			if (rsd_scalars_has(&p->scalars, c))
				err = rsd_scalars_cost_of_groups(
					&p->col[c], &p->scalars, c, RSD_SCALAR_MAX_DRAWN, cost);
	}
	return err;
}

int rsd_scalars_agree(struct rsd_trace *t, double percent)
{
	uint32_t error = percent > 0 ? rsd_scalar_error(percent < 100 ? percent : 100) : 0;
	uint64_t room = RSD_SCALAR_MAX_DRAWN / 8 * 5,
		 cost = 0; /* without what is yet to be joined */
	int err;

	if (!error || !t->complete || rsd_ranks_count(&t->ranks) != (size_t)t->nprocs ||
		rsd_trace_has_whole_scalars(t)) /* it was done before */
		return 0;
	err = spent(t, &cost);
	room -= cost < room ? cost : room;
	if (!err)
		err = rsd_scalars_of_collectives(t, error, &room);
	return err ? err : rsd_scalars_of_loops(t, error, room);
}
