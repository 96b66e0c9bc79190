/*
 * Calls that follow no rule: site, count and tag come from a hash; so many of them on each of two threads as asked for. Then it
 * ends, or is ended ("abort"); "limit": until then no file may be long.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static long nr;

static unsigned hash(unsigned long x)
{
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return (unsigned)(x >> 32);
}

static void *work(void *arg)
{
	char buf[1024];

	for (long i = 0; i < nr; i++) {
		unsigned h = hash((unsigned long)i * 2 + (arg != NULL));
		int count = (int)(h >> 3) % 1000, tag = (int)(h >> 13 & 4095);

		if (h % 3 == 0)
			MPI_Send(buf, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
		else if (h % 3 == 1)
			MPI_Recv(buf, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		else
			MPI_Ssend(buf, count, MPI_CHAR, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
	}
	return NULL;
}

static void limit_files(rlim_t size)
{
	struct rlimit l;

	getrlimit(RLIMIT_FSIZE, &l);
	l.rlim_cur = size;
	setrlimit(RLIMIT_FSIZE, &l);
}

int main(int argc, char **argv)
{
	pthread_t other;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	nr = atol(argv[1]);
	if (argc > 2 && !strcmp(argv[2], "limit"))
		limit_files(20000);
	pthread_create(&other, NULL, work, &other);
	work(NULL);
	pthread_join(other, NULL);
	if (argc > 2 && !strcmp(argv[2], "abort"))
		abort();
	limit_files(RLIM_INFINITY);
	MPI_Finalize();
	return 0;
}
