/* Loops that ask until the answer is yes: how often that is differs from run to run. */
#include "t.h"

static const int tag = 5;

static void dawdle(int k)
{
	usleep((unsigned)(k % 4) * 400);
}

static int ask_probe(int k, int from)
{
	int v = -1, flag = 0, rounds = 0;
	MPI_Status st;
	MPI_Message m;

	while (!flag && !usleep(20) && ++rounds) {
		if (k % 2)
			MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &st);
		else
			MPI_Improbe(from, tag, MPI_COMM_WORLD, &flag, &m, &st);
	}
	if (k % 2)
		MPI_Recv(&v, 1, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
	else
		MPI_Mrecv(&v, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	CHECK(v == k);
	return rounds;
}

static int ask_request(int k, int way)
{
	int v[2] = { -1, -1 }, flag = 0, rounds = 0, index;
	MPI_Request q[2];

	MPI_Irecv(&v[0], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(&v[1], 1, MPI_INT, MPI_ANY_SOURCE, tag + 1, MPI_COMM_WORLD, &q[1]);
	if (way == 0) {
		while (!flag && !usleep(20) && ++rounds)
			MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
		while (flag < 2 && !usleep(20) && ++rounds)
			MPI_Test(&q[1], &index, MPI_STATUS_IGNORE), flag += index;
	} else if (way == 1) {
		while (!flag && !usleep(20) && ++rounds)
			MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
	} else if (way == 2) {
		for (int left = 2; left && !usleep(20); left -= flag, rounds++)
			MPI_Testany(2, q, &index, &flag, MPI_STATUS_IGNORE);
	} else {
		while (!flag && !usleep(20) && ++rounds)
			MPI_Request_get_status(q[1], &flag, MPI_STATUS_IGNORE);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	CHECK(v[0] == k && v[1] == k);
	return rounds;
}

int main(int argc, char **argv)
{
	int rounds = 0;

	t_init(&argc, &argv);
	for (int k = 0; k < 12; k++) {
		if (t_rank == 0) {
			rounds += ask_probe(k, k % 3 ? 1 : MPI_ANY_SOURCE);
		} else {
			dawdle(k);
			MPI_Send(&k, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
		}
	}
	for (int k = 0; k < 16; k++) {
		if (t_rank == 0) {
			rounds += ask_request(k, k % 4);
		} else {
			dawdle(k);
			MPI_Send(&k, 1, MPI_INT, 0, tag + 1, MPI_COMM_WORLD);
			dawdle(k / 2);
			MPI_Ssend(&k, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	CHECK(t_rank || rounds >= 28);
	return t_fini();
}
