/* Every send mode, blocking and not, to the right neighbour. */
#include "t.h"

int main(int argc, char **argv)
{
	static char space[1 << 16];
	int out = 5, in, right, left, len;
	MPI_Request q[2];
	void *p;

	t_init(&argc, &argv);
	right = (t_rank + 1) % t_size;
	left = (t_rank + t_size - 1) % t_size;
	MPI_Buffer_attach(space, sizeof(space));
	for (int i = 0; i < 20; i++) {
		MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Send(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &q[0]);
		MPI_Bsend(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &q[0]);
		MPI_Issend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &q[0]);
		MPI_Ibsend(&out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &q[0]);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Irsend(&out, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);

		MPI_Irecv(&in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &q[0]);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Rsend(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		CHECK(in == 5);
	}
	if (t_rank % 2 == 0) {
		MPI_Ssend(&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
		MPI_Recv(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ssend(&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
	}
	MPI_Buffer_detach(&p, &len);
	CHECK(len == (int)sizeof(space));
	return t_fini();
}
