/*
 * Copy functions that copy now and then; and what their deletions are given where the MPI library has made a communicator
 * for itself: a handle that the program never got.
 */
#include "t.h"

static int copy_every_third(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	int inter;

	(void)key;
	(void)extra;
	MPI_Comm_test_inter(comm, &inter);
	*flag = (long)in % 3 == 0;
	*(void **)out = in;
	return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
	int inter;

	(void)key;
	(void)value;
	(void)extra;
	MPI_Comm_test_inter(comm, &inter);
	return MPI_SUCCESS;
}

static int copy_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
	(void)type;
	(void)key;
	(void)extra;
	*flag = (long)in % 2 == 0;
	*(void **)out = in;
	return MPI_SUCCESS;
}

static void communicators(void)
{
	int key, flag;
	long i;
	void *got, *memory;
	MPI_Comm comm, dup;
	MPI_Win win;

	MPI_Comm_create_keyval(copy_every_third, drop, &key, NULL);
	for (i = 0; i < 9; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Comm_set_attr(comm, key, (void *)i);
		MPI_Comm_dup(comm, &dup);
		MPI_Comm_get_attr(dup, key, &got, &flag);
		CHECK(flag == (i % 3 == 0));
		MPI_Comm_free(&dup);
		MPI_Win_allocate(4, 1, MPI_INFO_NULL, comm, &memory, &win);
		MPI_Win_free(&win);
		MPI_Comm_free(&comm);
	}
	MPI_Comm_free_keyval(&key);
}

static void types(void)
{
	int key, flag;
	long i;
	void *got, *memory;
	MPI_Datatype type, dup;

	MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	MPI_Type_contiguous(2, MPI_INT, &type);
	for (i = 0; i < 6; i++) {
		MPI_Type_set_attr(type, key, (void *)i);
		MPI_Type_dup(type, &dup);
		MPI_Type_get_attr(dup, key, &got, &flag);
		CHECK(flag == (i % 2 == 0));
		MPI_Type_free(&dup);
	}
	MPI_Type_free(&type);
	MPI_Type_free_keyval(&key);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	communicators();
	types();
	return t_fini();
}
