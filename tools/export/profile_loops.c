/* profile_loops.c - loops as nested control lines, how often they run, where they are: see profile.h */
#include <inttypes.h>
#include <stdlib.h>
#include "profile.h"
#include "util.h"

/* The signature of the first call in it, or (last) of its last; -1. */
static int sig_of_end(const struct rsd_profile *p, const struct rsd_item *i, bool last)
{
	const struct rsd_node *n = i->node;

	while (n && n->place < 0)
		n = last ? n->last : n->first;
	return n ? p->x->t->place[n->place].sig : -1;
}

/* The position of a control line: that of the loop's first call, or (last) of its last. */
static void put_position(
	const struct rsd_profile *p, const struct rsd_item *i, bool last, struct rsd_buf *out)
{
	int sig = sig_of_end(p, i, last);

	rsd_buf_printf(out, "%d ", sig < 0 ? 0 : p->site[sig]);
}

static void put_end(
	const struct rsd_profile *p, const struct rsd_item *i, int depth, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%*s", 2 * depth, "");
	put_position(p, i, true, out);
	rsd_buf_printf(out, "END loop %d\n", i->loop);
}

static void put_begin(
	const struct rsd_profile *p, const struct rsd_item *i, int depth, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%*s", 2 * depth, "");
	put_position(p, i, false, out);
	rsd_buf_printf(out, "BGN loop %" PRIu64 " %" PRIu64 " %.10g %" PRIu64 " %d %d %d ",
		i->total, i->entries, i->entries ? (double)i->total / (double)i->entries : 0,
		i->most, i->loop, i->parent < 0 ? -1 : p->tree.item[i->parent].loop, i->ranks);
	rsd_profile_where(p, sig_of_end(p, i, false), out);
	rsd_buf_put_byte(out, '\n');
}

static bool put_loops(const struct rsd_profile *p)
{
	const struct rsd_calltree *c = &p->tree;
	struct rsd_buf out = RSD_BUF_INIT;
	int depth = 0, open = -1, thread = -1;
	bool ok;

	for (size_t k = 0; k < c->nr_items; k++) {
		const struct rsd_item *i = &c->item[k];

		for (; open >= 0 && open != i->parent; open = c->item[open].parent)
			put_end(p, &c->item[open], --depth, &out);
		if (i->thread != thread) {
			if (thread >= 0)
				rsd_buf_printf(
					&out, "* END thread %d\n", rsd_thread_number(thread));
			thread = i->thread;
			rsd_buf_printf(&out, "START thread %d\n", rsd_thread_number(thread));
		}
		if (i->loop < 0)
			continue;
		put_begin(p, i, depth++, &out);
		open = (int)k;
	}
	for (; open >= 0; open = c->item[open].parent)
		put_end(p, &c->item[open], --depth, &out);
	if (thread >= 0)
		rsd_buf_printf(&out, "* END thread %d\n", rsd_thread_number(thread));
	rsd_buf_printf(&out, "* END program\n");
	ok = rsd_profile_put(p, "loops.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

static bool put_counts(const struct rsd_profile *p)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t k = 0; k < p->tree.nr_items; k++)
		if (p->tree.item[k].loop >= 0)
			rsd_buf_printf(&out, "%d %" PRIu64 "\n", p->tree.item[k].loop,
				p->tree.item[k].total);
	ok = rsd_profile_put(p, "loop_counts.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

/* Loops of one call path's frame are told by their depth in it. */
static bool put_positions(const struct rsd_profile *p)
{
	const struct rsd_calltree *c = &p->tree;
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t k = 0; k < c->nr_items; k++) {
		const struct rsd_item *i = &c->item[k];
		int owner, position = 0;

		if (i->loop < 0)
			continue;
		owner = i->state < 0 ? -1 : c->state[i->state].parent;
		for (; owner >= 0 && c->state[owner].kind == RSD_STATE_LOOP;
			owner = c->state[owner].parent)
			position++;
		rsd_buf_printf(
			&out, "%d %d %d %d ", owner < 0 ? 0 : owner, position, i->loop, i->state);
		rsd_profile_where(p, sig_of_end(p, i, false), &out);
		rsd_buf_put_byte(&out, '\n');
	}
	ok = rsd_profile_put(p, "loop_positions.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

bool rsd_profile_loops(struct rsd_profile *p)
{
	return put_loops(p) && put_counts(p) && put_positions(p);
}
