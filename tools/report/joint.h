/*
 * joint.h - the values of several columns of equal length side by side, without stepping through what repeats
 *
 *	destinations	(1 -1)x500	\  (1, 64) 500 times
 *	counts		(64 8)x500	/  (-1, 8) 500 times
 */
#ifndef RSD_REPORT_JOINT_H
#define RSD_REPORT_JOINT_H

#include "params_queue.h"

#define REPORT_JOINT_COLUMNS 5

/* 'v' has a value of each column, and comes so 'times' often here; it may come again. Nonzero stops. */
typedef int (*report_joint_fn)(const int64_t *v, uint64_t times, void *arg);

/*
 * Calls fn for all values; a column that is NULL is RSD_ABSENT throughout. Ends with the shortest column. 0,
 * what fn returned, RSD_ERR_NOMEM, or RSD_ERR_RANGE where it took more than 'most' steps.
 */
int report_joint(const struct rsd_column *const *col, size_t nr, uint64_t most, report_joint_fn fn,
	void *arg);

#endif
