#include <string.h>
#include <stdlib.h>

#include "hash.h"
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

int rsd_scalars_cost(const struct rsd_params *p, bool once, uint64_t most, uint64_t *cost)
{
	const struct rsd_variants *a = &p->enc[RSD_E_ABS];
	int err = 0;

	for (size_t i = 0; i < a->nr && !err; i++) {
		const struct rsd_variant *v = &a->variant[i];
		uint64_t nr = once ? 1 : rsd_ranks_count(&v->ranks);
		uint64_t each = RSD_SCALAR_RANK_COST + rsd_column_length(v->col);

		if (!v->nr_numbers) {
			*cost = nr <= most / each ? *cost + nr * each : UINT64_MAX / 2;
			continue;
		}
		for (int r = rsd_ranks_first(&v->ranks); r >= 0 && !err && *cost <= most;
			r = rsd_ranks_next(&v->ranks, r)) {
			struct rsd_column *c;
			enum rsd_encoding enc;

			err = rsd_params_get(p, r, &enc, &c);
			if (!err) {
				*cost += RSD_SCALAR_RANK_COST + rsd_column_length(c);
				rsd_column_free(c);
			}
		}
	}
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
				err = rsd_scalars_cost(&p->col[c],
					rsd_scalars_drawn_once(&p->col[c], &p->scalars, c),
					RSD_SCALAR_MAX_DRAWN, cost);
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
	return err ? err : rsd_scalars_of_loops(t, error, &room);
}
