/*
 * play.h - what generated replay calls are made of: recorded values become arguments again
 *
 * For every MPI function that can be replayed the engine writes, from the roles
 * of its parameters, a function like this (replay_calls.c):
 *
 *	static int play_MPI_Irecv(struct rsd_play *p)
 *	{
 *		int count = (int)rsd_play_number(p, 1);
 *		MPI_Datatype datatype = (MPI_Datatype)(intptr_t)rsd_play_handle(p, 2, RSD_G_DATATYPE);
 *		int source = (int)rsd_play_number(p, 3);
 *		int tag = (int)rsd_play_number(p, 4);
 *		MPI_Comm comm = (MPI_Comm)(intptr_t)rsd_play_handle(p, 5, RSD_G_COMM);
 *		MPI_Request *request = rsd_play_new_request(p, 6);
 *		void *buf = rsd_play_recv_buffer(p, 0, rsd_play_span(p, count, datatype));
 *		int ret;
 *
 *		rsd_play_enter(p);
 *		ret = (rsd_play_recorded ? MPI_Irecv : PMPI_Irecv)(buf, count, datatype, source, tag, comm, request);
 *		if (rsd_play_leave(p, ret))
 *			rsd_play_made_request(p, 6, false);
 *		return ret;
 *	}
 *
 * The numbers are places: indices among the function's recorded parameters (optab.h).
 * Arguments that the trace marks as not significant get a harmless value.
 * Whatever a function here returns a pointer to lives until the call has completed: that of
 * a call that makes a request until the request has.
 */
#ifndef RSD_PLAY_H
#define RSD_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "optable.h"

struct rsd_play; /* the replay of one thread, at one call (player.h) */

/* Does a tracer record this replay? MPI_Xxx is called then, else PMPI_Xxx: it is the latter that ours (steer.h) stand before. */
extern bool rsd_play_recorded;

/* ---- the call ------------------------------------------------------------------ */
void rsd_play_enter(struct rsd_play *p);
/* True where the call succeeded, so that what it made can be taken. */
bool rsd_play_leave(struct rsd_play *p, int ret);

/* ---- numbers, strings, functions --------------------------------------------------- */
/* The number; of a named constant, this MPI's value; 0 where it is not significant. */
int64_t rsd_play_number(struct rsd_play *p, int place);
/* Arrays in the C type asked for; a constant in the array's place as itself (MPI_UNWEIGHTED); NULL where not significant. */
int *rsd_play_ints(struct rsd_play *p, int place);
MPI_Aint *rsd_play_aints(struct rsd_play *p, int place);
MPI_Count *rsd_play_counts(struct rsd_play *p, int place);
char *rsd_play_string(struct rsd_play *p, int place); /* NULL where not significant */
/* A stand-in of this C type ("MPI_User_function") for the callback, or the predefined one. */
void (*rsd_play_function(struct rsd_play *p, int place, const char *type))(void);
/*
 * Room for a result array of elements of this size: for as many as were recorded, and for as many as
 * any number among the arguments allows. Filled with what was recorded where that is an array of int.
 */
void *rsd_play_room(struct rsd_play *p, int place, size_t size);
/* Room for one value that is not recorded: an attribute's, an address. Zeroed. */
void *rsd_play_spare(struct rsd_play *p);

/* ---- handles ----------------------------------------------------------------------------- */
/* The handle, as an integer; the null handle (of datatypes: MPI_BYTE) where it is not significant. */
int64_t rsd_play_handle(struct rsd_play *p, int place, int group);
/* The same of a handle that the call frees: other threads that use it have to be done with it. */
int64_t rsd_play_freeing(struct rsd_play *p, int place, int group);
MPI_Datatype *rsd_play_datatypes(struct rsd_play *p, int place);
MPI_Info *rsd_play_infos(struct rsd_play *p, int place);
/* After the call: it has made this handle, which the trace knows by the slot recorded at 'place'. */
void rsd_play_made(struct rsd_play *p, int place, int group, int64_t handle);
void rsd_play_made_datatypes(struct rsd_play *p, int place, const MPI_Datatype *made);
/* After the call: it has freed or replaced the handle. */
void rsd_play_freed(struct rsd_play *p, int place, int group);

/* ---- requests and statuses ------------------------------------------------------------------ */
MPI_Request *rsd_play_new_request(struct rsd_play *p, int place);
void rsd_play_made_request(struct rsd_play *p, int place, bool persistent);
/* The requests that the call completes, starts, frees, one or an array; what became of them is seen in rsd_play_leave. */
MPI_Request *rsd_play_requests(struct rsd_play *p, int place);
/* MPI_STATUS_IGNORE where the program ignored it. */
MPI_Status *rsd_play_status(struct rsd_play *p, int place);
MPI_Status *rsd_play_statuses(struct rsd_play *p, int place);
/*
 * A status for a call that is given one and asks it: which one it was is not recorded. Made so
 * that a count of 'datatype' elements (a group's null handle: none) or the flag recorded at 'place' is what it says.
 */
MPI_Status *rsd_play_asked_status(struct rsd_play *p);

/* ---- buffers ----------------------------------------------------------------------------------- */
struct rsd_span { /* bytes that a call may touch, from 'lo' (may be negative) up to, not with, 'hi', around the buffer argument */
	int64_t lo, hi;
};
struct rsd_span rsd_play_bytes(struct rsd_play *p, int64_t len);
struct rsd_span rsd_play_span(struct rsd_play *p, int64_t count, MPI_Datatype type);
/*
 * Of vectors: the places of counts, of displacements (-1: one block behind the other), and of
 * the datatype, or the datatypes (displacements are in bytes then).
 */
struct rsd_span rsd_play_span_of(struct rsd_play *p, int counts, int displs, int types);
/* Memory of the replay's own, shared between calls; or the constant that was passed. */
void *rsd_play_send_buffer(struct rsd_play *p, int place, struct rsd_span span);
void *rsd_play_recv_buffer(struct rsd_play *p, int place, struct rsd_span span);
/* Memory that MPI keeps beyond the call: of a window, an attached buffer. */
void *rsd_play_own_buffer(struct rsd_play *p, int place, struct rsd_span span);

/* ---- facts that spans ask for ---------------------------------------------------------------------- */
int64_t rsd_play_size(struct rsd_play *p, MPI_Comm comm);
int64_t rsd_play_peers(struct rsd_play *p, MPI_Comm comm);
int64_t rsd_play_in_degree(struct rsd_play *p, MPI_Comm comm);
int64_t rsd_play_out_degree(struct rsd_play *p, MPI_Comm comm);

/* ---- generated --------------------------------------------------------------------------------------- */
/* By index in rsd_funcs; NULL: can't be replayed from its roles. */
extern int (*const rsd_play_calls[])(struct rsd_play *p);

#endif
