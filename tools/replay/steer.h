/*
 * steer.h - makes MPI decide as it did in the traced run
 *
 * Whom a wildcard receive gets its message from, which request Waitany takes, how often Test
 * says no: MPI is free to decide such things otherwise each time. steer.c defines these
 * functions' PMPI_ entry points in the replay program, in front of the MPI library's: the replay, and a
 * tracer that records it, call the function with the arguments of the trace; the library gets the
 * call that has the recorded outcome (a receive from that rank, a wait for that request).
 *
 * Only the PMPI call that the replay's own call leads to is touched; what the library calls
 * for itself passes through.
 */
#ifndef RSD_STEER_H
#define RSD_STEER_H

/* The address of an MPI library's PMPI function behind ours, by index in rsd_funcs. */
void (*rsd_steer_real(int func))(void);

#endif
