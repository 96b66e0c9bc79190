/*
 * call_values.h - what the parts of call.c share
 */
#ifndef RSD_CALL_VALUES_H
#define RSD_CALL_VALUES_H

#include "call_inline.h"
#include "runtime.h"

/* Values that this call has put. */
static inline size_t rsd_nr_values(const struct rsd_call *c)
{
	return c->at ? (size_t)(c->at - c->t->val) - c->start.val : 0;
}
/* So many values are in the thread's stack, and what follows is free. The call is recorded. */
static inline void rsd_values_set(struct rsd_call *c, size_t put)
{
	const struct rsd_thread *t = c->t;

	c->at = t->val + put;
	c->end = t->val_end;
}
/* Class of an error code; 'code' itself where MPI does not know it. */
int rsd_error_class(int code);
/*
 * An error code as it is recorded, 0 for MPI_SUCCESS. MPI's own ones are told by the constant of their class, as a library has
 * a new code for each error. What is above MPI_ERR_LASTCODE the program has added, and tells apart.
 */
int64_t rsd_error_value(int code);
/* A request as it was before the call, or NULL: there is no such one. */
static inline const struct rsd_offset *rsd_request_of(const struct rsd_call *c, int64_t i)
{
	return i >= 0 && (uint64_t)i < c->nr_req ? &c->t->offset[c->start.req + (size_t)i] : NULL;
}
/* May MPI be asked about a handle that this call was given? */
static inline bool rsd_may_ask(const struct rsd_call *c)
{
	return c->ret == MPI_SUCCESS;
}

#endif
