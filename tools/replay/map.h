/*
 * map.h - how the trace's functions, constants and call sites are called here
 */
#ifndef RSD_REPLAY_MAP_H
#define RSD_REPLAY_MAP_H

#include <stdbool.h>

struct rsd_replay;

/* Fills r->func, r->constant, r->sig from r->trace. False after messages (tool.h) on what this MPI lacks. */
bool rsd_replay_map(struct rsd_replay *r);
/* Index in rsd_funcs, or -1. */
int rsd_replay_find_func(const char *name);
void rsd_replay_unmap(struct rsd_replay *r);

#endif
