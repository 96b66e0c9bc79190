/* Every constructor of derived types, in a loop that makes and frees them. */
#include "t.h"

int main(int argc, char **argv)
{
	int len[2] = { 1, 2 }, at[2] = { 0, 4 }, sizes[2] = { 8, 8 }, sub[2] = { 2, 3 },
	    start[2] = { 1, 2 };
	int distrib[1] = { MPI_DISTRIBUTE_BLOCK }, darg[1] = { MPI_DISTRIBUTE_DFLT_DARG }, psize[1],
	    gsize[1] = { 16 };
	MPI_Aint bytes[2] = { 0, 32 };
	MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE }, t[12];

	t_init(&argc, &argv);
	psize[0] = t_size;
	for (int k = 0; k < 10; k++) {
		int n = 0, size;
		MPI_Type_contiguous(3, MPI_INT, &t[n++]);
		MPI_Type_vector(2, 1, 3, t[0], &t[n++]);
		MPI_Type_create_hvector(2, 1, 64, MPI_CHAR, &t[n++]);
		MPI_Type_indexed(2, len, at, MPI_INT, &t[n++]);
		MPI_Type_create_hindexed(2, len, bytes, MPI_INT, &t[n++]);
		MPI_Type_create_indexed_block(2, 1, at, MPI_INT, &t[n++]);
		MPI_Type_create_hindexed_block(2, 1, bytes, MPI_INT, &t[n++]);
		MPI_Type_create_struct(2, len, bytes, types, &t[n++]);
		MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &t[n++]);
		MPI_Type_create_darray(t_size, t_rank, 1, gsize, distrib, darg, psize,
			MPI_ORDER_FORTRAN, MPI_INT, &t[n++]);
		MPI_Type_create_resized(t[0], -4, 100, &t[n++]);
		MPI_Type_dup(t[7], &t[n++]);
		for (int i = 0; i < n; i++) {
			MPI_Type_commit(&t[i]);
			MPI_Type_size(t[i], &size);
		}
		for (int i = 0; i < n; i++)
			MPI_Type_free(&t[i]);
	}
	return t_fini();
}
