/*
 * completion.c - requests and statuses as arguments: what play.h says of them
 */
#include <limits.h>
#include <string.h>
#include "player.h"
#include "threads.h"
#include "util.h"

/* No basic datatype is longer. */
#define LONGEST_BASIC 64
/* Sizes in bytes that are tried for one that is no number of elements. */
#define MOST_TRIED 4096

/* ---- requests --------------------------------------------------------------------------- */

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

/* Which of its requests does the present call end? Asked where there are several threads. */
static void find_ended(struct rsd_play *p)
{
	const char *name = rsd_funcs[p->f->func].name;
	struct rsd_call_requests *now = &p->requests.now;
	const struct rsd_arg *flag = rsd_play_named(p, "flag");

	now->ends = (!strncmp(name, "MPI_Wait", 8) || !strncmp(name, "MPI_Test", 8) ||
			    !strcmp(name, "MPI_Request_free")) &&
		    (!flag || flag->head == 1);
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

/* A call that another thread's completion may depend on, as MPI_Grequest_complete, is made during that one, too. */
static bool comes_before_the_end(const struct rsd_play *p)
{
	return !strncmp(rsd_funcs[p->f->func].name, "MPI_Request_get_status", 22);
}

/* The k-th request of the present call is this one. Under the lock of tables. */
static struct rsd_live *take(const struct rsd_play *p, size_t k, struct rsd_live *l)
{
	if (!l || p->r->nr_plays == 1)
		return l;
	if (l->ending && comes_before_the_end(p))
		return NULL;
	if (l->table != &p->requests)
		rsd_request_hold(l, ends(p, k));
	l->ending |= ends(p, k);
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
	if (l && p->r->nr_plays > 1 && ends(p, t->now.nr_seen - 1))
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

MPI_Request *rsd_play_requests(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	struct rsd_request_table *t = &p->requests;
	bool single = rsd_funcs[p->f->func].param[place].type == RSD_T_INT;
	const int64_t *id = single ? &a->head : a->v;
	size_t nr = single ? 1 : a->nr;

	t->now.nr_seen = 0;
	t->now.array = NULL;
	if (p->r->nr_plays > 1)
		find_ended(p);
	if (!single && rsd_is_const(a->head))
		return NULL;
	if (RSD_GROW(t->now.seen, nr, t->now.alloc_seen))
		rsd_play_give_up(p, "no memory for its requests");
	for (size_t i = 0; i < nr; i++) {
		struct rsd_live *l = rsd_is_const(id[i]) ? NULL : take_found(p, i, id[i]);

		if (!l && (id[i] == RSD_ABSENT || !rsd_is_const(id[i])))
			give_up_request(p, id[i]);
		see(p, l);
	}
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

/* The k-th request of the call, after it. */
static void settle(struct rsd_play *p, size_t k, struct rsd_live *l)
{
	const struct rsd_request_table *t = &p->requests;

	if (!l->live)
		return;
	if (t->now.array) {
		l->request = t->now.array[k];
		moved(p, l->request, &t->now.array[k], &l->request);
	}
	l->ending &= !ends(p, k);
	if (l->request != MPI_REQUEST_NULL)
		return;
	rsd_scratch_give_back(&p->scratch, l->kept);
	l->kept = NULL;
	drop(p, l);
}

static void let_go(struct rsd_play *p, size_t k, struct rsd_live *l)
{
	lock_tables(p);
	rsd_request_let_go(l, ends(p, k));
	unlock_tables(p);
	rsd_threads_tell_of_request(p);
}

void rsd_play_settle_requests(struct rsd_play *p)
{
	struct rsd_request_table *t = &p->requests;

	for (size_t i = 0; i < t->now.nr_seen; i++) {
		struct rsd_live *l = t->now.seen[i];

		bool held = l && l->table != &p->requests;

		if (l)
			settle(p, i, l);
		if (held)
			let_go(p, i, l);
	}
	t->now.nr_seen = 0;
	t->now.array = NULL;
}

/* ---- statuses ------------------------------------------------------------------------------- */

static bool is_ignored(int64_t kind)
{
	return kind == RSD_STATUS_IGNORED || kind == RSD_STATUS_MATCHED;
}

MPI_Status *rsd_play_status(struct rsd_play *p, int place)
{
	return is_ignored(rsd_play_arg(p, place)->head) ? MPI_STATUS_IGNORE : &p->status;
}

MPI_Status *rsd_play_statuses(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);

	if (a->head != RSD_ABSENT && (rsd_is_const(a->head) || (a->nr && is_ignored(a->v[0]))))
		return MPI_STATUSES_IGNORE;
	return rsd_play_room(p, place, sizeof(MPI_Status));
}

/* How many complete basic elements of the datatype are in so many bytes. What ends within one has no number in MPI. */
static MPI_Count basic_elements(MPI_Datatype type, MPI_Count bytes)
{
	MPI_Status st;
	MPI_Count nr;

	memset(&st, 0, sizeof(st));
	for (int part = 0; part < LONGEST_BASIC && bytes > 0; part++, bytes--) {
		PMPI_Status_set_elements_x(&st, MPI_BYTE, bytes);
		if (!PMPI_Get_elements_x(&st, type, &nr) && nr != MPI_UNDEFINED)
			return nr;
	}
	return 0;
}

/* The fewest bytes that hold so many basic elements of the datatype: whole ones, and a part of one more. */
static MPI_Count bytes_of(MPI_Datatype type, MPI_Count nr)
{
	MPI_Count size, each, lo, hi;

	if (PMPI_Type_size_x(type, &size) || size <= 0)
		return 0;
	each = basic_elements(type, size);
	if (each <= 0 || nr / each >= INT64_MAX / size)
		return 0;
	lo = nr / each * size;
	for (hi = INT64_MAX - lo > size ? lo + size : INT64_MAX; lo < hi;) {
		MPI_Count middle = lo + (hi - lo) / 2;

		if (basic_elements(type, middle) < nr)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* Of whole elements. Given to MPI as bytes: whether it takes a number as one of whole or of basic elements differs. */
static MPI_Count bytes_of_whole(MPI_Datatype type, MPI_Count nr)
{
	MPI_Count size;

	if (PMPI_Type_size_x(type, &size) || size <= 0 || nr > INT64_MAX / size)
		return 0;
	return nr * size;
}

/*
 * A number of bytes that is no number of elements of the datatype, whole ones or basic ones: of few bytes one is, or one
 * of more elements than an int holds, or none of any size.
 */
static MPI_Count bytes_of_none(MPI_Datatype type, bool basic)
{
	MPI_Count most;
	MPI_Status st;

	memset(&st, 0, sizeof(st));
	for (MPI_Count bytes = 1; bytes < MOST_TRIED; bytes++) {
		MPI_Count elements = 0;
		int whole = 0;

		PMPI_Status_set_elements_x(&st, MPI_BYTE, bytes);
		if (basic && !PMPI_Get_elements_x(&st, type, &elements) &&
			elements == MPI_UNDEFINED)
			return bytes;
		if (!basic && !PMPI_Get_count(&st, type, &whole) && whole == MPI_UNDEFINED)
			return bytes;
	}
	most = bytes_of_whole(type, (MPI_Count)INT_MAX + 1);
	return most ? most : 1;
}

MPI_Status *rsd_play_asked_status(struct rsd_play *p)
{
	const struct rsd_arg *flag = rsd_play_named(p, "flag"), *count = rsd_play_named(p, "count");
	int place = rsd_play_place(p->f->func, "datatype");
	bool basic = strstr(rsd_funcs[p->f->func].name, "Get_elements") != NULL;
	MPI_Datatype type = MPI_BYTE;
	MPI_Count nr = 0;

	memset(&p->status, 0, sizeof(p->status));
	if (place >= 0)
		type = (MPI_Datatype)(intptr_t)rsd_play_handle(p, place, RSD_G_DATATYPE);
	if (!count)
		count = rsd_play_named(p, "elements");
	if (count && !rsd_is_const(count->head))
		nr = count->head;
	if (basic)
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of(type, nr));
	else
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of_whole(type, nr));
	if (count && rsd_is_const(count->head)) /* MPI_UNDEFINED */
		PMPI_Status_set_elements_x(&p->status, MPI_BYTE, bytes_of_none(type, basic));
	PMPI_Status_set_cancelled(&p->status, flag && flag->head == 1);
	return &p->status;
}
