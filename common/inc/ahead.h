/*
 * ahead.h - events of one place that come as its columns expect, before the columns are told
 *
 * Most events of a place have the values that its columns expect, again and again. So what they
 * expect next is kept side by side, by the place of the value in the event, and the events that came so are
 * only counted; the columns are told ('settled') at an event that is different, and before
 * anything is read from them. Where columns expect a few values in turn (-1 1 -1 1 ...), there is a row for each
 * event of such a round. A column that soon expects something else, or was wrong of late, is told each value.
 * Whatever is told when, the columns are as if all values had been appended one by one.
 *
 *	place 5: MPI_Send	left 2^61 - 1000 of 2^61
 *	value	 buffer	  count	  type	  dest	  tag	  comm	  error
 *	expect	 0	  8	  D	  -	  1017	  W	  0
 *	stride	 0	  0	  0	  -	  1	  0	  0
 *	mask	 -1	  -1	  -1	  0	  -1	  -1	  -1		told: 3
 */
#ifndef RSD_AHEAD_H
#define RSD_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "params_queue.h"

#define RSD_AHEAD_VALUES 64 /* longer events are always told */
#define RSD_AHEAD_ROWS 16   /* events in a round */

struct rsd_ahead {
	uint64_t left,
		room; /* how many more events there may be; at the start: the others are to be told to the columns */
	int64_t *expect;  /* by value; the present row */
	uint32_t nr;	  /* values of an event; of which */
	uint32_t nr_told; /* so many are told */
	bool plain;	  /* there is one row that does not move, and no value is told */
	bool moving;	  /* some stride is not 0 */
	bool in_turn;	  /* there is more than one row */
	uint8_t pause,
		wait;	  /* events until a start is made again: after the last vain one, and now */
	uint32_t alloc;	  /* of events' values */
	size_t room_rows; /* of the block of rows */
	int64_t *mask;	  /* by value */
	int64_t *rows,
		*rows_end; /* what is expected, then as long their strides, then the mask; one block */
	uint32_t *column,
		*told;	/* by value its column; indices of the values that are told; one block */
	uint8_t *doubt; /* by column: how often it is told yet, as it was wrong */
};

void rsd_ahead_release(struct rsd_ahead *a);
/* Tells the columns, so that they can be read, and appended to in other ways. */
void rsd_ahead_settle(struct rsd_ahead *a, struct rsd_column **col);
/* As rsd_ahead_settle, but because of an event that is to be appended otherwise. */
void rsd_ahead_stop(struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr);
/* Is it time to make a start? If so, room for the columns of 'nr' values; NULL: there is none. */
uint32_t *rsd_ahead_plan(struct rsd_ahead *a, size_t nr, int nr_cols);
/*
 * After an event that was appended otherwise, whose columns were written to the room of plan: if
 * the columns expect enough, events are counted from now on. lays_out: columns that may not be told
 * while others are not, as their values say what belongs to which column; NULL: there are none.
 */
void rsd_ahead_start(struct rsd_ahead *a, struct rsd_column **col, const bool *lays_out);

/* Events that the columns are to be told of. */
static inline uint64_t rsd_ahead_taken(const struct rsd_ahead *a)
{
	return a->room - a->left;
}

/* The event was as expected: on to the next one. */
static inline void rsd_ahead_step(struct rsd_ahead *a, size_t nr)
{
	if (a->moving) {
		const int64_t *stride = a->expect + (a->rows_end - a->rows);

		for (size_t i = 0; i < nr; i++)
			a->expect[i] = (int64_t)((uint64_t)a->expect[i] + (uint64_t)stride[i]);
	}
	if (a->in_turn) {
		a->expect += nr;
		if (a->expect == a->rows_end)
			a->expect = a->rows;
	}
	a->left--;
}

/* Two values at a time, wherever they are: every processor we know of can compare as much in one piece. */
typedef uint64_t rsd_pair __attribute__((vector_size(16)));
static inline rsd_pair rsd_pair_differs(const int64_t *a, const int64_t *b)
{
	rsd_pair x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x ^ y;
}
static inline rsd_pair rsd_four_differ(const int64_t *a, const int64_t *b)
{
	return rsd_pair_differs(a, b) | rsd_pair_differs(a + 2, b + 2);
}
/* Are they not the same? The last four values may be compared twice, in part. */
static inline bool rsd_values_differ(const int64_t *a, const int64_t *b, size_t nr)
{
	rsd_pair off = { 0, 0 };
	uint64_t few = 0;

	if (__builtin_expect(nr < 4, 0)) {
		for (size_t i = 0; i < nr; i++)
			few |= (uint64_t)(a[i] ^ b[i]);
		return few != 0;
	}
	for (size_t i = 0; i < nr - 4; i += 4)
		off |= rsd_four_differ(a + i, b + i);
	off |= rsd_four_differ(a + nr - 4, b + nr - 4);
	return (off[0] | off[1]) != 0;
}

/* Takes an event whose values are as expected, if no column is told; false: it is otherwise, and nothing has changed. */
static inline bool rsd_ahead_take(struct rsd_ahead *a, const int64_t *val, size_t nr)
{
	if (!a->left || nr != a->nr || rsd_values_differ(val, a->expect, nr))
		return false;
	if (__builtin_expect(a->plain, 1))
		a->left--;
	else if (a->nr_told)
		return false;
	else
		rsd_ahead_step(a, nr);
	return true;
}
/* The same where some columns are told. *err: of a column. */
bool rsd_ahead_take_told(
	struct rsd_ahead *a, struct rsd_column **col, const int64_t *val, size_t nr, int *err);

#endif
