/*
 * stream_trace.c - a thread's stream becomes part of a trace of one rank
 */
#include "stream.h"

#include <stdlib.h>

#include "util.h"

/* ---- columns -------------------------------------------------------------------------- */

struct mapping {
	const struct rsd_strings *from;
	struct rsd_strings *to;
	int err;
};

static int64_t map_string(int64_t id, void *arg)
{
	struct mapping *m = arg;
	int to = RSD_ERR_RANGE;

	if (m->from && id >= 0 && (uint64_t)id < m->from->nr)
		to = rsd_strings_intern(m->to, m->from->str[id].s, m->from->str[id].len);
	if (to < 0)
		m->err = to;
	return to;
}

static int name_constant(int64_t v, const struct rsd_stream_context *ctx, struct rsd_trace *t)
{
	const char *name;
	int i;

	if (!rsd_is_const(v))
		return 0;
	i = rsd_const_index(v);
	if ((size_t)i < t->nr_constants && t->constant[i])
		return 0;
	name = ctx->constant_name(i, ctx->arg);
	return name ? rsd_trace_set_constant(t, i, name) : 0;
}

/* Constants are starts of sections, and so among the column's numbers. */
static int name_constants(
	const struct rsd_column *c, const struct rsd_stream_context *ctx, struct rsd_trace *t)
{
	struct rsd_column_stats stats;
	int64_t *number, v;
	size_t nr;
	int err = 0;

	if (rsd_column_is_constant(c, &v))
		return name_constant(v, ctx, t);
	rsd_column_stats(c, &stats);
	if (stats.nr_consts == 0)
		return 0;
	nr = rsd_column_nr_numbers(c);
	number = rsd_malloc(nr * sizeof(*number) + 1);
	if (!number)
		return RSD_ERR_NOMEM;
	rsd_column_get_numbers(c, number);
	for (size_t i = 0; i < nr && !err; i++)
		err = name_constant(number[i], ctx, t);
	free(number);
	return err;
}

/* The column of a parameter's values (the elements of an array). */
static int value_column(const struct rsd_func *f, int param)
{
	int col = rsd_func_first_column(f, param);

	if (f->param[param].type == RSD_T_INTS || f->param[param].type == RSD_T_STRINGS)
		col++;
	return col;
}

/* Moves one column to the trace, with its relative form if its values are peers in one known
 * communicator. */
static int move_column(struct rsd_column **from, const struct rsd_column *comm,
	const struct rsd_stream_context *ctx, struct rsd_trace *t, struct rsd_params *to)
{
	struct rsd_column *c = *from, *rel = NULL;
	int64_t value, rank, size;
	int err;

	if (rsd_column_is_symbolic(c)) {
		struct mapping m = { .from = ctx->strings, .to = &t->strings };

		c = rsd_column_map(*from, map_string, &m);
		if (!c || m.err) {
			rsd_column_free(c);
			return m.err ? m.err : RSD_ERR_NOMEM;
		}
		rsd_column_free(*from);
		*from = c;
	}
	err = name_constants(c, ctx, t);
	if (err)
		return err;
	if (comm && rsd_column_is_constant(comm, &value) &&
		ctx->comm_shape(value, &rank, &size, ctx->arg) && size > 0)
		rel = rsd_column_relative(c, rank, size);
	*from = NULL;
	return rsd_params_set(to, ctx->rank, c, rel);
}

static int move_columns(struct rsd_stream_place *p, const struct rsd_func *f,
	const struct rsd_stream_context *ctx, struct rsd_trace *t, struct rsd_place *to)
{
	const struct rsd_column **comm = rsd_calloc((size_t)p->nr_cols, sizeof(*comm));
	int err = 0;

	if (!comm)
		return RSD_ERR_NOMEM;
	for (int i = 0; i < f->nr_params; i++) {
		const struct rsd_param *q = &f->param[i];

		if (q->role == RSD_R_PEER && q->of >= 0 && q->of < f->nr_params &&
			(q->type == RSD_T_INT || q->type == RSD_T_INTS))
			comm[value_column(f, i)] = p->col[value_column(f, q->of)];
	}
	/* columns that others refer to stay until those are done */
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < p->nr_cols && !err; i++) {
			if ((comm[i] != NULL) == (pass == 0))
				err = move_column(&p->col[i], comm[i], ctx, t, &to->col[i]);
		}
	}
	free(comm);
	return err;
}

static int move_times(struct rsd_stream_place *p, int rank, struct rsd_place *to)
{
	int err = 0;

	if (p->timing.dur_first.nr) {
		to->has_timing = true;
		to->timing = p->timing;
		rsd_histogram_init(&p->timing.dur);
		rsd_histogram_init(&p->timing.before);
		rsd_histogram_init(&p->timing.dur_first);
		rsd_histogram_set_rank(&to->timing.dur, rank);
		rsd_histogram_set_rank(&to->timing.before, rank);
		rsd_histogram_set_rank(&to->timing.dur_first, rank);
	}
	if (p->before_ns && p->dur_ns) {
		to->has_times = true;
		err = rsd_params_set(&to->before_ns, rank, p->before_ns, NULL);
		p->before_ns = NULL;
		if (!err) {
			err = rsd_params_set(&to->dur_ns, rank, p->dur_ns, NULL);
			p->dur_ns = NULL;
		}
	}
	return err;
}

/* The place in the trace, with the columns; or an error. */
static int move_place(struct rsd_stream *s, struct rsd_stream_place *p, int thread,
	const struct rsd_stream_context *ctx, struct rsd_trace *t)
{
	const struct rsd_func *f = &s->funcs[p->func];
	int func = rsd_trace_func(t, f), sig = -1, place, err;

	if (func < 0)
		return func;
	if (p->sig >= 0 && ctx->sigs) {
		sig = rsd_sigs_import(&t->sigs, ctx->sigs, p->sig);
		if (sig < 0)
			return sig;
	}
	place = rsd_trace_place(t, thread, func, sig, p->nested);
	if (place < 0)
		return place;
	if (t->place[place].col[p->nr_cols - 1].enc[RSD_E_ABS].nr)
		return RSD_ERR_MISMATCH; /* a second stream of one thread number */
	err = move_columns(p, f, ctx, t, &t->place[place]);
	if (!err)
		err = move_times(p, ctx->rank, &t->place[place]);
	return err ? err : place;
}

/* ---- the tree ---------------------------------------------------------------------------- */

struct loop { /* a loop node being built */
	struct rsd_node *node;
	rsd_symbol sym;
	size_t end; /* the loops in its body follow it, up to here */
	struct rsd_column *count;
};

/*
 * A loop symbol has one column of counts, the tree needs one for each node it
 * stands at. Executions of nodes below different top-level symbols do not mix, so
 * a node there gets a slice, as long as it is executed often. Where a loop
 * stands twice below one top-level symbol, its execution is followed entry by entry.
 */
struct builder {
	struct rsd_symbols *symbols;
	const int *place; /* in the trace, by the stream's */
	struct rsd_tree *tree;
	struct loop *loop; /* of the whole tree, in preorder */
	size_t nr_loops, alloc_loops;
	struct symbol_use {
		struct rsd_cursor *cursor; /* counts not yet given away */
		size_t nodes;		   /* at how many it stands */
		size_t last_top; /* 1 + the last top-level position below which it stands */
	} * use;		 /* by symbol */
};

static int build(
	struct builder *b, rsd_symbol sym, struct rsd_node *parent, size_t top, bool *mixed)
{
	const struct rsd_symbol_info *s = &b->symbols->sym[sym];
	struct rsd_node *n = rsd_node_new(s->place >= 0 ? b->place[s->place] : -1);
	struct symbol_use *use = &b->use[sym];
	size_t me = b->nr_loops;
	int err = 0;

	if (!n)
		return RSD_ERR_NOMEM;
	rsd_node_append(b->tree, parent, n);
	if (s->place >= 0)
		return 0;
	if (RSD_GROW(b->loop, me + 1, b->alloc_loops))
		return RSD_ERR_NOMEM;
	b->loop[b->nr_loops++] = (struct loop){ .node = n, .sym = sym };
	use->nodes++;
	if (use->last_top == top + 1)
		*mixed = true;
	use->last_top = top + 1;
	for (uint32_t i = 0; i < s->nr_body && !err; i++)
		err = build(b, b->symbols->body[s->body + i], n, top, mixed);
	b->loop[me].end = b->nr_loops;
	return err;
}

static struct rsd_cursor *cursor_of(struct builder *b, rsd_symbol sym)
{
	struct symbol_use *use = &b->use[sym];

	if (!use->cursor)
		use->cursor = rsd_cursor_new(b->symbols->sym[sym].count);
	return use->cursor;
}

/* Follows one execution of a loop: its count, and those of the loops inside each time. */
static int follow(struct builder *b, size_t me)
{
	struct loop *l = &b->loop[me];
	struct rsd_cursor *k = cursor_of(b, l->sym);
	int64_t count;
	int err;

	if (!l->count)
		l->count = rsd_column_new(false);
	if (!k || !l->count)
		return RSD_ERR_NOMEM;
	err = rsd_cursor_next(k, &count);
	if (!err)
		err = rsd_column_append(l->count, count);
	if (l->end == me + 1)
		return err;
	for (; count > 0 && !err; count--) {
		for (size_t i = me + 1; i < l->end && !err; i = b->loop[i].end)
			err = follow(b, i);
	}
	return err;
}

/* Gives a loop that is executed 'times' times its counts, and then those inside. */
static int slice(struct builder *b, size_t me, uint64_t times)
{
	struct loop *l = &b->loop[me];
	struct rsd_symbol_info *s = &b->symbols->sym[l->sym];
	uint64_t inside = 0;
	int err = 0;

	if (b->use[l->sym].nodes == 1) {
		l->count = s->count;
		s->count = NULL;
	} else {
		struct rsd_cursor *k = cursor_of(b, l->sym);

		l->count = k ? rsd_cursor_take(k, times) : NULL;
	}
	if (!l->count)
		return RSD_ERR_NOMEM;
	if (l->end == me + 1)
		return 0;
	inside = rsd_column_total(l->count);
	for (size_t i = me + 1; i < l->end && !err; i = b->loop[i].end)
		err = slice(b, i, inside);
	return err;
}

static int build_tree(struct builder *b, const struct rsd_queue *q, int rank)
{
	int err = 0;
	size_t done = 0;
	bool *mixed = rsd_calloc(q->nr + 1, sizeof(*mixed));

	if (!mixed)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < q->nr && !err; i++)
		err = build(b, q->top[i].sym, NULL, i, &mixed[i]);
	for (size_t i = 0; i < q->nr && !err; i++) {
		if (b->symbols->sym[q->top[i].sym].place >= 0)
			continue;
		err = mixed[i] ? follow(b, done) : slice(b, done, 1);
		done = b->loop[done].end;
	}
	for (size_t i = 0; i < b->nr_loops && !err; i++) {
		struct loop *l = &b->loop[i];

		if (!l->count) /* in a loop of no iterations */
			l->count = rsd_column_new(false);
		if (!l->count)
			err = RSD_ERR_NOMEM;
		else
			err = rsd_params_set(&l->node->count, rank, l->count, NULL);
		l->count = NULL;
	}
	for (size_t i = 0; i < b->nr_loops; i++)
		rsd_column_free(b->loop[i].count);
	free(mixed);
	return err;
}

int rsd_stream_to_trace(
	struct rsd_stream *s, int thread, const struct rsd_stream_context *ctx, struct rsd_trace *t)
{
	int *place = rsd_calloc(s->nr_places + 1, sizeof(*place));
	struct builder b = { .symbols = &s->queue.symbols, .place = place };
	int err = place ? 0 : RSD_ERR_NOMEM;

	if (!err && !s->queue.err)
		err = rsd_queue_close(&s->queue);
	if (!err && !rsd_ranks_has(&t->ranks, ctx->rank))
		err = rsd_ranks_append(&t->ranks, ctx->rank);
	for (size_t i = 0; i < s->nr_places && !err; i++) {
		struct rsd_stream_place *p = &s->place[i];

		rsd_ahead_settle(&p->ahead, p->col);
		if (rsd_column_length(p->col[p->nr_cols - 1]) == 0)
			continue;
		place[i] = move_place(s, p, thread, ctx, t);
		err = place[i] < 0 ? place[i] : 0;
	}
	if (!err) {
		b.tree = rsd_trace_tree(t, thread);
		b.use = rsd_calloc(b.symbols->nr + 1, sizeof(*b.use));
		err = b.tree && b.use ? build_tree(&b, &s->queue, ctx->rank) : RSD_ERR_NOMEM;
	}
	for (size_t i = 0; b.use && i < b.symbols->nr; i++)
		rsd_cursor_free(b.use[i].cursor);
	free(b.use);
	free(b.loop);
	free(place);
	return err;
}
