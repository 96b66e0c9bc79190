#include <stdlib.h>
#include <string.h>

#include "merge_align.h"
#include "lcs.h"
#include "util.h"

/* Stretches of unpaired nodes up to this length mix by call site; longer ones stand one behind the other. */
#define MAX_MIX 64

struct seq {			/* a list of siblings: of a tree, or the body of a loop */
	struct rsd_node **first, **last;
	struct rsd_node *parent;
};

struct merge {
	const struct rsd_trace *t;
	int64_t *work;
	bool same_ranks;	/* both sides stand for the same ranks: NULL keeps its meaning */
};

struct element {		/* a node to be aligned */
	struct rsd_node *node;
	uint64_t *key;		/* loop: sorted, what is in it at which depth; NULL: not asked for yet */
	size_t nr_keys;
};

struct middle {			/* the parts of two sequences that differ */
	struct element *a, *b;
	size_t nr_a, nr_b;
	int64_t *work;
	int err;
};

static int unite_seqs(struct merge *m, struct seq *a, struct seq *b,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb);

/* ---- structure hashes -------------------------------------------------------- */

static uint64_t set_shape(struct rsd_node *n)
{
	uint64_t h = 0x6c6f6f70;

	if (n->place >= 0)
		return n->shape = rsd_hash_mix((uint64_t)n->place + 1);
	for (struct rsd_node *c = n->first; c; c = c->next)
		h = rsd_hash_mix(h * 3 + set_shape(c));
	return n->shape = h;
}

/* Hashes of loops may collide; then loops are united that are not equal, which is never wrong. */
static bool same_shape(const struct rsd_node *x, const struct rsd_node *y)
{
	return x->shape == y->shape && x->place == y->place;
}

/* ---- lists -------------------------------------------------------------------- */

static void unlink_node(struct seq *s, struct rsd_node *n)
{
	*(n->prev ? &n->prev->next : s->first) = n->next;
	*(n->next ? &n->next->prev : s->last) = n->prev;
	n->next = n->prev = NULL;
}

/* Links 'n' in before 'at' (NULL: at the end). */
static void link_before(struct seq *s, struct rsd_node *n, struct rsd_node *at)
{
	n->parent = s->parent;
	n->next = at;
	n->prev = at ? at->prev : *s->last;
	*(n->prev ? &n->prev->next : s->first) = n;
	*(at ? &at->prev : s->last) = n;
}

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

/* ---- what is alike ------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct keys { uint64_t *key; size_t nr, alloc; };

static int collect_keys(struct keys *k, const struct rsd_node *loop, unsigned depth)
{
	int err = 0;

	for (const struct rsd_node *c = loop->first; c && !err; c = c->next) {
		if (c->place < 0) {
			err = collect_keys(k, c, depth + 1);
			continue;
		}
		err = RSD_GROW(k->key, k->nr + 1, k->alloc);
		if (!err)
			k->key[k->nr++] = (uint64_t)c->place << 8 | (depth & 0xff);
	}
	return err;
}

static int set_keys(struct middle *mid, struct element *e)
{
	struct keys k = { NULL, 0, 0 };
	size_t nr = 0;

	if (e->key)
		return 0;
	if (collect_keys(&k, e->node, 0) || RSD_GROW(k.key, 1, k.alloc)) {
		free(k.key);
		mid->err = RSD_ERR_NOMEM;
		return mid->err;
	}
	*mid->work -= (int64_t)k.nr;
	qsort(k.key, k.nr, sizeof(*k.key), compare_keys);
	for (size_t i = 0; i < k.nr; i++)
		if (nr == 0 || k.key[i] != k.key[nr - 1])
			k.key[nr++] = k.key[i];
	e->key = k.key;
	e->nr_keys = nr;
	return 0;
}

/*
 * Loops are alike where half of the smaller one is in the other, and the larger one is not
 * out of all proportion. A rank in a corner of a 3D grid makes a quarter of the
 * calls of one inside; the same call site in an unlike loop is rare.
 */
static bool alike(struct middle *mid, struct element *a, struct element *b)
{
	size_t i = 0, j = 0, common = 0, less, more;

	if (*mid->work <= 0 || set_keys(mid, a) || set_keys(mid, b))
		return false;
	while (i < a->nr_keys && j < b->nr_keys) {
		if (a->key[i] == b->key[j])
			common++;
		if (a->key[i] <= b->key[j])
			j += a->key[i++] == b->key[j];
		else
			j++;
	}
	*mid->work -= (int64_t)(i + j);
	less = a->nr_keys < b->nr_keys ? a->nr_keys : b->nr_keys;
	more = a->nr_keys + b->nr_keys - less;
	return 2 * common >= less && 8 * common >= more;
}

static bool match(size_t i, size_t j, void *arg)
{
	struct middle *mid = arg;
	struct element *a = &mid->a[i], *b = &mid->b[j];

	if (a->node->place >= 0 || b->node->place >= 0)
		return a->node->place == b->node->place;
	return a->node->shape == b->node->shape || alike(mid, a, b);
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
static int compare_sites(const struct rsd_trace *t, const struct rsd_node *x,
	const struct rsd_node *y)
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
static void mix(struct merge *m, struct seq *a, struct rsd_node *x, struct rsd_node *stop_a,
	struct seq *b, const struct rsd_node *stop_b)
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
		unlink_node(b, y);
		link_before(a, y, x);
	}
}

/* ---- pairs ------------------------------------------------------------------------ */

/* x->ranks := those of both; *old gets what x had. */
static int unite_ranks(struct rsd_node *x, const struct rsd_ranks *of_x,
	const struct rsd_ranks *of_y, struct rsd_ranks **old)
{
	struct rsd_ranks *both = rsd_calloc(1, sizeof(*both));
	int err;

	if (!both)
		return RSD_ERR_NOMEM;
	err = rsd_ranks_union(both, of_x, of_y);
	*old = x->ranks;
	x->ranks = both;
	return err;
}

/* Unites 'y', which stands in no list any more, with 'x'. Takes 'y'. */
static int unite_nodes(struct merge *m, struct rsd_node *x, struct rsd_node *y,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb)
{
	const struct rsd_ranks *of_x = x->ranks ? x->ranks : ra;
	const struct rsd_ranks *of_y = y->ranks ? y->ranks : rb;
	struct rsd_ranks *old = NULL;
	int err = 0;

	if (x->ranks || y->ranks)
		err = unite_ranks(x, of_x, of_y, &old);
	if (!err && x->place < 0) {
		struct seq a = { &x->first, &x->last, x }, b = { &y->first, &y->last, y };

		err = rsd_params_merge(&x->count, &y->count);
		if (!err)
			err = unite_seqs(m, &a, &b, of_x, of_y);
	}
	if (old) {
		rsd_ranks_release(old);
		free(old);
	}
	rsd_node_free(y);
	return err;
}

/* Unites nodes of one shape from the front. Returns where a's sequence goes on. */
static int unite_heads(struct merge *m, struct seq *a, struct seq *b,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb, struct rsd_node **rest)
{
	struct rsd_node *x = *a->first, *y;
	int err = 0;

	while (!err && x && (y = *b->first) && same_shape(x, y)) {
		unlink_node(b, y);
		err = unite_nodes(m, x, y, ra, rb);
		x = x->next;
	}
	*rest = x;
	return err;
}

/* The same from the back, down to 'from'. '*stop' is where the nodes united begin: 'from' if all found partners. */
static int unite_tails(struct merge *m, struct seq *a, const struct rsd_node *from, struct seq *b,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb, struct rsd_node **stop)
{
	struct rsd_node *x, *y;
	int err = 0;

	*stop = NULL;
	while (!err && from != *stop && (y = *b->last)) {
		x = *stop ? (*stop)->prev : *a->last;
		if (!same_shape(x, y))
			break;
		unlink_node(b, y);
		err = unite_nodes(m, x, y, ra, rb);
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
		free(e[i].key);
	free(e);
}

/*
 * Indices of those elements of 'e' that may have a partner on the other side: loops, and events
 * whose place occurs there. Leaving the others out makes sequences cheap that have little in common.
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
	struct rsd_lcs l = { .match = match, .arg = mid, .work = mid->work, .pair = pair,
		.a = ia, .b = ib };
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

/* Weaves b's nodes into a's between 'from' and 'stop' as 'pair' says. */
static int weave(struct merge *m, struct seq *a, struct rsd_node *from, struct rsd_node *stop,
	struct seq *b, const struct middle *mid, const size_t *pair,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb)
{
	int err = 0;

	for (size_t i = 0; i < mid->nr_a && !err; i++) {
		struct rsd_node *x = mid->a[i].node, *y;

		if (pair[i] == SIZE_MAX)
			continue;
		y = mid->b[pair[i]].node;
		err = name_all_ranks(m, from, x, ra);
		if (!err)
			err = name_all_ranks(m, *b->first, y, rb);
		if (err)
			break;
		mix(m, a, from, x, b, y);
		unlink_node(b, y);
		err = unite_nodes(m, x, y, ra, rb);
		from = x->next;
	}
	if (!err)
		err = name_all_ranks(m, from, stop, ra);
	if (!err)
		err = name_all_ranks(m, *b->first, NULL, rb);
	if (!err)
		mix(m, a, from, stop, b, NULL);
	return err;
}

/* Aligns what is left between equal heads and tails: a's nodes from 'from' to 'stop' with all of b's. */
static int unite_middles(struct merge *m, struct seq *a, struct rsd_node *from,
	struct rsd_node *stop, struct seq *b, const struct rsd_ranks *ra, const struct rsd_ranks *rb)
{
	struct middle mid = { .work = m->work };
	size_t *pair = NULL;
	int err = RSD_ERR_NOMEM;

	if (from == stop || !*b->first)
		return weave(m, a, from, stop, b, &mid, NULL, ra, rb);
	mid.a = new_elements(from, stop, &mid.nr_a);
	mid.b = new_elements(*b->first, NULL, &mid.nr_b);
	pair = rsd_calloc(mid.nr_a, sizeof(*pair));
	if (mid.a && mid.b && pair)
		err = find_pairs(&mid, pair);
	if (!err)
		err = weave(m, a, from, stop, b, &mid, pair, ra, rb);
	free(pair);
	free_elements(mid.a, mid.nr_a);
	free_elements(mid.b, mid.nr_b);
	return err;
}

static int unite_seqs(struct merge *m, struct seq *a, struct seq *b,
	const struct rsd_ranks *ra, const struct rsd_ranks *rb)
{
	struct rsd_node *from, *stop = NULL;
	int err;

	err = unite_heads(m, a, b, ra, rb, &from);
	if (!err)
		err = unite_tails(m, a, from, b, ra, rb, &stop);
	if (!err)
		err = unite_middles(m, a, from, stop, b, ra, rb);
	return err;
}

int rsd_merge_trees(const struct rsd_trace *t, struct rsd_tree *a, struct rsd_tree *b,
	const struct rsd_ranks *ranks_a, const struct rsd_ranks *ranks_b, int64_t *work)
{
	struct merge m = { .t = t, .work = work, .same_ranks = rsd_ranks_equal(ranks_a, ranks_b) };
	struct seq sa = { &a->first, &a->last, NULL }, sb = { &b->first, &b->last, NULL };

	for (struct rsd_node *n = a->first; n; n = n->next)
		set_shape(n);
	for (struct rsd_node *n = b->first; n; n = n->next)
		set_shape(n);
	return unite_seqs(&m, &sa, &sb, ranks_a, ranks_b);
}
