/* Generalized requests: the query and free callbacks run inside Wait. */
#include "t.h"

static int freed;

static int query(void *state, MPI_Status *st)
{
	MPI_Status_set_elements(st, MPI_INT, 1);
	MPI_Status_set_cancelled(st, 0);
	st->MPI_SOURCE = MPI_UNDEFINED;
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
	return t_fini();
}
