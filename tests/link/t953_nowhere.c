/* Messages of nobody, and of types without data, that are larger than any memory: no byte of them is touched. */
#include "t.h"
#include <limits.h>

static MPI_Datatype huge, none, empty;
static char buf[64];

static void of_nobody(void)
{
	MPI_Request q[2];

	MPI_Send(buf, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Recv(buf, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Isend(buf, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(buf, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Send_init(buf, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Start(&q[0]);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&q[0]);
}

/* One half of a call has a partner, the other has none. */
static void half_of_nobody(void)
{
	MPI_Sendrecv(buf, 8, MPI_INT, (t_rank + 1) % t_size, 1, buf, INT_MAX, huge, MPI_PROC_NULL,
		1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(buf, INT_MAX, huge, MPI_PROC_NULL, 1, buf, 8, MPI_INT,
		(t_rank + t_size - 1) % t_size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &huge);
	MPI_Type_commit(&huge);
	MPI_Type_contiguous(0, MPI_INT, &none);
	MPI_Type_create_resized(none, 0, 1 << 20, &empty);
	MPI_Type_commit(&empty);
	for (int i = 0; i < 10; i++) {
		of_nobody();
		half_of_nobody();
		MPI_Bcast(buf, INT_MAX, empty, 0, MPI_COMM_WORLD);
	}
	MPI_Type_free(&huge);
	MPI_Type_free(&none);
	MPI_Type_free(&empty);
	return t_fini();
}
