/*
 * threads.h - the threads of a replay, and what they owe each other
 *
 * The trace tells the order of the calls of each thread, and of the order between threads at most where each began and ended
 * among the main thread's calls (order.h). What follows from the calls themselves is kept, too: a handle is used after it was made,
 * freed after those who use it are done with it, other threads begin once MPI has started, and the main thread
 * ends last. Who would wait for something that can't come any more, as all others wait, goes on without it.
 */
#ifndef RSD_REPLAY_THREADS_H
#define RSD_REPLAY_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct rsd_live;
struct rsd_play;
struct rsd_replay;

/* What was made for the slot, by this thread before any other's; waits while another thread may be about to make it. False where none will. */
bool rsd_threads_find(struct rsd_play *p, int group, int64_t slot, int64_t *handle);
/* Until that thread has made the request of this id (as other threads name it), or none will. */
void rsd_threads_await_request(struct rsd_play *p, const struct rsd_play *maker, int64_t id);
/* Until no other thread's call uses the request that does not end it, as rsd_request_hold tells, or all others wait. */
void rsd_threads_await_request_users(struct rsd_play *p, const struct rsd_live *l);
/* The thread has one request more, or its call one less in use. */
void rsd_threads_tell_of_request(struct rsd_play *p);
/* Something was made for the slot. 0 or an error. */
int rsd_threads_set(struct rsd_play *p, int group, int64_t slot, int64_t handle);
/*
 * The call frees what was made for the slot. Before it: it is there for no other thread any more, as MPI may give one the same
 * handle again. After it: callbacks of the call, such as attributes' deletions, have used it until now; from now on there
 * is nothing, also where callbacks were given a handle of the MPI library's own. 'handle': what it was.
 */
void rsd_threads_freeing(struct rsd_play *p, int group, int64_t slot);
void rsd_threads_freed(struct rsd_play *p, int group, int64_t slot, int64_t handle);
/*
 * Before the slot's handle is freed: waits for other threads that use the slot, until they are at
 * their end or, as some may depend on this one in turn, make no calls any more.
 */
void rsd_threads_await_users(struct rsd_play *p, int group, int64_t slot);

void rsd_threads_release(struct rsd_play *p);

/* Starts a thread for each player but the first, which is for the caller's thread, and those whose turn is later. */
void rsd_threads_start(struct rsd_replay *r, void *(*play)(void *));
/* Starts those whose turn it is. */
void rsd_threads_begin_due(struct rsd_replay *r);
/* Around a thread's calls: waits until it may call MPI; it is at its end. */
void rsd_threads_wait_for_mpi(struct rsd_play *p);
void rsd_threads_ended(struct rsd_play *p);
/* The main thread: MPI has started; waits for the end of one, and of all of the others. */
void rsd_threads_mpi_started(struct rsd_replay *r);
void rsd_threads_join(struct rsd_play *p);
void rsd_threads_join_all(struct rsd_replay *r);

#endif
