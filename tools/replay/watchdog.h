/*
 * watchdog.h - a thread that ends the run where one call takes too long
 */
#ifndef RSD_WATCHDOG_H
#define RSD_WATCHDOG_H

struct rsd_replay;

/* Nothing without a timeout. 0, or an errno. */
int rsd_watchdog_start(struct rsd_replay *r);
void rsd_watchdog_stop(struct rsd_replay *r);

#endif
