/*
 * rank.h - one simulated rank: calls are put together as the wrappers do it, and recorded
 *
 *	rank_call(r, RSD_F_MPI_Barrier, 7);	from line 7 of the program
 *	rank_put(r, RSD_CONST(RSD_K_MPI_COMM_WORLD));
 *	rank_done(r);
 *
 * What is done with a call is the rank's mode: it is appended to a stream, or compared
 * with the next call of a walk.
 */
#ifndef RANK_H
#define RANK_H

#include "optab.h"
#include "stream.h"
#include "trace.h"
#include "walk.h"

#define RANK_VALUES 256 /* of one call */

struct rank {
	int rank, nprocs;
	struct rsd_stream stream;
	struct rsd_walk *walk; /* not NULL: calls are compared with these */
	const struct rsd_trace *trace;
	int func, line, comms;
	int64_t val[RANK_VALUES];
	size_t nr;
	uint64_t calls;
	struct {
		int64_t rank, size;
	} comm[2]; /* made by the program: slots 0 and 1 */
	int err;
};

/* Tables that ranks of one program have in common. */
void rank_tables_init(void);
void rank_tables_release(void);

void rank_init(struct rank *r, int rank, int nprocs);
void rank_release(struct rank *r);

void rank_call(struct rank *r, int func, int line);
void rank_put(struct rank *r, int64_t v);
void rank_put_const(struct rank *r, int constant);
/* buf, count, datatype */
void rank_put_message(struct rank *r, int64_t count);
void rank_done(struct rank *r);
/* A communicator was made: slot 'comms', which is returned. */
int rank_made_comm(struct rank *r, int64_t rank, int64_t size);

/* What was recorded, as MPI_Finalize makes it a trace. NULL on error. */
struct rsd_trace *rank_collect(struct rank *r);

#endif
