/*
 * A 5-point halo exchange; ranks at the edge leave out the neighbours they lack, which makes their loop
 * bodies differ. An Allreduce every tenth step.
 */
#include "bench.h"

#define CELLS 64

/* Neighbours of 'rank' on a grid of rows x columns, -1 where there is none. */
static void neighbours(int rank, const int *dims, int *out)
{
	int row = rank / dims[1], column = rank % dims[1];

	out[0] = row > 0 ? rank - dims[1] : -1;
	out[1] = row + 1 < dims[0] ? rank + dims[1] : -1;
	out[2] = column > 0 ? rank - 1 : -1;
	out[3] = column + 1 < dims[1] ? rank + 1 : -1;
}

int main(int argc, char **argv)
{
	static double out[4][CELLS], in[4][CELLS];
	struct bench b;
	int dims[2] = { 0, 0 }, next[4];
	double mine = 1, most;
	long calls = 0;

	bench_init(&b, &argc, &argv);
	long steps = bench_arg(argc, argv, 1, 100);
	MPI_Dims_create(b.size, 2, dims);
	neighbours(b.rank, dims, next);
	bench_start(&b);
	for (long step = 1; step <= steps; step++) {
		MPI_Request q[8];
		int nr = 0;

		for (int i = 0; i < 4; i++)
			if (next[i] >= 0)
				MPI_Irecv(in[i], CELLS, MPI_DOUBLE, next[i], i ^ 1, MPI_COMM_WORLD,
					&q[nr++]);
		for (int i = 0; i < 4; i++)
			if (next[i] >= 0)
				MPI_Isend(out[i], CELLS, MPI_DOUBLE, next[i], i, MPI_COMM_WORLD,
					&q[nr++]);
		MPI_Waitall(nr, q, MPI_STATUSES_IGNORE);
		calls += nr + 1;
		if (step % 10 == 0) {
			MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
			calls++;
		}
	}
	bench_stop(&b, calls);
	return bench_finish(&b);
}
