/*
 * stream.c - recording: an event's values to the columns of its place, its symbol to the queue
 */
#include "stream.h"

#include <stdlib.h>

#include "util.h"

/* No call has this place. */
static const struct rsd_stream_place none = { .func = -1 };

static void forget_recent(struct rsd_stream *s)
{
	for (size_t i = 0; i < RSD_STREAM_RECENT; i++)
		s->recent[i] = &none;
}

void rsd_stream_init(struct rsd_stream *s, const struct rsd_func *funcs, int64_t window)
{
	*s = (struct rsd_stream){ .funcs = funcs, .place_by_key = RSD_MAP_INIT };
	rsd_queue_init(&s->queue, window);
	forget_recent(s);
}

static void place_release(struct rsd_stream_place *p)
{
	for (int i = 0; p->col && i < p->nr_cols; i++)
		rsd_column_free(p->col[i]);
	free(p->col);
	free(p->lays_out);
	rsd_ahead_release(&p->ahead);
	rsd_histogram_release(&p->timing.dur);
	rsd_histogram_release(&p->timing.before);
	rsd_histogram_release(&p->timing.dur_first);
	rsd_column_free(p->before_ns);
	rsd_column_free(p->dur_ns);
}

void rsd_stream_release(struct rsd_stream *s)
{
	for (size_t i = 0; i < s->nr_places; i++)
		place_release(&s->place[i]);
	free(s->place);
	rsd_map_release(&s->place_by_key);
	rsd_queue_release(&s->queue);
	*s = (struct rsd_stream){ .funcs = s->funcs };
}

/* ---- places ------------------------------------------------------------------------ */

/* One column per value of scalar parameters, in this order: then the layout is the identity. */
static bool only_scalars(const struct rsd_func *f)
{
	for (int i = 0; i < f->nr_params; i++) {
		if (f->param[i].type != RSD_T_INT && f->param[i].type != RSD_T_STRING)
			return false;
	}
	return true;
}

static int make_columns(struct rsd_stream_place *p, const struct rsd_func *f)
{
	int at = 0;

	p->nr_cols = rsd_func_columns(f);
	p->scalars = only_scalars(f);
	p->col = rsd_calloc((size_t)p->nr_cols, sizeof(*p->col));
	if (!p->scalars)
		p->lays_out = rsd_calloc((size_t)p->nr_cols, sizeof(*p->lays_out));
	if (!p->col || (!p->scalars && !p->lays_out))
		return RSD_ERR_NOMEM;
	for (int i = 0; i <= f->nr_params; i++) {
		enum rsd_type type = i < f->nr_params ? (enum rsd_type)f->param[i].type : RSD_T_INT;
		int nr = rsd_type_columns(type);

		for (int k = 0; k < nr; k++) {
			bool symbolic =
				k == nr - 1 && (type == RSD_T_STRING || type == RSD_T_STRINGS);

			p->col[at + k] = rsd_column_new(symbolic);
			if (!p->col[at + k])
				return RSD_ERR_NOMEM;
			if (p->lays_out)
				p->lays_out[at + k] = k < rsd_type_layout_columns(type);
		}
		at += nr;
	}
	return 0;
}

static int add_place(struct rsd_stream *s, uint64_t key, int func, int sig, int nested)
{
	struct rsd_stream_place *p;

	if (s->nr_places >= INT32_MAX)
		return RSD_ERR_NOMEM;
	/* They may move. */
	forget_recent(s);
	if (RSD_GROW(s->place, s->nr_places + 1, s->alloc_places))
		return RSD_ERR_NOMEM;
	p = &s->place[s->nr_places];
	*p = (struct rsd_stream_place){ .func = func, .sig = sig, .nested = nested };
	rsd_histogram_init(&p->timing.dur);
	rsd_histogram_init(&p->timing.before);
	rsd_histogram_init(&p->timing.dur_first);
	p->sym = rsd_symbols_add_place(&s->queue.symbols, (int)s->nr_places);
	if (p->sym == RSD_NO_SYMBOL || make_columns(p, &s->funcs[func]) ||
		rsd_map_set(&s->place_by_key, key, s->nr_places)) {
		place_release(p);
		return RSD_ERR_NOMEM;
	}
	return (int)s->nr_places++;
}

int rsd_stream_place(struct rsd_stream *s, int func, int sig, int nested)
{
	uint64_t key = rsd_hash_mix((uint64_t)(uint32_t)func << 32 | (uint32_t)sig);
	const uint64_t *id;
	int place;

	key += rsd_hash_mix((uint64_t)(uint32_t)nested);
	for (; (id = rsd_map_find(&s->place_by_key, key)); key++) {
		if (rsd_stream_is_place(&s->place[*id], func, sig, nested))
			break;
	}
	place = id ? (int)*id : add_place(s, key, func, sig, nested);
	if (place >= 0)
		s->recent[rsd_stream_recent(func, sig)] = &s->place[place];
	return place;
}

struct rsd_stream_place *rsd_stream_find_place(struct rsd_stream *s, int func, int sig, int nested)
{
	int place = rsd_stream_place(s, func, sig, nested);

	if (place >= 0)
		return &s->place[place];
	s->err = place;
	return NULL;
}

/* ---- events -------------------------------------------------------------------------- */

/* 'column': where to write which column each value went to, or NULL. */
static int append_scalars(
	struct rsd_stream_place *p, const int64_t *val, size_t nr, uint32_t *column)
{
	if (nr != (size_t)p->nr_cols)
		return RSD_ERR_FORMAT;
	for (size_t i = 0; i < nr; i++) {
		if (rsd_column_append(p->col[i], val[i]))
			return RSD_ERR_NOMEM;
		if (column)
			column[i] = (uint32_t)i;
	}
	return 0;
}

static int append_by_layout(struct rsd_stream *s, struct rsd_stream_place *p, const int64_t *val,
	size_t nr, uint32_t *column)
{
	struct rsd_layout l;
	int col;

	rsd_layout_init(&l, &s->funcs[p->func]);
	for (size_t i = 0; i < nr; i++) {
		col = rsd_layout_column(&l);
		if (col < 0 || rsd_layout_step(&l, val[i]))
			return RSD_ERR_FORMAT;
		if (rsd_column_append(p->col[col], val[i]))
			return RSD_ERR_NOMEM;
		if (column)
			column[i] = (uint32_t)col;
	}
	return rsd_layout_column(&l) < 0 ? 0 : RSD_ERR_FORMAT;
}

static int append_values(
	struct rsd_stream *s, struct rsd_stream_place *p, const int64_t *val, size_t nr)
{
	uint32_t *column;
	int err;

	rsd_ahead_stop(&p->ahead, p->col, val, nr);
	column = rsd_ahead_plan(&p->ahead, nr, p->nr_cols);
	err = p->scalars ? append_scalars(p, val, nr, column)
			 : append_by_layout(s, p, val, nr, column);
	if (!err && column)
		rsd_ahead_start(&p->ahead, p->col, p->lays_out);
	return err;
}

/* As they are expected, but for columns that are told each value; or in another way. */
int rsd_stream_append_other(
	struct rsd_stream *s, struct rsd_stream_place *p, const int64_t *val, size_t nr)
{
	int err = 0;

	if (!rsd_ahead_take_told(&p->ahead, p->col, val, nr, &err))
		err = append_values(s, p, val, nr);
	if (err)
		s->err = err;
	return err;
}

int rsd_stream_append_first_times(
	struct rsd_stream *s, struct rsd_stream_place *p, uint64_t before_ns, uint64_t dur_ns)
{
	struct rsd_timing *k = &p->timing;
	int err = rsd_histogram_add(k->dur_first.nr ? &k->dur : &k->dur_first, dur_ns);

	if (!err)
		err = rsd_histogram_add(&k->before, before_ns);
	if (err)
		s->err = err;
	return err;
}

int rsd_stream_append_full_times(
	struct rsd_stream *s, struct rsd_stream_place *p, uint64_t before_ns, uint64_t dur_ns)
{
	if (!p->before_ns)
		p->before_ns = rsd_column_new(false);
	if (!p->dur_ns)
		p->dur_ns = rsd_column_new(false);
	if (!p->before_ns || !p->dur_ns || rsd_column_append(p->before_ns, (int64_t)before_ns) ||
		rsd_column_append(p->dur_ns, (int64_t)dur_ns))
		s->err = RSD_ERR_NOMEM;
	return s->err;
}

/* ---- memory ---------------------------------------------------------------------------- */

/*
 * Of a column there are also the form relative to the rank, bytes, and text, in buffers that double; a symbol
 * becomes a node and lines of text. The figures are measured rather than added up.
 */
enum { COLUMN_FORMS = 7, NODE_TEXT = 256 };

size_t rsd_stream_memory(const struct rsd_stream *s, size_t *columns)
{
	const struct rsd_queue *q = &s->queue;
	size_t len = 0;

	*columns = 0;
	for (size_t i = 0; i < s->nr_places; i++) {
		const struct rsd_stream_place *p = &s->place[i];

		for (int k = 0; k < p->nr_cols; k++)
			len += COLUMN_FORMS * rsd_column_memory(p->col[k]);
		if (p->before_ns && p->dur_ns)
			len += COLUMN_FORMS *
			       (rsd_column_memory(p->before_ns) + rsd_column_memory(p->dur_ns));
		*columns += (size_t)p->nr_cols;
	}
	len += q->alloc * sizeof(*q->top) + q->nr_buckets * sizeof(*q->bucket);
	return len + q->nr * (sizeof(struct rsd_node) + NODE_TEXT);
}
