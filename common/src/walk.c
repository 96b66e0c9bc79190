/*
 * walk.c - one rank's calls in order
 *
 * The tree is reduced to the nodes that the rank is in, as a list of steps, once;
 * after that a call costs its values. A loop is one step, with its own
 * counter, as no loop is inside itself; so nesting takes no stack.
 */
#include "walk_impl.h"

#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "util.h"

struct step {
	const struct rsd_node *node;
	size_t jump; /* LOOP: the END step; END: the LOOP step */
	enum { EVENT, LOOP, END } kind;
	bool entered;
	struct rsd_walk_column count; /* LOOP; opened at the first entry */
	uint64_t left;		      /* iterations, the current one included */
	uint64_t begun;		      /* calls visited when it began */
};

struct rsd_walk {
	const struct rsd_trace *t;
	int rank, thread; /* thread: of the part being walked */
	int last_part;	  /* of any thread of the trace */
	struct step *step;
	size_t nr_steps, alloc_steps, at;
	const struct rsd_log *log; /* to be read next, or being read; NULL: there are no more */
	bool in_log, log_has_time;
	struct rsd_flat_reader reader;
	struct rsd_walk_values *values;
	const struct rsd_node *node;
	uint64_t calls;
	int64_t clock_ns; /* end of the last call */
	struct rsd_buf why;
	int err;
};

int rsd_walk_damaged(struct rsd_buf *why)
{
	rsd_buf_put_byte(why, '\0');
	return RSD_ERR_FORMAT;
}

const char *rsd_walk_error(const struct rsd_walk *w)
{
	return w->err == RSD_ERR_FORMAT && !w->why.err ? (const char *)w->why.data : "";
}

const struct rsd_node *rsd_walk_node(const struct rsd_walk *w)
{
	return w->node;
}

/* ---- the steps ------------------------------------------------------------------------ */

static int add_step(struct rsd_walk *w, const struct rsd_node *n, int kind, size_t jump)
{
	if (RSD_GROW(w->step, w->nr_steps + 1, w->alloc_steps))
		return RSD_ERR_NOMEM;
	w->step[w->nr_steps] = (struct step){ .node = n, .jump = jump };
	w->step[w->nr_steps].kind = kind;
	w->nr_steps++;
	return 0;
}

static bool takes_part(const struct rsd_walk *w, const struct rsd_node *n)
{
	return !n->ranks || rsd_ranks_has(n->ranks, w->rank);
}

static int make_steps(struct rsd_walk *w, const struct rsd_tree *tree)
{
	const struct rsd_node *n = tree->first;
	size_t open = SIZE_MAX; /* LOOP step of the innermost loop; the outer one in its 'jump',
				   until it ends */
	int err = 0;

	while (!err && (n || open != SIZE_MAX)) {
		if (!n) {
			struct step *l = &w->step[open];
			size_t outer = l->jump;

			n = l->node->next;
			l->jump = w->nr_steps;
			err = add_step(w, l->node, END, open);
			open = outer;
		} else if (!takes_part(w, n)) {
			n = n->next;
		} else if (n->place >= 0) {
			err = add_step(w, n, EVENT, 0);
			n = n->next;
		} else {
			err = add_step(w, n, LOOP, open);
			open = w->nr_steps - 1;
			n = n->first;
		}
	}
	return err;
}

static void drop_steps(struct rsd_walk *w)
{
	for (size_t i = 0; i < w->nr_steps; i++)
		rsd_walk_column_close(&w->step[i].count);
	w->nr_steps = w->at = 0;
}

static bool tree_has(const struct rsd_walk *w, const struct rsd_tree *tree)
{
	for (const struct rsd_node *n = tree->first; n; n = n->next) {
		if (takes_part(w, n))
			return true;
	}
	return false;
}

static const struct rsd_tree *find_tree(const struct rsd_walk *w, int thread)
{
	const struct rsd_tree *tree = rsd_trace_find_tree(w->t, thread);

	return tree && tree_has(w, tree) ? tree : NULL;
}

static bool has_part(const struct rsd_walk *w, int thread)
{
	return rsd_trace_first_log(w->t, w->rank, thread) || find_tree(w, thread);
}

static int begin_part(struct rsd_walk *w)
{
	const struct rsd_tree *tree = find_tree(w, w->thread);

	drop_steps(w);
	w->log = rsd_trace_first_log(w->t, w->rank, w->thread);
	return tree ? make_steps(w, tree) : 0;
}

static void fill_event(
	struct rsd_walk *w, int place, size_t nr_val, const int64_t *val, struct rsd_event *e)
{
	const struct rsd_place *p = &w->t->place[place];

	*e = (struct rsd_event){
		.rank = w->rank,
		.thread = rsd_thread_number(w->thread),
		.func = p->func,
		.sig = p->sig,
		.nested = p->nested,
		.val = val,
		.nr_val = nr_val,
	};
	w->calls++;
}

static int visit(struct rsd_walk *w, const struct rsd_node *n, struct rsd_event *e)
{
	struct rsd_walk_drawn d;
	int err = rsd_walk_values_draw(w->values, n->place, &d);

	if (err)
		return err;
	w->node = n;
	fill_event(w, n->place, d.nr, d.val, e);
	if (d.timed)
		w->clock_ns = rsd_event_set_time(
			e, w->clock_ns, (uint64_t)d.before_ns, (uint64_t)d.dur_ns);
	return 0;
}

/* ---- loops ---------------------------------------------------------------------------------- */

static int enter_loop(struct rsd_walk *w, struct step *s)
{
	int64_t count;

	if (!s->entered) {
		int err = rsd_walk_column_open(&s->count, &s->node->count, w->rank);

		if (err)
			return err;
		s->entered = true;
	}
	if (!s->count.next || rsd_cursor_next(s->count.next, &count) || count < 0) {
		rsd_buf_printf(&w->why, "step %zu: a loop without a count", w->at);
		return rsd_walk_damaged(&w->why);
	}
	s->left = (uint64_t)count;
	s->begun = w->calls;
	w->at = count > 0 ? w->at + 1 : s->jump + 1;
	return 0;
}

static int end_iteration(struct rsd_walk *w, const struct step *s)
{
	struct step *l = &w->step[s->jump];

	if (l->begun == w->calls) { /* it could go on so for 2^60 iterations */
		rsd_buf_printf(&w->why, "step %zu: a loop iteration without a call", s->jump);
		return rsd_walk_damaged(&w->why);
	}
	l->begun = w->calls;
	w->at = --l->left ? s->jump + 1 : w->at + 1;
	return 0;
}

/* 0 with a call, RSD_ERR_END where the tree ends. */
static int next_in_tree(struct rsd_walk *w, struct rsd_event *e)
{
	int err = 0;

	while (w->at < w->nr_steps && !err) {
		struct step *s = &w->step[w->at];

		switch (s->kind) {
		case EVENT:
			w->at++;
			return visit(w, s->node, e);
		case LOOP:
			err = enter_loop(w, s);
			break;
		case END:
			err = end_iteration(w, s);
		}
	}
	return err ? err : RSD_ERR_END;
}

/* ---- logs ----------------------------------------------------------------------------------- */

static bool fits_layout(const struct rsd_func *f, const int64_t *val, size_t nr)
{
	struct rsd_layout l;

	rsd_layout_init(&l, f);
	for (size_t i = 0; i < nr; i++) {
		if (rsd_layout_column(&l) < 0 || rsd_layout_step(&l, val[i]))
			return false;
	}
	return rsd_layout_column(&l) < 0;
}

static int next_in_log(struct rsd_walk *w, struct rsd_event *e)
{
	struct rsd_flat_event f;
	int err = rsd_flat_next(&w->reader, &f);

	if (err == RSD_ERR_END || err == RSD_ERR_NOMEM)
		return err;
	if (err || (size_t)f.place >= w->t->nr_places ||
		!fits_layout(&w->t->func[w->t->place[f.place].func], f.val, f.nr_val)) {
		rsd_buf_printf(&w->why, "log of rank %d, thread %d: damaged before byte %zu",
			w->rank, w->thread, w->reader.in.pos);
		return rsd_walk_damaged(&w->why);
	}
	w->node = NULL;
	fill_event(w, f.place, f.nr_val, f.val, e);
	w->log_has_time |= f.before_ns || f.dur_ns;
	if (w->log_has_time)
		w->clock_ns = rsd_event_set_time(e, w->clock_ns, f.before_ns, f.dur_ns);
	return 0;
}

static int next_in_logs(struct rsd_walk *w, struct rsd_event *e)
{
	for (; w->log; w->log = rsd_trace_next_log(w->t, w->log)) {
		int err;

		if (!w->in_log) {
			rsd_flat_reader_init(&w->reader, w->log->bytes.data, w->log->bytes.len);
			w->in_log = true;
			w->log_has_time = false;
		}
		err = next_in_log(w, e);
		if (err != RSD_ERR_END)
			return err;
		rsd_flat_reader_release(&w->reader);
		w->in_log = false;
	}
	return RSD_ERR_END;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int next_part(const struct rsd_walk *w)
{
	int part = rsd_thread_part(w->thread), number = rsd_thread_number(w->thread);

	if (!part)
		return RSD_AFTER + number;
	return part < w->last_part ? w->thread + RSD_PART : number;
}

int rsd_walk_next(struct rsd_walk *w, struct rsd_event *e)
{
	if (w->err)
		return w->err;
	for (;;) {
		int err = next_in_tree(w, e);

		if (err == RSD_ERR_END)
			err = next_in_logs(w, e);
		if (err != RSD_ERR_END)
			return w->err = err;
		if (rsd_thread_is_after(w->thread))
			break;
		w->thread = next_part(w);
		err = begin_part(w);
		if (err)
			return w->err = err;
	}
	/* In a complete trace a walk leaves no values behind. */
	w->err = w->t->complete ? rsd_walk_values_check_end(w->values) : 0;
	if (!w->err)
		w->err = RSD_ERR_END;
	return w->err;
}

int rsd_trace_last_part(const struct rsd_trace *t)
{
	int last = 0;

	for (size_t i = 0; i < t->nr_trees; i++) {
		if (rsd_thread_part(t->tree[i].thread) > last)
			last = rsd_thread_part(t->tree[i].thread);
	}
	return last;
}

static bool has_thread(const struct rsd_walk *w, int thread)
{
	for (int part = 0; part <= w->last_part; part++) {
		if (has_part(w, thread + part * RSD_PART))
			return true;
	}
	return has_part(w, thread + RSD_AFTER);
}

int rsd_walk_new(struct rsd_walk **out, const struct rsd_trace *t, int rank, int thread)
{
	struct rsd_walk probe = { .t = t, .rank = rank, .last_part = rsd_trace_last_part(t) }, *w;
	int err;

	*out = NULL;
	if (thread < 0 || thread >= RSD_AFTER || !rsd_ranks_has(&t->ranks, rank) ||
		!has_thread(&probe, thread))
		return RSD_ERR_END;
	w = rsd_calloc(1, sizeof(*w));
	if (!w)
		return RSD_ERR_NOMEM;
	w->t = t;
	w->rank = rank;
	w->thread = thread + (probe.last_part ? RSD_PART : 0);
	w->last_part = probe.last_part;
	w->values = rsd_walk_values_new(t, rank, &w->why);
	err = w->values ? begin_part(w) : RSD_ERR_NOMEM;
	if (err) {
		rsd_walk_free(w);
		return err;
	}
	*out = w;
	return 0;
}

int rsd_walk_new_log(struct rsd_walk **out, const struct rsd_trace *t, const struct rsd_log *log)
{
	int number = rsd_thread_number(log->thread);

	*out = NULL;
	if (rsd_trace_first_log(t, log->rank, log->thread) != log ||
		(log->thread != number && (rsd_trace_first_log(t, log->rank, number) ||
						  rsd_trace_find_tree(t, number))))
		return RSD_ERR_END;
	return rsd_walk_new(out, t, log->rank, number);
}

void rsd_walk_free(struct rsd_walk *w)
{
	if (!w)
		return;
	drop_steps(w);
	free(w->step);
	rsd_walk_values_free(w->values);
	if (w->in_log)
		rsd_flat_reader_release(&w->reader);
	rsd_buf_release(&w->why);
	free(w);
}
