/* Recording stops and resumes; handles made in between are still known afterwards, and a request is no other one. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Comm dup;
	MPI_Datatype pair;
	MPI_Request before, between;
	int in[2], out = 8;

	t_init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Irecv(&in[0], 1, MPI_INT, t_rank, 0, MPI_COMM_WORLD, &before);
	MPI_Pcontrol(0);
	MPI_Irecv(&in[1], 1, MPI_INT, t_rank, 1, MPI_COMM_WORLD, &between);
	MPI_Send(&out, 1, MPI_INT, t_rank, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Pcontrol(1);
	MPI_Wait(&between, MPI_STATUS_IGNORE);
	MPI_Send(&out, 1, MPI_INT, t_rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&before, MPI_STATUS_IGNORE);
	CHECK(in[0] == 8 && in[1] == 8);
	MPI_Barrier(dup);
	int v[2] = { t_rank, 7 };
	MPI_Bcast(v, 1, pair, 1, dup);
	CHECK(v[0] == 1);
	MPI_Type_free(&pair);
	MPI_Comm_free(&dup);
	return t_fini();
}
