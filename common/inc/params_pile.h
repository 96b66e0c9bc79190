/*
 * params_pile.h - a column over ranks that is made rank by rank
 *
 * rsd_params_merge() looks at all that is there. Whoever adds ranks one by one pays that for each of them; in a
 * pile as many are merged with as many others, as in a tree, which is n log n in all.
 */
#ifndef RSD_PARAMS_PILE_H
#define RSD_PARAMS_PILE_H

#include "params.h"

struct rsd_params_pile {
	struct rsd_params
		level[32]; /* of 2^k ranks, where nr has the bit; lower ones are of higher ranks */
	uint32_t nr;
};

void rsd_params_pile_release(struct rsd_params_pile *p);
/* Takes 'one', whose ranks are above all that were added. On error the pile may only be released. */
int rsd_params_pile_add(struct rsd_params_pile *p, struct rsd_params *one);
/* Moves all of it to 'out', which is empty. On error both are to be released. */
int rsd_params_pile_take(struct rsd_params_pile *p, struct rsd_params *out);

#endif
