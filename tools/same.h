/*
 * same.h - do two events of two traces mean the same?
 *
 * Each trace has its own tables, so indices are never compared: functions and
 * constants are by name, strings by content, call sites by module (build id, or file
 * name where one has none) and offset. Handles, requests and numbers are by value. Time is not
 * compared.
 */
#ifndef RSD_SAME_H
#define RSD_SAME_H

#include <stdbool.h>
#include "trace.h"

struct rsd_same;
/* Borrows both. NULL: out of memory. */
struct rsd_same *rsd_same_new(
	const struct rsd_trace *a, const struct rsd_trace *b, bool ignore_sites);
void rsd_same_free(struct rsd_same *s);
/* Function, nesting and values; with rsd_same_event the stacks too, unless they are ignored. */
bool rsd_same_values(struct rsd_same *s, const struct rsd_event *a, const struct rsd_event *b);
bool rsd_same_event(struct rsd_same *s, const struct rsd_event *a, const struct rsd_event *b);

/* Do constants, strings and communicators have the same numbers in both, so that equal columns are equal values? */
bool rsd_same_tables(const struct rsd_same *s);
/* Are calls at place 'x' of the first trace equal to those at 'y' of the second, as far as values are? */
bool rsd_same_place(struct rsd_same *s, int x, int y);

#endif
