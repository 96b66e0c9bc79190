/*
 * patience.h - waiting for other ranks without taking the processor from them
 *
 * MPI libraries poll while they wait. In MPI_Finalize most ranks wait for a few that merge; where
 * there are more ranks than processors, those that poll are what the others wait for. So a
 * wait here tests some times at once and then sleeps between tests, half of what it has waited, up to half a
 * millisecond. It is for what takes long to come; long messages, once they do come, are better polled for.
 */
#ifndef RSD_PATIENCE_H
#define RSD_PATIENCE_H

#include <mpi.h>

/* As PMPI_Recv and PMPI_Reduce. */
int rsd_patient_recv(void *p, int nr, MPI_Datatype type, int from, int tag, MPI_Comm comm);
int rsd_patient_reduce(
	const void *p, void *result, int nr, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
/*
 * From rank 0 to all, by few and wide steps. Each rank on the way has to be awake to pass on what it got, and those
 * that have it go on to poll in MPI_Finalize: so a binomial tree, as deep as the logarithm of the number of ranks,
 * takes longer than rank 0 does to send to all. Sleeps are up to four milliseconds: each test by all ranks
 * takes from those that merge what they are waited for. Who gets nothing passes on what was in p before, so that no rank
 * waits for it, and returns the error.
 */
int rsd_patient_bcast(void *p, int nr, MPI_Datatype type, int tag, MPI_Comm comm);

#endif
