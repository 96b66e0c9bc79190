/*
 * stream_copy.c - what a thread has recorded so far, while it goes on
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "rsd_fit.h"
#include "util.h"

static int copy_bytes(void *to, const void *from, size_t nr, size_t size)
{
	void **p = to;

	*p = NULL;
	if (!nr)
		return 0;
	*p = rsd_malloc(nr * size);
	if (!*p)
		return RSD_ERR_NOMEM;
	memcpy(*p, from, nr * size);
	return 0;
}

static int copy_column(struct rsd_column **to, const struct rsd_column *from)
{
	*to = from ? rsd_column_copy(from) : NULL;
	return from && !*to ? RSD_ERR_NOMEM : 0;
}

/* ---- the queue ------------------------------------------------------------------------- */

/* Symbols that the copy has no counts of yet are beyond its number, as theirs are still those of 'from'. */
static int copy_symbols(struct rsd_symbols *to, const struct rsd_symbols *from)
{
	int err = copy_bytes(&to->sym, from->sym, from->nr, sizeof(*from->sym));

	if (err)
		return err;
	to->alloc = from->nr;
	for (size_t i = 0; i < from->nr && !err; i++) {
		err = copy_column(&to->sym[i].count, from->sym[i].count);
		to->nr = i + 1;
	}
	if (!err)
		err = copy_bytes(&to->body, from->body, from->nr_body, sizeof(*from->body));
	if (err)
		return err;
	to->nr_body = to->alloc_body = from->nr_body;
	err = copy_bytes(&to->loop_by_hash.slot, from->loop_by_hash.slot, from->loop_by_hash.alloc,
		sizeof(*from->loop_by_hash.slot));
	if (!err) {
		to->loop_by_hash.nr = from->loop_by_hash.nr;
		to->loop_by_hash.alloc = from->loop_by_hash.alloc;
	}
	return err;
}

static int copy_queue(struct rsd_queue *to, const struct rsd_queue *from)
{
	int err = copy_symbols(&to->symbols, &from->symbols);

	if (!err)
		err = copy_bytes(&to->top, from->top, from->nr, sizeof(*from->top));
	if (err)
		return err;
	to->nr = to->alloc = from->nr;
	err = copy_bytes(&to->bucket, from->bucket, from->nr_buckets, sizeof(*from->bucket));
	if (err)
		return err;
	to->nr_buckets = from->nr_buckets;
	err = copy_bytes(&to->level, from->level, from->nr_levels, sizeof(*from->level));
	if (err)
		return err;
	to->nr_levels = to->alloc_levels = from->nr_levels;
	/* Scratch, which a queue that has a loop has already; closing it relies on that. */
	to->pending = rsd_malloc(sizeof(*to->pending));
	if (!to->pending)
		return RSD_ERR_NOMEM;
	to->alloc_pending = 1;
	to->nr_counts = from->nr_counts;
	if (from->expect != RSD_NO_SYMBOL)
		rsd_queue_set_expected(to);
	to->nr_events = from->nr_events;
	to->err = from->err;
	return 0;
}

/* ---- places ------------------------------------------------------------------------------ */

static int copy_histogram(struct rsd_histogram *to, const struct rsd_histogram *from)
{
	rsd_histogram_init(to);
	return rsd_histogram_merge(to, from);
}

static int copy_place(struct rsd_stream_place *to, struct rsd_stream_place *from)
{
	int err = 0;

	*to = (struct rsd_stream_place){
		.func = from->func,
		.sig = from->sig,
		.nested = from->nested,
		.sym = from->sym,
		.nr_cols = from->nr_cols,
		.scalars = from->scalars,
	};
	to->col = rsd_calloc((size_t)from->nr_cols, sizeof(*to->col));
	if (!to->col)
		return RSD_ERR_NOMEM;
	rsd_ahead_settle(&from->ahead, from->col);
	for (int i = 0; i < from->nr_cols && !err; i++)
		err = copy_column(&to->col[i], from->col[i]);
	if (!err)
		err = copy_histogram(&to->timing.dur, &from->timing.dur);
	if (!err)
		err = copy_histogram(&to->timing.before, &from->timing.before);
	if (!err)
		err = copy_histogram(&to->timing.dur_first, &from->timing.dur_first);
	if (!err)
		err = copy_column(&to->before_ns, from->before_ns);
	return err ? err : copy_column(&to->dur_ns, from->dur_ns);
}

int rsd_stream_copy(struct rsd_stream *copy, struct rsd_stream *s)
{
	int err;

	rsd_stream_init(copy, s->funcs, s->queue.window);
	err = copy_queue(&copy->queue, &s->queue);
	if (!err && s->nr_places) {
		copy->place = rsd_calloc(s->nr_places, sizeof(*copy->place));
		copy->alloc_places = copy->place ? s->nr_places : 0;
		err = copy->place ? 0 : RSD_ERR_NOMEM;
	}
	for (size_t i = 0; i < s->nr_places && !err; i++) {
		copy->nr_places = i + 1;
		err = copy_place(&copy->place[i], &s->place[i]);
	}
	return err;
}
