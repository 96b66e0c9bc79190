#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "params_queue_impl.h"
#include "util.h"

void rsd_item_place_start(struct rsd_item_place *p, const struct rsd_column *c)
{
	*p = (struct rsd_item_place){ .nr_live = rsd_column_expose(c) };
}

bool rsd_item_place_next(
	struct rsd_item_place *p, const struct rsd_column *c, struct rsd_item *item)
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

size_t rsd_item_place_literals(struct rsd_item_place *p, const struct rsd_column *c, int64_t offset,
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

uint64_t rsd_item_place_length(struct rsd_item_place *p, const struct rsd_column *c, uint64_t nr)
{
	struct rsd_item item;
	uint64_t len = 0;

	while (nr && rsd_item_place_next(p, c, &item)) {
		nr--;
		if (rsd_item_is_rep(&item)) {
			len += rsd_item_count(&item) *
			       rsd_item_place_length(p, c, (uint64_t)item.stride);
			nr -= (uint64_t)item.stride;
		} else if (!rsd_item_is_move(&item)) {
			len += item.count;
		}
	}
	return len;
}

/* 'inner': reps among the items around this one. */
static size_t copy_items(struct rsd_item_place *p, const struct rsd_column *c, uint64_t nr,
	const struct rsd_rounds *r, int inner, int keep, int64_t offset, struct rsd_item *out)
{
	int64_t moved = offset;
	struct rsd_item i;
	size_t n = 0;

	while (nr && rsd_item_place_next(p, c, &i)) {
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

size_t rsd_item_place_copy(struct rsd_item_place *p, const struct rsd_column *c, uint64_t nr,
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
	struct rsd_item_place p;
	struct rsd_item item;

	if (!copy || !c->length)
		return copy;
	f = copy->frozen = rsd_calloc(1, sizeof(*f));
	if (!f)
		goto fail;
	copy->length = c->length;
	rsd_item_place_start(&p, c);
	if (c->frozen) {
		rsd_buf_put(&f->bytes, c->frozen->bytes.data, c->frozen->bytes.len);
		f->nr = c->frozen->nr;
		f->prev = c->frozen->prev;
		p.byte = c->frozen->bytes.len;
	}
	for (; rsd_item_place_next(&p, c, &item); f->nr++)
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
	struct rsd_item_place p;
	struct rsd_item item;

	rsd_item_place_start(&p, c);
	if (!rsd_item_place_next(&p, c, &item) || rsd_item_is_rep(&item) ||
		item.count != c->length || item.stride)
		return false;
	*v = item.start;
	return true;
}

bool rsd_column_equal(const struct rsd_column *a, const struct rsd_column *b)
{
	struct rsd_item_place p, q;
	struct rsd_item x, y;
	bool more;

	if (a->symbolic != b->symbolic || a->length != b->length)
		return false;
	rsd_item_place_start(&p, a);
	rsd_item_place_start(&q, b);
	do {
		more = rsd_item_place_next(&p, a, &x);
		if (more != rsd_item_place_next(&q, b, &y))
			return false;
		if (more && (x.start != y.start || x.stride != y.stride || x.count != y.count))
			return false;
	} while (more);
	return true;
}

uint64_t rsd_column_hash(const struct rsd_column *c)
{
	uint64_t h = c->symbolic;
	struct rsd_item_place p;
	struct rsd_item i;

	for (rsd_item_place_start(&p, c); rsd_item_place_next(&p, c, &i);)
		h = rsd_hash_mix(rsd_hash_mix(h ^ (uint64_t)i.start) +
				 (uint64_t)i.stride * 0x9e3779b97f4a7c15u + i.count);
	return h;
}

size_t rsd_column_nr_numbers(const struct rsd_column *c)
{
	size_t nr = 0;
	struct rsd_item_place p;
	struct rsd_item i;

	for (rsd_item_place_start(&p, c); rsd_item_place_next(&p, c, &i);)
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
	struct rsd_item_place p;
	struct rsd_item i;

	for (rsd_item_place_start(&p, c); rsd_item_place_next(&p, c, &i);)
		h = rsd_hash_mix(h + skeleton_of(&i));
	return h;
}

bool rsd_column_same_skeleton(const struct rsd_column *a, const struct rsd_column *b)
{
	struct rsd_item_place p, q;
	struct rsd_item x, y;
	bool more;

	if (a->symbolic != b->symbolic)
		return false;
	rsd_item_place_start(&p, a);
	rsd_item_place_start(&q, b);
	do {
		more = rsd_item_place_next(&p, a, &x);
		if (more != rsd_item_place_next(&q, b, &y))
			return false;
		if (more && skeleton_of(&x) != skeleton_of(&y))
			return false;
	} while (more);
	return true;
}

void rsd_column_get_numbers(const struct rsd_column *c, int64_t *out)
{
	struct rsd_item_place p;
	struct rsd_item i;

	for (rsd_item_place_start(&p, c); rsd_item_place_next(&p, c, &i);) {
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
	struct rsd_item_place p;
	struct rsd_item i;
	int stop = 0;

	for (rsd_item_place_start(&p, c); !stop && rsd_item_place_next(&p, c, &i);) {
		struct rsd_section s = { i.start, i.stride, rsd_item_count(&i), 0 };

		if (rsd_item_is_rep(&i))
			s = (struct rsd_section){ 0, i.start, s.count, (uint64_t)i.stride };
		stop = fn(&s, arg);
	}
	return stop;
}

struct rsd_item *rsd_column_items(const struct rsd_column *c, size_t *nr)
{
	struct rsd_item *item, i;
	struct rsd_item_place p;

	rsd_item_place_start(&p, c);
	*nr = p.nr_live + (c->frozen ? (size_t)c->frozen->nr : 0);
	item = rsd_calloc(*nr, sizeof(*item));
	for (size_t n = 0; item && rsd_item_place_next(&p, c, &i);)
		item[n++] = i;
	return item;
}

struct rsd_column *rsd_column_with_numbers(const struct rsd_column *c, const int64_t *number)
{
	size_t nr;
	struct rsd_item *item = rsd_column_items(c, &nr);
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

struct rsd_column *rsd_column_refold(struct rsd_item *item, size_t nr, bool symbolic)
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
	struct rsd_item *item = rsd_column_items(c, &nr);

	for (size_t i = 0; item && i < nr; i++) {
		bool shift = rsd_item_is_rep(&item[i]) || rsd_item_is_move(&item[i]);

		if (shift ? item[i].start != 0 : item[i].stride != 0) {
			free(item);
			return NULL;
		}
		if (!shift && !rsd_is_const(item[i].start))
			item[i].start = fn(item[i].start, arg);
	}
	return rsd_column_refold(item, nr, c->symbolic);
}
