/*
 * order.h - when each thread made its first call and when it ended, counted in calls of the main thread
 *
 * A trace has each thread's calls and no order between threads. What a program does about that is mostly this:
 *
 *	main	a b c  make threads  d e  join them  f g ...
 *	thread	       x y z				x is after c, f is after z: from 3, until 5
 *
 * and it does so again and again, with handles of the same slots. The counts are what it takes to know which of the
 * main thread's handles of a slot a thread means, and they cost nothing in a call: they are taken at a thread's first call and at its end.
 */
#ifndef RSD_ORDER_H
#define RSD_ORDER_H

#include "runtime.h"
#include "trace.h"

/* The calling thread's first call, which has a number. Under the runtime's lock. */
void rsd_order_begins(struct rsd_thread *t);
/* The thread is no more, as far as it was told; others may ask at any time. */
static inline bool rsd_order_has_ended(const struct rsd_thread *t)
{
	return __atomic_load_n(&t->until, __ATOMIC_RELAXED) != RSD_NOT_ENDED;
}
/* Adds what is known to this rank's trace. Under the lock. 0 or RSD_ERR_NOMEM. */
int rsd_order_to_trace(struct rsd_trace *trace);

#endif
