/* RTLD_NEXT */
#define _GNU_SOURCE
#include "steer.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "files.h"
#include "generalized.h"
#include "optab.h"
#include "persistent.h"
#include "player.h"

void (*rsd_steer_real(int func))(void)
{
	static _Atomic(uintptr_t) known[RSD_NR_FUNCS];
	uintptr_t at = atomic_load_explicit(&known[func], memory_order_relaxed);
	char name[128];

	if (!at) {
		snprintf(name, sizeof(name), "P%s", rsd_funcs[func].name);
		at = (uintptr_t)dlsym(RTLD_NEXT, name);
		if (!at) {
			fprintf(stderr, "rsd-replay: the MPI library has no %s\n", name);
			_Exit(2);
		}
		atomic_store_explicit(&known[func], at, memory_order_relaxed);
	}
	return (void (*)(void))at;
}

struct rsd_play *rsd_steered(int func)
{
	struct rsd_play *p = rsd_play_self();

	if (!p || !p->armed || p->f->func != func)
		return NULL;
	p->armed = false;
	return p;
}

/* ---- receives and probes: the message that was matched --------------------------------------- */

static void take_envelope(int64_t from, int64_t with, int *source, int *tag)
{
	if (*source == MPI_ANY_SOURCE && !rsd_is_const(from))
		*source = (int)from;
	if (*tag == MPI_ANY_TAG && !rsd_is_const(with))
		*tag = (int)with;
}

/* The call's own status tells. */
static void matched(const struct rsd_play *p, int *source, int *tag)
{
	const struct rsd_arg *status = p ? rsd_play_named(p, "status") : NULL;

	if (status && status->head >= RSD_STATUS_KEPT)
		take_envelope(status->v[0], status->v[1], source, tag);
}

/* The status of a later call tells. */
static void to_be_matched(struct rsd_play *p, int *source, int *tag)
{
	int64_t from, with;

	if (!p || !p->scout || p->e.nested || (*source != MPI_ANY_SOURCE && *tag != MPI_ANY_TAG))
		return;
	if (rsd_scout_next(p->scout, &from, &with))
		take_envelope(from, with, source, tag);
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

/* ---- persistent receives ------------------------------------------------------------------------------ */

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
	take_envelope(from, with, &source, &tag);
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

/* The library's calls that complete requests, given what is under way. */
#define COMPLETING(name, n, request, ...)                                                          \
	MPI_Request *was = rsd_persistent_swap(n, request);                                        \
	int err = REAL(name)(__VA_ARGS__);                                                         \
                                                                                                   \
	rsd_persistent_swap_back(was, n, request);                                                 \
	return err

static int real_wait(MPI_Request *request, MPI_Status *status)
{
	COMPLETING(Wait, 1, request, request, status);
}

static int real_test(MPI_Request *request, int *flag, MPI_Status *status)
{
	COMPLETING(Test, 1, request, request, flag, status);
}

static int real_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	COMPLETING(Request_get_status, 1, &request, request, flag, status);
}

static int real_waitall(int n, MPI_Request *request, MPI_Status *status)
{
	COMPLETING(Waitall, n, request, n, request, status);
}

static int real_testall(int n, MPI_Request *request, int *flag, MPI_Status *status)
{
	COMPLETING(Testall, n, request, n, request, flag, status);
}

static int real_waitany(int n, MPI_Request *request, int *index, MPI_Status *status)
{
	COMPLETING(Waitany, n, request, n, request, index, status);
}

static int real_testany(int n, MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
	COMPLETING(Testany, n, request, n, request, index, flag, status);
}

static int real_waitsome(int n, MPI_Request *request, int *out, int *index, MPI_Status *status)
{
	COMPLETING(Waitsome, n, request, n, request, out, index, status);
}

static int real_testsome(int n, MPI_Request *request, int *out, int *index, MPI_Status *status)
{
	COMPLETING(Testsome, n, request, n, request, out, index, status);
}

/* ---- what asks, and may be told no -------------------------------------------------------------- */

/* UNKNOWN: not ours to say. FAILED: it found a request complete that had failed; the rest is not known. */
enum outcome { UNKNOWN, NO, YES, FAILED };

static enum outcome flag_of(const struct rsd_play *p)
{
	const struct rsd_arg *flag = p ? rsd_play_named(p, "flag") : NULL;

	if (!flag)
		return UNKNOWN;
	if (flag->head != 1 && rsd_play_failed(p))
		return FAILED;
	return rsd_is_const(flag->head) ? UNKNOWN : flag->head ? YES : NO;
}

/* Asking moves messages along; so it does where the answer is known. */
static int answer_no(int *flag)
{
	int ignored;

	*flag = 0;
	return REAL(Iprobe)(
		MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &ignored, MPI_STATUS_IGNORE);
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Iprobe);
	enum outcome o = flag_of(p);

	if (o == NO)
		return answer_no(flag);
	if (o != YES)
		return REAL(Iprobe)(source, tag, comm, flag, status);
	matched(p, &source, &tag);
	*flag = 1;
	return REAL(Probe)(source, tag, comm, status);
}

int PMPI_Improbe(
	int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Improbe);
	enum outcome o = flag_of(p);

	if (o == NO)
		return answer_no(flag);
	if (o != YES)
		return REAL(Improbe)(source, tag, comm, flag, message, status);
	matched(p, &source, &tag);
	*flag = 1;
	return REAL(Mprobe)(source, tag, comm, message, status);
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	return real_wait(request, status);
}

/* Did some of several requests fail, and is it known which were complete by then? */
static bool failed_in_part(const struct rsd_play *p, const MPI_Status *status)
{
	return p && rsd_play_failed(p) && status != MPI_STATUSES_IGNORE && rsd_play_status_of(p, 0);
}

/* MPI may return as soon as one has failed: those that were pending are left so, and the others are waited for. */
static int wait_in_part(
	const struct rsd_play *p, int count, MPI_Request *request, MPI_Status *status)
{
	for (int k = 0; k < count; k++) {
		const int64_t *was = rsd_play_status_of(p, (size_t)k);

		if (was && was[2] != RSD_ABSENT && rsd_play_value(p, was[2]) == MPI_ERR_PENDING)
			status[k].MPI_ERROR = MPI_ERR_PENDING;
		else
			status[k].MPI_ERROR = real_wait(&request[k], &status[k]);
	}
	return MPI_ERR_IN_STATUS;
}

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Waitall);

	if (failed_in_part(p, array_of_statuses))
		return wait_in_part(p, count, array_of_requests, array_of_statuses);
	return real_waitall(count, array_of_requests, array_of_statuses);
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	enum outcome o = flag_of(rsd_steered(RSD_F_MPI_Test));

	if (o == NO)
		return answer_no(flag);
	if (o == UNKNOWN)
		return real_test(request, flag, status);
	*flag = 1;
	return real_wait(request, status);
}

/*
 * Which of the requests has failed by now, or -1. Some MPIs say so in the call that asks for one of them, others in its status;
 * and a test of all may wait for all, which may be for what follows it, before it says so.
 */
static int find_failed(int count, const MPI_Request *request)
{
	for (int k = 0; k < count; k++) {
		MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };
		int done = 0, err;

		if (request[k] == MPI_REQUEST_NULL)
			continue;
		err = real_get_status(request[k], &done, &status);
		if (err || (done && status.MPI_ERROR))
			return k;
	}
	return -1;
}

/* A test of all that found one that had failed: that one ends, the others are left. */
static int test_until_failed(int count, MPI_Request *request, int *flag, MPI_Status *status)
{
	int err, k, own;

	do {
		err = real_testall(count, request, flag, status);
		k = err || *flag ? -1 : find_failed(count, request);
	} while (!err && !*flag && k < 0);
	if (k < 0)
		return err;
	for (int i = 0; i < count && status != MPI_STATUSES_IGNORE; i++)
		status[i].MPI_ERROR = MPI_ERR_PENDING;
	own = real_wait(
		&request[k], status == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &status[k]);
	if (status != MPI_STATUSES_IGNORE && own)
		status[k].MPI_ERROR = own;
	return MPI_ERR_IN_STATUS;
}

int PMPI_Testall(
	int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[])
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Testall);
	enum outcome o = flag_of(p);

	if (o == NO)
		return answer_no(flag);
	if (o == YES) {
		*flag = 1;
		if (failed_in_part(p, array_of_statuses))
			return wait_in_part(p, count, array_of_requests, array_of_statuses);
		return real_waitall(count, array_of_requests, array_of_statuses);
	}
	if (o == FAILED)
		return test_until_failed(count, array_of_requests, flag, array_of_statuses);
	return real_testall(count, array_of_requests, flag, array_of_statuses);
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	enum outcome o = flag_of(rsd_steered(RSD_F_MPI_Request_get_status));
	int err;

	if (o == NO)
		return answer_no(flag);
	do
		err = real_get_status(request, flag, status);
	while (o != UNKNOWN && !err && !*flag);
	return err;
}

int PMPI_Win_test(MPI_Win win, int *flag)
{
	enum outcome o = flag_of(rsd_steered(RSD_F_MPI_Win_test));

	if (o == NO)
		return answer_no(flag);
	if (o != YES)
		return REAL(Win_test)(win, flag);
	*flag = 1;
	return REAL(Win_wait)(win);
}

/* ---- one or some of several requests -------------------------------------------------------------- */

/* The recorded index, where there is one in range. */
static bool index_of(const struct rsd_play *p, int count, int *index)
{
	const struct rsd_arg *i = p ? rsd_play_named(p, "index") : NULL;

	if (!i || rsd_is_const(i->head) || i->head < 0 || i->head >= count)
		return false;
	*index = (int)i->head;
	return true;
}

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
	if (!index_of(rsd_steered(RSD_F_MPI_Waitany), count, index))
		return real_waitany(count, array_of_requests, index, status);
	return real_wait(&array_of_requests[*index], status);
}

int PMPI_Testany(
	int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Testany);
	enum outcome o = flag_of(p);
	int err;

	if (o == NO) {
		*index = MPI_UNDEFINED;
		return answer_no(flag);
	}
	if (index_of(p, count, index)) {
		*flag = 1;
		return real_wait(&array_of_requests[*index], status);
	}
	do
		err = real_testany(count, array_of_requests, index, flag, status);
	while (o == FAILED && !err && !*flag);
	return err;
}

/* Waits for those that were completed, in the order in which they were told. A damaged trace may tell too many. */
static int wait_for_some(const struct rsd_arg *indices, int incount, MPI_Request *request,
	int *outcount, int *index, MPI_Status *status)
{
	int err = MPI_SUCCESS;

	*outcount = 0;
	for (size_t k = 0; k < indices->nr; k++) {
		MPI_Status ignored, *st = &ignored;
		int64_t i = indices->v[k];

		if (i < 0 || i >= incount || *outcount >= incount)
			continue;
		if (status != MPI_STATUSES_IGNORE)
			st = &status[*outcount];
		st->MPI_ERROR = real_wait(&request[i], st);
		if (st->MPI_ERROR)
			err = MPI_ERR_IN_STATUS;
		index[(*outcount)++] = (int)i;
	}
	return err;
}

static const struct rsd_arg *some_of(const struct rsd_play *p)
{
	const struct rsd_arg *n = p ? rsd_play_named(p, "outcount") : NULL;
	const struct rsd_arg *indices = p ? rsd_play_named(p, "array_of_indices") : NULL;

	return n && indices && !rsd_is_const(n->head) && !rsd_is_const(indices->head) ? indices
										      : NULL;
}

int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	const struct rsd_arg *some = some_of(rsd_steered(RSD_F_MPI_Waitsome));

	if (!some)
		return real_waitsome(
			incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
	return wait_for_some(
		some, incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_Testsome);
	const struct rsd_arg *some = some_of(p);
	int err;

	if (!some) {
		do
			err = real_testsome(incount, array_of_requests, outcount, array_of_indices,
				array_of_statuses);
		while (p && rsd_play_failed(p) && !err && !*outcount);
		return err;
	}
	if (!some->nr)
		return answer_no(outcount);
	return wait_for_some(
		some, incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

/* ---- files: in the replay's own folder ------------------------------------------------------------- */

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_File_open);
	char *path = p ? rsd_files_path(p->r, filename) : NULL;
	int err;

	if (!p)
		return REAL(File_open)(comm, filename, amode, info, fh);
	if (!path)
		return MPI_ERR_NO_MEM;
	err = rsd_files_prepare(p->r, comm, path, amode);
	if (!err)
		err = REAL(File_open)(comm, path, amode, info, fh);
	free(path);
	return err;
}

int PMPI_File_delete(const char *filename, MPI_Info info)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_File_delete);
	char *path = p ? rsd_files_path(p->r, filename) : NULL;
	int err;

	if (!p)
		return REAL(File_delete)(filename, info);
	if (!path)
		return MPI_ERR_NO_MEM;
	rsd_files_create(path, 0);
	err = REAL(File_delete)(path, info);
	free(path);
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

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
	enum outcome o = flag_of(rsd_steered(RSD_F_MPI_Parrived));
	int err;

	if (o == NO)
		return answer_no(flag);
	do
		err = REAL(Parrived)(request, partition, flag);
	while (o != UNKNOWN && !err && !*flag);
	return err;
}

#endif
