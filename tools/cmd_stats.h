/* cmd_stats.h - what cmd_stats.c and cmd_stats_size.c share: the tables of rsd stats */
#ifndef RSD_STATS_H
#define RSD_STATS_H

#include "format.h"
#include "table.h"

/* rsd stats --by size: the bytes that tables, loops and columns take in the trace. Returns the exit
 * code. */
int rsd_stats_by_size(const struct rsd_trace *t, const struct rsd_format *f,
	enum rsd_table_format format, struct rsd_out *out);

#endif
