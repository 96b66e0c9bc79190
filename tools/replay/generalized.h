/*
 * generalized.h - generalized requests: made, and asked for their status
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
/* The body of every query function's stand-in. */
int rsd_play_query(void *extra, MPI_Status *status);

#endif
