/*
 * What the exports have to get right: messages of all kinds, wildcards, persistent requests, collectives with a
 * root, communicators that are split, and two groups that talk to each other. Runs on 4 ranks.
 */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;

static void ring(int steps)
{
	int got[2], right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request r[3];

	for (int i = 0; i < steps; i++) {
		MPI_Irecv(&got[0], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&got[1], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &r[2]);
		MPI_Send(&i, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
		MPI_Wait(&r[1], MPI_STATUS_IGNORE);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	}
}

static void wildcards(void)
{
	char got[100];
	MPI_Request r;
	MPI_Status st;

	if (rank) {
		MPI_Send(got, 10 * rank, MPI_CHAR, 0, rank, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(
		got, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv(got, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &st);
	for (int i = 3; i < size; i++)
		MPI_Recv(got, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
}

static void persistent(void)
{
	int got, right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request r[2];

	MPI_Send_init(&rank, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(&got, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void groups(void)
{
	MPI_Comm half, other;
	int peer, sum, got = 0;
	double x[8] = { 0 };
	MPI_Request r;

	/* The odd ones' order is turned around: rank 3 is 0 there. */
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 2 ? -rank : rank, &half);
	MPI_Comm_rank(half, &peer);
	MPI_Bcast(x, 8, MPI_DOUBLE, 1, half);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
	MPI_Ibarrier(half, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (peer == 0)
		MPI_Send(x, 8, MPI_DOUBLE, 1, 9, half);
	else
		MPI_Recv(x, 8, MPI_DOUBLE, 0, 9, half, MPI_STATUS_IGNORE);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 3, 11, &other);
	MPI_Sendrecv(
		&rank, 1, MPI_INT, peer, 3, &got, 1, MPI_INT, peer, 3, other, MPI_STATUS_IGNORE);
	MPI_Comm_free(&other);
	MPI_Comm_free(&half);
	if (got != 3 - rank)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	int all[8], sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ring(argc > 1 ? atoi(argv[1]) : 3);
	MPI_Barrier(MPI_COMM_WORLD);
	wildcards();
	MPI_Barrier(MPI_COMM_WORLD);
	persistent();
	groups();
	MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD);
	MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
