/*
 * guide.h - what a replay tells the tracer that records it
 *
 * A replay makes every call from one place in its own code, keeps requests in
 * variables of its own, and has other memory than the program had. So that the trace
 * of a replay is the trace that is replayed, the tracer takes from the replay what
 * can't be seen in the call: its call site, which variable a request is in now,
 * which pointer stands for MPI_BOTTOM, and which of the program's threads makes it.
 * All else it sees for itself.
 *
 * The shared libraries export one struct of this type by the name "rsd_guide"; a
 * replay finds it with dlsym. There is no MPI in it.
 */
#ifndef RSD_GUIDE_H
#define RSD_GUIDE_H

#include <stdint.h>
#include "stack_sig.h"

#define RSD_GUIDE_VERSION 3

struct rsd_guide {
	int version; /* RSD_GUIDE_VERSION, or this is another struct */
	/* The tracer's number for signature 'id' of 'from' (-1, none: -1), to be given to 'at'; below -1: no memory. */
	int (*signature)(const struct rsd_sigs *from, int id);
	/*
	 * The next call of this thread is from there: its stack is not walked. -1: it has no signature.
	 * RSD_GUIDE_OWN: it is the replay's own, of which there is nothing in the trace, and is not recorded.
	 */
	void (*at)(int signature);
	/* Pointer 'p' is to be recorded as the constant of this name ("MPI_BOTTOM"). Nonzero: no memory. */
	int (*stands_for)(const char *constant, const void *p);
	/* The live request with this handle value that was in variable 'from' is in 'to' now. */
	void (*moved)(int64_t handle, const void *from, const void *to);
	/* A call that made a request is left out: this thread's requests are counted as if it had been made. */
	void (*passed)(void);
	/* The calling thread, which has made no call yet, is number 'number' in the trace, whichever thread is first. */
	void (*thread)(int number);
};

#define RSD_GUIDE_OWN (-2)
#define RSD_GUIDE_NAME "rsd_guide"

#endif
