/*
 * The program of the whole-run tests.
 *
 *	app [STEPS]	a ring, an Allreduce every step; prints "result N" on rank 0
 *	app exit	ends without MPI_Finalize, code 3
 *	app kill	is ended by a signal before MPI_Finalize
 *	app wild	wildcard receives: no two runs need be alike
 *	app chdir	changes directory before MPI_Finalize
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static int ring(int steps)
{
	int sum = 0, total, in;
	MPI_Request q[2];

	for (int i = 0; i < steps; i++) {
		MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, i % 4, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, i % 4, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&in, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		sum += total;
	}
	return sum;
}

static void wild(void)
{
	int v = rank;

	for (int i = 0; i < 50 * (size - 1); i++) {
		if (rank == 0)
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		else if (i % (size - 1) == 0)
			MPI_Send(&v, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "10";
	int result = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(what, "wild"))
		wild();
	else
		result = ring(what[0] >= '0' && what[0] <= '9' ? (int)strtol(what, NULL, 10) : 10);
	if (rank == 0)
		printf("result %d\n", result);
	fflush(stdout);
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "exit"))
		exit(3);
	if (!strcmp(what, "chdir") && chdir("/"))
		return 4;
	MPI_Finalize();
	return 0;
}
