/* Who sends when is left to chance, and every way to receive from anyone is used. */
#include "t.h"

#define N 6

static void dawdle(int k)
{
	usleep((unsigned)((t_rank * 7 + k * 3) % 5) * 300);
}

/* Every other rank sends rank 0 N messages with tags of its choice. */
static void send_all(MPI_Comm comm)
{
	for (int k = 0; k < N; k++) {
		dawdle(k);
		MPI_Send(&t_rank, 1, MPI_INT, 0, 10 * t_rank + k, comm);
	}
}

static void complete(int way, int nr, MPI_Request *q, const int *in)
{
	int index[N], n, flag;
	MPI_Status st[N];

	for (int left = nr; left > 0; left -= n) {
		n = 1;
		if (way > 1)
			usleep(20);
		if (way == 0)
			MPI_Waitany(nr, q, index, st);
		else if (way == 1)
			MPI_Waitsome(nr, q, &n, index, st);
		else if (way == 2)
			MPI_Testsome(nr, q, &n, index, st);
		else {
			MPI_Testany(nr, q, index, &flag, st);
			n = flag;
		}
		for (int i = 0; i < n; i++)
			CHECK(st[i].MPI_SOURCE == in[index[i]] &&
				st[i].MPI_TAG / 10 == in[index[i]]);
	}
}

static void many(int way, MPI_Comm comm)
{
	int in[N];
	MPI_Request q[N];

	for (int round = 0; round < t_size - 1; round++) {
		for (int i = 0; i < N; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &q[i]);
		complete(way, N, q, in);
	}
}

/* Two communicators at once; the statuses are not asked for. */
static void two(MPI_Comm other)
{
	int in[2];
	MPI_Request q[2];

	if (t_rank) {
		send_all(t_rank % 2 ? MPI_COMM_WORLD : other);
		send_all(t_rank % 2 ? other : MPI_COMM_WORLD);
		return;
	}
	for (int i = 0; i < N * (t_size - 1); i++) {
		MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
}

/* The receives are taken back, but for those that were too late for that. */
static void cancelled(void)
{
	int in = 0, flag;
	MPI_Request q;
	MPI_Status st;

	for (int i = 0; i < 4; i++) {
		MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &q);
		MPI_Cancel(&q);
		MPI_Wait(&q, &st);
		MPI_Test_cancelled(&st, &flag);
		CHECK(flag);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (t_rank == 1)
		MPI_Send(&in, 1, MPI_INT, 0, 99, MPI_COMM_WORLD);
	else if (t_rank == 0)
		MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &st);
}

/* Round a ring: what comes in is from anyone, who is always the same. */
static void combined(void)
{
	int out = t_rank, in, right = (t_rank + 1) % t_size;

	for (int k = 0; k < N; k++) {
		MPI_Sendrecv(&out, 1, MPI_INT, right, k, &in, 1, MPI_INT, MPI_ANY_SOURCE, k,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv_replace(&out, 1, MPI_INT, right, N + k, MPI_ANY_SOURCE, N + k,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm other;

	t_init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	for (int way = 0; way < 4; way++) {
		if (t_rank == 0)
			many(way, way % 2 ? other : MPI_COMM_WORLD);
		else
			send_all(way % 2 ? other : MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	two(other);
	MPI_Barrier(MPI_COMM_WORLD);
	cancelled();
	MPI_Barrier(MPI_COMM_WORLD);
	combined();
	MPI_Comm_free(&other);
	return t_fini();
}
