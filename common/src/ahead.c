#include "ahead.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

#define LEAST 8	 /* a column that expects fewer events is told; so few taken were a vain start */
#define AGAIN 64 /* events after which those that are told are looked at again */

void rsd_ahead_release(struct rsd_ahead *a)
{
	free(a->expect);
	free(a->column);
	free(a->doubt);
	*a = (struct rsd_ahead){ .nr = 0 };
}

void rsd_ahead_settle(struct rsd_ahead *a, struct rsd_column **col)
{
	for (uint32_t i = 0; a->taken && i < a->nr; i++) {
		if (a->mask[i])
			rsd_column_took(col[a->column[i]], a->taken);
	}
	a->taken = a->room = 0;
}

/* The next start is made the later, the more of them were in vain. */
static void put_off(struct rsd_ahead *a)
{
	a->pause = a->pause < 127 ? (uint8_t)(2 * a->pause + 1) : 255;
	a->wait = a->pause;
}

void rsd_ahead_stop(struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr)
{
	if (a->room && nr == a->nr) {
		for (uint32_t i = 0; i < a->nr; i++) {
			uint8_t *doubt = &a->doubt[a->column[i]];

			if ((val[i] ^ a->expect[i]) & a->mask[i])
				*doubt = *doubt < 120 ? (uint8_t)(2 * *doubt + 1) : 255;
		}
	}
	if (a->room && a->taken < LEAST)
		put_off(a);
	else if (a->taken)
		a->pause = a->wait = 0;
	rsd_ahead_settle(a, col);
}

bool rsd_ahead_take_told(
	struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr, int *err)
{
	int64_t off = 0;

	if (!a->room || nr != a->nr || !a->nr_told)
		return false;
	for (size_t i = 0; i < nr; i++)
		off |= (val[i] ^ a->expect[i]) & a->mask[i];
	if (off)
		return false;
	for (size_t i = 0; a->moving && i < nr; i++)
		a->expect[i] = (int64_t)((uint64_t)a->expect[i] + (uint64_t)a->stride[i]);
	a->taken++;
	a->room--;
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
	free(a->expect);
	free(a->column);
	a->expect = rsd_malloc(3 * nr * sizeof(*a->expect));
	a->column = rsd_malloc(2 * nr * sizeof(*a->column));
	a->alloc = a->expect && a->column ? (uint32_t)nr : 0;
	return a->alloc != 0;
}

uint32_t *rsd_ahead_plan(struct rsd_ahead *a, size_t nr, int nr_cols)
{
	rsd_assert(!a->room && !a->taken);
	if (a->wait) {
		a->wait--;
		return NULL;
	}
	if (nr > RSD_AHEAD_VALUES || !make_room(a, nr, nr_cols)) {
		put_off(a);
		return NULL;
	}
	a->nr = (uint32_t)nr;
	a->stride = a->expect + nr;
	a->mask = a->stride + nr;
	a->told = a->column + nr;
	return a->column;
}

/*
 * Column 'column' expects the values of its own, the first of which is at i, in the events to come.
 * *room: in so many at most.
 */
static bool foresee(struct rsd_ahead *a, uint32_t i, const struct rsd_column *c, uint64_t *room)
{
	uint32_t column = a->column[i];
	struct rsd_foresight f;
	uint64_t nr = 0;

	rsd_column_foresee(c, &f);
	for (uint32_t k = i; k < a->nr; k++)
		nr += a->column[k] == column;
	if (f.left / nr < LEAST)
		return false;
	if (f.left / nr < *room)
		*room = f.left / nr;
	for (uint32_t k = i; k < a->nr; k++) {
		if (a->column[k] != column)
			continue;
		a->expect[k] = f.expect;
		a->stride[k] = (int64_t)((uint64_t)f.stride * nr);
		a->mask[k] = -1;
		f.expect = (int64_t)((uint64_t)f.expect + (uint64_t)f.stride);
	}
	a->moving = a->moving || f.stride;
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

void rsd_ahead_start(struct rsd_ahead *a, struct rsd_column **col, const bool *lays_out)
{
	uint64_t room = UINT64_MAX;

	a->moving = false;
	a->nr_told = 0;
	memset(a->stride, 0, 2 * a->nr * sizeof(*a->stride)); /* and the masks */
	for (uint32_t i = 0; i < a->nr; i++) {
		uint32_t column = a->column[i];

		if (a->mask[i])
			continue;
		if (is_first_of_column(a, i)) {
			if (a->doubt[column])
				a->doubt[column]--;
			else if (foresee(a, i, col[column], &room))
				continue;
			if (lays_out && lays_out[column]) {
				put_off(a);
				return;
			}
		}
		a->told[a->nr_told++] = i;
	}
	if (a->nr_told == a->nr)
		put_off(a);
	else
		a->room = a->nr_told && room > AGAIN ? AGAIN : room;
}
