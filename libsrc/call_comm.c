#include "call_values.h"

static bool facts(const struct rsd_call *c, MPI_Comm comm, struct rsd_held *h)
{
	return rsd_handle_comm(comm, rsd_may_ask(c), h);
}

int rsd_comm_size(struct rsd_call *c, MPI_Comm comm)
{
	struct rsd_held h;

	return facts(c, comm, &h) ? (int)h.shape.attr[2] : -1;
}

int rsd_comm_peers(struct rsd_call *c, MPI_Comm comm)
{
	struct rsd_held h;

	return facts(c, comm, &h) ? (int)h.shape.attr[0] : -1;
}

int rsd_comm_rank(struct rsd_call *c, MPI_Comm comm)
{
	struct rsd_held h;

	return facts(c, comm, &h) ? (int)h.shape.attr[1] : -1;
}

bool rsd_comm_is_inter(struct rsd_call *c, MPI_Comm comm)
{
	struct rsd_held h;

	return facts(c, comm, &h) && h.shape.attr[3];
}

bool rsd_at_root(struct rsd_call *c, MPI_Comm comm, int root)
{
	struct rsd_held h;

	if (!facts(c, comm, &h))
		return false;
	return h.shape.attr[3] ? root == MPI_ROOT : root == h.shape.attr[1];
}

bool rsd_at_leaf(struct rsd_call *c, MPI_Comm comm, int root)
{
	struct rsd_held h;

	if (!facts(c, comm, &h))
		return false;
	return !h.shape.attr[3] || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* ---- topologies --------------------------------------------------------------------- */

/* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH, or MPI_UNDEFINED, also where it can't be asked. */
static int topology(const struct rsd_call *c, MPI_Comm comm)
{
	struct rsd_held h;
	int kind;

	if (!facts(c, comm, &h) || h.shape.attr[3] || PMPI_Topo_test(comm, &kind))
		return MPI_UNDEFINED;
	return kind;
}

static bool ask_degrees(const struct rsd_call *c, MPI_Comm comm, int rank, int *in, int *out)
{
	int weighted;

	switch (topology(c, comm)) {
	case MPI_CART:
		if (PMPI_Cartdim_get(comm, in))
			return false;
		*out = *in *= 2;
		return true;
	case MPI_GRAPH:
		if (PMPI_Graph_neighbors_count(comm, rank, in))
			return false;
		*out = *in;
		return true;
	case MPI_DIST_GRAPH:
		return !PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
	default:
		return false;
	}
}

static bool degrees(const struct rsd_call *c, MPI_Comm comm, int *in, int *out)
{
	struct rsd_held h;

	if (!facts(c, comm, &h))
		return false;
	*in = h.in_degree;
	*out = h.out_degree;
	if (h.in_degree >= 0)
		return true;
	if (!ask_degrees(c, comm, (int)h.shape.attr[1], in, out))
		return false;
	rsd_handle_set_degrees(comm, *in, *out);
	return true;
}

int rsd_in_degree(struct rsd_call *c, MPI_Comm comm)
{
	int in, out;

	return degrees(c, comm, &in, &out) ? in : -1;
}

int rsd_out_degree(struct rsd_call *c, MPI_Comm comm)
{
	int in, out;

	return degrees(c, comm, &in, &out) ? out : -1;
}

int rsd_cart_ndims(struct rsd_call *c, MPI_Comm comm)
{
	int n;

	return topology(c, comm) == MPI_CART && !PMPI_Cartdim_get(comm, &n) ? n : -1;
}

int rsd_graph_nodes(struct rsd_call *c, MPI_Comm comm)
{
	int nodes, edges;

	return topology(c, comm) == MPI_GRAPH && !PMPI_Graphdims_get(comm, &nodes, &edges) ? nodes
											   : -1;
}

int rsd_graph_edges(struct rsd_call *c, MPI_Comm comm)
{
	int nodes, edges;

	return topology(c, comm) == MPI_GRAPH && !PMPI_Graphdims_get(comm, &nodes, &edges) ? edges
											   : -1;
}

int rsd_graph_degree(struct rsd_call *c, MPI_Comm comm, int rank)
{
	int n;

	if (topology(c, comm) != MPI_GRAPH || rank < 0 || rank >= rsd_comm_size(c, comm) ||
		PMPI_Graph_neighbors_count(comm, rank, &n))
		return -1;
	return n;
}

bool rsd_dist_weighted(struct rsd_call *c, MPI_Comm comm)
{
	int in, out, weighted;

	return topology(c, comm) == MPI_DIST_GRAPH &&
	       !PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) && weighted;
}

int64_t rsd_type_contents(struct rsd_call *c, MPI_Datatype type, int which)
{
	int combiner;

	if (!rsd_may_ask(c) || type == MPI_DATATYPE_NULL)
		return -1;
#if MPI_VERSION >= 4
	MPI_Count n[4];

	if (PMPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner))
		return -1;
	return which >= 0 && which < 4 ? n[which] : -1;
#else
	int n[3];

	if (PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner))
		return -1;
	return which == 0 || which == 1 ? n[which] : which == 2 ? 0 : which == 3 ? n[2] : -1;
#endif
}
