/*
 * own_calls.h - what the player and those that look ahead have in common: a thread's calls on this rank
 */
#ifndef RSD_OWN_CALLS_H
#define RSD_OWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct rsd_arg;
struct rsd_func;
struct rsd_replay;

/* Does the thread, on this rank, call any such function, other than from callbacks? */
bool rsd_own_calls_have(
	const struct rsd_replay *r, int thread, bool (*is)(const struct rsd_func *f));
/* Takes the value vector of a call of 'f' apart, by parameter. */
void rsd_own_calls_split(const struct rsd_func *f, const int64_t *val, struct rsd_arg *arg);

#endif
