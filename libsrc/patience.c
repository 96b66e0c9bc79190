#include "patience.h"

#include <sched.h>
#include <time.h>

#include "ranks.h"

#define TESTS 10       /* before it sleeps */
#define SHORTEST 20000 /* ns of sleep; doubled each time ... */
#define LONGEST 500000 /* ... up to this */

/* Where ranks take turns in one process a sleep would be everyone's. */
int rsd_patient_wait(MPI_Request *request)
{
	long pause = SHORTEST;
	int done = 0, err;

	if (RSD_RANKS_LOADED)
		return PMPI_Wait(request, MPI_STATUS_IGNORE);
	for (int i = 0; !(err = PMPI_Test(request, &done, MPI_STATUS_IGNORE)) && !done; i++) {
		if (i < TESTS) {
			sched_yield();
			continue;
		}
		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		pause = pause < LONGEST / 2 ? 2 * pause : LONGEST;
	}
	return err;
}

int rsd_patient_recv(void *p, int nr, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	MPI_Request q;
	int err = PMPI_Irecv(p, nr, type, from, tag, comm, &q);

	return err ? err : rsd_patient_wait(&q);
}

int rsd_patient_bcast(void *p, int nr, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Request q;
	int err = PMPI_Ibcast(p, nr, type, root, comm, &q);

	return err ? err : rsd_patient_wait(&q);
}

int rsd_patient_reduce(
	const void *p, void *result, int nr, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	MPI_Request q;
	int err = PMPI_Ireduce(p, result, nr, type, op, root, comm, &q);

	return err ? err : rsd_patient_wait(&q);
}
