/*
 * volume.h - how often a place is called and how many bytes it moves, from its columns
 *
 * A column that never changes costs a multiplication; only where counts and types
 * both vary are they stepped through, side by side. Bytes are count x size of type, summed,
 * as the call's arguments say.
 */
#ifndef RSD_VOLUME_H
#define RSD_VOLUME_H

#include "trace.h"

struct rsd_volume {
	uint64_t calls;
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

/* The column that has one value a call. */
const struct rsd_params *rsd_volume_calls(const struct rsd_trace *t, const struct rsd_place *p);

#endif
