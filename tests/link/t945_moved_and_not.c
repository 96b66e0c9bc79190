/* Requests of one value in one list, of which the older one is where it was made and the younger one was moved: both are there, once. */
#include "t.h"

int main(int argc, char **argv)
{
	int a = 1, b = 2, in[2];

	t_init(&argc, &argv);
	for (int i = 0; i < 10; i++) {
		MPI_Request r[2], other, receives[2];

		MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &receives[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &receives[1]);
		MPI_Isend(&a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &other);
		r[1] = other;
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
		CHECK(in[0] == 1 && in[1] == 2);
	}
	return t_fini();
}
