/*
 * report.h - what rsd report gathers from a trace, and how it becomes one JSON document
 *
 *	place --classes--> ranks that do the same there
 *	      --volume.h-> rows: calls, bytes, times of a (call site, function)
 *	      --joint----> sizes of messages; flows: who sends to whom --links--> sets of ranks and a distance
 *	tree  -----------> loops, and how long they took, by the times of the places in them
 *
 * All of it comes from columns and loop counts: no run is expanded, but for flat logs, and for the timeline, of
 * which the trace keeps every call's times. The page does the sums that people ask for.
 */
#ifndef RSD_REPORT_H
#define RSD_REPORT_H

#include <jansson.h>
#include "format.h"
#include "groups.h"
#include "links.h"
#include "load.h"
#include "tool.h"
#include "volume.h"

#define REPORT_SIZES                                                                               \
	64 /* sizes of messages: bin b holds those of 2^(b-1) .. 2^b - 1 bytes, bin 0 empty ones */

struct report_row {	/* of a call site and function */
	int func, site; /* site: number of its text */
	struct rsd_volume v;
	uint64_t timed, total_ns, min_ns, max_ns;
	struct rsd_histogram before; /* computation before the calls */
	int min_rank, max_rank;	     /* -1: not known */
	uint32_t bin[RSD_HISTOGRAM_BINS];
	uint64_t size_calls[REPORT_SIZES];
	double size_bytes[REPORT_SIZES];
};

struct report_spot { /* of a call stack and function: what the tree of calls has at its ends */
	int func, sig;
	size_t row;
	struct rsd_volume v;
	uint64_t ns;
};

struct report {
	const struct rsd_trace *t;
	struct rsd_format *f;
	const struct rsd_sources *sources; /* or NULL */
	struct report_spot *spot;
	size_t nr_spots, alloc_spots;
	struct rsd_map spot_by_key;
	struct report_row *row;
	size_t nr_rows, alloc_rows;
	struct rsd_map row_by_key;
	struct rsd_strings sites;
	size_t *row_of_place; /* SIZE_MAX: it is never called */
	struct report_load load;
	struct report_links links;
	struct report_groups *groups;
	struct report_pair *pair; /* of events, see flows.c */
	size_t nr_pairs, alloc_pairs;
	struct rsd_map pair_by_key;
	bool cut; /* some columns were too irregular for all of their messages to be seen */
	bool types_shared; /* every datatype has one size on all ranks */
	struct rsd_progress progress;
};

/* gather.c: all numbers. 0 or an error; 'r' is zeroed but for t and f, and released by the caller. */
int report_gather(struct report *r);
void report_release(struct report *r);

/* flows.c: sizes of messages and who sends to whom, of a place (which has calls), or an event. */
int report_flows_of_place(struct report *r, const struct rsd_place *p, struct report_row *row);
int report_flows_of_event(struct report *r, const struct rsd_event *e, struct report_row *row);
int report_flows_finish(struct report *r); /* events' flows become links */

/*
 * Parts of the document; NULL: out of memory. Texts of a trace become UTF-8 without control characters.
 */
json_t *report_text(const char *s, size_t len);
json_t *report_summary_json(const struct report *r, const char *path);
json_t *report_rows_json(const struct report *r);
json_t *report_load_json(const struct report *r);
json_t *report_links_json(const struct report *r);
json_t *report_loops_json(struct report *r);
json_t *report_paths_json(struct report *r);
json_t *report_timeline_json(struct report *r); /* null where not every call's times were kept */

#endif
