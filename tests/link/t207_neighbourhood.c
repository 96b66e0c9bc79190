/* Neighbourhood collectives: array lengths come from the topology. */
#include "t.h"

int main(int argc, char **argv)
{
	int dims[2] = { 2, 2 }, periods[2] = { 1, 0 }, in[4], out[4] = { 0 }, n[4] = { 1, 1, 1, 1 },
	    d[4] = { 0, 1, 2, 3 };
	MPI_Aint bytes[4] = { 0, 4, 8, 12 };
	MPI_Datatype t[4] = { MPI_INT, MPI_INT, MPI_INT, MPI_INT };
	MPI_Comm cart, graph;
	MPI_Request q;

	t_init(&argc, &argv);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	for (int k = 0; k < 8; k++) {
		MPI_Neighbor_allgather(&t_rank, 1, MPI_INT, in, 1, MPI_INT, cart);
		MPI_Neighbor_allgatherv(&t_rank, 1, MPI_INT, in, n, d, MPI_INT, cart);
		MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, cart);
		MPI_Neighbor_alltoallv(out, n, d, MPI_INT, in, n, d, MPI_INT, cart);
		MPI_Neighbor_alltoallw(out, n, bytes, t, in, n, bytes, t, cart);
		MPI_Ineighbor_allgather(&t_rank, 1, MPI_INT, in, 1, MPI_INT, cart, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	int to = (t_rank + 1) % t_size, from[2] = { (t_rank + 3) % t_size, t_rank };
	int nr_in = t_rank == 2 ? 2 : 1, dest[2] = { to, t_rank }, nr_out = nr_in;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, nr_in, from, MPI_UNWEIGHTED, nr_out, dest,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_alltoallv(out, n, d, MPI_INT, in, n, d, MPI_INT, graph);
	MPI_Comm_free(&graph);
	MPI_Comm_free(&cart);
	return t_fini();
}
