/*
 * order.h - the order of threads that the trace tells of (its objects of that name)
 *
 * Each thread is started when the main thread has made as many calls as it had when the thread made its first
 * one, and the main thread makes no call that began only after the thread's end before that, when it joins it. It was so in
 * the traced run, so where everything else that is waited for was so, too, this is no deadlock. So there are never more threads
 * than the program may have had as far as the main thread's calls tell them apart: those that it made, and joined, between the same two of
 * its calls are all started at once, as they may have run at once or one after the other. Who frees a handle may wait for more than
 * that (threads.c), and so has to know who waits here. A trace without these has threads that begin at once.
 */
#ifndef RSD_REPLAY_ORDER_H
#define RSD_REPLAY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rsd_play;
struct rsd_replay;

struct rsd_order {
	uint64_t from, until; /* of main's calls; until: UINT64_MAX, not known */
	bool waits;	      /* it is yet to begin, in its turn. Under the lock */
	bool awaits_end; /* under the lock; what is awaited may be there, and the thread not have woken up */
};

struct rsd_turns { /* of the threads but the main one. Under the lock, but for 'next_from' */
	struct rsd_play **by_from, **by_until; /* those that have one, in order */
	size_t nr_from, nr_until;
	size_t begun, over;	    /* so many of them have begun; have been joined */
	_Atomic uint64_t next_from; /* what the main thread has to pass for another one to begin */
};

/* For all threads, once they are known. 0 or RSD_ERR_NOMEM. */
int rsd_order_read(struct rsd_replay *r);
/* The same, when the threads' counts are known. */
int rsd_order_arrange(struct rsd_replay *r);
void rsd_order_release(struct rsd_replay *r);
/* The thread whose turn to begin it is, which is the caller's to start; or NULL. Under the lock. */
struct rsd_play *rsd_order_next_to_begin(struct rsd_replay *r);
/* Before a call that is no callback's: until threads have ended that ended before it. They are joined. */
void rsd_order_before_call(struct rsd_play *p);
/* Does the thread wait for what has not come yet? Under the lock. */
bool rsd_order_holds(const struct rsd_play *p);
/* Does the trace tell that the present call of p comes before, or after, all that q has yet to do? Under the lock. */
bool rsd_order_is_apart(const struct rsd_play *p, const struct rsd_play *q);
/* So many calls have been made, or left out: others begin. */
void rsd_order_after_calls(struct rsd_play *p, uint64_t nr);

#endif
