#include <stdlib.h>
#include <string.h>

#include "merge_align.h"
#include "lcs.h"
#include "merge_seq.h"
#include "util.h"

/* Stretches of unpaired nodes up to this length mix by call site; others stand side after side. */
#define MAX_MIX 64

struct merge {
	const struct rsd_trace *t;
	int64_t *work;
	bool same_ranks; /* both sides stand for the same ranks: NULL keeps its meaning */
};

struct sides { /* what participants of NULL stand for */
	const struct rsd_ranks *a, *b;
};

struct element { /* a node to be aligned */
	struct rsd_node *node;
	struct rsd_keys keys; /* loop: filled in when asked for */
};

struct middle { /* the parts of two sequences that differ */
	struct element *a, *b;
	size_t nr_a, nr_b;
	int64_t *work;
	int err;
};

static int unite_seqs(
	struct merge *m, struct rsd_seq *a, struct rsd_seq *b, const struct sides *of);
static int unite_middles(struct merge *m, struct rsd_seq *a, struct rsd_node *from,
	struct rsd_node *stop_a, struct rsd_seq *b, struct rsd_node *stop_b, const struct sides *of,
	int try);

/* ---- participants -------------------------------------------------------------- */

/* A node that only one side has: its participants are named from now on. */
static int name_ranks(const struct merge *m, struct rsd_node *n, const struct rsd_ranks *ranks)
{
	if (n->ranks || m->same_ranks)
		return 0;
	n->ranks = rsd_calloc(1, sizeof(*n->ranks));
	return n->ranks ? rsd_ranks_copy(n->ranks, ranks) : RSD_ERR_NOMEM;
}

static int name_all_ranks(const struct merge *m, struct rsd_node *from, const struct rsd_node *to,
	const struct rsd_ranks *ranks)
{
	int err = 0;

	for (; from != to && !err; from = from->next)
		err = name_ranks(m, from, ranks);
	return err;
}

static bool match(size_t i, size_t j, void *arg)
{
	struct middle *mid = arg;
	struct element *a = &mid->a[i], *b = &mid->b[j];

	if (a->node->place >= 0 || b->node->place >= 0)
		return a->node->place == b->node->place;
	if (a->node->shape == b->node->shape)
		return true;
	if (*mid->work <= 0)
		return false;
	if (rsd_keys_fill(&a->keys, a->node, mid->work) ||
		rsd_keys_fill(&b->keys, b->node, mid->work)) {
		mid->err = RSD_ERR_NOMEM;
		return false;
	}
	return rsd_keys_alike(&a->keys, &b->keys, mid->work);
}

/* ---- the order of unpaired nodes ------------------------------------------------ */

static const struct rsd_place *first_place(const struct rsd_trace *t, const struct rsd_node *n)
{
	while (n->place < 0 && n->first)
		n = n->first;
	return n->place >= 0 ? &t->place[n->place] : NULL;
}

/*
 * Which call stands first in the source? Compared from the outermost frame inwards:
 * where two stacks part, in one and the same function, addresses mostly grow with lines.
 */
static int compare_sites(
	const struct rsd_trace *t, const struct rsd_node *x, const struct rsd_node *y)
{
	const struct rsd_place *p = first_place(t, x), *q = first_place(t, y);
	const struct rsd_sig *s, *u;

	if (!p || !q || p->sig < 0 || q->sig < 0)
		return 0;
	s = &t->sigs.sig[p->sig];
	u = &t->sigs.sig[q->sig];
	for (size_t i = 1; i <= s->nr && i <= u->nr; i++) {
		const struct rsd_frame *f = &t->sigs.frame[s->first + s->nr - i];
		const struct rsd_frame *g = &t->sigs.frame[u->first + u->nr - i];

		if (f->module != g->module)
			return f->module < g->module ? -1 : 1;
		if (f->offset != g->offset)
			return f->offset < g->offset ? -1 : 1;
	}
	return 0;
}

/*
 * Moves b's nodes from the first up to 'stop_b' in among a's from 'x' up to
 * 'stop_a'; none has a partner, and all have their ranks named.
 */
static void mix(struct merge *m, struct rsd_seq *a, struct rsd_node *x, struct rsd_node *stop_a,
	struct rsd_seq *b, const struct rsd_node *stop_b)
{
	size_t nr = 0;
	const struct rsd_node *n;
	struct rsd_node *y;

	for (n = x; n != stop_a && nr <= MAX_MIX; n = n->next)
		nr++;
	for (n = *b->first; n != stop_b && nr <= MAX_MIX; n = n->next)
		nr++;
	if (nr > MAX_MIX)
		x = stop_a;
	while ((y = *b->first) != stop_b) {
		while (x != stop_a && compare_sites(m->t, x, y) <= 0)
			x = x->next;
		rsd_seq_unlink(b, y);
		rsd_seq_insert(a, y, x);
	}
}

/* ---- pairs ------------------------------------------------------------------------ */

/* x->ranks := those of both; *old gets what x had. */
static int unite_ranks(struct rsd_node *x, const struct sides *in, struct rsd_ranks **old)
{
	struct rsd_ranks *both = rsd_calloc(1, sizeof(*both));
	int err;

	if (!both)
		return RSD_ERR_NOMEM;
	err = rsd_ranks_union(both, in->a, in->b);
	*old = x->ranks;
	x->ranks = both;
	return err;
}

/* Unites 'y', which stands in no list any more, with 'x'. Takes 'y'. */
static int unite_nodes(
	struct merge *m, struct rsd_node *x, struct rsd_node *y, const struct sides *of)
{
	struct sides in = { x->ranks ? x->ranks : of->a, y->ranks ? y->ranks : of->b };
	struct rsd_ranks *old = NULL;
	int err = 0;

	if (x->ranks || y->ranks)
		err = unite_ranks(x, &in, &old);
	if (!err && x->place < 0) {
		struct rsd_seq a = { &x->first, &x->last, x }, b = { &y->first, &y->last, y };

		err = rsd_params_merge(&x->count, &y->count);
		if (!err)
			err = rsd_scalars_merge(&x->scalars, &y->scalars);
		if (!err)
			err = unite_seqs(m, &a, &b, &in);
	}
	if (old) {
		rsd_ranks_release(old);
		free(old);
	}
	rsd_node_free(y);
	return err;
}

/* Unites nodes of one shape from the front. Returns where a's sequence goes on. */
static int unite_heads(struct merge *m, struct rsd_seq *a, struct rsd_seq *b,
	const struct sides *of, struct rsd_node **rest)
{
	struct rsd_node *x = *a->first, *y;
	int err = 0;

	while (!err && x && (y = *b->first) && rsd_node_same_shape(x, y)) {
		rsd_seq_unlink(b, y);
		err = unite_nodes(m, x, y, of);
		x = x->next;
	}
	*rest = x;
	return err;
}

/*
 * The same from the back, down to 'from'. '*stop' is where the nodes united begin:
 * 'from' if all found partners.
 */
static int unite_tails(struct merge *m, struct rsd_seq *a, const struct rsd_node *from,
	struct rsd_seq *b, const struct sides *of, struct rsd_node **stop)
{
	struct rsd_node *x, *y;
	int err = 0;

	*stop = NULL;
	while (!err && from != *stop && (y = *b->last)) {
		x = *stop ? (*stop)->prev : *a->last;
		if (!rsd_node_same_shape(x, y))
			break;
		rsd_seq_unlink(b, y);
		err = unite_nodes(m, x, y, of);
		*stop = x;
	}
	return err;
}

/* ---- sequences ---------------------------------------------------------------------- */

static struct element *new_elements(struct rsd_node *from, const struct rsd_node *stop, size_t *nr)
{
	struct element *e;
	size_t i = 0;

	for (struct rsd_node *n = from; n != stop; n = n->next)
		i++;
	*nr = i;
	e = rsd_calloc(i, sizeof(*e));
	for (i = 0; e && i < *nr; i++, from = from->next)
		e[i].node = from;
	return e;
}

static void free_elements(struct element *e, size_t nr)
{
	for (size_t i = 0; e && i < nr; i++)
		rsd_keys_release(&e[i].keys);
	free(e);
}

/*
 * Indices of those elements of 'e' that may have a partner on the other side:
 * loops, and events whose place occurs there. Without the others, sequences that
 * have little in common are cheap.
 */
static int with_partners(const struct element *e, size_t nr, const struct element *other,
	size_t nr_other, size_t *out, size_t *nr_out)
{
	struct rsd_map places = RSD_MAP_INIT;
	int err = 0;

	*nr_out = 0;
	for (size_t i = 0; i < nr_other && !err; i++)
		if (other[i].node->place >= 0)
			err = rsd_map_set(&places, (uint64_t)other[i].node->place, 1);
	for (size_t i = 0; i < nr && !err; i++)
		if (e[i].node->place < 0 || rsd_map_find(&places, (uint64_t)e[i].node->place))
			out[(*nr_out)++] = i;
	rsd_map_release(&places);
	return err;
}

/* Fills in pair[i], the index in b of the partner of a's element i, or SIZE_MAX. */
static int find_pairs(struct middle *mid, size_t *pair)
{
	size_t *ia = rsd_calloc(mid->nr_a, sizeof(*ia)), *ib = rsd_calloc(mid->nr_b, sizeof(*ib));
	struct rsd_lcs l = {
		.match = match, .arg = mid, .work = mid->work, .pair = pair, .a = ia, .b = ib
	};
	int err = ia && ib ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; i < mid->nr_a; i++)
		pair[i] = SIZE_MAX;
	if (!err)
		err = with_partners(mid->a, mid->nr_a, mid->b, mid->nr_b, ia, &l.nr_a);
	if (!err)
		err = with_partners(mid->b, mid->nr_b, mid->a, mid->nr_a, ib, &l.nr_b);
	if (!err)
		err = rsd_lcs_find(&l);
	free(ia);
	free(ib);
	return err ? err : mid->err;
}

/*
 * A stretch without partners: a's nodes from 'from' to 'stop_a', b's from the first
 * to 'stop_b'. At the first 'try', what is a loop on one side may yet be found on the
 * other as nodes without a loop around.
 */
static int unite_gap(struct merge *m, struct rsd_seq *a, struct rsd_node *from,
	struct rsd_node *stop_a, struct rsd_seq *b, struct rsd_node *stop_b, const struct sides *of,
	int try)
{
	struct rsd_node *at = *b->first;
	bool done_a = false, done_b = false;
	int err = 0;

	if (try == 0 && from != stop_a && at != stop_b) {
		err = rsd_seq_wrap(
			a, &from, stop_a, at, stop_b, a->parent, of->a, m->work, &done_a);
		if (!err)
			err = rsd_seq_wrap(
				b, &at, stop_b, from, stop_a, a->parent, of->b, m->work, &done_b);
		if (!err && (done_a || done_b))
			return unite_middles(m, a, from, stop_a, b, stop_b, of, try + 1);
	}
	if (!err)
		err = name_all_ranks(m, from, stop_a, of->a);
	if (!err)
		err = name_all_ranks(m, *b->first, stop_b, of->b);
	if (!err)
		mix(m, a, from, stop_a, b, stop_b);
	return err;
}

/* Weaves b's nodes into a's as 'pair' says. */
static int weave(struct merge *m, struct rsd_seq *a, struct rsd_node *from, struct rsd_node *stop_a,
	struct rsd_seq *b, struct rsd_node *stop_b, const struct middle *mid, const size_t *pair,
	const struct sides *of, int try)
{
	int err = 0;

	for (size_t i = 0; i < mid->nr_a && !err; i++) {
		struct rsd_node *x = mid->a[i].node, *y;

		if (pair[i] == SIZE_MAX)
			continue;
		y = mid->b[pair[i]].node;
		err = unite_gap(m, a, from, x, b, y, of, try);
		if (err)
			break;
		rsd_seq_unlink(b, y);
		err = unite_nodes(m, x, y, of);
		from = x->next;
	}
	return err ? err : unite_gap(m, a, from, stop_a, b, stop_b, of, try);
}

/* Aligns a's nodes from 'from' to 'stop_a' with b's from the first to 'stop_b'. */
static int unite_middles(struct merge *m, struct rsd_seq *a, struct rsd_node *from,
	struct rsd_node *stop_a, struct rsd_seq *b, struct rsd_node *stop_b, const struct sides *of,
	int try)
{
	struct middle mid = { .work = m->work };
	size_t *pair = NULL;
	int err = RSD_ERR_NOMEM;

	if (from == stop_a || *b->first == stop_b)
		return unite_gap(m, a, from, stop_a, b, stop_b, of, try);
	mid.a = new_elements(from, stop_a, &mid.nr_a);
	mid.b = new_elements(*b->first, stop_b, &mid.nr_b);
	pair = rsd_calloc(mid.nr_a, sizeof(*pair));
	if (mid.a && mid.b && pair)
		err = find_pairs(&mid, pair);
	if (!err)
		err = weave(m, a, from, stop_a, b, stop_b, &mid, pair, of, try);
	free(pair);
	free_elements(mid.a, mid.nr_a);
	free_elements(mid.b, mid.nr_b);
	return err;
}

static int unite_seqs(struct merge *m, struct rsd_seq *a, struct rsd_seq *b, const struct sides *of)
{
	struct rsd_node *from, *stop = NULL;
	int err;

	err = unite_heads(m, a, b, of, &from);
	if (!err)
		err = unite_tails(m, a, from, b, of, &stop);
	if (!err)
		err = unite_middles(m, a, from, stop, b, NULL, of, 0);
	return err;
}

int rsd_merge_trees(const struct rsd_trace *t, struct rsd_tree *a, struct rsd_tree *b,
	const struct rsd_ranks *ranks_a, const struct rsd_ranks *ranks_b, int64_t *work)
{
	struct merge m = { .t = t, .work = work, .same_ranks = rsd_ranks_equal(ranks_a, ranks_b) };
	struct rsd_seq sa = { &a->first, &a->last, NULL }, sb = { &b->first, &b->last, NULL };

	for (struct rsd_node *n = a->first; n; n = n->next)
		rsd_node_set_shape(n);
	for (struct rsd_node *n = b->first; n; n = n->next)
		rsd_node_set_shape(n);
	return unite_seqs(&m, &sa, &sb, &(struct sides){ ranks_a, ranks_b });
}
