/* More requests live at once than record.in has places for: one message, no event lost. */
#include "t.h"

#define N 20

int main(int argc, char **argv)
{
	int in[N], out[N];
	MPI_Request q[2 * N];

	t_init(&argc, &argv);
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < N; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, 1 - t_rank, i, MPI_COMM_WORLD, &q[i]);
		for (int i = 0; i < N; i++) {
			out[i] = i;
			MPI_Isend(&out[i], 1, MPI_INT, 1 - t_rank, i, MPI_COMM_WORLD,
				&q[2 * N - 1 - i]);
		}
		MPI_Waitall(2 * N, q, MPI_STATUSES_IGNORE);
		CHECK(in[N - 1] == N - 1);
	}
	return t_fini();
}
