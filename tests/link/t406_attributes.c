/* Attribute callbacks that call MPI themselves: their calls are nested ones. */
#include "t.h"

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	int rank;

	(void)key;
	(void)extra;
	MPI_Comm_rank(comm, &rank);
	copies++;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int gone(MPI_Comm comm, int key, void *value, void *extra)
{
	int size;

	(void)key;
	(void)value;
	(void)extra;
	MPI_Comm_size(comm, &size);
	deletions++;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int key, value = 3, flag, *got;
	MPI_Comm comm, dup;

	t_init(&argc, &argv);
	for (int k = 0; k < 5; k++) {
		MPI_Comm_create_keyval(copy, gone, &key, NULL);
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Comm_set_attr(comm, key, &value);
		MPI_Comm_dup(comm, &dup);
		MPI_Comm_get_attr(dup, key, &got, &flag);
		CHECK(flag && got == &value);
		MPI_Comm_free(&dup);
		MPI_Comm_delete_attr(comm, key);
		MPI_Comm_free_keyval(&key);
		MPI_Comm_free(&comm);
	}
	CHECK(copies == 5 && deletions == 10);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &got, &flag);
	CHECK(flag);
	return t_fini();
}
