/* Loops over every way to complete some of many requests. */
#include "t.h"

#define N 8

int main(int argc, char **argv)
{
	int in[N], out = 1, peer, idx, flag, nr;
	MPI_Request q[2 * N];
	MPI_Status st[2 * N];

	t_init(&argc, &argv);
	peer = t_rank ^ 1;
	for (int way = 0; way < 6; way++) {
		for (int i = 0; i < N; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : peer, way * N + i,
				MPI_COMM_WORLD, &q[i]);
		for (int i = 0; i < N; i++)
			MPI_Isend(&out, 1, MPI_INT, peer, way * N + i, MPI_COMM_WORLD, &q[N + i]);
		int left = 2 * N;
		while (left > 0) {
			switch (way) {
			case 0:
				MPI_Waitany(2 * N, q, &idx, MPI_STATUS_IGNORE);
				left--;
				break;
			case 1:
				MPI_Waitsome(2 * N, q, &nr, (int[2 * N]){ 0 }, st);
				left -= nr;
				break;
			case 2:
				MPI_Testany(2 * N, q, &idx, &flag, st);
				left -= flag;
				break;
			case 3:
				MPI_Testsome(2 * N, q, &nr, (int[2 * N]){ 0 }, MPI_STATUSES_IGNORE);
				left -= nr;
				break;
			case 4:
				MPI_Testall(2 * N, q, &flag, st);
				left = flag ? 0 : left;
				break;
			case 5:
				MPI_Test(&q[left - 1], &flag, MPI_STATUS_IGNORE);
				left -= flag;
				break;
			}
		}
		for (int i = 0; i < 2 * N; i++)
			CHECK(q[i] == MPI_REQUEST_NULL);
	}
	return t_fini();
}
