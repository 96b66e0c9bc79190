/*
 * handle.h - MPI's handles as ids: named constants, or slots
 *
 * A handle is passed as an integer (RSD_HANDLE), its kind is its group of
 * constants; function pointers have a kind of their own. May call PMPI to
 * learn the shape of a communicator or datatype that was not seen being made.
 */
#ifndef RSD_HANDLE_H
#define RSD_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <mpi.h>
#include "call.h"
#include "ranks.h"
#include "slot.h"
#include "trace.h"

#define RSD_HANDLE(h) ((int64_t)(intptr_t)(h))
#define RSD_KIND_FUNCTION RSD_NR_HANDLE_GROUPS
#define RSD_NR_KINDS (RSD_NR_HANDLE_GROUPS + 1)

/*
 * Ids that a thread was told, so that it need not ask again: an entry holds as long as no handle of
 * its kind has come or gone since. Without a lock: a handle that another thread frees is not used
 * by this one at the same time.
 */
struct rsd_known {
	int64_t value, id;
	uint64_t changes; /* of the kind, when it was told; 0: an empty entry */
};
#define RSD_KNOWN_BITS 4
#define RSD_KNOWN (1 << RSD_KNOWN_BITS) /* of each kind */

/* Reads the generated table of constants. 0 or RSD_ERR_NOMEM. */
int rsd_handles_init(void);
/*
 * What the values of a group's constants are between; aliases are an MPI library's variables
 * mostly, which are close together, and a long way from the constants.
 */
struct rsd_bounds {
	int64_t lo, hi;
	_Atomic int64_t alias_lo, alias_hi;
};
extern struct rsd_bounds *rsd_bounds RSD_HIDDEN; /* by group */
/* False: rsd_constant_of() would return 'v' itself. 'group' is one that there is. */
static inline __attribute__((always_inline)) bool rsd_may_be_constant(int group, int64_t v)
{
	struct rsd_bounds *b = &rsd_bounds[group];

	return (v >= b->lo && v <= b->hi) ||
	       (v >= atomic_load_explicit(&b->alias_lo, memory_order_acquire) &&
		       v <= atomic_load_explicit(&b->alias_hi, memory_order_acquire));
}
/* The constant of this value in a group, as an id; or 'v' itself. */
int64_t rsd_constant_of(int group, int64_t v);
/*
 * From now on 'v', too, is the constant of that name, which is a pointer's: of a buffer, or in an
 * array's place. Several values may be; the latest word about one counts. 0, RSD_ERR_NOMEM, or
 * RSD_ERR_RANGE where there is no such constant.
 */
int rsd_constant_alias(const char *name, int64_t v);

extern _Atomic uint64_t rsd_handle_changes
	[RSD_NR_KINDS] RSD_HIDDEN; /* 1, and how often a handle was made or freed */
static inline uint64_t rsd_handle_now(int kind)
{
	return atomic_load_explicit(&rsd_handle_changes[kind], memory_order_acquire);
}
/* Where a handle of this kind is, if it is known. Neighbours are apart; nothing above 32 bits tells handles from each other. */
static inline struct rsd_known *rsd_known_of(
	struct rsd_known (*known)[RSD_KNOWN], int kind, int64_t value)
{
	return &known[kind][(uint32_t)value * 0x9e3779b1u >> (32 - RSD_KNOWN_BITS)];
}
static inline bool rsd_known_holds(const struct rsd_known *k, int kind, int64_t value)
{
	return k->value == value && k->changes == rsd_handle_now(kind);
}
/* rsd_handle_used, for what is not in its entry. */
int64_t rsd_handle_ask(struct rsd_known *entry, int kind, int64_t value, bool ask);
/*
 * The id of a handle. ask: it is known to be valid, so that MPI may be asked about it. 'known' is what the
 * thread knows, by kind. RSD_ABSENT on no memory.
 */
static inline int64_t rsd_handle_used(
	struct rsd_known (*known)[RSD_KNOWN], int kind, int64_t value, bool ask)
{
	struct rsd_known *k = rsd_known_of(known, kind, value);

	if (rsd_known_holds(k, kind, value))
		return k->id;
	return rsd_handle_ask(k, kind, value, ask);
}
/* A call made it (and the handle may be asked about, or has the shape of communicator 'like'). Its id. */
int64_t rsd_handle_made(int kind, int64_t value);
int64_t rsd_handle_made_like(int kind, int64_t value, MPI_Comm like);
/* A call is about to free it: its id, and in *serial what rsd_handle_freed wants. */
int64_t rsd_handle_freeing(int kind, int64_t value, uint64_t *serial);
/* The call is over. done: it has freed it. */
void rsd_handle_freed(int kind, int64_t value, uint64_t serial, bool done);

/* Everything known about a valid communicator; false: it is not one. */
bool rsd_handle_comm(MPI_Comm comm, bool ask, struct rsd_held *out);
void rsd_handle_set_degrees(MPI_Comm comm, int in, int out);
/* Shape of a communicator by its id, from memory. */
bool rsd_handle_shape(int kind, int64_t id, struct rsd_shape *out);
/* Adds the communicators and datatypes that occurred to the trace of this rank. 0 or an error. */
int rsd_handles_to_trace(struct rsd_trace *t, int rank);

#endif
