/*
 * clock.h - the one time source: nanoseconds that never go back
 */
#ifndef RSD_CLOCK_H
#define RSD_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t rsd_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
