#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "params_queue_impl.h"
#include "util.h"

void rsd_place_start(struct rsd_place *p, const struct rsd_column *c)
{
	*p = (struct rsd_place){ .nr_live = rsd_column_expose(c) };
}

bool rsd_place_next(struct rsd_place *p, const struct rsd_column *c, struct rsd_item *item)
{
	if (c->frozen && p->byte < c->frozen->bytes.len) {
		struct rsd_reader in;

		rsd_reader_init(&in, c->frozen->bytes.data, c->frozen->bytes.len);
		in.pos = p->byte;
		rsd_item_decode(item, &p->prev, &in);
		rsd_assert(!in.err);
		p->byte = in.pos;
		return true;
	}
	if (p->live >= p->nr_live)
		return false;
	*item = c->item[p->live++];
	return true;
}

size_t rsd_place_literals(struct rsd_place *p, const struct rsd_column *c, int64_t offset,
	int64_t *out, size_t max, uint64_t *nr)
{
	struct rsd_reader in;
	size_t n;

	if (!c->frozen || p->byte >= c->frozen->bytes.len) {
		*nr = 0;
		return 0;
	}
	rsd_reader_init(&in, c->frozen->bytes.data, c->frozen->bytes.len);
	in.pos = p->byte;
	n = rsd_items_literals(&in, &p->prev, offset, out, max, nr);
	p->byte = in.pos;
	return n;
}

uint64_t rsd_place_length(struct rsd_place *p, const struct rsd_column *c, uint64_t nr)
{
	struct rsd_item item;
	uint64_t len = 0;

	while (nr && rsd_place_next(p, c, &item)) {
		nr--;
		if (rsd_item_is_rep(&item)) {
			len += rsd_item_count(&item) *
			       rsd_place_length(p, c, (uint64_t)item.stride);
			nr -= (uint64_t)item.stride;
		} else if (!rsd_item_is_move(&item)) {
			len += item.count;
		}
	}
	return len;
}

/* 'inner': reps among the items around this one. */
static size_t copy_items(struct rsd_place *p, const struct rsd_column *c, uint64_t nr,
	const struct rsd_rounds *r, int inner, int keep, int64_t offset, struct rsd_item *out)
{
	int64_t moved = offset;
	struct rsd_item i;
	size_t n = 0;

	while (nr && rsd_place_next(p, c, &i)) {
		nr--;
		if (rsd_item_is_rep(&i)) {
			size_t body = copy_items(
				p, c, (uint64_t)i.stride, r, inner + 1, keep, offset, &out[n + 1]);

			nr -= (uint64_t)i.stride;
			i.stride = (int64_t)body;
			out[n] = i;
			n += body + 1;
		} else if (rsd_item_is_move(&i)) {
			if (rsd_item_level(&i) < inner + keep)
				out[n++] = i;
			i.count -= (uint64_t)inner;
			if (rsd_item_is_move(&i) && rsd_item_level(&i) < r->nr)
				moved = rsd_wrap_add(moved, rsd_item_moved(&i, r));
		} else {
			if (!rsd_is_const(i.start))
				i.start = rsd_wrap_add(i.start, moved);
			out[n++] = i;
			moved = offset;
		}
	}
	return n;
}

size_t rsd_place_copy(struct rsd_place *p, const struct rsd_column *c, uint64_t nr,
	const struct rsd_rounds *r, int keep, int64_t offset, struct rsd_item *out)
{
	return copy_items(p, c, nr, r, 0, keep, offset, out);
}

struct rsd_column *rsd_column_from_items(
	const struct rsd_item *item, size_t nr, bool symbolic, int *err)
{
	struct rsd_column *c = rsd_column_new(symbolic);
	struct rsd_items_check check;

	*err = RSD_ERR_NOMEM;
	if (!c)
		return NULL;
	rsd_items_check_start(&check, nr, symbolic);
	c->frozen = nr ? rsd_calloc(1, sizeof(*c->frozen)) : NULL;
	if (nr && !c->frozen)
		goto fail;
	for (size_t i = 0; i < nr; i++) {
		*err = rsd_items_check_next(&check, &item[i]);
		if (*err)
			goto fail;
		rsd_item_encode(&item[i], &c->frozen->prev, &c->frozen->bytes);
	}
	*err = rsd_items_check_end(&check, &c->length);
	if (!*err && nr) {
		c->frozen->nr = nr;
		*err = c->frozen->bytes.err;
	}
	if (!*err)
		return c;
fail:
	rsd_column_free(c);
	return NULL;
}

struct rsd_column *rsd_column_copy(const struct rsd_column *c)
{
	struct rsd_column *copy = rsd_column_new(c->symbolic);
	struct rsd_frozen *f;
	struct rsd_place p;
	struct rsd_item item;

	if (!copy || !c->length)
		return copy;
	f = copy->frozen = rsd_calloc(1, sizeof(*f));
	if (!f)
		goto fail;
	copy->length = c->length;
	rsd_place_start(&p, c);
	if (c->frozen) {
		rsd_buf_put(&f->bytes, c->frozen->bytes.data, c->frozen->bytes.len);
		f->nr = c->frozen->nr;
		f->prev = c->frozen->prev;
		p.byte = c->frozen->bytes.len;
	}
	for (; rsd_place_next(&p, c, &item); f->nr++)
		rsd_item_encode(&item, &f->prev, &f->bytes);
	if (!f->bytes.err)
		return copy;
fail:
	rsd_column_free(copy);
	return NULL;
}

int rsd_column_freeze(struct rsd_column *c)
{
	struct rsd_column *copy = rsd_column_copy(c), old = *c;
	struct rsd_buf *b;

	if (!copy)
		return RSD_ERR_NOMEM;
	*c = *copy;
	*copy = old;
	rsd_column_free(copy);
	b = c->frozen ? &c->frozen->bytes : NULL;
	if (b && b->len < b->alloc) {
		unsigned char *less = rsd_realloc(b->data, b->len);

		b->data = less ? less : b->data;
		b->alloc = less ? b->len : b->alloc;
	}
	return 0;
}

bool rsd_column_is_constant(const struct rsd_column *c, int64_t *v)
{
	struct rsd_place p;
	struct rsd_item item;

	rsd_place_start(&p, c);
	if (!rsd_place_next(&p, c, &item) || rsd_item_is_rep(&item) || item.count != c->length ||
		item.stride)
		return false;
	*v = item.start;
	return true;
}

bool rsd_column_equal(const struct rsd_column *a, const struct rsd_column *b)
{
	struct rsd_place p, q;
	struct rsd_item x, y;
	bool more;

	if (a->symbolic != b->symbolic || a->length != b->length)
		return false;
	rsd_place_start(&p, a);
	rsd_place_start(&q, b);
	do {
		more = rsd_place_next(&p, a, &x);
		if (more != rsd_place_next(&q, b, &y))
			return false;
		if (more && (x.start != y.start || x.stride != y.stride || x.count != y.count))
			return false;
	} while (more);
	return true;
}

uint64_t rsd_column_hash(const struct rsd_column *c)
{
	uint64_t h = c->symbolic;
	struct rsd_place p;
	struct rsd_item i;

	for (rsd_place_start(&p, c); rsd_place_next(&p, c, &i);)
		h = rsd_hash_mix(rsd_hash_mix(h ^ (uint64_t)i.start) +
				 (uint64_t)i.stride * 0x9e3779b97f4a7c15u + i.count);
	return h;
}

size_t rsd_column_nr_numbers(const struct rsd_column *c)
{
	size_t nr = 0;
	struct rsd_place p;
	struct rsd_item i;

	for (rsd_place_start(&p, c); rsd_place_next(&p, c, &i);)
		nr += rsd_item_is_rep(&i) ? 2 : rsd_item_is_move(&i) ? 1 : 3;
	return nr;
}

/* What is not a number of an item. */
static uint64_t skeleton_of(const struct rsd_item *i)
{
	if (rsd_item_is_move(i))
		return i->count;
	return rsd_item_is_rep(i) ? (uint64_t)i->stride + 1 : 0;
}

uint64_t rsd_column_skeleton_hash(const struct rsd_column *c)
{
	uint64_t h = c->symbolic;
	struct rsd_place p;
	struct rsd_item i;

	for (rsd_place_start(&p, c); rsd_place_next(&p, c, &i);)
		h = rsd_hash_mix(h + skeleton_of(&i));
	return h;
}

bool rsd_column_same_skeleton(const struct rsd_column *a, const struct rsd_column *b)
{
	struct rsd_place p, q;
	struct rsd_item x, y;
	bool more;

	if (a->symbolic != b->symbolic)
		return false;
	rsd_place_start(&p, a);
	rsd_place_start(&q, b);
	do {
		more = rsd_place_next(&p, a, &x);
		if (more != rsd_place_next(&q, b, &y))
			return false;
		if (more && skeleton_of(&x) != skeleton_of(&y))
			return false;
	} while (more);
	return true;
}

void rsd_column_get_numbers(const struct rsd_column *c, int64_t *out)
{
	struct rsd_place p;
	struct rsd_item i;

	for (rsd_place_start(&p, c); rsd_place_next(&p, c, &i);) {
		*out++ = i.start;
		if (rsd_item_is_move(&i))
			continue;
		if (!rsd_item_is_rep(&i))
			*out++ = i.stride;
		*out++ = (int64_t)rsd_item_count(&i);
	}
}

int rsd_column_sections(
	const struct rsd_column *c, int (*fn)(const struct rsd_section *s, void *arg), void *arg)
{
	struct rsd_place p;
	struct rsd_item i;
	int stop = 0;

	for (rsd_place_start(&p, c); !stop && rsd_place_next(&p, c, &i);) {
		struct rsd_section s = { i.start, i.stride, rsd_item_count(&i), 0 };

		if (rsd_item_is_rep(&i))
			s = (struct rsd_section){ 0, i.start, s.count, (uint64_t)i.stride };
		stop = fn(&s, arg);
	}
	return stop;
}

/* All items of 'c', flat; NULL on no memory. */
static struct rsd_item *all_items(const struct rsd_column *c, size_t *nr)
{
	struct rsd_item *item, i;
	struct rsd_place p;

	rsd_place_start(&p, c);
	*nr = p.nr_live + (c->frozen ? (size_t)c->frozen->nr : 0);
	item = rsd_calloc(*nr, sizeof(*item));
	for (size_t n = 0; item && rsd_place_next(&p, c, &i);)
		item[n++] = i;
	return item;
}

struct rsd_column *rsd_column_with_numbers(const struct rsd_column *c, const int64_t *number)
{
	size_t nr;
	struct rsd_item *item = all_items(c, &nr);
	struct rsd_column *out = NULL;
	int err = 0;

	if (!item)
		return NULL;
	for (size_t i = 0; i < nr && !err; i++) {
		bool rep = rsd_item_is_rep(&item[i]);

		item[i].start = *number++;
		if (rsd_item_is_move(&item[i]))
			continue;
		if (!rep)
			item[i].stride = *number++;
		if (*number < 1 || *number >= (int64_t)RSD_COLUMN_MAX_LENGTH)
			err = RSD_ERR_RANGE;
		item[i].count = (uint64_t)*number++ | (rep ? RSD_ITEM_REP : 0);
	}
	if (!err)
		out = rsd_column_from_items(item, nr, c->symbolic, &err);
	free(item);
	return out;
}

/* The items as if their values had been appended one by one. Frees 'item'. */
static struct rsd_column *refold(struct rsd_item *item, size_t nr, bool symbolic)
{
	int err;
	struct rsd_column *raw = item ? rsd_column_from_items(item, nr, symbolic, &err) : NULL;
	struct rsd_column *c = raw ? rsd_column_new(symbolic) : NULL;

	if (c && rsd_column_concat(c, raw)) {
		rsd_column_free(c);
		c = NULL;
	}
	rsd_column_free(raw);
	free(item);
	return c;
}

struct rsd_column *rsd_column_map(
	const struct rsd_column *c, int64_t (*fn)(int64_t, void *), void *arg)
{
	size_t nr;
	struct rsd_item *item = all_items(c, &nr);

	for (size_t i = 0; item && i < nr; i++) {
		bool shift = rsd_item_is_rep(&item[i]) || rsd_item_is_move(&item[i]);

		if (shift ? item[i].start != 0 : item[i].stride != 0) {
			free(item);
			return NULL;
		}
		if (!shift && !rsd_is_const(item[i].start))
			item[i].start = fn(item[i].start, arg);
	}
	return refold(item, nr, c->symbolic);
}

/* Making a column relative: items are written to 'out', cut where they wrap around. */
struct relative {
	const struct rsd_item *item;
	struct rsd_item *out;
	size_t nr, alloc;
	int64_t origin, size;
	struct rsd_rounds rounds;
};

static int put_item(struct relative *r, int64_t start, int64_t stride, uint64_t count)
{
	int err = RSD_GROW(r->out, r->nr + 1, r->alloc);

	if (!err)
		r->out[r->nr++] = (struct rsd_item){ start, count == 1 ? 0 : stride, count };
	return err;
}

static int relative_run(struct relative *r, const struct rsd_item *i, int64_t offset)
{
	int64_t start = rsd_wrap_add(i->start, offset),
		last = rsd_wrap_add(rsd_item_last(i), offset);
	uint64_t first_part = i->count;
	int err = 0;

	if (rsd_is_const(i->start))
		return put_item(r, i->start, 0, i->count);
	/* Both ends in range does not say so of a stride that wrapped at 64 bits on the way. */
	if (start < 0 || start >= r->size || last < 0 || last >= r->size ||
		(i->stride &&
			(i->stride >= r->size || i->stride <= -r->size ||
				(i->count - 1) >
					(uint64_t)r->size / (uint64_t)(i->stride < 0 ? -i->stride
										     : i->stride))))
		return RSD_ERR_RANGE;
	if ((start < r->origin) != (last < r->origin))
		first_part = i->stride > 0 ? (uint64_t)((r->origin - 1 - start) / i->stride + 1)
					   : (uint64_t)((start - r->origin) / -i->stride + 1);
	if (first_part)
		err = put_item(r, start - r->origin + (start < r->origin ? r->size : 0), i->stride,
			first_part);
	if (!err && first_part < i->count) {
		start += i->stride * (int64_t)first_part;
		err = put_item(r, start - r->origin + (start < r->origin ? r->size : 0), i->stride,
			i->count - first_part);
	}
	return err;
}

/* What the reps around an item add to it at least and at most, within one round of [at, end). */
struct around {
	size_t end[RSD_COLUMN_DEPTH];
	int64_t lo[RSD_COLUMN_DEPTH + 1], hi[RSD_COLUMN_DEPTH + 1];
	int depth;
};

/* Goes into the rep at 'at'; false where its shifts add up to more than a number holds. */
static bool go_around(struct around *a, const struct rsd_item *rep, size_t at)
{
	uint64_t more = rsd_item_count(rep) - 1;
	int64_t total;

	if (__builtin_mul_overflow(rep->start, (int64_t)more, &total) ||
		a->depth >= RSD_COLUMN_DEPTH ||
		__builtin_add_overflow(
			a->lo[a->depth], total < 0 ? total : 0, &a->lo[a->depth + 1]) ||
		__builtin_add_overflow(
			a->hi[a->depth], total > 0 ? total : 0, &a->hi[a->depth + 1]))
		return false;
	a->end[a->depth++] = at + 1 + (size_t)rep->stride;
	return true;
}

/* The least and greatest value of a run over all rounds of the reps around it; false if out of
 * range. */
static bool run_extent(const struct relative *r, const struct around *a, const struct rsd_item *run,
	int64_t offset, int64_t *lo, int64_t *hi)
{
	int64_t x = rsd_wrap_add(run->start, offset), y = rsd_wrap_add(rsd_item_last(run), offset);

	if (__builtin_add_overflow(x < y ? x : y, a->lo[a->depth], lo) ||
		__builtin_add_overflow(x < y ? y : x, a->hi[a->depth], hi))
		return false;
	return *lo >= 0 && *hi < r->size;
}

/*
 * How many rounds of the flat items [at, end), each 'shift' above the one before,
 * can stay one body: each run stays on its side of the origin in all of them. 0:
 * some run does not in the first round already.
 */
static uint64_t rounds_alike(const struct relative *r, size_t at, size_t end, int64_t offset,
	int64_t shift, uint64_t rounds)
{
	struct around a = { .depth = 0 };
	int64_t moved = offset;

	for (size_t i = at; i < end; i++) {
		int64_t lo, hi, steps;

		while (a.depth && i >= a.end[a.depth - 1])
			a.depth--;
		if (rsd_item_is_rep(&r->item[i])) {
			if (!go_around(&a, &r->item[i], i))
				return 0;
			continue;
		}
		if (rsd_item_is_move(&r->item[i])) {
			struct rsd_item outer = r->item[i];

			if (rsd_item_level(&outer) < a.depth)
				return 0; /* of a rep in here, which will be cut all the same */
			outer.count -= (uint64_t)a.depth;
			moved = rsd_wrap_add(moved, rsd_item_moved(&outer, &r->rounds));
			continue;
		}
		if (rsd_is_const(r->item[i].start))
			continue;
		if (!run_extent(r, &a, &r->item[i], moved, &lo, &hi) ||
			(lo < r->origin) != (hi < r->origin))
			return 0;
		moved = offset;
		if (shift > 0)
			steps = ((hi < r->origin ? r->origin : r->size) - 1 - hi) / shift;
		else if (shift < 0)
			steps = (lo - (lo < r->origin ? 0 : r->origin)) / -shift;
		else
			continue;
		if ((uint64_t)steps + 1 < rounds)
			rounds = (uint64_t)steps + 1;
	}
	return rounds;
}

static int relative_items(struct relative *r, size_t at, size_t end, int64_t offset);

/* Do some runs in the body [at, end) move otherwise than others? Each round is then cut by itself:
 * there are no more of them than ranks, or some value has left the range. */
static bool is_uneven(const struct relative *r, size_t at, size_t end)
{
	struct around a = { .depth = 0 };

	for (size_t i = at; i < end; i++) {
		const struct rsd_item *item = &r->item[i];

		while (a.depth && i >= a.end[a.depth - 1])
			a.depth--;
		if (rsd_item_is_rep(item))
			a.end[a.depth++] = i + 1 + (size_t)item->stride;
		else if (rsd_item_is_move(item) && item->start && rsd_item_level(item) == a.depth)
			return true;
	}
	return false;
}

static int relative_rep(struct relative *r, size_t at, int64_t offset)
{
	const struct rsd_item *rep = &r->item[at];
	size_t end = at + 1 + (size_t)rep->stride, head;
	uint64_t count = rsd_item_count(rep), m;
	bool uneven = is_uneven(r, at + 1, end);
	int64_t shift = rep->start;
	int err = 0;

	if ((shift && (shift >= r->size || shift <= -r->size) && count > 1) ||
		(uneven && count > (uint64_t)r->size))
		return RSD_ERR_RANGE;
	r->rounds.done[r->rounds.nr++] = 0;
	while (!err && count) {
		if (uneven)
			m = 1;
		else if (!shift)
			m = count; /* cut or not, every round is the same */
		else
			m = rounds_alike(r, at + 1, end, offset, shift, count);
		if (m <= 1) {
			m = 1;
			err = relative_items(r, at + 1, end, offset);
		} else {
			head = r->nr;
			err = put_item(r, shift, 0, m | RSD_ITEM_REP);
			if (!err)
				err = relative_items(r, at + 1, end, offset);
			if (!err)
				r->out[head].stride = (int64_t)(r->nr - head - 1);
		}
		offset = rsd_wrap_add(offset, rsd_wrap_mul(shift, m));
		r->rounds.done[r->rounds.nr - 1] += m;
		count -= m;
	}
	r->rounds.nr--;
	return err;
}

static int relative_items(struct relative *r, size_t at, size_t end, int64_t offset)
{
	int64_t moved = offset;
	int err = 0;

	for (size_t i = at; !err && i < end; i++) {
		if (rsd_item_is_rep(&r->item[i])) {
			err = relative_rep(r, i, offset);
			i += (size_t)r->item[i].stride;
		} else if (rsd_item_is_move(&r->item[i])) {
			moved = rsd_wrap_add(moved, rsd_item_moved(&r->item[i], &r->rounds));
		} else {
			err = relative_run(r, &r->item[i], moved);
			moved = offset;
		}
	}
	return err;
}

struct rsd_column *rsd_column_relative(const struct rsd_column *c, int64_t origin, int64_t size)
{
	size_t nr;
	struct rsd_item *item = all_items(c, &nr);
	struct relative r = { .item = item, .size = size };
	int err;

	if (!item)
		return NULL;
	r.origin = ((origin % size) + size) % size;
	err = relative_items(&r, 0, nr, 0);
	free(item);
	if (err) {
		free(r.out);
		return NULL;
	}
	return r.out ? refold(r.out, r.nr, c->symbolic) : rsd_column_new(c->symbolic);
}

/* Unrolls reps, section by section. */
static int each(const struct rsd_column *c, struct rsd_place *p, uint64_t nr, struct rsd_rounds *r,
	int64_t offset, int (*fn)(int64_t, int64_t, uint64_t, void *), void *arg)
{
	int64_t moved = offset;
	struct rsd_item i;
	int ret = 0;

	while (!ret && nr && rsd_place_next(p, c, &i)) {
		nr--;
		if (rsd_item_is_move(&i)) {
			moved = rsd_wrap_add(moved, rsd_item_moved(&i, r));
			continue;
		}
		if (!rsd_item_is_rep(&i)) {
			if (!rsd_is_const(i.start))
				i.start = rsd_wrap_add(i.start, moved);
			moved = offset;
			ret = fn(i.start, i.stride, i.count, arg);
			continue;
		}
		struct rsd_place body = *p;
		uint64_t *done = &r->done[r->nr++];
		int64_t o = offset;

		for (*done = 0; !ret && *done < rsd_item_count(&i); ++*done) {
			*p = body;
			ret = each(c, p, (uint64_t)i.stride, r, o, fn, arg);
			o = rsd_wrap_add(o, i.start);
		}
		r->nr--;
		nr -= (uint64_t)i.stride;
	}
	return ret;
}

int rsd_column_each(const struct rsd_column *c,
	int (*fn)(int64_t start, int64_t stride, uint64_t count, void *arg), void *arg)
{
	struct rsd_rounds r = { .nr = 0 };
	struct rsd_place p;

	rsd_place_start(&p, c);
	return each(c, &p, UINT64_MAX, &r, 0, fn, arg);
}

struct summing {
	int (*fn)(int64_t min, int64_t max, void *arg); /* or NULL, and 'out' is filled in */
	void *arg;
	struct rsd_column_stats *out;
	int64_t step[RSD_COLUMN_DEPTH]; /* of the reps around: what a round adds, */
	uint64_t rounds[RSD_COLUMN_DEPTH];
	uint64_t times; /* all their rounds together */
	int depth;
};

/* 'count' values 'step' apart, where there was one. */
static void spread(int64_t step, uint64_t count, int64_t *lo, int64_t *hi, double *mean)
{
	int64_t end = rsd_wrap_mul(step, count - 1);

	*(end < 0 ? lo : hi) = rsd_wrap_add(end < 0 ? *lo : *hi, end);
	*mean += (double)step * ((double)count - 1) / 2;
}

static int sum_run(struct summing *s, const struct rsd_item *run, const int64_t *moved)
{
	struct rsd_column_stats *out = s->out;
	uint64_t nr = run->count * s->times;
	int64_t lo = run->start, hi = lo;
	double mean = (double)lo;

	if (rsd_is_const(run->start)) {
		if (out)
			out->nr_consts += nr;
		return 0;
	}
	spread(run->stride, run->count, &lo, &hi, &mean);
	for (int k = 0; k < s->depth; k++)
		spread(rsd_wrap_add(s->step[k], moved[k]), s->rounds[k], &lo, &hi, &mean);
	if (s->fn)
		return s->fn(lo, hi, s->arg);
	if (!out->nr || lo < out->min)
		out->min = lo;
	if (!out->nr || hi > out->max)
		out->max = hi;
	out->nr += nr;
	out->sum += (double)nr * mean;
	return 0;
}

static int sum_items(
	const struct rsd_column *c, struct rsd_place *p, uint64_t nr, struct summing *s)
{
	int64_t moved[RSD_COLUMN_DEPTH] = { 0 };
	struct rsd_item i;
	int ret = 0;

	while (!ret && nr && rsd_place_next(p, c, &i)) {
		nr--;
		if (rsd_item_is_move(&i)) {
			moved[s->depth - 1 - rsd_item_level(&i)] = i.start;
		} else if (!rsd_item_is_rep(&i)) {
			ret = sum_run(s, &i, moved);
			memset(moved, 0, sizeof(moved));
		} else {
			s->step[s->depth] = i.start;
			s->rounds[s->depth++] = rsd_item_count(&i);
			s->times *= rsd_item_count(&i);
			ret = sum_items(c, p, (uint64_t)i.stride, s);
			s->times /= rsd_item_count(&i);
			s->depth--;
			nr -= (uint64_t)i.stride;
		}
	}
	return ret;
}

int rsd_column_extremes(
	const struct rsd_column *c, int (*fn)(int64_t min, int64_t max, void *arg), void *arg)
{
	struct summing s = { .fn = fn, .arg = arg, .times = 1 };
	struct rsd_place p;

	rsd_place_start(&p, c);
	return sum_items(c, &p, UINT64_MAX, &s);
}

void rsd_column_stats(const struct rsd_column *c, struct rsd_column_stats *out)
{
	struct summing s = { .out = out, .times = 1 };
	struct rsd_place p;

	*out = (struct rsd_column_stats){ 0 };
	rsd_place_start(&p, c);
	sum_items(c, &p, UINT64_MAX, &s);
}
