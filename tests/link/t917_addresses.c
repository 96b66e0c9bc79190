/* MPI_BOTTOM and types of absolute addresses; memory of MPI's; a buffer for Bsend that comes and goes. */
#include "t.h"

/* Beside each other, so that the distances are those of every build. */
static struct {
	int a, b[5];
	double c, d;
} mem = { .a = 1, .c = 2.5 };

static MPI_Datatype absolute(void *x, void *y, MPI_Datatype second)
{
	MPI_Aint at[2];
	int len[2] = { 1, 1 };
	MPI_Datatype types[2] = { MPI_INT, second }, t;

	MPI_Get_address(x, &at[0]);
	MPI_Get_address(y, &at[1]);
	MPI_Type_create_struct(2, len, at, types, &t);
	MPI_Type_commit(&t);
	return t;
}

static void buffered(int k)
{
	static char data[2000];
	char *own;
	int size = 1000 * (k % 3 + 1), peer = 1 - t_rank, old;
	MPI_Request q[2];

	MPI_Alloc_mem(size + MPI_BSEND_OVERHEAD, MPI_INFO_NULL, &own);
	MPI_Buffer_attach(own, size + MPI_BSEND_OVERHEAD);
	MPI_Bsend(data, size / 2, MPI_CHAR, peer, 5, MPI_COMM_WORLD);
	MPI_Recv(data, size / 2, MPI_CHAR, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bsend_init(mem.b, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, &q[0]);
	MPI_Recv_init(mem.b + 2, 2, MPI_INT, peer, 6, MPI_COMM_WORLD, &q[1]);
	MPI_Startall(2, q);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Buffer_detach(&own, &old);
	CHECK(old == size + MPI_BSEND_OVERHEAD);
	MPI_Free_mem(own);
}

int main(int argc, char **argv)
{
	MPI_Datatype from, to, rows;
	MPI_Request q;
	MPI_Aint at, lb, extent;
	MPI_Count lb_x, extent_x;

	t_init(&argc, &argv);
	from = absolute(&mem.a, &mem.c, MPI_DOUBLE);
	/* Where it begins is an address, too. */
	MPI_Type_get_extent(from, &lb, &extent);
	MPI_Get_address(&mem.a, &at);
	CHECK(lb == at);
	MPI_Type_get_true_extent(from, &lb, &extent);
	CHECK(lb == at);
	MPI_Type_get_extent_x(from, &lb_x, &extent_x);
	CHECK(lb_x == at);
	to = absolute(&mem.b[4], &mem.d, MPI_DOUBLE);
	for (int k = 0; k < 6; k++) {
		MPI_Irecv(MPI_BOTTOM, 1, to, 1 - t_rank, 1, MPI_COMM_WORLD, &q);
		MPI_Send(MPI_BOTTOM, 1, from, 1 - t_rank, 1, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		CHECK(mem.b[4] == 1);
		MPI_Bcast(MPI_BOTTOM, 1, from, k % t_size, MPI_COMM_WORLD);
		MPI_Sendrecv(MPI_BOTTOM, 1, from, 1 - t_rank, 2, MPI_BOTTOM, 1, to, 1 - t_rank, 2,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		buffered(k);
	}
	/* Relative to somewhere in the middle: what is before it is touched. */
	MPI_Type_create_hvector(2, 1, -8, MPI_INT, &rows);
	MPI_Type_commit(&rows);
	MPI_Sendrecv(&mem.b[3], 1, rows, 1 - t_rank, 3, &mem.b[2], 1, rows, 1 - t_rank, 3,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Get_address(&mem.a, &at);
	MPI_Type_free(&rows);
	MPI_Type_free(&to);
	MPI_Type_free(&from);
	return t_fini();
}
