/*
 * live.h - the requests of a thread that are under way, by the ids that a trace gives them
 *
 * A trace names a request by its distance from the head of a table, to which each new one is added, or, persistent,
 * by a slot. Here it is an entry that says what it will have done when it is complete.
 */
#ifndef RSD_EXPORT_LIVE_H
#define RSD_EXPORT_LIVE_H

#include "calls.h"
#include "hash.h"
#include "match.h"

enum rsd_live_kind { RSD_L_OTHER, RSD_L_SEND, RSD_L_RECV, RSD_L_COLL };

struct rsd_live_request {
	enum rsd_live_kind kind;
	bool persistent, active, cancelled;
	uint64_t id; /* of this activation, unique in the thread */
	int comm, side;
	int64_t peer, tag; /* as the call has them, constants too */
	int64_t comm_value;
	uint64_t ticket, bytes, received;
	const struct rsd_node *node; /* where it was started */
	enum rsd_coll coll;
	int64_t root;
};

struct rsd_live_table {
	uint64_t head;
	struct rsd_map by_key; /* -> index in entry */
	struct rsd_live_request *entry;
	size_t nr, alloc;
	size_t *free;
	size_t nr_free, alloc_free;
};

void rsd_live_release(struct rsd_live_table *t);
/* Takes a copy for the request that a call has just made: 'id' as the trace has it. 0 or RSD_ERR_NOMEM. */
int rsd_live_add(struct rsd_live_table *t, int64_t id, const struct rsd_live_request *r);
/* Valid until the next is added; NULL: none. One that another thread names so ("request1.5") is looked for in its own table. */
struct rsd_live_request *rsd_live_find(const struct rsd_live_table *t, int64_t id);
void rsd_live_drop(struct rsd_live_table *t, int64_t id);

#endif
