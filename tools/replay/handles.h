/*
 * handles.h - what was made for each slot of the trace: communicators, datatypes ...
 */
#ifndef RSD_HANDLES_H
#define RSD_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hash.h"
#include "optable.h"

struct rsd_handles {
	struct rsd_map kind[RSD_NR_HANDLE_GROUPS]; /* by group: slot -> value */
};

void rsd_handles_release(struct rsd_handles *h);
/* False where nothing was made for the slot. */
bool rsd_handles_find(const struct rsd_handles *h, int group, int64_t slot, int64_t *value);
/* 0, RSD_ERR_RANGE of what is no slot, or RSD_ERR_NOMEM. */
int rsd_handles_set(struct rsd_handles *h, int group, int64_t slot, int64_t value);
/* Nothing was made for it, as far as this table is concerned. */
void rsd_handles_drop(struct rsd_handles *h, int group, int64_t slot);
/* The null handle of a group. */
int64_t rsd_handles_null(int group);

#endif
