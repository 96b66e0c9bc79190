/*
 * generalized.c - generalized requests: the status is what the program's query function said
 *
 * MPI calls the stand-in of that function from the call that completes the request. Which
 * request it is about, its extra_state says; what was told then stands in that call's statuses.
 */
#include "generalized.h"

#include "player.h"

const int64_t *rsd_play_status_of(const struct rsd_play *p, size_t k)
{
	const struct rsd_arg *one = rsd_play_named(p, "status");
	const struct rsd_arg *many = rsd_play_named(p, "array_of_statuses");
	const struct rsd_arg *i = rsd_play_named(p, "array_of_indices");
	const int64_t *v;

	if (one)
		return one->head >= RSD_STATUS_KEPT ? one->v : NULL;
	if (!many || rsd_is_const(many->head))
		return NULL;
	v = many->v;
	for (int64_t s = 0; s < many->head; s++) {
		bool kept = *v >= RSD_STATUS_KEPT;
		int64_t about = i && (size_t)s < i->nr ? i->v[s] : s;

		if (about == (int64_t)k)
			return kept ? v + 1 : NULL;
		v += rsd_status_length(*v);
	}
	return NULL;
}

int rsd_play_query(void *extra, MPI_Status *status)
{
	const struct rsd_play *p = rsd_play_self();
	const int64_t *said = NULL;

	for (size_t k = 0; p && k < p->requests.now.nr_seen && !said; k++) {
		if (p->requests.now.seen[k] == extra)
			said = rsd_play_status_of(p, k);
	}
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE =
		said && said[0] != RSD_ABSENT ? (int)rsd_play_value(p, said[0]) : MPI_UNDEFINED;
	status->MPI_TAG =
		said && said[1] != RSD_ABSENT ? (int)rsd_play_value(p, said[1]) : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int rsd_play_grequest_start(struct rsd_play *p)
{
	int query = rsd_play_place(p->f->func, "query_fn"),
	    release = rsd_play_place(p->f->func, "free_fn");
	int cancel = rsd_play_place(p->f->func, "cancel_fn"),
	    place = rsd_play_place(p->f->func, "request");
	void (*q)(void) = rsd_play_function(p, query, "MPI_Grequest_query_function");
	void (*f)(void) = rsd_play_function(p, release, "MPI_Grequest_free_function");
	void (*c)(void) = rsd_play_function(p, cancel, "MPI_Grequest_cancel_function");
	MPI_Request *request = rsd_play_new_request(p, place);
	int ret;

	rsd_play_enter(p);
	ret = (rsd_play_recorded ? MPI_Grequest_start : PMPI_Grequest_start)(
		(MPI_Grequest_query_function *)q, (MPI_Grequest_free_function *)f,
		(MPI_Grequest_cancel_function *)c, p->requests.now.made, request);
	if (rsd_play_leave(p, ret))
		rsd_play_made_request(p, place, false);
	return ret;
}
