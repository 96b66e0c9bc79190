#include "order.h"

#include <stdlib.h>
#include "player.h"
#include "threads.h"
#include "util.h"

/* Who others are counted by; NULL: nobody is. */
static struct rsd_play *main_of(struct rsd_replay *r)
{
	return r->play[0].thread == 0 ? &r->play[0] : NULL;
}

static bool read_count(const struct rsd_params *params, int rank, uint64_t *count)
{
	enum rsd_encoding enc;
	struct rsd_column *c;
	int64_t v;
	bool known;

	if (rsd_params_get(params, rank, &enc, &c))
		return false;
	known = rsd_column_is_constant(c, &v) && !rsd_is_const(v) && v >= 0;
	if (known)
		*count = (uint64_t)v;
	rsd_column_free(c);
	return known;
}

int rsd_order_read(struct rsd_replay *r)
{
	for (size_t i = 0; i < r->nr_plays; i++) {
		struct rsd_play *p = &r->play[i];
		const struct rsd_object *o =
			rsd_trace_find_object(r->trace, RSD_O_ORDER, p->thread);

		p->order = (struct rsd_order){ .until = UINT64_MAX };
		if (!i || !o || !main_of(r))
			continue;
		p->order.waits = read_count(&o->attr[0], r->rank, &p->order.from) && p->order.from;
		read_count(&o->attr[1], r->rank, &p->order.until);
		/* In a damaged trace: the main thread and this one would wait for each other. */
		if (p->order.until < p->order.from)
			p->order.until = UINT64_MAX;
	}
	return rsd_order_arrange(r);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_from(const void *a, const void *b)
{
	const struct rsd_play *const *p = a, *const *q = b;
	int order = compare((*p)->order.from, (*q)->order.from);

	return order ? order : compare((uint64_t)(*p)->thread, (uint64_t)(*q)->thread);
}

static int by_until(const void *a, const void *b)
{
	const struct rsd_play *const *p = a, *const *q = b;

	return compare((*p)->order.until, (*q)->order.until);
}

static void find_next_from(struct rsd_turns *t)
{
	atomic_store_explicit(&t->next_from,
		t->begun < t->nr_from ? t->by_from[t->begun]->order.from : UINT64_MAX,
		memory_order_relaxed);
}

int rsd_order_arrange(struct rsd_replay *r)
{
	struct rsd_turns *t = &r->turns;

	rsd_order_release(r);
	t->by_from = rsd_calloc(r->nr_plays, sizeof(struct rsd_play *));
	t->by_until = rsd_calloc(r->nr_plays, sizeof(struct rsd_play *));
	if (!t->by_from || !t->by_until)
		return RSD_ERR_NOMEM;
	for (size_t i = 1; i < r->nr_plays; i++) {
		struct rsd_play *p = &r->play[i];

		if (p->order.waits)
			t->by_from[t->nr_from++] = p;
		if (p->order.until != UINT64_MAX)
			t->by_until[t->nr_until++] = p;
	}
	qsort(t->by_from, t->nr_from, sizeof(struct rsd_play *), by_from);
	qsort(t->by_until, t->nr_until, sizeof(struct rsd_play *), by_until);
	find_next_from(t);
	return 0;
}

void rsd_order_release(struct rsd_replay *r)
{
	free(r->turns.by_from);
	free(r->turns.by_until);
	r->turns = (struct rsd_turns){ .next_from = UINT64_MAX };
}

struct rsd_play *rsd_order_next_to_begin(struct rsd_replay *r)
{
	const struct rsd_play *m = main_of(r);
	struct rsd_turns *t = &r->turns;
	struct rsd_play *p = t->begun < t->nr_from ? t->by_from[t->begun] : NULL;

	if (!p || (!r->joining && atomic_load(&m->nr_calls) < p->order.from))
		return NULL;
	t->begun++;
	find_next_from(t);
	p->order.waits = false;
	/* If it did, then as it could not begin. */
	p->stalls = false;
	return p;
}

/* What the main thread may come to before another thread has ended. Under the lock. */
static uint64_t first_until(const struct rsd_replay *r)
{
	const struct rsd_turns *t = &r->turns;

	for (size_t i = t->over; i < t->nr_until; i++) {
		if (!t->by_until[i]->ended)
			return t->by_until[i]->order.until;
	}
	return UINT64_MAX;
}

void rsd_order_before_call(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	struct rsd_turns *t = &r->turns;
	uint64_t call = atomic_load_explicit(&p->nr_calls, memory_order_relaxed);

	/* Before MPI has started nobody else makes calls, whatever a damaged trace tells. Only this thread changes 'over'. */
	if (p != main_of(r) || !r->in_mpi || t->over == t->nr_until ||
		call < t->by_until[t->over]->order.until)
		return;
	pthread_mutex_lock(&r->lock);
	p->order.awaits_end = true;
	pthread_cond_broadcast(&r->changed);
	while (call >= first_until(r))
		pthread_cond_wait(&r->changed, &r->lock);
	p->order.awaits_end = false;
	pthread_mutex_unlock(&r->lock);
	while (t->over < t->nr_until && call >= t->by_until[t->over]->order.until) {
		struct rsd_play *q = t->by_until[t->over];

		rsd_threads_join(q);
		pthread_mutex_lock(&r->lock);
		t->over++;
		pthread_mutex_unlock(&r->lock);
	}
}

bool rsd_order_holds(const struct rsd_play *p)
{
	return p->order.awaits_end && atomic_load(&p->nr_calls) >= first_until(p->r);
}

bool rsd_order_is_apart(const struct rsd_play *p, const struct rsd_play *q)
{
	const struct rsd_play *m = main_of(p->r);

	if (!m)
		return false;
	if (p == m)
		return atomic_load(&m->nr_calls) < q->order.from;
	if (q == m)
		return atomic_load(&m->nr_calls) >= p->order.until;
	/* Where they are equal both may have been there between the same two calls of the main thread. */
	return p->order.until < q->order.from;
}

void rsd_order_after_calls(struct rsd_play *p, uint64_t nr)
{
	struct rsd_replay *r = p->r;
	uint64_t calls = atomic_fetch_add(&p->nr_calls, nr) + nr;

	if (p == main_of(r) &&
		calls >= atomic_load_explicit(&r->turns.next_from, memory_order_relaxed))
		rsd_threads_begin_due(r);
}
