/* The program of source.sh: calls at lines that it finds by the marks in them. */
#include <mpi.h>

static inline __attribute__((always_inline)) void inner(int v)
{
	MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD); /* BCAST */
}

__attribute__((noinline)) static void outer(int v)
{
	inner(v);		     /* INNER */
	MPI_Barrier(MPI_COMM_WORLD); /* BARRIER */
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv); /* INIT */
	for (int i = 0; i < 3; i++)
		outer(i); /* CALL */
	MPI_Finalize();
	return 0;
}
