/*
 * steer.h - makes MPI decide as it did in the traced run
 *
 * Whom a wildcard receive gets its message from, which request Waitany takes, how often Test
 * says no: MPI is free to decide such things otherwise each time. receives.c, starts.c, outcomes.c, neighbours.c,
 * windows.c and files.c define these functions' PMPI_ entry points in the replay program, in front of the MPI library's: the replay, and a
 * tracer that records it, call the function with the arguments of the trace; the library gets the
 * call that has the recorded outcome (a receive from that rank, a wait for that request).
 *
 * Only the PMPI call that the replay's own call leads to is touched; what the library calls
 * for itself passes through.
 */
#ifndef RSD_STEER_H
#define RSD_STEER_H

#include <stdint.h>

struct rsd_play;

/* The player whose call of this function leads here, once a call; NULL: it is the MPI library's own business. */
struct rsd_play *rsd_steered(int func);
/* The MPI library's PMPI function behind ours, by index in rsd_funcs. */
void (*rsd_steer_real(int func))(void);
#define REAL(name) ((__typeof__(&PMPI_##name))rsd_steer_real(RSD_F_MPI_##name))

/* A wildcard becomes the source or the tag of the message that was matched, as far as these are known. */
void rsd_steer_envelope(int64_t from, int64_t with, int *source, int *tag);

/* What a call that asks was told in the traced run. */
enum rsd_outcome {
	RSD_SAID_UNKNOWN, /* not ours to say */
	RSD_SAID_NO,
	RSD_SAID_YES,
	RSD_SAID_FAILED, /* it found a request complete that had failed; the rest is not known */
};
/* By its flag; 'p' may be NULL. */
enum rsd_outcome rsd_steer_flag(const struct rsd_play *p);
/* Says no. Asking moves messages along; so it does where the answer is known. */
int rsd_steer_no(int *flag);

#endif
