/*
 * patience.h - waiting for other ranks without taking the processor from them
 *
 * MPI libraries poll while they wait. In MPI_Finalize most ranks wait for a few that merge; where
 * there are more ranks than processors, those that poll are what the others wait for. So a
 * wait here tests some times at once and then sleeps between tests, at most half a millisecond.
 * It is for what takes long to come; long messages, once they do come, are better polled for.
 */
#ifndef RSD_PATIENCE_H
#define RSD_PATIENCE_H

#include <mpi.h>

/* As PMPI_Wait. */
int rsd_patient_wait(MPI_Request *request);
/* As PMPI_Recv, PMPI_Bcast and PMPI_Reduce. */
int rsd_patient_recv(void *p, int nr, MPI_Datatype type, int from, int tag, MPI_Comm comm);
int rsd_patient_bcast(void *p, int nr, MPI_Datatype type, int root, MPI_Comm comm);
int rsd_patient_reduce(
	const void *p, void *result, int nr, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);

#endif
