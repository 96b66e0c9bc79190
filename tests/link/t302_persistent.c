/* Persistent sends and receives, started one by one and together, some left inactive. */
#include "t.h"

int main(int argc, char **argv)
{
	int in[2], out = 7, right, left;
	MPI_Request q[4];

	t_init(&argc, &argv);
	right = (t_rank + 1) % t_size;
	left = (t_rank + t_size - 1) % t_size;
	MPI_Recv_init(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &q[1]);
	MPI_Recv_init(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &q[2]);
	MPI_Ssend_init(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &q[3]);
	for (int k = 0; k < 30; k++) {
		MPI_Startall(2, q);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		MPI_Start(&q[2]);
		MPI_Start(&q[3]);
		MPI_Wait(&q[2], MPI_STATUS_IGNORE);
		MPI_Wait(&q[3], MPI_STATUS_IGNORE);
		CHECK(in[0] == 7 && in[1] == 7 && q[0] != MPI_REQUEST_NULL);
	}
	for (int i = 3; i >= 0; i--)
		MPI_Request_free(&q[i]);
	return t_fini();
}
