/* A handler of the program's own for SIGUSR1, from before MPI_Init: MPICH puts its own before it, and nothing ends. */
#define _POSIX_C_SOURCE 200809L
#include "t.h"

#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t times;

static void count(int sig)
{
	(void)sig;
	times++;
}

static void *call(void *arg)
{
	MPI_Barrier(arg ? MPI_COMM_SELF : MPI_COMM_WORLD);
	raise(SIGUSR1);
	MPI_Barrier(MPI_COMM_SELF);
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t thread;

	signal(SIGUSR1, count);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	pthread_create(&thread, NULL, call, &level);
	pthread_join(thread, NULL);
	MPI_Barrier(MPI_COMM_SELF);
	CHECK(times == 1);
	return t_fini();
}
