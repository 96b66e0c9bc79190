/*
 * transfer.h - a trace as bytes, for messages and for the binary file
 *
 * The same bytes serve both. Decoding checks everything that can be checked
 * without walking: a count never exceeds what the bytes left could hold, every
 * index is in its table, every tree is finite and at most RSD_TREE_DEPTH deep, every logged
 * event is laid out as its function says. Whether columns are as long as the
 * tree says is left to the walk (walk.h), which finds out as it reads.
 */
#ifndef RSD_TRANSFER_H
#define RSD_TRANSFER_H

#include "trace.h"

#define RSD_TRACE_MAX_RANKS (1 << 26) /* largest world a trace may be of */
#define RSD_TRACE_MAX_PARAMS 100      /* of one function */
#define RSD_TRACE_MAX_NESTED 1000     /* depth of callbacks */
#define RSD_TRACE_MAX_META 1000	      /* keys in the header */
#define RSD_TREE_DEPTH 1000	      /* loops inside each other */

/* Appends the trace to 'out'; a failure is in out->err. */
void rsd_trace_encode(const struct rsd_trace *t, struct rsd_buf *out);
/*
 * 0 with *out set (caller frees with rsd_trace_free), or an error; then 'why',
 * if not NULL, gets a text with the offset: "offset 812: loop body of 0 nodes".
 */
int rsd_trace_decode(struct rsd_trace **out, struct rsd_reader *in, struct rsd_buf *why);

/*
 * The checks that decoding shares with the readers of text: 0, or RSD_ERR_FORMAT with
 * "place 7: ..." in 'why' (may be NULL). Functions, ranks and columns are sound by themselves.
 */
int rsd_trace_verify(const struct rsd_trace *t, struct rsd_buf *why);
/* Objects stand by kind and id, trees by thread: does this one come after all there are? (Else
 * reading would be quadratic.) */
bool rsd_trace_object_is_next(const struct rsd_trace *t, int kind, int64_t id);
/*
 * Of a trace that has been read: a rank that has a part of what a thread recorded (RSD_PART) has the ones
 * before, and none is empty, or the trace is marked incomplete. 0 or RSD_ERR_NOMEM.
 */
int rsd_trace_check_parts(struct rsd_trace *t);
bool rsd_trace_tree_is_next(const struct rsd_trace *t, int thread);
/* Is a function of this shape allowed in a trace? */
bool rsd_func_is_valid(const struct rsd_func *f);

#endif
