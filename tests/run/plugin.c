/* Brings its MPI along. Takes constants whose values are only known where the library is loaded. */
#include <mpi.h>
#include <stdio.h>

int work(void)
{
	int started = -1, rank, size, key, value = 7, sum = 0, *found = NULL, flag = 0;
	MPI_Comm graph, copy;

	MPI_Initialized(&started);
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(graph, key, &value);
	MPI_Comm_dup(graph, &copy);
	MPI_Comm_get_attr(copy, key, &found, &flag);
	for (int i = 0; i < 10; i++)
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, copy);
	printf("%d %d %d\n", started, flag && *found == 7, sum == 9 * size);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
