/* Rank 0 takes whatever comes; who and which tag it was is kept, even where the program ignores it. */
#include "t.h"

int main(int argc, char **argv)
{
	int v;
	MPI_Status st;
	MPI_Request q;

	t_init(&argc, &argv);
	if (t_rank == 0) {
		for (int i = 0; i < 10 * (t_size - 1); i++) {
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
			CHECK(st.MPI_SOURCE == v / 100 && st.MPI_TAG == v % 100);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 10 * (t_size - 1); i++) {
			MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &q);
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		}
	} else {
		for (int i = 0; i < 10; i++) {
			v = t_rank * 100 + i;
			MPI_Send(&v, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 10; i++)
			MPI_Send(&v, 1, MPI_INT, 0, 50, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return t_fini();
}
