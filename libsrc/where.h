/*
 * where.h - which MPI calls the threads are in, for the reason that a trace is cut off
 *
 * The call that a rank hangs in has no event, as it has not returned. The thread that ends the process comes first: who
 * sends a signal reaches the main thread mostly, and a fault has its own. Where the tracer has not seen it, as in a
 * checkpoint, it is the main thread. The others follow where they are in another call:
 *
 *	ended by signal 15, without MPI_Finalize, in MPI_Recv
 *	ended by signal 11, without MPI_Finalize, thread 2 in no MPI call (thread 0: MPI_Barrier, thread 1: MPI_Recv)
 *	no MPI_Finalize, in MPI_Send inside MPI_Allreduce			a callback of the latter calls the former
 *
 * May be used in a signal handler, and while other threads begin and end calls: then one of theirs may be named that has
 * just ended. A call that was left by longjmp or an exception is open until the next one, or exit, looks through the stack (nesting.h).
 */
#ifndef RSD_WHERE_H
#define RSD_WHERE_H

#include <stdbool.h>

#define RSD_WHERE 320 /* bytes of such a text, its end included */

/* 'why' and where that was. 'asked': the thread did not come here by itself, so that it is in no call is told, too. */
void rsd_where(const char *why, bool asked, char text[static RSD_WHERE]);

#endif
