/* A grid: shifts, coordinates, sub-grids, and a halo exchange along them. */
#include "t.h"

int main(int argc, char **argv)
{
	int dims[2] = { 0, 0 }, periods[2] = { 0, 1 }, coords[2], src, dst, rank, v = 1, got;
	MPI_Comm grid, row;

	t_init(&argc, &argv);
	MPI_Dims_create(t_size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Cart_coords(grid, t_rank, 2, coords);
	MPI_Cart_rank(grid, coords, &rank);
	CHECK(rank == t_rank);
	for (int k = 0; k < 20; k++)
		for (int d = 0; d < 2; d++) {
			MPI_Cart_shift(grid, d, 1, &src, &dst);
			MPI_Sendrecv(&v, 1, MPI_INT, dst, d, &got, 1, MPI_INT, src, d, grid,
				MPI_STATUS_IGNORE);
		}
	MPI_Cart_sub(grid, (int[2]){ 0, 1 }, &row);
	MPI_Allreduce(&v, &got, 1, MPI_INT, MPI_SUM, row);
	CHECK(got == dims[1]);
	MPI_Comm_free(&row);
	MPI_Comm_free(&grid);
	return t_fini();
}
