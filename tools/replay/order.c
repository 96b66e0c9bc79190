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

void rsd_order_await_begin(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	struct rsd_play *m = main_of(r);

	if (!p->order.waits)
		return;
	pthread_mutex_lock(&r->lock);
	find_next_from(r);
	r->waiting++;
	pthread_cond_broadcast(&r->changed);
	while (!m->ended && !r->joining && atomic_load(&m->nr_calls) < p->order.from)
		pthread_cond_wait(&r->changed, &r->lock);
	r->waiting--;
	p->order.waits = false;
	find_next_from(r);
	pthread_mutex_unlock(&r->lock);
}

/* Has every thread ended that did before the main thread's call of this number? Under the lock. */
static bool have_ended(struct rsd_replay *r, uint64_t call)
{
	r->next_until = UINT64_MAX;
	for (size_t i = 1; i < r->nr_plays; i++) {
		const struct rsd_play *q = &r->play[i];

		if (!q->ended && q->order.until < r->next_until)
			r->next_until = q->order.until;
	}
	return call < r->next_until;
}

void rsd_order_before_call(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;
	uint64_t call = atomic_load_explicit(&p->nr_calls, memory_order_relaxed);

	if (p != main_of(r) || call < r->next_until)
		return;
	pthread_mutex_lock(&r->lock);
	r->waiting++;
	pthread_cond_broadcast(&r->changed);
	while (!have_ended(r, call))
		pthread_cond_wait(&r->changed, &r->lock);
	r->waiting--;
	pthread_mutex_unlock(&r->lock);
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
