/* Persistent collectives of MPI 4. */
#include "t.h"

int main(int argc, char **argv)
{
	int a = 1, b = 0;
	MPI_Request q[3];

	t_init(&argc, &argv);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
	MPI_Bcast_init(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
	MPI_Allreduce_init(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[2]);
	for (int k = 0; k < 25; k++) {
		MPI_Startall(3, q);
		MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
		MPI_Start(&q[2]);
		MPI_Wait(&q[2], MPI_STATUS_IGNORE);
		CHECK(b == t_size);
	}
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&q[i]);
	return t_fini();
}
