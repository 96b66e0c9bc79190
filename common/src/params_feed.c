/*
 * params_feed.c - appends what another column has, without unrolling it
 *
 * A rep's round is appended; where that did nothing but move on what is foreseen, further rounds do the same, and are added at once.
 */
#include "params_queue_impl.h"

/*
 * Rounds of one rep that are appended in full before the rest is stored as it is; and
 * items of all reps of a column together: reps nested in hostile input multiply.
 */
#define MAX_VAIN 16
#define MAX_VAIN_ITEMS (1 << 18)

/* What the state was before a round, to see whether the round did nothing but move it on. */
struct snapshot {
	uint64_t left, length, frozen, done[RSD_COLUMN_DEPTH];
	uint32_t open, nr, at;
	size_t nr_levels;
	uint8_t state;
};

static void take_snapshot(struct snapshot *s, const struct rsd_column *c)
{
	s->left = c->left;
	s->length = c->length;
	s->frozen = c->frozen ? c->frozen->nr : 0;
	s->open = c->open;
	s->nr = c->nr;
	s->state = c->state;
	s->nr_levels = 0;
	s->at = 0;
	if (c->state != RSD_OPEN_REP)
		return;
	s->at = c->predict->at;
	s->nr_levels = c->predict->nr;
	for (size_t i = 0; i < s->nr_levels; i++)
		s->done[i] = c->predict->level[i].done;
}

/*
 * A source's round that only moved the expectation on: by values of one section, or by
 * 'd' rounds of the rep at level k. A rep and the one it is appended to go on side by
 * side if they agree in two rounds of the source, as both add the same in each; if
 * nothing has moves, and so all in a round is shifted alike, one round is enough.
 */
struct advance {
	int64_t shift; /* of the source, */
	bool even;     /* none of whose runs has a move of its own */
	bool section;
	size_t k;
	uint64_t d; /* 0: the round did something else */
};

/* The last round went into the section that is under way: as up to 'm' further ones do. */
static uint64_t jump_section(struct rsd_column *c, const struct advance *by, bool twice, uint64_t m)
{
	if (!twice && !(by->even && rsd_wrap_mul(c->stride, by->d) == by->shift))
		return 0;
	if (m > c->left / by->d)
		m = c->left / by->d;
	c->left -= m * by->d;
	c->expect = rsd_wrap_add(c->expect, rsd_wrap_mul(rsd_wrap_mul(c->stride, by->d), m));
	c->length += m * by->d;
	return m;
}

/* Has the rep at level k moves of its own runs? Sets *small if they stay so up to round 'done'. */
static bool has_moves(const struct rsd_column *c, uint32_t at, uint64_t done, bool *small)
{
	uint32_t end[RSD_COLUMN_DEPTH], last = at + (uint32_t)c->item[at].stride;
	bool found = false;
	int depth = 0;

	*small = true;
	for (uint32_t i = at + 1; i <= last; i++) {
		const struct rsd_item *item = &c->item[i];

		while (depth && i > end[depth - 1])
			depth--;
		if (rsd_item_is_rep(item)) {
			end[depth++] = i + (uint32_t)item->stride;
		} else if (rsd_item_is_move(item) && rsd_item_level(item) == depth) {
			found = true;
			*small = *small && rsd_item_may_move(item, done);
		}
	}
	return found;
}

/* The last round was 'd' complete rounds of the rep at level k: as up to 'm' further ones are. */
static uint64_t jump_level(
	struct rsd_column *c, const struct advance *by, uint64_t len, bool twice, uint64_t m)
{
	struct rsd_predict *p = c->predict;
	struct rsd_predict_level *l = &p->level[by->k];
	const struct rsd_item *rep = &c->item[l->rep];
	int64_t shift = rsd_wrap_mul(rep->start, by->d), step,
		before = rsd_column_predict_offset(c);
	bool small;

	if (by->k > 0 && m > (rsd_item_count(rep) - 1 - l->done) / by->d)
		m = (rsd_item_count(rep) - 1 - l->done) / by->d;
	if (has_moves(c, l->rep, l->done + by->d * m, &small) || !by->even || shift != by->shift) {
		if (!twice)
			return 0;
	}
	/* Numbers that come near the ends of the range are left to the slow way. */
	if (!small ||
		(shift && (m > INT64_MAX || __builtin_mul_overflow(shift, (int64_t)m, &step) ||
				  !rsd_is_small(rsd_wrap_add(p->level[p->nr - 1].offset, step)) ||
				  !rsd_is_small(step))))
		return 0;
	step = rsd_wrap_mul(shift, m);
	l->done += by->d * m;
	for (size_t i = by->k; i < p->nr; i++)
		p->level[i].offset = rsd_wrap_add(p->level[i].offset, step);
	if (by->k == 0)
		c->item[c->open].count = l->done | RSD_ITEM_REP;
	c->expect = rsd_wrap_add(c->expect, rsd_wrap_sub(rsd_column_predict_offset(c), before));
	c->length += m * len;
	return m;
}

/* Says in 'by' what a round did to the state. */
static void see_advance(const struct rsd_column *c, const struct snapshot *s, struct advance *by)
{
	const struct rsd_predict *p = c->predict;
	uint64_t len = c->length - s->length;

	by->d = 0;
	by->section = true;
	by->k = 0;
	if (c->state != s->state || c->open != s->open || c->nr != s->nr ||
		s->frozen != (c->frozen ? c->frozen->nr : 0))
		return;
	if (c->state == RSD_OPEN_REP) {
		if (p->nr != s->nr_levels || p->at != s->at || p->blocked)
			return;
		while (by->k < p->nr && p->level[by->k].done == s->done[by->k])
			by->k++;
		by->section = by->k == p->nr;
	} else if (c->state != RSD_OPEN_RUN) {
		return;
	}
	if (by->section) {
		by->d = s->left - c->left == len ? len : 0;
		return;
	}
	if (c->left != s->left || p->level[by->k].done < s->done[by->k])
		return;
	for (size_t i = by->k + 1; i < p->nr; i++)
		if (p->level[i].done != s->done[i])
			return;
	by->d = p->level[by->k].done - s->done[by->k];
}

/*
 * If the round that has just been appended did nothing but move the expectation on, up to
 * 'more' further rounds do the same and are added at once. Returns how many.
 */
static uint64_t jump(
	struct rsd_column *c, const struct snapshot *s, struct advance *by, uint64_t more)
{
	const struct advance last = *by;
	bool twice;

	see_advance(c, s, by);
	if (!more || !by->d)
		return 0;
	twice = last.d == by->d && last.k == by->k && last.section == by->section;
	return by->section ? jump_section(c, by, twice, more)
			   : jump_level(c, by, c->length - s->length, twice, more);
}

/* Are all numbers in a rep's body shifted alike? */
static bool is_even(struct rsd_item_place body, const struct rsd_column *src, uint64_t nr)
{
	struct rsd_item item;

	for (; nr && rsd_item_place_next(&body, src, &item); nr--)
		if (rsd_item_is_move(&item))
			return false;
	return true;
}

int rsd_column_feed_rep(struct rsd_column *c, const struct rsd_column *src,
	struct rsd_item_place *body, const struct rsd_item *rep, uint64_t first, uint64_t rounds,
	struct rsd_rounds *r, int64_t offset)
{
	struct rsd_item_place start = *body;
	struct advance by = { .shift = rep->start };
	struct snapshot s;
	int vain = 0, err = 0;

	by.even = is_even(start, src, (uint64_t)rep->stride);
	r->nr++;
	for (uint64_t i = 0; !err && i < rounds;) {
		uint64_t m;

		*body = start;
		r->done[r->nr - 1] = first + i;
		if ((vain >= MAX_VAIN || c->vain >= MAX_VAIN_ITEMS) && rounds - i > 1) {
			err = rsd_column_push_rep(c, src, body, rep, rounds - i, r, offset);
			break;
		}
		take_snapshot(&s, c);
		err = rsd_column_feed(c, src, body, (uint64_t)rep->stride, r, offset);
		if (err)
			break;
		i++;
		m = jump(c, &s, &by, rounds - i);
		if (m) {
			c->vain -= (uint64_t)vain * (uint64_t)rep->stride;
			vain = 0;
		} else {
			c->vain += (uint64_t)rep->stride;
			vain++;
		}
		i += m;
		offset = rsd_wrap_add(offset, rsd_wrap_mul(rep->start, m + 1));
	}
	r->nr--;
	return err;
}

int rsd_column_feed(struct rsd_column *c, const struct rsd_column *src, struct rsd_item_place *p,
	uint64_t nr, struct rsd_rounds *r, int64_t offset)
{
	int64_t moved = 0;
	struct rsd_item item;
	int err = 0;

	while (!err && nr && rsd_item_place_next(p, src, &item)) {
		nr--;
		if (rsd_item_is_rep(&item)) {
			err = rsd_column_feed_rep(
				c, src, p, &item, 0, rsd_item_count(&item), r, offset);
			nr -= (uint64_t)item.stride;
		} else if (rsd_item_is_move(&item)) {
			moved = rsd_wrap_add(moved, rsd_item_moved(&item, r));
		} else {
			if (!rsd_is_const(item.start))
				item.start = rsd_wrap_add(item.start, rsd_wrap_add(offset, moved));
			moved = 0;
			err = rsd_column_feed_run(c, item.start, item.stride, item.count);
		}
	}
	return err;
}
