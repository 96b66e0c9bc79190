/*
 * Requests of which the trace doesn't tell that they were made: while nothing is recorded, by a function that is left out, and
 * past the tracer. Names of others do not count them, in their own thread and in another one.
 */
#include "t.h"
#include <pthread.h>

#define NR 3

static MPI_Request of_main[NR], unseen, left_out;
static int got[NR], past;

static void receive(int i)
{
	MPI_Irecv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &of_main[i]);
}

static void send_to(int i)
{
	int out = i;

	MPI_Send(&out, 1, MPI_INT, 0, i, MPI_COMM_SELF);
}

/* Some that come and go, and are not recorded. */
static void work_unrecorded(void)
{
	MPI_Request r[2 * NR];
	int in[NR], out = 9;

	MPI_Pcontrol(0);
	for (int i = 0; i < NR; i++) {
		MPI_Irecv(&in[i], 1, MPI_INT, 0, 10, MPI_COMM_SELF, &r[i]);
		MPI_Isend(&out, 1, MPI_INT, 0, 10, MPI_COMM_SELF, &r[NR + i]);
	}
	MPI_Waitall(2 * NR, r, MPI_STATUSES_IGNORE);
	MPI_Pcontrol(1);
}

static void work_past_the_tracer(void)
{
	static int out = 7;

	PMPI_Irecv(&past, 1, MPI_INT, 0, 20, MPI_COMM_SELF, &unseen);
	MPI_Issend(&out, 1, MPI_INT, 0, 20, MPI_COMM_SELF, &left_out);
	MPI_Pcontrol(0);
	MPI_Wait(&unseen, MPI_STATUS_IGNORE);
	MPI_Wait(&left_out, MPI_STATUS_IGNORE);
	MPI_Pcontrol(1);
	CHECK(past == 7);
}

static void *work(void *arg)
{
	(void)arg;
	send_to(0);
	MPI_Wait(&of_main[0], MPI_STATUS_IGNORE);
	send_to(2);
	MPI_Wait(&of_main[2], MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t t;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	work_unrecorded();
	receive(0);
	receive(1);
	work_unrecorded();
	work_past_the_tracer();
	receive(2);
	send_to(1);
	MPI_Wait(&of_main[1], MPI_STATUS_IGNORE);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	for (int i = 0; i < NR; i++)
		CHECK(got[i] == i);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
