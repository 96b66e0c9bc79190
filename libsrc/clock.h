/*
 * clock.h - the one time source: ticks, whose differences are time
 *
 * A tick is a step of the processor's own counter, where that counts at one rate on all cores and in
 * all states of the processor, and the kernel trusts it; reading it costs half of what the system's
 * clock does. Elsewhere a tick is a nanosecond of CLOCK_MONOTONIC, or of a simulator's clock, which MPI_Wtime tells.
 *
 * How long a tick is nobody tells. It is measured, over all the time since the tracer was loaded:
 * when a span is first asked for, then whenever that time has doubled, and at least once a second. So
 * nothing waits for it, the first calls are told to a thousandth or so, and the others
 * better. Where the counter and the clock disagree about such a stretch of time (a machine that was
 * suspended, or a virtual one that has moved), measuring begins anew, and rsd_clock_agrees() says so.
 *
 * Spans that are added up would add up their errors. Where every time is kept, a reading is therefore exact: the
 * time of CLOCK_MONOTONIC, in nanoseconds, worked out from the counter and the last time that both were looked at
 * together. So readings of all threads, and of all processes of a host, are of one clock.
 */
#ifndef RSD_CLOCK_H
#define RSD_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <mpi.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include "ranks.h"

#define RSD_CLOCK_SHIFT 32

struct rsd_clock {
	bool counter; /* ticks are the processor's; this and 'exact' never change after the first reading */
	bool exact;		 /* was asked for */
	_Atomic uint64_t length; /* of a tick: ns << RSD_CLOCK_SHIFT */
	_Atomic uint64_t due;	 /* reading from which on to measure again */
};
extern struct rsd_clock rsd_clock RSD_HIDDEN;

/* Where measuring begins; the earlier, the better. May be called again, to no effect. */
void rsd_clock_load(void);
/* Before the first reading, once. counter: use the processor's, if there is a good one; exact: for the clock's time. */
void rsd_clock_start(bool counter, bool exact);
/* Measures the length of a tick. */
void rsd_clock_measure(void);
/* False if counter and clock have disagreed, up to now. */
bool rsd_clock_agrees(void);

static inline uint64_t rsd_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The processor's counter; 0 where we know of none. */
static inline uint64_t rsd_clock_counter(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

/* A reading where ticks are not the processor's. */
uint64_t rsd_clock_exact(void);
/* Are ticks the processor's? */
static inline bool rsd_clock_is_counter(void)
{
	return !RSD_RANKS_LOADED && __builtin_expect(rsd_clock.counter, 1);
}

static inline uint64_t rsd_clock_ticks(void)
{
	if (RSD_RANKS_LOADED)
		return (uint64_t)(PMPI_Wtime() * 1e9);
	return rsd_clock_is_counter() ? rsd_clock_counter() : rsd_clock_exact();
}

/* The length of a tick as it is known at reading 'now'. */
static inline uint64_t rsd_clock_length(uint64_t now)
{
	if (__builtin_expect(now >= atomic_load_explicit(&rsd_clock.due, memory_order_relaxed), 0))
		rsd_clock_measure();
	return atomic_load_explicit(&rsd_clock.length, memory_order_relaxed);
}

/* Nanoseconds between two readings; 0 where time went back (another core's counter may be a little behind). */
static inline uint64_t rsd_clock_span_of(uint64_t from, uint64_t to, uint64_t length)
{
	if (to <= from)
		return 0;
	return (uint64_t)(__extension__(unsigned __int128)(to - from) * length >> RSD_CLOCK_SHIFT);
}

static inline uint64_t rsd_clock_span(uint64_t from, uint64_t to)
{
	return to <= from ? 0 : rsd_clock_span_of(from, to, rsd_clock_length(to));
}

#endif
