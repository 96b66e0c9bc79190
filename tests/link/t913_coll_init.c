/* Persistent collectives with arrays of counts and types, rooted ones, and those between neighbours. */
#include "t.h"

#define N 3

static int in[N * N], out[N * N], one[N] = { 1, 1, 1 }, at[N] = { 0, 1, 2 }, bytes[N] = { 0, 4, 8 };
static MPI_Aint far[N] = { 0, 4, 8 };
static MPI_Datatype type[N];
static MPI_Request q[24];

static int make_world(int n)
{
	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Info none = MPI_INFO_NULL;

	MPI_Gather_init(out, 1, MPI_INT, in, 1, MPI_INT, 1, comm, none, &q[n++]);
	MPI_Gatherv_init(out, 1, MPI_INT, in, one, at, MPI_INT, 2, comm, none, &q[n++]);
	MPI_Scatterv_init(out, one, at, MPI_INT, in, 1, MPI_INT, 1, comm, none, &q[n++]);
	MPI_Allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, none, &q[n++]);
	MPI_Allgatherv_init(out, 1, MPI_INT, in, one, at, MPI_INT, comm, none, &q[n++]);
	MPI_Alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, none, &q[n++]);
	MPI_Alltoallv_init(out, one, at, MPI_INT, in, one, at, MPI_INT, comm, none, &q[n++]);
	MPI_Alltoallw_init(out, one, bytes, type, in, one, bytes, type, comm, none, &q[n++]);
	MPI_Reduce_init(out, in, N, MPI_INT, MPI_MAX, 2, comm, none, &q[n++]);
	MPI_Reduce_scatter_init(out, in, one, MPI_INT, MPI_SUM, comm, none, &q[n++]);
	MPI_Reduce_scatter_block_init(out, in, 1, MPI_INT, MPI_SUM, comm, none, &q[n++]);
	MPI_Scan_init(out, in, N, MPI_INT, MPI_MIN, comm, none, &q[n++]);
	MPI_Exscan_init(MPI_IN_PLACE, in, N, MPI_INT, MPI_SUM, comm, none, &q[n++]);
	return n;
}

static int make_ring(int n, MPI_Comm ring)
{
	MPI_Info none = MPI_INFO_NULL;

	MPI_Neighbor_allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, none, &q[n++]);
	MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in, one, at, MPI_INT, ring, none, &q[n++]);
	MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, none, &q[n++]);
	MPI_Neighbor_alltoallv_init(
		out, one, at, MPI_INT, in, one, at, MPI_INT, ring, none, &q[n++]);
	MPI_Neighbor_alltoallw_init(out, one, far, type, in, one, far, type, ring, none, &q[n++]);
	return n;
}

/* The same without init, under way at once. */
static void at_once(MPI_Comm ring)
{
	MPI_Request r[6];

	MPI_Ialltoallw(out, one, bytes, type, in, one, bytes, type, MPI_COMM_WORLD, &r[0]);
	MPI_Ineighbor_alltoallw(out, one, far, type, in, one, far, type, ring, &r[1]);
	MPI_Ineighbor_alltoallv(out, one, at, MPI_INT, in, one, at, MPI_INT, ring, &r[2]);
	MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &r[3]);
	MPI_Ineighbor_allgatherv(out, 1, MPI_INT, in, one, at, MPI_INT, ring, &r[4]);
	MPI_Ireduce_scatter(MPI_IN_PLACE, out, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[5]);
	MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	int dims[1] = { N }, periods[1] = { 1 }, n;
	MPI_Comm ring;

	t_init(&argc, &argv);
	for (int i = 0; i < N; i++)
		type[i] = MPI_INT;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	n = make_ring(make_world(0), ring);
	for (int k = 0; k < 5; k++) {
		MPI_Startall(n, q);
		MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
		at_once(ring);
	}
	for (int i = 0; i < n; i++)
		MPI_Request_free(&q[i]);
	MPI_Comm_free(&ring);
	return t_fini();
}
