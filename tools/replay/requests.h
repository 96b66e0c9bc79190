/*
 * requests.h - the live requests of a thread, by their distance from the head (libsrc/req_handler.h), and by number
 *
 * An entry stays where it is while the request lives: a tracer that records the
 * replay knows a request by the variable that holds it.
 *
 * A request may be completed by another thread than the one that made it. So where there are several, tables
 * are read and changed under the lock of all of them.
 */
#ifndef RSD_REQUESTS_H
#define RSD_REQUESTS_H

#include <stdbool.h>
#include <mpi.h>
#include "buffers.h"
#include "hash.h"

struct rsd_arg;
struct rsd_request_table;

struct rsd_live {
	MPI_Request request;
	struct rsd_request_table *table; /* that it is in */
	uint64_t serial;		 /* persistent: slot */
	bool persistent, live;
	/* Where there are several threads, calls under way: */
	int users; /* that use it and do not end it */
	int holders; /* these and those that do: the entry is not another one's before they are over */
	struct rsd_scratch_block *kept; /* arrays that the call was given */
	struct rsd_live *next_free;
};

struct rsd_live_block;

struct rsd_call_requests { /* those of one call */
	struct rsd_live *made;
	bool counted;		/* the head has moved */
	struct rsd_live **seen; /* NULL: a null request */
	size_t nr_seen, alloc_seen;
	MPI_Request *array; /* where they are during the call, NULL: in their entries */
	bool asks;	    /* for their completion */
	bool ends;	    /* it ends all of them, or those that these arguments tell */
	const struct rsd_arg *index, *indices;
	const struct rsd_call_requests
		*outer; /* of the call in the middle of which this one is; or NULL */
};

struct rsd_request_table {
	uint64_t head;		  /* serial of the newest */
	struct rsd_map by_serial; /* -> address of the entry */
	struct rsd_map by_slot;	  /* persistent ones -> the same */
	struct rsd_live_block *blocks;
	struct rsd_live *free;
	size_t live, held;	      /* so many entries are */
	bool closed;		      /* its thread is at its end */
	struct rsd_call_requests now; /* of the present call */
};

void rsd_request_table_release(struct rsd_request_table *t);
/* An entry for a request that is about to be made. NULL: no memory. */
struct rsd_live *rsd_request_new(struct rsd_request_table *t);
/* It has been made; slot >= 0: a persistent one; others move the head in any case. 0 or RSD_ERR_NOMEM. */
int rsd_request_made(struct rsd_request_table *t, struct rsd_live *l, int64_t slot);
/* The live request of that id (a distance, or -1-slot; or as other threads name one of this table's), or NULL. */
struct rsd_live *rsd_request_find(const struct rsd_request_table *t, int64_t id);
/* Has a request of that id been made, or passed over? Of a persistent one: is it there? */
bool rsd_request_was_made(const struct rsd_request_table *t, int64_t id);
/* The request has ended, or was never made. */
void rsd_request_drop(struct rsd_live *l);
/* Around a call, where there are several threads; does it end the request? */
void rsd_request_hold(struct rsd_live *l, bool ends);
void rsd_request_let_go(struct rsd_live *l, bool ends);
/* Is a call under way that ends it? */
bool rsd_request_is_being_ended(const struct rsd_live *l);
/* Its thread makes no more: all but the head is gone as soon as nothing is live in it, or in use. */
void rsd_request_table_close(struct rsd_request_table *t);

#endif
