/*
 * params_queue.h - a column: the values one parameter took, in execution order
 *
 * A column is a sequence of 64-bit values kept as nested regular sections:
 *
 *	column := item*
 *	item   := run(start, stride, count)		start, start+stride, ...
 *		| rep(count, shift, column)		the body 'count' times; each
 *							round adds 'shift' to the values
 *
 * A run may have moves: what it adds to the shift of each rep around it, where some values of a
 * body stay and others advance: 7 0 7 1 7 2 ... is (7 0{+1})xN.
 *
 * so a parameter that never changes is one run of stride 0, a stencil's
 * neighbours (-1 +1 -64 +64, again and again) are one rep, an advancing tag one
 * run, and anything else short runs. Arithmetic wraps at 64 bits; constants
 * (rsd_is_const) are only ever equal or different: never part of a stride, and shifts
 * pass them by. A symbolic column (string ids) has no strides or shifts at all, so
 * that ids can be exchanged by rsd_column_map.
 *
 * Appending is O(1) amortised however irregular the values are: the state after
 * a rep predicts the next value, and one that comes as predicted costs a
 * comparison and an increment. Periods up to RSD_COLUMN_PERIOD items are found.
 * Items that can no longer take part in a fold are kept as varint bytes.
 *
 * Equal sequences appended value by value give equal columns: the form is a
 * function of the sequence. (Concatenation may give another form of the same.)
 */
#ifndef RSD_PARAMS_QUEUE_H
#define RSD_PARAMS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

#define RSD_COLUMN_PERIOD 8192

struct rsd_column; /* owned by pointer; about 100 bytes when constant */

struct rsd_column *rsd_column_new(bool symbolic); /* NULL: out of memory */
void rsd_column_free(struct rsd_column *c);	  /* NULL is fine */
struct rsd_column *rsd_column_copy(const struct rsd_column *c);

/* 0 or RSD_ERR_NOMEM (sticky: the column then stays as it was before the first failed append). */
int rsd_column_append(struct rsd_column *c, int64_t v);
/* Appends v 'count' times in O(1) amortised. */
int rsd_column_append_run(struct rsd_column *c, int64_t v, uint64_t count);
/*
 * The values that the column expects: those of a round, then the same with each one's step added, and so on, 'left' of
 * them in all; 0: it is not known, or none. A run has rounds of one value. Whoever gets them by turns, and in
 * the end says with rsd_column_took how many came (at most 'left', with nothing appended meanwhile), has
 * appended them.
 */
#define RSD_COLUMN_ROUND 16 /* longer ones are not foreseen beyond the run that is walked */
struct rsd_foresight {
	int64_t value[RSD_COLUMN_ROUND], step[RSD_COLUMN_ROUND];
	size_t nr; /* in a round */
	uint64_t left;
};
void rsd_column_foresee(const struct rsd_column *c, struct rsd_foresight *f);
void rsd_column_took(struct rsd_column *c, uint64_t nr);
/* Appends all of 'src' section by section; joins at the seam (a run goes on, a rep takes further rounds). */
int rsd_column_concat(struct rsd_column *c, const struct rsd_column *src);

/* Gives up what only appending needs, and takes the least memory until something is appended. 0 or RSD_ERR_NOMEM. */
int rsd_column_freeze(struct rsd_column *c);

uint64_t rsd_column_length(const struct rsd_column *c);
/* True with *v set where all values are equal (and there is one). */
bool rsd_column_is_constant(const struct rsd_column *c, int64_t *v);
bool rsd_column_is_symbolic(const struct rsd_column *c);
/* Same form, hence same values. */
bool rsd_column_equal(const struct rsd_column *a, const struct rsd_column *b);
uint64_t rsd_column_hash(const struct rsd_column *c);
/* Bytes of rsd_column_encode, without writing them. */
size_t rsd_column_size(const struct rsd_column *c);
/* Bytes of memory. */
size_t rsd_column_memory(const struct rsd_column *c);

/*
 * New column with fn(value, arg) for each value that is not a constant; only
 * for symbolic columns or where all strides and shifts are 0 (else NULL, as on
 * no memory). Costs O(sections).
 */
struct rsd_column *rsd_column_map(
	const struct rsd_column *c, int64_t (*fn)(int64_t, void *), void *arg);
/*
 * The column with every non-constant value v replaced by (v - origin) mod size,
 * size > 0, or NULL where some value lies outside 0..size-1 or memory is out.
 * O(sections) where runs do not wrap around; a run that does is cut where it wraps.
 */
struct rsd_column *rsd_column_relative(const struct rsd_column *c, int64_t origin, int64_t size);

/* Calls fn for each maximal section in order: 'count' times v, v+stride... (reps are unrolled: up to length many).
 * Stops at nonzero and returns it. */
int rsd_column_each(const struct rsd_column *c,
	int (*fn)(int64_t start, int64_t stride, uint64_t count, void *arg), void *arg);
/* The sum of all values, modulo 2^64; as long as that takes. */
uint64_t rsd_column_total(const struct rsd_column *c);

/*
 * Calls fn for each item in the order of the encoding: a run (body 0), or brackets around the next 'body'
 * items, 'step' being their shift. Stops at nonzero and returns it.
 */
struct rsd_section {
	int64_t start, step; /* brackets: start is 0 */
	uint64_t count, body;
};
/* A move, of the run behind it, comes as a run of a length that no run has. It has no values. */
static inline bool rsd_section_is_move(const struct rsd_section *s)
{
	return !s->body && s->count >> 62;
}
int rsd_column_sections(
	const struct rsd_column *c, int (*fn)(const struct rsd_section *s, void *arg), void *arg);

/* Sums and extremes over the non-constant values, in O(sections). */
struct rsd_column_stats {
	uint64_t nr, nr_consts;
	int64_t min, max;
	double sum;
};
void rsd_column_stats(const struct rsd_column *c, struct rsd_column_stats *out);

/*
 * Calls fn with the extremes of each run over all rounds around it, constants aside; O(sections). Stops at
 * nonzero and returns it.
 */
int rsd_column_extremes(
	const struct rsd_column *c, int (*fn)(int64_t min, int64_t max, void *arg), void *arg);

/*
 * For a column that was decoded and is then read from anywhere: any place in it is found in the logarithm of its length, by
 * ways in every so many sections. It is dropped once something is appended. 0 or RSD_ERR_NOMEM.
 */
int rsd_column_index(struct rsd_column *c);

/* Reading in order, never expanding. The column must outlive the cursor and not change. */
struct rsd_cursor;
struct rsd_cursor *rsd_cursor_new(const struct rsd_column *c);
void rsd_cursor_free(struct rsd_cursor *k);
/* 0 with *v set, or RSD_ERR_END. */
int rsd_cursor_next(struct rsd_cursor *k, int64_t *v);
/* The next 'nr' values; RSD_ERR_END where there are fewer. */
int rsd_cursor_read(struct rsd_cursor *k, int64_t *out, size_t nr);
/*
 * How many values follow in the run that is being read, and by which stride: whoever knows the last value
 * knows these. rsd_cursor_took: so many of them (at most that many) count as read.
 */
uint64_t rsd_cursor_run(const struct rsd_cursor *k, int64_t *stride);
void rsd_cursor_took(struct rsd_cursor *k, uint64_t n);
/* Skips n values in O(sections skipped), or less where there is an index. RSD_ERR_END if there are fewer. */
int rsd_cursor_skip(struct rsd_cursor *k, uint64_t n);
/* Takes the next n values as a new column (O(sections)); NULL if fewer are left or memory is out. */
struct rsd_column *rsd_cursor_take(struct rsd_cursor *k, uint64_t n);
uint64_t rsd_cursor_position(const struct rsd_cursor *k);

/*
 * The numbers of a column - moves, starts, strides, shifts and counts, in the order of
 * the encoding - as against its skeleton (kinds of items, nesting). Two columns
 * of one skeleton differ in numbers only: ranks of one program mostly do.
 */
size_t rsd_column_nr_numbers(const struct rsd_column *c);
uint64_t rsd_column_skeleton_hash(const struct rsd_column *c);
bool rsd_column_same_skeleton(const struct rsd_column *a, const struct rsd_column *b);
/* Writes all numbers to out[0..nr_numbers). */
void rsd_column_get_numbers(const struct rsd_column *c, int64_t *out);
/* A copy with these numbers; NULL on no memory or where a count is out of range (hostile input). */
struct rsd_column *rsd_column_with_numbers(const struct rsd_column *c, const int64_t *number);

/* Bytes, and text as doc/trace-format says: "5", "5x100" (constant), "0+1x10", "(-1 1 -64 64)x500", "(...)+8x4", "(7 0{+1})x9". */
void rsd_column_encode(const struct rsd_column *c, struct rsd_buf *out);
/* RSD_ERR_FORMAT on damage: depth, counts and total length (< 2^62) are checked. The result may be appended to. */
int rsd_column_decode(struct rsd_column **out, struct rsd_reader *in);
void rsd_column_print(const struct rsd_column *c, struct rsd_buf *out);
/* Reads what print wrote. RSD_ERR_FORMAT on anything else ('s' may be NULL without 'len'); *end is where reading stopped. */
int rsd_column_parse(
	struct rsd_column **out, const char *s, size_t len, bool symbolic, size_t *end);

#endif
