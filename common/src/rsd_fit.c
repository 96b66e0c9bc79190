/*
 * rsd_fit.c - the cursor: find where a symbol fits, go there, take steps back
 */
#include "rsd_fit.h"

#include <string.h>

#include "util.h"

#define FIT_STEPS 64	/* elements looked at to place one event */
#define REWIND 16	/* symbols that may turn out to have been outside the inner loop */
#define REWIND_LEVELS 3 /* how many loops may turn out to have been left */

int rsd_queue_fail(struct rsd_queue *q)
{
	q->expect = RSD_NO_SYMBOL;
	return q->err = RSD_ERR_NOMEM;
}

int rsd_queue_add_count(struct rsd_queue *q, rsd_symbol loop, uint64_t count)
{
	q->nr_counts++;
	if (!q->trying && rsd_column_append(q->symbols.sym[loop].count, (int64_t)count))
		return rsd_queue_fail(q);
	return 0;
}

int rsd_queue_push_level(struct rsd_queue *q, rsd_symbol loop, uint64_t done)
{
	const struct rsd_symbol_info *s = &q->symbols.sym[loop];

	if (RSD_GROW(q->level, q->nr_levels + 1, q->alloc_levels))
		return rsd_queue_fail(q);
	q->level[q->nr_levels++] = (struct rsd_level){
		.loop = loop, .body = s->body, .nr_body = s->nr_body, .done = done
	};
	return 0;
}

/* ---- the cursor ---------------------------------------------------------------------- */

enum scan { FOUND, BLOCKED, PASSED };

/*
 * Looks for 'sym' as the next thing done in a body, from position 'pos': loops may be passed
 * over, an event blocks. A loop symbol fits as the element that it is.
 */
static enum scan scan_body(const struct rsd_queue *q, uint32_t body, uint32_t nr_body, uint32_t pos,
	rsd_symbol sym, struct rsd_fit *f)
{
	if (f->depth == RSD_FIT_DEPTH)
		return BLOCKED;
	for (; pos < nr_body; pos++) {
		rsd_symbol e = q->symbols.body[body + pos];
		const struct rsd_symbol_info *s = &q->symbols.sym[e];
		int depth = f->depth;

		f->path[f->depth++] = pos;
		if (e == sym)
			return FOUND;
		if (s->place >= 0 || f->steps-- <= 0)
			return BLOCKED;
		if (scan_body(q, s->body, s->nr_body, 0, sym, f) == FOUND)
			return FOUND;
		f->depth = depth;
	}
	return PASSED;
}

bool rsd_fit_find(const struct rsd_queue *q, rsd_symbol sym, struct rsd_fit *f)
{
	f->steps = FIT_STEPS;
	for (size_t k = q->nr_levels; k-- > 0;) {
		const struct rsd_level *l = &q->level[k];
		uint32_t pos = l->pos + (k + 1 < q->nr_levels);

		f->level = k;
		f->again = false;
		f->depth = 0;
		if (f->steps-- <= 0)
			return false;
		if (pos > 0 && pos < l->nr_body) {
			switch (scan_body(q, l->body, l->nr_body, pos, sym, f)) {
			case FOUND:
				return true;
			case BLOCKED:
				return false;
			case PASSED:
				f->again = true;
			}
		}
		f->depth = 0;
		if (scan_body(q, l->body, l->nr_body, 0, sym, f) == FOUND)
			return true;
	}
	return false;
}

/* The elements of the innermost level up to 'end', all loops, are not done in this iteration. */
static int pass_over(struct rsd_queue *q, uint32_t end)
{
	struct rsd_level *l = &q->level[q->nr_levels - 1];

	for (; l->pos < end; l->pos++) {
		if (rsd_queue_add_count(q, q->symbols.body[l->body + l->pos], 0))
			return q->err;
	}
	return 0;
}

static int finish_iteration(struct rsd_queue *q)
{
	struct rsd_level *l = &q->level[q->nr_levels - 1];

	if (l->pos == 0)
		return 0;
	if (pass_over(q, l->nr_body))
		return q->err;
	l->pos = 0;
	l->done++;
	return 0;
}

static int leave_level(struct rsd_queue *q)
{
	const struct rsd_level *l = &q->level[q->nr_levels - 1];

	if (finish_iteration(q) || rsd_queue_add_count(q, l->loop, l->done))
		return q->err;
	q->nr_levels--;
	rsd_level_step(&q->level[q->nr_levels - 1]);
	return 0;
}

int rsd_fit_apply(struct rsd_queue *q, const struct rsd_fit *f)
{
	while (q->nr_levels - 1 > f->level) {
		if (leave_level(q))
			return q->err;
	}
	if (f->again && finish_iteration(q))
		return q->err;
	for (int i = 0;; i++) {
		const struct rsd_level *l = &q->level[q->nr_levels - 1];

		if (pass_over(q, f->path[i]))
			return q->err;
		if (i == f->depth - 1)
			break;
		if (rsd_queue_push_level(q, q->symbols.body[l->body + l->pos], 0))
			return q->err;
	}
	rsd_level_step(&q->level[q->nr_levels - 1]);
	rsd_queue_set_expected(q);
	return 0;
}

/* ---- taking back the last iteration of an inner loop ------------------------------------ */

struct item {
	rsd_symbol sym;
	uint64_t count; /* of a loop that has no entry for this execution yet */
};

struct items { /* what was done of an unfinished iteration, and the event that fits nowhere */
	struct item item[REWIND];
	int nr;
	bool loops; /* there are loops among them */
};

static bool add_items(const struct rsd_queue *q, struct items *t, uint32_t body, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		rsd_symbol sym = q->symbols.body[body + i];

		if (t->nr == REWIND)
			return false;
		t->item[t->nr++] = (struct item){ .sym = sym };
		t->loops |= rsd_queue_is_loop(q, sym);
	}
	return true;
}

/* Lists the unfinished iteration of level k. Loops still open in it are taken whole, or event by
 * event. */
static bool list_items(
	const struct rsd_queue *q, size_t k, bool whole, rsd_symbol sym, struct items *t)
{
	t->nr = 0;
	t->loops = false;
	for (size_t j = k; j < q->nr_levels; j++) {
		const struct rsd_level *l = &q->level[j];

		if (j > k && l->done > 0 && whole) {
			if (t->nr == REWIND)
				return false;
			t->item[t->nr++] = (struct item){ .sym = l->loop, .count = l->done };
			t->loops = true;
		} else if (j > k) {
			for (uint64_t i = 0; i < l->done; i++) {
				if (!add_items(q, t, l->body, l->nr_body))
					return false;
			}
		}
		if (!add_items(q, t, l->body, l->pos))
			return false;
	}
	if (t->nr == 0 || t->nr == REWIND || (!whole && t->loops))
		return false;
	t->item[t->nr++] = (struct item){ .sym = sym };
	return true;
}

/*
 * Leaves level k as if its unfinished iteration had not begun, and fits the items. Loops among
 * them may have entries already, so no other loop may get one before.
 */
static int refit(struct rsd_queue *q, size_t k, const struct items *t, bool *fits)
{
	struct rsd_fit f;

	*fits = false;
	q->nr_levels = k + 1;
	q->level[k].pos = 0;
	if (leave_level(q))
		return q->err;
	q->nr_counts = 0;
	for (int i = 0; i < t->nr; i++) {
		if (!rsd_fit_find(q, t->item[i].sym, &f))
			return 0;
		if (rsd_fit_apply(q, &f))
			return q->err;
		if (t->loops && q->nr_counts > 0)
			return 0;
		if (t->item[i].count && rsd_queue_add_count(q, t->item[i].sym, t->item[i].count))
			return q->err;
		q->nr_counts = 0;
	}
	*fits = true;
	return 0;
}

static int try_refit(struct rsd_queue *q, size_t k, const struct items *t, bool *fits)
{
	size_t nr_levels = q->nr_levels;

	memcpy(q->kept, q->level, nr_levels * sizeof(*q->level));
	q->trying = true;
	if (refit(q, k, t, fits))
		return q->err;
	q->trying = false;
	memcpy(q->level, q->kept, nr_levels * sizeof(*q->level));
	q->nr_levels = nr_levels;
	return *fits ? refit(q, k, t, fits) : 0;
}

int rsd_fit_rewind(struct rsd_queue *q, rsd_symbol sym, bool *fits)
{
	struct items t;

	*fits = false;
	if (q->nr_levels < 2)
		return 0;
	if (RSD_GROW(q->kept, q->nr_levels, q->alloc_kept))
		return rsd_queue_fail(q);
	for (size_t k = q->nr_levels; k-- > 1 && k + REWIND_LEVELS >= q->nr_levels;) {
		if (q->level[k].done == 0)
			continue;
		for (int whole = 1; whole >= 0; whole--) {
			if (!list_items(q, k, whole, sym, &t))
				continue;
			if (try_refit(q, k, &t, fits) || *fits)
				return q->err;
			if (!t.loops)
				break; /* the other list is the same */
		}
	}
	rsd_queue_set_expected(q);
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Could the iterations the cursor is in end here, with no loop left out but those that may be
 * passed over? */
static bool may_end(const struct rsd_queue *q)
{
	int steps = FIT_STEPS;

	for (size_t k = q->nr_levels; k-- > 0;) {
		const struct rsd_level *l = &q->level[k];
		uint32_t pos = l->pos + (k + 1 < q->nr_levels);

		for (; pos > 0 && pos < l->nr_body; pos++) {
			if (!rsd_queue_is_loop(q, q->symbols.body[l->body + pos]) || steps-- <= 0)
				return false;
		}
	}
	return true;
}

int rsd_fit_end(struct rsd_queue *q)
{
	if (!may_end(q))
		return 0;
	while (q->nr_levels > 1) {
		if (leave_level(q))
			return q->err;
	}
	return finish_iteration(q);
}
