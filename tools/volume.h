/*
 * volume.h - how often a place is called and how many bytes it moves, from its columns
 *
 * A column that never changes costs a multiplication; only where counts and types
 * both vary are they stepped through, side by side. Bytes are count x size of type, summed,
 * as the call's arguments say. Calls that failed moved nothing.
 */
#ifndef RSD_VOLUME_H
#define RSD_VOLUME_H

#include "trace.h"

struct rsd_volume {
	uint64_t calls;
	uint64_t failed;       /* of these, that returned an error */
	double sent, received; /* bytes */
	bool unknown; /* a size is missing, or would take too long: the bytes are too few */
};

/* b joins a 'times' over. */
void rsd_volume_add(struct rsd_volume *a, const struct rsd_volume *b, uint64_t times);
/* Calls and bytes of place 'p' on one rank. 0 or RSD_ERR_NOMEM. */
int rsd_volume_of_rank(
	const struct rsd_trace *t, const struct rsd_place *p, int rank, struct rsd_volume *out);
/* True with *out set where they are the same for every rank that has the place. */
bool rsd_volume_is_uniform(
	const struct rsd_trace *t, const struct rsd_place *p, struct rsd_volume *out);
/* Of a single event. */
void rsd_volume_of_event(
	const struct rsd_trace *t, const struct rsd_event *e, struct rsd_volume *out);

/* Does the value that a call has behind its parameters stand for an error? */
static inline bool rsd_volume_is_error(int64_t error)
{
	return error != 0 && error != RSD_ABSENT;
}
/* An error with which nothing is moved: not one that is in statuses, nor a message that was too long and came all the same. */
bool rsd_volume_moved_nothing(const struct rsd_trace *t, int64_t error);
/* How many of the values start, start + stride, ... are errors; in no more time for many. */
uint64_t rsd_volume_errors_among(int64_t start, int64_t stride, uint64_t count);
/* How many values of a column of these are errors. */
uint64_t rsd_volume_errors(const struct rsd_column *c);

/* Did no call at the place return an error, on any rank? As at most places; it is known at once. */
bool rsd_volume_is_sound(const struct rsd_trace *t, const struct rsd_place *p);

/* The column that has one value a call: the error, or 0. */
const struct rsd_params *rsd_volume_calls(const struct rsd_trace *t, const struct rsd_place *p);

#endif
