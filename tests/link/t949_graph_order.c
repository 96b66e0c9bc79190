/* A distributed graph's neighbours come in an order of MPI's own. What a program makes of it has to work in a replay. */
#include "t.h"

#define MOST 8

static int in[MOST], out[MOST], in_weight[MOST], out_weight[MOST], nr_in, nr_out, weighted;

/* Each edge into a rank is told by another rank, now the one and now the other first; an edge of 0's is there twice. */
static void make(int round, MPI_Comm *comm)
{
	int source[MOST], degree[MOST], dest[MOST], weight[MOST], n = 0;

	for (; n < t_size; n++) {
		source[n] = n;
		dest[n] = (n + t_rank + 1) % t_size;
		weight[n] = 10 * t_rank + n;
	}
	if (t_rank == 2) {
		source[n] = 0;
		dest[n] = 1;
		weight[n++] = 99;
	}
	for (int i = 0; i < n; i++)
		degree[i] = 1;
	usleep((t_rank * 5 + round * 3) % 4 * 1000);
	MPI_Dist_graph_create(MPI_COMM_WORLD, n, source, degree, dest,
		round % 2 ? weight : MPI_UNWEIGHTED, MPI_INFO_NULL, round % 3 == 0, comm);
}

static void ask(MPI_Comm comm)
{
	MPI_Dist_graph_neighbors_count(comm, &nr_in, &nr_out, &weighted);
	MPI_Dist_graph_neighbors(comm, nr_in, in, in_weight, nr_out, out, out_weight);
}

/* As much as the two of them are, so no two orders are the same. */
static void exchange(MPI_Comm comm)
{
	int sent[MOST], got[MOST], at[MOST], to[MOST], buf[2][MOST * MOST];

	for (int i = 0; i < nr_out; i++) {
		sent[i] = 1 + t_rank + out[i];
		at[i] = i * MOST;
	}
	for (int i = 0; i < nr_in; i++) {
		got[i] = 1 + t_rank + in[i];
		to[i] = i * MOST;
	}
	MPI_Neighbor_alltoallv(buf[0], sent, at, MPI_INT, buf[1], got, to, MPI_INT, comm);
}

int main(int argc, char **argv)
{
	MPI_Comm graph, copy, early;
	int all[MOST];

	t_init(&argc, &argv);
	make(1, &early);
	for (int round = 0; round < 24; round++) {
		make(round, &graph);
		if (round % 4 == 3) {
			MPI_Neighbor_allgather(&t_rank, 1, MPI_INT, all, 1, MPI_INT, graph);
		} else if (round % 4 == 2) {
			MPI_Comm_dup(graph, &copy);
			MPI_Comm_free(&graph);
			ask(copy);
			exchange(copy);
			graph = copy;
		} else {
			ask(graph);
			exchange(graph);
		}
		MPI_Comm_free(&graph);
	}
	ask(early);
	exchange(early);
	MPI_Comm_free(&early);
	return t_fini();
}
