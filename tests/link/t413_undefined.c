/* MPI_UNDEFINED in each of the places that it may stand in: it is one constant, whatever kind of value it is among. */
#include "t.h"

static void of_groups(void)
{
	int none[1] = { t_size - 1 }, first[1] = { 0 }, at[1], n;
	MPI_Group world, some;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_excl(world, 1, none, &some);
	MPI_Group_rank(some, &n);
	CHECK((n == MPI_UNDEFINED) == (t_rank == t_size - 1));
	MPI_Group_translate_ranks(world, 1, none, some, at);
	CHECK(at[0] == MPI_UNDEFINED);
	MPI_Group_translate_ranks(world, 1, first, some, at);
	CHECK(at[0] == 0);
	MPI_Group_free(&some);
	MPI_Group_free(&world);
}

static void of_communicators(void)
{
	MPI_Comm none;
	int n;

	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
	CHECK(none == MPI_COMM_NULL);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none);
	CHECK(none == MPI_COMM_NULL);
	MPI_Topo_test(MPI_COMM_WORLD, &n);
	CHECK(n == MPI_UNDEFINED);
}

static void of_types(void)
{
	MPI_Datatype wide, wider, real;
	int n;

	MPI_Type_contiguous(1 << 30, MPI_INT, &wide);
	MPI_Type_size(wide, &n);
	CHECK(n == MPI_UNDEFINED);
	MPI_Type_contiguous(2, wide, &wider);
	MPI_Type_free(&wider);
	MPI_Type_free(&wide);
	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &real);
	MPI_Type_create_f90_complex(MPI_UNDEFINED, 30, &real);
}

int main(int argc, char **argv)
{
	MPI_Request q[1] = { MPI_REQUEST_NULL };
	int n;

	t_init(&argc, &argv);
	of_groups();
	of_communicators();
	of_types();
	MPI_Waitany(1, q, &n, MPI_STATUS_IGNORE);
	CHECK(n == MPI_UNDEFINED);
	return t_fini();
}
