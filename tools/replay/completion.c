/*
 * completion.c - requests as arguments: what play.h says of them
 *
 * Where there are several threads, any of them may end a request. So each call holds those that it is given until it is over, and
 * one that ends a request waits for those that use it. While it is being ended, what asked for it before that in the traced
 * run comes too late.
 */
#include <string.h>
#include "player.h"
#include "threads.h"
#include "util.h"

static void lock_tables(struct rsd_play *p)
{
	if (p->r->nr_plays > 1)
		pthread_mutex_lock(&p->r->tables);
}

static void unlock_tables(struct rsd_play *p)
{
	if (p->r->nr_plays > 1)
		pthread_mutex_unlock(&p->r->tables);
}

/* The thread that made it, as far as its name tells. */
static int maker_of(const struct rsd_play *p, int64_t id)
{
	if (rsd_is_foreign(id))
		return rsd_foreign_owner(id);
	return id < 0 ? rsd_slot_owner(-1 - id) : p->thread;
}

/* Which of its requests does the present call end? Asked where there are several threads, or one is not there. */
static void find_ended(struct rsd_play *p)
{
	const char *name = rsd_funcs[p->f->func].name;
	struct rsd_call_requests *now = &p->requests.now;
	const struct rsd_arg *flag = rsd_play_named(p, "flag");
	bool completes = !strncmp(name, "MPI_Wait", 8) || !strncmp(name, "MPI_Test", 8);

	now->asks = completes || !strncmp(name, "MPI_Request_get_status", 22);
	now->ends = (completes || !strcmp(name, "MPI_Request_free")) && (!flag || flag->head == 1);
	now->index = rsd_play_named(p, "index");
	now->indices = rsd_play_named(p, "array_of_indices");
}

/* The k-th? If that is persistent, then what it had started. */
static bool ends(const struct rsd_play *p, size_t k)
{
	const struct rsd_call_requests *now = &p->requests.now;

	if (!now->ends || now->index)
		return now->ends && now->index->head == (int64_t)k;
	for (size_t i = 0; now->indices && i < now->indices->nr; i++) {
		if (now->indices->v[i] == (int64_t)k)
			return true;
	}
	return !now->indices;
}

/* Does a call in the middle of which the present one is use it? */
static bool is_in_outer_call(const struct rsd_play *p, const struct rsd_live *l)
{
	for (const struct rsd_call_requests *o = p->requests.now.outer; o; o = o->outer) {
		for (size_t i = 0; i < o->nr_seen; i++) {
			if (o->seen[i] == l)
				return true;
		}
	}
	return false;
}

/*
 * The k-th request of the present call is this one, or NULL. What another thread's completion may depend on, as
 * MPI_Grequest_complete or MPI_Cancel, is done during that one, too; what only asks came before it. Under the lock of tables.
 */
static struct rsd_live *take(const struct rsd_play *p, size_t k, struct rsd_live *l)
{
	if (!l || p->r->nr_plays == 1)
		return l;
	if (rsd_request_is_being_ended(l) && p->requests.now.asks && !ends(p, k) &&
		!is_in_outer_call(p, l))
		return NULL;
	rsd_request_hold(l, ends(p, k));
	return l;
}

static struct rsd_live *take_own(struct rsd_play *p, size_t k, int64_t id)
{
	struct rsd_live *l;

	if (rsd_is_foreign(id))
		return NULL;
	lock_tables(p);
	l = take(p, k, rsd_request_find(&p->requests, id));
	unlock_tables(p);
	return l;
}

/*
 * Of this thread, or, as requests may be completed by any, of another one: the one that it names, or, in traces from before
 * that, any. In these the name of one's own may seem to be another thread's, so one's own is looked for first.
 */
static struct rsd_live *take_found(struct rsd_play *p, size_t k, int64_t id)
{
	const struct rsd_play *maker = rsd_replay_find(p->r, maker_of(p, id));
	struct rsd_replay *r = p->r;
	struct rsd_live *l = take_own(p, k, id);

	if (l)
		return l;
	if (maker && maker != p)
		rsd_threads_await_request(p, maker, id);
	lock_tables(p);
	if (maker)
		l = rsd_request_find(&maker->requests, id);
	for (size_t i = 0; !l && !rsd_is_foreign(id) && i < r->nr_plays; i++)
		l = rsd_request_find(&r->play[i].requests, id);
	l = take(p, k, l);
	unlock_tables(p);
	return l;
}

_Noreturn static void give_up_request(struct rsd_play *p, int64_t id)
{
	bool foreign = !rsd_is_const(id) && rsd_is_foreign(id);
	struct rsd_play *maker = foreign ? rsd_replay_find(p->r, rsd_foreign_owner(id)) : NULL;
	bool made = false;

	lock_tables(p);
	if (maker)
		made = rsd_request_was_made(&maker->requests, id);
	unlock_tables(p);
	if (made)
		rsd_play_give_up(p,
			"uses a request that thread %d has ended by now, or whose making was not "
			"played",
			maker->thread);
	rsd_play_give_up(p, "uses a request whose making was not played");
}

static void drop(struct rsd_play *p, struct rsd_live *l)
{
	lock_tables(p);
	rsd_request_drop(l);
	unlock_tables(p);
}

static void see(struct rsd_play *p, struct rsd_live *l)
{
	struct rsd_request_table *t = &p->requests;

	t->now.seen[t->now.nr_seen++] = l;
	if (l && p->r->nr_plays > 1 && ends(p, t->now.nr_seen - 1) && !is_in_outer_call(p, l))
		rsd_threads_await_request_users(p, l);
}

static void moved(
	const struct rsd_play *p, MPI_Request value, const MPI_Request *from, const MPI_Request *to)
{
	if (p->r->guide && value != MPI_REQUEST_NULL)
		p->r->guide->moved((int64_t)(intptr_t)value, from, to);
}

MPI_Request *rsd_play_new_request(struct rsd_play *p, int place)
{
	(void)place;
	lock_tables(p);
	p->requests.now.made = rsd_request_new(&p->requests);
	unlock_tables(p);
	if (!p->requests.now.made)
		rsd_play_give_up(p, "no memory for a request");
	return &p->requests.now.made->request;
}

void rsd_play_made_request(struct rsd_play *p, int place, bool persistent)
{
	struct rsd_request_table *t = &p->requests;
	struct rsd_live *l = t->now.made;
	int64_t id = rsd_play_arg(p, place)->head;
	int err;

	t->now.made = NULL;
	if (l->request == MPI_REQUEST_NULL || (rsd_is_const(id) && id != RSD_ABSENT)) {
		drop(p, l);
		return;
	}
	/* Once it is there another thread may complete it. */
	l->kept = rsd_scratch_keep(&p->scratch);
	lock_tables(p);
	err = rsd_request_made(t, l, persistent && id < 0 ? -1 - id : -1);
	unlock_tables(p);
	rsd_threads_tell_of_request(p);
	if (err)
		rsd_report_skip(&p->r->report, rsd_funcs[p->f->func].name,
			"made a request that could not be kept");
}

void rsd_play_end_request(struct rsd_play *p)
{
	struct rsd_live *l = p->requests.now.made;

	p->requests.now.made = NULL;
	if (l)
		drop(p, l);
	if (p->requests.now.counted || !rsd_scout_counts(&p->r->trace->func[p->e.func], p->arg))
		return;
	p->requests.now.counted = true;
	lock_tables(p);
	p->requests.head++;
	unlock_tables(p);
	rsd_threads_tell_of_request(p);
	if (p->r->guide)
		p->r->guide->passed();
}

/*
 * Some of the call's requests are not there, so null requests are in their place. That will do for a completion of several, unless
 * what it ended, or of one that ended none what it asked for, is all of that kind.
 */
static bool can_do_without(struct rsd_play *p)
{
	const struct rsd_call_requests *now = &p->requests.now;
	bool any = false;

	find_ended(p);
	for (size_t k = 0; k < now->nr_seen; k++)
		any |= ends(p, k);
	for (size_t k = 0; now->asks && k < now->nr_seen; k++) {
		if (now->seen[k] && (!any || ends(p, k)))
			return true;
	}
	return false;
}

/* What the call's requests are here: 'nr' of them. */
static void see_all(struct rsd_play *p, const int64_t *id, size_t nr)
{
	struct rsd_request_table *t = &p->requests;
	const int64_t *missing = NULL;

	if (RSD_GROW(t->now.seen, nr, t->now.alloc_seen))
		rsd_play_give_up(p, "no memory for its requests");
	for (size_t i = 0; i < nr; i++) {
		struct rsd_live *l = rsd_is_const(id[i]) ? NULL : take_found(p, i, id[i]);

		if (!l && !missing && (id[i] == RSD_ABSENT || !rsd_is_const(id[i])))
			missing = &id[i];
		see(p, l);
	}
	if (missing && !can_do_without(p))
		give_up_request(p, *missing);
	if (missing)
		rsd_report_skip(&p->r->report, rsd_funcs[p->f->func].name,
			"was made without some of its requests, which are not there");
}

MPI_Request *rsd_play_requests(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	struct rsd_request_table *t = &p->requests;
	bool single = rsd_funcs[p->f->func].param[place].type == RSD_T_INT;
	size_t nr = single ? 1 : a->nr;

	t->now.nr_seen = 0;
	t->now.array = NULL;
	if (p->r->nr_plays > 1)
		find_ended(p);
	if (!single && rsd_is_const(a->head))
		return NULL;
	see_all(p, single ? &a->head : a->v, nr);
	if (single && t->now.seen[0])
		return &t->now.seen[0]->request;
	t->now.array = rsd_scratch_take(&p->scratch, (nr + 1) * sizeof(*t->now.array));
	if (!t->now.array)
		rsd_play_give_up(p, "no memory for its requests");
	for (size_t i = 0; i < nr; i++) {
		t->now.array[i] = t->now.seen[i] ? t->now.seen[i]->request : MPI_REQUEST_NULL;
		if (t->now.seen[i])
			moved(p, t->now.array[i], &t->now.seen[i]->request, &t->now.array[i]);
	}
	return t->now.array;
}

/* The k-th request of the call, after it. Under the lock of tables. */
static void settle(struct rsd_play *p, size_t k, struct rsd_live *l)
{
	const struct rsd_request_table *t = &p->requests;

	if (!l->live)
		return;
	if (t->now.array) {
		l->request = t->now.array[k];
		moved(p, l->request, &t->now.array[k], &l->request);
	}
	if (l->request != MPI_REQUEST_NULL)
		return;
	rsd_scratch_give_back(&p->scratch, l->kept);
	l->kept = NULL;
	rsd_request_drop(l);
}

void rsd_play_settle_requests(struct rsd_play *p)
{
	struct rsd_request_table *t = &p->requests;
	bool shared = p->r->nr_plays > 1;

	lock_tables(p);
	for (size_t i = 0; i < t->now.nr_seen; i++) {
		struct rsd_live *l = t->now.seen[i];

		if (l)
			settle(p, i, l);
		if (l && shared)
			rsd_request_let_go(l, ends(p, i));
	}
	unlock_tables(p);
	if (shared && t->now.nr_seen)
		rsd_threads_tell_of_request(p);
	t->now.nr_seen = 0;
	t->now.array = NULL;
}
