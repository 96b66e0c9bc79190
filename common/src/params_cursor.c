#include <stdlib.h>
#include <string.h>

#include "params_queue_impl.h"
#include "util.h"

struct level {			    /* a rep that is being read */
	struct rsd_item_place body; /* where a round begins */
	struct rsd_item rep;
	uint64_t rounds; /* still to come after this one */
	uint64_t items;	 /* flat items of this round still to come */
	int64_t offset;
};

enum { FEW = 8, MANY = 64 };

struct rsd_cursor {
	const struct rsd_column *c;
	int64_t value, stride; /* the run being read */
	uint64_t left;
	/*
	 * Values that stand by themselves are decoded many at a time: those from 'ahead' on are still to come, where
	 * 'left' is 0. The rest, 'place' and the levels, is as if they had been read.
	 */
	uint32_t ahead, nr_ahead;
	int64_t few[FEW], *many; /* where they are: MANY once they have filled 'few' */
	uint64_t position;
	struct rsd_item_place place;
	struct level *level;
	size_t nr, alloc;
};

struct rsd_cursor *rsd_cursor_new(const struct rsd_column *c)
{
	struct rsd_cursor *k = rsd_calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->c = c;
	rsd_item_place_start(&k->place, c);
	return k;
}

void rsd_cursor_free(struct rsd_cursor *k)
{
	if (!k)
		return;
	free(k->level);
	free(k->many);
	free(k);
}

uint64_t rsd_cursor_position(const struct rsd_cursor *k)
{
	return k->position;
}

/* Values of one round of 'l', and in k->place the place behind it. */
static uint64_t round_length(
	const struct rsd_cursor *k, const struct level *l, struct rsd_item_place *end)
{
	*end = l->body;
	return rsd_item_place_length(end, k->c, (uint64_t)l->rep.stride);
}

/* Leaves the reps whose round is done, or begins their next one. */
static void next_rounds(struct rsd_cursor *k)
{
	while (k->nr && !k->level[k->nr - 1].items) {
		struct level *l = &k->level[k->nr - 1];

		if (!l->rounds) {
			k->nr--;
			continue;
		}
		l->rounds--;
		l->items = (uint64_t)l->rep.stride;
		l->offset = rsd_wrap_add(l->offset, l->rep.start);
		k->place = l->body;
	}
}

static int enter(struct rsd_cursor *k, const struct rsd_item *rep)
{
	int64_t offset = k->nr ? k->level[k->nr - 1].offset : 0;

	if (RSD_GROW(k->level, k->nr + 1, k->alloc))
		return RSD_ERR_NOMEM;
	if (k->nr)
		k->level[k->nr - 1].items -= (uint64_t)rep->stride;
	k->level[k->nr++] = (struct level){ k->place, *rep, rsd_item_count(rep) - 1,
		(uint64_t)rep->stride, offset };
	return 0;
}

/* Rounds of the rep at 'level' that have been read. */
static uint64_t rounds_done(const struct rsd_cursor *k, size_t level)
{
	return rsd_item_count(&k->level[level].rep) - 1 - k->level[level].rounds;
}

static const int64_t *values_ahead(const struct rsd_cursor *k)
{
	return k->many ? k->many : k->few;
}

/* Decodes what comes ahead; false where it is none of such values. */
static bool look_ahead(struct rsd_cursor *k)
{
	struct level *l;
	uint64_t items;

	next_rounds(k);
	if (!k->many && k->nr_ahead + RSD_SHORT_RUN > FEW)
		k->many = rsd_malloc(MANY * sizeof(*k->many)); /* or it goes on with few */
	l = k->nr ? &k->level[k->nr - 1] : NULL;
	items = l ? l->items : UINT64_MAX;
	k->ahead = 0;
	k->nr_ahead = (uint32_t)rsd_item_place_literals(&k->place, k->c, l ? l->offset : 0,
		k->many ? k->many : k->few, k->many ? MANY : FEW, &items);
	if (l)
		l->items -= items;
	return k->nr_ahead > 0;
}

/* Moves to the next item, which is a run (k->left is then > 0) or a rep that has been entered. */
static int next_item(struct rsd_cursor *k)
{
	struct rsd_item i;
	int64_t moved = 0;

	next_rounds(k);
	do {
		if (!rsd_item_place_next(&k->place, k->c, &i))
			return RSD_ERR_END;
		if (k->nr)
			k->level[k->nr - 1].items--;
		if (rsd_item_is_move(&i))
			moved = rsd_wrap_add(moved,
				rsd_wrap_mul(i.start,
					rounds_done(k, k->nr - 1 - (size_t)rsd_item_level(&i))));
	} while (rsd_item_is_move(&i));
	if (rsd_item_is_rep(&i))
		return enter(k, &i);
	k->value = i.start;
	k->stride = i.stride;
	k->left = i.count;
	if (k->nr && !rsd_is_const(i.start))
		k->value = rsd_wrap_add(i.start, rsd_wrap_add(k->level[k->nr - 1].offset, moved));
	return 0;
}

int rsd_cursor_next(struct rsd_cursor *k, int64_t *v)
{
	while (!k->left) {
		int err;

		if (k->ahead < k->nr_ahead || look_ahead(k)) {
			*v = values_ahead(k)[k->ahead++];
			k->position++;
			return 0;
		}
		err = next_item(k);
		if (err)
			return err;
	}
	*v = k->value;
	k->value = rsd_wrap_add(k->value, k->stride);
	k->left--;
	k->position++;
	return 0;
}

int rsd_cursor_read(struct rsd_cursor *k, int64_t *out, size_t nr)
{
	int err = 0;

	while (nr && !err) {
		size_t m = k->nr_ahead - k->ahead;

		if (k->left || !m) {
			err = rsd_cursor_next(k, out++);
			nr--;
			continue;
		}
		m = m < nr ? m : nr;
		memcpy(out, values_ahead(k) + k->ahead, m * sizeof(*out));
		k->ahead += (uint32_t)m;
		k->position += m;
		out += m;
		nr -= m;
	}
	return err;
}

uint64_t rsd_cursor_run(const struct rsd_cursor *k, int64_t *stride)
{
	*stride = k->stride;
	return k->left;
}

void rsd_cursor_took(struct rsd_cursor *k, uint64_t n)
{
	rsd_assert(n <= k->left);
	k->value = rsd_wrap_add(k->value, rsd_wrap_mul(k->stride, (int64_t)n));
	k->left -= n;
	k->position += n;
}

/* At the beginning of a rep's round: how many rounds from here on hold at most 'n' values. */
static uint64_t whole_rounds(const struct rsd_cursor *k, uint64_t n, uint64_t *len)
{
	const struct level *l = k->nr ? &k->level[k->nr - 1] : NULL;
	struct rsd_item_place end;
	uint64_t m;

	if (!l || l->items != (uint64_t)l->rep.stride)
		return 0;
	*len = round_length(k, l, &end);
	m = n / *len;
	return m < l->rounds + 1 ? m : l->rounds + 1;
}

/* Moves 'm' rounds on, from the beginning of one to the beginning of another or the rep's end. */
static void pass_rounds(struct rsd_cursor *k, uint64_t m)
{
	struct level *l = &k->level[k->nr - 1];
	struct rsd_item_place end;

	l->offset = rsd_wrap_add(l->offset, rsd_wrap_mul(l->rep.start, m));
	if (m <= l->rounds) {
		l->rounds -= m;
		return;
	}
	round_length(k, l, &end);
	k->place = end;
	l->rounds = 0;
	l->items = 0;
}

/* Appends the next 'm' rounds of the innermost rep. */
static int take_rounds(const struct rsd_cursor *k, uint64_t m, struct rsd_column *to)
{
	const struct level *l = &k->level[k->nr - 1];
	struct rsd_item_place body = l->body;
	struct rsd_rounds r = { .nr = (int)k->nr - 1 };

	for (size_t i = 0; i + 1 < k->nr; i++)
		r.done[i] = rounds_done(k, i);
	return rsd_column_feed_rep(
		to, k->c, &body, &l->rep, rounds_done(k, k->nr - 1), m, &r, l->offset);
}

/* Passes over n values and, where 'to' is given, appends them to it. */
static int pass(struct rsd_cursor *k, uint64_t n, struct rsd_column *to)
{
	int err = 0;

	if (n > k->c->length - k->position)
		return RSD_ERR_END;
	while (!err && n) {
		uint64_t m, len = 0;

		if (k->ahead < k->nr_ahead) {
			m = k->nr_ahead - k->ahead;
			m = to ? 1 : m < n ? m : n;
			if (to)
				err = rsd_column_feed_run(to, values_ahead(k)[k->ahead], 0, 1);
			k->ahead += (uint32_t)m;
		} else if (k->left) {
			m = n < k->left ? n : k->left;
			if (to)
				err = rsd_column_feed_run(to, k->value, k->stride, m);
			k->value = rsd_wrap_add(k->value, rsd_wrap_mul(k->stride, m));
			k->left -= m;
		} else {
			next_rounds(k);
			m = whole_rounds(k, n, &len);
			if (!m) {
				err = next_item(k);
				continue;
			}
			if (to)
				err = take_rounds(k, m, to);
			pass_rounds(k, m);
			m *= len;
		}
		k->position += m;
		n -= m;
	}
	return err;
}

/* Goes to the last way in that is beyond what was read and at most 'n' values ahead; how far that is. */
static uint64_t jump(struct rsd_cursor *k, uint64_t n)
{
	const struct rsd_frozen *f = k->c->frozen;
	size_t lo = 0, hi = f ? f->nr_marks : 0;
	uint64_t far;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->mark[mid].length - k->position <= n || f->mark[mid].length < k->position)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || f->mark[lo - 1].length <= k->position)
		return 0;
	far = f->mark[lo - 1].length - k->position;
	k->place.byte = f->mark[lo - 1].byte;
	k->place.prev = f->mark[lo - 1].prev;
	k->left = 0;
	k->ahead = k->nr_ahead = 0;
	k->nr = 0;
	k->position += far;
	return far;
}

int rsd_cursor_skip(struct rsd_cursor *k, uint64_t n)
{
	if (n > k->c->length - k->position)
		return RSD_ERR_END;
	return pass(k, n - jump(k, n), NULL);
}

#define ITEMS_A_MARK 64

int rsd_column_index(struct rsd_column *c)
{
	struct rsd_frozen *f = c->frozen;
	struct rsd_item_place p;
	struct rsd_item i;
	uint64_t length = 0, n = 0;

	if (!f || f->nr < 2 * ITEMS_A_MARK || f->mark)
		return 0;
	f->mark = rsd_calloc((size_t)(f->nr / ITEMS_A_MARK), sizeof(*f->mark));
	if (!f->mark)
		return RSD_ERR_NOMEM;
	rsd_item_place_start(&p, c);
	while (p.byte < f->bytes.len && rsd_item_place_next(&p, c, &i)) {
		length += rsd_item_is_rep(&i) ? rsd_item_count(&i) * rsd_item_place_length(&p, c,
									     (uint64_t)i.stride)
					      : i.count;
		if (++n % ITEMS_A_MARK == 0)
			f->mark[f->nr_marks++] = (struct rsd_mark){ length, p.byte, p.prev };
	}
	return 0;
}

struct rsd_column *rsd_cursor_take(struct rsd_cursor *k, uint64_t n)
{
	struct rsd_column *c = rsd_column_new(k->c->symbolic);

	if (c && pass(k, n, c)) {
		rsd_column_free(c);
		c = NULL;
	}
	return c;
}
