/* Requests that are freed, cancelled or never completed; the table must not be confused by their values. */
#include "t.h"

int main(int argc, char **argv)
{
	int v = 1, got, cancelled, flag;
	MPI_Request q, keep[10];
	MPI_Status st;

	t_init(&argc, &argv);
	for (int k = 0; k < 10; k++) {
		/* Small sends: MPICH hands out one and the same value for all of them. */
		MPI_Isend(&v, 1, MPI_INT, 1 - t_rank, 1, MPI_COMM_WORLD, &keep[k]);
		MPI_Isend(&v, 1, MPI_INT, 1 - t_rank, 2, MPI_COMM_WORLD, &q);
		MPI_Request_free(&q);
		MPI_Recv(&got, 1, MPI_INT, 1 - t_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&got, 1, MPI_INT, 1 - t_rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Irecv(&got, 1, MPI_INT, 1 - t_rank, 77, MPI_COMM_WORLD, &q);
	MPI_Request_get_status(q, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Cancel(&q);
	MPI_Wait(&q, &st);
	MPI_Test_cancelled(&st, &cancelled);
	CHECK(cancelled);
	MPI_Waitall(9, keep + 1, MPI_STATUSES_IGNORE); /* keep[0] is never completed */
	return t_fini();
}
