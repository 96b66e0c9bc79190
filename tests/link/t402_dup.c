/* Nonblocking duplication: the handle is there before it may be used. */
#include "t.h"

int main(int argc, char **argv)
{
	MPI_Comm a, b, c;
	MPI_Request q[2];
	MPI_Info info;

	t_init(&argc, &argv);
	for (int k = 0; k < 5; k++) {
		MPI_Comm_idup(MPI_COMM_WORLD, &a, &q[0]);
		MPI_Comm_idup(MPI_COMM_SELF, &b, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Info_create(&info);
		MPI_Comm_dup_with_info(a, info, &c);
		MPI_Info_free(&info);
		MPI_Barrier(c);
		MPI_Barrier(b);
		MPI_Comm_free(&b);
		MPI_Comm_free(&a);
		MPI_Comm_free(&c);
	}
	int same;
	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &same);
	CHECK(same == MPI_UNEQUAL);
	return t_fini();
}
