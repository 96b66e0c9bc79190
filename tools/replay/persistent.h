/*
 * persistent.h - persistent receives from anyone: each start may get another sender's message
 *
 * Such a request is made as the program made it, and never started. A start makes a receive from
 * the sender that the traced run's start got its message from; calls that complete the request are
 * given that receive in its place. Nothing else sees it.
 */
#ifndef RSD_PERSISTENT_H
#define RSD_PERSISTENT_H

#include <stdbool.h>
#include <mpi.h>

struct rsd_persistent_receive { /* what it was made with */
	void *buf;
	MPI_Count count;
	MPI_Datatype datatype; /* our own: the program may free its */
	int source, tag;
	MPI_Comm comm;
};

/* It was made, as 'request', and has a wildcard. An MPI error code. */
int rsd_persistent_made(MPI_Request request, const struct rsd_persistent_receive *r);
/* What it was made with; NULL: it is no such receive. */
const struct rsd_persistent_receive *rsd_persistent_find(MPI_Request request);
/* It was started by this receive; MPI_REQUEST_NULL: it is inactive. */
void rsd_persistent_started(MPI_Request request, MPI_Request receive);
/* It is about to be freed: forgets it. The receive that is under way for it, or MPI_REQUEST_NULL. */
MPI_Request rsd_persistent_freed(MPI_Request request);

/*
 * Around a call that is given n requests: in place of those that are under way so, the receives, and
 * afterwards, the other way round. The first returns what the second is given.
 */
MPI_Request *rsd_persistent_swap(int n, MPI_Request *request);
void rsd_persistent_swap_back(MPI_Request *was, int n, MPI_Request *request);

#endif
