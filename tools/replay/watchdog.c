#include "watchdog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "files.h"
#include "format.h"
#include "player.h"

static pthread_t watcher;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool runs, stop;

/* Where the call stands in the traced program: module and offset, and the source line where that can be told. */
static void put_site(const struct rsd_trace *t, int sig, struct rsd_buf *out)
{
	struct rsd_sources *sources = rsd_sources_new(t, NULL);
	const struct rsd_source *known = rsd_sources_site(sources, sig);
	struct rsd_format *f = rsd_format_new(t);
	size_t from = out->len;

	rsd_buf_printf(out, " at ");
	if (!f || !rsd_format_site(f, sig, RSD_STYLE_TEXT, out))
		out->len = from;
	else if (known && known->frame[0].line && !rsd_format_set_sources(f, sources)) {
		rsd_buf_printf(out, " (");
		rsd_format_site(f, sig, RSD_STYLE_TEXT, out);
		rsd_buf_printf(out, ")");
	}
	rsd_format_free(f);
	rsd_sources_free(sources);
}

/*
 * The thread's call is under way still. Its event is the player's present one: that of the call, or while a callback in it makes
 * calls, of one of these, which may just be changing; it is in the trace in any case.
 */
static void report(const struct rsd_replay *r, const struct rsd_play *p, double seconds)
{
	struct rsd_buf site = RSD_BUF_INIT;

	put_site(r->trace, p->e.sig, &site);
	rsd_replay_say(r,
		"thread %d has been in %s%.*s for %.0f seconds; the replay ends here (--timeout)",
		p->thread, r->trace->func[p->e.func].name, (int)site.len,
		site.data ? (const char *)site.data : "", seconds);
	rsd_buf_release(&site);
}

/* A call may always take as long as calls at its place did, and as long again. */
static double allowance(const struct rsd_replay *r, const struct rsd_play *p)
{
	const struct rsd_node *node = rsd_walk_node(p->walk);
	double scale = r->opt.scale > 1 ? r->opt.scale : 1, ns = 0;

	if (node && node->place >= 0 && r->trace->place[node->place].has_timing) {
		const struct rsd_timing *t = &r->trace->place[node->place].timing;

		ns = (double)(t->dur.max > t->dur_first.max ? t->dur.max : t->dur_first.max);
	}
	return r->opt.timeout + 2 * scale * ns / 1e9;
}

/* Under the lock: what a thread has while it plays stays there. */
static bool look(const struct rsd_replay *r, uint64_t now)
{
	bool late = false;

	for (size_t i = 0; i < r->nr_live; i++) {
		const struct rsd_play *p = r->live[i];
		uint64_t entered = atomic_load_explicit(&p->entered_ns, memory_order_relaxed);
		double seconds;

		if (!entered || entered > now)
			continue;
		seconds = (double)(now - entered) / 1e9;
		if (seconds < allowance(r, p))
			continue;
		report(r, p, seconds);
		late = true;
	}
	return late;
}

static void *watch(void *arg)
{
	struct rsd_replay *r = arg;

	pthread_mutex_lock(&lock);
	while (!stop) {
		struct timespec until;
		double step = r->opt.timeout < 4 ? r->opt.timeout / 4 : 1;
		bool late;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += (time_t)step;
		until.tv_nsec += (long)((step - (double)(time_t)step) * 1e9);
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&wake, &lock, &until);
		pthread_mutex_lock(&r->lock);
		late = look(r, rsd_replay_clock_ns());
		pthread_mutex_unlock(&r->lock);
		if (!stop && late) {
			/* The others are told by the launcher: MPI itself is stuck in that call. */
			rsd_files_abandon(r);
			rsd_replay_be_heard();
			_exit(1);
		}
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int rsd_watchdog_start(struct rsd_replay *r)
{
	pthread_condattr_t attr;
	int err;

	if (!(r->opt.timeout > 0))
		return 0;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_condattr_destroy(&attr);
	err = pthread_create(&watcher, NULL, watch, r);
	runs = !err;
	return err;
}

void rsd_watchdog_stop(struct rsd_replay *r)
{
	(void)r;
	if (!runs)
		return;
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(watcher, NULL);
	runs = false;
}
