/* For hostile.sh: two receives that MPI_Waitsome completes, and an operation whose function makes calls. */
#include <mpi.h>

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int size;

	MPI_Comm_size(MPI_COMM_SELF, &size);
	MPI_Type_size(*type, &size);
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
	MPI_Barrier(MPI_COMM_SELF);
}

static void receive(void)
{
	int a[2], b = 1, nr, done = 0, index[2];
	MPI_Request request[2];
	MPI_Status status[2];

	for (int i = 0; i < 2; i++)
		MPI_Irecv(
			&a[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request[i]);
	for (int i = 0; i < 2; i++)
		MPI_Send(&b, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	while (done < 2) {
		MPI_Waitsome(2, request, &nr, index, status);
		done += nr;
	}
}

int main(int argc, char **argv)
{
	int a = 1, b = 2;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	receive();
	MPI_Op_create(add, 1, &op);
	MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
