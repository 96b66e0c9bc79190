#include <stdlib.h>

#include "call_values.h"
#include "util.h"

static bool any_wild(const struct rsd_call *c)
{
	for (size_t i = 0; i < c->nr_req; i++) {
		if (c->t->offset[c->start.req + i].wild)
			return true;
	}
	return false;
}

MPI_Status *rsd_pre_status(struct rsd_call *c, MPI_Status *status, bool wild)
{
	if (status != MPI_STATUS_IGNORE || !c->recorded || !(wild || any_wild(c)))
		return status;
	return &c->one;
}

/* An array of the thread's own is lent to one call at a time; calls from inside it get one each. */
MPI_Status *rsd_pre_statuses(struct rsd_call *c, MPI_Status *statuses, int64_t n)
{
	struct rsd_thread *t = c->t;

	if (statuses != MPI_STATUSES_IGNORE || n <= 0 || !c->recorded || !any_wild(c))
		return statuses;
	if (t->status_lent) {
		c->many = rsd_calloc((size_t)n, sizeof(*c->many));
	} else if ((size_t)n <= t->nr_status || !RSD_GROW(t->status, (size_t)n, t->nr_status)) {
		c->many = t->status;
		t->status_lent = true;
	}
	if (c->many)
		return c->many;
	rsd_thread_stop(t, RSD_ERR_NOMEM);
	return statuses;
}

static bool is_cancelled(const MPI_Status *s)
{
	int flag = 0;

	return rsd_rt.cancels && !PMPI_Test_cancelled(s, &flag) && flag;
}

/* A source or a tag. A generalized request may say that it has none. */
static int64_t field(int group, int v)
{
	if (v == MPI_UNDEFINED)
		return rsd_constant_of(RSD_G_INT, v);
	return v < 0 ? rsd_constant_of(group, v) : v;
}

/* n statuses that the program ignores, and in which there was nothing to be seen. */
static void put_ignored(struct rsd_call *c, int64_t n)
{
	int64_t *at = rsd_room(c, (size_t)n + 1);

	if (!at)
		return;
	at[0] = n;
	for (int64_t i = 1; i <= n; i++)
		at[i] = RSD_STATUS_IGNORED;
}

/* Puts the values of a status that is defined. 'named': it has a source and a tag. */
static void put_fields(struct rsd_call *c, const MPI_Status *s, bool named, bool in_status)
{
	int64_t *at = rsd_values(c, 3);

	if (!at)
		return;
	at[0] = at[1] = at[2] = RSD_ABSENT;
	if (in_status)
		at[2] = rsd_error_value(s->MPI_ERROR);
	if (!named || (in_status && s->MPI_ERROR != MPI_SUCCESS))
		return;
	at[0] = field(RSD_G_PEER, s->MPI_SOURCE);
	at[1] = field(RSD_G_TAG, s->MPI_TAG);
}

/* A status that no request stands behind: a probe's or receive's, or a file's, which has a count only. */
static bool names_sender(const struct rsd_call *c, int which)
{
	return which == -1 && rsd_funcs[c->func].class != RSD_C_IO;
}

/*
 * One status: 'ignored' by the program; 'used' is what PMPI filled in, or NULL. Source and tag are
 * defined for receives and probes, unless cancelled, and where the program sets them itself.
 */
static void put_one(
	struct rsd_call *c, bool ignored, const MPI_Status *used, int which, bool in_status)
{
	const struct rsd_offset *o = rsd_request_of(c, which);
	bool null = which < -1 || (which >= 0 && (!o || o->index == RSD_NO_REQUEST));
	bool received = names_sender(c, which) || (o && o->kind == RSD_Q_RECV);
	bool wild = which == -1 || (o && o->wild);

	if (ignored && (null || !used || !wild || !received)) {
		rsd_put(c, RSD_STATUS_IGNORED);
	} else if (null || !used) {
		rsd_put(c, RSD_STATUS_ABSENT);
	} else {
		rsd_put(c, ignored ? RSD_STATUS_MATCHED : RSD_STATUS_KEPT);
		put_fields(c, used,
			(received && !is_cancelled(used)) || (o && o->kind == RSD_Q_USER),
			in_status);
	}
}

void rsd_put_status(struct rsd_call *c, const MPI_Status *status, const MPI_Status *used, int which)
{
	bool ignored = status == MPI_STATUS_IGNORE;

	if (!c->recorded)
		return;
	if (ignored && used == MPI_STATUS_IGNORE) {
		rsd_put(c, RSD_STATUS_IGNORED);
		return;
	}
	/* A call for one request returns the error itself, and a defined status only with success. */
	if (c->ret != MPI_SUCCESS || used == MPI_STATUS_IGNORE)
		used = NULL;
	put_one(c, ignored, used, which, false);
}

void rsd_put_statuses(struct rsd_call *c, const MPI_Status *statuses, const MPI_Status *used,
	int64_t n, const int *which)
{
	bool ignored = statuses == MPI_STATUSES_IGNORE;
	bool in_status = c->ret != MPI_SUCCESS && c->results;

	if (!c->recorded)
		return;
	if (n < 0) {
		rsd_put_absent(c);
		return;
	}
	if (ignored && used == MPI_STATUSES_IGNORE) {
		put_ignored(c, n);
		return;
	}
	rsd_put(c, n);
	if (!c->results || used == MPI_STATUSES_IGNORE)
		used = NULL;
	for (int64_t i = 0; i < n; i++)
		put_one(c, ignored, used ? &used[i] : NULL, which ? which[i] : (int)i, in_status);
}
