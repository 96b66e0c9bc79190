/*
 * stencil.c - a 5-point stencil on a grid of ranks: the program that `make demo` traces
 *
 *	mpicc -g stencil.c -L../lib -lglob -o stencil
 *	mpiexec -n 4 ./stencil 100
 *
 * Each step exchanges the borders of a block with the neighbours above, below, left and
 * right. A rank at the edge of the grid has MPI_PROC_NULL there, so that all ranks make the same
 * calls. Every tenth step the largest change is agreed on.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 32 /* a block is N x N cells, with a border around it */
#define CELL(b, i, j) ((b)[(size_t)(i) * (N + 2) + (size_t)(j)])

enum { UP, DOWN, LEFT, RIGHT, NR_SIDES };

static void exchange(double *b, const int *neighbour, MPI_Comm grid, MPI_Datatype column)
{
	double *out[NR_SIDES] = { &CELL(b, 1, 1), &CELL(b, N, 1), &CELL(b, 1, 1), &CELL(b, 1, N) };
	double *in[NR_SIDES] = { &CELL(b, 0, 1), &CELL(b, N + 1, 1), &CELL(b, 1, 0),
		&CELL(b, 1, N + 1) };
	MPI_Request request[2 * NR_SIDES];

	for (int side = 0; side < NR_SIDES; side++) {
		int count = side < LEFT ? N : 1;
		MPI_Datatype type = side < LEFT ? MPI_DOUBLE : column;

		/* What I send up arrives from below: the tag says which way it went. */
		MPI_Irecv(in[side], count, type, neighbour[side], side ^ 1, grid, &request[side]);
		MPI_Isend(out[side], count, type, neighbour[side], side, grid,
			&request[NR_SIDES + side]);
	}
	MPI_Waitall(2 * NR_SIDES, request, MPI_STATUSES_IGNORE);
}

/* Replaces every cell by the mean of its neighbours; returns the largest change. */
static double relax(const double *from, double *to)
{
	double largest = 0;

	for (int i = 1; i <= N; i++)
		for (int j = 1; j <= N; j++) {
			CELL(to, i, j) = (CELL(from, i - 1, j) + CELL(from, i + 1, j) +
						 CELL(from, i, j - 1) + CELL(from, i, j + 1)) /
					 4;
			largest = fmax(largest, fabs(CELL(to, i, j) - CELL(from, i, j)));
		}
	return largest;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
	int size, rank, dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, neighbour[NR_SIDES];
	double *now = calloc((N + 2) * (N + 2), sizeof(*now));
	double *then = calloc((N + 2) * (N + 2), sizeof(*then));
	double change = 0, most = 0;
	MPI_Datatype column;
	MPI_Comm grid;

	if (!now || !then)
		return 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_shift(grid, 0, 1, &neighbour[UP], &neighbour[DOWN]);
	MPI_Cart_shift(grid, 1, 1, &neighbour[LEFT], &neighbour[RIGHT]);
	MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);

	if (rank == 0)
		CELL(now, N / 2, N / 2) = 1000;
	for (int step = 1; step <= steps; step++) {
		double *swap = now;

		exchange(now, neighbour, grid, column);
		change = relax(now, then);
		now = then;
		then = swap;
		if (step % 10 == 0)
			MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, grid);
	}
	if (rank == 0)
		printf("%d steps on %d ranks, largest change %.4f\n", steps, size, most);

	MPI_Type_free(&column);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	free(now);
	free(then);
	return 0;
}
