/*
 * weight.h - how often the block of data that a collective's arguments describe is sent or received
 *
 * The standard's count is mostly that of one peer, and who sends or receives depends on the
 * root. A trace has counts, communicator and root; which of them says what is known here, by function.
 */
#ifndef RSD_WEIGHT_H
#define RSD_WEIGHT_H

#include "trace.h"

enum rsd_weight {
	RSD_WEIGHT_ONCE,
	RSD_WEIGHT_PEERS,     /* once for each peer of the communicator */
	RSD_WEIGHT_AT_ROOT,   /* once at the root, elsewhere not */
	RSD_WEIGHT_ELSEWHERE, /* the other way round */
	RSD_WEIGHT_NOT_FIRST, /* not on the communicator's rank 0 */
};

struct rsd_flow {
	enum rsd_weight sent, received;
	bool result; /* what is received is as much as is sent: function tables have no parameters for it */
};

/* Of functions that are not known, all is once. */
struct rsd_flow rsd_flow_of(const struct rsd_func *fn);

/* An attribute of an object on a rank; below 0 where it is not known. */
int64_t rsd_object_attribute(
	const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id, int attr, int rank);

struct rsd_whereabouts { /* of a call */
	int rank;
	int64_t comm, root; /* RSD_ABSENT where there is none */
	bool relative;	    /* root is a distance from the own rank */
};

/* How often; below 0 where the trace does not tell. */
double rsd_weight_of(
	const struct rsd_trace *t, enum rsd_weight weight, const struct rsd_whereabouts *w);

#endif
