/*
 * params_foresee.c - the values that a column expects, beyond the next one: of a run, or of a rep's rounds
 */
#include "opstruct.h"
#include "params_queue_impl.h"
#include "util.h"

/* Rounds that are foreseen; and bounds within which nothing leaves the numbers until then. */
#define MANY_ROUNDS (UINT64_C(1) << 30)
#define SMALL_STEP (INT64_C(1) << 24)

static bool is_small_step(int64_t step)
{
	return step > -SMALL_STEP && step < SMALL_STEP;
}

/* What the moves before an item of a rep that has no rep inside add in each round. */
static int64_t moves_before(const struct rsd_item *run)
{
	int64_t sum = 0;

	for (const struct rsd_item *i = run - 1; rsd_item_is_move(i); i--)
		sum = rsd_wrap_add(sum, i->start);
	return sum;
}

/* The step of a run in the rep that is walked, from round to round. */
static int64_t step_of(const struct rsd_column *c, const struct rsd_item *run)
{
	return rsd_is_const(run->start)
		       ? 0
		       : rsd_wrap_add(c->item[c->predict->level[0].rep].start, moves_before(run));
}

/* May values of this run be foreseen for MANY_ROUNDS? */
static bool is_foreseeable(const struct rsd_column *c, const struct rsd_item *run)
{
	const struct rsd_predict_level *l = &c->predict->level[0];
	int64_t moves = moves_before(run), step = step_of(c, run);

	if (!step && !moves && !l->offset)
		return true;
	return l->done < MANY_ROUNDS && is_small_step(step) && is_small_step(moves) &&
	       l->offset > -RSD_COLUMN_MAX_MOVE && l->offset < RSD_COLUMN_MAX_MOVE &&
	       rsd_is_small(run->start) && rsd_is_small(rsd_item_last(run));
}

/*
 * The rep that is walked, from the beginning of its present round: 0, or how many values a round has where they can't be
 * foreseen. *here: how many of the round have come.
 */
static size_t foresee_round(const struct rsd_column *c, struct rsd_foresight *f, size_t *here)
{
	const struct rsd_predict_level *l = &c->predict->level[0];
	uint32_t end = l->rep + 1 + (uint32_t)c->item[l->rep].stride;
	size_t nr = 0;

	for (uint32_t at = l->rep + 1; at < end; at++) {
		const struct rsd_item *i = &c->item[at];
		int64_t v, step;

		if (rsd_item_is_move(i) && !rsd_item_level(i))
			continue;
		if (rsd_item_is_rep(i) || rsd_item_is_move(i) || i->count > RSD_COLUMN_ROUND - nr ||
			!is_foreseeable(c, i))
			return 0;
		if (at == c->predict->at)
			*here = nr + (size_t)(i->count - c->left);
		step = step_of(c, i);
		v = rsd_is_const(i->start)
			    ? i->start
			    : rsd_wrap_add(
				      i->start, rsd_wrap_add(l->offset,
							rsd_wrap_mul(moves_before(i), l->done)));
		for (uint64_t k = 0; k < i->count; k++, nr++) {
			f->value[nr] = v;
			f->step[nr] = step;
			v = rsd_wrap_add(v, i->count > 1 ? i->stride : 0);
		}
	}
	return nr;
}

void rsd_column_foresee(const struct rsd_column *c, struct rsd_foresight *f)
{
	struct rsd_foresight round;
	size_t nr = 0, here = 0;

	if (c->state == RSD_OPEN_REP && c->predict->nr == 1 && !c->predict->blocked)
		nr = foresee_round(c, &round, &here);
	f->nr = 1;
	f->value[0] = c->expect;
	f->step[0] = c->stride;
	f->left = c->left;
	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++) {
		size_t k = (here + i) % nr;

		f->value[i] = rsd_wrap_add(round.value[k], here + i < nr ? 0 : round.step[k]);
		f->step[i] = round.step[k];
	}
	f->nr = nr;
	f->left = nr * MANY_ROUNDS;
}

static void took_of_run(struct rsd_column *c, uint64_t nr)
{
	rsd_assert(nr <= c->left);
	c->expect = rsd_wrap_add(c->expect, rsd_wrap_mul(c->stride, nr));
	c->left -= nr;
	c->length += nr;
}

/* Whole rounds of the rep that is walked. Returns how many values they are. */
static uint64_t took_rounds(struct rsd_column *c, uint64_t nr)
{
	struct rsd_predict *p = c->predict;
	struct rsd_predict_level *l = &p->level[0];
	struct rsd_item *rep = &c->item[l->rep];
	uint64_t round = 0, rounds;

	for (uint32_t i = 1; i <= (uint64_t)rep->stride; i++)
		round += rsd_item_is_move(&rep[i]) ? 0 : rep[i].count;
	rounds = nr / round;
	l->done += rounds;
	l->offset = rsd_wrap_add(l->offset, rsd_wrap_mul(rep->start, rounds));
	rep->count = l->done | RSD_ITEM_REP;
	c->expect = rsd_wrap_add(c->expect, rsd_wrap_mul(step_of(c, &c->item[p->at]), rounds));
	c->length += rounds * round;
	return rounds * round;
}

void rsd_column_took(struct rsd_column *c, uint64_t nr)
{
	if (nr > c->left)
		nr -= took_rounds(c, nr);
	while (nr > c->left) {
		nr -= c->left;
		took_of_run(c, c->left);
		rsd_column_advance(c);
	}
	took_of_run(c, nr);
}
