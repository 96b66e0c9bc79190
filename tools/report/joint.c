/* joint.c - see joint.h */
#include "joint.h"

#include <stdlib.h>
#include <string.h>
#include "opstruct.h"
#include "util.h"

#define MAX_PERIOD ((uint64_t)1 << 20)
#define NO_RUN ((uint64_t)1 << 62) /* columns are shorter */

struct part { /* of a column: top-level items */
	uint64_t length, period;
};

struct open { /* a rep whose items are being read */
	uint64_t items, count, length;
};

struct side {
	struct part *part;
	size_t nr, alloc;
	struct open open[64];
	int depth;
	struct rsd_cursor *next;
	size_t at;	/* part */
	uint64_t begin; /* of that part */
	int err;
};

struct joint {
	struct side side[REPORT_JOINT_COLUMNS];
	size_t nr;
	uint64_t at, end, left; /* position; steps that may be made */
	report_joint_fn fn;
	void *arg;
	int64_t *round; /* the values of one period */
	size_t alloc_round;
	int64_t last[REPORT_JOINT_COLUMNS];
	uint64_t times; /* how often 'last' came and has not been told yet */
};

/* ---- what a column is made of ------------------------------------------------------------ */

static int add_part(struct side *s, uint64_t length, uint64_t period)
{
	int err = RSD_GROW(s->part, s->nr + 1, s->alloc);

	if (!err)
		s->part[s->nr++] = (struct part){ length, period };
	return err;
}

/* A move has no values. */
static int add_section(const struct rsd_section *x, void *arg)
{
	struct side *s = arg;
	uint64_t length = x->body || rsd_section_is_move(x) ? 0 : x->count;
	uint64_t period = x->step ? length : 1;
	int err = 0;

	if (s->depth)
		s->open[s->depth - 1].items--;
	if (x->body && s->depth == (int)RSD_ARRAY_SIZE(s->open))
		return RSD_ERR_FORMAT;
	if (x->body)
		s->open[s->depth++] = (struct open){ x->body, x->count, 0 };
	else if (s->depth)
		s->open[s->depth - 1].length += length;
	else if (length)
		err = add_part(s, length, period);
	while (s->depth && !s->open[s->depth - 1].items && !err) {
		const struct open *o = &s->open[--s->depth];

		if (s->depth) {
			/* The items inside counted for the ones around, too. */
			s->open[s->depth - 1].length += o->count * o->length;
		} else if (o->length) {
			err = add_part(s, o->count * o->length, o->length);
		}
	}
	return err;
}

/* Items of a rep count for the reps around it, too: as 'items' are flat, all of them go down together. */
static int count_down(const struct rsd_section *x, void *arg)
{
	struct side *s = arg;

	for (int i = 0; i + 1 < s->depth; i++)
		s->open[i].items--;
	return add_section(x, arg);
}

static int open_side(struct side *s, const struct rsd_column *c)
{
	int err;

	if (!c)
		return 0;
	s->next = rsd_cursor_new(c);
	err = s->next ? rsd_column_sections(c, count_down, s) : RSD_ERR_NOMEM;
	return err;
}

/* ---- stepping -------------------------------------------------------------------------------- */

static int tell(struct joint *j, const int64_t *v, uint64_t times)
{
	int err = 0;

	if (j->times && !memcmp(v, j->last, j->nr * sizeof(*v))) {
		j->times += times;
		return 0;
	}
	if (j->times)
		err = j->fn(j->last, j->times, j->arg);
	memcpy(j->last, v, j->nr * sizeof(*v));
	j->times = times;
	return err;
}

static int draw(struct joint *j, int64_t *v)
{
	if (!j->left)
		return RSD_ERR_RANGE;
	j->left--;
	for (size_t i = 0; i < j->nr; i++) {
		v[i] = RSD_ABSENT;
		if (j->side[i].next && rsd_cursor_next(j->side[i].next, &v[i]))
			return RSD_ERR_FORMAT;
	}
	j->at++;
	return 0;
}

static int step(struct joint *j, uint64_t nr)
{
	int64_t v[REPORT_JOINT_COLUMNS];
	int err = 0;

	for (uint64_t i = 0; i < nr && !err; i++) {
		err = draw(j, v);
		if (!err)
			err = tell(j, v, 1);
	}
	return err;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	while (y) {
		uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	a /= x;
	return a > MAX_PERIOD || b > MAX_PERIOD ? MAX_PERIOD + 1 : a * b;
}

/* How far the parts go that all sides are in; *period: that of all together. */
static uint64_t look(struct joint *j, uint64_t *period)
{
	uint64_t rest = j->end - j->at;

	*period = 1;
	for (size_t i = 0; i < j->nr; i++) {
		struct side *s = &j->side[i];

		if (!s->next)
			continue;
		while (s->at < s->nr && s->begin + s->part[s->at].length <= j->at)
			s->begin += s->part[s->at++].length;
		if (s->at == s->nr)
			return 0;
		if (s->begin + s->part[s->at].length - j->at < rest)
			rest = s->begin + s->part[s->at].length - j->at;
		*period = common_multiple(*period, s->part[s->at].period);
	}
	return rest;
}

static int skip(struct joint *j, uint64_t nr)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->side[i].next && rsd_cursor_skip(j->side[i].next, nr))
			return RSD_ERR_FORMAT;
	j->at += nr;
	return 0;
}

/*
 * Two rounds are drawn. Where they are equal, so are the others (what rounds add to values is the same
 * each time), and they are skipped; else these parts are gone through step by step.
 */
static int repeat(struct joint *j, uint64_t period, uint64_t rest)
{
	size_t nr = (size_t)period, n = j->nr;
	uint64_t times = rest / period;
	bool same = true;
	int64_t v[REPORT_JOINT_COLUMNS];
	int err = RSD_GROW(j->round, nr * n, j->alloc_round);

	for (size_t i = 0; i < nr && !err; i++)
		err = draw(j, &j->round[i * n]);
	for (size_t i = 0; i < nr && !err && same; i++) {
		err = draw(j, v);
		same = !err && !memcmp(v, &j->round[i * n], n * sizeof(*v));
		if (!err && !same) {
			for (size_t k = 0; k < nr && !err; k++)
				err = tell(j, &j->round[k * n], 1);
			for (size_t k = 0; k < i && !err; k++)
				err = tell(j, &j->round[k * n], 1);
			if (!err)
				err = tell(j, v, 1);
		}
	}
	for (size_t i = 0; i < nr && !err && same; i++)
		err = tell(j, &j->round[i * n], times);
	if (!err && same)
		err = skip(j, (times - 2) * period);
	for (size_t i = 0; i < n && !err && !same; i++)
		if (j->side[i].next)
			j->side[i].part[j->side[i].at].period = NO_RUN;
	return err;
}

int report_joint(const struct rsd_column *const *col, size_t nr, uint64_t most, report_joint_fn fn,
	void *arg)
{
	struct joint j = { .nr = nr, .end = UINT64_MAX, .left = most, .fn = fn, .arg = arg };
	uint64_t rest, period;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		if (col[i] && rsd_column_length(col[i]) < j.end)
			j.end = rsd_column_length(col[i]);
		err = open_side(&j.side[i], col[i]);
	}
	while (!err && j.end != UINT64_MAX && (rest = look(&j, &period)) > 0)
		err = period <= MAX_PERIOD && rest / period > 2 ? repeat(&j, period, rest)
								: step(&j, rest);
	if (!err && j.times)
		err = fn(j.last, j.times, arg);
	for (size_t i = 0; i < nr; i++) {
		rsd_cursor_free(j.side[i].next);
		free(j.side[i].part);
	}
	free(j.round);
	return err;
}
