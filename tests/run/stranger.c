/* What a program was started with, and how large its world is. Handles go in and out, so that one that is cut off would not do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD");
	int rank, size, sum;
	MPI_Comm copy;

	/* A line is written whole. */
	setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
	MPI_Init(NULL, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_rank(copy, &rank);
	MPI_Comm_size(copy, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
	printf("%d of %d: %d;", rank, size, sum);
	for (int i = 1; i < argc; i++)
		printf(" '%s'", argv[i]);
	printf(" %s\n", preload ? preload : "-");
	MPI_Comm_free(&copy);
	MPI_Finalize();
	return argc > 1 ? atoi(argv[1]) : 0;
}
