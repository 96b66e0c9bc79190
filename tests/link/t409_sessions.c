/* A session, no MPI_Init at all. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int v = 1, sum;

	(void)argc;
	(void)argv;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "t409", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
	MPI_Group_free(&group);
	MPI_Comm_rank(comm, &t_rank);
	for (int i = 0; i < 10; i++)
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK(sum == 2);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	printf("rank %d fine\n", t_rank);
	return 0;
}
