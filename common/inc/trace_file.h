/*
 * trace_file.h - trace files: rsd text, ascii, binary, flat logs; read and write
 *
 * doc/trace-format specifies the bytes. A file is written to a side file in
 * the same directory, synced, then renamed: an older trace is never lost to a
 * failed write. A reader finds out by itself which format a file has.
 */
#ifndef RSD_TRACE_FILE_H
#define RSD_TRACE_FILE_H

#include "buf.h"
#include "stream.h"
#include "trace.h"
#include "walk.h"

enum rsd_format { RSD_FORMAT_RSD, RSD_FORMAT_ASCII, RSD_FORMAT_BINARY };

/* Writes 't' to 'path'. 0, or an error with a text in 'why' ("cannot write 'x': No space left on
 * device"). */
int rsd_trace_write(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why);

/* The same, but that an end of the machine may undo the rename until rsd_file_sync_name(path) has returned. */
int rsd_trace_write_early(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why);

/*
 * What one rank recorded after its trace had been written, or before the rest of it (RSD_PART), is a section of its
 * own, which readers join in. This gives its bytes; 'format' is the file's.
 */
int rsd_trace_section(const struct rsd_trace *t, enum rsd_format format, struct rsd_buf *out,
	struct rsd_buf *why);
/* Appends such a section to the trace file at 'path', under a file lock, in one piece. */
int rsd_trace_append_section(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why);

/* A file being written: the side file, renamed at the end. What rsd_trace_write is made of; flat
 * logs use it too. */
struct rsd_file;
int rsd_file_create(struct rsd_file **out, const char *path, struct rsd_buf *why);
/* The same beside a file for this path that is being written already. */
int rsd_file_create_early(struct rsd_file **out, const char *path, struct rsd_buf *why);
int rsd_file_write(struct rsd_file *f, const void *p, size_t len); /* buffered; sticky error */
/* Writes the first 'len' bytes of the file 'from' is open for. 0, or an error of reading. */
int rsd_file_copy(struct rsd_file *f, int from, uint64_t len);
/* keep: what is written stays in memory until the first write after this is set back. */
void rsd_file_keep(struct rsd_file *f, bool keep);
/* What was written so far: the first *len bytes of the file whose name is returned (the caller frees it), then 'rest'. NULL: not to be had. */
char *rsd_file_so_far(const struct rsd_file *f, uint64_t *len, struct rsd_buf *rest);
/* Syncs, renames, frees 'f' (also on error, when the side file is removed). A device such as
 * /dev/null is written in place. */
int rsd_file_commit(struct rsd_file *f, struct rsd_buf *why);
/* The same in two steps: all but that the name in its directory is on the disk as well; and that, for the path it was made with. */
int rsd_file_rename(struct rsd_file *f, struct rsd_buf *why);
void rsd_file_sync_name(const char *path);
void rsd_file_abandon(struct rsd_file *f);
/* What this process calls the side file of 'path', for those who must remove it when they are ended. NULL: no memory. Caller frees. */
char *rsd_file_side(const char *path);
/* Could a file be written there? Makes and removes the side file; a device or pipe is not opened. Errors are those of rsd_file_create. */
int rsd_file_try(const char *path, struct rsd_buf *why);
/* Appends to a file there is, under a lock, all or nothing. */
int rsd_file_append(const char *path, const void *p, size_t len, struct rsd_buf *why);
/* The same, and before it the first 'nr' bytes of the file 'from' is open for. */
int rsd_file_append_both(
	const char *path, int from, uint64_t nr, const void *p, size_t len, struct rsd_buf *why);

/*
 * A flat (dump) trace of one rank, written while it is recorded, in any format; memory is
 * that of its tables. Each thread collects its events with rsd_flat_put and hands
 * them over a block at a time:
 *
 *	rsd_flat_file_begin(&f, path, format, &ctx, why);
 *	rsd_flat_file_block(f, thread, stream, log.data, log.len);	again and again
 *	t = rsd_flat_file_trace(f);	set meta, completeness and objects of t
 *	rsd_flat_file_finish(f, why);
 *
 * Places in a block are indices of that thread's stream, of which only funcs and places are
 * read; string ids and signature ids are those of ctx->strings and ctx->sigs. Not
 * thread-safe: the caller holds a lock that also keeps ctx's tables still during each call.
 */
struct rsd_flat_file;
/* Keeps a copy of *ctx; what it points to must live until the end. */
int rsd_flat_file_begin(struct rsd_flat_file **out, const char *path, enum rsd_format format,
	const struct rsd_stream_context *ctx, struct rsd_buf *why);
/* Writes 'len' bytes of whole events. A failed write is sticky and reported by finish. */
int rsd_flat_file_block(struct rsd_flat_file *f, int thread, const struct rsd_stream *s,
	const void *log, size_t len);
/* The trace being made, already with nprocs and rank; its places, functions, strings, signatures
 * and logs are f's business. */
struct rsd_trace *rsd_flat_file_trace(struct rsd_flat_file *f);
/*
 * The file as it would be if it ended here: the first *len bytes of the file whose name is returned (the caller frees it), and then
 * 'rest'. Of the trace, meta, completeness and objects are set as for finish. Between keep and so_far nothing is
 * written to the disk, so that a thread without the file's descriptor can call them. NULL: it can't be had.
 */
void rsd_flat_file_keep(struct rsd_flat_file *f, bool keep);
char *rsd_flat_file_so_far(struct rsd_flat_file *f, uint64_t *len, struct rsd_buf *rest);
/* Writes the tables and the end, commits the file, frees 'f' (also on error). */
int rsd_flat_file_finish(struct rsd_flat_file *f, struct rsd_buf *why);
void rsd_flat_file_abandon(struct rsd_flat_file *f);

/*
 * Reads FILE; where there is none, FILE.<rank> for all ranks there are, which are merged
 * in memory. 0 with *out, or an error with "FILE:offset: what is wrong" in 'why'.
 * Sections that ranks appended after MPI_Finalize are joined in. Ranks that are
 * missing make the trace incomplete.
 */
int rsd_trace_read(struct rsd_trace **out, const char *path, struct rsd_buf *why);
/* The same from memory, of any format; texts begin with "offset N: ". */
int rsd_trace_read_bytes(struct rsd_trace **out, const void *data, size_t len, struct rsd_buf *why);
/* Is 'file', however its name is spelled, one of those that rsd_trace_read(path) reads? */
bool rsd_trace_is_read_from(const char *path, const char *file);

#endif
