/*
 * Threads that are made in one order and come to call MPI in another one, which differs between the ranks: their
 * numbers are those of the order in which they were made. One of them never calls.
 */
#include "t.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 5
#define SILENT 2

static atomic_int made, turn;

/* Even ranks: the last first; odd ranks: the first last, too, but the others ascending. */
static int place(int me)
{
	if (t_rank % 2 == 0)
		return THREADS - 1 - me;
	return me == 0 ? THREADS - 1 : me - 1;
}

static void *work(void *arg)
{
	int me = (int)(long)arg, v = me;

	while (made < THREADS || turn < place(me))
		usleep(1000);
	if (me != SILENT)
		MPI_Sendrecv_replace(
			&v, 1, MPI_INT, 0, me, 0, me, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	turn++;
	/* One that has ended without a call is not seen. */
	while (turn < THREADS)
		usleep(1000);
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t t[THREADS];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, work, (void *)(long)i);
		made++;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
