/*
 * req_tables.h - each thread's request table, and where a request is found that another one may have made
 *
 * A thread puts the requests that it makes into its own table, and mostly ends them itself. So tables have a lock each, which no other
 * thread holds unless it is looking for a request that it did not make: one that is in the variable of a request of
 * its own is its own, as far as it goes; then those of others are asked, and at last, by the value alone, its own and others', as the
 * program has moved the request. No two tables are locked at a time. Another thread's is not named by its distance from that
 * one's head, which moves while this one looks, but by its number (opstruct.h). That is the same in each run, and in a replay, where its
 * thread makes its requests in the same order, and where the same one is found: of several of one value that the program has moved,
 * which one is found may depend on which thread looks first. One that was made unseen is taken in by the thread that meets it first,
 * and has no name.
 *
 * Where the thread level has threads take turns, nothing is locked.
 */
#ifndef RSD_REQ_TABLES_H
#define RSD_REQ_TABLES_H

#include "runtime.h"

/* Returns what unlock has to be told. */
static inline bool rsd_table_lock(struct rsd_requests *q)
{
	return !rsd_rt.in_turn && rsd_lock_of(&q->lock);
}
static inline void rsd_table_unlock(struct rsd_requests *q, bool locked)
{
	if (__builtin_expect(locked, 0))
		pthread_mutex_unlock(&q->lock);
}

/*
 * rsd_lookup_offsetlist, for thread t, in all tables. What is found nowhere has RSD_NO_REQUEST, and 'in' is t's table.
 */
void rsd_tables_look_up(struct rsd_thread *t, struct rsd_offset *list, size_t n, int64_t none,
	const void *var, size_t stride);
/* The same of one, which the program passes by value. */
void rsd_tables_look_up_used(struct rsd_thread *t, struct rsd_offset *o);
/* rsd_move_request, in the table where it is. */
void rsd_tables_move(int64_t handle, const void *from, const void *to);
/* How many requests of a thread were live at a time, at most. */
size_t rsd_tables_most(void);

#endif
