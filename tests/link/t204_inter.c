/* Collectives between two groups: MPI_ROOT, MPI_PROC_NULL, and lengths of the other group's size. */
#include "t.h"

int main(int argc, char **argv)
{
	int upper, v = 4, all[8], n[8], d[8], others;
	MPI_Comm half, inter, merged;

	t_init(&argc, &argv);
	upper = t_rank >= 2; /* 2 below, 3 above */
	MPI_Comm_split(MPI_COMM_WORLD, upper, t_rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : 2, 11, &inter);
	MPI_Comm_remote_size(inter, &others);
	CHECK(others == (upper ? 2 : 3));
	for (int i = 0; i < others; i++) {
		n[i] = 1;
		d[i] = i;
	}
	for (int k = 0; k < 6; k++) {
		MPI_Bcast(&v, 1, MPI_INT,
			upper	      ? 0
			: t_rank == 0 ? MPI_ROOT
				      : MPI_PROC_NULL,
			inter);
		MPI_Allreduce(&t_rank, &v, 1, MPI_INT, MPI_SUM, inter);
		CHECK(v == (upper ? 1 : 9));
		MPI_Allgatherv(&v, 1, MPI_INT, all, n, d, MPI_INT, inter);
		MPI_Gatherv(&v, 1, MPI_INT, all, n, d, MPI_INT,
			upper	      ? 1
			: t_rank == 1 ? MPI_ROOT
				      : MPI_PROC_NULL,
			inter);
		MPI_Alltoall(all, 1, MPI_INT, all + 4, 1, MPI_INT, inter);
		MPI_Barrier(inter);
	}
	if (!upper)
		MPI_Send(&v, 1, MPI_INT, t_rank, 3, inter);
	else if (t_rank < 4)
		MPI_Recv(&v, 1, MPI_INT, t_rank - 2, 3, inter, MPI_STATUS_IGNORE);
	MPI_Intercomm_merge(inter, upper, &merged);
	MPI_Barrier(merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	return t_fini();
}
