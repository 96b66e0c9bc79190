/* MPI_IN_PLACE, MPI_BOTTOM: what they make insignificant is not read, and they are kept as themselves. */
#include "t.h"

int main(int argc, char **argv)
{
	int v[4], n[4], d[4];
	MPI_Aint at;
	MPI_Datatype abs;

	t_init(&argc, &argv);
	for (int i = 0; i < t_size; i++) {
		v[i] = t_rank;
		n[i] = 1;
		d[i] = i;
	}
	MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, v, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, n, d, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoallv(MPI_IN_PLACE, (int *)8, (int *)8, MPI_DATATYPE_NULL, v, n, d, MPI_INT,
		MPI_COMM_WORLD);
	MPI_Reduce(t_rank ? v : MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Gather(t_rank ? v : MPI_IN_PLACE, 1, MPI_INT, v, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatter(v, 1, MPI_INT, t_rank ? v : MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scan(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

	MPI_Get_address(v, &at);
	MPI_Type_create_hindexed(1, n, &at, MPI_INT, &abs);
	MPI_Type_commit(&abs);
	MPI_Bcast(MPI_BOTTOM, 1, abs, 0, MPI_COMM_WORLD);
	MPI_Type_free(&abs);
	return t_fini();
}
