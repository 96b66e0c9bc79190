/*
 * outcomes.c - waits and tests find complete what they found in the traced run
 */
#include "generalized.h"
#include "optab.h"
#include "persistent.h"
#include "player.h"
#include "steer.h"

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

/* ---- one request, or all of them ------------------------------------------------------------------- */

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
	enum rsd_outcome o = rsd_steer_flag(rsd_steered(RSD_F_MPI_Test));

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	if (o == RSD_SAID_UNKNOWN)
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
	enum rsd_outcome o = rsd_steer_flag(p);

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	if (o == RSD_SAID_YES) {
		*flag = 1;
		if (failed_in_part(p, array_of_statuses))
			return wait_in_part(p, count, array_of_requests, array_of_statuses);
		return real_waitall(count, array_of_requests, array_of_statuses);
	}
	if (o == RSD_SAID_FAILED)
		return test_until_failed(count, array_of_requests, flag, array_of_statuses);
	return real_testall(count, array_of_requests, flag, array_of_statuses);
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	enum rsd_outcome o = rsd_steer_flag(rsd_steered(RSD_F_MPI_Request_get_status));
	int err;

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	do
		err = real_get_status(request, flag, status);
	while (o != RSD_SAID_UNKNOWN && !err && !*flag);
	return err;
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
	enum rsd_outcome o = rsd_steer_flag(p);
	int err;

	if (o == RSD_SAID_NO) {
		*index = MPI_UNDEFINED;
		return rsd_steer_no(flag);
	}
	if (index_of(p, count, index)) {
		*flag = 1;
		return real_wait(&array_of_requests[*index], status);
	}
	do
		err = real_testany(count, array_of_requests, index, flag, status);
	while (o == RSD_SAID_FAILED && !err && !*flag);
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
		return rsd_steer_no(outcount);
	return wait_for_some(
		some, incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

/* ---- windows and partitions --------------------------------------------------------------------------- */

int PMPI_Win_test(MPI_Win win, int *flag)
{
	enum rsd_outcome o = rsd_steer_flag(rsd_steered(RSD_F_MPI_Win_test));

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	if (o != RSD_SAID_YES)
		return REAL(Win_test)(win, flag);
	*flag = 1;
	return REAL(Win_wait)(win);
}

#if MPI_VERSION >= 4

int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
	enum rsd_outcome o = rsd_steer_flag(rsd_steered(RSD_F_MPI_Parrived));
	int err;

	if (o == RSD_SAID_NO)
		return rsd_steer_no(flag);
	do
		err = REAL(Parrived)(request, partition, flag);
	while (o != RSD_SAID_UNKNOWN && !err && !*flag);
	return err;
}

#endif
