/* Loops that are nearly regular: an inner trip count that varies, a count that changes, a call every third step. */
#include "t.h"

int main(int argc, char **argv)
{
	double buf[64] = { 0 };

	t_init(&argc, &argv);
	for (int i = 0; i < 60; i++) {
		for (int j = 0; j < 1 + i % 4; j++)
			MPI_Bcast(buf, 1 + i / 10, MPI_DOUBLE, j % t_size, MPI_COMM_WORLD);
		if (i % 3 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	return t_fini();
}
