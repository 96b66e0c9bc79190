/*
 * process_end.h - a process that ends without MPI_Finalize, by a signal or by _exit, leaves its trace
 *
 * Ending by exit or return from main is the destructor's matter (runtime.c), MPI_Abort its wrapper's. _exit and _Exit are ours,
 * in front of libc's. Signals whose action is to end the process get a handler once MPI has
 * started: a child that has the process's memory writes the trace, since in the process itself a
 * lock may be held that writing needs; then the signal takes its course, which may be a handler of the
 * MPI library, or of Fortran's runtime, that prints a backtrace. Handlers of the program's own, installed before or
 * after, are left alone.
 */
#ifndef RSD_PROCESS_END_H
#define RSD_PROCESS_END_H

/* Before MPI_Init: handlers that come in it are the library's. */
void rsd_signals_ahead_of_mpi(void);
/* After MPI_Init. */
void rsd_watch_signals(void);
/*
 * Has a child that has the process's memory call write(why), as launchers kill a process at any moment once another rank has
 * ended. Where that is not possible, or takes too long, this process does.
 */
void rsd_write_in_child(void (*write)(const char *why), const char *why);

#endif
