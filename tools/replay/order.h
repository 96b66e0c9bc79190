/*
 * order.h - the order of threads that the trace tells of (its objects of that name)
 *
 * Each thread begins when the main thread has made as many calls as it had when the thread made its first
 * one, and the main thread makes no call that began only after the thread's end before that. It was so in the traced run, so
 * where everything else that is waited for was so, too, this is no deadlock. Who frees a handle may wait for more than
 * that (threads.c), and so has to know who waits here. A trace without these has threads that begin at once.
 */
#ifndef RSD_REPLAY_ORDER_H
#define RSD_REPLAY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct rsd_play;
struct rsd_replay;

struct rsd_order {
	uint64_t from, until; /* of main's calls; until: UINT64_MAX, not known */
	bool waits;	      /* it has not begun */
	/* Under the lock; what is awaited may be there, and the thread not have woken up. */
	bool awaits_begin, awaits_end;
};

/* For all threads, once they are known. */
void rsd_order_read(struct rsd_replay *r);
/* A thread: until it may begin. */
void rsd_order_await_begin(struct rsd_play *p);
/* Before a call that is no callback's: until threads have ended that ended before it. */
void rsd_order_before_call(struct rsd_play *p);
/* Does the thread wait for what has not come yet? Under the lock. */
bool rsd_order_holds(const struct rsd_play *p);
/* Does the trace tell that the present call of p comes before, or after, all that q has yet to do? Under the lock. */
bool rsd_order_is_apart(const struct rsd_play *p, const struct rsd_play *q);
/* So many calls have been made, or left out: others may wait for that. */
void rsd_order_after_calls(struct rsd_play *p, uint64_t nr);

#endif
