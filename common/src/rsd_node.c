/*
 * rsd_node.c - folding: the cursor in the open loop, and matching at the top level
 *
 * The columns of loop counts must stay in execution order although symbols return
 * from a closed loop to the top level. Two rules see to that. What a body contains is
 * never executed within itself, so the open loops have no entries in between. And symbols that
 * return go to the top level unmatched up to the last loop among them: as long as
 * a loop with its entry is still to come, no new entry can be made before it.
 */
#include "rsd_node.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

#define NOWHERE UINT32_MAX
#define NR_CANDIDATES 16	 /* periods tried per symbol, beyond the short ones */
#define FIT_STEPS 64		 /* elements looked at to place one event */
#define FIT_DEPTH 16		 /* loops entered by one event */
#define LIFT_BODY 64		 /* longest body in which an event becomes a loop */
#define REWIND 16		 /* symbols that may turn out to have been outside the inner loop */
#define REWIND_LEVELS 3		 /* how many loops may turn out to have been left */
#define BASE 0xd1342543de82ef95u /* of the rolling hash; odd */

void rsd_queue_init(struct rsd_queue *q, int64_t window)
{
	*q = (struct rsd_queue){.window = window, .expect = RSD_NO_SYMBOL};
	rsd_symbols_init(&q->symbols);
}

void rsd_queue_release(struct rsd_queue *q)
{
	rsd_symbols_release(&q->symbols);
	free(q->top);
	free(q->bucket);
	free(q->level);
	free(q->kept);
	free(q->pending);
	rsd_queue_init(q, q->window);
}

static int fail(struct rsd_queue *q)
{
	q->expect = RSD_NO_SYMBOL;
	return q->err = RSD_ERR_NOMEM;
}

static bool is_loop(const struct rsd_queue *q, rsd_symbol sym)
{
	return q->symbols.sym[sym].place < 0;
}

static int add_count(struct rsd_queue *q, rsd_symbol loop, uint64_t count)
{
	q->nr_counts++;
	if (!q->trying && rsd_column_append(q->symbols.sym[loop].count, (int64_t)count))
		return fail(q);
	return 0;
}

/* ---- the top level: grams and rolling hashes ------------------------------------- */

static uint64_t power(size_t n)
{
	uint64_t r = 1;

	for (uint64_t b = BASE; n; n >>= 1, b *= b) {
		if (n & 1)
			r *= b;
	}
	return r;
}

/* Hash of top[from..to), 'shift' being power(to - from). */
static uint64_t span_hash(const struct rsd_queue *q, size_t from, size_t to, uint64_t shift)
{
	return q->top[to - 1].prefix - (from ? q->top[from - 1].prefix * shift : 0);
}

static uint32_t *gram_bucket(const struct rsd_queue *q, size_t pos)
{
	uint64_t h = span_hash(q, pos + 1 - RSD_QUEUE_GRAM, pos + 1, power(RSD_QUEUE_GRAM));

	return &q->bucket[rsd_hash_mix(h) & (q->nr_buckets - 1)];
}

static void enter_gram(struct rsd_queue *q, size_t pos)
{
	uint32_t *b;

	q->top[pos].older = NOWHERE;
	if (pos + 1 < RSD_QUEUE_GRAM)
		return;
	b = gram_bucket(q, pos);
	q->top[pos].older = *b;
	*b = (uint32_t)pos;
}

static int grow_buckets(struct rsd_queue *q)
{
	size_t nr = q->nr_buckets ? 2 * q->nr_buckets : 64;
	uint32_t *bucket = rsd_malloc(nr * sizeof(*bucket));

	if (!bucket)
		return fail(q);
	memset(bucket, 0xff, nr * sizeof(*bucket));
	free(q->bucket);
	q->bucket = bucket;
	q->nr_buckets = nr;
	for (size_t i = 0; i < q->nr; i++)
		enter_gram(q, i);
	return 0;
}

static int push(struct rsd_queue *q, rsd_symbol sym)
{
	struct rsd_top *t;

	if (q->nr >= NOWHERE || RSD_GROW(q->top, q->nr + 1, q->alloc))
		return fail(q);
	if (q->nr >= q->nr_buckets && grow_buckets(q))
		return q->err;
	t = &q->top[q->nr];
	t->sym = sym;
	t->prefix = (q->nr ? t[-1].prefix * BASE : 0) + q->symbols.sym[sym].hash;
	enter_gram(q, q->nr);
	q->nr++;
	return 0;
}

static void pop(struct rsd_queue *q, size_t nr)
{
	while (nr--) {
		q->nr--;
		if (q->nr + 1 >= RSD_QUEUE_GRAM)
			*gram_bucket(q, q->nr) = q->top[q->nr].older;
	}
}

/* ---- matching ---------------------------------------------------------------------- */

static int push_level(struct rsd_queue *q, rsd_symbol loop, uint64_t done)
{
	const struct rsd_symbol_info *s = &q->symbols.sym[loop];

	if (RSD_GROW(q->level, q->nr_levels + 1, q->alloc_levels))
		return fail(q);
	q->level[q->nr_levels++] = (struct rsd_level){
		.loop = loop, .body = s->body, .nr_body = s->nr_body, .done = done};
	return 0;
}

static void set_expected(struct rsd_queue *q)
{
	const struct rsd_level *l = &q->level[q->nr_levels - 1];

	q->expect = q->symbols.body[l->body + l->pos];
}

/* The last p symbols equal the p before them: they become an open loop of two iterations. */
static int fold(struct rsd_queue *q, size_t p)
{
	rsd_symbol few[RSD_QUEUE_GRAM], *body = few, loop;
	int err = RSD_ERR_NOMEM;

	if (p > RSD_ARRAY_SIZE(few))
		body = rsd_malloc(p * sizeof(*body));
	if (!body)
		return fail(q);
	for (size_t i = 0; i < p; i++)
		body[i] = q->top[q->nr - p + i].sym;
	loop = rsd_symbols_loop(&q->symbols, body, p);
	if (loop != RSD_NO_SYMBOL) {
		pop(q, 2 * p);
		err = push(q, loop);
		if (!err)
			err = push_level(q, loop, 2);
	}
	if (body != few)
		free(body);
	if (err)
		return fail(q);
	set_expected(q);
	return 0;
}

static bool last_repeats(const struct rsd_queue *q, size_t p)
{
	const struct rsd_top *a = &q->top[q->nr - p], *b = a - p;

	for (size_t i = p; i-- > 0;) {
		if (a[i].sym != b[i].sym)
			return false;
	}
	return true;
}

static bool last_repeats_by_hash(const struct rsd_queue *q, size_t p)
{
	size_t n = q->nr;
	uint64_t shift;

	if (q->top[n - 1].sym != q->top[n - 1 - p].sym ||
		q->top[n - 2].sym != q->top[n - 2 - p].sym)
		return false;
	shift = power(p);
	return span_hash(q, n - p, n, shift) == span_hash(q, n - 2 * p, n - p, shift) &&
	       last_repeats(q, p);
}

/* Matches the symbol that is last at the top level; opens a loop where it completes a repetition.
 */
static int match(struct rsd_queue *q)
{
	size_t max = q->nr / 2, p;
	uint32_t older;

	if (q->window >= 0 && max > (uint64_t)q->window)
		max = (size_t)q->window;
	for (p = 1; p < RSD_QUEUE_GRAM && p <= max; p++) {
		if (last_repeats(q, p))
			return fold(q, p);
	}
	if (max < RSD_QUEUE_GRAM)
		return 0;
	older = q->top[q->nr - 1].older;
	for (int i = 0; i < NR_CANDIDATES && older != NOWHERE; i++) {
		p = q->nr - 1 - older;
		if (p > max)
			break;
		if (p >= RSD_QUEUE_GRAM && last_repeats_by_hash(q, p))
			return fold(q, p);
		older = q->top[older].older;
	}
	return 0;
}

/* ---- the cursor ---------------------------------------------------------------------- */

/* Where an event fits: in level 'level', after leaving those inside it, at body position path[0],
 * entering loops there. */
struct fit {
	size_t level;
	bool again; /* not in the current iteration but in the next one */
	uint32_t path[FIT_DEPTH];
	int depth; /* of path, > 0 */
	int steps; /* left */
};

enum scan { FOUND, BLOCKED, PASSED };

/*
 * Looks for 'sym' as the next thing done in a body, from position 'pos': loops may be passed
 * over, an event blocks. A loop symbol fits as the element that it is.
 */
static enum scan scan_body(const struct rsd_queue *q, uint32_t body, uint32_t nr_body, uint32_t pos,
	rsd_symbol sym, struct fit *f)
{
	if (f->depth == FIT_DEPTH)
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

static bool find_fit(const struct rsd_queue *q, rsd_symbol sym, struct fit *f)
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
		if (add_count(q, q->symbols.body[l->body + l->pos], 0))
			return q->err;
	}
	return 0;
}

static void step(struct rsd_level *l)
{
	if (++l->pos == l->nr_body) {
		l->pos = 0;
		l->done++;
	}
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

	if (finish_iteration(q) || add_count(q, l->loop, l->done))
		return q->err;
	q->nr_levels--;
	step(&q->level[q->nr_levels - 1]);
	return 0;
}

static int apply_fit(struct rsd_queue *q, const struct fit *f)
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
		if (push_level(q, q->symbols.body[l->body + l->pos], 0))
			return q->err;
	}
	step(&q->level[q->nr_levels - 1]);
	set_expected(q);
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
		t->item[t->nr++] = (struct item){.sym = sym};
		t->loops |= is_loop(q, sym);
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
			t->item[t->nr++] = (struct item){.sym = l->loop, .count = l->done};
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
	t->item[t->nr++] = (struct item){.sym = sym};
	return true;
}

/*
 * Leaves level k as if its unfinished iteration had not begun, and fits the items. Loops among
 * them may have entries already, so no other loop may get one before.
 */
static int refit(struct rsd_queue *q, size_t k, const struct items *t, bool *fits)
{
	struct fit f;

	*fits = false;
	q->nr_levels = k + 1;
	q->level[k].pos = 0;
	if (leave_level(q))
		return q->err;
	q->nr_counts = 0;
	for (int i = 0; i < t->nr; i++) {
		if (!find_fit(q, t->item[i].sym, &f))
			return 0;
		if (apply_fit(q, &f))
			return q->err;
		if (t->loops && q->nr_counts > 0)
			return 0;
		if (t->item[i].count && add_count(q, t->item[i].sym, t->item[i].count))
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

/*
 * Repeating an inner loop was preferred to leaving it: wrong where what follows the
 * loop begins like its body. Then what was done of its unfinished iteration is fitted
 * again, after it; first on trial.
 */
static int rewind_inner(struct rsd_queue *q, rsd_symbol sym, bool *fits)
{
	struct items t;

	*fits = false;
	if (q->nr_levels < 2)
		return 0;
	if (RSD_GROW(q->kept, q->nr_levels, q->alloc_kept))
		return fail(q);
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
	set_expected(q);
	return 0;
}

/* ---- an event in the open loop's body becomes a loop ------------------------------------ */

/* Does 'loop' occur in the body, at any depth? True where that would be long to find out. */
static bool may_contain(
	const struct rsd_queue *q, uint32_t body, uint32_t nr_body, rsd_symbol loop, int *steps)
{
	for (uint32_t i = 0; i < nr_body; i++) {
		rsd_symbol e = q->symbols.body[body + i];
		const struct rsd_symbol_info *s = &q->symbols.sym[e];

		if (e == loop || --*steps <= 0)
			return true;
		if (s->place < 0 && may_contain(q, s->body, s->nr_body, loop, steps))
			return true;
	}
	return false;
}

/*
 * Can the event before the cursor be a loop? Its entries for the earlier iterations are made
 * now, all 1: right only if that loop has had no entries since the open loop began.
 */
static bool can_lift(const struct rsd_queue *q, rsd_symbol sym, uint32_t *pos)
{
	const struct rsd_level *l = &q->level[0];

	if (q->nr_levels != 1 || l->nr_body < 2 || l->nr_body > LIFT_BODY)
		return false;
	*pos = l->pos ? l->pos - 1 : l->nr_body - 1;
	return q->symbols.body[l->body + *pos] == sym && !is_loop(q, sym);
}

static int lift(struct rsd_queue *q, rsd_symbol sym, uint32_t pos, bool *lifted)
{
	struct rsd_level *l = &q->level[0];
	uint64_t done = l->pos ? l->done : l->done - 1;
	rsd_symbol body[LIFT_BODY], inner, outer;
	int steps = 4 * LIFT_BODY;

	inner = rsd_symbols_loop(&q->symbols, &sym, 1);
	if (inner == RSD_NO_SYMBOL)
		return fail(q);
	if (may_contain(q, l->body, l->nr_body, inner, &steps))
		return 0;
	memcpy(body, q->symbols.body + l->body, l->nr_body * sizeof(*body));
	body[pos] = inner;
	outer = rsd_symbols_loop(&q->symbols, body, l->nr_body);
	if (outer == RSD_NO_SYMBOL || rsd_column_append_run(q->symbols.sym[inner].count, 1, done))
		return fail(q);
	pop(q, 1);
	q->nr_levels = 0;
	if (push(q, outer) || push_level(q, outer, done) || push_level(q, inner, 2))
		return fail(q);
	q->level[0].pos = pos;
	set_expected(q);
	*lifted = true;
	return 0;
}

/* ---- closing, appending ------------------------------------------------------------------ */

static int add_pending(struct rsd_queue *q, const rsd_symbol *sym, size_t nr)
{
	if (RSD_GROW(q->pending, q->nr_pending + nr, q->alloc_pending))
		return fail(q);
	memcpy(q->pending + q->nr_pending, sym, nr * sizeof(*sym));
	q->nr_pending += nr;
	return 0;
}

/* Gathers what was done of the unfinished iterations, in order, and gives the loops done their
 * counts. */
static int gather(struct rsd_queue *q)
{
	for (size_t k = 0; k < q->nr_levels; k++) {
		const struct rsd_level *l = &q->level[k];

		if (k == 0 || l->done > 0) {
			if (add_count(q, l->loop, l->done))
				return q->err;
			if (k > 0 && add_pending(q, &l->loop, 1))
				return q->err;
		}
		if (add_pending(q, q->symbols.body + l->body, l->pos))
			return q->err;
	}
	return 0;
}

/* Could the iterations the cursor is in end here, with no loop left out but those that may be
 * passed over? */
static bool may_end(const struct rsd_queue *q)
{
	int steps = FIT_STEPS;

	for (size_t k = q->nr_levels; k-- > 0;) {
		const struct rsd_level *l = &q->level[k];
		uint32_t pos = l->pos + (k + 1 < q->nr_levels);

		for (; pos > 0 && pos < l->nr_body; pos++) {
			if (!is_loop(q, q->symbols.body[l->body + pos]) || steps-- <= 0)
				return false;
		}
	}
	return true;
}

static int end_iterations(struct rsd_queue *q)
{
	while (q->nr_levels > 1) {
		if (leave_level(q))
			return q->err;
	}
	return finish_iteration(q);
}

/*
 * Closes the open loop. What is left of its last iteration goes to the top level
 * up to the last loop in it, and onto 'pending' from there.
 */
static int close_loop(struct rsd_queue *q)
{
	size_t base = q->nr_pending, nr, loops;

	if ((may_end(q) && end_iterations(q)) || gather(q))
		return q->err;
	q->nr_levels = 0;
	q->expect = RSD_NO_SYMBOL;

	nr = q->nr_pending - base;
	loops = nr;
	while (loops > 0 && !is_loop(q, q->pending[base + loops - 1]))
		loops--;
	for (size_t i = 0; i < loops; i++) {
		if (push(q, q->pending[base + i]))
			return q->err;
	}
	/* the rest, next one last */
	nr -= loops;
	memmove(q->pending + base, q->pending + base + loops, nr * sizeof(*q->pending));
	q->nr_pending = base + nr;
	for (size_t i = 0; i < nr / 2; i++) {
		rsd_symbol t = q->pending[base + i];

		q->pending[base + i] = q->pending[base + nr - 1 - i];
		q->pending[base + nr - 1 - i] = t;
	}
	return match(q);
}

/* Works off 'pending'. A loop that closes on the way puts the symbols of its last iteration on it.
 */
static int append_pending(struct rsd_queue *q)
{
	while (q->nr_pending) {
		rsd_symbol sym = q->pending[q->nr_pending - 1];
		bool done = false;
		struct fit f;
		uint32_t pos;

		if (q->nr_levels == 0) {
			q->nr_pending--;
			if (push(q, sym) || match(q))
				return q->err;
			continue;
		}
		if (find_fit(q, sym, &f)) {
			done = true;
			if (apply_fit(q, &f))
				return q->err;
		} else if (rewind_inner(q, sym, &done)) {
			return q->err;
		} else if (!done && can_lift(q, sym, &pos)) {
			if (lift(q, sym, pos, &done))
				return q->err;
		}
		if (done)
			q->nr_pending--;
		else if (close_loop(q))
			return q->err;
	}
	return 0;
}

int rsd_queue_append(struct rsd_queue *q, rsd_symbol sym)
{
	if (sym == q->expect) {
		struct rsd_level *l = &q->level[q->nr_levels - 1];

		step(l);
		q->expect = q->symbols.body[l->body + l->pos];
		q->nr_events++;
		return 0;
	}
	if (q->err)
		return q->err;
	q->nr_pending = 0;
	if (add_pending(q, &sym, 1) || append_pending(q))
		return q->err;
	q->nr_events++;
	return 0;
}

int rsd_queue_close(struct rsd_queue *q)
{
	if (q->err)
		return q->err;
	q->nr_pending = 0;
	while (q->nr_levels > 0) {
		if (close_loop(q) || append_pending(q))
			return q->err;
	}
	return 0;
}
