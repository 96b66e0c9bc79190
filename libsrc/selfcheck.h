/*
 * selfcheck.h - RECORD_SELFCHECK=1: is the trace what was called?
 *
 * Beside the folded stream each thread keeps a flat log of its events. At the
 * end the trace is walked and compared with it, event by event and value by value.
 */
#ifndef RSD_SELFCHECK_H
#define RSD_SELFCHECK_H

#include "runtime.h"
#include "trace.h"

struct rsd_selfcheck_place {
	int func, sig, nested;
};

struct rsd_selfcheck_thread {
	int number;
	struct rsd_buf log;		   /* taken from the thread */
	struct rsd_selfcheck_place *place; /* what places of its stream were */
	size_t nr_places;
};

struct rsd_selfcheck {
	bool on;
	struct rsd_selfcheck_thread *thread;
	size_t nr_threads;
	uint64_t nr_events; /* that were compared */
};
#define RSD_SELFCHECK_INIT ((struct rsd_selfcheck){ false, NULL, 0, 0 })

/* Logs an event. */
void rsd_selfcheck_event(struct rsd_thread *t, int place, const int64_t *val, size_t nr);
/* Takes the logs of all threads, before their streams go into the trace; only where the option is on. */
void rsd_selfcheck_begin(struct rsd_selfcheck *s);
/* The same of one thread only. */
void rsd_selfcheck_begin_thread(struct rsd_selfcheck *s, struct rsd_thread *t);
void rsd_selfcheck_end(struct rsd_selfcheck *s);
/* Compares with this rank's events in a trace, and reports a difference. */
bool rsd_selfcheck_compare(struct rsd_selfcheck *s, const struct rsd_trace *t);
/* The same for a trace of this rank only, which gets "selfcheck ok" or "selfcheck failed". */
void rsd_selfcheck_own(struct rsd_selfcheck *s, struct rsd_trace *t);

#endif
