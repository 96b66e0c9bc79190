/* A thread completes a request of another one, while it has one of its own that was made as early. */
#include "t.h"
#include <pthread.h>

#define NR 4

static MPI_Request of_main[NR];
static int got[NR];

static void *work(void *arg)
{
	MPI_Request own;
	int in = 0, out = 7;

	(void)arg;
	MPI_Irecv(&in, 1, MPI_INT, 0, NR, MPI_COMM_SELF, &own);
	MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Wait(&of_main[0], MPI_STATUS_IGNORE);
	MPI_Send(&out, 1, MPI_INT, 0, NR, MPI_COMM_SELF);
	MPI_Wait(&own, MPI_STATUS_IGNORE);
	CHECK(in == out && got[0] == out);
	return NULL;
}

int main(int argc, char **argv)
{
	int level, out = 1;
	pthread_t t;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	for (int i = 0; i < NR; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &of_main[i]);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	for (int i = 1; i < NR; i++)
		MPI_Send(&out, 1, MPI_INT, 0, i, MPI_COMM_SELF);
	MPI_Waitall(NR, of_main, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
