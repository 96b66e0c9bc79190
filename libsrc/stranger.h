/*
 * stranger.h - the program's MPI is not of the kind that this tracer was built for
 *
 * The two kinds differ in what a handle is: a number (MPICH and its relatives), a pointer (Open MPI). Wrappers for numbers cut pointers
 * off, so to hand calls on is not enough: each wrapper, of C and of Fortran, becomes a jump to the next function of its name (detour.h), which is what
 * the program would call without the tracer. That is done when the tracer is loaded, or, where that MPI comes later, with a plugin, at the first call of a wrapper
 * in C, which is from before MPI_Init and so has no handles (entry points of Fortran that such a plugin keeps to itself are not seen to). Libraries that the program is linked with
 * begin before one that is preloaded: should one call MPI there, it is such a call, too. Nothing is recorded; _exit, signals, and threads are as they
 * are in a program without MPI. LD_PRELOAD stays, so each program that is started by this one is looked at by itself. One process of those that
 * a launcher has started says so.
 */
#ifndef RSD_STRANGER_H
#define RSD_STRANGER_H

#include <stdbool.h>

/* Is the MPI that there is by now (late.h) a stranger? That is told, once. */
bool rsd_stranger_came(void);

#endif
