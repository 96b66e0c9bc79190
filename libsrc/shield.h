/*
 * shield.h - writing in a process that is not ours: its signals, umask and limits do no harm, and are as they were afterwards
 */
#ifndef RSD_SHIELD_H
#define RSD_SHIELD_H

#include <signal.h>

/* Around writing anything: signals that this may send to the calling thread do not reach the program. */
struct rsd_signals {
	sigset_t mask, ours; /* as it was; those that were not pending before */
};
void rsd_signals_off(struct rsd_signals *s);
void rsd_signals_on(const struct rsd_signals *s);
/*
 * Around writing files at the end: the program may have left few descriptors, a
 * strange umask, or pipes whose reader is gone. These are the process's, and it may have several ranks (ranks.h):
 * no MPI function is called between.
 */
struct rsd_shield;
struct rsd_shield *rsd_shield_new(void); /* NULL on no memory: works without */
void rsd_shield_free(struct rsd_shield *s);

#endif
