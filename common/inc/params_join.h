/*
 * params_join.h - which variants of a column over ranks become one; for params.c
 *
 * Variants with equal columns always do. Those of one skeleton do where few of their numbers differ. With more
 * it depends: each number that differs becomes a column over the ranks, which is two bytes where the ranks follow a
 * rule, and more than the values themselves where they follow none, by far so in memory. A rule shows only when there
 * are some ranks to show it. So such variants stay apart until there are RSD_JOIN_AT of them; then they are joined if
 * the whole gets shorter, and otherwise looked at again whenever they are twice as many. What was joined takes
 * more where that is shorter, too.
 */
#ifndef RSD_PARAMS_JOIN_H
#define RSD_PARAMS_JOIN_H

#include "params.h"

#define RSD_JOIN_AT 8

void rsd_variant_release(struct rsd_variant *v);
/* Bytes of its encoding. */
size_t rsd_variant_size(const struct rsd_variant *v);
/* By first rank: so a rank's variant is found. */
void rsd_variants_sort(struct rsd_variant *v, size_t nr);
/*
 * Moves b's variants into a; all their ranks are above those of a. On error both may be partly moved, but can be
 * released.
 */
int rsd_variants_merge(struct rsd_variants *a, struct rsd_variants *b);
/* No more ranks come: however few the variants are, they are joined if that is shorter. Without memory they stay as they are. */
void rsd_variants_settle(struct rsd_variants *a);

#endif
