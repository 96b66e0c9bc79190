/* Group arithmetic, and communicators from groups. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Group world, even, odd, both, none;
	MPI_Comm comm;
	int ranks[2] = { 0, 2 }, range[1][3] = { { 1, 3, 2 } }, at[2], n;

	t_init(&argc, &argv);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, ranks, &even);
	MPI_Group_range_incl(world, 1, range, &odd);
	MPI_Group_union(even, odd, &both);
	MPI_Group_intersection(even, odd, &none);
	CHECK(none == MPI_GROUP_EMPTY);
	MPI_Group_size(both, &n);
	CHECK(n == 4);
	MPI_Group_translate_ranks(even, 2, (int[2]){ 0, 1 }, world, at);
	CHECK(at[1] == 2);
	MPI_Group_rank(even, &n);
	CHECK(n == (t_rank % 2 ? MPI_UNDEFINED : t_rank / 2));
	MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	if (t_rank % 2 == 0) {
		MPI_Comm_create_group(MPI_COMM_WORLD, even, 9, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Group_free(&both);
	MPI_Group_free(&odd);
	MPI_Group_free(&even);
	MPI_Group_free(&world);
	return t_fini();
}
