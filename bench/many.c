/*
 * Many calls of one rank, in which nothing happens: many N [irregular]
 *
 * Regular: a step of eight sends again and again. Irregular: the next call site, count and tag come from a hash.
 * For what an event costs the tracer, and how much memory it has taken after 10^3 and after 10^8.
 */
#include "bench.h"

#include <string.h>

static unsigned hash(unsigned long x)
{
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return (unsigned)(x >> 32);
}

/* The comment is in the assembly only: calls that are followed by the same would become one. */
#define SEND(n)                                                                                    \
	case n:                                                                                    \
		MPI_Send(buf, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD);                \
		__asm__ volatile("# site %0" : : "i"(n));                                          \
		break

static void send(int site, const char *buf, int count, int tag)
{
	switch (site) {
		SEND(0);
		SEND(1);
		SEND(2);
		SEND(3);
		SEND(4);
		SEND(5);
		SEND(6);
		SEND(7);
	}
}

int main(int argc, char **argv)
{
	static char buf[1024];
	struct bench b;

	bench_init(&b, &argc, &argv);
	long nr = bench_arg(argc, argv, 1, 100000);
	int irregular = argc > 2 && !strcmp(argv[2], "irregular");
	bench_start(&b);
	for (long i = 0; i < nr; i++) {
		unsigned h = irregular ? hash((unsigned long)i + 1) : (unsigned)i % 8;

		send((int)(h % 8), buf, 1 + (int)(h >> 3) % 1000, (int)(h >> 16 & 4095));
	}
	bench_stop(&b, nr);
	return bench_finish(&b);
}
