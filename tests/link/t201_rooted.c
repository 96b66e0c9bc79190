/* Collectives with equal contributions; the root moves. */
#include "t.h"

int main(int argc, char **argv)
{
	int in[8], out[8];

	t_init(&argc, &argv);
	for (int i = 0; i < 12; i++) {
		int root = i % t_size;
		for (int j = 0; j < 8; j++)
			in[j] = t_rank;
		MPI_Bcast(in, 2, MPI_INT, root, MPI_COMM_WORLD);
		MPI_Gather(&t_rank, 1, MPI_INT, out, 1, MPI_INT, root, MPI_COMM_WORLD);
		CHECK(t_rank != root || out[t_size - 1] == t_size - 1);
		MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD);
		CHECK(in[0] == t_rank);
		MPI_Reduce(&t_rank, out, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
		MPI_Allgather(&t_rank, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
		MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
		CHECK(in[0] == t_rank);
		MPI_Scan(&t_rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Exscan(&t_rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CHECK(in[0] == t_rank * t_size);
	}
	return t_fini();
}
