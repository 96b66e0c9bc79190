/* Files: views, explicit offsets, collective, nonblocking and shared pointers. What MPI's file layer calls inside is not recorded. */
#include "t.h"

int main(int argc, char **argv)
{
	int v[4], got[4];
	char name[64];
	MPI_File f;
	MPI_Datatype view;
	MPI_Request q;
	MPI_Offset at;
	MPI_Status st;

	t_init(&argc, &argv);
	for (int i = 0; i < 4; i++)
		v[i] = t_rank * 4 + i;
	snprintf(name, sizeof(name), "data.tmp");
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_size(f, 0);
	MPI_Type_vector(2, 2, 2 * t_size, MPI_INT, &view);
	MPI_Type_commit(&view);
	MPI_File_set_view(f, t_rank * 2 * sizeof(int), MPI_INT, view, "native", MPI_INFO_NULL);
	MPI_File_write_all(f, v, 4, MPI_INT, &st);
	MPI_File_seek(f, 0, MPI_SEEK_SET);
	MPI_File_read_all(f, got, 4, MPI_INT, MPI_STATUS_IGNORE);
	CHECK(got[3] == v[3]);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	for (int k = 0; k < 5; k++) {
		MPI_File_write_at(f, 100 + 8 * k + 4 * t_rank, v, 4, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_iread_at(f, 100 + 8 * k + 4 * t_rank, got, 4, MPI_INT, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	MPI_File_write_at_all(f, 200 + 4 * t_rank, v, 4, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_get_size(f, &at);
	CHECK(at == (200 + 4 * t_size) * (int)sizeof(int));
	MPI_File_close(&f);
	MPI_Type_free(&view);
	if (t_rank == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	return t_fini();
}
