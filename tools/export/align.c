/* align.c - see align.h */
#include "align.h"

#include <stdlib.h>
#include "lane.h"
#include "util.h"

#define MOST_ROUNDS 1000

struct pair {
	int from, to;  /* locations */
	int64_t least; /* that a message took, by their clocks */
};

struct align {
	struct pair *pair;
	size_t nr, alloc;
	struct rsd_map by_ends;
};

static int see_message(struct align *a, int from, int to, int64_t took)
{
	uint64_t key = (uint64_t)(unsigned)from << 32 | (unsigned)to;
	const uint64_t *at = rsd_map_find(&a->by_ends, key);

	if (at) {
		if (took < a->pair[*at].least)
			a->pair[*at].least = took;
		return 0;
	}
	if (RSD_GROW(a->pair, a->nr + 1, a->alloc) || rsd_map_set(&a->by_ends, key, a->nr))
		return RSD_ERR_NOMEM;
	a->pair[a->nr++] = (struct pair){ from, to, took };
	return 0;
}

static int see(const struct rsd_moment *m, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < m->nr_actions && !err; i++) {
		const struct rsd_action *x = &m->action[i];

		if (x->message && (x->kind == RSD_X_RECV || x->kind == RSD_X_IRECV_DONE))
			err = see_message(
				arg, x->sender_location, m->location, m->end_ns - x->sent_ns);
	}
	return err;
}

/* Longest paths (Bellman and Ford): a receiver is shifted as far as its senders ask for. */
static bool relax(const struct align *a, int64_t *shift)
{
	bool changed = false;

	for (size_t i = 0; i < a->nr; i++) {
		const struct pair *p = &a->pair[i];
		int64_t wanted = shift[p->from] + 1 - p->least;

		if (wanted > RSD_LATEST_NS)
			wanted = RSD_LATEST_NS;
		if (shift[p->to] < wanted) {
			shift[p->to] = wanted;
			changed = true;
		}
	}
	return changed;
}

int rsd_align(struct rsd_timeline *tl)
{
	struct rsd_timeline *first;
	struct align a = { .nr = 0 };
	int64_t *shift, error;
	bool shifted = false;
	int err;

	if (rsd_clocks_cover(tl->clocks, &error))
		return 0;
	first = rsd_timeline_new(tl->t);
	if (first)
		first->measuring = true;
	err = first ? rsd_timeline_run(first, see, &a) : RSD_ERR_FORMAT;
	shift = rsd_calloc(tl->nr_lanes + 1, sizeof(*shift));
	if (!err && !shift)
		err = RSD_ERR_NOMEM;
	/* A path has no more pairs than threads; one that goes on growing is a circle, for which there are no shifts. */
	for (size_t round = 0;
		!err && round < tl->nr_lanes && round < MOST_ROUNDS && relax(&a, shift); round++)
		shifted = true;
	if (!err && shifted) {
		rsd_timeline_shift(tl, shift);
		shift = NULL;
	}
	free(shift);
	free(a.pair);
	rsd_map_release(&a.by_ends);
	rsd_timeline_free(first);
	return err;
}
