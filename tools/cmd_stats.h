/* cmd_stats.h - what cmd_stats.c, cmd_stats_page.c and cmd_stats_size.c share: rsd stats */
#ifndef RSD_CMD_STATS_H
#define RSD_CMD_STATS_H

#include "format.h"
#include "table.h"

/* rsd stats --by size: the bytes that tables, loops and columns take in the trace, the 'top' largest. The exit code. */
int rsd_stats_by_size(const struct rsd_trace *t, const struct rsd_format *f,
	enum rsd_table_format format, size_t top, struct rsd_out *out);

/* rsd stats on a page: the run as a whole, the 'top' first functions and call sites, balance of ranks, sizes of messages. The exit
 * code. */
int rsd_stats_page(const struct rsd_trace *t, const char *path, struct rsd_format *f, size_t top,
	bool color, struct rsd_out *out);

#endif
