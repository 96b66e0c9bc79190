/*
 * births.h - the number of a thread: how many of the process's were made before it
 *
 * Which of several threads calls MPI first is up to the scheduler, and another one on each rank and in each
 * run. The program decides in which order it makes them, and the kernel numbers them in that order:
 *
 *	made		main  a  b  u  c  d	u: MPI's own, not counted
 *	first calls	main  c  a		number 0, 3, 1; d will be 4, if ever it calls
 *
 * Threads that have ended without a call can't be counted; so a number may be taken already, and then it is the
 * next one that is free. Where the kernel says nothing the lowest free one is as good.
 */
#ifndef RSD_BIRTHS_H
#define RSD_BIRTHS_H

/* MPI is about to start: the threads that there are now are the program's. May be told more than once. */
void rsd_births_before_mpi(void);
/* MPI has started: threads that came in the meantime are its, or the tracer's. */
void rsd_births_after_mpi(void);
/* How many of the program's threads were made before the calling one; 0 where that is not known. Once in a thread. */
int rsd_births_earlier(void);

/* Under the runtime's lock: */
/* The lowest number from 'wanted' on that no thread has had, which it now has. -1: no memory. */
int rsd_births_number(int wanted);
/* The number is some thread's. 0 or RSD_ERR_NOMEM. */
int rsd_births_take(int number);
/* Numbers are below it. */
int rsd_births_bound(void);

#endif
