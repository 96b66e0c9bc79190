/*
 * compare.h - two traces, rank by rank, thread by thread and call by call
 */
#ifndef RSD_COMPARE_H
#define RSD_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include "source.h"

struct rsd_compare_options {
	bool ignore_sites;
	int64_t rank; /* only this one; below 0: all */
	int64_t max;  /* differences to show: where that many threads differ first */
	bool hints;   /* name the options of rsd diff that help */
	struct rsd_source_options source;
	/* Calls of the first trace that are not looked for in the second; NULL: none. */
	bool (*leave_out)(const struct rsd_event *e, void *arg);
	/* Calls of the first trace that the second may lack; NULL: none. */
	bool (*may_lack)(const struct rsd_event *e, void *arg);
	void *arg;
};

/* Prints the first differences on stdout. The exit code: 0 equal, 1 different, 2 after a message. */
int rsd_compare(const char *path_a, const char *path_b, const struct rsd_compare_options *opt);

#endif
