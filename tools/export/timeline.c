/* timeline.c - see timeline.h */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>
#include "lane.h"
#include "tool.h"
#include "util.h"

#define NOMINAL_NS 1000 /* of a call where no times were kept */
#define CATCHES_UP 8	/* by this part of what a thread computes */

struct meeting { /* of a collective in which some wait for others */
	int come, left, size;
	int64_t latest, root_ns;
	bool root_come;
	bool broken; /* one has gone on alone */
};

/* ---- who goes next ------------------------------------------------------------------------ */

static bool is_before(const struct rsd_lane *a, const struct rsd_lane *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a < b;
}

static void push(struct rsd_timeline *tl, struct rsd_lane *l)
{
	size_t i = tl->nr_ready++;

	while (i && is_before(l, tl->ready[(i - 1) / 2])) {
		tl->ready[i] = tl->ready[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	tl->ready[i] = l;
}

static struct rsd_lane *pop(struct rsd_timeline *tl)
{
	struct rsd_lane *first = tl->ready[0], *last = tl->ready[--tl->nr_ready];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < tl->nr_ready) {
		if (child + 1 < tl->nr_ready && is_before(tl->ready[child + 1], tl->ready[child]))
			child++;
		if (!is_before(tl->ready[child], last))
			break;
		tl->ready[i] = tl->ready[child];
		i = child;
	}
	if (tl->nr_ready)
		tl->ready[i] = last;
	return first;
}

static int wait_for(struct rsd_timeline *tl, struct rsd_lane *l, uint64_t key)
{
	const uint64_t *first = rsd_map_find(&tl->waiting, key);

	l->next_waiting = first ? (struct rsd_lane *)(uintptr_t)*first : NULL;
	return rsd_map_set(&tl->waiting, key, (uint64_t)(uintptr_t)l);
}

void rsd_timeline_wake(struct rsd_timeline *tl, uint64_t key)
{
	const uint64_t *first = rsd_map_find(&tl->waiting, key);
	struct rsd_lane *l = first ? (struct rsd_lane *)(uintptr_t)*first : NULL;

	if (!l)
		return;
	rsd_map_delete(&tl->waiting, key);
	for (; l; l = l->next_waiting)
		push(tl, l);
}

/* Nothing can go on: the earliest of those that wait does so without. */
static void force_one(struct rsd_timeline *tl)
{
	struct rsd_lane *earliest = NULL;
	uint64_t key = 0;

	for (size_t i = 0; i < tl->waiting.alloc; i++) {
		const struct rsd_map_entry *e = &tl->waiting.slot[i];

		for (struct rsd_lane *l = e->used ? (struct rsd_lane *)(uintptr_t)e->value : NULL;
			l; l = l->next_waiting) {
			if (!earliest || is_before(l, earliest)) {
				earliest = l;
				key = e->key;
			}
		}
	}
	if (!earliest)
		return;
	earliest->forced = true;
	rsd_timeline_wake(tl, key);
}

/* ---- times ------------------------------------------------------------------------------------ */

static int64_t mean(const struct rsd_histogram *h)
{
	uint64_t m = h->nr ? h->sum / h->nr : 0;

	return m < INT64_MAX / 1000000 ? (int64_t)m : 0;
}

/* No time is later than RSD_LATEST_NS, whatever a trace says. */
static int64_t later(int64_t ns, int64_t by)
{
	return by < RSD_LATEST_NS - ns ? ns + by : RSD_LATEST_NS;
}

static void estimate(const struct rsd_timeline *tl, struct rsd_lane *l)
{
	const struct rsd_place *p = l->place < 0 ? NULL : &tl->t->place[l->place];
	bool first = l->place >= 0 && !l->seen[l->place];

	if (l->place >= 0)
		l->seen[l->place] = 1;
	if (!p || !p->has_timing) {
		l->begin = l->last_end;
		l->end = later(l->begin, NOMINAL_NS);
		return;
	}
	l->begin = later(l->last_end, mean(&p->timing.before));
	l->end = later(l->begin,
		mean(first && p->timing.dur_first.nr ? &p->timing.dur_first : &p->timing.dur));
}

/* Of a kept time. Threads that are no longer the first part of theirs go on with its times. */
static int64_t common_time(const struct rsd_timeline *tl, const struct rsd_lane *l, int64_t ns)
{
	int64_t time = rsd_clocks_time(
		tl->clocks, l->where.rank, rsd_thread_number(l->where.thread), ns, RSD_LATEST_NS);

	return later(time, tl->shift ? tl->shift[l - tl->lane] : 0);
}

/*
 * A thread that was moved behind a message it got is late from then on. It makes up for that in what it computes, a little
 * each time, so that lengths stay much as they were.
 */
static void catch_up(struct rsd_lane *l)
{
	int64_t gap = later(l->begin, l->lag) - l->last_end, less = gap > 0 ? gap / CATCHES_UP : 0;

	l->lag -= less < l->lag ? less : l->lag;
	l->begin = later(l->begin, l->lag);
	l->end = later(l->end, l->lag);
}

static void set_times(const struct rsd_timeline *tl, struct rsd_lane *l)
{
	if (!l->event.has_time) {
		estimate(tl, l);
		return;
	}
	l->begin = common_time(tl, l, l->event.begin_ns);
	l->end = common_time(tl, l, l->event.begin_ns + l->event.dur_ns);
	catch_up(l);
	/* A call from a callback comes before the one that it was made in. */
	if (l->begin < l->last_end)
		l->begin = l->last_end;
	if (l->end < l->begin)
		l->end = l->begin;
}

/* ---- a lane ---------------------------------------------------------------------------------------- */

static int next_event(struct rsd_timeline *tl, struct rsd_lane *l)
{
	int err = rsd_walk_next(l->walk, &l->event);

	if (err == RSD_ERR_END) {
		l->over = true;
		tl->nr_over++;
		rsd_walk_free(l->walk);
		l->walk = NULL;
		return 0;
	}
	if (err == RSD_ERR_FORMAT)
		rsd_tool_walk_failed(tl->t, l->where.rank, l->walk, err);
	if (!err)
		err = rsd_values_of(&l->values, &tl->calls, &l->event);
	if (err)
		return err;
	l->node = rsd_walk_node(l->walk);
	l->place = l->node ? l->node->place : -1;
	l->begun = l->forced = l->late = false;
	set_times(tl, l);
	push(tl, l);
	return 0;
}

/* The call is not over before what it got was sent. */
static void arrive(const struct rsd_timeline *tl, struct rsd_lane *l, int64_t sent_ns)
{
	if (l->end > sent_ns || tl->measuring)
		return;
	if (tl->times == RSD_TIMES_KEPT)
		l->lag = later(l->lag, sent_ns + 1 - l->end);
	l->end = later(sent_ns, 1);
}

/* False where it has to wait. */
static bool meet_needs(struct rsd_timeline *tl, struct rsd_lane *l, int *err)
{
	while (l->met < l->nr_needs) {
		const struct rsd_need *n = &l->need[l->met];
		struct rsd_action *a = &l->action[n->action];
		struct rsd_message m;

		if (rsd_match_take(&tl->match, &n->channel, n->ticket, &m)) {
			a->message = m.id;
			a->sent_ns = m.ns;
			a->bytes = m.bytes;
			a->sender = m.node;
			a->sender_location = m.location;
			arrive(tl, l, m.ns);
		} else if (!l->forced) {
			*err = wait_for(tl, l, rsd_match_key(&n->channel));
			return false;
		} else {
			tl->unmatched++;
		}
		l->met++;
	}
	return true;
}

static uint64_t handle_key(int rank, int64_t slot)
{
	return rsd_hash_mix((uint64_t)(unsigned)rank << 32 ^ (uint64_t)slot ^ UINT64_C(1) << 63) |
	       1;
}

/* Has the rank another thread that is not at its end? */
static bool has_others(const struct rsd_timeline *tl, const struct rsd_lane *l)
{
	const uint64_t *first = rsd_map_find(&tl->lane_of_rank, (uint64_t)l->where.rank);

	for (size_t i = first ? (size_t)*first : tl->nr_lanes;
		i < tl->nr_lanes && tl->lane[i].where.rank == l->where.rank; i++)
		if (&tl->lane[i] != l && !tl->lane[i].over)
			return true;
	return false;
}

/* A communicator that another thread of the rank has yet to make. False where it has to wait for that. */
static bool has_handles(struct rsd_timeline *tl, struct rsd_lane *l, int *err)
{
	int64_t comm = rsd_value(&l->values, RSD_A_COMM); /* absent is a constant, too */
	int side;

	if (l->forced || rsd_is_const(comm) ||
		rsd_comms_find(&tl->comms, l->where.rank, comm, &side) >= 0)
		return true;
	if (!has_others(tl, l))
		return true; /* it is of a kind that is not known here */
	l->late = true;
	*err = wait_for(tl, l, handle_key(l->where.rank, comm));
	return false;
}

/* Goes on where it has waited: not before what it waited for. */
static void be_late(const struct rsd_timeline *tl, struct rsd_lane *l)
{
	if (l->late && tl->times != RSD_TIMES_KEPT && l->begin < tl->now) {
		l->end = later(l->end, tl->now - l->begin);
		l->begin = tl->now;
	}
	l->late = false;
}

static bool form(struct rsd_timeline *tl, struct rsd_lane *l, int *err)
{
	int comm;

	if (!l->forming)
		return true;
	if (!rsd_comms_is_formed(l->forming) && l->forced) {
		*err = rsd_comms_form(&tl->comms, l->forming);
		rsd_timeline_wake(tl, (uint64_t)(uintptr_t)l->forming | 1);
	}
	if (*err)
		return false;
	if (!rsd_comms_is_formed(l->forming)) {
		*err = wait_for(tl, l, (uint64_t)(uintptr_t)l->forming | 1);
		return false;
	}
	comm = rsd_comms_take(&tl->comms, l->forming, l->where.rank, l->formed_value);
	tl->now = l->end;
	rsd_timeline_wake(tl, handle_key(l->where.rank, l->formed_value));
	l->forming = NULL;
	l->action[l->formed_action].comm = comm;
	*err = comm < 0 ? comm : 0;
	return comm >= 0;
}

static uint64_t meeting_key(const struct rsd_lane *l)
{
	return rsd_hash_mix((uint64_t)(unsigned)l->meets_in << 40 ^ l->meeting) & ~UINT64_C(1);
}

static struct meeting *go_to_meeting(struct rsd_timeline *tl, struct rsd_lane *l)
{
	const struct rsd_comm *c = &tl->comms.comm[l->meets_in];
	const uint64_t *nr = rsd_map_find(&l->meetings, (uint64_t)l->meets_in), *at;
	struct meeting *m;

	l->meeting = nr ? *nr + 1 : 1;
	at = rsd_map_find(&tl->meeting, meeting_key(l));
	m = at ? (struct meeting *)(uintptr_t)*at : rsd_calloc(1, sizeof(*m));
	if (!m || rsd_map_set(&l->meetings, (uint64_t)l->meets_in, l->meeting) ||
		rsd_map_set(&tl->meeting, meeting_key(l), (uint64_t)(uintptr_t)m)) {
		if (!at)
			free(m);
		return NULL;
	}
	m->size = c->size[0] + c->size[1];
	m->come++;
	m->latest = l->begin > m->latest ? l->begin : m->latest;
	if (l->is_root) {
		m->root_come = true;
		m->root_ns = l->begin;
	}
	if (m->come == m->size || l->is_root)
		rsd_timeline_wake(tl, meeting_key(l));
	return m;
}

/* Those that the lane waits for. */
static bool are_there(const struct rsd_lane *l, const struct meeting *m)
{
	if (l->meets == RSD_MEETS_NOBODY)
		return true;
	return l->meets == RSD_MEETS_ROOT ? m->root_come : m->come == m->size;
}

static bool meet_others(struct rsd_timeline *tl, struct rsd_lane *l, int *err)
{
	struct meeting *m;
	const uint64_t *at;
	int64_t last;

	if (l->meets_in < 0 || l->meets_in == RSD_COMM_SELF)
		return true;
	if (!l->meeting && !go_to_meeting(tl, l)) {
		*err = RSD_ERR_NOMEM;
		return false;
	}
	at = rsd_map_find(&tl->meeting, meeting_key(l));
	m = (struct meeting *)(uintptr_t)*at;
	if (!are_there(l, m) && l->forced)
		m->broken = true;
	if (!are_there(l, m) && !m->broken) {
		*err = wait_for(tl, l, meeting_key(l));
		return false;
	}
	last = l->meets == RSD_MEETS_NOBODY ? l->begin
	       : l->meets == RSD_MEETS_ROOT ? m->root_ns
					    : m->latest;
	if (!m->broken && l->end <= last)
		l->end = later(last, 1);
	if (++m->left == m->size) {
		rsd_map_delete(&tl->meeting, meeting_key(l));
		free(m);
	}
	l->meets_in = -1;
	return true;
}

static int go_on(struct rsd_timeline *tl, struct rsd_lane *l,
	int (*see)(const struct rsd_moment *m, void *arg), void *arg)
{
	struct rsd_moment m;
	int err = 0;

	if (!l->begun) {
		be_late(tl, l);
		if (!has_handles(tl, l, &err))
			return err;
		l->begun = true;
		err = rsd_lane_act(tl, l);
	}
	if (err || !meet_needs(tl, l, &err) || !form(tl, l, &err) || !meet_others(tl, l, &err))
		return err;
	m = (struct rsd_moment){ .location = (int)(l - tl->lane),
		.event = &l->event,
		.values = &l->values,
		.node = l->node,
		.begin_ns = l->begin,
		.end_ns = l->end,
		.compute_ns = l->begin - l->last_end,
		.action = l->action,
		.nr_actions = l->nr_actions };
	err = see(&m, arg);
	l->last_end = l->end;
	return err ? err : next_event(tl, l);
}

int rsd_timeline_run(
	struct rsd_timeline *tl, int (*see)(const struct rsd_moment *m, void *arg), void *arg)
{
	struct rsd_progress progress;
	int err = 0;

	rsd_progress_begin(&progress, "events", 0);
	for (size_t i = 0; i < tl->nr_lanes && !err; i++)
		err = next_event(tl, &tl->lane[i]);
	while (!err && tl->nr_over < tl->nr_lanes) {
		if (!tl->nr_ready)
			force_one(tl);
		if (!tl->nr_ready)
			break;
		err = go_on(tl, pop(tl), see, arg);
		rsd_progress_step(&progress, 1);
	}
	rsd_progress_end(&progress);
	return err;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int add_lanes(struct rsd_timeline *tl, int rank, size_t *alloc)
{
	int *thread;
	size_t nr;
	int err = rsd_trace_threads(tl->t, rank, &thread, &nr);

	for (size_t i = 0; i < nr && !err; i++) {
		err = tl->nr_lanes < RSD_TIMELINE_MOST
			      ? RSD_GROW(tl->location, tl->nr_lanes + 1, *alloc)
			      : RSD_ERR_RANGE;
		if (!err && i == 0)
			err = rsd_map_set(&tl->lane_of_rank, (uint64_t)rank, tl->nr_lanes);
		if (!err)
			tl->location[tl->nr_lanes++] = (struct rsd_location){ rank, thread[i] };
	}
	free(thread);
	return err;
}

static int open_lanes(struct rsd_timeline *tl)
{
	tl->lane = rsd_calloc(tl->nr_lanes + 1, sizeof(*tl->lane));
	tl->ready = rsd_calloc(tl->nr_lanes + 1, sizeof(struct rsd_lane *));
	if (!tl->lane || !tl->ready)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < tl->nr_lanes; i++) {
		struct rsd_lane *l = &tl->lane[i];
		int err =
			rsd_walk_new(&l->walk, tl->t, tl->location[i].rank, tl->location[i].thread);

		l->where = tl->location[i];
		l->seen = rsd_calloc(tl->t->nr_places + 1, 1);
		if (err || !l->seen)
			return err ? err : RSD_ERR_NOMEM;
	}
	return 0;
}

static enum rsd_times find_times(const struct rsd_trace *t)
{
	bool timing = false;

	for (size_t i = 0; i < t->nr_places; i++) {
		if (t->place[i].has_times)
			return RSD_TIMES_KEPT;
		timing |= t->place[i].has_timing;
	}
	if (t->nr_logs) {
		const struct rsd_log *log = &t->log[0];
		struct rsd_walk *w;
		struct rsd_event e;
		bool has = !rsd_walk_new(&w, t, log->rank, rsd_thread_number(log->thread)) &&
			   !rsd_walk_next(w, &e) && e.has_time;

		rsd_walk_free(w);
		if (has)
			return RSD_TIMES_KEPT;
	}
	return timing ? RSD_TIMES_ESTIMATED : RSD_TIMES_NONE;
}

/* Of kept times. */
static void describe_times(struct rsd_timeline *tl)
{
	int64_t error;

	rsd_buf_reset(&tl->text);
	rsd_buf_printf(&tl->text, "times of every call");
	if (rsd_clocks_cover(tl->clocks, &error))
		rsd_buf_printf(&tl->text,
			", clocks of ranks aligned at the start and the end, to %.3f us",
			(double)error * 1e-3);
	else if (!tl->shift)
		rsd_buf_printf(&tl->text, ", as recorded");
	if (tl->shift)
		rsd_buf_printf(&tl->text,
			", clocks of threads shifted so that no message arrives before it was "
			"sent");
	rsd_buf_put_byte(&tl->text, 0);
}

struct rsd_timeline *rsd_timeline_new(const struct rsd_trace *t)
{
	struct rsd_timeline *tl = rsd_calloc(1, sizeof(*tl));
	size_t alloc = 0;
	int err;

	if (!tl) {
		rsd_tool_error("out of memory");
		return NULL;
	}
	tl->t = t;
	tl->times = find_times(t);
	err = t->nprocs > RSD_TIMELINE_MOST ? RSD_ERR_RANGE : rsd_calls_init(&tl->calls, t);
	if (!err && tl->times == RSD_TIMES_KEPT)
		err = rsd_clocks_new(&tl->clocks, t);
	if (!err)
		err = rsd_comms_init(&tl->comms, t);
	for (int r = rsd_ranks_first(&t->ranks); r >= 0 && !err; r = rsd_ranks_next(&t->ranks, r))
		err = add_lanes(tl, r, &alloc);
	if (!err)
		err = open_lanes(tl);
	describe_times(tl);
	if (!err)
		return tl;
	if (err == RSD_ERR_RANGE)
		rsd_tool_error(
			"the trace has more than %d threads, which are gone through side by side",
			RSD_TIMELINE_MOST);
	else
		rsd_tool_error("%s", rsd_strerror(err));
	rsd_timeline_free(tl);
	return NULL;
}

void rsd_timeline_free(struct rsd_timeline *tl)
{
	if (!tl)
		return;
	for (size_t i = 0; tl->lane && i < tl->nr_lanes; i++) {
		struct rsd_lane *l = &tl->lane[i];

		rsd_walk_free(l->walk);
		rsd_live_release(&l->live);
		rsd_live_release(&l->messages);
		rsd_map_release(&l->meetings);
		free(l->values.at);
		free(l->action);
		free(l->need);
		free(l->seen);
	}
	for (size_t i = 0; i < tl->meeting.alloc; i++)
		if (tl->meeting.slot[i].used)
			free((void *)(uintptr_t)tl->meeting.slot[i].value);
	rsd_calls_release(&tl->calls);
	rsd_comms_release(&tl->comms);
	rsd_match_release(&tl->match);
	rsd_map_release(&tl->waiting);
	rsd_map_release(&tl->meeting);
	rsd_map_release(&tl->lane_of_rank);
	rsd_clocks_free(tl->clocks);
	rsd_buf_release(&tl->text);
	free(tl->shift);
	free(tl->location);
	free(tl->lane);
	free(tl->ready);
	free(tl);
}

enum rsd_times rsd_timeline_times(const struct rsd_timeline *tl)
{
	return tl->times;
}

void rsd_timeline_shift(struct rsd_timeline *tl, int64_t *shift)
{
	tl->shift = shift;
	describe_times(tl);
}

const char *rsd_timeline_times_text(const struct rsd_timeline *tl)
{
	static const char *const text[] = {
		[RSD_TIMES_KEPT] = "times of every call",
		[RSD_TIMES_ESTIMATED] = "times estimated from each place's mean duration and "
					"computation (RECORD_TIME=full keeps every call's)",
		[RSD_TIMES_NONE] = "no times were kept: every call takes a microsecond "
				   "(RECORD_TIME=full keeps every call's)",
	};

	return tl->times != RSD_TIMES_KEPT || tl->text.err ? text[tl->times]
							   : (const char *)tl->text.data;
}

const struct rsd_location *rsd_timeline_locations(const struct rsd_timeline *tl, size_t *nr)
{
	*nr = tl->nr_lanes;
	return tl->location;
}

const struct rsd_comms *rsd_timeline_comms(const struct rsd_timeline *tl)
{
	return &tl->comms;
}

uint64_t rsd_timeline_unmatched(const struct rsd_timeline *tl)
{
	return tl->unmatched;
}
