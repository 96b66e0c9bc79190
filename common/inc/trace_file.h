/*
 * trace_file.h - trace files: rsd text, ascii, flat logs; read and write
 *
 * doc/trace-format specifies the bytes. A file is written to a side file in
 * the same directory, synced, then renamed: an older trace is never lost to a
 * failed write. A reader finds out by itself which format a file has.
 */
#ifndef RSD_TRACE_FILE_H
#define RSD_TRACE_FILE_H

#include "buf.h"
#include "trace.h"
#include "walk.h"

enum rsd_format { RSD_FORMAT_RSD, RSD_FORMAT_ASCII, RSD_FORMAT_BINARY };

/* Writes 't' to 'path'. 0, or an error with a text in 'why' ("cannot write 'x': No space left on device"). */
int rsd_trace_write(const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why);

/* A file being written: the side file, renamed at the end. What rsd_trace_write is made of; flat logs use it too. */
struct rsd_file;
int rsd_file_create(struct rsd_file **out, const char *path, struct rsd_buf *why);
int rsd_file_write(struct rsd_file *f, const void *p, size_t len);	/* buffered; sticky error */
/* Syncs, renames, frees 'f' (also on error, when the side file is removed). A device such as /dev/null is written in place. */
int rsd_file_commit(struct rsd_file *f, struct rsd_buf *why);
void rsd_file_abandon(struct rsd_file *f);

/*
 * Reads FILE; where there is none, FILE.<rank> for all ranks there are, which are merged
 * in memory. 0 with *out, or an error with "FILE:offset: what is wrong" in 'why'.
 * Sections that ranks appended after MPI_Finalize are joined in.
 */
int rsd_trace_read(struct rsd_trace **out, const char *path, struct rsd_buf *why);

#endif
