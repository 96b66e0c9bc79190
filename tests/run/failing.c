/*
 * failing.c - calls that return an error, among others at the same call sites: the program of stats.sh
 *
 * On each of 2 ranks: 6 sends at one place, of 100, 101, ... ints; every third one goes to a rank that is not there. 3 broadcasts at
 * one place, of which the first has a root that is not there.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, data[128] = { 0 };

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 6; i++) {
		int there = i % 3 != 2;

		MPI_Send(data, 100 + i, MPI_INT, there ? 1 - rank : 99, 0, MPI_COMM_WORLD);
		if (there)
			MPI_Recv(
				data, 128, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 3; i++)
		MPI_Bcast(data, 10, MPI_INT, i ? 0 : 99, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
