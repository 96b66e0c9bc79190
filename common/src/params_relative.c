/*
 * params_relative.c - a column of ranks as distances from one of them
 */
#include "params_queue_impl.h"

#include <stdlib.h>
#include "util.h"

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
	struct rsd_item *item = rsd_column_items(c, &nr);
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
	return r.out ? rsd_column_refold(r.out, r.nr, c->symbolic) : rsd_column_new(c->symbolic);
}
