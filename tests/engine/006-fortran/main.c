/* A Fortran program, as the linker sees one; no Fortran entry points in the library. */
#include <stdio.h>
#include "mpi.h"

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr);
void MPI_INIT_THREAD(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	printf("MPI_Init_thread, required %d\n", required);
	*provided = required - 1;
	return argc || argv;
}
#ifdef LIBRARY
void pmpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr);
void pmpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
	printf("the library's entry point\n");
	*ierr = MPI_Init_thread(0, 0, *required, provided);
}
#endif
int main(void)
{
	MPI_Fint required = 3, provided = 0, ierr = 7;

	mpi_init_thread_(&required, &provided, &ierr);
	printf("%d %d\n", provided, ierr);
	MPI_INIT_THREAD(&required, &provided, &ierr);
	return ierr;
}
