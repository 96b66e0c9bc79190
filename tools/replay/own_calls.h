/*
 * own_calls.h - what those that look ahead in a thread's calls have in common
 */
#ifndef RSD_OWN_CALLS_H
#define RSD_OWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct rsd_func;
struct rsd_replay;

/* Does the thread, on this rank, call any such function, other than from callbacks? */
bool rsd_own_calls_have(
	const struct rsd_replay *r, int thread, bool (*is)(const struct rsd_func *f));
/* By parameter: where its values are in the vector of a call. */
void rsd_own_calls_split(const struct rsd_func *f, const int64_t *val, const int64_t **at);

#endif
