/* Calls that fail and return: the error is kept, the program goes on; a handler's own calls are nested. */
#include "t.h"

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
	int class;

	(void)comm;
	MPI_Error_class(*code, &class);
	handled += class == MPI_ERR_RANK;
}

int main(int argc, char **argv)
{
	int v = 0, code, len, class;
	char text[MPI_MAX_ERROR_STRING];
	MPI_Errhandler eh;

	t_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int k = 0; k < 4; k++) {
		code = MPI_Send(&v, 1, MPI_INT, t_size + 3, 0, MPI_COMM_WORLD);
		CHECK(code != MPI_SUCCESS);
	}
	MPI_Error_class(code, &class);
	MPI_Error_string(class, text, &len);
	CHECK(class == MPI_ERR_RANK);
	code = MPI_Bcast(&v, -1, MPI_INT, 0, MPI_COMM_WORLD);
	CHECK(code != MPI_SUCCESS);
	MPI_Comm_create_errhandler(handler, &eh);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, eh);
	MPI_Send(&v, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD);
	CHECK(handled == 1);
	MPI_Errhandler_free(&eh);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	return t_fini();
}
