/* The functions with 64-bit counts, and a type larger than 2 GiB. */
#include "t.h"

int main(int argc, char **argv)
{
	int v[4] = { 1, 2, 3, 4 }, got[4];
	MPI_Datatype block, huge;
	MPI_Count size, lb, extent;
	MPI_Status st;

	t_init(&argc, &argv);
	MPI_Sendrecv_c(
		v, 4, MPI_INT, 1 - t_rank, 1, got, 4, MPI_INT, 1 - t_rank, 1, MPI_COMM_WORLD, &st);
	CHECK(got[3] == 4);
	MPI_Get_count_c(&st, MPI_INT, &size);
	CHECK(size == 4);
	MPI_Type_contiguous_c(3000000000, MPI_CHAR, &block);
	MPI_Type_vector_c(4, 1, 2, block, &huge);
	MPI_Type_commit(&huge);
	MPI_Type_size_c(huge, &size);
	CHECK(size == 12000000000);
	MPI_Type_get_extent_c(huge, &lb, &extent);
	CHECK(extent == 21000000000);
	for (int i = 0; i < 10; i++)
		MPI_Bcast_c(v, 4, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Type_free(&huge);
	MPI_Type_free(&block);
	return t_fini();
}
