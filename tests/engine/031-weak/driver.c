/* A library without PMPI_Missing must not keep a program from being linked. */
#include <stdio.h>
#include "mpi.h"

int PMPI_Finalize(void)
{
	return 0;
}

int main(void)
{
	printf("%d\n", MPI_Missing(1));
	printf("%d\n", MPI_Finalize());
	return 0;
}
