/* Collectives with counts and displacements; away from the root those are wild pointers. */
#include "t.h"

#define WILD ((int *)8)

int main(int argc, char **argv)
{
	int n[4], d[4], bytes[4], in[16], out[16], total = 0;
	MPI_Datatype t[4];

	t_init(&argc, &argv);
	for (int i = 0; i < t_size; i++) {
		n[i] = i + 1;
		d[i] = total;
		bytes[i] = total * (int)sizeof(int);
		total += n[i];
		t[i] = MPI_INT;
	}
	for (int i = 0; i < 16; i++)
		out[i] = i;
	for (int i = 0; i < 5; i++) {
		int root = i % t_size, here = t_rank == root;
		MPI_Gatherv(out, t_rank + 1, MPI_INT, in, here ? n : WILD, here ? d : WILD, MPI_INT,
			root, MPI_COMM_WORLD);
		MPI_Scatterv(here ? out : NULL, here ? n : WILD, here ? d : WILD, MPI_INT, in,
			t_rank + 1, MPI_INT, root, MPI_COMM_WORLD);
		CHECK(in[0] == d[t_rank]);
		MPI_Allgatherv(out, t_rank + 1, MPI_INT, in, n, d, MPI_INT, MPI_COMM_WORLD);
		MPI_Reduce_scatter(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CHECK(in[0] == d[t_rank] * t_size);
	}
	for (int i = 0; i < t_size; i++) {
		n[i] = 1;
		d[i] = i;
		bytes[i] = i * (int)sizeof(int);
	}
	MPI_Alltoallv(out, n, d, MPI_INT, in, n, d, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoallw(out, n, bytes, t, in, n, bytes, t, MPI_COMM_WORLD);
	CHECK(in[1] == t_rank);
	return t_fini();
}
