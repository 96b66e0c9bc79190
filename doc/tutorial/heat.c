/*
 * heat.c - how heat spreads in a plate: the slow program of doc/tutorial.md
 *
 *	mpicc -g heat.c -L../../lib -lglob -o heat
 *	mpiexec -n 4 ./heat
 *
 * Each rank has some rows of the plate, and a row of each neighbour's beside them. The sum of all squares is told at the
 * end; it is the same, to the digits that are told, however many ranks there are.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512, STEPS = 40, STRIPS = 16, PARTS = 8 };
#define AT(p, i, j) ((p)[(size_t)(i)*N + (size_t)(j)])

static int rank, size, rows, first;

/* PARTS was the number of ranks when this was written; the last one takes what is left. */
static void share(void)
{
	rows = N / PARTS;
	first = rank * rows;
	if (rank == size - 1)
		rows = N - first;
}

/* Rows 0 and rows + 1 are the neighbours'. */
static void exchange(double *plate)
{
	int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&AT(plate, 1, 0), N, MPI_DOUBLE, up, 0, &AT(plate, rows + 1, 0), N, MPI_DOUBLE,
		down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(plate, rows, 0), N, MPI_DOUBLE, down, 1, &AT(plate, 0, 0), N, MPI_DOUBLE,
		up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(const double *from, double *to)
{
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j < N - 1; j++)
			AT(to, i, j) = (AT(from, i - 1, j) + AT(from, i + 1, j) +
					       AT(from, i, j - 1) + AT(from, i, j + 1)) /
				       4;
}

static double squares(const double *plate, int strip)
{
	double sum = 0;

	for (int i = 1; i <= rows; i++)
		for (int j = strip * N / STRIPS; j < (strip + 1) * N / STRIPS; j++)
			sum += AT(plate, i, j) * AT(plate, i, j);
	return sum;
}

/* Strip by strip, each rank adds to what the ranks above it have. */
static double norm(const double *plate)
{
	double sum, all = 0;

	for (int strip = 0; strip < STRIPS; strip++) {
		sum = 0;
		if (rank > 0)
			MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		sum += squares(plate, strip);
		if (rank < size - 1)
			MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
		all += sum;
	}
	MPI_Bcast(&all, 1, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	double *now = calloc((size_t)(N + 2) * N, sizeof(*now));
	double *then = calloc((size_t)(N + 2) * N, sizeof(*then));
	double sum = 0;

	if (!now || !then)
		return 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	share();
	if (rank == 0)
		for (int j = 0; j < N; j++)
			AT(now, 1, j) = AT(then, 1, j) = 100;
	for (int step = 0; step < STEPS; step++) {
		double *swap = now;

		exchange(now);
		relax(now, then);
		now = then;
		then = swap;
		sum = norm(now);
	}
	if (rank == 0)
		printf("after %d steps: %.6g\n", STEPS, sum);
	MPI_Finalize();
	free(now);
	free(then);
	return 0;
}
