/*
 * line.h - line number programs, versions 2 to 5
 *
 * A program is run once; what is kept are its sequences, sorted by address, each with its rows. A
 * sequence that does not lie wholly in one stretch of code is dead, and dropped.
 */
#ifndef RSD_SYMBOLIZE_LINE_H
#define RSD_SYMBOLIZE_LINE_H

#include "dwarf.h"

struct rsd_line_row {
	uint64_t addr;
	uint32_t file, line;
	uint16_t column; /* 0 where it does not fit */
	uint16_t discriminator;
};

struct rsd_line_sequence {
	uint64_t lo, hi;
	uint64_t max_hi;  /* of this and all before it: sequences may overlap */
	size_t first, nr; /* rows, without the one that ends it */
};

struct rsd_line_file {
	const char *name; /* borrowed */
	uint64_t dir;
	char *path; /* put together at the first use; owned */
};

struct rsd_lines {
	uint16_t version;
	const char **dir; /* borrowed strings, NULL: malformed */
	size_t nr_dirs, alloc_dirs;
	struct rsd_line_file *file; /* file[0] is number 0 of version 5, number 1 before */
	size_t nr_files, alloc_files;
	struct rsd_line_row *row;
	size_t nr_rows, alloc_rows;
	struct rsd_line_sequence *sequence;
	size_t nr_sequences, alloc_sequences;
};

/*
 * The line table of the unit; for a split unit that has none of its own, the skeleton's. Its rows
 * are checked against the code of 'code'. NULL: none, or malformed, or no memory. Borrowed from the
 * dwarf.
 */
struct rsd_lines *rsd_unit_lines(struct rsd_unit *u, const struct rsd_object *code);
void rsd_lines_free(struct rsd_lines *l);

/* The row that covers 'addr'; NULL: none. */
const struct rsd_line_row *rsd_lines_find(const struct rsd_lines *l, uint64_t addr);
/* The path of file number 'file' as the table numbers them; NULL: unknown. Owned by the table. */
const char *rsd_lines_path(struct rsd_lines *l, const struct rsd_unit *u, uint64_t file);

#endif
