/* Partitioned communication: parts are ready one by one, in stretches, and by list. */
#include "t.h"

#define PARTS 4

int main(int argc, char **argv)
{
	int buf[2 * PARTS], flag, list[2] = { 3, 0 };
	MPI_Request q;

	t_init(&argc, &argv);
	if (t_rank == 0)
		MPI_Psend_init(buf, PARTS, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	else
		MPI_Precv_init(buf, PARTS, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	for (int k = 0; k < 12; k++) {
		for (int i = 0; i < 2 * PARTS; i++)
			buf[i] = t_rank == 0 ? k + i : -1;
		MPI_Start(&q);
		if (t_rank == 0 && k % 2) {
			MPI_Pready(2, q);
			MPI_Pready(1, q);
			MPI_Pready_list(2, list, q);
		} else if (t_rank == 0) {
			usleep(200 * (k % 3));
			MPI_Pready_range(0, PARTS - 1, q);
		} else {
			for (int part = 0; part < PARTS; part++) {
				do
					MPI_Parrived(q, part, &flag);
				while (!flag && !usleep(20));
			}
		}
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		CHECK(buf[2 * PARTS - 1] == k + 2 * PARTS - 1);
	}
	MPI_Request_free(&q);
	return t_fini();
}
