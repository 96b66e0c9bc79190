/*
 * timeline.c - what ranks did when, where the trace keeps every call's times
 *
 * Lanes of bins: how much of each bin a rank spent in which class of functions. The width of bins doubles whenever
 * a call ends beyond the last one, so that one pass is enough, and memory is the same for any run. Of many ranks
 * some are shown, evenly chosen. Where there are few calls they are listed, too, for a closer look.
 */
#include <math.h>
#include <stdlib.h>
#include "clocks.h"
#include "report.h"
#include "util.h"
#include "walk.h"

#define MOST_LANES 128
#define BINS 512
#define MOST_CALLS 20000			 /* listed */
#define MOST_WALKED ((uint64_t)50 * 1000 * 1000) /* of all lanes */

#define MOST_NS                                                                                    \
	(INT64_C(1000) * 1000 * 1000 * 1000 * 1000 * 1000) /* a time later than that is none */

enum { POINT_TO_POINT, COLLECTIVE, COMPLETION, OTHER, NR_KINDS };

struct call {
	int lane;
	size_t row;
	int64_t begin_ns, dur_ns;
};

struct timeline {
	struct report *r;
	struct rsd_clocks *clocks;
	int lane[MOST_LANES]; /* ranks */
	int nr_lanes;
	double width; /* seconds a bin */
	double (*bin)[BINS][NR_KINDS];
	double end;
	struct call *call;
	size_t nr_calls, alloc_calls;
	uint64_t walked;
	bool listed, cut;
};

static int kind_of(uint8_t class)
{
	switch (class) {
	case RSD_C_P2P:
		return POINT_TO_POINT;
	case RSD_C_COLL:
		return COLLECTIVE;
	case RSD_C_COMPLETION:
		return COMPLETION;
	default:
		return OTHER;
	}
}

static void widen(struct timeline *l)
{
	l->width *= 2;
	for (int i = 0; i < l->nr_lanes; i++) {
		for (int b = 0; b < BINS; b++) {
			for (int k = 0; k < NR_KINDS; k++)
				l->bin[i][b][k] =
					b < BINS / 2 ? l->bin[i][2 * b][k] + l->bin[i][2 * b + 1][k]
						     : 0;
		}
	}
}

static void add_time(struct timeline *l, int lane, int kind, double t, double end)
{
	while (end >= l->width * BINS)
		widen(l);
	for (int b = (int)(t / l->width); b < BINS && b * l->width <= end; b++) {
		double from = fmax(t, b * l->width), to = fmin(end, (b + 1) * l->width);

		if (to > from)
			l->bin[lane][b][kind] += to - from;
	}
	l->end = fmax(l->end, end);
}

static int add_call(struct timeline *l, int lane, const struct rsd_event *e)
{
	uint64_t *spot = rsd_map_find(
		&l->r->spot_by_key, (uint64_t)(uint32_t)e->sig << 32 | (uint32_t)e->func);
	int err;

	if (!l->listed || !spot)
		return 0;
	if (l->nr_calls == MOST_CALLS) {
		l->listed = false;
		return 0;
	}
	err = RSD_GROW(l->call, l->nr_calls + 1, l->alloc_calls);
	if (!err)
		l->call[l->nr_calls++] =
			(struct call){ lane, l->r->spot[*spot].row, e->begin_ns, e->dur_ns };
	return err;
}

/* False: of a damaged trace, whose times may be anything. */
static bool set_common(const struct timeline *l, struct rsd_event *e)
{
	if (!e->has_time || e->dur_ns >= MOST_NS || e->begin_ns >= MOST_NS - e->dur_ns)
		return false;
	e->begin_ns = rsd_clocks_time(l->clocks, e->rank, e->thread, e->begin_ns, MOST_NS);
	return true;
}

static int walk_rank(struct timeline *l, int lane)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err = rsd_walk_new(&w, l->r->t, l->lane[lane], 0);

	while (!err && !(err = rsd_walk_next(w, &e))) {
		rsd_progress_step(&l->r->progress, 1);
		if (++l->walked > MOST_WALKED) {
			l->cut = true;
			break;
		}
		if (e.nested || !set_common(l, &e))
			continue;
		add_time(l, lane, kind_of(l->r->t->func[e.func].class), 1e-9 * (double)e.begin_ns,
			1e-9 * (double)(e.begin_ns + e.dur_ns));
		err = add_call(l, lane, &e);
	}
	rsd_walk_free(w);
	return err == RSD_ERR_NOMEM ? err : 0;
}

static void choose_lanes(struct timeline *l)
{
	const struct rsd_ranks *ranks = &l->r->t->ranks;
	size_t nr = rsd_ranks_count(ranks), at = 0, next = 0;

	for (int r = rsd_ranks_first(ranks); r >= 0; r = rsd_ranks_next(ranks, r), at++) {
		if (at != next)
			continue;
		l->lane[l->nr_lanes++] = r;
		if (l->nr_lanes == MOST_LANES)
			break;
		next = nr <= MOST_LANES ? at + 1 : (size_t)l->nr_lanes * nr / MOST_LANES;
	}
}

/* Bins of a lane as the kind with most of the time x 101 + percent in MPI; -1: none. */
static json_t *bins_json(const struct timeline *l, int lane)
{
	json_t *list = json_array();
	int bad = !list;

	for (int b = 0; b < BINS && b * l->width < l->end && !bad; b++) {
		const double *x = l->bin[lane][b];
		double sum = 0;
		int most = 0;

		for (int k = 0; k < NR_KINDS; k++) {
			sum += x[k];
			most = x[k] > x[most] ? k : most;
		}
		bad = json_array_append_new(list,
			json_integer(sum > 0 ? most * 101 + (json_int_t)fmin(
								    100, ceil(100 * sum / l->width))
					     : -1));
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *to_json(const struct timeline *l)
{
	json_t *lanes = json_array(), *calls = json_array();
	int bad = !lanes || !calls;

	for (int i = 0; i < l->nr_lanes && !bad; i++)
		bad = json_array_append_new(
			lanes, json_pack("[i, o]", l->lane[i], bins_json(l, i)));
	/* Nanoseconds: short, and exact for some weeks. */
	for (size_t i = 0; i < l->nr_calls && l->listed && !bad; i++) {
		const struct call *c = &l->call[i];

		bad = json_array_append_new(
			calls, json_pack("[i, I, I, I]", c->lane, (json_int_t)c->row,
				       (json_int_t)c->begin_ns, (json_int_t)c->dur_ns));
	}
	if (!bad)
		return json_pack("{s:o, s:o, s:f, s:f, s:b, s:b}", "lanes", lanes, "calls", calls,
			"width", l->width, "end", l->end, "listed", l->listed, "cut", l->cut);
	json_decref(lanes);
	json_decref(calls);
	return NULL;
}

json_t *report_timeline_json(struct report *r)
{
	struct timeline l = { .r = r, .width = 1e-6, .listed = true };
	json_t *j = NULL;
	int err = 0;

	if (!rsd_trace_has_times(r->t) && !r->t->nr_logs)
		return json_null();
	err = rsd_clocks_new(&l.clocks, r->t);
	choose_lanes(&l);
	l.bin = rsd_calloc((size_t)l.nr_lanes + 1, sizeof(*l.bin));
	rsd_progress_begin(&r->progress, "calls", 0);
	for (int i = 0; i < l.nr_lanes && l.bin && !err; i++)
		err = walk_rank(&l, i);
	rsd_progress_end(&r->progress);
	if (l.bin && !err)
		j = l.end > 0 ? to_json(&l) : json_null();
	rsd_clocks_free(l.clocks);
	free(l.bin);
	free(l.call);
	return j;
}
