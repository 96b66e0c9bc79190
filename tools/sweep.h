/*
 * sweep.h - the columns of ranks one after the other
 *
 * rsd_params_get finds a rank's numbers anew each time, which takes as long as there are ranks before it where these have no
 * rule. A sweep goes on from the rank before.
 */
#ifndef RSD_SWEEP_H
#define RSD_SWEEP_H

#include "params.h"

struct rsd_sweep {
	const struct rsd_params *p;
	struct rsd_sweep_variant *variant; /* NULL until it is needed */
	size_t nr;
};

void rsd_sweep_init(struct rsd_sweep *s, const struct rsd_params *p);
void rsd_sweep_release(struct rsd_sweep *s);
/* As rsd_params_get; quick where ranks ascend. */
int rsd_sweep_get(struct rsd_sweep *s, int rank, enum rsd_encoding *enc, struct rsd_column **out);

#endif
