/*
 * scout.h - looks ahead in a thread's calls for what nonblocking wildcard receives will match
 *
 * Where a receive names any source or tag, the trace tells whom it got its message from only
 * in the status of the call that completes it. The scout is a second walk of the
 * same calls, as far ahead of the player as the completion of the receive that is
 * being played; it keeps what it has found, which is at most one entry for each such
 * receive in between.
 */
#ifndef RSD_SCOUT_H
#define RSD_SCOUT_H

#include <stdbool.h>
#include <stdint.h>

struct rsd_arg;
struct rsd_func;
struct rsd_replay;
struct rsd_scout;

/* NULL with *err 0 where the thread has no such receive, or with RSD_ERR_NOMEM. */
struct rsd_scout *rsd_scout_new(const struct rsd_replay *r, int thread, int *err);
void rsd_scout_free(struct rsd_scout *s);
/*
 * The next wildcard receive in the order of the calls: source and tag of the message it will get.
 * False where the trace does not tell, as of a receive that was cancelled.
 */
bool rsd_scout_next(struct rsd_scout *s, int64_t *source, int64_t *tag);
/* Did a call of 'f' with these arguments (by parameter) make a request that moves the head of the table? */
bool rsd_scout_counts(const struct rsd_func *f, const struct rsd_arg *arg);

#endif
