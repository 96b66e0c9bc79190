#include "ahead.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

#define LEAST 8	 /* a column that expects fewer events is told; so few taken were a vain start */
#define AGAIN 64 /* events after which those that are told are looked at again */

void rsd_ahead_release(struct rsd_ahead *a)
{
	free(a->rows);
	free(a->column);
	free(a->doubt);
	*a = (struct rsd_ahead){ .nr = 0 };
}

void rsd_ahead_settle(struct rsd_ahead *a, struct rsd_column **col)
{
	uint64_t taken = rsd_ahead_taken(a);

	for (uint32_t i = 0; taken && i < a->nr; i++) {
		if (a->mask[i])
			rsd_column_took(col[a->column[i]], taken);
	}
	a->left = a->room = 0;
}

/* The next start is made the later, the more of them were in vain. */
static void put_off(struct rsd_ahead *a)
{
	a->pause = a->pause < 127 ? (uint8_t)(2 * a->pause + 1) : 255;
	a->wait = a->pause;
}

void rsd_ahead_stop(struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr)
{
	if (a->left && nr == a->nr) {
		for (uint32_t i = 0; i < a->nr; i++) {
			uint8_t *doubt = &a->doubt[a->column[i]];

			if ((val[i] ^ a->expect[i]) & a->mask[i])
				*doubt = *doubt < 120 ? (uint8_t)(2 * *doubt + 1) : 255;
		}
	}
	if (a->left && rsd_ahead_taken(a) < LEAST)
		put_off(a);
	else if (rsd_ahead_taken(a))
		a->pause = a->wait = 0;
	rsd_ahead_settle(a, col);
}

bool rsd_ahead_take_told(
	struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr, int *err)
{
	int64_t off = 0;

	if (!a->left || nr != a->nr || !a->nr_told)
		return false;
	for (size_t i = 0; i < nr; i++)
		off |= (val[i] ^ a->expect[i]) & a->mask[i];
	if (off)
		return false;
	rsd_ahead_step(a, nr);
	for (uint32_t k = 0; k < a->nr_told && !*err; k++)
		*err = rsd_column_append(col[a->column[a->told[k]]], val[a->told[k]]);
	return true;
}

static bool make_room(struct rsd_ahead *a, size_t nr, int nr_cols)
{
	if (!a->doubt)
		a->doubt = rsd_calloc((size_t)nr_cols, sizeof(*a->doubt));
	if (!a->doubt)
		return false;
	if (nr <= a->alloc)
		return true;
	free(a->column);
	a->column = rsd_malloc(2 * nr * sizeof(*a->column));
	a->alloc = a->column ? (uint32_t)nr : 0;
	return a->alloc != 0;
}

uint32_t *rsd_ahead_plan(struct rsd_ahead *a, size_t nr, int nr_cols)
{
	rsd_assert(!a->room && !a->left);
	if (a->wait) {
		a->wait--;
		return NULL;
	}
	if (nr > RSD_AHEAD_VALUES || !make_room(a, nr, nr_cols)) {
		put_off(a);
		return NULL;
	}
	a->nr = (uint32_t)nr;
	a->told = a->column + nr;
	return a->column;
}

static size_t gcd(size_t a, size_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Values of an event that belong to this column. */
static size_t count_values(const struct rsd_ahead *a, uint32_t column)
{
	size_t nr = 0;

	for (uint32_t k = 0; k < a->nr; k++)
		nr += a->column[k] == column;
	return nr;
}

struct start { /* what is found out at the start */
	size_t rows;
	uint64_t room;
	bool counted[RSD_AHEAD_VALUES]; /* by the first value of a column */
};

/*
 * The first value of the column is at i: is it foreseen for the events to come, with not too many rows? A column
 * that lays out others is, if it goes on as it is.
 */
static bool foresee(struct start *s, const struct rsd_ahead *a, uint32_t i,
	const struct rsd_column *c, bool lays_out)
{
	size_t nr = count_values(a, a->column[i]), rows;
	struct rsd_foresight f;

	rsd_column_foresee(c, &f);
	rows = f.nr / gcd(f.nr, nr);
	rows *= s->rows / gcd(s->rows, rows);
	if (f.left / nr < LEAST || rows > RSD_AHEAD_ROWS || (lays_out && (f.nr > 1 || f.step[0])))
		return false;
	s->rows = rows;
	if (f.left / nr < s->room)
		s->room = f.left / nr;
	return true;
}

/* Writes what the column of value i expects into all rows. */
static void write_rows(struct rsd_ahead *a, size_t rows, uint32_t i, const struct rsd_column *c)
{
	size_t nr = count_values(a, a->column[i]), apart = rows * a->nr;
	struct rsd_foresight f;

	rsd_column_foresee(c, &f);
	for (size_t row = 0, at = 0; row < rows; row++) {
		for (uint32_t k = i; k < a->nr; k++) {
			int64_t *expect = &a->rows[row * a->nr + k];
			uint64_t step;

			if (a->column[k] != a->column[i])
				continue;
			step = (uint64_t)f.step[at % f.nr];
			expect[0] = (int64_t)((uint64_t)f.value[at % f.nr] + at / f.nr * step);
			expect[apart] = (int64_t)(rows * nr / f.nr * step);
			a->moving = a->moving || step;
			a->mask[k] = -1;
			at++;
		}
	}
}

static bool make_rows(struct rsd_ahead *a, size_t rows)
{
	size_t nr = (2 * rows + 1) * a->nr;

	if (nr > a->room_rows) {
		free(a->rows);
		a->rows = rsd_malloc(nr * sizeof(*a->rows));
		a->room_rows = a->rows ? nr : 0;
		if (!a->rows)
			return false;
	}
	memset(a->rows, 0, nr * sizeof(*a->rows));
	a->expect = a->rows;
	a->rows_end = a->rows + rows * a->nr;
	a->mask = a->rows + 2 * rows * a->nr;
	a->in_turn = rows > 1;
	return true;
}

static bool is_first_of_column(const struct rsd_ahead *a, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (a->column[k] == a->column[i])
			return false;
	}
	return true;
}

/* False: no start can be made. */
static bool look_ahead(
	struct rsd_ahead *a, struct start *s, struct rsd_column **col, const bool *lays_out)
{
	for (uint32_t i = 0; i < a->nr; i++) {
		uint32_t column = a->column[i];
		bool lays = lays_out && lays_out[column];

		if (!is_first_of_column(a, i))
			continue;
		if (a->doubt[column])
			a->doubt[column]--;
		else
			s->counted[i] = foresee(s, a, i, col[column], lays);
		if (lays && !s->counted[i])
			return false;
	}
	return true;
}

void rsd_ahead_start(struct rsd_ahead *a, struct rsd_column **col, const bool *lays_out)
{
	struct start s = { .rows = 1, .room = UINT64_MAX };

	a->moving = false;
	a->nr_told = 0;
	if (!look_ahead(a, &s, col, lays_out) || !make_rows(a, s.rows)) {
		put_off(a);
		return;
	}
	for (uint32_t i = 0; i < a->nr; i++) {
		if (s.counted[i])
			write_rows(a, s.rows, i, col[a->column[i]]);
	}
	for (uint32_t i = 0; i < a->nr; i++) {
		if (!a->mask[i])
			a->told[a->nr_told++] = i;
	}
	a->plain = !a->moving && !a->in_turn && !a->nr_told;
	if (a->nr_told == a->nr)
		put_off(a);
	else
		a->left = a->room = a->nr_told && s.room > AGAIN ? AGAIN : s.room;
}
