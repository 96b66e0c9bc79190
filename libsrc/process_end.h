/*
 * process_end.h - a process that ends without MPI_Finalize, by a signal or by _exit, leaves its trace
 *
 * Ending by exit or return from main is the destructor's matter (runtime.c). _exit and _Exit are ours,
 * in front of libc's. Signals whose action is to end the process get a handler once MPI has
 * started: a child that has the process's memory writes the trace, since in the process itself a
 * lock may be held that writing needs; then the signal takes its course. Handlers of the
 * program's own, installed before or after, are left alone.
 */
#ifndef RSD_PROCESS_END_H
#define RSD_PROCESS_END_H

/* After MPI_Init. */
void rsd_watch_signals(void);

#endif
