/* Nonblocking collectives, several under way at once, completed in another order. */
#include "t.h"

int main(int argc, char **argv)
{
	int a = 1, b[4], c, d[4], n[4], at[4];
	MPI_Request q[6];

	t_init(&argc, &argv);
	for (int i = 0; i < t_size; i++) {
		n[i] = 1;
		at[i] = i;
	}
	for (int k = 0; k < 15; k++) {
		MPI_Ibarrier(MPI_COMM_WORLD, &q[0]);
		MPI_Ibcast(&a, 1, MPI_INT, k % t_size, MPI_COMM_WORLD, &q[1]);
		MPI_Iallgather(&t_rank, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &q[2]);
		MPI_Iallreduce(&t_rank, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[3]);
		MPI_Iallgatherv(&t_rank, 1, MPI_INT, d, n, at, MPI_INT, MPI_COMM_WORLD, &q[4]);
		MPI_Wait(&q[3], MPI_STATUS_IGNORE);
		MPI_Igather(&c, 1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_SELF, &q[5]);
		MPI_Wait(&q[1], MPI_STATUS_IGNORE);
		MPI_Waitall(6, q, MPI_STATUSES_IGNORE);
		CHECK(d[t_size - 1] == t_size - 1);
	}
	return t_fini();
}
