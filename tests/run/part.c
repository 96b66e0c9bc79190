/* part.c - a library for modules.c: one call */
#include <mpi.h>

void work(void)
{
	int v = LENGTH;

	MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_SELF); /* CALL */
}
