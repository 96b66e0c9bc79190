/*
 * clocks.h - the times of all ranks on one clock: rank 0's
 *
 * A thread's times count from when its recording began. Where the trace says when that was (trace.h), by the clock of its host, and how
 * far that clock was from rank 0's at the start and at the end, any time can be told by rank 0's:
 *
 *	offset		  ______ the end	in between the offset goes along the line, before and after it stays
 *		 ______---
 *	start	-				Zero is when the first thread began.
 */
#ifndef RSD_CLOCKS_H
#define RSD_CLOCKS_H

#include "trace.h"

struct rsd_clocks;

/* *out is NULL where the trace does not say it of any rank, or of more than four million threads in all. 0 or an error. */
int rsd_clocks_new(struct rsd_clocks **out, const struct rsd_trace *t);
void rsd_clocks_free(struct rsd_clocks *c);
/*
 * The thread's time 'ns' as a common one; of a thread of which nothing is said (or without 'c') it is 'ns'. Between 0 and 'latest',
 * whatever a trace says (ns is not above 2^61). Threads of a rank whose clock was not compared are on a clock of their own.
 */
int64_t rsd_clocks_time(
	const struct rsd_clocks *c, int rank, int thread, int64_t ns, int64_t latest);
/* Was every rank's clock compared, so that times of all can be? The most that one may be off. */
bool rsd_clocks_cover(const struct rsd_clocks *c, int64_t *error);

#endif
