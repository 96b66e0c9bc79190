/*
 * transfer.h - a trace as bytes, for messages and for the binary file
 *
 * The same bytes serve both. Decoding checks everything: a count never exceeds
 * what the bytes left could hold, every index is in its table, every tree is
 * finite, every column is as long as a walk would read.
 */
#ifndef RSD_TRANSFER_H
#define RSD_TRANSFER_H

#include "trace.h"

/* Appends the trace to 'out'; a failure is in out->err. */
void rsd_trace_encode(const struct rsd_trace *t, struct rsd_buf *out);
/*
 * 0 with *out set (caller frees with rsd_trace_free), or an error; then 'why',
 * if not NULL, gets a text with the offset: "offset 812: loop body of 0 nodes".
 */
int rsd_trace_decode(struct rsd_trace **out, struct rsd_reader *in, struct rsd_buf *why);

#endif
