/*
 * ranks.h - are ranks processes, or loaded into one?
 *
 * A simulator (SMPI) runs all ranks in one process. It loads the program once for each of them, or swaps
 * its data, and they take turns: another one runs whenever one is inside of MPI. So all that is static is
 * there for each rank, the tracer's own, too, which is linked into the program. What is the process's
 * is shared by all, and differs:
 *
 *	what is thread-local	one thread runs all ranks; here it is static, and so each rank's own
 *	time			the simulated one: MPI_Wtime's
 *	the program		a module that is loaded late, by a name of its own for each rank; the
 *				executable is the MPI library's
 *	signals			the simulator's, and nothing is done about them
 *	limits, masks		as always; but a rank changes them only while it is not inside of MPI
 *
 * The Makefile finds out: programs are linked as shared objects then.
 */
#ifndef RSD_RANKS_H
#define RSD_RANKS_H

/* A variable that is reached without a look-up: all objects of the tracer are linked into one. */
#define RSD_HIDDEN __attribute__((visibility("hidden")))

#include "ranks_loaded.h" /* generated: RSD_RANKS_LOADED, 0 or 1; RSD_PER_THREAD, a storage class */

#endif
