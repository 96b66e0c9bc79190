/*
 * generalized.h - generalized requests: made, and asked for their status
 */
#ifndef RSD_GENERALIZED_H
#define RSD_GENERALIZED_H

#include <mpi.h>

struct rsd_play;

/* Plays MPI_Grequest_start. */
int rsd_play_grequest_start(struct rsd_play *p);
/* The body of every query function's stand-in. */
int rsd_play_query(void *extra, MPI_Status *status);

#endif
