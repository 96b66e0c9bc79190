/*
 * summary_column.h - the values of one column in a few words: summary.h's innermost part
 */
#ifndef RSD_SUMMARY_COLUMN_H
#define RSD_SUMMARY_COLUMN_H

#include "summary.h"

struct rsd_meaning { /* how values of a column are shown */
	int role;
	int64_t size; /* of the communicator that relative peers are in; 0: unknown */
	int64_t own; /* the rank in it of the only rank that is asked for; -1: several, or unknown */
};

/* Text that is no single value: in JSON it becomes a string. */
void rsd_summary_words(
	const struct rsd_summary *s, const struct rsd_buf *text, struct rsd_buf *out);
/* "2*rank+3". */
void rsd_summary_expression(int64_t a, int64_t b, struct rsd_buf *out);
/* A column as it is; where 'each' is above 0, as arrays of that many elements. */
void rsd_summary_column(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	const struct rsd_column *col, int64_t each, struct rsd_buf *out);

#endif
