/*
 * walk.c - one rank's calls in order
 *
 * The tree is reduced to the nodes that the rank is in, as a list of steps, once;
 * after that a call costs its values. A loop is one step, with its own
 * counter, as no loop is inside itself; so nesting takes no stack.
 */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "util.h"

struct step {
	const struct rsd_node *node;
	size_t jump; /* LOOP: the END step; END: the LOOP step */
	enum { EVENT, LOOP, END } kind;
	struct rsd_column *col; /* LOOP: counts; made at the first entry */
	struct rsd_cursor *count;
	uint64_t left;	/* iterations, the current one included */
	uint64_t begun; /* calls visited when it began */
};

struct column {
	struct rsd_column *col;
	struct rsd_cursor *next;
	enum rsd_encoding enc;
};

struct place { /* made when it is first visited */
	const struct rsd_func *f;
	int nr_cols;
	struct column *col; /* nr_cols, then before_ns and dur_ns */
	int16_t *comm;	    /* by column: PEER: the parameter with the communicator, else -1 */
	bool scalars;	    /* value i of a call is of column i */
	/*
	 * Of such a place: the values of the last call. Most columns are inside of runs; for 'calm' calls to come these
	 * stay so, and count as read. Values of those that move are a stride further in each call, those of busy ones are
	 * drawn, and all others are what they were.
	 */
	int64_t *val, *stride;
	uint64_t calm;
	int16_t *moves, *busy;
	int nr_moves, nr_busy;
};

#define STEADY 4     /* shorter runs are not worth the look */
#define PATIENCE 256 /* after so many calls busy columns are looked at again */

struct shape {		    /* of a communicator, for this rank */
	int64_t rank, size; /* size 0: unknown */
};

struct relative { /* a value of this call that is to be made absolute */
	size_t at;
	int comm; /* parameter */
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
	struct place **place; /* by the trace's index */
	struct rsd_map shape_by_comm;
	struct shape *shape;
	size_t nr_shapes, alloc_shapes;
	int64_t *val;
	size_t alloc_val;
	size_t *param_at; /* position of each parameter's first value in this call */
	size_t alloc_param_at;
	struct relative *rel;
	size_t nr_rel, alloc_rel;
	const struct rsd_node *node;
	uint64_t calls;
	int64_t clock_ns; /* end of the last call */
	struct rsd_buf why;
	int err;
};

static int damaged(struct rsd_walk *w)
{
	rsd_buf_put_byte(&w->why, '\0');
	return w->err = RSD_ERR_FORMAT;
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
	for (size_t i = 0; i < w->nr_steps; i++) {
		rsd_cursor_free(w->step[i].count);
		rsd_column_free(w->step[i].col);
	}
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

/* ---- places ------------------------------------------------------------------------------- */

static void free_place(struct place *p)
{
	if (!p)
		return;
	for (int i = 0; p->col && i < p->nr_cols + 2; i++) {
		rsd_cursor_free(p->col[i].next);
		rsd_column_free(p->col[i].col);
	}
	free(p->col);
	free(p->comm);
	free(p->val);
	free(p->moves);
	free(p);
}

static int open_column(const struct rsd_walk *w, const struct rsd_params *p, struct column *c)
{
	int err = rsd_params_get(p, w->rank, &c->enc, &c->col);

	if (err == RSD_ERR_END)
		return 0;
	if (!err)
		c->next = rsd_cursor_new(c->col);
	return err || c->next ? err : RSD_ERR_NOMEM;
}

static void find_comms(struct place *p)
{
	int col = 0;

	for (int i = 0; i < p->f->nr_params; i++) {
		const struct rsd_param *q = &p->f->param[i];
		int nr = rsd_type_columns((enum rsd_type)q->type);

		for (int k = 0; k < nr; k++) {
			bool peer = q->role == RSD_R_PEER && q->of >= 0 && q->of < p->f->nr_params;

			p->comm[col + k] = peer && k == nr - 1 ? q->of : -1;
		}
		col += nr;
	}
	p->comm[col] = -1;
}

static int open_place(struct rsd_walk *w, int index)
{
	const struct rsd_place *from = &w->t->place[index];
	struct place *p = rsd_calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return RSD_ERR_NOMEM;
	w->place[index] = p;
	p->f = &w->t->func[from->func];
	p->nr_cols = rsd_func_columns(p->f);
	p->col = rsd_calloc((size_t)p->nr_cols + 2, sizeof(*p->col));
	p->comm = rsd_calloc((size_t)p->nr_cols, sizeof(*p->comm));
	p->val = rsd_calloc(2 * (size_t)p->nr_cols, sizeof(*p->val));
	p->moves = rsd_calloc(2 * (size_t)p->nr_cols, sizeof(*p->moves));
	if (!p->col || !p->comm || !p->val || !p->moves)
		return RSD_ERR_NOMEM;
	p->stride = p->val + p->nr_cols;
	p->busy = p->moves + p->nr_cols;
	p->scalars = p->nr_cols == p->f->nr_params + 1;
	find_comms(p);
	for (int i = 0; i < p->nr_cols && !err; i++)
		err = open_column(w, &from->col[i], &p->col[i]);
	if (!err && from->has_times)
		err = open_column(w, &from->before_ns, &p->col[p->nr_cols]);
	if (!err && from->has_times)
		err = open_column(w, &from->dur_ns, &p->col[p->nr_cols + 1]);
	return err;
}

/* ---- relative peers ------------------------------------------------------------------------- */

static int attribute(const struct rsd_walk *w, const struct rsd_params *p, int64_t *v)
{
	struct column c = { NULL, NULL, RSD_E_ABS };
	int err = open_column(w, p, &c);

	if (!err)
		err = c.next ? rsd_cursor_next(c.next, v) : RSD_ERR_END;
	rsd_cursor_free(c.next);
	rsd_column_free(c.col);
	return err;
}

static int find_shape(struct rsd_walk *w, int64_t comm, struct shape *out)
{
	const uint64_t *known = rsd_map_find(&w->shape_by_comm, (uint64_t)comm);
	const struct rsd_object *o;
	int err = 0;

	if (known) {
		*out = w->shape[*known];
		return 0;
	}
	*out = (struct shape){ 0, 0 };
	o = rsd_trace_find_object(w->t, RSD_O_COMM, comm);
	if (o) {
		err = attribute(w, &o->attr[0], &out->size);
		if (!err)
			err = attribute(w, &o->attr[1], &out->rank);
	}
	if (err == RSD_ERR_NOMEM || RSD_GROW(w->shape, w->nr_shapes + 1, w->alloc_shapes) ||
		rsd_map_set(&w->shape_by_comm, (uint64_t)comm, w->nr_shapes))
		return RSD_ERR_NOMEM;
	if (err || out->size <= 0 || out->rank < 0)
		*out = (struct shape){ 0, 0 };
	else
		out->rank %= out->size;
	w->shape[w->nr_shapes++] = *out;
	return 0;
}

/* *v, relative in 'comm', becomes absolute. */
static int make_absolute(struct rsd_walk *w, int place, int64_t comm, int64_t *v)
{
	struct shape s;
	int err = find_shape(w, comm, &s);

	if (err)
		return err;
	if (s.size == 0 || *v < 0 || *v >= s.size) {
		rsd_buf_printf(&w->why, "place %d: peer %lld relative in a communicator of %lld",
			place, (long long)*v, (long long)s.size);
		return damaged(w);
	}
	*v = s.rank < s.size - *v ? s.rank + *v : s.rank - (s.size - *v);
	return 0;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static int too_few(struct rsd_walk *w, int place, int col)
{
	rsd_buf_printf(&w->why, "place %d: column %d has too few values", place, col);
	return damaged(w);
}

static int too_many(struct rsd_walk *w, int place)
{
	rsd_buf_printf(
		&w->why, "place %d: a call with more than %zu values", place, RSD_MAX_VALUES);
	return damaged(w);
}

static bool is_relative(const struct place *p, int col)
{
	return p->col[col].enc == RSD_E_REL && p->comm[col] >= 0;
}

/* ---- calls of as many values as columns ----------------------------------------------------- */

/*
 * After a call's values were drawn one by one: which columns need not be for a while. A relative peer is absolute in
 * 'val', and stays what it is as long as it and the communicator stay.
 */
static void look_ahead(struct place *p)
{
	uint64_t nr = UINT64_MAX;

	p->nr_busy = p->nr_moves = 0;
	for (int i = 0; i < p->nr_cols; i++) {
		uint64_t left = rsd_cursor_run(p->col[i].next, &p->stride[i]);

		if (left >= STEADY && is_relative(p, i)) {
			int64_t stride;

			if (p->stride[i] ||
				rsd_cursor_run(p->col[p->comm[i]].next, &stride) < STEADY || stride)
				left = 0;
		}
		if (left < STEADY)
			p->busy[p->nr_busy++] = (int16_t)i;
		else if (p->stride[i])
			p->moves[p->nr_moves++] = (int16_t)i;
		nr = left >= STEADY && left < nr ? left : nr;
	}
	if (p->nr_busy && nr > PATIENCE)
		nr = PATIENCE;
	p->calm = nr;
	for (int i = 0, busy = 0; i < p->nr_cols; i++) {
		if (busy < p->nr_busy && p->busy[busy] == i)
			busy++;
		else
			rsd_cursor_took(p->col[i].next, nr);
	}
}

/* Draws the 'nr' columns, ascending. */
static int draw_columns(struct rsd_walk *w, int index, const int16_t *col, int nr)
{
	struct place *p = w->place[index];

	for (int i = 0; i < nr; i++) {
		int c = col ? col[i] : i;

		if (!p->col[c].next || rsd_cursor_next(p->col[c].next, &p->val[c]))
			return too_few(w, index, c);
	}
	for (int i = 0; i < nr; i++) {
		int c = col ? col[i] : i;

		if (is_relative(p, c) && !rsd_is_const(p->val[c])) {
			int err = make_absolute(w, index, p->val[p->comm[c]], &p->val[c]);

			if (err)
				return err;
		}
	}
	return 0;
}

static int draw_scalars(struct rsd_walk *w, int index)
{
	struct place *p = w->place[index];
	int err;

	if (!p->calm) {
		err = draw_columns(w, index, NULL, p->nr_cols);
		if (!err)
			look_ahead(p);
		return err;
	}
	p->calm--;
	for (int i = 0; i < p->nr_moves; i++) {
		int c = p->moves[i];

		p->val[c] = (int64_t)((uint64_t)p->val[c] + (uint64_t)p->stride[c]);
	}
	return p->nr_busy ? draw_columns(w, index, p->busy, p->nr_busy) : 0;
}

/* ---- others ----------------------------------------------------------------------------------- */

/* 'n' values of column 'col' have been drawn, from w->val[at] on. */
static int note_relative(struct rsd_walk *w, const struct place *p, int col, size_t at, size_t n)
{
	if (!is_relative(p, col))
		return 0;
	if (RSD_GROW(w->rel, w->nr_rel + n, w->alloc_rel))
		return RSD_ERR_NOMEM;
	for (size_t i = at; i < at + n; i++) {
		if (!rsd_is_const(w->val[i]))
			w->rel[w->nr_rel++] = (struct relative){ .at = i, .comm = p->comm[col] };
	}
	return 0;
}

static int absolve_all(struct rsd_walk *w, int place)
{
	int err = 0;

	for (size_t i = 0; i < w->nr_rel && !err; i++)
		err = make_absolute(
			w, place, w->val[w->param_at[w->rel[i].comm]], &w->val[w->rel[i].at]);
	return err;
}

/* Draws a call's values from the columns of its place. */
static int draw_values(struct rsd_walk *w, int index, size_t *nr_val)
{
	struct place *p = w->place[index];
	struct rsd_layout l;
	int col, last = -1, err;
	size_t nr = 0, n;

	w->nr_rel = 0;
	if (RSD_GROW(w->param_at, (size_t)p->f->nr_params + 1, w->alloc_param_at))
		return RSD_ERR_NOMEM;
	rsd_layout_init(&l, p->f);
	for (; (col = rsd_layout_column(&l)) >= 0; nr += n) {
		if (l.param != last)
			w->param_at[last = l.param] = nr;
		n = rsd_layout_run(&l);
		if (nr + (n > (size_t)l.left ? n : (size_t)l.left) > RSD_MAX_VALUES)
			return too_many(w, index);
		if (RSD_GROW(w->val, nr + n, w->alloc_val))
			return RSD_ERR_NOMEM;
		if (!p->col[col].next || rsd_cursor_read(p->col[col].next, w->val + nr, n))
			return too_few(w, index, col);
		err = note_relative(w, p, col, nr, n);
		if (err)
			return err;
		if (n > 1) {
			rsd_layout_pass(&l);
		} else if (rsd_layout_step(&l, w->val[nr])) {
			rsd_buf_printf(
				&w->why, "place %d: column %d has an impossible value", index, col);
			return damaged(w);
		}
	}
	*nr_val = nr;
	return absolve_all(w, index);
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
	int64_t before, dur;
	struct place *p;
	struct column *c;
	size_t nr;
	int err = 0;

	if (!w->place[n->place])
		err = open_place(w, n->place);
	if (err)
		return err;
	p = w->place[n->place];
	nr = (size_t)p->nr_cols;
	err = p->scalars ? draw_scalars(w, n->place) : draw_values(w, n->place, &nr);
	if (err)
		return err;
	w->node = n;
	fill_event(w, n->place, nr, p->scalars ? p->val : w->val, e);
	c = &p->col[p->nr_cols];
	if (c[0].next && c[1].next) {
		if (rsd_cursor_next(c[0].next, &before) || rsd_cursor_next(c[1].next, &dur))
			return too_few(w, n->place, p->nr_cols);
		w->clock_ns = rsd_event_set_time(e, w->clock_ns, (uint64_t)before, (uint64_t)dur);
	}
	return 0;
}

/* ---- loops ---------------------------------------------------------------------------------- */

static int enter_loop(struct rsd_walk *w, struct step *s)
{
	struct column c = { NULL, NULL, RSD_E_ABS };
	int64_t count;
	int err = 0;

	if (!s->col) {
		err = open_column(w, &s->node->count, &c);
		s->col = c.col;
		s->count = c.next;
	}
	if (err)
		return err;
	if (!s->count || rsd_cursor_next(s->count, &count) || count < 0) {
		rsd_buf_printf(&w->why, "step %zu: a loop without a count", w->at);
		return damaged(w);
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
		return damaged(w);
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
		return damaged(w);
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

/* In a complete trace a walk leaves no values behind. */
static int check_end(struct rsd_walk *w)
{
	for (size_t i = 0; i < w->t->nr_places && w->t->complete; i++) {
		const struct place *p = w->place[i];

		for (int k = 0, busy = 0; p && k < p->nr_cols; k++) {
			const struct column *c = &p->col[k];
			bool is_busy = busy < p->nr_busy && p->busy[busy] == k;

			busy += is_busy;
			if (c->next &&
				((p->calm && !is_busy) ||
					rsd_cursor_position(c->next) < rsd_column_length(c->col))) {
				rsd_buf_printf(
					&w->why, "place %zu: column %d has values left over", i, k);
				return damaged(w);
			}
		}
	}
	return w->err = RSD_ERR_END;
}

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
	return check_end(w);
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
	w->place = rsd_calloc(t->nr_places + 1, sizeof(struct place *));
	err = w->place ? begin_part(w) : RSD_ERR_NOMEM;
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
	for (size_t i = 0; w->place && i < w->t->nr_places; i++)
		free_place(w->place[i]);
	free(w->place);
	if (w->in_log)
		rsd_flat_reader_release(&w->reader);
	rsd_map_release(&w->shape_by_comm);
	free(w->shape);
	free(w->val);
	free(w->param_at);
	free(w->rel);
	rsd_buf_release(&w->why);
	free(w);
}
