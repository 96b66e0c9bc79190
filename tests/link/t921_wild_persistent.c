/* Persistent receives from anyone: who it was is known when each start ends. */
#include "t.h"

#define N 6

static void dawdle(int k)
{
	usleep((unsigned)((t_rank * 7 + k * 3) % 5) * 300);
}

static void persistent(void)
{
	int in[2];
	MPI_Request q[2];

	if (t_rank == 1)
		usleep(100000); /* the others come first; in the replay they need not */
	if (t_rank) {
		for (int k = 0; k < 2 * N; k++) {
			dawdle(k);
			MPI_Send(&k, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
		}
		return;
	}
	for (int i = 0; i < 2; i++)
		MPI_Recv_init(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &q[i]);
	for (int k = 0; k < N * (t_size - 1); k++) {
		int index;

		MPI_Startall(2, q);
		MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
		MPI_Wait(&q[1 - index], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&q[1]);
	MPI_Request_free(&q[0]);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	persistent();
	return t_fini();
}
