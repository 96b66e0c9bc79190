/* One rank sends to itself: Irecv, Send, Wait. A process that waits for nobody can be timed. */
#include "bench.h"

int main(int argc, char **argv)
{
	struct bench b;
	double out = 0, in;

	bench_init(&b, &argc, &argv);
	long n = bench_arg(argc, argv, 1, 20000);
	bench_start(&b);
	for (long i = 0; i < n; i++) {
		MPI_Request q;

		MPI_Irecv(&in, 1, MPI_DOUBLE, b.rank, 7, MPI_COMM_WORLD, &q);
		MPI_Send(&out, 1, MPI_DOUBLE, b.rank, 7, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	bench_stop(&b, 3 * n);
	return bench_finish(&b);
}
