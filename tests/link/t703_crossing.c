/*
 * Two threads a rank, the first of which is in a call that ends only once the second one of the other rank has
 * made its own.
 */
#include "t.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static atomic_bool begun;

static void *receiver(void *arg)
{
	int v = 0;

	begun = true;
	MPI_Recv(&v, 1, MPI_INT, 1 - t_rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(v == 5);
	return arg;
}

static void *sender(void *arg)
{
	int v = 5;

	while (!begun)
		usleep(1000);
	usleep(50000);
	MPI_Ssend(&v, 1, MPI_INT, 1 - t_rank, 7, MPI_COMM_WORLD);
	return arg;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t t[2];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	pthread_create(&t[0], NULL, receiver, NULL);
	pthread_create(&t[1], NULL, sender, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
