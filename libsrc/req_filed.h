/*
 * req_filed.h - the requests of a table that are filed: found by value and variable, or the oldest of a value
 *
 * A part of req_handler.h, which says when a request is filed. Those of a value are in a list, oldest first; those whose variable is
 * known are in a map by value and variable. An index is that of a filed request, unless it is said otherwise.
 */
#ifndef RSD_REQ_FILED_H
#define RSD_REQ_FILED_H

#include "req_handler.h"

/* Files a request that is not yet, as the newest of its value; its variable is not known. 0 or RSD_ERR_NOMEM. */
int rsd_filed_append(struct rsd_requests *q, uint32_t index);
/* It is found no more, neither by its value nor by its variable. */
void rsd_filed_remove(struct rsd_requests *q, uint32_t index);
/* The oldest one of a value, or RSD_NO_REQUEST. */
uint32_t rsd_filed_oldest(const struct rsd_requests *q, int64_t handle);
/* In the list of its value. */
void rsd_filed_make_newest(struct rsd_requests *q, uint32_t index);

/* The variable now holds this request, which had none; an older one that the program kept there has lost it. */
void rsd_filed_set_var(struct rsd_requests *q, uint32_t index, const void *var);
/* The same of one that was in another variable, if any is known. */
void rsd_filed_move(struct rsd_requests *q, uint32_t index, const void *var);
/* The request of that value that is known to be in the variable, or RSD_NO_REQUEST. */
uint32_t rsd_filed_find_at(const struct rsd_requests *q, int64_t handle, const void *var);

#endif
