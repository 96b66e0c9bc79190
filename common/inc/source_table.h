/*
 * source_table.h - source lines of frames, as a trace carries them once they were looked up
 *
 *	(module, offset)  ->  frame[0], inlined into frame[1], inlined into ... frame[nr - 1]
 *
 * An entry without frames says that nothing is known of the place: it need not be looked up again.
 * Modules are numbers of the trace's table of them. The first entry of a place stays.
 */
#ifndef RSD_SOURCE_TABLE_H
#define RSD_SOURCE_TABLE_H

#include <stdbool.h>
#include "hash.h"
#include "stack_sig.h"

struct rsd_source_frame { /* a text may be NULL, line and column 0: unknown */
	const char *function, *file;
	uint32_t line, column;
};

struct rsd_source {
	int module;
	uint64_t offset;
	struct rsd_source_frame *frame; /* owned by the table */
	size_t nr;
};

struct rsd_source_table {
	struct rsd_source *entry; /* in the order in which they came */
	size_t nr, alloc;
	struct rsd_map by_place; /* hash of the place to the entry */
};

/* Frees frames and their texts, for those who made them. */
void rsd_source_frames_free(struct rsd_source_frame *frame, size_t nr);
void rsd_source_table_release(struct rsd_source_table *t);
/* NULL: the place is not in the table. Valid until the next one is added. */
const struct rsd_source *rsd_source_table_find(
	const struct rsd_source_table *t, int module, uint64_t offset);
/*
 * Adds a place, whose frames are copied, unless it is there: *known, if not NULL, says so. An empty text is
 * an unknown one. 0 or RSD_ERR_NOMEM.
 */
int rsd_source_table_add(struct rsd_source_table *t, int module, uint64_t offset,
	const struct rsd_source_frame *frame, size_t nr, bool *known);
/* Adds what 'src' has, with the modules of 'to' for those of 'from', which are matched by content. 0 or RSD_ERR_NOMEM. */
int rsd_source_table_import(struct rsd_source_table *dst, struct rsd_sigs *to,
	const struct rsd_source_table *src, const struct rsd_sigs *from);

void rsd_source_table_encode(const struct rsd_source_table *t, struct rsd_buf *out);
/* 't' is empty, and stays so in error; the modules are numbers below nr_modules. */
int rsd_source_table_decode(struct rsd_source_table *t, size_t nr_modules, struct rsd_reader *in);

#endif
