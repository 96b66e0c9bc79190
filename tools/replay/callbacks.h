/*
 * callbacks.h - calls that the program made from callbacks are made by those that stand in for these
 *
 * A trace has them before the call that they were made in. So they are kept until that call is played, and
 * the first stand-in that MPI calls from there makes all of them: which callback made which, and how often each
 * was called, is not recorded.
 *
 *	trace	X nested 2, Y nested 1, Z nested 1, MPI_Reduce_local
 *	play	MPI_Reduce_local -> stand-in -> Y, from there stand-in -> X; Z
 *
 * What no stand-in was called for is left out; but not a completion of a generalized request, which would
 * never end: it is made after the call. At most 65536 calls are kept.
 */
#ifndef RSD_CALLBACKS_H
#define RSD_CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rsd_play;
struct rsd_inner; /* a call that is kept */

struct rsd_callbacks {
	struct rsd_inner *inner; /* of the call that comes, or is under way */
	size_t nr, alloc;
	int64_t *val; /* their values */
	size_t nr_val, alloc_val;
	size_t left_out; /* further ones, that could not be kept */
	size_t from, to; /* those that stand-ins of the present call may make */
	int depth;	 /* of the present call */
};
void rsd_callbacks_release(struct rsd_callbacks *c);

/* Is the present event a callback's? Then it is kept, or left out where it can't be. */
bool rsd_callbacks_take(struct rsd_play *p);
/* Around the call that they were made in. */
void rsd_callbacks_begin(struct rsd_play *p);
void rsd_callbacks_end(struct rsd_play *p);
/* A stand-in has been called. */
void rsd_callbacks_run(void);

#endif
