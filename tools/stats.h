/*
 * stats.h - calls, bytes and times of a trace, added up by function, call site, rank, communicator or size of message
 *
 * From columns, without going through the calls, as far as each place's columns tell the key of all its calls. Places whose calls differ in
 * it (communicator, size of message) are gone through, call by call, and their times, which are kept for the
 * place as a whole, shared out evenly.
 */
#ifndef RSD_STATS_H
#define RSD_STATS_H

#include "format.h"
#include "tool.h"
#include "volume.h"

enum rsd_stats_key {
	RSD_BY_FUNCTION,
	RSD_BY_SITE,
	RSD_BY_RANK,
	RSD_BY_COMM,
	RSD_BY_MESSAGE,
	RSD_BY_CLASS, /* of functions; rows have no single function */
};

struct rsd_stats_row {
	int func;     /* -1: of all */
	int64_t key;  /* rank, or number of the key's text; 0: by function */
	size_t place; /* the first that is in it */
	struct rsd_volume v;
	struct rsd_histogram dur,
		before; /* durations; computation before these calls. Without values: no times */
};

struct rsd_stats {
	const struct rsd_trace *t;
	struct rsd_format *f;
	enum rsd_stats_key by;
	bool merged;   /* all functions of a key are one row */
	bool one_rank; /* only 'rank' */
	int rank;
	bool no_walk; /* a place whose calls differ in their size counts as what they are on average */
	struct rsd_stats_row *row;
	size_t nr_rows, alloc_rows;
	struct rsd_map row_by_key;
	struct rsd_strings keys;
	struct rsd_progress progress;
	unsigned char *walked; /* by place: its calls are gone through */
};

/* Fills the rows; t, f, by, merged and one_rank are set, all else 0. 0, or an error after a message. */
int rsd_stats_collect(struct rsd_stats *s);
/* The rows of 's', by function or class, out of those by site. 0 or RSD_ERR_NOMEM. */
int rsd_stats_regroup(struct rsd_stats *s, const struct rsd_stats *sites);
void rsd_stats_release(struct rsd_stats *s);
/* The key of a row as text: a rank's number, a site ...; "" by function. */
void rsd_stats_key_text(
	const struct rsd_stats *s, const struct rsd_stats_row *r, struct rsd_buf *out);

/* stats_order.c */
enum rsd_stats_order {
	RSD_SORT_TIME,
	RSD_SORT_BEFORE,
	RSD_SORT_CALLS,
	RSD_SORT_BYTES,
	RSD_SORT_KEY
};
/* Largest first; rows that are equal in it by time, calls, function and key. Ranks and sizes by KEY ascend. */
void rsd_stats_sort(struct rsd_stats *s, enum rsd_stats_order order);

#endif
