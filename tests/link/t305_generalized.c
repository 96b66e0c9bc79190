/*
 * Generalized requests: the query and free callbacks run inside Wait; source and tag are what the
 * query says. Statuses of sends, collectives and files have none.
 */
#include "t.h"

static int freed, source = MPI_UNDEFINED;

static int query(void *state, MPI_Status *st)
{
	MPI_Status_set_elements(st, MPI_INT, 1);
	MPI_Status_set_cancelled(st, 0);
	st->MPI_SOURCE = source;
	st->MPI_TAG = *(int *)state;
	return MPI_SUCCESS;
}

static int release(void *state)
{
	freed += *(int *)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

/* One of each kind; what is stale in a status must not be taken for a result. */
static void mixed(int *state)
{
	int out = 1, in = 0, flag;
	MPI_Request q[5];
	MPI_Status st[5];
	MPI_File fh;

	memset(st, 1 + t_rank, sizeof(st));
	source = 7;
	MPI_File_open(MPI_COMM_SELF, t_rank ? "one" : "zero",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
	MPI_Grequest_start(query, release, cancel, state, &q[0]);
	MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &q[1]);
	MPI_Send_init(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &q[2]);
	MPI_Ibarrier(MPI_COMM_SELF, &q[3]);
	MPI_File_iwrite_at(fh, 0, &out, 1, MPI_INT, &q[4]);
	MPI_Start(&q[2]);
	MPI_Grequest_complete(q[0]);
	MPI_Request_get_status(q[0], &flag, &st[0]);
	CHECK(flag && st[0].MPI_SOURCE == 7);
	MPI_Waitall(5, q, st);
	CHECK(st[0].MPI_SOURCE == 7 && in == 1);
	MPI_Request_free(&q[2]);
	MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
	int state = 5;
	MPI_Request q;
	MPI_Status st;

	t_init(&argc, &argv);
	for (int i = 0; i < 10; i++) {
		MPI_Grequest_start(query, release, cancel, &state, &q);
		MPI_Grequest_complete(q);
		MPI_Wait(&q, &st);
		CHECK(st.MPI_TAG == 5);
	}
	CHECK(freed == 50);
	mixed(&state);
	return t_fini();
}
