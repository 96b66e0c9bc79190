/* summary.c - see summary.h */
#include "summary.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_EACH_RANK 256 /* ranks that are told one by one */
#define MAX_COMPARE 65536 /* array elements looked at to see whether all calls had the same */
#define MAX_SECTIONS 4096

/* ---- the entries of a summary: one value, or several by sets of ranks ------------------ */

struct entries {
	const struct rsd_summary *s;
	struct rsd_buf text; /* "ranks": value, ... */
	size_t nr, value_at; /* where the last value begins */
	bool partial;	     /* some ranks have none */
};

static void begin_entry(struct entries *e, const struct rsd_ranks *ranks, int rank)
{
	bool json = e->s->style == RSD_STYLE_JSON;

	if (e->nr++)
		rsd_buf_printf(&e->text, "%s", json ? "," : ", ");
	if (json)
		rsd_buf_put_byte(&e->text, '"');
	if (rank >= 0)
		rsd_format_int(rank, &e->text);
	else
		rsd_ranks_print(ranks, &e->text);
	rsd_buf_printf(&e->text, "%s", json ? "\":" : ": ");
	e->value_at = e->text.len;
}

/* A single value for everyone stands alone. False where there is none at all. */
static bool end_entries(struct entries *e, struct rsd_buf *out)
{
	bool any = e->nr > 0;

	if (e->nr == 1 && !e->partial) {
		rsd_buf_put(out, e->text.data + e->value_at, e->text.len - e->value_at);
	} else if (any) {
		rsd_buf_put_byte(out, '{');
		rsd_buf_put(out, e->text.data, e->text.len);
		rsd_buf_put_byte(out, '}');
	}
	rsd_buf_release(&e->text);
	return any;
}

/* Text that is no single value is a string in JSON. */
static void put_words(const struct rsd_summary *s, const struct rsd_buf *text, struct rsd_buf *out)
{
	if (s->style == RSD_STYLE_JSON)
		rsd_format_string((const char *)text->data, text->len, s->style, out);
	else
		rsd_buf_put(out, text->data, text->len);
}

/* ---- one column ---------------------------------------------------------------------------- */

struct view { /* a variant, or the column of the one rank asked for */
	const struct rsd_ranks *ranks;
	int rank; /* >= 0: only of this rank */
	const struct rsd_column *col;
	struct rsd_column *owned;
	bool relative;
	const struct rsd_number *number;
	size_t nr_numbers;
};

struct meaning { /* how values of a column are shown */
	int role;
	int64_t size; /* of the communicator that relative peers are in; 0: unknown */
};

static void put_expression(int64_t a, int64_t b, struct rsd_buf *out)
{
	if (a == -1)
		rsd_buf_printf(out, "%lld-rank", (long long)b);
	else if (a == 1)
		rsd_buf_printf(out, "rank");
	else
		rsd_buf_printf(out, "%lld*rank", (long long)a);
	if (a != -1 && b > 0)
		rsd_buf_printf(out, "+%lld", (long long)b);
	else if (a != -1 && b < 0)
		rsd_buf_printf(out, "%lld", (long long)b);
}

/* A distance modulo the size is shown as the shorter way round. */
static int64_t signed_distance(const struct meaning *m, int64_t v)
{
	return m->size > 0 && v >= 0 && v < m->size && v > m->size / 2 ? v - m->size : v;
}

static void put_value(const struct rsd_summary *s, const struct meaning *m, bool relative,
	int64_t v, struct rsd_buf *out)
{
	struct rsd_buf text = RSD_BUF_INIT;

	if (v == RSD_ABSENT) {
		rsd_buf_printf(out, "%s", s->style == RSD_STYLE_JSON ? "null" : "-");
	} else if (relative && !rsd_is_const(v)) {
		put_expression(1, signed_distance(m, v), &text);
		put_words(s, &text, out);
	} else {
		rsd_format_value(s->f, m->role, v, s->style, out);
	}
	rsd_buf_release(&text);
}

static bool is_value_start(const char *from, const char *p)
{
	return p == from || p[-1] == '(' || p[-1] == ' ';
}

/*
 * The column's own text, with each value that begins a section in its readable form;
 * strides, shifts and counts stay as they are.
 */
static void put_column_text(const struct rsd_summary *s, const struct meaning *m, bool relative,
	const struct rsd_column *col, struct rsd_buf *out)
{
	struct rsd_buf raw = RSD_BUF_INIT;
	const char *p, *end, *from;

	rsd_column_print(col, &raw);
	rsd_buf_put_byte(&raw, 0);
	if (raw.err)
		goto out;
	from = p = (const char *)raw.data;
	end = from + raw.len - 1;
	if (relative)
		rsd_buf_printf(out, "rank+");
	while (p < end) {
		bool constant = *p == '$';
		char *after;
		long long v;

		if (!is_value_start(from, p) ||
			!(constant || *p == '-' || (*p >= '0' && *p <= '9'))) {
			rsd_buf_put_byte(out, (unsigned char)*p++);
			continue;
		}
		v = strtoll(p + constant, &after, 10);
		if (after == p + constant)
			after++;
		if (constant)
			rsd_format_value(s->f, m->role, RSD_CONST(v), RSD_STYLE_TEXT, out);
		else if (relative)
			rsd_format_int(signed_distance(m, v), out);
		else
			rsd_format_value(s->f, m->role, v, RSD_STYLE_TEXT, out);
		p = after;
	}
out:
	rsd_buf_release(&raw);
}

static void put_column(const struct rsd_summary *s, const struct meaning *m, bool relative,
	const struct rsd_column *col, struct rsd_buf *out)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t v;

	if (rsd_column_is_constant(col, &v)) {
		put_value(s, m, relative, v, out);
		return;
	}
	put_column_text(s, m, relative, col, &text);
	put_words(s, &text, out);
	rsd_buf_release(&text);
}

/* ---- arrays whose length never changes --------------------------------------------------------
 */

/* Are the column's values the same 'n', again and again? Writes them to first[0..n). */
static bool is_periodic(const struct rsd_column *col, uint64_t n, int64_t *first)
{
	uint64_t length = rsd_column_length(col);
	struct rsd_cursor *k;
	bool same = true;
	int64_t v;

	if (length > MAX_COMPARE || n > length || length % n)
		return false;
	k = rsd_cursor_new(col);
	if (!k)
		return false;
	for (uint64_t i = 0; i < length && same; i++) {
		same = rsd_cursor_next(k, &v) == 0;
		if (same && i < n)
			first[i] = v;
		else if (same)
			same = v == first[i % n];
	}
	rsd_cursor_free(k);
	return same;
}

/* An array of constant length 'n' whose elements, over all calls, are in 'col'. */
static void put_array(const struct rsd_summary *s, const struct meaning *m, bool relative,
	const struct rsd_column *col, uint64_t n, struct rsd_buf *out)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t *first = n <= MAX_COMPARE ? rsd_malloc((size_t)n * sizeof(*first)) : NULL;

	if (first && is_periodic(col, n, first)) {
		rsd_buf_put_byte(out, '[');
		for (uint64_t i = 0; i < n; i++) {
			if (i)
				rsd_buf_printf(out, "%s", s->style == RSD_STYLE_JSON ? "," : ", ");
			put_value(s, m, relative, first[i], out);
		}
		rsd_buf_put_byte(out, ']');
	} else {
		rsd_buf_printf(&text, "%llu each: ", (unsigned long long)n);
		put_column_text(s, m, relative, col, &text);
		put_words(s, &text, out);
	}
	free(first);
	rsd_buf_release(&text);
}

/* ---- columns over ranks -------------------------------------------------------------------------
 */

/* One variant after the other; with s->rank just that rank's column. */
struct views {
	const struct rsd_params *params;
	int enc;
	size_t next;
	struct view v;
};

static void begin_views(struct views *w, const struct rsd_params *params)
{
	*w = (struct views){.params = params};
	w->enc = params->enc[RSD_E_ABS].nr ? RSD_E_ABS : RSD_E_REL;
}

static bool next_view(struct views *w, const struct rsd_summary *s)
{
	const struct rsd_variant *x;
	enum rsd_encoding enc;

	rsd_column_free(w->v.owned);
	w->v.owned = NULL;
	if (s->rank >= 0) {
		if (w->next++ || rsd_params_get(w->params, s->rank, &enc, &w->v.owned))
			return false;
		w->v = (struct view){.rank = s->rank,
			.col = w->v.owned,
			.owned = w->v.owned,
			.relative = enc == RSD_E_REL};
		return true;
	}
	if (w->next >= w->params->enc[w->enc].nr)
		return false;
	x = &w->params->enc[w->enc].variant[w->next++];
	w->v = (struct view){.ranks = &x->ranks,
		.rank = -1,
		.col = x->col,
		.relative = w->enc == RSD_E_REL,
		.number = x->number,
		.nr_numbers = x->nr_numbers};
	return true;
}

static void end_views(struct views *w)
{
	rsd_column_free(w->v.owned);
}

static int take_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	int64_t *section = arg;

	if (section[2])
		return 1;
	section[0] = start;
	section[1] = stride;
	section[2] = (int64_t)count;
	return 0;
}

/*
 * Is the variant one value a rank, a*rank + b? So it is where the only number that
 * differs is the value of a constant column, and it advances evenly over evenly spaced ranks.
 */
static bool is_linear(const struct view *w, int64_t *a, int64_t *b)
{
	int64_t number[3] = {0, 0, 0}, section[3] = {0, 0, 0}, v, first, stride = 1;
	size_t nr = rsd_column_nr_numbers(w->col);

	if (w->nr_numbers != 1 || nr > 3 || !rsd_column_is_constant(w->col, &v) ||
		w->ranks->nr != 1 || w->ranks->run[0].nr_dims > 1)
		return false;
	rsd_column_get_numbers(w->col, number);
	if (w->number[0].index != 0 || number[0] != v || rsd_is_const(v))
		return false;
	if (rsd_column_each(w->number[0].over, take_section, section))
		return false;
	first = w->ranks->run[0].first;
	if (w->ranks->run[0].nr_dims)
		stride = w->ranks->run[0].dim[0].stride;
	if (section[1] % stride || rsd_is_const(section[0]))
		return false;
	*a = section[1] / stride;
	*b = (int64_t)((uint64_t)section[0] - (uint64_t)*a * (uint64_t)first);
	return true;
}

/* Shows one column: plain, or (each > 0) as arrays of 'each' elements. */
static void put_plain(const struct rsd_summary *s, const struct meaning *m, bool relative,
	const struct rsd_column *col, int64_t each, struct rsd_buf *out)
{
	if (each > 0)
		put_array(s, m, relative, col, (uint64_t)each, out);
	else
		put_column(s, m, relative, col, out);
}

static void add_rank_by_rank(struct entries *e, const struct meaning *m,
	const struct rsd_params *params, const struct view *w, int64_t each)
{
	size_t told = 0;

	for (int r = rsd_ranks_first(w->ranks); r >= 0; r = rsd_ranks_next(w->ranks, r)) {
		struct rsd_column *col;
		enum rsd_encoding enc;
		struct rsd_buf more = RSD_BUF_INIT;

		if (told++ == MAX_EACH_RANK) {
			begin_entry(e, w->ranks, -1);
			rsd_buf_printf(&more, "likewise");
			put_words(e->s, &more, &e->text);
			rsd_buf_release(&more);
			return;
		}
		if (rsd_params_get(params, r, &enc, &col))
			return;
		begin_entry(e, NULL, r);
		put_plain(e->s, m, enc == RSD_E_REL, col, each, &e->text);
		rsd_column_free(col);
	}
}

static void add_view(struct entries *e, const struct meaning *m, const struct rsd_params *params,
	const struct view *w, int64_t each)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t v, a, b;

	if (!w->nr_numbers && rsd_column_is_constant(w->col, &v) && v == RSD_ABSENT) {
		e->partial = true;
	} else if (!w->nr_numbers) {
		begin_entry(e, w->ranks, w->rank);
		put_plain(e->s, m, w->relative, w->col, each, &e->text);
	} else if (each <= 0 && !w->relative && is_linear(w, &a, &b)) {
		begin_entry(e, w->ranks, w->rank);
		put_expression(a, b, &text);
		put_words(e->s, &text, &e->text);
	} else {
		add_rank_by_rank(e, m, params, w, each);
	}
	rsd_buf_release(&text);
}

/* The summary of one column; in arrays of 'each' where that is above 0. */
static bool put_params(const struct rsd_summary *s, const struct meaning *m,
	const struct rsd_params *params, int64_t each, bool partial, struct rsd_buf *out)
{
	struct entries e = {.s = s, .partial = partial};
	struct views w;

	begin_views(&w, params);
	while (next_view(&w, s))
		add_view(&e, m, params, &w.v, each);
	end_views(&w);
	if (s->rank >= 0)
		e.partial = false;
	return end_entries(&e, out);
}

/* ---- parameters
 * ------------------------------------------------------------------------------------ */

/*
 * The length of an array: 1 and *n where it is the same number wherever there is
 * one (*partial: some ranks have none), 0 where the array is absent, -1 otherwise.
 */
static int array_length(
	const struct rsd_summary *s, const struct rsd_params *params, int64_t *n, bool *partial)
{
	struct views w;
	int found = 0;
	int64_t v;

	*partial = false;
	begin_views(&w, params);
	while (found >= 0 && next_view(&w, s)) {
		if (w.v.nr_numbers || !rsd_column_is_constant(w.v.col, &v))
			found = -1;
		else if (v == RSD_ABSENT)
			*partial = true;
		else if (found && v != *n)
			found = -1;
		else
			found = 1, *n = v;
	}
	end_views(&w);
	return found;
}

static void put_key(const struct rsd_summary *s, const char *key, bool first, struct rsd_buf *out)
{
	bool json = s->style == RSD_STYLE_JSON;

	if (!first)
		rsd_buf_printf(out, "%s", json ? "," : ", ");
	rsd_buf_printf(out, json ? "\"%s\":" : "%s=", key);
}

static bool put_ints(const struct rsd_summary *s, const struct meaning *m,
	const struct rsd_params *col, struct rsd_buf *out)
{
	const struct meaning number = {RSD_R_INT, 0};
	struct rsd_buf values = RSD_BUF_INIT;
	int64_t n;
	bool partial;
	int fixed = array_length(s, &col[0], &n, &partial);

	if (fixed == 0)
		return false;
	if (fixed == 1 && rsd_is_const(n))
		return put_params(s, &number, &col[0], 0, false, out);
	if (fixed == 1 && n > 0)
		return put_params(s, m, &col[1], n, partial, out);
	if (fixed == 1) {
		rsd_buf_printf(out, "[]");
		return true;
	}
	rsd_buf_put_byte(out, '{');
	put_key(s, "n", true, out);
	put_params(s, &number, &col[0], 0, false, out);
	if (put_params(s, m, &col[1], 0, false, &values)) {
		put_key(s, "values", false, out);
		rsd_buf_put(out, values.data, values.len);
	}
	rsd_buf_put_byte(out, '}');
	rsd_buf_release(&values);
	return true;
}

struct kinds {
	unsigned seen;
	size_t sections;
};

static int note_kinds(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	struct kinds *k = arg;

	if (++k->sections > MAX_SECTIONS)
		return 1;
	for (uint64_t i = 0; i < count && i < 4; i++)
		k->seen |= 1u << ((start + (int64_t)i * stride) & 3);
	return 0;
}

/* A bit for each kind of status that occurs; all where that would take long to find out. */
static unsigned status_kinds(const struct rsd_summary *s, const struct rsd_params *params)
{
	struct kinds k = {0, 0};
	struct views w;

	begin_views(&w, params);
	while (next_view(&w, s))
		if (w.v.nr_numbers || rsd_column_each(w.v.col, note_kinds, &k))
			k.seen = 15;
	end_views(&w);
	return k.seen;
}

/* 'kind' and, behind it, source, tag and error. 'n': the lengths of arrays of statuses, or NULL. */
static bool put_statuses(const struct rsd_summary *s, const struct rsd_params *n,
	const struct rsd_params *kind, struct rsd_buf *out)
{
	static const struct {
		const char *name;
		int role;
	} field[] = {
		{"source", RSD_R_PEER},
		{"tag", RSD_R_TAG},
		{"error", RSD_R_ERROR},
	};
	const struct meaning number = {RSD_R_INT, 0};
	unsigned seen = status_kinds(s, kind);
	const char *quote = s->style == RSD_STYLE_JSON ? "\"" : "";
	bool first = true;

	if (!(seen & ~(1u << RSD_STATUS_ABSENT)))
		return false;
	if (!(seen & 1u << RSD_STATUS_KEPT)) {
		rsd_buf_printf(out, "%sMPI_STATUS%s_IGNORE%s", quote, n ? "ES" : "", quote);
		return true;
	}
	rsd_buf_put_byte(out, '{');
	if (n) {
		put_key(s, "n", first, out);
		first = !put_params(s, &number, n, 0, false, out);
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(field); i++) {
		const struct meaning m = {field[i].role, 0};
		struct rsd_buf text = RSD_BUF_INIT;

		if (put_params(s, &m, &kind[1 + i], 0, false, &text)) {
			put_key(s, field[i].name, first, out);
			rsd_buf_put(out, text.data, text.len);
			first = false;
		}
		rsd_buf_release(&text);
	}
	rsd_buf_put_byte(out, '}');
	return true;
}

/* The size of the communicator that parameter 'param' is relative to, if it is one and the same;
 * else 0. */
static int64_t peer_group(const struct rsd_summary *s, const struct rsd_func *fn, int param)
{
	int of = fn->param[param].of, col = 0;
	const struct rsd_object *o;
	int64_t comm, size;
	bool partial;

	if (fn->param[param].role != RSD_R_PEER || of < 0 || of >= fn->nr_params)
		return 0;
	for (int i = 0; i < of; i++)
		col += rsd_type_columns((enum rsd_type)fn->param[i].type);
	if (array_length(s, &s->p->col[col], &comm, &partial) != 1)
		return 0;
	o = rsd_trace_find_object(s->t, RSD_O_COMM, comm);
	if (!o || array_length(s, &o->attr[0], &size, &partial) != 1 || rsd_is_const(size))
		return 0;
	return size;
}

/* All values are 0, or absent: an error column without errors, a buffer without a name. */
static bool is_silent(const struct rsd_summary *s, const struct rsd_params *params)
{
	struct views w;
	bool silent = true;
	int64_t v;

	begin_views(&w, params);
	while (silent && next_view(&w, s))
		silent = !w.v.nr_numbers && rsd_column_is_constant(w.v.col, &v) &&
			 (v == 0 || v == RSD_ABSENT);
	end_views(&w);
	return silent;
}

bool rsd_summary_param(const struct rsd_summary *s, int param, struct rsd_buf *out)
{
	const struct rsd_func *fn = &s->t->func[s->p->func];
	const struct rsd_params *col = s->p->col;
	struct meaning m = {RSD_R_ERROR, 0};

	for (int i = 0; i < param; i++)
		col += rsd_type_columns((enum rsd_type)fn->param[i].type);
	if (param == fn->nr_params)
		return !is_silent(s, col) && put_params(s, &m, col, 0, false, out);
	m = (struct meaning){fn->param[param].role, peer_group(s, fn, param)};
	switch ((enum rsd_type)fn->param[param].type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		if (m.role == RSD_R_BUFFER && is_silent(s, col))
			return false;
		return put_params(s, &m, col, 0, false, out);
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		return put_ints(s, &m, col, out);
	case RSD_T_STATUS:
		return put_statuses(s, NULL, col, out);
	case RSD_T_STATUSES:
		return put_statuses(s, &col[0], &col[1], out);
	case RSD_NR_TYPES:
		break;
	}
	return false;
}

void rsd_summary_count(
	const struct rsd_summary *s, const struct rsd_params *count, struct rsd_buf *out)
{
	const struct meaning m = {RSD_R_INT, 0};
	struct rsd_summary text = *s;
	struct rsd_buf words = RSD_BUF_INIT;
	int64_t n;
	bool partial;

	text.style = RSD_STYLE_TEXT;
	if (array_length(s, count, &n, &partial) == 1)
		rsd_format_int(n, out);
	else if (put_params(&text, &m, count, 0, false, &words))
		put_words(s, &words, out);
	else
		rsd_format_int(0, out);
	rsd_buf_release(&words);
}
