/*
 * merge_tables.h - the tables of one trace imported into another: what its numbers become there
 *
 * Strings, constants, functions and signatures are matched by content, so an
 * index of trace 'b' has another number in 'a'. Ranks of one program mostly
 * number alike; then every map is the identity and costs nothing further.
 */
#ifndef RSD_MERGE_TABLES_H
#define RSD_MERGE_TABLES_H

#include "trace.h"

struct rsd_merge_map {
	int *func, *sig, *place; /* index in b -> index in a; a sig not asked for yet is -1 */
	int64_t *string;	 /* id in b -> id in a */
	int *constant;		 /* index in b -> index in a */
	size_t nr_strings, nr_constants;
	bool strings_differ;   /* some string has another id in a */
	bool constants_differ; /* some constant has another index in a */
	bool places_differ; /* some place has another index in a; known after the places are mapped */
};

/*
 * Adds b's strings, constants and functions to 'a' and fills in 'm' (which
 * is released whatever comes back). RSD_ERR_NOMEM; RSD_ERR_MISMATCH where one
 * function name has two parameter lists.
 */
int rsd_merge_map_init(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b);
void rsd_merge_map_release(struct rsd_merge_map *m);

/* Finds or adds the places of 'b' in 'a'; signatures and modules come along as needed. */
int rsd_merge_map_places(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b);

/* A value that may be a constant, as 'a' writes it. */
int64_t rsd_merge_map_value(const struct rsd_merge_map *m, int64_t v);

/*
 * Replaces in a column over ranks of 'b' whatever is numbered otherwise in 'a':
 * constants, and the values themselves where they are string ids ('strings').
 */
int rsd_merge_map_params(const struct rsd_merge_map *m, struct rsd_params *p, bool strings);

/* True for each column of the function (rsd_func_columns) that holds string ids. */
bool rsd_func_column_is_string(const struct rsd_func *f, int col);

/* Replaces the bytes of a log of 'b' by those with places, strings and constants as in 'a'. */
int rsd_merge_map_log(
	const struct rsd_merge_map *m, const struct rsd_trace *b, struct rsd_buf *log);

#endif
