/*
 * volume_parts.h - what volume.c (places, by their columns) and volume_event.c (events) share
 */
#ifndef RSD_VOLUME_PARTS_H
#define RSD_VOLUME_PARTS_H

#include "volume.h"
#include "weight.h"

struct rsd_volume_side { /* what is sent, or received */
	int count, type; /* parameters, or -1 */
	enum rsd_weight weight;
};

void rsd_volume_sides(
	const struct rsd_func *fn, struct rsd_volume_side *sent, struct rsd_volume_side *received);
/* The first parameter of the role, and of that name unless it is NULL; -1: none. */
int rsd_volume_find_role(const struct rsd_func *fn, int role, const char *name);
/* Bytes of so many elements of datatype value 'type'; *unknown is set where its size is not in the trace. */
double rsd_volume_times_size(
	const struct rsd_trace *t, double count, int64_t type, int rank, bool *unknown);

#endif
