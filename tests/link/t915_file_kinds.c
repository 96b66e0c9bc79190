/* Files where t602 does not go: every kind of pointer, and files that were there before. */
#include "t.h"

static int v[8], got[8];
static MPI_Status st;

/* Each rank its own pointer, begun and ended apart. */
static void individual(MPI_File f)
{
	MPI_Request q[2];
	MPI_Offset at;

	for (int k = 0; k < 3; k++) {
		MPI_File_seek(f, 4 * t_rank, MPI_SEEK_SET);
		MPI_File_write(f, v, 4, MPI_INT, &st);
		MPI_File_seek(f, -4, MPI_SEEK_CUR);
		MPI_File_read(f, got, 4, MPI_INT, &st);
		CHECK(got[3] == v[3]);
		MPI_File_iwrite(f, v, 2, MPI_INT, &q[0]);
		MPI_File_iwrite_at(f, 64 + t_rank, v, 1, MPI_INT, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_File_get_position(f, &at);
		MPI_File_write_all_begin(f, v, 2, MPI_INT);
		MPI_File_write_all_end(f, v, &st);
		MPI_File_seek(f, 0, MPI_SEEK_SET);
		MPI_File_read_all_begin(f, got, 2, MPI_INT);
		MPI_File_read_all_end(f, got, MPI_STATUS_IGNORE);
		MPI_File_iread_all(f, got, 2, MPI_INT, &q[0]);
		MPI_Wait(&q[0], &st);
		MPI_File_write_at_all_begin(f, 32 + 4 * t_rank, v, 4, MPI_INT);
		MPI_File_write_at_all_end(f, v, &st);
		MPI_File_read_at_all(f, 32 + 4 * t_rank, got, 4, MPI_INT, &st);
	}
	CHECK(at == 4 * t_rank + 6);
}

/* One pointer for all: who comes first is chance, but for the ordered ones. */
static void shared(MPI_File f)
{
	MPI_Request q;
	MPI_Offset at;

	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	for (int k = 0; k < 3; k++) {
		MPI_File_write_ordered(f, v, 1, MPI_INT, &st);
		MPI_File_write_shared(f, v, 1, MPI_INT, &st);
		MPI_File_iwrite_shared(f, v, 1, MPI_INT, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_File_get_position_shared(f, &at);
	CHECK(at == 9 * t_size);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	MPI_File_read_ordered_begin(f, got, 1, MPI_INT);
	MPI_File_read_ordered_end(f, got, &st);
	MPI_File_read_shared(f, got, 1, MPI_INT, &st);
}

/* A file that MPI did not write; the end of it is met. */
static void found(void)
{
	MPI_File f;
	MPI_Offset size;
	int n, amode;

	if (t_rank == 0) {
		FILE *plain = fopen("found.tmp", "w");

		fwrite(v, sizeof(int), 8, plain);
		fclose(plain);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_open(MPI_COMM_SELF, "./found.tmp", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	MPI_File_get_size(f, &size);
	MPI_File_get_amode(f, &amode);
	CHECK(size == 32 && amode == MPI_MODE_RDONLY);
	MPI_File_read_at(f, 0, got, 8, MPI_INT, &st);
	MPI_Get_count(&st, MPI_INT, &n);
	CHECK(n == 8);
	MPI_File_close(&f);
	MPI_Barrier(MPI_COMM_WORLD);
	if (t_rank == 1)
		MPI_File_delete("found.tmp", MPI_INFO_NULL);
}

int main(int argc, char **argv)
{
	MPI_File f;
	MPI_Datatype tile;
	MPI_Offset at;
	MPI_Aint extent;

	t_init(&argc, &argv);
	for (int i = 0; i < 8; i++)
		v[i] = 10 * t_rank + i;
	MPI_File_open(MPI_COMM_WORLD, "kinds.tmp",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_preallocate(f, 1024);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_get_type_extent(f, MPI_INT, &extent);
	individual(f);
	MPI_Barrier(MPI_COMM_WORLD);
	shared(f);
	MPI_Type_create_resized(MPI_INT, 0, 4 * t_size, &tile);
	MPI_Type_commit(&tile);
	MPI_File_set_view(f, 4 * t_rank, MPI_INT, tile, "native", MPI_INFO_NULL);
	MPI_File_get_byte_offset(f, 3, &at);
	CHECK(at == 4 * t_rank + 3 * 4 * t_size);
	MPI_File_set_atomicity(f, 1);
	MPI_File_write_all(f, v, 8, MPI_INT, &st);
	MPI_File_read_at(f, 2, got, 6, MPI_INT, &st);
	CHECK(got[5] == v[7]);
	MPI_File_close(&f);
	MPI_Type_free(&tile);
	found();
	return t_fini();
}
