/*
 * params_cut.h - a column over ranks without some of them, and with others in between
 */
#ifndef RSD_PARAMS_CUT_H
#define RSD_PARAMS_CUT_H

#include "params.h"

/* How many numbers of joined variants (params_join.h) are made anew when these ranks go. 0 or RSD_ERR_NOMEM. */
int rsd_params_cut_cost(const struct rsd_params *p, const struct rsd_ranks *gone, uint64_t *cost);
/* Takes the ranks away. On error 'p' may be cut in part, and can be released. */
int rsd_params_cut(struct rsd_params *p, const struct rsd_ranks *gone);
/* Moves b's variants to 'a', which has none of their ranks. The same on error. */
int rsd_params_mix(struct rsd_params *a, struct rsd_params *b);

#endif
