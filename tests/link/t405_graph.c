/* Graph topologies: array lengths that depend on arrays. */
#include "t.h"

int main(int argc, char **argv)
{
	int index[4] = { 2, 3, 4, 6 }, edges[6] = { 1, 3, 0, 3, 0, 2 }, near[4], n, in, out,
	    weighted;
	int sources[1], degrees[1], dests[2];
	MPI_Comm graph, dist;

	t_init(&argc, &argv);
	MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
	MPI_Graph_neighbors_count(graph, t_rank, &n);
	MPI_Graph_neighbors(graph, t_rank, n, near);
	MPI_Barrier(graph);
	MPI_Comm_free(&graph);

	sources[0] = t_rank;
	degrees[0] = t_rank == 0 ? 2 : 1;
	dests[0] = (t_rank + 1) % t_size;
	dests[1] = (t_rank + 2) % t_size;
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, degrees, dests, MPI_UNWEIGHTED,
		MPI_INFO_NULL, 0, &dist);
	MPI_Dist_graph_neighbors_count(dist, &in, &out, &weighted);
	CHECK(in == (t_rank == 2 ? 2 : 1) && out == degrees[0] && !weighted);
	MPI_Neighbor_allgather(&t_rank, 1, MPI_INT, near, 1, MPI_INT, dist);
	MPI_Topo_test(dist, &n);
	CHECK(n == MPI_DIST_GRAPH);
	MPI_Comm_free(&dist);
	return t_fini();
}
