/*
 * slot.h - handle values of one kind <-> small numbers that agree between ranks
 *
 * A live handle value has an id: a named constant (MPI_COMM_WORLD), or a slot. Each thread
 * has slots of its own (rsd_slot), so that what one makes does not depend on when others make
 * something. The lowest one that it has free is given; freeing, by whichever thread, gives it back,
 * so that a loop that makes and frees a handle uses the same number every time. Handles have a shape (of a
 * communicator its sizes and rank, of a datatype its size, otherwise nothing); a slot
 * is reused only for a handle of the same shape, so that the shape of an id holds
 * for the whole run.
 *
 * A value that is made again while it lives is the same object with one more
 * reference (MPI_Comm_group does that), unless its shape shows that the old one has died unseen.
 * References are counted by thread: one that gets the object of another has it by a slot of its own.
 */
#ifndef RSD_SLOT_H
#define RSD_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash.h"

#define RSD_SHAPE_ATTRS 4

struct rsd_shape {
	bool known; /* false: the attributes say nothing */
	int64_t attr[RSD_SHAPE_ATTRS];
};

struct rsd_held { /* a live handle value, of one thread */
	int64_t value;
	int64_t id;	 /* a slot, or RSD_CONST(i) */
	uint64_t serial; /* tells it from another holder of the same value */
	int owner;	 /* the thread's number; RSD_EVERYONE: a constant */
	int refs;
	bool freeing; /* a call that frees it is running */
	bool used;    /* constants: it occurred */
	struct rsd_shape shape;
	int in_degree, out_degree; /* of a topology; -1: not asked */
	size_t next; /* index + 1 of the value's holder with the next higher owner, or of a free entry; 0: none */
};
#define RSD_EVERYONE (-1)

struct rsd_free_slots { /* of one shape: a heap, the lowest on top */
	struct rsd_shape shape;
	int64_t *slot;
	size_t nr, alloc;
};

struct rsd_slot_pool { /* the slots of one thread */
	int owner;
	struct rsd_free_slots *shapes;
	size_t nr_shapes, alloc_shapes;
	struct rsd_map shape_by_hash;
	size_t *shape_of; /* by number, index into shapes */
	size_t nr_slots, alloc_slots;
};

struct rsd_slots {
	struct rsd_held *held; /* held[i].refs == 0: not in use */
	size_t nr_held, alloc_held;
	size_t free_held;	    /* first free index + 1; 0: none */
	struct rsd_map by_value;    /* index of its holder with the lowest owner */
	struct rsd_slot_pool *pool; /* ascending in owner */
	size_t nr_pools, alloc_pools;
	uint64_t serial;
};
#define RSD_SLOTS_INIT ((struct rsd_slots){ .held = NULL })

void rsd_slots_release(struct rsd_slots *s);
/* This thread's holder of a value, or NULL. Valid until the next add, as are all. */
struct rsd_held *rsd_slots_find_own(const struct rsd_slots *s, int64_t value, int owner);
/* The holder that this thread means: its own, or the first of the others', those last that are being freed. */
struct rsd_held *rsd_slots_find(const struct rsd_slots *s, int64_t value, int owner);
/* The holder that has this serial, or NULL. */
struct rsd_held *rsd_slots_holder(const struct rsd_slots *s, int64_t value, uint64_t serial);
/* A new holder with the thread's lowest free slot of that shape; one of its that holds the value already loses it. NULL: no memory. */
struct rsd_held *rsd_slots_add(
	struct rsd_slots *s, int64_t value, int owner, const struct rsd_shape *shape);
/* A named constant; the first name of a value counts. 0 or RSD_ERR_NOMEM. */
int rsd_slots_add_constant(struct rsd_slots *s, int64_t value, int64_t id);
/* A call of this thread made the handle: one reference more, or a new holder. NULL: no memory. */
struct rsd_held *rsd_slots_made(
	struct rsd_slots *s, int64_t value, int owner, const struct rsd_shape *shape);
/* A call freed the holder of 'value' that had this serial: one reference less, the slot freed with the last. */
void rsd_slots_freed(struct rsd_slots *s, int64_t value, uint64_t serial);
/* The shape of every handle that ever had this slot. */
const struct rsd_shape *rsd_slots_shape(const struct rsd_slots *s, int64_t slot);

#endif
