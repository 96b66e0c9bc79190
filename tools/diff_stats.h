/* diff_stats.h - two traces compared by their statistics: rsd diff --stats */
#ifndef RSD_DIFF_STATS_H
#define RSD_DIFF_STATS_H

#include "source.h"
#include "table.h"

struct rsd_diff_stats {
	bool ignore_sites; /* by function only */
	int64_t max;	   /* rows to show */
	bool color;
	enum rsd_table_format format;
	struct rsd_source_options source;
};

/* Prints what changed. The exit code: 0 the same calls and bytes, 1 others, 2 after a message. */
int rsd_diff_stats(const char *path_a, const char *path_b, const struct rsd_diff_stats *o);

#endif
