/*
 * Threads that are made and joined in rounds: what the main thread hands them is another request, and another
 * communicator of the same slot, each time. A replay has to keep them apart.
 */
#include "t.h"
#include <pthread.h>

#define ROUNDS 4

static MPI_Comm comm;
static MPI_Request pending;

static int tell(void *extra, MPI_Status *status)
{
	(void)extra;
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static void *work(void *arg)
{
	int round = (int)(long)arg, v = round, sum;

	/* In odd rounds each rank is alone. */
	MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK(sum == (round % 2 ? round : t_size * round));
	MPI_Barrier(comm);
	MPI_Grequest_complete(pending);
	return NULL;
}

static void play_round(int round)
{
	pthread_t t;

	MPI_Comm_split(MPI_COMM_WORLD, round % 2 ? t_rank : 0, t_rank, &comm);
	MPI_Grequest_start(tell, release, cancel, NULL, &pending);
	pthread_create(&t, NULL, work, (void *)(long)round);
	pthread_join(t, NULL);
	MPI_Wait(&pending, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &t_size);
	for (int i = 0; i < ROUNDS; i++)
		play_round(i);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
