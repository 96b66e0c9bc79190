/* A line, not a ring: the ends talk to MPI_PROC_NULL, the calls are the same on every rank. */
#include "t.h"

int main(int argc, char **argv)
{
	int v, got, right, left;

	t_init(&argc, &argv);
	right = t_rank + 1 < t_size ? t_rank + 1 : MPI_PROC_NULL;
	left = t_rank ? t_rank - 1 : MPI_PROC_NULL;
	for (int i = 0; i < 100; i++) {
		v = i;
		got = -1;
		MPI_Sendrecv(&v, 1, MPI_INT, right, i, &got, 1, MPI_INT, left, i, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		CHECK(got == (t_rank ? i : -1));
		MPI_Sendrecv_replace(
			&v, 1, MPI_INT, left, 7, right, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return t_fini();
}
