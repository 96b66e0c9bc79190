/*
 * nesting.h - which wrappers of a thread are still under way when another call begins
 *
 * A call from a callback is nested in the call that the MPI library runs the callback for. But
 * an error handler, say, may leave by longjmp or an exception: then the wrapper that was inside
 * MPI never comes to its end, and nobody says so. What tells is the stack: a call
 * is from inside a wrapper just where the wrapper's frame is among the frames that the
 * call would return through.
 *
 *	open:	  A		B		C	    each with what it had put aside
 *	stack:	  main  A  mpi  callback  B  mpi  handler -- longjmp to callback --> D
 *	at D:	  main  A  mpi  callback  D		    A is under way, B and C are not
 *
 * If a wrapper's frame is there, what is outside of it is as it was when it began, and so are
 * the wrappers outside of it: only the innermost one that is there is looked for.
 *
 * What the others had put aside is taken back, if it is sure that they do not come back: they and the new
 * call are on the thread's own stack. A stack that the program switches to (makecontext, a
 * signal's) may be left for a while in the middle of a call.
 */
#ifndef RSD_NESTING_H
#define RSD_NESTING_H

#include <stdbool.h>

struct rsd_thread;

/* A call begins whose wrapper has this frame: t->depth is the number of wrappers it is inside of from now on. */
void rsd_nesting_settle(struct rsd_thread *t, const void *frame);
/*
 * Is the call to 'caller', whose wrapper has this frame, made by the innermost open wrapper itself: is nothing of the MPI library's
 * between them, so no callback, but its Fortran layer at most? Where all is linked statically that is not to be told apart.
 */
bool rsd_nesting_is_direct(const struct rsd_thread *t, const void *caller, const void *frame);

#endif
