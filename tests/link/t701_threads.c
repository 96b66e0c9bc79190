/* Several threads at once, each on a communicator of its own. */
#include "t.h"
#include <pthread.h>

#define THREADS 3

static MPI_Comm comm[THREADS];

static void *work(void *arg)
{
	int me = (int)(long)arg, v = 1, sum;

	for (int k = 0; k < 20; k++)
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, comm[me]);
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t t[THREADS];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comm[i]);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
