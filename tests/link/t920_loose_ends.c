/* Objects that go while they are in use, receives that nobody waits for, messages that are too long. */
#include "t.h"

static int out = 3, in[8], peer;

/* The communicator and the type are freed before what uses them is done. */
static void freed_early(void)
{
	MPI_Comm comm;
	MPI_Datatype pair;
	MPI_Request q[2];

	for (int k = 0; k < 5; k++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Type_contiguous(2, MPI_INT, &pair);
		MPI_Type_commit(&pair);
		MPI_Irecv(in, 1, pair, MPI_ANY_SOURCE, k, comm, &q[0]);
		MPI_Isend(in + 2, 1, pair, peer, k, comm, &q[1]);
		MPI_Type_free(&pair);
		MPI_Comm_free(&comm);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
}

/* Requests that are freed while they are under way. */
static void unwatched(void)
{
	MPI_Request q[2];

	for (int k = 0; k < 5; k++) {
		MPI_Irecv(&in[k], 1, MPI_INT, k % 2 ? MPI_ANY_SOURCE : peer, 20 + k, MPI_COMM_WORLD,
			&q[0]);
		MPI_Request_free(&q[0]);
		MPI_Isend(&out, 1, MPI_INT, peer, 20 + k, MPI_COMM_WORLD, &q[1]);
		MPI_Request_free(&q[1]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Probed for anyone, received from anyone; and into too little room. */
static void too_long(void)
{
	MPI_Status st;
	int class, n;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int k = 0; k < 4; k++) {
		if (t_rank == 1) {
			MPI_Send(in, 4, MPI_INT, 0, 30 + k, MPI_COMM_WORLD);
			continue;
		}
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
		MPI_Get_count(&st, MPI_INT, &n);
		CHECK(n == 4 && st.MPI_TAG == 30 + k);
		MPI_Error_class(MPI_Recv(in, k % 2 ? 4 : 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
					MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			&class);
		CHECK(class == (k % 2 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Nothing is sent: no receiver, no elements, no ranks. */
static void nothing(void)
{
	MPI_Request q[4];
	MPI_Status st[4];
	MPI_Comm none;

	for (int k = 0; k < 4; k++) {
		MPI_Irecv(in, 8, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(NULL, 0, MPI_INT, peer, 40, MPI_COMM_WORLD, &q[1]);
		MPI_Irecv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &q[2]);
		q[3] = MPI_REQUEST_NULL;
		MPI_Waitall(4, q, st);
		CHECK(st[2].MPI_SOURCE == peer);
		MPI_Wait(&q[0], &st[0]);
		MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
		MPI_Comm_split(MPI_COMM_WORLD, t_rank ? MPI_UNDEFINED : 1, 0, &none);
		if (none != MPI_COMM_NULL)
			MPI_Comm_free(&none);
	}
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	peer = 1 - t_rank;
	freed_early();
	unwatched();
	MPI_Barrier(MPI_COMM_WORLD);
	too_long();
	MPI_Barrier(MPI_COMM_WORLD);
	nothing();
	return t_fini();
}
