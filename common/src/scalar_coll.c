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

/* By place and class; then by column and variant. */
static int by_class(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return (x->variant > y->variant) - (x->variant < y->variant);
}

static const struct rsd_ranks *ranks_of(const struct rsd_trace *t, const struct use *u)
{
	return &t->place[u->place].col[u->col].enc[RSD_E_ABS].variant[u->variant].ranks;
}

/* The ranks that have the class in column 'col' of its place: of its uses there, u[0..nr). */
static int ranks_with(
	const struct rsd_trace *t, const struct use *u, size_t nr, int col, struct rsd_ranks *out)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (u[i].col == col)
			err = rsd_ranks_add(out, ranks_of(t, &u[i]));
	return err;
}

/* The ranks whose column is one constant, such as "absent". */
static int constants_of(const struct rsd_params *p, struct rsd_ranks *out)
{
	int err = 0;
	int64_t v;

	for (size_t i = 0; i < p->enc[RSD_E_ABS].nr && !err; i++)
		if (rsd_column_is_constant(p->enc[RSD_E_ABS].variant[i].col, &v) && rsd_is_const(v))
			err = rsd_ranks_add(out, &p->enc[RSD_E_ABS].variant[i].ranks);
	return err;
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

/*
 * Adds the ranks of a class at a place, where it has the uses u[0..nr), to the class; bad where one had it elsewhere, or has
 * another count beside it.
 */
static int cover(
	const struct rsd_trace *t, const struct use *u, size_t nr_uses, struct rsd_sequence *c)
{
	const struct rsd_place *p = &t->place[u->place];
	const struct rsd_func *f = &t->func[p->func];
	struct rsd_ranks here = RSD_RANKS_INIT, both = RSD_RANKS_INIT;
	int col[2], nr = counts_of(f, col), err = 0;

	for (int i = 0; i < nr && !err; i++)
		err = ranks_with(t, u, nr_uses, col[i], &here);
	for (int i = 0; i < nr && !err; i++) {
		struct rsd_ranks known = RSD_RANKS_INIT;
		bool yes = false;

		err = ranks_with(t, u, nr_uses, col[i], &known);
		if (!err)
			err = constants_of(&p->col[col[i]], &known);
		if (!err)
			err = are_among(&here, &known, &yes);
		c->bad |= !yes;
		rsd_ranks_release(&known);
	}
	if (!err)
		err = rsd_ranks_intersect(&both, &here, &c->ranks);
	if (!rsd_ranks_is_empty(&both) || !rsd_scalar_has_one_type(p, f, f->sent_type) ||
		!rsd_scalar_has_one_type(p, f, f->recv_type))
		c->bad = true;
	if (!err)
		err = rsd_ranks_add(&c->ranks, &here);
	rsd_ranks_release(&here);
	rsd_ranks_release(&both);
	return err;
}

/* A class that not even by number has as many ranks as the run is bad without a closer look: there may be as many as ranks. */
static int find_small(const struct rsd_trace *t, const struct uses *all, struct rsd_sequences *s)
{
	size_t *nr = rsd_calloc(s->nr, sizeof(*nr));

	if (!nr)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < all->nr; i++)
		nr[all->u[i].class] += rsd_ranks_count(ranks_of(t, &all->u[i]));
	for (size_t i = 0; i < s->nr; i++)
		s->c[i].bad = nr[i] < (size_t)t->nprocs;
	free(nr);
	return 0;
}

/* Decides of which classes all ranks have the same at the same place. */
static int judge(const struct rsd_trace *t, struct uses *all, struct rsd_sequences *s)
{
	int err = find_small(t, all, s);

	if (all->nr)
		qsort(all->u, all->nr, sizeof(*all->u), by_class);
	for (size_t i = 0, next; i < all->nr && !err; i = next) {
		const struct use *u = &all->u[i];

		for (next = i; next < all->nr && all->u[next].place == u->place &&
			       all->u[next].class == u->class;)
			next++;
		if (!s->c[u->class].bad)
			err = cover(t, u, next - i, &s->c[u->class]);
	}
	for (size_t i = 0; i < s->nr; i++)
		s->c[i].bad |= rsd_ranks_count(&s->c[i].ranks) != (size_t)t->nprocs;
	return err;
}

/*
 * What readers will have to draw where something is replaced. If that is more than they do, all of it stays exact. Uses of a column
 * are in several places where its variants are of several classes: 'paid' has, by column, the number + 1 of the place that was last.
 */
static int pay(
	const struct rsd_trace *t, const struct uses *all, struct rsd_sequences *s, uint64_t *room)
{
	size_t *paid, nr = 0;
	uint64_t cost = 0;
	int err = 0;

	for (size_t i = 0; i < all->nr; i++)
		nr = (size_t)all->u[i].col >= nr ? (size_t)all->u[i].col + 1 : nr;
	paid = rsd_calloc(nr + 1, sizeof(*paid));
	if (!paid)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < all->nr && !err; i++) {
		const struct use *u = &all->u[i];
		const struct rsd_params *p = &t->place[u->place].col[u->col];

		if (s->c[u->class].bad || paid[u->col] == (size_t)u->place + 1)
			continue;
		paid[u->col] = (size_t)u->place + 1;
		err = rsd_scalars_cost(
			p, NULL, p->enc[RSD_E_ABS].nr == 1 && !p->enc[RSD_E_REL].nr, *room, &cost);
	}
	free(paid);
	for (size_t i = 0; i < s->nr && cost > *room; i++)
		s->c[i].bad = true;
	*room -= cost > *room ? 0 : cost;
	return err;
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

int rsd_scalars_of_collectives(struct rsd_trace *t, uint32_t error, uint64_t *room)
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
	if (!err)
		err = judge(t, &all, &s);
	if (!err)
		err = rsd_sequences_group(&s);
	if (!err)
		err = pay(t, &all, &s, room);
	for (size_t i = 0; i < all.nr && !err; i++)
		if (!s.c[all.u[i].class].bad)
			err = replace(t, &all.u[i], &s.c[all.u[i].class]);
	free(all.u);
	rsd_sequences_release(&s);
	return err == RSD_ERR_RANGE ? 0 : err; /* nothing has been replaced by then */
}
