/*
 * receives.c - receives and probes: the message is the one of the traced run
 */
#include "optab.h"
#include "player.h"
#include "steer.h"

/* The call's own status tells. */
static void matched(const struct rsd_play *p, int *source, int *tag)
{
	const struct rsd_arg *status = p ? rsd_play_named(p, "status") : NULL;

	if (status && status->head >= RSD_STATUS_KEPT)
		rsd_steer_envelope(status->v[0], status->v[1], source, tag);
}

/* The status of a later call tells. */
static void to_be_matched(struct rsd_play *p, int *source, int *tag)
{
	int64_t from, with;

	if (!p || !p->scout || p->e.nested || (*source != MPI_ANY_SOURCE && *tag != MPI_ANY_TAG))
		return;
	if (rsd_scout_next(p->scout, &from, &with))
		rsd_steer_envelope(from, with, source, tag);
}

int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Recv), &source, &tag);
	return REAL(Recv)(buf, count, datatype, source, tag, comm, status);
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	to_be_matched(rsd_steered(RSD_F_MPI_Irecv), &source, &tag);
	return REAL(Irecv)(buf, count, datatype, source, tag, comm, request);
}

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Sendrecv), &source, &recvtag);
	return REAL(Sendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
		recvtype, source, recvtag, comm, status);
}

int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Sendrecv_replace), &source, &recvtag);
	return REAL(Sendrecv_replace)(
		buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Probe), &source, &tag);
	return REAL(Probe)(source, tag, comm, status);
}

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Mprobe), &source, &tag);
	return REAL(Mprobe)(source, tag, comm, message, status);
}

/* ---- probes that may be told no -------------------------------------------------------------------- */

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Iprobe);
	enum rsd_outcome o = rsd_steer_flag(p);

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	if (o != RSD_SAID_YES)
		return REAL(Iprobe)(source, tag, comm, flag, status);
	matched(p, &source, &tag);
	*flag = 1;
	return REAL(Probe)(source, tag, comm, status);
}

int PMPI_Improbe(
	int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Improbe);
	enum rsd_outcome o = rsd_steer_flag(p);

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	if (o != RSD_SAID_YES)
		return REAL(Improbe)(source, tag, comm, flag, message, status);
	matched(p, &source, &tag);
	*flag = 1;
	return REAL(Mprobe)(source, tag, comm, message, status);
}

/* ---- what only MPI 4 has ------------------------------------------------------------------------------ */
#if MPI_VERSION >= 4

int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Recv_c), &source, &tag);
	return REAL(Recv_c)(buf, count, datatype, source, tag, comm, status);
}

int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	to_be_matched(rsd_steered(RSD_F_MPI_Irecv_c), &source, &tag);
	return REAL(Irecv_c)(buf, count, datatype, source, tag, comm, request);
}

int PMPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
	int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
	int recvtag, MPI_Comm comm, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Sendrecv_c), &source, &recvtag);
	return REAL(Sendrecv_c)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
		recvtype, source, recvtag, comm, status);
}

int PMPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	matched(rsd_steered(RSD_F_MPI_Sendrecv_replace_c), &source, &recvtag);
	return REAL(Sendrecv_replace_c)(
		buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

#endif
