/* calls.c - see calls.h */
#include "calls.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

static const char *const param_name[RSD_NR_A] = {
	[RSD_A_DEST] = "dest",
	[RSD_A_SOURCE] = "source",
	[RSD_A_TAG] = "tag",
	[RSD_A_SENDTAG] = "sendtag",
	[RSD_A_RECVTAG] = "recvtag",
	[RSD_A_COMM] = "comm",
	[RSD_A_REQUEST] = "request",
	[RSD_A_REQUESTS] = "array_of_requests",
	[RSD_A_FLAG] = "flag",
	[RSD_A_INDEX] = "index",
	[RSD_A_INDICES] = "array_of_indices",
	[RSD_A_STATUS] = "status",
	[RSD_A_STATUSES] = "array_of_statuses",
	[RSD_A_ROOT] = "root",
	[RSD_A_COLOR] = "color",
	[RSD_A_MESSAGE] = "message",
	[RSD_A_COUNT] = "count",
	[RSD_A_DATATYPE] = "datatype",
	[RSD_A_DIMS] = "dims",
	[RSD_A_REMAIN] = "remain_dims",
	[RSD_A_LOCAL_LEADER] = "local_leader",
	[RSD_A_REMOTE_LEADER] = "remote_leader",
	[RSD_A_PEER_COMM] = "peer_comm",
};

/* Without MPI_, a final _c, and the I of those that have a blocking twin. */
static const struct {
	const char *name;
	enum rsd_call_kind kind;
	enum rsd_coll coll;
} known[] = {
	{ "Send", RSD_K_SEND, 0 },
	{ "Bsend", RSD_K_SEND, 0 },
	{ "Ssend", RSD_K_SEND, 0 },
	{ "Rsend", RSD_K_SEND, 0 },
	{ "Recv", RSD_K_RECV, 0 },
	{ "Sendrecv", RSD_K_SENDRECV, 0 },
	{ "Sendrecv_replace", RSD_K_SENDRECV, 0 },
	{ "Send_init", RSD_K_SEND_INIT, 0 },
	{ "Bsend_init", RSD_K_SEND_INIT, 0 },
	{ "Ssend_init", RSD_K_SEND_INIT, 0 },
	{ "Rsend_init", RSD_K_SEND_INIT, 0 },
	{ "Recv_init", RSD_K_RECV_INIT, 0 },
	{ "Start", RSD_K_START, 0 },
	{ "Startall", RSD_K_START, 0 },
	{ "Wait", RSD_K_COMPLETE, 0 },
	{ "Waitall", RSD_K_COMPLETE, 0 },
	{ "Waitany", RSD_K_COMPLETE, 0 },
	{ "Waitsome", RSD_K_COMPLETE, 0 },
	{ "Test", RSD_K_COMPLETE, 0 },
	{ "Testall", RSD_K_COMPLETE, 0 },
	{ "Testany", RSD_K_COMPLETE, 0 },
	{ "Testsome", RSD_K_COMPLETE, 0 },
	{ "Request_free", RSD_K_REQUEST_FREE, 0 },
	{ "Cancel", RSD_K_CANCEL, 0 },
	{ "Mprobe", RSD_K_MPROBE, 0 },
	{ "Improbe", RSD_K_MPROBE, 0 },
	{ "Mrecv", RSD_K_MRECV, 0 },
	{ "Barrier", RSD_K_COLL, RSD_COLL_BARRIER },
	{ "Bcast", RSD_K_COLL, RSD_COLL_BCAST },
	{ "Gather", RSD_K_COLL, RSD_COLL_GATHER },
	{ "Gatherv", RSD_K_COLL, RSD_COLL_GATHERV },
	{ "Scatter", RSD_K_COLL, RSD_COLL_SCATTER },
	{ "Scatterv", RSD_K_COLL, RSD_COLL_SCATTERV },
	{ "Allgather", RSD_K_COLL, RSD_COLL_ALLGATHER },
	{ "Allgatherv", RSD_K_COLL, RSD_COLL_ALLGATHERV },
	{ "Alltoall", RSD_K_COLL, RSD_COLL_ALLTOALL },
	{ "Alltoallv", RSD_K_COLL, RSD_COLL_ALLTOALLV },
	{ "Alltoallw", RSD_K_COLL, RSD_COLL_ALLTOALLW },
	{ "Allreduce", RSD_K_COLL, RSD_COLL_ALLREDUCE },
	{ "Reduce", RSD_K_COLL, RSD_COLL_REDUCE },
	{ "Reduce_scatter", RSD_K_COLL, RSD_COLL_REDUCE_SCATTER },
	{ "Reduce_scatter_block", RSD_K_COLL, RSD_COLL_REDUCE_SCATTER_BLOCK },
	{ "Scan", RSD_K_COLL, RSD_COLL_SCAN },
	{ "Exscan", RSD_K_COLL, RSD_COLL_EXSCAN },
	{ "Neighbor_allgather", RSD_K_COLL, RSD_COLL_NEIGHBOR },
	{ "Neighbor_allgatherv", RSD_K_COLL, RSD_COLL_NEIGHBOR },
	{ "Neighbor_alltoall", RSD_K_COLL, RSD_COLL_NEIGHBOR },
	{ "Neighbor_alltoallv", RSD_K_COLL, RSD_COLL_NEIGHBOR },
	{ "Neighbor_alltoallw", RSD_K_COLL, RSD_COLL_NEIGHBOR },
	{ "Comm_dup", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_dup_with_info", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_idup", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_idup_with_info", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_create", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_create_group", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_create_from_group", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_split", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_split_type", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Cart_create", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Cart_sub", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Graph_create", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Dist_graph_create", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Dist_graph_create_adjacent", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Intercomm_create", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Intercomm_merge", RSD_K_COMM_MAKE, RSD_COLL_HANDLE },
	{ "Comm_free", RSD_K_COMM_FREE, RSD_COLL_HANDLE },
	{ "Comm_disconnect", RSD_K_COMM_FREE, RSD_COLL_HANDLE },
	{ "Init", RSD_K_INIT, 0 },
	{ "Init_thread", RSD_K_INIT, 0 },
	{ "Finalize", RSD_K_FINALIZE, 0 },
};

static bool is_named(const char *s, size_t len, const char *name, bool any_case)
{
	if (strlen(name) != len)
		return false;
	if (any_case && *s != *name && (*s | 0x20) == (*name | 0x20))
		return memcmp(s + 1, name + 1, len - 1) == 0;
	return memcmp(s, name, len) == 0;
}

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && memcmp(s + len - n, end, n) == 0;
}

/* Finds 's' in the table; with 'any_case' after an I, where the first letter is small. */
static bool find_name(struct rsd_call *c, const char *s, size_t len, bool any_case)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(known); i++) {
		if (is_named(s, len, known[i].name, any_case)) {
			c->kind = known[i].kind;
			c->coll = known[i].coll;
			return true;
		}
	}
	return false;
}

static void find_kind(struct rsd_call *c, const char *name)
{
	const char *s = strncmp(name, "MPI_", 4) ? name : name + 4;
	size_t len = strlen(s);

	if (ends_with(s, len, "_c"))
		len -= 2;
	if (find_name(c, s, len, false)) {
		return;
	}
	if (*s == 'I' && len > 2 && find_name(c, s + 1, len - 1, true))
		return;
	if (ends_with(s, len, "_init") && find_name(c, s, len - 5, false) && c->kind == RSD_K_COLL)
		c->kind = RSD_K_COLL_INIT;
	else
		c->kind = RSD_K_OTHER;
}

/* Calls whose single request they have been given, not made. */
static bool takes_request(const char *name)
{
	static const char *const taking[] = { "MPI_Wait", "MPI_Test", "MPI_Request_free",
		"MPI_Cancel", "MPI_Request_get_status", "MPI_Grequest_complete", "MPI_Start",
		"MPI_Pready", "MPI_Pready_range", "MPI_Pready_list", "MPI_Parrived" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(taking); i++)
		if (strcmp(name, taking[i]) == 0)
			return true;
	return false;
}

static bool is_comm_result(const struct rsd_param *p)
{
	return p->role == RSD_R_COMM && p->type == RSD_T_INT &&
	       (strncmp(p->name, "new", 3) == 0 || strcmp(p->name, "comm_cart") == 0 ||
		       strcmp(p->name, "comm_graph") == 0 ||
		       strcmp(p->name, "comm_dist_graph") == 0);
}

static void find_params(struct rsd_call *c, const struct rsd_func *f)
{
	for (int i = 0; i < RSD_NR_A; i++)
		c->param[i] = (int16_t)(param_name[i] ? rsd_func_find_param(f, param_name[i]) : -1);
	for (int i = 0; i < f->nr_params; i++) {
		if (c->param[RSD_A_NEWCOMM] < 0 && is_comm_result(&f->param[i]))
			c->param[RSD_A_NEWCOMM] = (int16_t)i;
		else if (c->param[RSD_A_COMM] < 0 && f->param[i].role == RSD_R_COMM &&
			 f->param[i].type == RSD_T_INT)
			c->param[RSD_A_COMM] = (int16_t)i; /* comm_old, local_comm, intercomm */
	}
	if (c->param[RSD_A_SENDTAG] < 0)
		c->param[RSD_A_SENDTAG] = c->param[RSD_A_TAG];
	if (c->param[RSD_A_RECVTAG] < 0)
		c->param[RSD_A_RECVTAG] = c->param[RSD_A_TAG];
}

int rsd_calls_init(struct rsd_calls *c, const struct rsd_trace *t)
{
	c->t = t;
	c->call = rsd_calloc(t->nr_funcs + 1, sizeof(*c->call));
	if (!c->call)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < t->nr_funcs; i++) {
		find_kind(&c->call[i], t->func[i].name);
		find_params(&c->call[i], &t->func[i]);
		c->call[i].makes_request =
			c->call[i].param[RSD_A_REQUEST] >= 0 && !takes_request(t->func[i].name);
	}
	return 0;
}

void rsd_calls_release(struct rsd_calls *c)
{
	free(c->call);
	c->call = NULL;
}

int rsd_values_of(struct rsd_values *v, const struct rsd_calls *c, const struct rsd_event *e)
{
	const struct rsd_func *f = &c->t->func[e->func];
	const int64_t *at = e->val;

	if (RSD_GROW(v->at, (size_t)f->nr_params + 1, v->alloc))
		return RSD_ERR_NOMEM;
	v->call = &c->call[e->func];
	for (int i = 0; i < f->nr_params; i++) {
		v->at[i] = at;
		at += rsd_param_length((enum rsd_type)f->param[i].type, at);
	}
	return 0;
}
