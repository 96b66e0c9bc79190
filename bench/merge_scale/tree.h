/*
 * tree.h - MPI_Finalize of many ranks, one after the other
 *
 * Each rank is recorded when its turn comes, and merges what its children send, in the
 * order of radix_tree.h and as bytes, as level_glob.c does. Children come before their
 * parents, so there are as many traces at a time as the tree is deep.
 */
#ifndef TREE_H
#define TREE_H

#include "patterns.h"
#include "trace.h"

struct tree_cost {
	double path; /* CPU seconds until the root has the trace, were all ranks to run at once */
	double merging, recording; /* CPU seconds of all ranks */
	size_t peak;	/* bytes: of the rank that took the most memory, with what it recorded */
	size_t message; /* bytes: the longest */
};

/* The trace of all ranks (freed by the caller), settled. NULL on error, with a text on stderr. */
struct rsd_trace *tree_merge(const struct pattern *p, int nprocs, struct tree_cost *cost);

#endif
