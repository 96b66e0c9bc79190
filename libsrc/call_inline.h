/*
 * call_inline.h - those parts of call.h that each call goes through, in line
 *
 * Where RSD_CALLS_OUT_OF_LINE says that wrappers are to stand for themselves they are functions: to see
 * which PMPI functions wrappers call, they are linked with stand-ins for all that they take of the runtime.
 */
#ifndef RSD_CALL_INLINE_H
#define RSD_CALL_INLINE_H

#include "call.h"

/* Room for 'n' more values; NULL where the call is not recorded, or there is no memory. The caller fills all. */
int64_t *rsd_values(struct rsd_call *c, size_t n);
void rsd_put_making_room(struct rsd_call *c, int64_t v); /* what rsd_put does where there is none */
/* The id of a handle that the thread has not been told. */
int64_t rsd_value_asking(struct rsd_call *c, int kind, int64_t value);
int64_t rsd_value_of_pointer(int64_t p); /* that may be a constant's */

#ifdef RSD_CALLS_OUT_OF_LINE

void rsd_put(struct rsd_call *c, int64_t v);
void rsd_put_peer(struct rsd_call *c, int rank);
void rsd_put_tag(struct rsd_call *c, int tag);
void rsd_put_buffer(struct rsd_call *c, const void *p);
int64_t *rsd_room(struct rsd_call *c, size_t n);
int64_t rsd_value_peer(struct rsd_call *c, int rank);
int64_t rsd_value_tag(struct rsd_call *c, int tag);
int64_t rsd_value_buffer(struct rsd_call *c, const void *p);
int64_t rsd_value_comm(struct rsd_call *c, MPI_Comm h);
int64_t rsd_value_datatype(struct rsd_call *c, MPI_Datatype h);
int64_t rsd_value_op(struct rsd_call *c, MPI_Op h);
int64_t rsd_value_group(struct rsd_call *c, MPI_Group h);
int64_t rsd_value_win(struct rsd_call *c, MPI_Win h);
int64_t rsd_value_file(struct rsd_call *c, MPI_File h);
int64_t rsd_value_info(struct rsd_call *c, MPI_Info h);

#else

#include "handle.h"
#include "runtime.h"

/* As it is. */
static inline void rsd_put(struct rsd_call *c, int64_t v)
{
	if (__builtin_expect(c->at < c->end, 1))
		*c->at++ = v;
	else
		rsd_put_making_room(c, v);
}

/* rsd_values, which mostly has to take a look only. */
static inline int64_t *rsd_room(struct rsd_call *c, size_t n)
{
	int64_t *at = c->at;

	if (__builtin_expect((char *)c->end - (char *)at < (ptrdiff_t)(n * sizeof(*at)), 0))
		return rsd_values(c, n);
	c->at = at + n;
	return at;
}

/* PROC_NULL, ANY_SOURCE, ROOT become constants. */
static inline int64_t rsd_value_peer(struct rsd_call *c, int rank)
{
	(void)c;
	return __builtin_expect(rank >= 0, 1) ? rank : rsd_constant_of(RSD_G_PEER, rank);
}

/* ANY_TAG. */
static inline int64_t rsd_value_tag(struct rsd_call *c, int tag)
{
	(void)c;
	return __builtin_expect(tag >= 0, 1) ? tag : rsd_constant_of(RSD_G_TAG, tag);
}

/* 0, MPI_BOTTOM, MPI_IN_PLACE, NULL ... */
static inline __attribute__((always_inline)) int64_t rsd_value_buffer(
	struct rsd_call *c, const void *p)
{
	(void)c;
	return __builtin_expect(rsd_may_be_constant(RSD_G_BUFFER, RSD_HANDLE(p)), 0)
		       ? rsd_value_of_pointer(RSD_HANDLE(p))
		       : 0;
}

static inline void rsd_put_peer(struct rsd_call *c, int rank)
{
	rsd_put(c, rsd_value_peer(c, rank));
}

static inline void rsd_put_tag(struct rsd_call *c, int tag)
{
	rsd_put(c, rsd_value_tag(c, tag));
}

static inline void rsd_put_buffer(struct rsd_call *c, const void *p)
{
	rsd_put(c, rsd_value_buffer(c, p));
}

/* The id of a handle that the call was given; it is recorded. */
static inline int64_t rsd_value_handle(struct rsd_call *c, int kind, int64_t value)
{
	const struct rsd_known *k = rsd_known_of(c->t->known, kind, value);

	return __builtin_expect(rsd_known_holds(k, kind, value), 1)
		       ? k->id
		       : rsd_value_asking(c, kind, value);
}

#define RSD_VALUE_HANDLE(name, type, kind)                                                         \
	static inline int64_t rsd_value_##name(struct rsd_call *c, type h)                         \
	{                                                                                          \
		return rsd_value_handle(c, kind, RSD_HANDLE(h));                                   \
	}
RSD_VALUE_HANDLE(comm, MPI_Comm, RSD_G_COMM)
RSD_VALUE_HANDLE(datatype, MPI_Datatype, RSD_G_DATATYPE)
RSD_VALUE_HANDLE(op, MPI_Op, RSD_G_OP)
RSD_VALUE_HANDLE(group, MPI_Group, RSD_G_GROUP)
RSD_VALUE_HANDLE(win, MPI_Win, RSD_G_WIN)
RSD_VALUE_HANDLE(file, MPI_File, RSD_G_FILE)
RSD_VALUE_HANDLE(info, MPI_Info, RSD_G_INFO)

#endif

#endif
