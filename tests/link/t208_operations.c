/* The program's own operations; MPI calls inside one are nested. */
#include "t.h"

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int size;

	MPI_Type_size(*type, &size);
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int v = 2, sum = 1, commutes;
	MPI_Op op;

	t_init(&argc, &argv);
	MPI_Op_create(add, 1, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK(commutes);
	for (int i = 0; i < 10; i++)
		MPI_Reduce_local(&v, &sum, 1, MPI_INT, op);
	CHECK(sum == 21);
	MPI_Allreduce(&v, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	CHECK(sum == 2 * t_size);
	MPI_Op_free(&op);
	return t_fini();
}
