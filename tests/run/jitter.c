/*
 * A ring in which message sizes jitter by three percent around 1000, and every 16th message is of 8: jitter [STEPS [PERCENT]].
 * Ranks jitter each in its own way, and receive by what the sender is known to send. Prints the bytes sent.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int percent = 3;

static int size_of(int rank, int step)
{
	unsigned long x = ((unsigned long)rank << 32 | (unsigned)step) * 0x9e3779b97f4a7c15u;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	if (step % 16 == 15)
		return 8;
	return 1000 - 10 * percent + (int)((x >> 32) % (unsigned)(20 * percent + 1));
}

int main(int argc, char **argv)
{
	static char out[4096], in[4096];
	int steps = argc > 1 ? atoi(argv[1]) : 2000, rank, size;
	long sent = 0, all = 0;

	percent = argc > 2 ? atoi(argv[2]) : 3;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < steps; i++) {
		int left = (rank + size - 1) % size;
		MPI_Request q;

		MPI_Irecv(in, size_of(left, i), MPI_CHAR, left, 1, MPI_COMM_WORLD, &q);
		MPI_Send(out, size_of(rank, i), MPI_CHAR, (rank + 1) % size, 1, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		sent += size_of(rank, i);
	}
	MPI_Reduce(&sent, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("sent %ld\n", all);
	MPI_Finalize();
	return 0;
}
