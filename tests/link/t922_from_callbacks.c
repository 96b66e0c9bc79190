/*
 * What callbacks do to the calls around them: requests that an operation makes count among those of the program, a
 * cancel function completes its request, and one function serves several types of callback.
 */
#include "t.h"

static int deleted;

static void talks(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int out = 1, got;
	MPI_Request q[2];

	(void)type;
	MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &q[0]);
	MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* Requests of the program's are under way while an operation makes its own. */
static void requests(void)
{
	int v = 1, sum = 0, got;
	MPI_Request q[2];
	MPI_Status st;
	MPI_Op op;

	MPI_Op_create(talks, 1, &op);
	for (int i = 0; i < 5; i++) {
		MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &q[0]);
		MPI_Reduce_local(&v, &sum, 1, MPI_INT, op);
		MPI_Isend(&i, 1, MPI_INT, (t_rank + 1) % t_size, 7, MPI_COMM_WORLD, &q[1]);
		MPI_Reduce_local(&v, &sum, 1, MPI_INT, op);
		MPI_Wait(&q[0], &st);
		CHECK(st.MPI_SOURCE == (t_rank + t_size - 1) % t_size && got == i);
		MPI_Wait(&q[1], MPI_STATUS_IGNORE);
	}
	CHECK(sum == 10);
	MPI_Op_free(&op);
}

static int query(void *state, MPI_Status *st)
{
	(void)state;
	PMPI_Status_set_elements(st, MPI_INT, 0);
	PMPI_Status_set_cancelled(st, 1);
	return MPI_SUCCESS;
}

static int release(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	if (!complete)
		MPI_Grequest_complete(*(MPI_Request *)state);
	return MPI_SUCCESS;
}

static void cancelled(void)
{
	MPI_Request q[2];
	int flag;

	for (int i = 0; i < 3; i++) {
		MPI_Grequest_start(query, release, cancel, &q[0], &q[0]);
		MPI_Grequest_start(query, release, cancel, &q[1], &q[1]);
		MPI_Test(&q[1], &flag, MPI_STATUS_IGNORE);
		CHECK(!flag);
		MPI_Cancel(&q[1]);
		MPI_Wait(&q[1], MPI_STATUS_IGNORE);
		MPI_Cancel(&q[0]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	}
}

static int delete (MPI_Comm handle, int keyval, void *value, void *extra)
{
	(void)handle;
	(void)keyval;
	(void)value;
	(void)extra;
	deleted++;
	return MPI_SUCCESS;
}

/* The types differ where MPI's handles do. */
static void one_for_all(void)
{
	int of_comms, of_types;
	MPI_Comm comm;
	MPI_Datatype type;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &of_comms, NULL);
	MPI_Type_create_keyval(
		MPI_TYPE_NULL_COPY_FN, (MPI_Type_delete_attr_function *)delete, &of_types, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Type_contiguous(2, MPI_INT, &type);
	MPI_Comm_set_attr(comm, of_comms, NULL);
	MPI_Type_set_attr(type, of_types, NULL);
	MPI_Comm_free(&comm);
	MPI_Type_free(&type);
	CHECK(deleted == 2);
	MPI_Comm_free_keyval(&of_comms);
	MPI_Type_free_keyval(&of_types);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	requests();
	cancelled();
	one_for_all();
	return t_fini();
}
