/*
 * groups.h - which rank of the world a communicator's rank is
 *
 * A trace has each rank's own rank in a communicator and its size, but not who else is in it: a number may
 * stand for a communicator of one's own on every rank. It is known where the communicator has as many members as
 * there are ranks that know it, and where they all made it by MPI_Comm_split or MPI_Cart_sub, from what they gave as arguments.
 * A window's ranks are those of the communicator that it was made of.
 */
#ifndef RSD_REPORT_GROUPS_H
#define RSD_REPORT_GROUPS_H

#include "trace.h"

struct report_groups;

struct report_groups *report_groups_new(
	const struct rsd_trace *t);		  /* borrows 't'; NULL: no memory */
void report_groups_free(struct report_groups *g); /* NULL is fine */
/* Ranks in it are those of the world. */
bool report_groups_is_world(struct report_groups *g, int64_t comm);
/* The world's rank of 'peer', which is a distance from the own rank if 'relative', or below 0. */
int report_groups_world(
	struct report_groups *g, int64_t comm, int rank, int64_t peer, bool relative);

/* The communicator that a window was made of, as the rank names it; RSD_ABSENT: there is none, or several. */
int64_t report_groups_of_window(struct report_groups *g, int64_t win, int rank);

#endif
