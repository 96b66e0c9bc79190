#include "pace.h"

#include "clock.h"
#include "player.h"

/* Sleeping is not exact: the last part of a pause is spent awake. */
#define AWAKE_NS 100000u

static double before_ns(struct rsd_play *p)
{
	const struct rsd_node *node = rsd_walk_node(p->walk);
	const struct rsd_histogram *h;
	double ns = 0;

	if (p->e.has_time) {
		ns = (double)(p->e.begin_ns - p->recorded_end);
		p->recorded_end = p->e.begin_ns + p->e.dur_ns;
		return ns;
	}
	if (!node || node->place < 0)
		return 0;
	h = &p->r->trace->place[node->place].timing.before;
	return p->r->trace->place[node->place].has_timing && h->nr ? (double)h->sum / (double)h->nr
								   : 0;
}

/*
 * A pause ends late where the thread is not run just then, or was held up before it. The next ones are shorter by that, so
 * that it does not add up.
 */
void rsd_pace(struct rsd_play *p)
{
	double ns;
	uint64_t until, now;

	if (!(p->r->opt.scale > 0))
		return;
	ns = before_ns(p) * p->r->opt.scale;
	if (!(ns >= 1))
		return;
	until = (uint64_t)(ns < 1e18 ? ns : 1e18);
	if (p->late_ns >= until) {
		p->late_ns -= until;
		return;
	}
	until += p->left_ns - p->late_ns;
	now = rsd_replay_clock_ns();
	if (p->r->opt.sleep && now + AWAKE_NS < until) {
		uint64_t left = until - now - AWAKE_NS;
		struct timespec t = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

		nanosleep(&t, NULL);
	}
	while ((now = rsd_replay_clock_ns()) < until)
		;
	p->late_ns = now - until;
}
