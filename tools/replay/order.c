#include "order.h"

#include "player.h"

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

void rsd_order_read(struct rsd_replay *r)
{
	r->next_from = r->next_until = UINT64_MAX;
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
		if (p->order.until < r->next_until)
			r->next_until = p->order.until;
	}
}

/* Under the lock. */
static void find_next_from(struct rsd_replay *r)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < r->nr_plays; i++) {
		const struct rsd_order *o = &r->play[i].order;

		if (o->waits && o->from < next)
			next = o->from;
	}
	atomic_store_explicit(&r->next_from, next, memory_order_seq_cst);
}

/* Under the lock. */
static bool may_begin(const struct rsd_play *p)
{
	const struct rsd_play *m = main_of(p->r);

	return m->ended || p->r->joining || atomic_load(&m->nr_calls) >= p->order.from;
}

void rsd_order_await_begin(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	if (!p->order.waits)
		return;
	pthread_mutex_lock(&r->lock);
	find_next_from(r);
	p->order.awaits_begin = true;
	pthread_cond_broadcast(&r->changed);
	while (!may_begin(p))
		pthread_cond_wait(&r->changed, &r->lock);
	p->order.awaits_begin = false;
	p->order.waits = false;
	/* If it did, then as it could not begin. */
	p->stalls = false;
	find_next_from(r);
	pthread_mutex_unlock(&r->lock);
}

/* What the main thread may come to before another thread has ended. Under the lock. */
static uint64_t first_until(const struct rsd_replay *r)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 1; i < r->nr_plays; i++) {
		const struct rsd_play *q = &r->play[i];

		if (!q->ended && q->order.until < first)
			first = q->order.until;
	}
	return first;
}

void rsd_order_before_call(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	uint64_t call = atomic_load_explicit(&p->nr_calls, memory_order_relaxed);

	/* Before MPI has started nobody else makes calls, whatever a damaged trace tells. */
	if (p != main_of(r) || !r->in_mpi || call < r->next_until)
		return;
	pthread_mutex_lock(&r->lock);
	p->order.awaits_end = true;
	pthread_cond_broadcast(&r->changed);
	while (call >= (r->next_until = first_until(r)))
		pthread_cond_wait(&r->changed, &r->lock);
	p->order.awaits_end = false;
	pthread_mutex_unlock(&r->lock);
}

bool rsd_order_holds(const struct rsd_play *p)
{
	return (p->order.awaits_begin && !may_begin(p)) ||
	       (p->order.awaits_end && atomic_load(&p->nr_calls) >= first_until(p->r));
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

	if (p != main_of(r) || calls < atomic_load(&r->next_from))
		return;
	pthread_mutex_lock(&r->lock);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}
