/*
 * Threads complete requests of other ones, while they have as many of their own that were made as early; and one that is
 * made at any time.
 */
#include "t.h"
#include <pthread.h>
#include <semaphore.h>

#define NR 4

static MPI_Request of_main[NR], of_thread[NR], made_later;
static int got[NR], thread_got[NR], later;
static sem_t is_made;

static void *work(void *arg)
{
	int out = 7;

	(void)arg;
	for (int i = 0; i < NR; i++)
		MPI_Irecv(&thread_got[i], 1, MPI_INT, 0, NR + i, MPI_COMM_SELF, &of_thread[i]);
	MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Wait(&of_main[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < NR; i++)
		MPI_Send(&out, 1, MPI_INT, 0, NR + i, MPI_COMM_SELF);
	MPI_Waitall(NR - 1, of_thread, MPI_STATUSES_IGNORE);
	CHECK(thread_got[0] == out && got[0] == out);
	return NULL;
}

static void *work_meanwhile(void *arg)
{
	MPI_Request more[NR];
	int in[NR], out = 9;

	(void)arg;
	MPI_Irecv(&later, 1, MPI_INT, 0, 20, MPI_COMM_SELF, &made_later);
	sem_post(&is_made);
	for (int i = 0; i < NR; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 0, 30 + i, MPI_COMM_SELF, &more[i]);
	for (int i = 0; i < NR; i++)
		MPI_Send(&out, 1, MPI_INT, 0, 30 + i, MPI_COMM_SELF);
	MPI_Waitall(NR, more, MPI_STATUSES_IGNORE);
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
	MPI_Wait(&of_thread[NR - 1], MPI_STATUS_IGNORE);
	sem_init(&is_made, 0, 0);
	pthread_create(&t, NULL, work_meanwhile, NULL);
	sem_wait(&is_made);
	MPI_Send(&out, 1, MPI_INT, 0, 20, MPI_COMM_SELF);
	MPI_Wait(&made_later, MPI_STATUS_IGNORE);
	pthread_join(t, NULL);
	CHECK(later == out && thread_got[NR - 1] == 7);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
