/* MPI_Allreduce of one number, again and again: on one rank, the cheapest call there is to record. */
#include "bench.h"

int main(int argc, char **argv)
{
	struct bench b;
	double out = 1, in;

	bench_init(&b, &argc, &argv);
	long n = bench_arg(argc, argv, 1, 50000);
	bench_start(&b);
	for (long i = 0; i < n; i++)
		MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	bench_stop(&b, n);
	return bench_finish(&b);
}
