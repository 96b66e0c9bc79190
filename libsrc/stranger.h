/*
 * stranger.h - the program's MPI is not of the kind that this tracer was built for
 *
 * The two kinds differ in what a handle is: a number (MPICH and its relatives), a pointer (Open MPI). Wrappers for numbers cut
 * pointers off, so to hand calls on is not enough: there must be none. A tracer that is preloaded into a program that is linked with a stranger
 * takes itself out of LD_PRELOAD and has the program started anew, in the same process, before any code of the program's has run. It then
 * is as it would have been without the tracer, and so are the programs that it starts. One process of those that a launcher has started says so.
 *
 * Where the stranger comes later, with a plugin, the program has begun. Then wrappers become jumps to what they wrap (detour.h), at the first call of
 * one, which is from before MPI_Init and so has no handles. In Fortran there are other names for each MPI; that is not seen to.
 */
#ifndef RSD_STRANGER_H
#define RSD_STRANGER_H

#include <stdbool.h>

/* MPI has come after the tracer (late.h): is it a stranger? That is told. */
bool rsd_stranger_came(void);

#endif
