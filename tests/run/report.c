/* Who sends to whom in many ways: a ring, pairs within a split communicator, rows of a grid, all to one; one-sided; and collectives. */
#include <mpi.h>
#include <string.h>

static int rank, size;
static MPI_Comm half;

static void ring(int steps)
{
	char in[64], out[64];
	MPI_Request r[2];

	memset(out, 0, sizeof(out));
	for (int i = 0; i < steps; i++) {
		MPI_Irecv(in, 64, MPI_CHAR, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(out, i % 2 ? 64 : 16, MPI_CHAR, (rank + 1) % size, 1, MPI_COMM_WORLD,
			&r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
}

/* Ranks of these communicators are not those of the world: even and odd ones, the highest first. */
static void pairs(void)
{
	int own, nr, x = rank;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_set_name(half, "</script><!--<script>window.hurt=1</script>");
	MPI_Comm_rank(half, &own);
	MPI_Comm_size(half, &nr);
	if (own == 0)
		for (int i = 1; i < nr; i++)
			MPI_Send(&x, 1, MPI_INT, i, 2, half);
	else
		MPI_Recv(&x, 1, MPI_INT, 0, 2, half, MPI_STATUS_IGNORE);
}

static void grid(void)
{
	int dims[2] = { 2, size / 2 }, periods[2] = { 1, 1 }, remain[2] = { 0, 1 }, own, nr;
	double x = 0, y;
	MPI_Comm all, row;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &all);
	MPI_Cart_sub(all, remain, &row);
	MPI_Comm_rank(row, &own);
	MPI_Comm_size(row, &nr);
	MPI_Sendrecv(&x, 1, MPI_DOUBLE, (own + 1) % nr, 3, &y, 1, MPI_DOUBLE, (own + nr - 1) % nr,
		3, row, MPI_STATUS_IGNORE);
	MPI_Comm_free(&row);
	MPI_Comm_free(&all);
}

static void to_one(void)
{
	int x[8] = { 0 };

	for (int i = 0; i < 3; i++) {
		if (rank)
			MPI_Send(x, rank, MPI_INT, 0, i, MPI_COMM_WORLD);
		for (int from = 1; !rank && from < size; from++)
			MPI_Recv(x, 8, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
	}
	MPI_Send(x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/* Windows of all ranks, and of the even and the odd ones, the highest first. */
static void one_sided(void)
{
	int memory[8] = { 0 }, x[2] = { 0 }, own, nr;
	MPI_Win all, some;

	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &all);
	MPI_Win_fence(0, all);
	for (int i = 0; i < 3; i++)
		MPI_Put(x, 2, MPI_INT, (rank + 1) % size, 0, 2, MPI_INT, all);
	MPI_Get(x, 1, MPI_INT, 0, 2, 1, MPI_INT, all);
	MPI_Put(x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, all);
	MPI_Win_fence(0, all);
	MPI_Comm_rank(half, &own);
	MPI_Comm_size(half, &nr);
	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, half, &some);
	MPI_Win_fence(0, some);
	MPI_Accumulate(x, 1, MPI_INT, (own + 1) % nr, 3, 1, MPI_INT, MPI_SUM, some);
	MPI_Win_fence(0, some);
	MPI_Win_free(&some);
	MPI_Win_free(&all);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	int x = 0, counts[8], places[8];
	char all[64], mine[8] = "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ring(20);
	pairs();
	grid();
	to_one();
	one_sided();
	for (int i = 0; i < size && i < 8; i++) {
		counts[i] = i + 1;
		places[i] = 8 * i;
	}
	for (int i = 0; i < 5; i++) {
		MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Allgatherv(
			mine, rank + 1, MPI_CHAR, all, counts, places, MPI_CHAR, MPI_COMM_WORLD);
	}
	MPI_Reduce(rank ? &x : MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
