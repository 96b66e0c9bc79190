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

#include "rsd_fit.h"
#include "util.h"

#define NOWHERE UINT32_MAX
#define NR_CANDIDATES 16	 /* periods tried per symbol, beyond the short ones */
#define LIFT_BODY 64		 /* longest body in which an event becomes a loop */
#define BASE 0xd1342543de82ef95u /* of the rolling hash; odd */

void rsd_queue_init(struct rsd_queue *q, int64_t window)
{
	*q = (struct rsd_queue){ .window = window, .expect = RSD_NO_SYMBOL };
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
	static const uint64_t b2 = BASE * BASE, b4 = b2 * b2, b8 = b4 * b4;
	uint64_t h = span_hash(q, pos + 1 - RSD_QUEUE_GRAM, pos + 1, b8 * b8);

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
		return rsd_queue_fail(q);
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
		return rsd_queue_fail(q);
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

/* The last p symbols equal the p before them: they become an open loop of two iterations. */
static int fold(struct rsd_queue *q, size_t p)
{
	rsd_symbol few[RSD_QUEUE_GRAM], *body = few, loop;
	int err = RSD_ERR_NOMEM;

	if (p > RSD_ARRAY_SIZE(few))
		body = rsd_malloc(p * sizeof(*body));
	if (!body)
		return rsd_queue_fail(q);
	for (size_t i = 0; i < p; i++)
		body[i] = q->top[q->nr - p + i].sym;
	loop = rsd_symbols_loop(&q->symbols, body, p);
	if (loop != RSD_NO_SYMBOL) {
		pop(q, 2 * p);
		err = push(q, loop);
		if (!err)
			err = rsd_queue_push_level(q, loop, 2);
	}
	if (body != few)
		free(body);
	if (err)
		return rsd_queue_fail(q);
	rsd_queue_set_expected(q);
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
	const struct rsd_top *t = &q->top[q->nr - 1];
	size_t max = q->nr / 2, p;
	uint32_t older;

	if (q->window >= 0 && max > (uint64_t)q->window)
		max = (size_t)q->window;
	for (p = 1; p < RSD_QUEUE_GRAM && p <= max; p++) {
		if (t->sym == t[-(ptrdiff_t)p].sym && last_repeats(q, p))
			return fold(q, p);
	}
	if (max < RSD_QUEUE_GRAM)
		return 0;
	older = t->older;
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
	return q->symbols.body[l->body + *pos] == sym && !rsd_queue_is_loop(q, sym);
}

static int lift(struct rsd_queue *q, rsd_symbol sym, uint32_t pos, bool *lifted)
{
	struct rsd_level *l = &q->level[0];
	uint64_t done = l->pos ? l->done : l->done - 1;
	rsd_symbol body[LIFT_BODY], inner, outer;
	int steps = 4 * LIFT_BODY;

	inner = rsd_symbols_loop(&q->symbols, &sym, 1);
	if (inner == RSD_NO_SYMBOL)
		return rsd_queue_fail(q);
	if (may_contain(q, l->body, l->nr_body, inner, &steps))
		return 0;
	memcpy(body, q->symbols.body + l->body, l->nr_body * sizeof(*body));
	body[pos] = inner;
	outer = rsd_symbols_loop(&q->symbols, body, l->nr_body);
	if (outer == RSD_NO_SYMBOL || rsd_column_append_run(q->symbols.sym[inner].count, 1, done))
		return rsd_queue_fail(q);
	pop(q, 1);
	q->nr_levels = 0;
	if (push(q, outer) || rsd_queue_push_level(q, outer, done) ||
		rsd_queue_push_level(q, inner, 2))
		return rsd_queue_fail(q);
	q->level[0].pos = pos;
	rsd_queue_set_expected(q);
	*lifted = true;
	return 0;
}

/* ---- closing, appending ------------------------------------------------------------------ */

static int add_pending(struct rsd_queue *q, const rsd_symbol *sym, size_t nr)
{
	if (RSD_GROW(q->pending, q->nr_pending + nr, q->alloc_pending))
		return rsd_queue_fail(q);
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
			if (rsd_queue_add_count(q, l->loop, l->done))
				return q->err;
			if (k > 0 && add_pending(q, &l->loop, 1))
				return q->err;
		}
		if (add_pending(q, q->symbols.body + l->body, l->pos))
			return q->err;
	}
	return 0;
}

/*
 * Closes the open loop. What is left of its last iteration goes to the top level
 * up to the last loop in it, and onto 'pending' from there.
 */
static int close_loop(struct rsd_queue *q)
{
	size_t base = q->nr_pending, nr, loops;

	if (rsd_fit_end(q) || gather(q))
		return q->err;
	q->nr_levels = 0;
	q->expect = RSD_NO_SYMBOL;

	nr = q->nr_pending - base;
	loops = nr;
	while (loops > 0 && !rsd_queue_is_loop(q, q->pending[base + loops - 1]))
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
		struct rsd_fit f;
		uint32_t pos;

		if (q->nr_levels == 0) {
			q->nr_pending--;
			if (push(q, sym) || match(q))
				return q->err;
			continue;
		}
		if (rsd_fit_find(q, sym, &f)) {
			done = true;
			if (rsd_fit_apply(q, &f))
				return q->err;
		} else if (rsd_fit_rewind(q, sym, &done)) {
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

int rsd_queue_append_other(struct rsd_queue *q, rsd_symbol sym)
{
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
