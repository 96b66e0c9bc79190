/*
 * call_inline.h - those parts of call.h that each call goes through, in line
 *
 * Included by call.h, but where RSD_CALLS_OUT_OF_LINE says that wrappers are to stand for themselves: to see
 * which PMPI functions they call, they are linked with stand-ins for all that they take of the runtime.
 */
#ifndef RSD_CALL_INLINE_H
#define RSD_CALL_INLINE_H

#include "call.h"

void rsd_put_making_room(struct rsd_call *c, int64_t v); /* what rsd_put does where there is none */
/* A negative number that may have a name. */
void rsd_put_special(struct rsd_call *c, int group, int v);

static inline void rsd_put(struct rsd_call *c, int64_t v)
{
	if (__builtin_expect(c->at < c->end, 1))
		*c->at++ = v;
	else
		rsd_put_making_room(c, v);
}

static inline void rsd_put_peer(struct rsd_call *c, int rank)
{
	if (rank >= 0)
		rsd_put(c, rank);
	else
		rsd_put_special(c, RSD_G_PEER, rank);
}

static inline void rsd_put_tag(struct rsd_call *c, int tag)
{
	if (tag >= 0)
		rsd_put(c, tag);
	else
		rsd_put_special(c, RSD_G_TAG, tag);
}

#endif
