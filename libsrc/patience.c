#include "patience.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "runtime.h"

#define FAN 64 /* ranks that one passes on to what is for all */

struct patience {
	int tests;		   /* before it sleeps */
	int64_t shortest, longest; /* ns of sleep; between them half of what was waited so far */
};

/* For one rank, which a merge waits for; for what takes as long as all ranks' merging does. */
static const struct patience for_one = { 10, 20000, 500000 }, for_all = { 1, 200000, 4000000 };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Where ranks take turns in one process a sleep would be everyone's. */
static int test_until_done(MPI_Request *request, const struct patience *w)
{
	int64_t start, pause;
	int done = 0, err = 0;

	if (RSD_RANKS_LOADED)
		return PMPI_Wait(request, MPI_STATUS_IGNORE);
	for (int i = 0; i < w->tests; i++) {
		err = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (err || done)
			return err;
		sched_yield();
	}
	start = now();
	while (!(err = PMPI_Test(request, &done, MPI_STATUS_IGNORE)) && !done) {
		pause = (now() - start) / 2;
		pause = pause < w->shortest ? w->shortest : pause > w->longest ? w->longest : pause;
		nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
	}
	return err;
}

/* Meanwhile a signal may end the process: what there is to write is not touched. */
static int wait_for(MPI_Request *request, const struct patience *w)
{
	struct rsd_thread *t = rsd_self;
	int err;

	if (t)
		__atomic_store_n(&t->waiting, true, __ATOMIC_SEQ_CST);
	err = test_until_done(request, w);
	if (t)
		__atomic_store_n(&t->waiting, false, __ATOMIC_SEQ_CST);
	return err;
}

static int receive(void *p, int nr, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	const struct patience *w)
{
	MPI_Request q;
	int err = PMPI_Irecv(p, nr, type, from, tag, comm, &q);

	return err ? err : wait_for(&q, w);
}

int rsd_patient_recv(void *p, int nr, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	return receive(p, nr, type, from, tag, comm, &for_one);
}

int rsd_patient_bcast(void *p, int nr, MPI_Datatype type, int tag, MPI_Comm comm)
{
	int rank, size, err;

	err = PMPI_Comm_rank(comm, &rank);
	if (!err)
		err = PMPI_Comm_size(comm, &size);
	if (err)
		return err;
	if (rank)
		err = receive(p, nr, type, (rank - 1) / FAN, tag, comm, &for_all);
	for (int64_t to = (int64_t)rank * FAN + 1, end = to + FAN; to < end && to < size; to++) {
		int failed = PMPI_Send(p, nr, type, (int)to, tag, comm);

		err = err ? err : failed;
	}
	return err;
}

int rsd_patient_reduce(
	const void *p, void *result, int nr, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	MPI_Request q;
	int err = PMPI_Ireduce(p, result, nr, type, op, root, comm, &q);

	return err ? err : wait_for(&q, &for_one);
}
