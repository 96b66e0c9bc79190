/* clocks.c - see clocks.h */
#include "clocks.h"

#include <stdlib.h>
#include "sweep.h"
#include "util.h"

#define MOST_LINES (1 << 22)
#define LARGEST (INT64_C(1) << 61) /* 73 years: no time or offset is larger */

__extension__ typedef __int128 wide; /* a product of two times */

enum { AT, OFFSET, ERROR, NR_ATTRS };

struct line { /* of a thread */
	int rank, thread;
	int64_t begin;
	int nr; /* points that are known */
	int64_t at[2], offset[2];
	wide zero;
};

struct rsd_clocks {
	struct line *line; /* by rank, then thread */
	size_t nr, alloc;
	bool all;
	int64_t error;
};

struct reading {			 /* of the objects, rank by rank */
	const struct rsd_object *thread; /* they are side by side */
	struct rsd_sweep *begin;
	size_t nr_threads;
	struct rsd_sweep clock[2][NR_ATTRS];
	bool has[2];
};

/* RSD_ERR_END: the rank has none that makes sense. */
static int value(struct rsd_sweep *s, int rank, int64_t *out)
{
	struct rsd_column *col;
	enum rsd_encoding enc;
	int err = rsd_sweep_get(s, rank, &enc, &col);

	if (err)
		return err;
	if (!rsd_column_is_constant(col, out) || *out < -LARGEST || *out > LARGEST)
		err = RSD_ERR_END;
	rsd_column_free(col);
	return err;
}

/* ---- the line of a thread ------------------------------------------------------------------ */

/* Outside of what was measured the offset stays: what is not known is better left alone. */
static wide to_common(const struct line *l, wide own)
{
	wide offset;

	if (!l->nr)
		return own;
	if (l->nr < 2 || own <= l->at[0] || l->at[1] <= l->at[0])
		offset = l->offset[0];
	else if (own >= l->at[1])
		offset = l->offset[1];
	else
		offset = l->offset[0] + ((wide)l->offset[1] - l->offset[0]) * (own - l->at[0]) /
						((wide)l->at[1] - l->at[0]);
	return own + offset;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static int open_reading(struct reading *r, const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_objects; i++) {
		const struct rsd_object *o = &t->object[i];

		if (o->kind == RSD_O_THREAD && !r->nr_threads++)
			r->thread = o;
		if (o->kind != RSD_O_CLOCK || o->id < 0 || o->id > 1)
			continue;
		r->has[o->id] = true;
		for (int k = 0; k < NR_ATTRS; k++)
			rsd_sweep_init(&r->clock[o->id][k], &o->attr[k]);
	}
	r->begin = rsd_calloc(r->nr_threads + 1, sizeof(*r->begin));
	if (!r->begin)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < r->nr_threads; i++)
		rsd_sweep_init(&r->begin[i], &r->thread[i].attr[0]);
	return 0;
}

static void close_reading(struct reading *r)
{
	for (size_t i = 0; r->begin && i < r->nr_threads; i++)
		rsd_sweep_release(&r->begin[i]);
	free(r->begin);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < NR_ATTRS; k++)
			rsd_sweep_release(&r->clock[i][k]);
}

/* What was measured of the rank's clock. The start comes first; without it there is nothing to compare. */
static int read_clock(struct reading *r, int rank, struct line *l, int64_t *error)
{
	for (int i = 0; i < 2 && r->has[i] && l->nr == i; i++) {
		int64_t v[NR_ATTRS];
		int err = 0;

		for (int k = 0; k < NR_ATTRS && !err; k++)
			err = value(&r->clock[i][k], rank, &v[k]);
		if (err)
			return err == RSD_ERR_END ? 0 : err;
		l->at[i] = v[AT];
		l->offset[i] = v[OFFSET];
		*error = v[ERROR] > *error ? v[ERROR] : *error;
		l->nr++;
	}
	return 0;
}

static int read_rank(struct rsd_clocks *c, struct reading *r, int rank)
{
	struct line l = { .rank = rank };
	bool known = false;
	int err = read_clock(r, rank, &l, &c->error);

	for (size_t i = 0; i < r->nr_threads && !err; i++) {
		err = value(&r->begin[i], rank, &l.begin);
		if (err == RSD_ERR_END) {
			err = 0;
			continue;
		}
		if (!err)
			err = RSD_GROW(c->line, c->nr + 1, c->alloc);
		l.thread = (int)r->thread[i].id;
		if (!err)
			c->line[c->nr++] = l;
		known = true;
	}
	c->all &= known && l.nr;
	return err;
}

/* When the first thread began: of all whose clocks were compared, elsewhere of the rank. */
static void set_zero(struct rsd_clocks *c)
{
	wide all = 0;
	bool any = false;

	for (size_t i = 0, end; i < c->nr; i = end) {
		wide first = to_common(&c->line[i], c->line[i].begin);

		for (end = i; end < c->nr && c->line[end].rank == c->line[i].rank; end++) {
			wide begin = to_common(&c->line[end], c->line[end].begin);

			first = begin < first ? begin : first;
		}
		for (size_t k = i; k < end; k++)
			c->line[k].zero = first;
		if (c->line[i].nr && (!any || first < all)) {
			all = first;
			any = true;
		}
	}
	for (size_t i = 0; i < c->nr; i++)
		if (c->line[i].nr)
			c->line[i].zero = all;
}

/* Lines are kept one by one: a trace of few bytes may tell of any number of them. */
static bool has_too_many(const struct rsd_trace *t)
{
	size_t threads = 0;

	for (size_t i = 0; i < t->nr_objects; i++)
		threads += t->object[i].kind == RSD_O_THREAD;
	return threads > (size_t)MOST_LINES / ((size_t)rsd_ranks_count(&t->ranks) + 1);
}

int rsd_clocks_new(struct rsd_clocks **out, const struct rsd_trace *t)
{
	struct rsd_clocks *c;
	struct reading r = { .nr_threads = 0 };
	int err;

	*out = NULL;
	/* One without any may have the order of threads only: then there are no lines. */
	if (!rsd_trace_has_late_objects(t) || has_too_many(t))
		return 0;
	c = rsd_calloc(1, sizeof(*c));
	err = c ? open_reading(&r, t) : RSD_ERR_NOMEM;
	if (!err)
		c->all = true;
	for (int k = rsd_ranks_first(&t->ranks); k >= 0 && !err; k = rsd_ranks_next(&t->ranks, k))
		err = read_rank(c, &r, k);
	close_reading(&r);
	if (!err && c->nr) {
		set_zero(c);
		*out = c;
		return 0;
	}
	rsd_clocks_free(c);
	return err;
}

void rsd_clocks_free(struct rsd_clocks *c)
{
	if (!c)
		return;
	free(c->line);
	free(c);
}

/* ---- times ------------------------------------------------------------------------------------- */

static int compare(const void *key, const void *member)
{
	const struct line *a = key, *b = member;

	return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1)
				  : (a->thread > b->thread) - (a->thread < b->thread);
}

int64_t rsd_clocks_time(
	const struct rsd_clocks *c, int rank, int thread, int64_t ns, int64_t latest)
{
	const struct line key = { .rank = rank, .thread = thread },
			  *l = c ? bsearch(&key, c->line, c->nr, sizeof(*c->line), compare) : NULL;
	wide time = ns;

	if (l)
		time = to_common(l, (wide)l->begin + ns) - l->zero;
	return time < 0 ? 0 : time > latest ? latest : (int64_t)time;
}

bool rsd_clocks_cover(const struct rsd_clocks *c, int64_t *error)
{
	*error = c ? c->error : 0;
	return c && c->all;
}
