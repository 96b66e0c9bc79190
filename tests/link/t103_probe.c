/* Probes of all kinds, with and without a match. */
#include "t.h"

int main(int argc, char **argv)
{
	int v = 3, flag, n;
	MPI_Status st;
	MPI_Message m;
	MPI_Request q;

	t_init(&argc, &argv);
	if (t_rank == 0) {
		MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &st);
		CHECK(!flag);
		MPI_Improbe(1, 99, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
		CHECK(!flag);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st);
		MPI_Get_count(&st, MPI_INT, &n);
		CHECK(n == 1 && st.MPI_SOURCE == 1);
		MPI_Recv(&v, n, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		MPI_Mprobe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &st);
		CHECK(st.MPI_TAG == 2);
		MPI_Mrecv(&v, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
		MPI_Mprobe(1, 3, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
		MPI_Imrecv(&v, 1, MPI_INT, &m, &q);
		MPI_Wait(&q, &st);
		MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &st);
		CHECK(m == MPI_MESSAGE_NO_PROC);
		MPI_Mrecv(NULL, 0, MPI_INT, &m, &st);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		for (int tag = 1; tag <= 3; tag++)
			MPI_Send(&v, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
	}
	return t_fini();
}
