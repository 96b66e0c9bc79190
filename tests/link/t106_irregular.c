/* A pattern without a loop to find: partners, sizes and numbers of messages are pseudo-random. */
#include "t.h"

static unsigned spread(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

int main(int argc, char **argv)
{
	static char in[8][512], out[512];
	MPI_Request q[16];

	t_init(&argc, &argv);
	for (unsigned k = 0; k < 200; k++) {
		int m = 0;
		for (int from = 0; from < t_size; from++) {
			unsigned h = spread(k * 64 + from * 8 + t_rank);
			if (from != t_rank && h % 3)
				MPI_Irecv(in[from], 512, MPI_CHAR, from, h % 11, MPI_COMM_WORLD,
					&q[m++]);
		}
		for (int to = 0; to < t_size; to++) {
			unsigned h = spread(k * 64 + t_rank * 8 + to);
			if (to != t_rank && h % 3)
				MPI_Isend(out, 1 + h % 500, MPI_CHAR, to, h % 11, MPI_COMM_WORLD,
					&q[m++]);
		}
		MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
	}
	return t_fini();
}
