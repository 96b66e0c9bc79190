/* Stands in for an MPI library and for a program. */
#include <stdio.h>
#include "mpi.h"

int PMPI_Init(int *argc, char ***argv)
{
	return *argc != 1 || !argv;
}
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	return !buf || count < 0 || datatype || tag || comm || dest < 0;
}
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	return PMPI_Send(buf, count, datatype, dest, tag, comm);
}
int PMPI_Barrier(MPI_Comm comm)
{
	return comm;
}
int PMPI_Finalize(void)
{
	puts("the library's own end");
	return 0;
}

int main(int argc, char **argv)
{
	PMPI_Init(&argc, &argv);
	for (int i = 1; i <= 10; i++)
		MPI_Send(argv, i, 0, 1, 0, 0);
	MPI_Ssend(argv, 100, 0, 1, 0, 0);
	MPI_Send(argv, 7, 0, -5, 0, 0);		/* fails */
	PMPI_Barrier(0);
	return MPI_Finalize();
}
