/* Communicators made and freed in a loop: slots are reused, so the loop folds. */
#include "t.h"

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	for (int k = 0; k < 30; k++) {
		MPI_Comm part, copy;
		int v = t_rank, sum;

		MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &part);
		MPI_Comm_dup(part, &copy);
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, copy);
		MPI_Comm_free(&part);
		MPI_Comm_free(&copy);
	}
	MPI_Comm some;
	MPI_Comm_split(MPI_COMM_WORLD, t_rank == 1 ? MPI_UNDEFINED : 0, 0, &some);
	if (some != MPI_COMM_NULL) {
		MPI_Barrier(some);
		MPI_Comm_free(&some);
	}
	return t_fini();
}
