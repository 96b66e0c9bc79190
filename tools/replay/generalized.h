/*
 * generalized.h - generalized requests: made, asked for their status, and completed by a cancel function
 *
 * What callbacks called is not played, but for MPI_Grequest_complete: the request would not end. The event of the
 * nested call stands before that of the call it was in, so it is noted; the stand-in of the cancel function
 * makes it when that call is MPI_Cancel. Of any other callback's, it is made right before the call.
 */
#ifndef RSD_GENERALIZED_H
#define RSD_GENERALIZED_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>

struct rsd_play;

/*
 * What the present call's status of the k-th request that it was given said: source, tag, error.
 * NULL: none was kept.
 */
const int64_t *rsd_play_status_of(const struct rsd_play *p, size_t k);
/* Plays MPI_Grequest_start. */
int rsd_play_grequest_start(struct rsd_play *p);
/* The present event is MPI_Grequest_complete, called by a callback. */
void rsd_play_note_completion(struct rsd_play *p);
/* Plays the present call by 'call', and the completion that was noted, if any. */
void rsd_play_around_completion(struct rsd_play *p, int (*call)(struct rsd_play *p));
/* The body of every cancel function's stand-in. */
int rsd_play_cancel(const void *extra);
/* The body of every query function's stand-in. */
int rsd_play_query(void *extra, MPI_Status *status);

#endif
