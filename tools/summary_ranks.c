/* summary_ranks.c - see summary_ranks.h */
#include "summary_ranks.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_EACH_RANK 256 /* ranks that are told one by one */
#define MAX_ENTRIES 8	  /* sets of ranks that people are shown, unless they ask */
#define MAX_SEARCH 64	  /* entries looked through for one that says the same */

/* ---- views ------------------------------------------------------------------------------- */

void rsd_views_begin(
	struct rsd_views *w, const struct rsd_summary *s, const struct rsd_params *params)
{
	*w = (struct rsd_views){ .s = s, .params = params };
	w->enc = params->enc[RSD_E_ABS].nr ? RSD_E_ABS : RSD_E_REL;
}

void rsd_views_end(struct rsd_views *w)
{
	rsd_ranks_release(&w->v.shown);
	rsd_column_free(w->owned);
	w->owned = NULL;
}

/* What a constant column says when its number 'index' is another one: still 'v' if that is how
 * often. */
static bool probe(const struct rsd_column *col, uint32_t index, int64_t *v)
{
	size_t nr = rsd_column_nr_numbers(col);
	int64_t number[4];
	struct rsd_column *other;
	bool constant;

	if (nr > RSD_ARRAY_SIZE(number) || index >= nr)
		return false;
	rsd_column_get_numbers(col, number);
	number[index] = (int64_t)((uint64_t)number[index] + 1);
	other = rsd_column_with_numbers(col, number);
	if (!other)
		return false;
	constant = rsd_column_is_constant(other, v);
	rsd_column_free(other);
	return constant;
}

/* The number that is the value of a constant column. */
static bool is_value_number(const struct rsd_column *col, uint32_t index)
{
	int64_t v, u;

	return rsd_column_is_constant(col, &v) && !rsd_is_const(v) && probe(col, index, &u) &&
	       (uint64_t)u == (uint64_t)v + 1;
}

static bool is_same_for_all(const struct rsd_variant *x)
{
	int64_t v, u;

	if (!x->nr_numbers)
		return true;
	return x->nr_numbers == 1 && rsd_column_is_constant(x->col, &v) &&
	       probe(x->col, x->number[0].index, &u) && u == v;
}

static bool next_of_one_rank(struct rsd_views *w)
{
	enum rsd_encoding enc;

	if (w->next++ || rsd_params_get(w->params, w->s->rank, &enc, &w->owned))
		return false;
	w->v = (struct rsd_view){ .col = w->owned, .relative = enc == RSD_E_REL, .same = true };
	w->err = rsd_ranks_append(&w->v.shown, w->s->rank);
	return !w->err;
}

bool rsd_views_next(struct rsd_views *w)
{
	rsd_views_end(w);
	if (w->s->rank >= 0)
		return next_of_one_rank(w);
	while (!w->err && w->next < w->params->enc[w->enc].nr) {
		const struct rsd_variant *x = &w->params->enc[w->enc].variant[w->next++];

		w->v = (struct rsd_view){ .variant = x,
			.col = x->col,
			.relative = w->enc == RSD_E_REL,
			.same = is_same_for_all(x) };
		if (w->s->among)
			w->err = rsd_ranks_intersect(&w->v.shown, &x->ranks, w->s->among);
		else
			w->err = rsd_ranks_copy(&w->v.shown, &x->ranks);
		if (!w->err && !rsd_ranks_is_empty(&w->v.shown))
			return true;
		rsd_ranks_release(&w->v.shown);
	}
	return false;
}

/* ---- entries: one value, or several by sets of ranks ---------------------------------------- */

struct entry {
	struct rsd_ranks ranks;
	struct rsd_buf text;
};

struct entries {
	const struct rsd_summary *s;
	struct entry *entry;
	size_t nr, alloc;
	bool partial; /* some ranks have none */
	int err;
};

/* The text for these ranks; those that say the same are told together. Takes 'text'. */
static void add_entry(struct entries *e, const struct rsd_ranks *ranks, struct rsd_buf *text)
{
	for (size_t i = 0; i < e->nr && i < MAX_SEARCH; i++) {
		struct entry *x = &e->entry[i];

		if (x->text.len != text->len || memcmp(x->text.data, text->data, text->len))
			continue;
		if (rsd_ranks_add(&x->ranks, ranks))
			break;
		rsd_buf_release(text);
		return;
	}
	e->err = RSD_GROW(e->entry, e->nr + 1, e->alloc);
	if (e->err) {
		rsd_buf_release(text);
		return;
	}
	e->entry[e->nr] = (struct entry){ RSD_RANKS_INIT, *text };
	e->err = rsd_ranks_copy(&e->entry[e->nr++].ranks, ranks);
}

static void put_entries(const struct entries *e, struct rsd_buf *out)
{
	bool json = e->s->style == RSD_STYLE_JSON;
	size_t shown = json || e->s->full || e->nr <= MAX_ENTRIES ? e->nr : MAX_ENTRIES;

	rsd_buf_put_byte(out, '{');
	for (size_t i = 0; i < shown; i++) {
		if (i)
			rsd_buf_printf(out, "%s", json ? "," : ", ");
		if (json)
			rsd_buf_put_byte(out, '"');
		rsd_ranks_print(&e->entry[i].ranks, out);
		rsd_buf_printf(out, "%s", json ? "\":" : ": ");
		rsd_buf_put(out, e->entry[i].text.data, e->entry[i].text.len);
	}
	if (shown < e->nr)
		rsd_buf_printf(out, ", ... %zu more", e->nr - shown);
	rsd_buf_put_byte(out, '}');
}

/* A single value for everyone stands alone. False where there is none at all. */
static bool end_entries(struct entries *e, struct rsd_buf *out)
{
	bool any = e->nr > 0;

	if (e->err)
		out->err = e->err;
	else if (e->nr == 1 && !e->partial)
		rsd_buf_put(out, e->entry[0].text.data, e->entry[0].text.len);
	else if (any)
		put_entries(e, out);
	for (size_t i = 0; i < e->nr; i++) {
		rsd_ranks_release(&e->entry[i].ranks);
		rsd_buf_release(&e->entry[i].text);
	}
	free(e->entry);
	return any;
}

/* ---- columns over ranks -----------------------------------------------------------------------
 */

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
static bool is_linear(const struct rsd_variant *x, int64_t *a, int64_t *b)
{
	int64_t section[3] = { 0, 0, 0 }, stride = 1;

	if (x->nr_numbers != 1 || x->ranks.nr != 1 || x->ranks.run[0].nr_dims > 1 ||
		!is_value_number(x->col, x->number[0].index))
		return false;
	if (rsd_column_each(x->number[0].over, take_section, section) || rsd_is_const(section[0]))
		return false;
	if (x->ranks.run[0].nr_dims)
		stride = x->ranks.run[0].dim[0].stride;
	if (section[1] % stride)
		return false;
	*a = section[1] / stride;
	*b = (int64_t)((uint64_t)section[0] - (uint64_t)*a * (uint64_t)x->ranks.run[0].first);
	return true;
}

/* Ranks whose columns have nothing in common but their shape. */
static void add_rank_by_rank(struct entries *e, const struct rsd_meaning *m,
	const struct rsd_params *params, const struct rsd_view *w, int64_t each)
{
	size_t told = 0;

	for (int r = rsd_ranks_first(&w->shown); r >= 0 && !e->err;
		r = rsd_ranks_next(&w->shown, r)) {
		struct rsd_ranks one = RSD_RANKS_INIT;
		struct rsd_buf text = RSD_BUF_INIT, likewise = RSD_BUF_INIT;
		struct rsd_column *col;
		enum rsd_encoding enc;

		if (told++ == MAX_EACH_RANK) {
			rsd_buf_printf(&likewise, "and so on, for each rank");
			rsd_summary_words(e->s, &likewise, &text);
			rsd_buf_release(&likewise);
			add_entry(e, &w->shown, &text);
			return;
		}
		e->err = rsd_params_get(params, r, &enc, &col);
		if (e->err)
			return;
		rsd_summary_column(e->s, m, enc == RSD_E_REL, col, each, &text);
		rsd_column_free(col);
		e->err = rsd_ranks_append(&one, r);
		if (!e->err)
			add_entry(e, &one, &text);
		else
			rsd_buf_release(&text);
		rsd_ranks_release(&one);
	}
}

static void add_view(struct entries *e, const struct rsd_meaning *m,
	const struct rsd_params *params, const struct rsd_view *w, int64_t each)
{
	struct rsd_buf words = RSD_BUF_INIT, text = RSD_BUF_INIT;
	int64_t v, a, b;

	if (w->same && rsd_column_is_constant(w->col, &v) && v == RSD_ABSENT) {
		e->partial = true;
	} else if (w->same) {
		rsd_summary_column(e->s, m, w->relative, w->col, each, &text);
		add_entry(e, &w->shown, &text);
	} else if (each <= 0 && !w->relative && is_linear(w->variant, &a, &b)) {
		rsd_summary_expression(a, b, &words);
		rsd_summary_words(e->s, &words, &text);
		rsd_buf_release(&words);
		add_entry(e, &w->shown, &text);
	} else {
		add_rank_by_rank(e, m, params, w, each);
	}
}

/* A single rank's peers are ranks, and not distances, where its own is known. */
static void make_absolute(struct rsd_views *w, const struct rsd_meaning *m)
{
	struct rsd_column *absolute;

	if (!w->owned || !w->v.relative || m->own < 0 || m->size <= 0)
		return;
	absolute = rsd_column_relative(w->owned, -m->own, m->size);
	if (!absolute)
		return;
	rsd_column_free(w->owned);
	w->owned = absolute;
	w->v.col = absolute;
	w->v.relative = false;
}

bool rsd_summary_params(const struct rsd_summary *s, const struct rsd_meaning *m,
	const struct rsd_params *params, int64_t each, bool partial, struct rsd_buf *out)
{
	struct entries e = { .s = s, .partial = partial };
	struct rsd_views w;

	rsd_views_begin(&w, s, params);
	while (!e.err && rsd_views_next(&w)) {
		make_absolute(&w, m);
		add_view(&e, m, params, &w.v, each);
	}
	rsd_views_end(&w);
	if (w.err)
		e.err = w.err;
	if (s->rank >= 0)
		e.partial = false;
	return end_entries(&e, out);
}

int rsd_summary_shared(
	const struct rsd_summary *s, const struct rsd_params *params, int64_t *v, bool *partial)
{
	struct rsd_views w;
	int found = 0;
	int64_t u;

	*partial = false;
	rsd_views_begin(&w, s, params);
	while (found >= 0 && rsd_views_next(&w)) {
		if (!w.v.same || !rsd_column_is_constant(w.v.col, &u))
			found = -1;
		else if (u == RSD_ABSENT)
			*partial = true;
		else if (found && u != *v)
			found = -1;
		else
			found = 1, *v = u;
	}
	rsd_views_end(&w);
	return found;
}
