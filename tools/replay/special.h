/*
 * special.h - the few calls that their parameters' roles can't express
 *
 * Memory that one call gives and another takes back, and functions with no replay.
 */
#ifndef RSD_SPECIAL_H
#define RSD_SPECIAL_H

struct rsd_play;

/* What plays this function (index in rsd_funcs): ours, or the generated call; NULL: nothing does. */
int (*rsd_special_call(int func))(struct rsd_play *p);
/* Why a function that nothing plays is not played. */
const char *rsd_special_why_not(int func);

#endif
