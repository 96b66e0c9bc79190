/* Messages whose partners, sizes and tags come from a hash of step and ranks: nothing repeats. One rank alone sends to itself. */
#include "bench.h"

#define BYTES 1024

static unsigned hash(unsigned from, unsigned to, unsigned step)
{
	unsigned x = from * 73856093u ^ to * 19349663u ^ step * 83492791u;

	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

int main(int argc, char **argv)
{
	struct bench b;
	long calls = 0;

	bench_init(&b, &argc, &argv);
	long steps = bench_arg(argc, argv, 1, 1000);
	char *out = calloc(1, BYTES), *in = calloc((size_t)b.size, BYTES);
	MPI_Request *q = calloc(2 * (size_t)b.size, sizeof(*q));
	if (!out || !in || !q)
		return 1;
	bench_start(&b);
	for (long k = 0; k < steps; k++) {
		int nr = 0;

		for (int from = 0; from < b.size; from++) {
			unsigned h = hash((unsigned)from, (unsigned)b.rank, (unsigned)k);

			if ((from != b.rank || b.size == 1) && h % 4 < 3)
				MPI_Irecv(in + (size_t)from * BYTES, BYTES, MPI_CHAR, from,
					(int)(h >> 8 & 63), MPI_COMM_WORLD, &q[nr++]);
		}
		for (int to = 0; to < b.size; to++) {
			unsigned h = hash((unsigned)b.rank, (unsigned)to, (unsigned)k);

			if ((to != b.rank || b.size == 1) && h % 4 < 3)
				MPI_Isend(out, 1 + (int)(h >> 16) % 1000, MPI_CHAR, to,
					(int)(h >> 8 & 63), MPI_COMM_WORLD, &q[nr++]);
		}
		MPI_Waitall(nr, q, MPI_STATUSES_IGNORE);
		calls += nr + 1;
	}
	bench_stop(&b, calls);
	free(out);
	free(in);
	free(q);
	return bench_finish(&b);
}
