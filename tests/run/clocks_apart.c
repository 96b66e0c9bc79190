/*
 * Preloaded: every N ranks are a host of their own, whose clock is 7 seconds ahead of the one before's and goes faster by 50 of a
 * million.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name, long otherwise)
{
	const char *s = getenv(name);

	return s ? strtol(s, NULL, 10) : otherwise;
}

static long host(void)
{
	static long known = -1;

	if (known < 0)
		known = number("PMI_RANK", number("OMPI_COMM_WORLD_RANK", 0)) /
			number("RANKS_A_HOST", 1);
	return known;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	long err = syscall(SYS_clock_gettime, id, t);
	int64_t ns;

	if (err || id != CLOCK_MONOTONIC)
		return (int)err;
	ns = t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
	ns += host() * (INT64_C(7000000000) + ns / 20000);
	t->tv_sec = ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
	return 0;
}

int uname(struct utsname *u)
{
	long err = syscall(SYS_uname, u);

	if (!err)
		snprintf(u->nodename, sizeof(u->nodename), "host%ld", host());
	return (int)err;
}
