/* calltree.c - see calltree.h */
#include "calltree.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

/* ---- items ------------------------------------------------------------------------------------- */

static int add_item(struct rsd_calltree *c, const struct rsd_node *n, int thread, int parent)
{
	if (RSD_GROW(c->item, c->nr_items + 1, c->alloc_items) ||
		rsd_map_set(&c->by_node, (uint64_t)(uintptr_t)n, c->nr_items))
		return RSD_ERR_NOMEM;
	c->item[c->nr_items] = (struct rsd_item){ .node = n,
		.thread = thread,
		.parent = parent,
		.loop = n->place < 0 ? c->nr_loops++ : -1,
		.state = -1,
		.sig = -1 };
	return (int)c->nr_items++;
}

static int add_items(struct rsd_calltree *c, const struct rsd_tree *tree)
{
	const struct rsd_node *n = tree->first;
	int parent = -1;

	while (n) {
		int at = add_item(c, n, tree->thread, parent);

		if (at < 0)
			return at;
		if (n->place < 0 && n->first) {
			parent = at;
			n = n->first;
			continue;
		}
		while (n && !n->next) {
			n = n->parent;
			if (n)
				parent = c->item[parent].parent;
		}
		if (n)
			n = n->next;
	}
	return 0;
}

const struct rsd_item *rsd_calltree_item(const struct rsd_calltree *c, const struct rsd_node *n)
{
	const uint64_t *at = rsd_map_find(&c->by_node, (uint64_t)(uintptr_t)n);

	return at ? &c->item[*at] : NULL;
}

/* ---- how often ------------------------------------------------------------------------------------ */

/* How often the body of a loop that one rank enters 'entries' times is gone through. */
static int go_through(struct rsd_item *i, int rank, uint64_t *body)
{
	struct rsd_column *col;
	struct rsd_column_stats s = { 0 };
	enum rsd_encoding enc;
	int err = rsd_params_get(&i->node->count, rank, &enc, &col);

	*body = 0;
	if (err)
		return err == RSD_ERR_END ? 0 : err;
	rsd_column_stats(col, &s);
	rsd_column_free(col);
	if (!s.nr)
		return 0;
	if (s.min < 0 || s.sum > 4e18)
		return RSD_ERR_FORMAT;
	*body = (uint64_t)s.sum;
	if ((uint64_t)s.max > i->most)
		i->most = (uint64_t)s.max;
	return 0;
}

/* scratch[k]: how often the body of item k is gone through by this rank. */
static int count_rank(struct rsd_calltree *c, int rank, uint64_t *scratch)
{
	for (size_t k = 0; k < c->nr_items; k++) {
		struct rsd_item *i = &c->item[k];
		uint64_t entries = i->parent < 0 ? 1 : scratch[i->parent];
		int err;

		scratch[k] = 0;
		if (!entries || (i->node->ranks && !rsd_ranks_has(i->node->ranks, rank)))
			continue;
		i->entries += entries;
		i->ranks++;
		if (i->loop < 0)
			continue;
		err = go_through(i, rank, &scratch[k]);
		if (err)
			return err;
		i->total += scratch[k];
	}
	return 0;
}

static int count(struct rsd_calltree *c)
{
	uint64_t *scratch = rsd_calloc(c->nr_items + 1, sizeof(*scratch));
	const struct rsd_ranks *ranks = &c->t->ranks;
	int err = scratch ? 0 : RSD_ERR_NOMEM;

	for (int r = rsd_ranks_first(ranks); r >= 0 && !err; r = rsd_ranks_next(ranks, r))
		err = count_rank(c, r, scratch);
	free(scratch);
	return err;
}

/* ---- paths ------------------------------------------------------------------------------------------ */

static const struct rsd_sig *sig_of(const struct rsd_trace *t, int sig)
{
	return sig < 0 || (size_t)sig >= t->sigs.nr_sigs ? NULL : &t->sigs.sig[sig];
}

/* Frame 'k' from outside. */
static const struct rsd_frame *frame_of(
	const struct rsd_trace *t, const struct rsd_sig *s, size_t k)
{
	return &t->sigs.frame[s->first + s->nr - 1 - k];
}

static size_t common(const struct rsd_trace *t, int a, int b, size_t most)
{
	const struct rsd_sig *x = sig_of(t, a), *y = sig_of(t, b);
	size_t k = 0;

	while (x && y && k < most && k < x->nr && k < y->nr &&
		frame_of(t, x, k)->module == frame_of(t, y, k)->module &&
		frame_of(t, x, k)->offset == frame_of(t, y, k)->offset)
		k++;
	return k;
}

/* A call in it: the loop is where all its calls are, and around each call's last frame. */
static void narrow(struct rsd_calltree *c, struct rsd_item *loop, int sig)
{
	const struct rsd_sig *s = sig_of(c->t, sig);
	size_t most = s && s->nr ? s->nr - 1 : 0;

	if (loop->sig < 0) {
		loop->sig = sig;
		loop->depth = most;
		return;
	}
	if (most < loop->depth)
		loop->depth = most;
	loop->depth = common(c->t, loop->sig, sig, loop->depth);
}

static void find_depths(struct rsd_calltree *c)
{
	for (size_t k = 0; k < c->nr_items; k++)
		if (c->item[k].loop < 0)
			for (int p = c->item[k].parent; p >= 0; p = c->item[p].parent)
				narrow(c, &c->item[p], c->t->place[c->item[k].node->place].sig);
	/* An inner one is nowhere further out than the one around it. */
	for (size_t k = 0; k < c->nr_items; k++)
		if (c->item[k].loop >= 0 && c->item[k].parent >= 0 &&
			c->item[k].depth < c->item[c->item[k].parent].depth)
			c->item[k].depth = c->item[c->item[k].parent].depth;
}

static bool is_same(const struct rsd_state *a, const struct rsd_state *b)
{
	if (a->kind != b->kind || a->parent != b->parent)
		return false;
	if (a->kind == RSD_STATE_FRAME)
		return a->frame.module == b->frame.module && a->frame.offset == b->frame.offset;
	return a->kind == RSD_STATE_LOOP ? a->item == b->item : a->place == b->place;
}

/* The child of that kind, found or added. */
static int child(struct rsd_calltree *c, const struct rsd_state *s)
{
	uint64_t key = rsd_hash_mix((uint64_t)s->parent << 3 | (unsigned)s->kind);
	const uint64_t *at;

	key ^= s->kind == RSD_STATE_FRAME
		       ? rsd_hash_mix((uint64_t)(unsigned)s->frame.module << 48 ^ s->frame.offset)
		       : rsd_hash_mix(
				 (uint64_t)(s->kind == RSD_STATE_LOOP ? s->item : s->place) + 1);
	while ((at = rsd_map_find(&c->by_child, key)) != NULL) {
		if (is_same(&c->state[*at], s))
			return (int)*at;
		key = rsd_hash_mix(key + 1);
	}
	if (RSD_GROW(c->state, c->nr_states + 1, c->alloc_states) ||
		rsd_map_set(&c->by_child, key, c->nr_states))
		return RSD_ERR_NOMEM;
	c->state[c->nr_states] = *s;
	return (int)c->nr_states++;
}

static int enter_loop(struct rsd_calltree *c, int at, int item)
{
	int state = child(c, &(struct rsd_state){ .kind = RSD_STATE_LOOP,
				     .parent = at,
				     .item = item,
				     .sig = -1,
				     .place = -1 });

	if (state >= 0 && c->item[item].state < 0)
		c->item[item].state = state;
	return state;
}

/* The path of a call: frames, and the loops around it where they belong. */
static int add_path(struct rsd_calltree *c, size_t item, const int *loop, size_t nr_loops)
{
	int place = c->item[item].node->place, sig = c->t->place[place].sig, at = 0;
	const struct rsd_sig *s = sig_of(c->t, sig);
	size_t nr = s ? s->nr : 0, l = 0;

	for (size_t k = 0; k <= nr && at >= 0; k++) {
		for (; l < nr_loops && at >= 0 && (k == nr || c->item[loop[l]].depth <= k); l++)
			at = enter_loop(c, at, loop[l]);
		if (k < nr && at >= 0)
			at = child(c, &(struct rsd_state){ .kind = RSD_STATE_FRAME,
					      .parent = at,
					      .frame = *frame_of(c->t, s, k),
					      .sig = k + 1 == nr ? sig : -1,
					      .item = -1,
					      .place = -1 });
		if (k + 1 == nr && at >= 0 && c->state[at].sig < 0)
			c->state[at].sig = sig;
	}
	if (at >= 0)
		at = child(c, &(struct rsd_state){ .kind = RSD_STATE_CALL,
				      .parent = at,
				      .item = (int)item,
				      .place = place,
				      .sig = sig });
	if (at < 0)
		return at;
	c->item[item].state = at;
	for (; at >= 0; at = c->state[at].parent)
		c->state[at].calls += c->item[item].entries;
	return 0;
}

static int add_paths(struct rsd_calltree *c)
{
	int *loop = NULL, err = 0;
	size_t alloc = 0, nr;

	for (size_t k = 0; k < c->nr_items && !err; k++) {
		if (c->item[k].loop >= 0)
			continue;
		nr = 0;
		for (int p = c->item[k].parent; p >= 0; p = c->item[p].parent)
			nr++;
		if (RSD_GROW(loop, nr + 1, alloc)) {
			err = RSD_ERR_NOMEM;
			break;
		}
		for (int p = c->item[k].parent, i = (int)nr; p >= 0; p = c->item[p].parent)
			loop[--i] = p;
		err = add_path(c, k, loop, nr);
	}
	free(loop);
	return err;
}

int rsd_calltree_init(struct rsd_calltree *c, const struct rsd_trace *t)
{
	int err = 0;

	*c = (struct rsd_calltree){ .t = t };
	if (RSD_GROW(c->state, 1, c->alloc_states))
		return RSD_ERR_NOMEM;
	c->state[c->nr_states++] = (struct rsd_state){
		.kind = RSD_STATE_ROOT, .parent = -1, .sig = -1, .item = -1, .place = -1
	};
	for (size_t i = 0; i < t->nr_trees && !err; i++)
		err = add_items(c, &t->tree[i]);
	if (!err)
		err = count(c);
	find_depths(c);
	if (!err)
		err = add_paths(c);
	return err;
}

void rsd_calltree_release(struct rsd_calltree *c)
{
	free(c->item);
	free(c->state);
	rsd_map_release(&c->by_child);
	rsd_map_release(&c->by_node);
}
