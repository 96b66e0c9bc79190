/*
 * preload.h - programs that this one starts get the tracer
 */
#ifndef RSD_PRELOAD_H
#define RSD_PRELOAD_H

#include <stdbool.h>
#include "buf.h"

/* Sets an environment variable; 'value' is 0-terminated. False after a message. */
bool rsd_tool_set_variable(const char *name, const struct rsd_buf *value);
/*
 * The same for the name of a trace (with %p, %d, %j, %%), which is made absolute: processes may start in another
 * folder.
 */
bool rsd_tool_set_path(const char *name, const char *path);
/*
 * Puts the tracer of that level (glob, node, dump) into LD_PRELOAD, from folder 'lib_dir', or, where it
 * is NULL, from ../lib beside this program. False after a message.
 */
bool rsd_tool_preload(const char *level, const char *lib_dir);

#endif
