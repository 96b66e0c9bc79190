/* Recording stops and resumes; handles made in between are still known afterwards. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Comm dup;
	MPI_Datatype pair;

	t_init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Pcontrol(1);
	MPI_Barrier(dup);
	int v[2] = { t_rank, 7 };
	MPI_Bcast(v, 1, pair, 1, dup);
	CHECK(v[0] == 1);
	MPI_Type_free(&pair);
	MPI_Comm_free(&dup);
	return t_fini();
}
