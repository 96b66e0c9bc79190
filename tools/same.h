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

#endif
