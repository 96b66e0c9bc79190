/* write.h - what commands that write a trace share */
#ifndef RSD_WRITE_H
#define RSD_WRITE_H

#include "trace_file.h"

/* The format called 'name'; false where there is none. */
bool rsd_write_is_format(const char *name, enum rsd_format *out);
/* The same; false after a message where there is none. */
bool rsd_write_format(const char *name, enum rsd_format *out);
/*
 * False after a message where the trace that was 'path' can't be written there: its own file may be replaced where nothing is lost by
 * it, but not one of the files of its ranks, nor by events without loops.
 */
bool rsd_write_may_replace(const char *path, const char *output, enum rsd_format format);
/* Writes the trace; a signal that ends the program leaves no unfinished file. What the format has no place for is told. The exit code, after a message where it failed. */
int rsd_write_trace(const struct rsd_trace *t, const char *path, enum rsd_format format);

#endif
