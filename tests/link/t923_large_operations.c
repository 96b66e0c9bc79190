/* Operations whose length is an MPI_Count, and one error function for a session and a communicator. */
#include "t.h"

static int errors;

static void add(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
	(void)type;
	for (MPI_Count i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void count_errors(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	errors++;
}

int main(int argc, char **argv)
{
	int v = 2, sum = 1;
	MPI_Op op;
	MPI_Session session;
	MPI_Errhandler of_session, of_comm;

	t_init(&argc, &argv);
	MPI_Op_create_c(add, 1, &op);
	MPI_Reduce_local_c(&v, &sum, 1, MPI_INT, op);
	MPI_Allreduce(&v, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	CHECK(sum == 2 * t_size);
	MPI_Op_free(&op);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Session_create_errhandler((MPI_Session_errhandler_function *)count_errors, &of_session);
	MPI_Session_set_errhandler(session, of_session);
	MPI_Comm_create_errhandler(count_errors, &of_comm);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
	MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
	CHECK(errors == 1);
	MPI_Errhandler_free(&of_comm);
	MPI_Errhandler_free(&of_session);
	MPI_Session_finalize(&session);
	return t_fini();
}
