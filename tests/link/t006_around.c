/* What MPI allows before MPI_Init and after MPI_Finalize. */
#include "t.h"

int main(int argc, char **argv)
{
	int flag, version, sub, len;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];

	MPI_Initialized(&flag);
	CHECK(!flag);
	MPI_Get_version(&version, &sub);
	CHECK(version >= 3);
	MPI_Get_library_version(text, &len);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &flag);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	MPI_Initialized(&flag);
	CHECK(flag);
	MPI_Finalized(&flag);
	CHECK(!flag);
	MPI_Finalize();
	MPI_Finalized(&flag);
	CHECK(flag);
	MPI_Get_version(&version, &sub);
	printf("rank %d fine\n", t_rank);
	return 0;
}
