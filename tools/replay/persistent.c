#include "persistent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "util.h"

struct entry {
	MPI_Request receive; /* MPI_REQUEST_NULL: inactive */
	struct rsd_persistent_receive made;
};
static struct rsd_map entries; /* by request */
static _Atomic int nr_entries; /* mostly 0: no call has to look then */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t key(MPI_Request request)
{
	return (uint64_t)(intptr_t)request;
}

/* Under the lock. */
static struct entry *find(MPI_Request request)
{
	const uint64_t *at = rsd_map_find(&entries, key(request));

	return at ? (struct entry *)(uintptr_t)*at : NULL;
}

static bool are_none(void)
{
	return !atomic_load_explicit(&nr_entries, memory_order_acquire);
}

/* The same elements, without the attributes that a duplicate would have. */
static int own_type(MPI_Datatype theirs, MPI_Datatype *own)
{
	int err = PMPI_Type_contiguous(1, theirs, own);

	return err ? err : PMPI_Type_commit(own);
}

static void drop(struct entry *e)
{
	PMPI_Type_free(&e->made.datatype);
	free(e);
}

int rsd_persistent_made(MPI_Request request, const struct rsd_persistent_receive *r)
{
	struct entry *e = rsd_malloc(sizeof(*e));
	int err;

	if (!e)
		return MPI_ERR_NO_MEM;
	*e = (struct entry){ .receive = MPI_REQUEST_NULL, .made = *r };
	err = own_type(r->datatype, &e->made.datatype);
	if (err) {
		free(e);
		return err;
	}
	pthread_mutex_lock(&lock);
	err = rsd_map_set(&entries, key(request), (uint64_t)(uintptr_t)e);
	if (!err)
		atomic_fetch_add(&nr_entries, 1);
	pthread_mutex_unlock(&lock);
	if (err)
		drop(e);
	return err ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

const struct rsd_persistent_receive *rsd_persistent_find(MPI_Request request)
{
	const struct entry *e;

	if (are_none())
		return NULL;
	pthread_mutex_lock(&lock);
	e = find(request);
	pthread_mutex_unlock(&lock);
	return e ? &e->made : NULL;
}

void rsd_persistent_started(MPI_Request request, MPI_Request receive)
{
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = find(request);
	if (e)
		e->receive = receive;
	pthread_mutex_unlock(&lock);
}

MPI_Request rsd_persistent_freed(MPI_Request request)
{
	MPI_Request receive = MPI_REQUEST_NULL;
	struct entry *e;

	if (are_none())
		return receive;
	pthread_mutex_lock(&lock);
	e = find(request);
	if (e && rsd_map_delete(&entries, key(request)))
		atomic_fetch_sub(&nr_entries, 1);
	pthread_mutex_unlock(&lock);
	if (e) {
		receive = e->receive;
		drop(e);
	}
	return receive;
}

MPI_Request *rsd_persistent_swap(int n, MPI_Request *request)
{
	MPI_Request *was = NULL;

	if (are_none() || !request || n <= 0)
		return NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) {
		const struct entry *e = find(request[i]);

		if (!e || e->receive == MPI_REQUEST_NULL)
			continue;
		if (!was) {
			was = rsd_malloc((size_t)n * sizeof(*was));
			if (!was)
				break; /* the call waits for what was never started: the watchdog tells */
			memcpy(was, request, (size_t)n * sizeof(*was));
		}
		request[i] = e->receive;
	}
	pthread_mutex_unlock(&lock);
	return was;
}

void rsd_persistent_swap_back(MPI_Request *was, int n, MPI_Request *request)
{
	if (!was)
		return;
	for (int i = 0; i < n; i++) {
		if (!rsd_persistent_find(was[i]))
			continue;
		if (request[i] != was[i])
			rsd_persistent_started(was[i], request[i]);
		request[i] = was[i];
	}
	free(was);
}
