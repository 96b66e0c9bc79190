/* Persistent receives from anyone: each start may get another sender's message. */
#include "t.h"

#define N 3
#define ROUNDS 12

static int in[N];

static void dawdle(int k)
{
	usleep((unsigned)((t_rank * 7 + k * 5) % 9) * 200);
}

static void send_all(void)
{
	for (int k = 0; k < ROUNDS; k++) {
		dawdle(k);
		MPI_Send(&t_rank, 1, MPI_INT, 0, 100 * t_rank + k, MPI_COMM_WORLD);
	}
}

static void complete(int way, MPI_Request *q)
{
	int index[N], n, flag;
	MPI_Status st[N];

	if (way == 0) {
		MPI_Waitall(N, q, st);
		for (int i = 0; i < N; i++)
			CHECK(st[i].MPI_SOURCE == in[i] && st[i].MPI_TAG / 100 == in[i]);
		return;
	}
	if (way == 1) {
		MPI_Waitall(N, q, MPI_STATUSES_IGNORE);
		return;
	}
	if (way == 2) {
		do
			MPI_Testall(N, q, &flag, st);
		while (!flag);
		return;
	}
	for (int left = N; left > 0; left -= n) {
		n = 1;
		if (way == 3)
			MPI_Waitany(N, q, index, st);
		else if (way == 4)
			MPI_Waitsome(N, q, &n, index, st);
		else
			MPI_Testsome(N, q, &n, index, st);
		for (int i = 0; i < n; i++)
			CHECK(st[i].MPI_SOURCE == in[index[i]]);
	}
}

static void receive_all(void)
{
	MPI_Request q[N], one;
	MPI_Datatype pair;
	MPI_Status st;

	/* The datatype may go once the requests are made. */
	MPI_Type_contiguous(1, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	for (int i = 0; i < N; i++)
		MPI_Recv_init(&in[i], 1, pair, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[i]);
	MPI_Type_free(&pair);
	for (int k = 0; k < ROUNDS - 2; k++) {
		MPI_Startall(N, q);
		complete(k % 6, q);
	}
	/* started one by one, waited for one by one, and a wait for what is not active */
	for (int k = 0; k < N; k++) {
		MPI_Start(&q[k]);
		MPI_Wait(&q[k], &st);
		MPI_Wait(&q[k], MPI_STATUS_IGNORE);
	}
	for (int k = 0; k < N; k++) {
		MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &one);
		MPI_Wait(&one, &st);
	}
	for (int i = 0; i < N; i++)
		MPI_Request_free(&q[i]);
}

/* Cancelled, and freed while it is under way. */
static void unfinished(void)
{
	MPI_Request q[2];
	MPI_Status st;
	int flag;

	for (int i = 0; i < 2; i++)
		MPI_Recv_init(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 7 + i, MPI_COMM_SELF, &q[i]);
	MPI_Startall(2, q);
	MPI_Cancel(&q[0]);
	MPI_Wait(&q[0], &st);
	MPI_Test_cancelled(&st, &flag);
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Send(&t_rank, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	if (t_rank)
		send_all();
	else
		receive_all();
	unfinished();
	return t_fini();
}
