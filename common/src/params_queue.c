#include <stdlib.h>
#include <string.h>

#include "params_queue_impl.h"
#include "opstruct.h"
#include "util.h"

/*
 * Appending again what a failed prediction had taken may fail predictions in turn;
 * deeper than this it is stored as it is.
 */
#define MAX_FEEDING 16

struct rsd_column *rsd_column_new(bool symbolic)
{
	struct rsd_column *c = rsd_calloc(1, sizeof(*c));

	if (c)
		c->symbolic = symbolic;
	return c;
}

static void free_frozen(struct rsd_frozen *f)
{
	if (f) {
		rsd_buf_release(&f->bytes);
		free(f->mark);
	}
	free(f);
}

void rsd_column_free(struct rsd_column *c)
{
	if (!c)
		return;
	free_frozen(c->frozen);
	rsd_window_free(c->window);
	free(c->predict);
	free(c->item);
	free(c);
}

int rsd_column_reserve(struct rsd_column *c, size_t nr)
{
	if (nr <= c->alloc)
		return 0;
	if (nr > UINT32_MAX)
		return RSD_ERR_NOMEM;
	return RSD_GROW(c->item, nr, c->alloc);
}

/* How often may 'stride' be added to 'v' before it leaves the numbers? Constants have stride 0. */
static uint64_t room(int64_t v, int64_t stride)
{
	const int64_t least = INT64_MIN + RSD_CONST_MAX;

	if (stride == 0)
		return RSD_COLUMN_MAX_LENGTH;
	if (stride > 0)
		return ((uint64_t)INT64_MAX - (uint64_t)v) / (uint64_t)stride;
	return ((uint64_t)v - (uint64_t)least) / (0 - (uint64_t)stride);
}

/* The open item is a run, its count is right: sets up what may follow. */
void rsd_column_expect_run(struct rsd_column *c)
{
	const struct rsd_item *run = &c->item[c->open];
	int64_t last = rsd_item_last(run);

	c->state = RSD_OPEN_RUN;
	c->stride = run->count > 1 ? run->stride : 0;
	c->expect = rsd_wrap_add(last, c->stride);
	c->left = c->mark = room(last, c->stride);
}

static void sync_run(struct rsd_column *c)
{
	c->item[c->open].count += c->mark - c->left;
	c->mark = c->left;
}

int64_t rsd_column_predict_offset(const struct rsd_column *c)
{
	const struct rsd_predict *p = c->predict;
	int64_t offset = p->level[p->nr - 1].offset;

	for (const struct rsd_item *i = &c->item[p->at - 1]; rsd_item_is_move(i); i--)
		offset = rsd_wrap_add(
			offset, rsd_wrap_mul(i->start,
					p->level[p->nr - 1 - (size_t)rsd_item_level(i)].done));
	return rsd_is_const(c->item[p->at].start) ? 0 : offset;
}

/* Goes down to the next run from predict->at on, which is inside level[nr-1]. */
static void predict_enter(struct rsd_column *c)
{
	struct rsd_predict *p = c->predict;
	int64_t offset = p->level[p->nr - 1].offset;
	const struct rsd_item *i = &c->item[p->at];
	bool wide = false;

	for (; rsd_item_is_rep(i); i = &c->item[++p->at])
		p->level[p->nr++] = (struct rsd_predict_level){ p->at, 0, offset };
	for (; rsd_item_is_move(i); i = &c->item[++p->at]) {
		uint64_t done = p->level[p->nr - 1 - (size_t)rsd_item_level(i)].done;

		wide |= !rsd_item_may_move(i, done);
		offset = rsd_wrap_add(offset, rsd_wrap_mul(i->start, done));
	}
	c->expect = rsd_is_const(i->start) ? i->start : rsd_wrap_add(i->start, offset);
	c->stride = i->count > 1 ? i->stride : 0;
	c->left = i->count;
	p->blocked = wide || (offset != 0 && !rsd_is_const(i->start) &&
				     !(rsd_is_small(i->start) && rsd_is_small(rsd_item_last(i)) &&
					     rsd_is_small(offset)));
	if (p->blocked)
		c->left = 0;
}

void rsd_column_advance(struct rsd_column *c)
{
	struct rsd_predict *p = c->predict;

	p->at++;
	for (;;) {
		struct rsd_predict_level *l = &p->level[p->nr - 1];
		struct rsd_item *rep = &c->item[l->rep];

		if (p->at <= l->rep + (uint64_t)rep->stride)
			break;
		l->done++;
		if (p->nr == 1)
			rep->count = l->done | RSD_ITEM_REP;
		if (p->nr == 1 || l->done < rsd_item_count(rep)) {
			l->offset = rsd_wrap_add(l->offset, rep->start);
			p->at = l->rep + 1;
			break;
		}
		p->nr--;
	}
	predict_enter(c);
}

static int nesting(const struct rsd_item *item, uint32_t nr)
{
	uint64_t end[RSD_COLUMN_DEPTH];
	int depth = 0, deepest = 0;

	for (uint32_t i = 0; i < nr; i++) {
		while (depth && i >= end[depth - 1])
			depth--;
		if (!rsd_item_is_rep(&item[i]))
			continue;
		rsd_assert(depth < RSD_COLUMN_DEPTH);
		end[depth++] = i + 1 + (uint64_t)item[i].stride;
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

/* The rep at 'at', the last item, becomes the open one. Makes room for rsd_column_expose(). */
int rsd_column_begin_rep(struct rsd_column *c, uint32_t at)
{
	const struct rsd_item *rep = &c->item[at];
	uint64_t body = (uint64_t)rep->stride, depth = (uint64_t)nesting(rep, (uint32_t)body + 1);
	int err;

	err = rsd_column_reserve(c, at + 2 + 2 * depth * (body + 1));
	if (err)
		return err;
	if (!c->predict) {
		c->predict = rsd_malloc(sizeof(*c->predict));
		if (!c->predict)
			return RSD_ERR_NOMEM;
	}
	rep = &c->item[at];
	c->state = RSD_OPEN_REP;
	c->open = at;
	c->predict->level[0] = (struct rsd_predict_level){ at, rsd_item_count(rep),
		rsd_wrap_mul(rep->start, rsd_item_count(rep)) };
	c->predict->nr = 1;
	c->predict->at = at + 1;
	predict_enter(c);
	return 0;
}

/* Flat items [from, to) as they stand in the given rounds; returns how many. */
static uint32_t put_items(const struct rsd_column *c, uint32_t from, uint32_t to,
	const struct rsd_rounds *r, int64_t offset, struct rsd_item *out)
{
	struct rsd_item_place p = { .byte = SIZE_MAX, .live = from, .nr_live = to };

	return (uint32_t)rsd_item_place_copy(&p, c, to - from, r, 0, offset, out);
}

/* The complete rounds of the inner rep at level k, of which there are some. */
static uint32_t put_rounds(
	const struct rsd_column *c, size_t k, struct rsd_rounds *r, struct rsd_item *out)
{
	const struct rsd_predict_level *l = &c->predict->level[k];
	uint32_t end = l->rep + 1 + (uint32_t)c->item[l->rep].stride, nr;
	int64_t offset = c->predict->level[k - 1].offset;

	if (l->done > 1) {
		nr = put_items(c, l->rep, end, r, offset, out);
		out[0].count = l->done | RSD_ITEM_REP;
		return nr;
	}
	r->done[r->nr++] = 0;
	nr = put_items(c, l->rep + 1, end, r, offset, out);
	r->nr--;
	return nr;
}

/* The part of an unfinished round that has been walked, as items; returns how many. */
static uint32_t partial_round(const struct rsd_column *c, struct rsd_item *out)
{
	const struct rsd_predict *p = c->predict;
	const struct rsd_item *run = &c->item[p->at];
	uint64_t taken = p->blocked ? 0 : run->count - c->left;
	struct rsd_rounds r = { .nr = 0 };
	uint32_t nr = 0;

	for (size_t k = 0; k < p->nr; k++) {
		const struct rsd_predict_level *l = &p->level[k];
		uint32_t end = k + 1 < p->nr ? p->level[k + 1].rep : p->at;

		if (k > 0 && l->done > 0)
			nr += put_rounds(c, k, &r, &out[nr]);
		r.done[r.nr++] = l->done;
		nr += put_items(c, l->rep + 1, end, &r, l->offset, &out[nr]);
	}
	if (taken)
		out[nr++] =
			(struct rsd_item){ rsd_wrap_add(run->start, rsd_column_predict_offset(c)),
				taken > 1 ? run->stride : 0, taken };
	return nr;
}

uint32_t rsd_column_expose(const struct rsd_column *c)
{
	struct rsd_column *open =
		(struct rsd_column *)c; /* counts are brought up to date; no value changes */

	if (c->state == RSD_OPEN_RUN)
		sync_run(open);
	if (c->state != RSD_OPEN_REP)
		return c->nr;
	if (!c->left && !c->predict->blocked)
		rsd_column_advance(open);
	return c->nr + partial_round(c, &c->item[c->nr]);
}

/* Closes the open item, and the ones that closing makes, until none is open. */
static int close_all(struct rsd_column *c)
{
	int err = 0;

	while (!err && c->state != RSD_OPEN_NONE)
		err = rsd_column_close(c);
	return err;
}

int rsd_column_push_rep(struct rsd_column *c, const struct rsd_column *src,
	struct rsd_item_place *body, const struct rsd_item *rep, uint64_t rounds,
	const struct rsd_rounds *r, int64_t offset)
{
	struct rsd_item_place q = *body;
	uint64_t nr = (uint64_t)rep->stride;
	int err = close_all(c);

	if (!err)
		err = nr < UINT32_MAX ? rsd_column_reserve(c, c->nr + nr + 1) : RSD_ERR_NOMEM;
	if (err)
		return err;
	c->length += rsd_item_place_length(&q, src, nr) * rounds;
	c->open = c->nr;
	nr = rsd_item_place_copy(body, src, nr, r, 1, offset, &c->item[c->open + 1]);
	c->item[c->open] = (struct rsd_item){ rep->start, (int64_t)nr, rounds | RSD_ITEM_REP };
	c->nr = c->open + 1 + (uint32_t)nr;
	err = rsd_column_begin_rep(c, c->open);
	return err ? err : close_all(c);
}

/* Stores items as they are. */
static int push_items(struct rsd_column *c, const struct rsd_column *src, struct rsd_item_place *p)
{
	const struct rsd_rounds first = { .done = { 0 }, .nr = 1 };
	struct rsd_item item;
	int err = close_all(c);

	while (!err && rsd_item_place_next(p, src, &item)) {
		if (rsd_item_is_rep(&item)) {
			err = rsd_column_push_rep(
				c, src, p, &item, rsd_item_count(&item), &first, 0);
			continue;
		}
		err = rsd_column_reserve(c, (size_t)c->nr + 1);
		if (err)
			break;
		c->open = c->nr++;
		c->item[c->open] = item;
		c->length += item.count;
		rsd_column_expect_run(c);
		err = close_all(c);
	}
	return err;
}

/*
 * What was foreseen did not come: the rep ends with its last complete round, and what
 * was taken of the next one is appended again.
 */
static int fail_prediction(struct rsd_column *c)
{
	struct rsd_column part = { .symbolic = c->symbolic };
	struct rsd_rounds r = { .nr = 0 };
	uint32_t nr = partial_round(c, &c->item[c->nr]);
	struct rsd_item_place p;
	int err;

	if (!nr)
		return rsd_column_close(c);
	part.item = rsd_calloc(nr, sizeof(*part.item));
	if (!part.item)
		return RSD_ERR_NOMEM;
	memcpy(part.item, &c->item[c->nr], nr * sizeof(*part.item));
	part.nr = nr;
	rsd_item_place_start(&p, &part);
	c->length -= rsd_item_place_length(&p, &part, nr);
	/* From here on nothing is under way: the rep ends at a round's end. */
	c->predict->nr = 1;
	c->predict->at = c->open + 1;
	c->left = c->item[c->open + 1].count;
	rsd_item_place_start(&p, &part);
	if (c->depth < MAX_FEEDING) {
		c->depth++;
		err = rsd_column_close(c);
		if (!err)
			err = rsd_column_feed(c, &part, &p, nr, &r, 0);
		c->depth--;
	} else {
		err = push_items(c, &part, &p);
	}
	free(part.item);
	return err;
}

static int open_run(struct rsd_column *c, int64_t v)
{
	int err = rsd_column_reserve(c, (size_t)c->nr + 1);

	if (err)
		return err;
	c->open = c->nr++;
	c->item[c->open] = (struct rsd_item){ v, 0, 1 };
	c->length++;
	rsd_column_expect_run(c);
	return 0;
}

/*
 * Three single values in a row become a run; two do not yet: any two numbers have a
 * stride, and pairing them up would hide the period of what repeats.
 */
static bool join_three(struct rsd_column *c, int64_t v)
{
	struct rsd_item *b = &c->item[c->open], *a = b - 1;
	int64_t stride, next;

	if (c->symbolic || b->count != 1 || c->open == 0 || a->count != 1 ||
		rsd_is_const(a->start) || rsd_is_const(b->start) || rsd_is_const(v) ||
		v == b->start)
		return false;
	if (__builtin_sub_overflow(b->start, a->start, &stride) ||
		__builtin_sub_overflow(v, b->start, &next) || stride != next ||
		!rsd_column_unclose(c))
		return false;
	a->stride = stride;
	a->count = 3;
	c->nr--;
	c->open--;
	c->length++;
	rsd_column_expect_run(c);
	return true;
}

/* A value that is not the one expected, or nothing is expected for now. */
static int append_slow(struct rsd_column *c, int64_t v)
{
	int err = c->err;

	while (!err) {
		if (c->left && v == c->expect) {
			c->expect = rsd_wrap_add(c->expect, c->stride);
			c->left--;
			c->length++;
			return 0;
		}
		switch ((enum rsd_open)c->state) {
		case RSD_OPEN_NONE:
			err = open_run(c, v);
			if (!err)
				return 0;
			break;
		case RSD_OPEN_RUN:
			sync_run(c);
			if (join_three(c, v))
				return 0;
			err = rsd_column_close(c);
			break;
		case RSD_OPEN_REP:
			if (!c->left && !c->predict->blocked)
				rsd_column_advance(c);
			if (!c->left || v != c->expect)
				err = fail_prediction(c);
			break;
		}
	}
	c->err = err;
	c->left = 0;
	return err;
}

/* The first whole items of the top level of a frozen column until at most 'rest' flat ones are
 * left. */
static uint64_t skip_front(const struct rsd_column *old, struct rsd_item_place *p, uint64_t rest)
{
	uint64_t nr = 0, n;
	struct rsd_item item;

	while (old->frozen->nr - nr > rest && rsd_item_place_next(p, old, &item)) {
		n = rsd_item_is_rep(&item) ? (uint64_t)item.stride : 0;
		for (nr += n + 1; n > 0; n--)
			rsd_item_place_next(p, old, &item);
	}
	return nr;
}

/* A column that is all frozen: its end is appended again, so that it can be continued. */
static int thaw(struct rsd_column *c)
{
	struct rsd_column old = { .symbolic = c->symbolic, .frozen = c->frozen };
	struct rsd_rounds r = { .nr = 0 };
	struct rsd_item_place p, q;
	uint64_t keep;
	int err = 0;

	rsd_item_place_start(&p, &old);
	q = p;
	keep = skip_front(&old, &p, 3 * RSD_COLUMN_PERIOD);
	c->frozen = NULL;
	c->length = 0;
	if (keep) {
		c->length = rsd_item_place_length(&q, &old, keep);
		c->frozen = rsd_calloc(1, sizeof(*c->frozen));
		if (!c->frozen) {
			err = RSD_ERR_NOMEM;
		} else {
			rsd_buf_put(&c->frozen->bytes, old.frozen->bytes.data, p.byte);
			err = c->frozen->bytes.err;
			c->frozen->nr = keep;
			c->frozen->prev = p.prev;
		}
	}
	if (!err)
		err = rsd_column_feed(c, &old, &p, old.frozen->nr - keep, &r, 0);
	free_frozen(old.frozen);
	return err;
}

/* Before the first append after decoding or copying. */
static int ready(struct rsd_column *c)
{
	if (!c->err && c->frozen && !c->nr && !c->window)
		c->err = thaw(c);
	return c->err;
}

int rsd_column_append(struct rsd_column *c, int64_t v)
{
	if (c->left && v == c->expect) {
		c->expect = rsd_wrap_add(c->expect, c->stride);
		c->left--;
		c->length++;
		return 0;
	}
	c->vain = 0;
	return ready(c) ? c->err : append_slow(c, v);
}

int rsd_column_feed_run(struct rsd_column *c, int64_t start, int64_t stride, uint64_t count)
{
	int err = 0;

	while (!err && count) {
		uint64_t m = 1;

		if (c->left && start == c->expect) {
			if (stride == c->stride)
				m = count < c->left ? count : c->left;
			c->expect = rsd_wrap_add(c->expect, rsd_wrap_mul(c->stride, m));
			c->left -= m;
			c->length += m;
		} else {
			err = append_slow(c, start);
		}
		start = rsd_wrap_add(start, rsd_wrap_mul(stride, m));
		count -= m;
	}
	return err;
}

int rsd_column_append_run(struct rsd_column *c, int64_t v, uint64_t count)
{
	c->vain = 0;
	return ready(c) ? c->err : rsd_column_feed_run(c, v, 0, count);
}

int rsd_column_concat(struct rsd_column *c, const struct rsd_column *src)
{
	struct rsd_rounds r = { .nr = 0 };
	struct rsd_item_place p;

	if (ready(c))
		return c->err;
	if (src->length > RSD_COLUMN_MAX_LENGTH - c->length)
		return RSD_ERR_NOMEM;
	rsd_item_place_start(&p, src);
	c->vain = 0;
	c->err = rsd_column_feed(c, src, &p, UINT64_MAX, &r, 0);
	return c->err;
}

uint64_t rsd_column_length(const struct rsd_column *c)
{
	return c->length;
}

bool rsd_column_is_symbolic(const struct rsd_column *c)
{
	return c->symbolic;
}

size_t rsd_column_memory(const struct rsd_column *c)
{
	size_t nr = sizeof(*c) + c->alloc * sizeof(*c->item);

	if (c->frozen)
		nr += sizeof(*c->frozen) + c->frozen->bytes.alloc +
		      c->frozen->nr_marks * sizeof(*c->frozen->mark);
	if (c->predict)
		nr += sizeof(*c->predict);
	return nr + rsd_window_memory(c->window);
}
