/*
 * replay.c - makes a replay of a trace: one player for each of this rank's threads
 */
#include <stdlib.h>
#include <string.h>
#include "map.h"
#include "player.h"
#include "threads.h"
#include "util.h"

static bool has_init(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		const char *name = t->func[t->place[i].func].name;

		/* A damaged trace's: it is not played (callbacks.c). */
		if (t->place[i].nested)
			continue;
		if (!strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread"))
			return true;
	}
	return false;
}

static size_t most_params(const struct rsd_trace *t)
{
	int most = 0;

	for (size_t i = 0; i < t->nr_funcs; i++) {
		if (t->func[i].nr_params > most)
			most = t->func[i].nr_params;
	}
	return (size_t)most + 1;
}

int rsd_replay_open(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	int err;

	p->arg = rsd_calloc(most_params(r->trace), sizeof(*p->arg));
	if (!p->arg)
		return RSD_ERR_NOMEM;
	err = rsd_walk_new(&p->walk, r->trace, r->rank, p->thread);
	if (err == RSD_ERR_END)
		return 0; /* no calls: it takes part in starting and ending MPI */
	if (err)
		return err;
	p->scout = rsd_scout_new(r, p->thread, &err);
	if (!err)
		p->graphs = rsd_graphs_new(r, p->thread, &err);
	return err;
}

/* What others may look at is gone before it is freed. Requests may be completed by others yet. */
void rsd_replay_close(struct rsd_play *p)
{
	struct rsd_walk *walk = p->walk;

	pthread_mutex_lock(&p->r->lock);
	p->walk = NULL;
	rsd_threads_release(p);
	pthread_mutex_unlock(&p->r->lock);
	pthread_mutex_lock(&p->r->tables);
	rsd_request_table_close(&p->requests);
	pthread_mutex_unlock(&p->r->tables);
	rsd_walk_free(walk);
	rsd_scout_free(p->scout);
	p->scout = NULL;
	rsd_graphs_free(p->graphs);
	p->graphs = NULL;
	rsd_scratch_release(&p->scratch);
	rsd_callbacks_release(&p->callbacks);
	free(p->arg);
	p->arg = NULL;
}

static int by_thread(const void *number, const void *play)
{
	const struct rsd_play *p = play;

	return *(const int *)number - p->thread;
}

struct rsd_play *rsd_replay_find(const struct rsd_replay *r, int thread)
{
	return bsearch(&thread, r->play, r->nr_plays, sizeof(*r->play), by_thread);
}

static int init_plays(struct rsd_replay *r)
{
	size_t nr;
	int *thread, err = rsd_trace_threads(r->trace, r->rank, &thread, &nr);

	if (err)
		return err;
	r->play = rsd_calloc(nr + 1, sizeof(*r->play));
	r->live = rsd_calloc(nr + 1, sizeof(struct rsd_play *));
	if (!r->play || !r->live)
		err = RSD_ERR_NOMEM;
	else
		r->nr_plays = nr ? nr : 1;
	for (size_t i = 0; i < r->nr_plays; i++) {
		r->play[i].r = r;
		r->play[i].thread = nr ? thread[i] : 0;
	}
	free(thread);
	if (!err)
		err = rsd_replay_open(&r->play[0]);
	return err ? err : rsd_order_read(r);
}

bool rsd_replay_init(
	struct rsd_replay *r, const struct rsd_trace *t, const struct rsd_replay_options *opt)
{
	int err;

	r->trace = t;
	r->opt = *opt;
	/* A message may be longer than it was by one spread, a receive's count shorter by another. */
	r->room = rsd_scalars_spread(t) * rsd_scalars_spread(t);
	r->own_init = !has_init(t);
	r->asks_graphs = rsd_graphs_are_asked(t);
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->tables, NULL);
	pthread_cond_init(&r->changed, NULL);
	if (!rsd_replay_map(r))
		return false;
	err = rsd_report_init(&r->report);
	if (!err)
		err = init_plays(r);
	if (err)
		rsd_replay_say(r, "%s", rsd_strerror(err));
	return !err;
}

void rsd_replay_release(struct rsd_replay *r)
{
	for (size_t i = 0; i < r->nr_plays; i++) {
		struct rsd_play *p = &r->play[i];

		rsd_replay_close(p);
		rsd_request_table_release(&p->requests);
		rsd_buffers_release(&p->buffers);
	}
	free(r->play);
	free(r->live);
	rsd_order_release(r);
	rsd_handles_release(&r->handles);
	rsd_map_release(&r->errors);
	rsd_report_release(&r->report);
	rsd_replay_unmap(r);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->tables);
	pthread_cond_destroy(&r->changed);
}
