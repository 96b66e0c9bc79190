#include <stdlib.h>

#include "hash.h"
#include "params_pile.h"
#include "scalar_agree.h"
#include "util.h"

#define MAX_MEMBERS ((size_t)1 << 22) /* loops times ranks; beyond them all stay exact */

struct member { /* a loop, as one rank runs it */
	struct rsd_node *node;
	size_t number; /* of the node */
	int rank, class;
};

struct loops {
	struct rsd_trace *t;
	struct rsd_sequences classes;
	struct member *m;
	size_t nr, alloc;
	uint32_t *standing; /* at how many nodes a place stands */
	bool too_many;
};

struct verdict { /* of a class */
	bool regular, hidden, balanced, alike;
	size_t ranks;
};

/* ---- who is of which class --------------------------------------------------------------------- */

/* With counts that differ; these may be too few to save anything, but what is in them counts. */
static bool varies(const struct rsd_column *c)
{
	int64_t v;

	return rsd_column_length(c) && !rsd_column_is_constant(c, &v);
}

static int add_member(struct loops *l, struct rsd_node *n, size_t number, int rank, int class)
{
	l->too_many |= l->nr >= MAX_MEMBERS;
	if (l->too_many)
		return 0;
	if (class < 0)
		return class;
	if (RSD_GROW(l->m, l->nr + 1, l->alloc))
		return RSD_ERR_NOMEM;
	l->m[l->nr++] = (struct member){ n, number, rank, class };
	return 0;
}

/* Of one rank whose column is unlike those of others in numbers. */
static int add_own(struct loops *l, struct rsd_node *n, size_t number, int rank)
{
	struct rsd_column *c;
	enum rsd_encoding enc;
	int err = rsd_params_get(&n->count, rank, &enc, &c);

	if (err)
		return err;
	if (varies(c))
		err = add_member(l, n, number, rank, rsd_sequences_find(&l->classes, c));
	rsd_column_free(c);
	return err;
}

static int add_loop(struct loops *l, struct rsd_node *n, size_t number)
{
	int err = 0;

	for (size_t i = 0; i < n->count.enc[RSD_E_ABS].nr && !err && !l->too_many; i++) {
		const struct rsd_variant *v = &n->count.enc[RSD_E_ABS].variant[i];
		int r = rsd_ranks_first(&v->ranks), class = -1;

		if (!v->nr_numbers && !varies(v->col))
			continue;
		if (!v->nr_numbers) {
			class = rsd_sequences_find(&l->classes, v->col);
			err = class < 0 ? class : 0;
		}
		for (; r >= 0 && !err && !l->too_many; r = rsd_ranks_next(&v->ranks, r))
			err = class < 0 ? add_own(l, n, number, r)
					: add_member(l, n, number, r, class);
	}
	return err;
}

static int find_loops(struct loops *l, const struct rsd_tree *tree)
{
	size_t number = 0;
	int err = 0;

	l->standing = rsd_calloc(l->t->nr_places + 1, sizeof(*l->standing));
	if (!l->standing)
		return RSD_ERR_NOMEM;
	for (struct rsd_node *n = tree->first; n && !err && !l->too_many;
		n = rsd_node_after(n, NULL), number++) {
		if (n->place >= 0)
			l->standing[n->place]++;
		else
			err = add_loop(l, n, number);
	}
	return err;
}

/* ---- what of it may be drawn --------------------------------------------------------------------- */

static int by_class(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_node(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/*
 * Looks at the members of a class, m[0..nr) by rank. Every send in their bodies has to have its receive in one of them, and where
 * there is a collective in any, all ranks of the run have to be in the class with the same ones.
 */
static int judge(const struct loops *l, const struct member *m, size_t nr, struct verdict *out)
{
	uint64_t messages = 0, first = 0, calls = 0;
	bool collective = false;
	int err = 0;

	*out = (struct verdict){ .regular = true, .alike = true };
	for (size_t i = 0; i < nr && !err; i++) {
		struct rsd_round r;

		err = rsd_round_look(l->t, m[i].node, m[i].rank, l->standing, &r);
		out->regular &= r.regular;
		out->hidden |= r.hidden;
		messages += r.messages;
		collective |= r.calls != 0;
		calls = rsd_hash_mix(calls) + r.calls;
		if (i + 1 < nr && m[i + 1].rank == m[i].rank)
			continue;
		first = out->ranks++ ? first : calls;
		out->alike &= first == calls;
		calls = 0;
	}
	out->balanced = messages == 0;
	out->alike = !collective || (out->alike && out->ranks == (size_t)l->t->nprocs);
	return err;
}

/* Where ends of messages are not told, all ranks have to be in the class, and no other may have lost or kept one of them. */
static void decide(struct loops *l, const struct verdict *v)
{
	size_t hidden = 0, open = 0;

	for (size_t i = 0; i < l->classes.nr; i++) {
		hidden += v[i].hidden;
		open += !v[i].hidden && (!v[i].balanced || !v[i].regular);
	}
	for (size_t i = 0; i < l->classes.nr; i++) {
		bool closed = v[i].hidden
				      ? hidden == 1 && !open && v[i].ranks == (size_t)l->t->nprocs
				      : v[i].balanced;

		l->classes.c[i].bad = !v[i].regular || !v[i].alike || !closed;
	}
}

static int judge_all(struct loops *l)
{
	struct verdict *v = rsd_calloc(l->classes.nr + 1, sizeof(*v));
	size_t from = 0, to;
	int err = v ? 0 : RSD_ERR_NOMEM;

	if (l->nr)
		qsort(l->m, l->nr, sizeof(*l->m), by_class);
	for (; from < l->nr && !err; from = to) {
		for (to = from + 1; to < l->nr && l->m[to].class == l->m[from].class; to++)
			;
		err = judge(l, &l->m[from], to - from, &v[l->m[from].class]);
	}
	if (!err)
		decide(l, v);
	free(v);
	return err;
}

/* ---- replacing ------------------------------------------------------------------------------------- */

struct drawn { /* what becomes of a loop's counts */
	struct rsd_node *node;
	struct rsd_params count;
	struct rsd_scalars groups;
};

struct replacing {
	struct drawn *d;
	size_t nr, alloc;
};

static void replacing_release(struct replacing *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		rsd_params_release(&r->d[i].count);
		rsd_scalars_release(&r->d[i].groups);
	}
	free(r->d);
}

/* Appends the rank's counts, or references instead of them. */
static int add_rank(const struct rsd_sequence *c, const struct rsd_node *n, int rank,
	struct rsd_params_pile *out)
{
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *to = c ? rsd_column_copy(c->refs) : NULL;
	enum rsd_encoding enc;
	int err = c ? (to ? 0 : RSD_ERR_NOMEM) : rsd_params_get(&n->count, rank, &enc, &to);

	if (!err)
		err = rsd_params_set(&one, rank, to, NULL);
	if (!err)
		err = rsd_params_pile_add(out, &one);
	rsd_params_release(&one);
	return err;
}

/* The counts of a loop with its members m[0..nr), by rank. */
static int draw_counts(
	const struct loops *l, const struct member *m, size_t nr, struct rsd_params *out)
{
	struct rsd_params_pile pile = { .nr = 0 };
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	int err = rsd_params_ranks(&m->node->count, &ranks);
	size_t at = 0;

	for (int r = rsd_ranks_first(&ranks); r >= 0 && !err; r = rsd_ranks_next(&ranks, r)) {
		const struct rsd_sequence *c = NULL;

		if (at < nr && m[at].rank == r)
			c = &l->classes.c[m[at++].class];
		err = add_rank(c && !c->bad ? c : NULL, m->node, r, &pile);
	}
	if (!err)
		err = rsd_params_pile_take(&pile, out);
	rsd_params_pile_release(&pile);
	rsd_ranks_release(&ranks);
	return err;
}

/* The groups of the same. Leaves the members by class. */
static int draw_groups(const struct loops *l, struct member *m, size_t nr, struct rsd_scalars *out)
{
	struct rsd_scalars all = { NULL, 0, 0 };
	int err = 0;

	qsort(m, nr, sizeof(*m), by_class);
	for (size_t i = 0, next; i < nr && !err; i = next) {
		const struct rsd_sequence *c = &l->classes.c[m[i].class];
		struct rsd_ranks ranks = RSD_RANKS_INIT;

		for (next = i; next < nr && m[next].class == m[i].class && !err; next++)
			err = rsd_ranks_append(&ranks, m[next].rank);
		if (!err && !c->bad)
			err = rsd_sequence_add_groups(c, 0, &ranks, &all);
		rsd_ranks_release(&ranks);
	}
	if (!err)
		err = rsd_scalars_merge(out, &all);
	rsd_scalars_release(&all);
	return err;
}

/* A loop with its members m[0..nr), by rank. */
static int draw_loop(const struct loops *l, struct member *m, size_t nr, struct replacing *r)
{
	struct drawn *d;
	bool any = false;
	int err;

	for (size_t i = 0; i < nr; i++)
		any |= !l->classes.c[m[i].class].bad;
	if (!any)
		return 0;
	if (RSD_GROW(r->d, r->nr + 1, r->alloc))
		return RSD_ERR_NOMEM;
	d = &r->d[r->nr++];
	*d = (struct drawn){ m->node, RSD_PARAMS_INIT, { NULL, 0, 0 } };
	err = draw_counts(l, m, nr, &d->count);
	return err ? err : draw_groups(l, m, nr, &d->groups);
}

/* If that is what readers have room to draw. */
static int replace(const struct replacing *r, uint64_t room)
{
	uint64_t cost = 0;
	int err = 0;

	for (size_t i = 0; i < r->nr && !err; i++)
		err = rsd_scalars_cost_of_groups(&r->d[i].count, &r->d[i].groups, 0, room, &cost);
	for (size_t i = 0; i < r->nr && !err && cost <= room; i++) {
		struct rsd_params exact = r->d[i].node->count;

		r->d[i].node->count = r->d[i].count;
		r->d[i].count = exact;
		r->d[i].node->scalars = r->d[i].groups;
		r->d[i].groups = (struct rsd_scalars){ NULL, 0, 0 };
	}
	return err;
}

static int replace_all(struct loops *l, uint64_t room)
{
	struct replacing r = { NULL, 0, 0 };
	size_t from = 0, to;
	int err = 0;

	if (l->nr)
		qsort(l->m, l->nr, sizeof(*l->m), by_node);
	for (; from < l->nr && !err; from = to) {
		for (to = from + 1; to < l->nr && l->m[to].node == l->m[from].node; to++)
			;
		err = draw_loop(l, &l->m[from], to - from, &r);
	}
	if (!err)
		err = replace(&r, room);
	replacing_release(&r);
	return err;
}

static int judge_and_replace(struct loops *l, uint64_t room)
{
	int err = judge_all(l);

	if (!err)
		err = rsd_sequences_group(&l->classes);
	return err ? err : replace_all(l, room);
}

/* The tree of the one thread that there is; NULL: several, or parts, which may exchange messages with it. */
static const struct rsd_tree *only_tree(const struct rsd_trace *t)
{
	const struct rsd_tree *only = NULL;

	for (size_t i = 0; i < t->nr_trees; i++) {
		if (rsd_thread_is_after(t->tree[i].thread))
			continue;
		if (only || t->tree[i].thread)
			return NULL;
		only = &t->tree[i];
	}
	return only;
}

int rsd_scalars_of_loops(struct rsd_trace *t, uint32_t error, uint64_t room)
{
	struct loops l = { .t = t, .classes = { .error = error } };
	const struct rsd_tree *tree = only_tree(t);
	int err = 0;

	if (!tree || t->nr_logs)
		return 0;
	err = find_loops(&l, tree);
	if (!err && !l.too_many)
		err = judge_and_replace(&l, room);
	free(l.standing);
	free(l.m);
	rsd_sequences_release(&l.classes);
	return err == RSD_ERR_RANGE ? 0 : err; /* nothing has been replaced by then */
}
