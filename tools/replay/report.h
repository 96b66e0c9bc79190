/*
 * report.h - what a replay has to say at its end: times beside the recorded ones, calls that were not made
 */
#ifndef RSD_REPORT_H
#define RSD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash.h"
#include "opstruct.h"

struct rsd_skipped {
	char *what; /* "MPI_Comm_spawn: starts programs" */
	uint64_t nr;
};

struct rsd_report {
	uint64_t *ns, *calls;  /* by function in rsd_funcs */
	uint64_t *recorded;    /* ns, by function: of traces that have each call's times */
	uint64_t recorded_end; /* ns: when the last of those calls ended */
	struct rsd_skipped *skipped;
	size_t nr_skipped, alloc_skipped;
	uint64_t start_ns, wall_ns;
	uint64_t mapped; /* bytes of buffers */
};

struct rsd_trace;
/* 0 or RSD_ERR_NOMEM. */
int rsd_report_init(struct rsd_report *rep);
void rsd_report_release(struct rsd_report *rep);
/* A call was made and took so long. From any thread. */
void rsd_report_call(struct rsd_report *rep, int func, uint64_t ns);
/* The same call in the traced run, where that has its times. */
void rsd_report_recorded(struct rsd_report *rep, int func, const struct rsd_event *e);
/* A call of 'func' that was not made, and why. */
void rsd_report_skip(struct rsd_report *rep, const char *func, const char *why);
/* Adds up over the ranks, with PMPI, and prints at rank 0. How many calls were not made, at rank 0. */
uint64_t rsd_report_print(
	struct rsd_report *rep, const struct rsd_trace *t, int rank, int nprocs, bool quiet);

#endif
