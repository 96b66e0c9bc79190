/*
 * calls.h - what MPI's functions do to messages, requests and communicators, as the exports need it
 *
 * A trace knows its functions by name and parameters. The names say here what a call means; where in a
 * value vector a parameter is, is found anew for each event, as arrays come before it.
 */
#ifndef RSD_EXPORT_CALLS_H
#define RSD_EXPORT_CALLS_H

#include "trace.h"

enum rsd_call_kind {
	RSD_K_OTHER,
	RSD_K_SEND, /* blocking, as all that have no I in front */
	RSD_K_RECV,
	RSD_K_SENDRECV,
	RSD_K_SEND_INIT,
	RSD_K_RECV_INIT,
	RSD_K_START,	/* of one request, or of an array */
	RSD_K_COMPLETE, /* Wait, Test and their kin */
	RSD_K_REQUEST_FREE,
	RSD_K_CANCEL,
	RSD_K_MPROBE,
	RSD_K_MRECV,
	RSD_K_COLL,
	RSD_K_COLL_INIT,
	RSD_K_COMM_MAKE,
	RSD_K_COMM_FREE,
	RSD_K_INIT, /* MPI_Init, MPI_Init_thread */
	RSD_K_FINALIZE,
};

enum rsd_coll {
	RSD_COLL_BARRIER,
	RSD_COLL_BCAST,
	RSD_COLL_GATHER,
	RSD_COLL_GATHERV,
	RSD_COLL_SCATTER,
	RSD_COLL_SCATTERV,
	RSD_COLL_ALLGATHER,
	RSD_COLL_ALLGATHERV,
	RSD_COLL_ALLTOALL,
	RSD_COLL_ALLTOALLV,
	RSD_COLL_ALLTOALLW,
	RSD_COLL_ALLREDUCE,
	RSD_COLL_REDUCE,
	RSD_COLL_REDUCE_SCATTER,
	RSD_COLL_REDUCE_SCATTER_BLOCK,
	RSD_COLL_SCAN,
	RSD_COLL_EXSCAN,
	RSD_COLL_NEIGHBOR, /* with some of the communicator only */
	RSD_COLL_HANDLE,   /* makes or frees a communicator */
	RSD_NR_COLLS
};

/* Parameters that are looked at. */
enum rsd_call_param {
	RSD_A_DEST,
	RSD_A_SOURCE,
	RSD_A_TAG,
	RSD_A_SENDTAG,
	RSD_A_RECVTAG,
	RSD_A_COMM,
	RSD_A_NEWCOMM,
	RSD_A_REQUEST,
	RSD_A_REQUESTS,
	RSD_A_FLAG,
	RSD_A_INDEX,
	RSD_A_INDICES,
	RSD_A_STATUS,
	RSD_A_STATUSES,
	RSD_A_ROOT,
	RSD_A_COLOR,
	RSD_A_MESSAGE,
	RSD_A_COUNT,
	RSD_A_DATATYPE,
	RSD_A_DIMS,
	RSD_A_REMAIN,
	RSD_A_LOCAL_LEADER,
	RSD_A_REMOTE_LEADER,
	RSD_A_PEER_COMM,
	RSD_NR_A
};

struct rsd_call {
	enum rsd_call_kind kind;
	bool makes_request; /* its parameter 'request' is a result */
	enum rsd_coll coll;
	int16_t param[RSD_NR_A]; /* its number, or -1 */
};

struct rsd_calls {
	const struct rsd_trace *t;
	struct rsd_call *call; /* by the trace's functions */
};

int rsd_calls_init(struct rsd_calls *c, const struct rsd_trace *t); /* 0 or RSD_ERR_NOMEM */
void rsd_calls_release(struct rsd_calls *c);

/* The values of the event's call: at[i] is where parameter i begins; grown as needed, freed by the caller. */
struct rsd_values {
	const struct rsd_call *call;
	const int64_t **at;
	size_t alloc;
};
int rsd_values_of(struct rsd_values *v, const struct rsd_calls *c,
	const struct rsd_event *e); /* 0 or RSD_ERR_NOMEM */
/* Where the values of a parameter begin, or NULL. */
static inline const int64_t *rsd_values_at(const struct rsd_values *v, enum rsd_call_param p)
{
	return v->call->param[p] < 0 ? NULL : v->at[v->call->param[p]];
}
/* The value of a parameter that is no array; RSD_ABSENT where the function has none. */
static inline int64_t rsd_value(const struct rsd_values *v, enum rsd_call_param p)
{
	return v->call->param[p] < 0 ? RSD_ABSENT : *v->at[v->call->param[p]];
}

#endif
