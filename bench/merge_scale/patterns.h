/*
 * patterns.h - programs whose ranks do alike, but not the same
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include "rank.h"

struct pattern {
	const char *name;
	void (*run)(struct rank *r, int arg);
	int arg;
};
extern const struct pattern patterns[]; /* ends with name NULL */

/* All calls of the rank, from MPI_Init to MPI_Finalize. */
void pattern_run(const struct pattern *p, struct rank *r);

#endif
