/*
 * Completions of several requests, of one of which the trace doesn't tell that it was made: the others are ended in a
 * replay, too.
 */
#include "t.h"

static MPI_Request q[2];
static int got[2];

/* Both have come by the end of it. The first one is unseen. */
static void make(void)
{
	int out = 5;

	MPI_Pcontrol(0);
	MPI_Irecv(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &q[0]);
	MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Pcontrol(1);
	MPI_Irecv(&got[1], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &q[1]);
	MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
	int flag = 0, index = -1, nr = 0, indices[2];

	MPI_Init(&argc, &argv);
	make();
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	make();
	MPI_Waitsome(2, q, &nr, indices, MPI_STATUSES_IGNORE);
	CHECK(nr == 2);
	make();
	MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
	CHECK(flag);
	make();
	/* This one is left out, as it ended nothing else. */
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	CHECK(index == 0);
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	CHECK(index == 1);
	return t_fini();
}
