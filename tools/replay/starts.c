/*
 * starts.c - persistent receives: each start is a receive of the traced run's message (persistent.h)
 */
#include <limits.h>
#include "optab.h"
#include "persistent.h"
#include "player.h"
#include "steer.h"

static int remember(struct rsd_play *p, MPI_Request request, const struct rsd_persistent_receive *r)
{
	if (!p || !p->scout || (r->source != MPI_ANY_SOURCE && r->tag != MPI_ANY_TAG))
		return MPI_SUCCESS;
	return rsd_persistent_made(request, r);
}

int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	const struct rsd_persistent_receive r = { buf, count, datatype, source, tag, comm };
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Recv_init);
	int err = REAL(Recv_init)(buf, count, datatype, source, tag, comm, request);

	return err ? err : remember(p, *request, &r);
}

static int receive(
	const struct rsd_persistent_receive *r, int source, int tag, MPI_Request *request)
{
#if MPI_VERSION >= 4
	if (r->count > INT_MAX)
		return REAL(Irecv_c)(r->buf, r->count, r->datatype, source, tag, r->comm, request);
#endif
	return REAL(Irecv)(r->buf, (int)r->count, r->datatype, source, tag, r->comm, request);
}

static int start(struct rsd_play *p, MPI_Request *request)
{
	const struct rsd_persistent_receive *r = rsd_persistent_find(*request);
	MPI_Request made;
	int64_t from, with;
	int source, tag, err;

	if (!r || !p->scout || p->e.nested || !rsd_scout_next(p->scout, &from, &with))
		return REAL(Start)(request);
	source = r->source;
	tag = r->tag;
	rsd_steer_envelope(from, with, &source, &tag);
	err = receive(r, source, tag, &made);
	if (!err)
		rsd_persistent_started(*request, made);
	return err;
}

int PMPI_Start(MPI_Request *request)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Start);

	return p ? start(p, request) : REAL(Start)(request);
}

int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Startall);
	bool any = false;
	int err = MPI_SUCCESS;

	for (int i = 0; p && i < count && !any; i++)
		any = rsd_persistent_find(array_of_requests[i]) != NULL;
	if (!any)
		return REAL(Startall)(count, array_of_requests);
	for (int i = 0; i < count && !err; i++)
		err = start(p, &array_of_requests[i]);
	return err;
}

int PMPI_Request_free(MPI_Request *request)
{
	MPI_Request receive = rsd_persistent_freed(*request);

	if (receive != MPI_REQUEST_NULL)
		REAL(Request_free)(&receive);
	return REAL(Request_free)(request);
}

int PMPI_Cancel(MPI_Request *request)
{
	MPI_Request *was = rsd_persistent_swap(1, request);
	int err = REAL(Cancel)(request);

	rsd_persistent_swap_back(was, 1, request);
	return err;
}

/* ---- what only MPI 4 has ------------------------------------------------------------------------------ */
#if MPI_VERSION >= 4

int PMPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	const struct rsd_persistent_receive r = { buf, count, datatype, source, tag, comm };
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Recv_init_c);
	int err = REAL(Recv_init_c)(buf, count, datatype, source, tag, comm, request);

	return err ? err : remember(p, *request, &r);
}

#endif
