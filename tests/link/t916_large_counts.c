/* 64-bit counts in calls of every class. */
#include "t.h"

#define N 2

int main(int argc, char **argv)
{
	int in[4], out[4] = { 1, 2, 3, 4 }, *mem;
	MPI_Count one[N] = { 1, 1 };
	MPI_Aint at[N] = { 0, 1 }, far[N] = { 0, 4 };
	MPI_Datatype type[N] = { MPI_INT, MPI_INT }, pair;
	MPI_Request q[4];
	MPI_Status st[4];
	MPI_Win win;
	MPI_File f;

	t_init(&argc, &argv);
	int peer = 1 - t_rank;
	MPI_Type_create_hindexed_c(2, one, (MPI_Count[]){ 0, 8 }, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	for (int k = 0; k < 5; k++) {
		MPI_Irecv_c(in, 1, pair, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Isend_c(out, 1, pair, peer, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, st);
		CHECK(in[2] == 3 && st[0].MPI_SOURCE == peer);
		/* No wildcards: MPICH 4.0 leaves the statuses of these as they were. */
		MPI_Isendrecv_c(
			out, 2, MPI_INT, peer, 2, in, 2, MPI_INT, peer, 2, MPI_COMM_WORLD, &q[0]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		MPI_Isendrecv_replace(out, 2, MPI_INT, peer, 3, peer, 3, MPI_COMM_WORLD, &q[0]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		MPI_Alltoallv_c(out, one, at, MPI_INT, in, one, at, MPI_INT, MPI_COMM_WORLD);
		MPI_Alltoallw_c(out, one, far, type, in, one, far, type, MPI_COMM_WORLD);
		MPI_Allgatherv_c(out, 1, MPI_INT, in, one, at, MPI_INT, MPI_COMM_WORLD);
		MPI_Reduce_scatter_c(out, in, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Iallreduce_c(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[0]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	}
	MPI_Win_allocate_c(32, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Win_fence(0, win);
	MPI_Put_c(out, 2, MPI_INT, peer, 0, 1, pair, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_File_open(MPI_COMM_WORLD, "large.tmp",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_write_at_all_c(f, 16 * t_rank, out, 4, MPI_INT, st);
	MPI_File_read_at_c(f, 16 * t_rank, in, 4, MPI_INT, MPI_STATUS_IGNORE);
	CHECK(in[3] == out[3]);
	MPI_File_close(&f);
	MPI_Type_free(&pair);
	return t_fini();
}
