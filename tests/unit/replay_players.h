/*
 * replay_players.h - the players of a replay, for tests of how its threads go together
 */
#ifndef REPLAY_PLAYERS_H
#define REPLAY_PLAYERS_H

#include <check.h>
#include <stdlib.h>
#include "player.h"
#include "threads.h"

/* Players of threads 0 to nr - 1; 'play' is zeroed. What else is to be known of them is set before they are started. */
static inline void players_make(struct rsd_replay *r, struct rsd_play *play, size_t nr)
{
	r->play = play;
	r->nr_plays = nr;
	r->in_mpi = true;
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->tables, NULL);
	pthread_cond_init(&r->changed, NULL);
	for (size_t i = 0; i < nr; i++) {
		play[i].r = r;
		play[i].thread = (int)i;
		play[i].order.until = UINT64_MAX;
	}
}

static inline void players_start(struct rsd_replay *r, void *(*begin)(void *arg))
{
	ck_assert_int_eq(rsd_order_arrange(r), 0);
	r->live = calloc(r->nr_plays, sizeof(*r->live));
	rsd_threads_start(r, begin);
}

/* They have ended, and been released. */
static inline void players_release(struct rsd_replay *r)
{
	rsd_handles_release(&r->handles);
	rsd_order_release(r);
	free(r->live);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->tables);
	pthread_cond_destroy(&r->changed);
}

#endif
