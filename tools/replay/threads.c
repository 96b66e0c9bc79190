#include "threads.h"

#include <errno.h>
#include <stdlib.h>
#include "player.h"
#include "util.h"

/* A thread that is in one call for so many ticks is taken to wait for something that we hold up. */
#define PATIENCE 500
#define TICK_NS 20000000

/* ---- handles and requests ------------------------------------------------------------------------------ */

static bool has_made(const struct rsd_play *maker, int64_t id)
{
	struct rsd_replay *r = maker->r;
	bool made;

	pthread_mutex_lock(&r->tables);
	made = rsd_request_was_made(&maker->requests, id);
	pthread_mutex_unlock(&r->tables);
	return made;
}

static bool is_used(struct rsd_replay *r, const struct rsd_live *l)
{
	bool used;

	pthread_mutex_lock(&r->tables);
	used = l->users > 0;
	pthread_mutex_unlock(&r->tables);
	return used;
}

/* Does the thread wait for something that others have to do first? Who has only to wake up does not. Under the lock. */
static bool is_stuck(const struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	int64_t made;

	if (p->waits_users)
		return is_used(r, p->waits_users);
	if (p->waits && p->waits_maker)
		return !p->waits_maker->ended && !has_made(p->waits_maker, p->waits_request);
	if (p->waits)
		return !rsd_handles_find(&r->handles, p->waits_group, p->waits_slot, &made);
	return rsd_order_holds(p) || (r->joining && p == r->play);
}

/*
 * Is another thread about to make calls, so that it may make what this one needs? One that has not begun waits for the
 * main thread. Under the lock.
 */
static bool others_play(const struct rsd_play *p)
{
	const struct rsd_replay *r = p->r;

	for (size_t i = 0; i < r->nr_live; i++) {
		if (r->live[i] != p && !is_stuck(r->live[i]))
			return true;
	}
	return false;
}

bool rsd_threads_find(struct rsd_play *p, int group, int64_t slot, int64_t *handle)
{
	struct rsd_replay *r = p->r;
	bool found;

	pthread_mutex_lock(&r->lock);
	if (rsd_handles_find(&p->made, group, slot, handle)) {
		pthread_mutex_unlock(&r->lock);
		return true;
	}
	while (!(found = rsd_handles_find(&r->handles, group, slot, handle)) && others_play(p)) {
		p->waits = true;
		p->waits_group = group;
		p->waits_slot = slot;
		pthread_cond_wait(&r->changed, &r->lock);
		p->waits = false;
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

void rsd_threads_await_request(struct rsd_play *p, const struct rsd_play *maker, int64_t id)
{
	struct rsd_replay *r = p->r;

	if (has_made(maker, id))
		return;
	pthread_mutex_lock(&r->lock);
	/* Before it looks: who makes one looks at this after that. */
	r->await_requests++;
	p->waits_maker = maker;
	p->waits_request = id;
	while (!has_made(maker, id) && !maker->ended && others_play(p)) {
		p->waits = true;
		pthread_cond_wait(&r->changed, &r->lock);
		p->waits = false;
	}
	p->waits_maker = NULL;
	r->await_requests--;
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_await_request_users(struct rsd_play *p, const struct rsd_live *l)
{
	struct rsd_replay *r = p->r;

	if (!is_used(r, l))
		return;
	pthread_mutex_lock(&r->lock);
	r->await_requests++;
	p->waits_users = l;
	/* Some of them may wait for what this thread makes next. */
	pthread_cond_broadcast(&r->changed);
	while (is_used(r, l) && others_play(p))
		pthread_cond_wait(&r->changed, &r->lock);
	p->waits_users = NULL;
	r->await_requests--;
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_tell_of_request(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	if (!atomic_load(&r->await_requests))
		return;
	pthread_mutex_lock(&r->lock);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

int rsd_threads_set(struct rsd_play *p, int group, int64_t slot, int64_t handle)
{
	struct rsd_replay *r = p->r;
	int err = 0;

	pthread_mutex_lock(&r->lock);
	if (r->nr_plays > 1)
		err = rsd_handles_set(&p->made, group, slot, handle);
	if (!err)
		err = rsd_handles_set(&r->handles, group, slot, handle);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return err;
}

/* Of these each handle is freed once. Of others a program may get the same one several times. */
static bool is_freed_once(int group)
{
	return group == RSD_G_COMM || group == RSD_G_WIN || group == RSD_G_FILE ||
	       group == RSD_G_INFO;
}

/*
 * Who uses the slot next waits until it has been made again. Only the thread that frees it has it until MPI has done so, as
 * the callbacks of that call use it. Under the lock.
 */
static void forget_made(struct rsd_play *p, int group, int64_t slot)
{
	struct rsd_replay *r = p->r;
	int64_t other, freed;

	if (!rsd_handles_find(&p->made, group, slot, &freed) &&
		!rsd_handles_find(&r->handles, group, slot, &freed))
		return;
	for (size_t i = 0; i < r->nr_live; i++) {
		struct rsd_handles *made = &r->live[i]->made;

		if (made != &p->made && rsd_handles_find(made, group, slot, &other) &&
			other == freed)
			rsd_handles_drop(made, group, slot);
	}
	if (is_freed_once(group) && rsd_handles_find(&r->handles, group, slot, &other) &&
		other == freed)
		rsd_handles_drop(&r->handles, group, slot);
	/* Without memory for it, callbacks' calls are left out. */
	rsd_handles_set(&p->made, group, slot, freed);
}

void rsd_threads_freeing(struct rsd_play *p, int group, int64_t slot)
{
	if (p->r->nr_plays == 1)
		return;
	pthread_mutex_lock(&p->r->lock);
	forget_made(p, group, slot);
	pthread_mutex_unlock(&p->r->lock);
}

void rsd_threads_freed(struct rsd_play *p, int group, int64_t slot, int64_t handle)
{
	struct rsd_replay *r = p->r;
	int64_t now;

	pthread_mutex_lock(&r->lock);
	if (r->nr_plays == 1 && is_freed_once(group))
		rsd_handles_drop(&r->handles, group, slot);
	/* A callback may have made something else for the slot. */
	if (rsd_handles_find(&p->made, group, slot, &now) && now == handle)
		rsd_handles_drop(&p->made, group, slot);
	pthread_mutex_unlock(&r->lock);
}

/* ---- who uses what -------------------------------------------------------------------------- */

static const int group_of_role[RSD_NR_ROLES] = {
	[RSD_R_COMM] = RSD_G_COMM,
	[RSD_R_DATATYPE] = RSD_G_DATATYPE,
	[RSD_R_OP] = RSD_G_OP,
	[RSD_R_GROUP] = RSD_G_GROUP,
	[RSD_R_WIN] = RSD_G_WIN,
	[RSD_R_FILE] = RSD_G_FILE,
	[RSD_R_INFO] = RSD_G_INFO,
	[RSD_R_ERRHANDLER] = RSD_G_ERRHANDLER,
	[RSD_R_KEYVAL] = RSD_G_KEYVAL,
	[RSD_R_SESSION] = RSD_G_SESSION,
};

/* A place's run of slots. 0 or RSD_ERR_NOMEM. */
static int widen(int64_t min, int64_t max, void *arg)
{
	struct rsd_slot_uses *u = arg;
	uint64_t owner = (uint64_t)rsd_slot_owner(min);
	const uint64_t *index = rsd_map_find(&u->by_owner, owner);
	struct rsd_slot_range *range;

	if (!index) {
		if (RSD_GROW(u->range, u->nr + 1, u->alloc) ||
			rsd_map_set(&u->by_owner, owner, u->nr))
			return RSD_ERR_NOMEM;
		u->range[u->nr++] = (struct rsd_slot_range){ min, max };
		return 0;
	}
	range = &u->range[*index];
	if (min < range->min)
		range->min = min;
	if (max > range->max)
		range->max = max;
	return 0;
}

/* Without memory for all of them, the rest is not waited for. */
static void add_uses(struct rsd_play *p, int group, const struct rsd_params *params)
{
	enum rsd_encoding enc;
	struct rsd_column *c;

	if (rsd_params_get(params, p->r->rank, &enc, &c))
		return;
	rsd_column_extremes(c, widen, &p->uses[group]);
	rsd_column_free(c);
}

static void find_uses(struct rsd_play *p)
{
	const struct rsd_trace *t = p->r->trace;

	p->knows_uses = true;
	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *at = &t->place[i];
		const struct rsd_func *f = &t->func[at->func];
		int col = 0;

		if (rsd_thread_number(at->thread) != p->thread)
			continue;
		for (int k = 0; k < f->nr_params; k++) {
			int nr = rsd_type_columns(f->param[k].type),
			    group = group_of_role[f->param[k].role];

			/* The elements of an array are in its second column. */
			if (group)
				add_uses(p, group, &at->col[col + (nr > 1)]);
			col += nr;
		}
	}
}

static bool uses(const struct rsd_play *q, int group, int64_t slot)
{
	const struct rsd_slot_uses *u = &q->uses[group];

	for (size_t i = 0; i < u->nr; i++) {
		if (u->range[i].min <= slot && slot <= u->range[i].max)
			return true;
	}
	return false;
}

/* May q use what p is about to free before that, as far as it is known? Under the lock. */
static bool has_to_await(const struct rsd_play *p, const struct rsd_play *q)
{
	const struct rsd_replay *r = p->r;

	return !q->ended && !q->stalls && !(r->joining && q == r->play) &&
	       !rsd_order_is_apart(p, q);
}

/*
 * Where all threads wait, some of them for each other to be done with what they are to free, one goes on: the
 * slots that they share have been one's and then the other's. The main thread is the last one to. Under the lock.
 */
static bool has_to_go_on(const struct rsd_play *p)
{
	const struct rsd_replay *r = p->r;
	const struct rsd_play *last = p;

	for (size_t i = 0; i < r->nr_live; i++) {
		const struct rsd_play *q = r->live[i];

		/* It plays, or has only to wake up. */
		if (q->awaits_user ? !has_to_await(q, q->awaits_user) : !is_stuck(q))
			return false;
		if (q->awaits_user)
			last = q;
	}
	return last == p;
}

/* Has it got on since *calls, which it moves on? One that has not begun gets on as the main thread does. Under the lock. */
static bool note_progress(const struct rsd_play *q, uint64_t *calls)
{
	const struct rsd_play *at = q->order.waits ? q->r->play : q;
	uint64_t before = *calls;

	*calls = atomic_load_explicit(&at->nr_calls, memory_order_relaxed);
	return *calls != before ||
	       !(at->waits || at->waits_users || at->awaits_user || at->order.awaits_end ||
		       atomic_load_explicit(&at->entered_ns, memory_order_relaxed));
}

/* Under the lock. */
static void give_up(struct rsd_play *q)
{
	struct rsd_replay *r = q->r;

	/* The main thread doesn't get there: what holds for this one holds for all that have not begun. */
	for (size_t i = r->turns.begun; q->order.waits && i < r->turns.nr_from; i++)
		r->turns.by_from[i]->stalls = true;
	q->stalls = true;
}

/* Until it is at its end, or stalls, or its turn is later. Under the lock. */
static void await_user(struct rsd_play *p, struct rsd_play *q)
{
	struct rsd_replay *r = q->r;
	uint64_t calls = 0;
	int idle = 0;

	p->awaits_user = q;
	while (has_to_await(p, q) && !has_to_go_on(p)) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&r->changed, &r->lock, &until) != ETIMEDOUT)
			continue;
		idle = note_progress(q, &calls) ? 0 : idle + 1;
		if (idle >= PATIENCE)
			give_up(q);
	}
	p->awaits_user = NULL;
}

static bool is_user(const struct rsd_play *p, struct rsd_play *q, int group, int64_t slot)
{
	if (q == p || !has_to_await(p, q))
		return false;
	if (!q->knows_uses)
		find_uses(q);
	return uses(q, group, slot);
}

/* Another thread that may use the slot before p is to free it; NULL: none. Under the lock. */
static struct rsd_play *find_user(struct rsd_play *p, int group, int64_t slot)
{
	const struct rsd_replay *r = p->r;
	const struct rsd_turns *t = &r->turns;

	for (size_t i = 0; i < r->nr_live; i++) {
		if (is_user(p, r->live[i], group, slot))
			return r->live[i];
	}
	/* Those that begin after the main thread's present call, or after p's end, are apart, and all later ones. */
	for (size_t i = t->begun; i < t->nr_from && !rsd_order_is_apart(p, t->by_from[i]); i++) {
		if (is_user(p, t->by_from[i], group, slot))
			return t->by_from[i];
	}
	return NULL;
}

void rsd_threads_await_users(struct rsd_play *p, int group, int64_t slot)
{
	struct rsd_replay *r = p->r;
	struct rsd_play *q;

	if (r->nr_plays == 1)
		return;
	pthread_mutex_lock(&r->lock);
	do {
		q = find_user(p, group, slot);
		if (q)
			await_user(p, q);
	} while (q && !has_to_await(p, q));
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_release(struct rsd_play *p)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(p->uses); i++) {
		free(p->uses[i].range);
		rsd_map_release(&p->uses[i].by_owner);
		p->uses[i] = (struct rsd_slot_uses){ NULL, 0, 0, p->uses[i].by_owner };
	}
	rsd_handles_release(&p->made);
}

/* ---- beginning and end -------------------------------------------------------------------------- */

/* Under the lock. */
static void leave_live(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	struct rsd_play *last = r->live[--r->nr_live];

	r->live[p->at_live] = last;
	last->at_live = p->at_live;
	p->ended = true;
	p->next_done = r->done;
	r->done = p;
	pthread_cond_broadcast(&r->changed);
}

/* Under the lock. */
static void enter_live(struct rsd_play *p)
{
	p->at_live = p->r->nr_live;
	p->r->live[p->r->nr_live++] = p;
}

/* Ended ones' buffers may still be in use, as all calls of a thread use them at a time; they will do for another one. Under the lock. */
static void take_buffers(struct rsd_play *p)
{
	struct rsd_play *from = p->r->done;

	if (!from)
		return;
	p->r->done = from->next_done;
	p->buffers = from->buffers;
	from->buffers = (struct rsd_buffers){ .mapped = 0 };
}

/* Under the lock. */
static void start(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	take_buffers(p);
	enter_live(p);
	p->thread_runs = !pthread_create(&p->id, NULL, r->play_thread, p);
	if (p->thread_runs)
		return;
	rsd_replay_say(
		r, "cannot start a thread: the calls of thread %d are not played", p->thread);
	leave_live(p);
}

void rsd_threads_start(struct rsd_replay *r, void *(*play)(void *))
{
	r->play_thread = play;
	pthread_mutex_lock(&r->lock);
	enter_live(r->play);
	for (size_t i = 1; i < r->nr_plays; i++) {
		if (!r->play[i].order.waits)
			start(&r->play[i]);
	}
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_begin_due(struct rsd_replay *r)
{
	struct rsd_play *p;

	pthread_mutex_lock(&r->lock);
	while ((p = rsd_order_next_to_begin(r)))
		start(p);
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_wait_for_mpi(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	pthread_mutex_lock(&r->lock);
	while (p != r->play && !r->in_mpi && !r->finalized && !r->play[0].ended)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_ended(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	pthread_mutex_lock(&r->lock);
	leave_live(p);
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_mpi_started(struct rsd_replay *r)
{
	pthread_mutex_lock(&r->lock);
	r->in_mpi = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void rsd_threads_join(struct rsd_play *p)
{
	if (p->thread_runs)
		pthread_join(p->id, NULL);
	p->thread_runs = false;
}

void rsd_threads_join_all(struct rsd_replay *r)
{
	pthread_mutex_lock(&r->lock);
	r->joining = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	rsd_threads_begin_due(r);
	for (size_t i = 1; i < r->nr_plays; i++)
		rsd_threads_join(&r->play[i]);
}
