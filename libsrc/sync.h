/*
 * sync.h - how far the clocks of hosts are from rank 0's, at the start and at the end
 *
 * Where every call's times are kept, times of different ranks are to be compared. The ranks of a host read one clock
 * (clock.h). Hosts are told apart by name, by the number that the kernel has given itself when it booted, and by time namespace.
 * The lowest rank of each host asks another host's for the time, again and again; the answer that came back soonest says most: it
 * was given in the middle, give or take half of the time it took (Cristian). Who asks whom is a binomial tree over the hosts (radix_tree.h),
 * so it takes log2(hosts) such talks one after the other, and errors add up over as many.
 *
 *	MPI_Init	start	  clock 0 of the trace (trace.h): when, by the host's clock; what to add to get rank 0's; how far that may be off
 *	MPI_Finalize	the end	  clock 1
 *
 * On a single host nothing is sent but the hosts' numbers, in MPI_Init. Ranks that wait for their turn do it patiently.
 */
#ifndef RSD_SYNC_H
#define RSD_SYNC_H

#include "trace.h"

/* Collective, where all ranks agree that it is done (rsd_rt.aligns). */
void rsd_sync_start(void);
void rsd_sync_end(void);
/* What is known of the clocks of this rank and its threads. 0 or an error. */
int rsd_sync_to_trace(struct rsd_trace *t);

#endif
