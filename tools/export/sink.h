/*
 * sink.h - the file that an export writes: removed where a signal ends the program, in its place when it is whole
 */
#ifndef RSD_EXPORT_SINK_H
#define RSD_EXPORT_SINK_H

#include "buf.h"

struct rsd_sink;
/* NULL after a message. */
struct rsd_sink *rsd_sink_open(const char *path);
/* Writes what is in 'b', and empties it. 0 or an error, sticky. */
int rsd_sink_put(struct rsd_sink *s, struct rsd_buf *b);
/* Puts it in its place, or ('err', or one of writing) removes it, with a message but for RSD_ERR_FORMAT. The exit code. */
int rsd_sink_close(struct rsd_sink *s, int err);
/* Says what 'err' is, but of RSD_ERR_FORMAT; the exit code. */
int rsd_sink_code(int err);

#endif
