/* Messages around a ring, one after the other: each rank's times tell what the others' must be. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 25

static void rest(void)
{
	struct timespec t = { 0, 2000000 };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	int rank, size, token = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < ROUNDS; i++) {
		if (rank)
			MPI_Recv(
				&token, 1, MPI_INT, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			rest();
		MPI_Ssend(&token, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
		if (!rank)
			MPI_Recv(
				&token, 1, MPI_INT, size - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
