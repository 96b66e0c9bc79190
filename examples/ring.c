/*
 * ring.c - a number goes round all ranks, again and again: the smallest traceable program
 *
 *	mpicc -g ring.c -L../lib -lglob -o ring
 *	mpiexec -n 4 ./ring 1000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1000;
	int rank, size, number = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		int right = (rank + 1) % size, left = (rank + size - 1) % size;

		if (rank > 0)
			MPI_Recv(&number, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		number++;
		MPI_Send(&number, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Recv(&number, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (rank == 0)
		printf("the number is %d\n", number);
	MPI_Finalize();
	return number == rounds * size || rank ? 0 : 1;
}
