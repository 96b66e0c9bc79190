/*
 * bench.h - what the programs here share: a loop is timed between bench_start and bench_stop
 *
 * Each rank prints one line at the end: calls in the loop, CPU and wall time of one, wall and CPU time of
 * MPI_Finalize, peak memory. CPU time is what to compare: wall time on a shared machine is noise.
 */
#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

struct bench {
	int rank, size;
	long calls;	  /* in the loop */
	double cpu, wall; /* seconds: at the start, then of the loop */
};

static inline double bench_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void bench_init(struct bench *b, int *argc, char ***argv)
{
	*b = (struct bench){ 0 };
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b->size);
}

static inline long bench_arg(int argc, char **argv, int i, long otherwise)
{
	return argc > i ? strtol(argv[i], NULL, 10) : otherwise;
}

static inline void bench_start(struct bench *b)
{
	MPI_Barrier(MPI_COMM_WORLD);
	b->wall = bench_clock(CLOCK_MONOTONIC);
	b->cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void bench_stop(struct bench *b, long calls)
{
	b->cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - b->cpu;
	b->wall = bench_clock(CLOCK_MONOTONIC) - b->wall;
	b->calls = calls;
}

static inline int bench_finish(struct bench *b)
{
	double start = bench_clock(CLOCK_MONOTONIC), finalize;
	double cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
	double n = b->calls ? (double)b->calls : 1;
	struct rusage use;

	MPI_Finalize();
	finalize = bench_clock(CLOCK_MONOTONIC) - start;
	cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_SELF, &use);
	printf("rank %d calls %ld cpu_ns %.1f wall_ns %.1f finalize_ms %.2f finalize_cpu_ms %.2f "
	       "peak_kb %ld\n",
		b->rank, b->calls, b->cpu * 1e9 / n, b->wall * 1e9 / n, finalize * 1e3, cpu * 1e3,
		use.ru_maxrss);
	return 0;
}

#endif
