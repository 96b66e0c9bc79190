/*
 * table.h - rows of cells, written aligned for people, as tab-separated values or as JSON
 */
#ifndef RSD_TABLE_H
#define RSD_TABLE_H

#include "tool.h"

enum rsd_table_format { RSD_TABLE_ALIGNED, RSD_TABLE_TSV, RSD_TABLE_JSON };

struct rsd_table_column {
	const char *name;
	bool number; /* to the right, unquoted in JSON */
};

struct rsd_table {
	const struct rsd_table_column *column; /* borrowed */
	size_t nr_columns;
	struct rsd_buf text; /* the cells, each 0-terminated */
	size_t *cell;	     /* where each begins, row after row */
	size_t nr_cells, alloc_cells;
	bool color; /* aligned: the names of the columns stand out */
	int err;    /* sticky RSD_ERR_NOMEM */
};

void rsd_table_init(struct rsd_table *t, const struct rsd_table_column *column, size_t nr_columns);
void rsd_table_release(struct rsd_table *t);
/* The next cell, row by row. An empty one means "not known": "-" aligned, null in JSON. */
void rsd_table_cell(struct rsd_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns false where memory or output failed (only the first is reported). */
bool rsd_table_print(const struct rsd_table *t, enum rsd_table_format format, struct rsd_out *out);
/* Reads "table", "tsv" or "json"; false after a message. */
bool rsd_table_parse_format(const char *s, enum rsd_table_format *out);

#endif
