/*
 * own_comm.h - a communicator of all ranks that is the tracer's own
 *
 * What the tracer sends in MPI_Init and MPI_Finalize is not to meet what the program sends and receives.
 */
#ifndef RSD_OWN_COMM_H
#define RSD_OWN_COMM_H

#include <mpi.h>

/* Collective when it is first asked for, which is best in MPI_Init: ranks are together there anyway. MPI_COMM_NULL: there is none. */
MPI_Comm rsd_own_comm(void);
/* Collective, if it was made. */
void rsd_own_comm_free(void);

#endif
