/*
 * trace_binary.h - the binary format: a trace's bytes (transfer.h), compressed with zstd
 *
 * A file is one section, or several; a section is the magic bytes, then chunks:
 *
 *	type, length, stored length	a byte and two varints
 *	the stored bytes		a zstd frame; or as they are, where both lengths are the
 *same checksum			8 bytes, lowest first, of all of the chunk before it
 *
 * 'L' chunks hold events of one rank and thread as they came, an 'S' chunk the source lines that were
 * looked up, the 'T' chunk is the trace and the last one. Nothing else of common/ needs zstd.
 */
#ifndef RSD_TRACE_BINARY_H
#define RSD_TRACE_BINARY_H

#include "trace.h"

#define RSD_BINARY_MAGIC "\211rsd\r\n\032\001"
#define RSD_BINARY_MAGIC_LEN 8
/* A section's bytes may take that many times what is stored, and RSD_BINARY_FREE more. */
#define RSD_BINARY_RATIO 1000
#define RSD_BINARY_FREE ((uint64_t)64 << 20)

struct rsd_binary { /* totals of the section, both ways */
	uint64_t raw, stored;
};

void rsd_binary_start(struct rsd_binary *b, struct rsd_buf *out);
/* Events as in flat.h; their places are positions among the places of the thread. */
void rsd_binary_log(struct rsd_binary *b, int rank, int thread, const void *log, size_t len,
	struct rsd_buf *out);
/* The trace with its source lines, and the section's end. */
void rsd_binary_trace(struct rsd_binary *b, const struct rsd_trace *t, struct rsd_buf *out);
/* As rsd_text_parse. */
int rsd_binary_parse(
	struct rsd_trace **out, const void *data, size_t len, size_t *pos, struct rsd_buf *why);

#endif
