/*
 * A solver whose number of iterations is 9 to 11, another one in each step: varying [STEPS]. In each iteration there is an exchange
 * with both neighbours, then a sum over all; in each step, before it, messages to the right neighbour, as many as the rank likes
 * (it says how many), and a broadcast whose length jitters. Prints iterations, messages, and bytes broadcast.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static int jitter(int who, int step)
{
	unsigned long x = ((unsigned long)who << 32 | (unsigned)step) * 0x9e3779b97f4a7c15u;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return 9 + (int)((x >> 32) % 3);
}

static void solve(int iterations)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	double out[8] = { 0 }, in[16], sum;
	MPI_Request q[4];

	for (int i = 0; i < iterations; i++) {
		MPI_Irecv(in, 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(in + 8, 8, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(out, 8, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(out, 8, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* All ranks know how many their left neighbour sends. */
static void pass_on(int step)
{
	int left = (rank + size - 1) % size, mine = jitter(rank, step), theirs = jitter(left, step);
	double v = 0;

	for (int i = 0; i < mine; i++)
		MPI_Send(&v, 1, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD);
	for (int i = 0; i < theirs; i++)
		MPI_Recv(&v, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static char data[1200];
	int steps = argc > 1 ? atoi(argv[1]) : 200;
	long sum[3] = { 0 }, all[3];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int s = 0; s < steps; s++) {
		int length = 10 * jitter(77, s);

		MPI_Bcast(data, length, MPI_CHAR, 0, MPI_COMM_WORLD);
		pass_on(s);
		solve(jitter(99, s));
		sum[0] += jitter(99, s);
		sum[1] += jitter(rank, s);
		sum[2] += length;
	}
	MPI_Reduce(sum, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("iterations %ld messages %ld broadcast %ld\n", all[0], all[1], all[2]);
	MPI_Finalize();
	return 0;
}
