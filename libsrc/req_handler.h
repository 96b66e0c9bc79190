/*
 * req_handler.h - the request table: live requests, named by their distance from the head
 *
 * Each thread has a head that moves with every request it makes; a live request's
 * offset is how many requests its thread has made after it. So in every iteration,
 * and on every rank that does the same, the same request has the same offset. A
 * persistent request has a slot of its thread instead, the lowest free one, and the offset -1-slot. How other threads name
 * it is said in req_tables.h.
 *
 * The head counts what readers of the trace can count: requests of which the making is recorded. Others (made
 * during MPI_Pcontrol(0), by functions that RECORD_CALLS leaves out, or unseen) are in the table all the same, or what is recorded could be taken for one
 * of them; their offset is RSD_ABSENT, and persistent ones of them have no slot.
 *
 * A handle value is no identity: MPI libraries give one value to several live requests.
 * An entry is found by its value together with the address of the variable the
 * program keeps it in; failing that (the program moved it), the oldest live
 * one of that value is taken, and has moved from then on.
 *
 * Most requests end soon, and where they began: these never get into the maps. A new one is in a list
 * of fresh ones, and in 'at', by the address of its variable. It goes into the maps ('is filed') when another
 * takes its place there, or when something is looked for that is not in 'at'; all older ones go with it, so that
 * whatever is filed is older than what is fresh:
 *
 *	filed, by value	a: 3 7 9   b: 4		fresh	10 12 13	oldest first
 *
 * Everything is O(1), whatever the number of live requests.
 */
#ifndef RSD_REQ_HANDLER_H
#define RSD_REQ_HANDLER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash.h"
#include "opstruct.h"
#include "slot.h"

#define RSD_NO_REQUEST UINT32_MAX

struct rsd_request {
	int64_t handle;
	const void *var;       /* the program's variable; NULL: not known */
	const uint64_t *head;  /* of the thread that made it; NULL: it is not counted */
	uint64_t serial;       /* *head after it was made */
	uint64_t id;	       /* unlike that of any other request */
	uint32_t older, newer; /* live ones of the same handle value; of a fresh one: fresh ones */
	int kind;	       /* the caller's */
	bool wild;	       /* the caller's */
	bool live;
	bool fresh;   /* not filed; its variable is known */
	int64_t slot; /* persistent: >= 0 */
};

struct rsd_requests;

struct rsd_offset { /* a request as it was when it was looked up */
	struct rsd_requests *in;
	int64_t handle;
	int64_t offset;
	uint64_t id;
	uint32_t index;
	int kind;
	bool wild;
};

#define RSD_REQUESTS_AT 256

struct rsd_requests {
	struct rsd_request *req;
	size_t nr, alloc;
	uint32_t free;		 /* list through 'newer' */
	uint32_t oldest, newest; /* fresh ones */
	uint32_t at
		[RSD_REQUESTS_AT]; /* by address of the variable: index of a request that may be there */
	struct rsd_map by_place; /* (value, variable) -> index */
	struct rsd_map by_value; /* value -> index of its oldest request, and of its newest << 32 */
	struct rsd_slots persistent; /* by id */
	uint64_t last_id;
	size_t live, most;    /* now, and ever at a time */
	pthread_mutex_t lock; /* the caller's */
};

void rsd_requests_init(struct rsd_requests *q);
void rsd_requests_release(struct rsd_requests *q);
/*
 * Puts a new request at the head, and moves *head, which is the thread's of this number; NULL: the trace does not tell that it was made.
 * Its index, or RSD_NO_REQUEST on no memory.
 */
uint32_t rsd_add_offset_entry(struct rsd_requests *q, uint64_t *head, int owner, int64_t handle,
	const void *var, int kind, bool wild, bool persistent);
/* The live request of that value at 'var' (NULL: passed by value), or RSD_NO_REQUEST. */
uint32_t rsd_find_request(struct rsd_requests *q, int64_t handle, const void *var);
/* The same, but only where the request is known to be at 'var'. */
uint32_t rsd_find_request_at(struct rsd_requests *q, int64_t handle, const void *var);
/* The one that is known to be at 'from' is at 'to' from now on. False: there is none, nothing changes. */
bool rsd_move_request(struct rsd_requests *q, int64_t handle, const void *from, const void *to);
/* The offset of a live request. */
static inline int64_t rsd_lookup_offset(const struct rsd_requests *q, uint32_t index)
{
	const struct rsd_request *r = &q->req[index];

	if (r->slot >= 0)
		return -1 - r->slot;
	return r->head ? (int64_t)(*r->head - r->serial) : RSD_ABSENT;
}
/*
 * Those of the list that were found in q are no longer the oldest of their value: what is then looked for by its value
 * alone, as the program has moved it, is not one of them.
 */
void rsd_set_aside(struct rsd_requests *q, const struct rsd_offset *list, size_t n);
/* Puts what is known of the request into 'o'; RSD_NO_REQUEST: that there is none, and leaves the offset alone. */
void rsd_note_request(struct rsd_requests *q, uint32_t index, struct rsd_offset *o);
/*
 * Looks n requests up, whose handles the caller has filled in; the program keeps
 * them at var, var + stride, ... One of the value 'none', and one that is not known, gets
 * RSD_NO_REQUEST; its offset is left alone.
 */
void rsd_lookup_offsetlist(struct rsd_requests *q, struct rsd_offset *list, size_t n, int64_t none,
	const void *var, size_t stride);
/* The same request as was looked up, unless it has ended since? */
static inline bool rsd_request_is_live(const struct rsd_requests *q, const struct rsd_offset *o)
{
	return o->index != RSD_NO_REQUEST && q->req[o->index].live && q->req[o->index].id == o->id;
}
/* The request has ended. */
void rsd_remove_request(struct rsd_requests *q, uint32_t index);

#endif
