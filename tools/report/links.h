/*
 * links.h - who sends to whom, as sets of ranks that all do alike
 *
 *	link = row, set of senders, distance or destination, messages and bytes of each sender
 *
 * So a stencil's four directions are four links, whatever the number of ranks, and the page
 * works out each part of the matrix when it is looked at. Where there are more than REPORT_MOST_LINKS, those of further rows
 * are added up without their rows. What is too irregular for links (more than REPORT_MOST_FEW that few ranks have alike) goes into two rasters, whose cells are squares of many ranks: all of it, and by row. They begin with
 * REPORT_RASTER x REPORT_RASTER cells, and get coarser as they fill.
 */
#ifndef RSD_REPORT_LINKS_H
#define RSD_REPORT_LINKS_H

#include "hash.h"
#include "rank_recursive.h"

#define REPORT_MOST_LINKS 40000
#define REPORT_MOST_FEW 6000 /* links of a few senders */
#define REPORT_OTHERS                                                                              \
	SIZE_MAX /* the row of links beyond: sets and distances are right, call sites unknown */
#define REPORT_MOST_RUNS 60000 /* of all sets together */
#define REPORT_RASTER 256
#define REPORT_MOST_CELLS 10000

struct report_link {
	size_t row;
	int set;
	bool relative; /* to is a distance: (sender + to) mod size of the world */
	int64_t to;
	uint64_t messages; /* of each sender */
	double bytes;
};

struct report_cell { /* nr: messages; row: SIZE_MAX in the raster of all */
	size_t row;
	uint32_t from, to;
	double messages, bytes;
};

struct report_raster {
	int64_t width; /* ranks a cell */
	struct report_cell *cell;
	size_t nr, alloc;
	struct rsd_map by_place;
	bool by_row;
};

struct report_links {
	int64_t nr_ranks;
	struct rsd_ranks *set;
	size_t nr_sets, alloc_sets, nr_runs;
	struct rsd_map set_by_hash;
	size_t nr_few;
	struct report_link *link;
	size_t nr, alloc;
	struct rsd_map link_by_key;
	struct report_raster all, by_row;
	/* flows of the row being added, rank by rank: senders by what they have in common */
	struct report_bunch *bunch;
	size_t nr_bunches, alloc_bunches;
	struct rsd_map bunch_by_key;
	double lost_messages, lost_bytes; /* to ranks that can't be told */
};

void report_links_init(struct report_links *l, int nr_ranks);
void report_links_release(struct report_links *l);
/* All of 'senders' send. Below: 0 or RSD_ERR_NOMEM. */
int report_links_add(struct report_links *l, size_t row, const struct rsd_ranks *senders,
	bool relative, int64_t to, uint64_t messages, double bytes);
/*
 * One sender of a row, and once each of its receivers. Senders come in ascending order; report_links_flush ends
 * that.
 */
int report_links_add_one(struct report_links *l, size_t row, int sender, int receiver,
	uint64_t messages, double bytes);
int report_links_flush(struct report_links *l, size_t row);

#endif
