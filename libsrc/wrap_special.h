/*
 * wrap_special.h - the calls that begin and end a run
 */
#ifndef RSD_WRAP_SPECIAL_H
#define RSD_WRAP_SPECIAL_H

/* MPI_Session_init has succeeded: there may never be an MPI_Init. */
void rsd_session_seen(void);

/* A call comes although no MPI_Init has been seen; called while RSD_SHUT_OUTSIDE holds. */
void rsd_init_unseen(void);

#endif
