/* A file that MPI makes each time, and that is deleted without MPI. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_File f;
	MPI_Status st;
	int v = 1;

	t_init(&argc, &argv);
	for (int k = 0; k < 3; k++) {
		MPI_File_open(MPI_COMM_WORLD, "exclusive.tmp",
			MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_write_at(f, 4 * t_rank, &v, 1, MPI_INT, &st);
		MPI_File_close(&f);
		MPI_Barrier(MPI_COMM_WORLD);
		if (t_rank == 0)
			unlink("exclusive.tmp");
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return t_fini();
}
