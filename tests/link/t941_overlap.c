/* calls that read and write memory of one process, in ways that forbid overlap: with itself, and from MPI_BOTTOM */
#include <mpi.h>

static int memory[64], result[64], origin[64];

static MPI_Datatype at(const int *p, int n)
{
	MPI_Datatype t;
	MPI_Aint where;

	MPI_Get_address(p, &where);
	MPI_Type_create_hindexed(1, &n, &where, MPI_INT, &t);
	MPI_Type_commit(&t);
	return t;
}

static void window(int rank)
{
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	MPI_Get(result, 64, MPI_INT, rank, 0, 64, MPI_INT, win);
	MPI_Win_flush(rank, win);
	MPI_Put(origin, 64, MPI_INT, rank, 0, 64, MPI_INT, win);
	MPI_Win_flush(rank, win);
	MPI_Get_accumulate(
		origin, 32, MPI_INT, result, 32, MPI_INT, rank, 0, 32, MPI_INT, MPI_SUM, win);
	MPI_Win_unlock(rank, win);
	MPI_Win_free(&win);
}

static void bottom(int rank)
{
	MPI_Datatype from = at(origin, 64), to = at(result, 64);

	MPI_Sendrecv(MPI_BOTTOM, 1, from, rank, 1, MPI_BOTTOM, 1, to, rank, 1, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Type_free(&from);
	MPI_Type_free(&to);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	window(rank);
	bottom(rank);
	MPI_Finalize();
	return 0;
}
