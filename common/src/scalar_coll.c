#include <stdlib.h>

#include "scalar_agree.h"
#include "util.h"

struct use { /* a variant of a count's column */
	size_t place, variant;
	int col, class;
};

struct uses {
	struct use *u;
	size_t nr, alloc;
};

/* Of arrays each element is another rank's count: these stay exact, and so do the counts beside them. */
static bool is_considered(const struct rsd_func *f)
{
	if (f->class != RSD_C_COLL)
		return false;
	for (int i = 0; i < f->nr_params; i++)
		if (f->param[i].type == RSD_T_INTS)
			return false;
	return true;
}

static int counts_of(const struct rsd_func *f, int col[2])
{
	int nr = 0, first = rsd_scalar_column(f, f->sent_count);
	int second = rsd_scalar_column(f, f->recv_count);

	if (first >= 0)
		col[nr++] = first;
	if (second >= 0 && second != first)
		col[nr++] = second;
	return nr;
}

static int find_uses(
	const struct rsd_trace *t, size_t place, int col, struct rsd_sequences *s, struct uses *all)
{
	const struct rsd_params *p = &t->place[place].col[col];

	for (size_t i = 0; i < p->enc[RSD_E_ABS].nr; i++) {
		const struct rsd_variant *v = &p->enc[RSD_E_ABS].variant[i];
		int class;

		if (v->nr_numbers || rsd_column_size(v->col) <= RSD_SCALAR_WORTH)
			continue;
		class = rsd_sequences_find(s, v->col);
		if (class < 0)
			return class;
		if (RSD_GROW(all->u, all->nr + 1, all->alloc))
			return RSD_ERR_NOMEM;
		all->u[all->nr++] = (struct use){ place, i, col, class };
	}
	return 0;
}

/* The ranks whose column is of the class; with 'constants' also those whose column is one constant, such as "absent". */
static int ranks_of(const struct rsd_trace *t, const struct use *with, int col, bool constants,
	const struct uses *all, struct rsd_ranks *out)
{
	const struct rsd_params *p = &t->place[with->place].col[col];
	int err = 0;
	int64_t v;

	for (size_t i = 0; i < all->nr && !err; i++)
		if (all->u[i].place == with->place && all->u[i].class == with->class &&
			all->u[i].col == col)
			err = rsd_ranks_add(
				out, &p->enc[RSD_E_ABS].variant[all->u[i].variant].ranks);
	for (size_t i = 0; i < p->enc[RSD_E_ABS].nr && !err && constants; i++)
		if (rsd_column_is_constant(p->enc[RSD_E_ABS].variant[i].col, &v) && rsd_is_const(v))
			err = rsd_ranks_add(out, &p->enc[RSD_E_ABS].variant[i].ranks);
	return err;
}

static bool has_one_type(const struct rsd_place *p, const struct rsd_func *f, int type)
{
	const struct rsd_params *q = type < 0 ? NULL : &p->col[rsd_func_first_column(f, type)];
	int64_t v;

	for (size_t i = 0; q && i < q->enc[RSD_E_ABS].nr; i++)
		if (q->enc[RSD_E_ABS].variant[i].nr_numbers ||
			!rsd_column_is_constant(q->enc[RSD_E_ABS].variant[i].col, &v))
			return false;
	return true;
}

/* Is every rank of 'some' in 'all'? */
static int are_among(const struct rsd_ranks *some, const struct rsd_ranks *all, bool *yes)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;
	int err = rsd_ranks_minus(&rest, some, all);

	*yes = !err && rsd_ranks_is_empty(&rest);
	rsd_ranks_release(&rest);
	return err;
}

/* Adds the ranks of a class at a place to the class; bad where one had it elsewhere, or has another count beside it. */
static int cover(const struct rsd_trace *t, const struct use *with, const struct uses *all,
	struct rsd_sequence *c)
{
	const struct rsd_place *p = &t->place[with->place];
	const struct rsd_func *f = &t->func[p->func];
	struct rsd_ranks here = RSD_RANKS_INIT, both = RSD_RANKS_INIT;
	int col[2], nr = counts_of(f, col), err = 0;

	for (int i = 0; i < nr && !err; i++)
		err = ranks_of(t, with, col[i], false, all, &here);
	for (int i = 0; i < nr && !err; i++) {
		struct rsd_ranks known = RSD_RANKS_INIT;
		bool yes = false;

		err = ranks_of(t, with, col[i], true, all, &known);
		if (!err)
			err = are_among(&here, &known, &yes);
		c->bad |= !yes;
		rsd_ranks_release(&known);
	}
	if (!err)
		err = rsd_ranks_intersect(&both, &here, &c->ranks);
	if (!rsd_ranks_is_empty(&both) || !has_one_type(p, f, f->sent_type) ||
		!has_one_type(p, f, f->recv_type))
		c->bad = true;
	if (!err)
		err = rsd_ranks_add(&c->ranks, &here);
	rsd_ranks_release(&here);
	rsd_ranks_release(&both);
	return err;
}

/* Is it the first use of its class at its place? */
static bool is_first(const struct uses *all, size_t i)
{
	for (size_t k = i; k-- > 0 && all->u[k].place == all->u[i].place;)
		if (all->u[k].class == all->u[i].class)
			return false;
	return true;
}

static int replace(struct rsd_trace *t, const struct use *u, const struct rsd_sequence *c)
{
	struct rsd_place *p = &t->place[u->place];
	struct rsd_variant *v = &p->col[u->col].enc[RSD_E_ABS].variant[u->variant];
	struct rsd_column *to = rsd_column_copy(c->refs);
	int err = to ? rsd_sequence_add_groups(c, u->col, &v->ranks, &p->scalars) : RSD_ERR_NOMEM;

	if (err) {
		rsd_column_free(to);
		return err;
	}
	rsd_column_free(v->col);
	v->col = to;
	v->skeleton = 0;
	return 0;
}

int rsd_scalars_of_collectives(struct rsd_trace *t, uint32_t error)
{
	struct rsd_sequences s = { .error = error };
	struct uses all = { NULL, 0, 0 };
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err; i++) {
		const struct rsd_func *f = &t->func[t->place[i].func];
		int col[2], nr = is_considered(f) ? counts_of(f, col) : 0;

		for (int k = 0; k < nr && !err; k++)
			err = find_uses(t, i, col[k], &s, &all);
	}
	for (size_t i = 0; i < all.nr && !err; i++)
		if (is_first(&all, i))
			err = cover(t, &all.u[i], &all, &s.c[all.u[i].class]);
	for (size_t i = 0; i < s.nr; i++)
		s.c[i].bad |= rsd_ranks_count(&s.c[i].ranks) != (size_t)t->nprocs;
	if (!err)
		err = rsd_sequences_group(&s);
	for (size_t i = 0; i < all.nr && !err; i++)
		if (!s.c[all.u[i].class].bad)
			err = replace(t, &all.u[i], &s.c[all.u[i].class]);
	free(all.u);
	rsd_sequences_release(&s);
	return err == RSD_ERR_RANGE ? 0 : err; /* nothing has been replaced by then */
}
