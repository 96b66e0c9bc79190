#include <stdlib.h>
#include <string.h>

#include "merge_tables.h"
#include "flat.h"
#include "util.h"

/* One number: 'nr' ints, all set to 'fill'; never NULL for want of elements. */
static int *new_ints(size_t nr, int fill)
{
	int *p = rsd_calloc(nr + 1, sizeof(*p));

	for (size_t i = 0; p && i < nr; i++)
		p[i] = fill;
	return p;
}

static int map_strings(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b)
{
	m->nr_strings = b->strings.nr;
	m->string = rsd_calloc(b->strings.nr + 1, sizeof(*m->string));
	if (!m->string)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < b->strings.nr; i++) {
		int id =
			rsd_strings_intern(&a->strings, b->strings.str[i].s, b->strings.str[i].len);

		if (id < 0)
			return id;
		m->string[i] = id;
		m->strings_differ |= (size_t)id != i;
	}
	return 0;
}

/* Where 'a' has the constant, or could take it: at 'index' for preference. */
static size_t constant_index(const struct rsd_trace *a, size_t index, const char *name)
{
	size_t unused = 0;

	if (index < a->nr_constants && a->constant[index] && !strcmp(a->constant[index], name))
		return index;
	for (size_t i = 1; i < a->nr_constants; i++) {
		if (!a->constant[i])
			unused = unused ? unused : i;
		else if (!strcmp(a->constant[i], name))
			return i;
	}
	if (index >= a->nr_constants || !a->constant[index])
		return index;
	return unused ? unused : a->nr_constants;
}

/*
 * Builds of different MPI versions may number constants differently. An index
 * that 'a' does not use now may be one that b's later constants want, so those
 * that can keep their index go first.
 */
static int map_constants(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b)
{
	m->nr_constants = b->nr_constants;
	m->constant = new_ints(b->nr_constants, -1);
	if (!m->constant)
		return RSD_ERR_NOMEM;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < b->nr_constants; i++) {
			size_t to;
			int err;

			if (!b->constant[i] || m->constant[i] >= 0)
				continue;
			to = constant_index(a, i, b->constant[i]);
			if (pass == 0 && to != i)
				continue;
			if (to >= RSD_CONST_MAX)
				return RSD_ERR_RANGE;
			if (to >= a->nr_constants || !a->constant[to]) {
				err = rsd_trace_set_constant(a, (int)to, b->constant[i]);
				if (err)
					return err;
			}
			m->constant[i] = (int)to;
			m->constants_differ |= to != i;
		}
	}
	return 0;
}

/* Function 'id', just added to 'a', must not share its name with another. */
static bool name_is_new(const struct rsd_trace *a, int id)
{
	for (size_t i = 0; i < a->nr_funcs; i++)
		if (i != (size_t)id && !strcmp(a->func[i].name, a->func[id].name))
			return false;
	return true;
}

static int map_funcs(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b)
{
	m->func = new_ints(b->nr_funcs, -1);
	if (!m->func)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < b->nr_funcs; i++) {
		size_t before = a->nr_funcs;
		int id = rsd_trace_func(a, &b->func[i]);

		if (id < 0)
			return id;
		if (a->nr_funcs > before && !name_is_new(a, id))
			return RSD_ERR_MISMATCH;
		m->func[i] = id;
	}
	return 0;
}

int rsd_merge_map_init(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b)
{
	int err;

	memset(m, 0, sizeof(*m));
	err = map_strings(m, a, b);
	if (!err)
		err = map_constants(m, a, b);
	if (!err)
		err = map_funcs(m, a, b);
	return err;
}

void rsd_merge_map_release(struct rsd_merge_map *m)
{
	free(m->func);
	free(m->sig);
	free(m->place);
	free(m->string);
	free(m->constant);
	memset(m, 0, sizeof(*m));
}

int rsd_merge_map_places(struct rsd_merge_map *m, struct rsd_trace *a, const struct rsd_trace *b)
{
	m->place = new_ints(b->nr_places, -1);
	m->sig = new_ints(b->sigs.nr_sigs, -1);
	if (!m->place || !m->sig)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < b->nr_places; i++) {
		const struct rsd_place *p = &b->place[i];
		int sig = p->sig;

		if (sig >= 0) {
			if (m->sig[sig] < 0)
				m->sig[sig] = rsd_sigs_import(&a->sigs, &b->sigs, sig);
			sig = m->sig[sig];
			if (sig < 0)
				return sig;
		}
		m->place[i] = rsd_trace_place(a, p->thread, m->func[p->func], sig, p->nested);
		if (m->place[i] < 0)
			return m->place[i];
		m->places_differ |= (size_t)m->place[i] != i;
	}
	return 0;
}

int64_t rsd_merge_map_value(const struct rsd_merge_map *m, int64_t v)
{
	int index;

	if (!rsd_is_const(v))
		return v;
	index = rsd_const_index(v);
	return (size_t)index < m->nr_constants && m->constant[index] >= 0
		       ? RSD_CONST(m->constant[index])
		       : v;
}

static int64_t map_string(int64_t v, void *arg)
{
	const struct rsd_merge_map *m = arg;

	return v >= 0 && (uint64_t)v < m->nr_strings ? m->string[v] : v;
}

/*
 * Constants are starts of sections, and the only numbers of a column that lie where
 * constants do: counts are positive, and a stride or shift that large would take
 * two values 2^63 apart.
 */
static int map_column_constants(const struct rsd_merge_map *m, struct rsd_column **c)
{
	size_t nr = rsd_column_nr_numbers(*c);
	int64_t *number = rsd_calloc(nr + 1, sizeof(*number));
	struct rsd_column *to = NULL;
	bool differ = false;

	if (!number)
		return RSD_ERR_NOMEM;
	rsd_column_get_numbers(*c, number);
	for (size_t i = 0; i < nr; i++) {
		int64_t v = rsd_merge_map_value(m, number[i]);

		differ |= v != number[i];
		number[i] = v;
	}
	if (differ) {
		to = rsd_column_with_numbers(*c, number);
		if (to) {
			rsd_column_free(*c);
			*c = to;
		}
	}
	free(number);
	return differ && !to ? RSD_ERR_NOMEM : 0;
}

/* String ids, one per rank, in a column that need not be symbolic. */
static int map_number(const struct rsd_merge_map *m, struct rsd_column **over)
{
	struct rsd_column *to = rsd_column_new(rsd_column_is_symbolic(*over));
	struct rsd_cursor *k = rsd_cursor_new(*over);
	int64_t v;
	int err = to && k ? 0 : RSD_ERR_NOMEM;

	while (!err && !rsd_cursor_next(k, &v))
		err = rsd_column_append(to, rsd_is_const(v) ? v : map_string(v, (void *)m));
	rsd_cursor_free(k);
	if (err) {
		rsd_column_free(to);
		return err;
	}
	rsd_column_free(*over);
	*over = to;
	return 0;
}

static int64_t successor(int64_t v, void *arg)
{
	(void)arg;
	return v + 1;
}

/*
 * Which numbers of a symbolic column are string ids and which are counts? Those
 * that change when every value of the column does.
 */
static int find_ids(const struct rsd_column *c, bool **out)
{
	size_t nr = rsd_column_nr_numbers(c);
	struct rsd_column *next = rsd_column_map(c, successor, NULL);
	int64_t *was = rsd_calloc(nr + 1, sizeof(*was)), *is = rsd_calloc(nr + 1, sizeof(*is));
	bool *id = rsd_calloc(nr + 1, sizeof(*id));
	int err = next && was && is && id ? 0 : RSD_ERR_NOMEM;

	if (!err && rsd_column_nr_numbers(next) != nr)
		err = RSD_ERR_MISMATCH;
	if (!err) {
		rsd_column_get_numbers(c, was);
		rsd_column_get_numbers(next, is);
		for (size_t i = 0; i < nr; i++)
			id[i] = was[i] != is[i];
	}
	rsd_column_free(next);
	free(was);
	free(is);
	if (err) {
		free(id);
		return err;
	}
	*out = id;
	return 0;
}

static int map_variant_strings(const struct rsd_merge_map *m, struct rsd_variant *v)
{
	struct rsd_column *to;
	bool *id = NULL;
	int err = 0;

	if (v->nr_numbers) {
		size_t nr = rsd_column_nr_numbers(v->col);

		err = find_ids(v->col, &id);
		for (size_t i = 0; i < v->nr_numbers && !err; i++)
			if (v->number[i].index < nr && id[v->number[i].index])
				err = map_number(m, &v->number[i].over);
		free(id);
		if (err)
			return err;
	}
	to = rsd_column_map(v->col, map_string, (void *)m);
	if (!to)
		return RSD_ERR_NOMEM;
	rsd_column_free(v->col);
	v->col = to;
	return 0;
}

static int map_variant(const struct rsd_merge_map *m, struct rsd_variant *v, bool strings)
{
	int err = 0;

	if (strings && m->strings_differ)
		err = map_variant_strings(m, v);
	if (!err && m->constants_differ) {
		err = map_column_constants(m, &v->col);
		for (size_t i = 0; i < v->nr_numbers && !err; i++)
			err = map_column_constants(m, &v->number[i].over);
	}
	v->skeleton = 0;
	return err;
}

int rsd_merge_map_params(const struct rsd_merge_map *m, struct rsd_params *p, bool strings)
{
	int err = 0;

	if (!(strings && m->strings_differ) && !m->constants_differ)
		return 0;
	for (int e = 0; e < RSD_NR_ENCODINGS; e++)
		for (size_t i = 0; i < p->enc[e].nr && !err; i++)
			err = map_variant(m, &p->enc[e].variant[i], strings);
	return err;
}

bool rsd_func_column_is_string(const struct rsd_func *f, int col)
{
	for (int i = 0; i < f->nr_params; i++) {
		if (col == 0 && f->param[i].type == RSD_T_STRING)
			return true;
		if (col == 1 && f->param[i].type == RSD_T_STRINGS)
			return true;
		col -= rsd_type_columns(f->param[i].type);
		if (col < 0)
			return false;
	}
	return false;
}

/* Maps one event's values; 'out' has room for them. */
static int map_values(const struct rsd_merge_map *m, const struct rsd_func *f,
	const struct rsd_flat_event *e, int64_t *out)
{
	struct rsd_layout l;
	size_t i = 0;

	rsd_layout_init(&l, f);
	while (rsd_layout_column(&l) >= 0) {
		bool string = l.param < f->nr_params &&
			      ((f->param[l.param].type == RSD_T_STRING && l.sub == 0) ||
				      (f->param[l.param].type == RSD_T_STRINGS && l.sub == 1));
		int64_t v;

		if (i >= e->nr_val)
			return RSD_ERR_FORMAT;
		v = e->val[i];
		if (rsd_layout_step(&l, v))
			return RSD_ERR_FORMAT;
		out[i++] = string && !rsd_is_const(v) ? map_string(v, (void *)m)
						      : rsd_merge_map_value(m, v);
	}
	return i == e->nr_val ? 0 : RSD_ERR_FORMAT;
}

int rsd_merge_map_log(const struct rsd_merge_map *m, const struct rsd_trace *b, struct rsd_buf *log)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	struct rsd_buf out = RSD_BUF_INIT;
	int64_t *val = NULL;
	size_t alloc = 0;
	int err;

	if (!m->places_differ && !m->strings_differ && !m->constants_differ)
		return 0;
	rsd_flat_reader_init(&r, log->data, log->len);
	while (!(err = rsd_flat_next(&r, &e))) {
		if (e.place < 0 || (size_t)e.place >= b->nr_places)
			err = RSD_ERR_FORMAT;
		else
			err = RSD_GROW(val, e.nr_val, alloc);
		if (!err)
			err = map_values(m, &b->func[b->place[e.place].func], &e, val);
		if (err)
			break;
		rsd_flat_put(&out, m->place[e.place], val, e.nr_val, e.before_ns, e.dur_ns);
	}
	if (err == RSD_ERR_END)
		err = out.err;
	rsd_flat_reader_release(&r);
	free(val);
	if (err) {
		rsd_buf_release(&out);
		return err;
	}
	rsd_buf_release(log);
	*log = out;
	return 0;
}
