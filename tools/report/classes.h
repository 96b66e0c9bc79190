/*
 * classes.h - ranks of a place that have the same columns there
 */
#ifndef RSD_REPORT_CLASSES_H
#define RSD_REPORT_CLASSES_H

#include "params.h"

struct report_class {
	struct rsd_ranks ranks;
	bool each; /* they may differ: look at each rank */
};

struct report_classes {
	struct report_class *class;
	size_t nr, alloc;
};
#define REPORT_CLASSES_INIT ((struct report_classes){ NULL, 0, 0 })

void report_classes_release(struct report_classes *c);
/* Begins with one class. 0 or RSD_ERR_NOMEM. */
int report_classes_begin(struct report_classes *c, const struct rsd_ranks *ranks);
/* Splits where the columns of 'p' differ. 0 or RSD_ERR_NOMEM. */
int report_classes_split(struct report_classes *c, const struct rsd_params *p);
/* Splits into those in 'ranks' and the others. 0 or RSD_ERR_NOMEM. */
int report_classes_split_at(struct report_classes *c, const struct rsd_ranks *ranks, bool each);
/* All are to be looked at one by one. */
void report_classes_each(struct report_classes *c);

#endif
