/*
 * What NPB's CG sends, without its numbers: processes form a grid (a power of two of them); in each step of the inner loop
 * a row adds up its parts by exchanges over distances 1, 2, 4, ..., the transpose partner swaps halves, and
 * two numbers are added up along the row. 25 inner steps an outer one, as in CG.
 */
#include "bench.h"

#define LENGTH 256

struct grid {
	int columns, row, column, steps; /* steps: log2 of columns */
	int transposed;			 /* the partner */
};

static struct grid make_grid(int rank, int size)
{
	struct grid g = { .columns = 1 };

	while (4 * g.columns * g.columns <= size)
		g.columns *= 2;
	if (g.columns * g.columns < size)
		g.columns *= 2;
	for (int n = g.columns; n > 1; n /= 2)
		g.steps++;
	g.row = rank / g.columns;
	g.column = rank % g.columns;
	if (g.columns * g.columns == size)
		g.transposed = g.column * g.columns + g.row;
	else
		g.transposed = 2 * (g.column / 2 * (g.columns / 2) + g.row) + g.column % 2;
	return g;
}

static long exchange(int partner, double *out, double *in, int n)
{
	MPI_Request q;

	MPI_Irecv(in, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD, &q);
	MPI_Send(out, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	return 3;
}

/* Adds up along the row. */
static long reduce_row(const struct grid *g, double *out, double *in, int n)
{
	long calls = 0;

	for (int step = 0; step < g->steps; step++)
		calls += exchange(g->row * g->columns + (g->column ^ 1 << step), out, in, n);
	return calls;
}

int main(int argc, char **argv)
{
	static double out[LENGTH], in[LENGTH];
	struct bench b;
	long calls = 0;

	bench_init(&b, &argc, &argv);
	long outer = bench_arg(argc, argv, 1, 15), inner = bench_arg(argc, argv, 2, 25);
	struct grid g = make_grid(b.rank, b.size);

	bench_start(&b);
	for (long i = 0; i < outer; i++) {
		for (long j = 0; j < inner; j++) {
			calls += reduce_row(&g, out, in, LENGTH);
			if (g.transposed != b.rank)
				calls += exchange(g.transposed, out, in, LENGTH);
			calls += reduce_row(&g, out, in, 1);
			calls += reduce_row(&g, out, in, 1);
		}
	}
	bench_stop(&b, calls);
	return bench_finish(&b);
}
