#include "walk_impl.h"

#include <stdlib.h>
#include "util.h"

struct place { /* made when it is first visited */
	const struct rsd_func *f;
	int nr_cols;
	struct rsd_walk_column *col; /* nr_cols, then before_ns and dur_ns */
	int16_t *comm; /* by column: PEER: the parameter with the communicator, else -1 */
	bool scalars;  /* value i of a call is of column i */
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

struct rsd_walk_values {
	const struct rsd_trace *t;
	int rank;
	struct rsd_buf *why;
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
};

/* ---- columns ----------------------------------------------------------------------------- */

int rsd_walk_column_open(struct rsd_walk_column *c, const struct rsd_params *p, int rank)
{
	int err = rsd_params_get(p, rank, &c->enc, &c->col);

	if (err == RSD_ERR_END)
		return 0;
	if (!err)
		c->next = rsd_cursor_new(c->col);
	return err || c->next ? err : RSD_ERR_NOMEM;
}

void rsd_walk_column_close(struct rsd_walk_column *c)
{
	rsd_cursor_free(c->next);
	rsd_column_free(c->col);
}

/* ---- places ------------------------------------------------------------------------------- */

static void free_place(struct place *p)
{
	if (!p)
		return;
	for (int i = 0; p->col && i < p->nr_cols + 2; i++)
		rsd_walk_column_close(&p->col[i]);
	free(p->col);
	free(p->comm);
	free(p->val);
	free(p->moves);
	free(p);
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

static int open_place(struct rsd_walk_values *vs, int index)
{
	const struct rsd_place *from = &vs->t->place[index];
	struct place *p = rsd_calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return RSD_ERR_NOMEM;
	vs->place[index] = p;
	p->f = &vs->t->func[from->func];
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
		err = rsd_walk_column_open(&p->col[i], &from->col[i], vs->rank);
	if (!err && from->has_times)
		err = rsd_walk_column_open(&p->col[p->nr_cols], &from->before_ns, vs->rank);
	if (!err && from->has_times)
		err = rsd_walk_column_open(&p->col[p->nr_cols + 1], &from->dur_ns, vs->rank);
	return err;
}

/* ---- relative peers ------------------------------------------------------------------------- */

static int attribute(const struct rsd_walk_values *vs, const struct rsd_params *p, int64_t *v)
{
	struct rsd_walk_column c = { NULL, NULL, RSD_E_ABS };
	int err = rsd_walk_column_open(&c, p, vs->rank);

	if (!err)
		err = c.next ? rsd_cursor_next(c.next, v) : RSD_ERR_END;
	rsd_walk_column_close(&c);
	return err;
}

static int find_shape(struct rsd_walk_values *vs, int64_t comm, struct shape *out)
{
	const uint64_t *known = rsd_map_find(&vs->shape_by_comm, (uint64_t)comm);
	const struct rsd_object *o;
	int err = 0;

	if (known) {
		*out = vs->shape[*known];
		return 0;
	}
	*out = (struct shape){ 0, 0 };
	o = rsd_trace_find_object(vs->t, RSD_O_COMM, comm);
	if (o) {
		err = attribute(vs, &o->attr[0], &out->size);
		if (!err)
			err = attribute(vs, &o->attr[1], &out->rank);
	}
	if (err == RSD_ERR_NOMEM || RSD_GROW(vs->shape, vs->nr_shapes + 1, vs->alloc_shapes) ||
		rsd_map_set(&vs->shape_by_comm, (uint64_t)comm, vs->nr_shapes))
		return RSD_ERR_NOMEM;
	if (err || out->size <= 0 || out->rank < 0)
		*out = (struct shape){ 0, 0 };
	else
		out->rank %= out->size;
	vs->shape[vs->nr_shapes++] = *out;
	return 0;
}

/* *v, relative in 'comm', becomes absolute. */
static int make_absolute(struct rsd_walk_values *vs, int place, int64_t comm, int64_t *v)
{
	struct shape s;
	int err = find_shape(vs, comm, &s);

	if (err)
		return err;
	if (s.size == 0 || *v < 0 || *v >= s.size) {
		rsd_buf_printf(vs->why, "place %d: peer %lld relative in a communicator of %lld",
			place, (long long)*v, (long long)s.size);
		return rsd_walk_damaged(vs->why);
	}
	*v = s.rank < s.size - *v ? s.rank + *v : s.rank - (s.size - *v);
	return 0;
}

static int too_few(struct rsd_walk_values *vs, int place, int col)
{
	rsd_buf_printf(vs->why, "place %d: column %d has too few values", place, col);
	return rsd_walk_damaged(vs->why);
}

static int too_many(struct rsd_walk_values *vs, int place)
{
	rsd_buf_printf(
		vs->why, "place %d: a call with more than %zu values", place, RSD_MAX_VALUES);
	return rsd_walk_damaged(vs->why);
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
static int draw_columns(struct rsd_walk_values *vs, int index, const int16_t *col, int nr)
{
	struct place *p = vs->place[index];

	for (int i = 0; i < nr; i++) {
		int c = col ? col[i] : i;

		if (!p->col[c].next || rsd_cursor_next(p->col[c].next, &p->val[c]))
			return too_few(vs, index, c);
	}
	for (int i = 0; i < nr; i++) {
		int c = col ? col[i] : i;

		if (is_relative(p, c) && !rsd_is_const(p->val[c])) {
			int err = make_absolute(vs, index, p->val[p->comm[c]], &p->val[c]);

			if (err)
				return err;
		}
	}
	return 0;
}

static int draw_scalars(struct rsd_walk_values *vs, int index)
{
	struct place *p = vs->place[index];
	int err;

	if (!p->calm) {
		err = draw_columns(vs, index, NULL, p->nr_cols);
		if (!err)
			look_ahead(p);
		return err;
	}
	p->calm--;
	for (int i = 0; i < p->nr_moves; i++) {
		int c = p->moves[i];

		p->val[c] = (int64_t)((uint64_t)p->val[c] + (uint64_t)p->stride[c]);
	}
	return p->nr_busy ? draw_columns(vs, index, p->busy, p->nr_busy) : 0;
}

/* ---- others ----------------------------------------------------------------------------------- */

/* 'n' values of column 'col' have been drawn, from vs->val[at] on. */
static int note_relative(
	struct rsd_walk_values *vs, const struct place *p, int col, size_t at, size_t n)
{
	if (!is_relative(p, col))
		return 0;
	if (RSD_GROW(vs->rel, vs->nr_rel + n, vs->alloc_rel))
		return RSD_ERR_NOMEM;
	for (size_t i = at; i < at + n; i++) {
		if (!rsd_is_const(vs->val[i]))
			vs->rel[vs->nr_rel++] = (struct relative){ .at = i, .comm = p->comm[col] };
	}
	return 0;
}

static int absolve_all(struct rsd_walk_values *vs, int place)
{
	int err = 0;

	for (size_t i = 0; i < vs->nr_rel && !err; i++)
		err = make_absolute(
			vs, place, vs->val[vs->param_at[vs->rel[i].comm]], &vs->val[vs->rel[i].at]);
	return err;
}

/* Draws a call's values from the columns of its place. */
static int draw_values(struct rsd_walk_values *vs, int index, size_t *nr_val)
{
	struct place *p = vs->place[index];
	struct rsd_layout l;
	int col, last = -1, err;
	size_t nr = 0, n;

	vs->nr_rel = 0;
	if (RSD_GROW(vs->param_at, (size_t)p->f->nr_params + 1, vs->alloc_param_at))
		return RSD_ERR_NOMEM;
	rsd_layout_init(&l, p->f);
	for (; (col = rsd_layout_column(&l)) >= 0; nr += n) {
		if (l.param != last)
			vs->param_at[last = l.param] = nr;
		n = rsd_layout_run(&l);
		if (nr + (n > (size_t)l.left ? n : (size_t)l.left) > RSD_MAX_VALUES)
			return too_many(vs, index);
		if (RSD_GROW(vs->val, nr + n, vs->alloc_val))
			return RSD_ERR_NOMEM;
		if (!p->col[col].next || rsd_cursor_read(p->col[col].next, vs->val + nr, n))
			return too_few(vs, index, col);
		err = note_relative(vs, p, col, nr, n);
		if (err)
			return err;
		if (n > 1) {
			rsd_layout_pass(&l);
		} else if (rsd_layout_step(&l, vs->val[nr])) {
			rsd_buf_printf(
				vs->why, "place %d: column %d has an impossible value", index, col);
			return rsd_walk_damaged(vs->why);
		}
	}
	*nr_val = nr;
	return absolve_all(vs, index);
}

/* ---- what a walk asks for ------------------------------------------------------------------- */

struct rsd_walk_values *rsd_walk_values_new(
	const struct rsd_trace *t, int rank, struct rsd_buf *why)
{
	struct rsd_walk_values *vs = rsd_calloc(1, sizeof(*vs));

	if (!vs)
		return NULL;
	vs->t = t;
	vs->rank = rank;
	vs->why = why;
	vs->place = rsd_calloc(t->nr_places + 1, sizeof(struct place *));
	if (!vs->place) {
		free(vs);
		return NULL;
	}
	return vs;
}

void rsd_walk_values_free(struct rsd_walk_values *vs)
{
	if (!vs)
		return;
	for (size_t i = 0; i < vs->t->nr_places; i++)
		free_place(vs->place[i]);
	free(vs->place);
	rsd_map_release(&vs->shape_by_comm);
	free(vs->shape);
	free(vs->val);
	free(vs->param_at);
	free(vs->rel);
	free(vs);
}

int rsd_walk_values_draw(struct rsd_walk_values *vs, int place, struct rsd_walk_drawn *out)
{
	const struct rsd_walk_column *times;
	struct place *p;
	int err = vs->place[place] ? 0 : open_place(vs, place);

	if (err)
		return err;
	p = vs->place[place];
	out->nr = (size_t)p->nr_cols;
	err = p->scalars ? draw_scalars(vs, place) : draw_values(vs, place, &out->nr);
	if (err)
		return err;
	out->val = p->scalars ? p->val : vs->val;
	times = &p->col[p->nr_cols];
	out->timed = times[0].next && times[1].next;
	if (out->timed && (rsd_cursor_next(times[0].next, &out->before_ns) ||
				  rsd_cursor_next(times[1].next, &out->dur_ns)))
		return too_few(vs, place, p->nr_cols);
	return 0;
}

int rsd_walk_values_check_end(const struct rsd_walk_values *vs)
{
	for (size_t i = 0; i < vs->t->nr_places; i++) {
		const struct place *p = vs->place[i];

		for (int k = 0, busy = 0; p && k < p->nr_cols; k++) {
			const struct rsd_walk_column *c = &p->col[k];
			bool is_busy = busy < p->nr_busy && p->busy[busy] == k;

			busy += is_busy;
			if (c->next &&
				((p->calm && !is_busy) ||
					rsd_cursor_position(c->next) < rsd_column_length(c->col))) {
				rsd_buf_printf(
					vs->why, "place %zu: column %d has values left over", i, k);
				return rsd_walk_damaged(vs->why);
			}
		}
	}
	return 0;
}
