/* summary.c - see summary.h: what the parameters of a place say */
#include "summary_ranks.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_SECTIONS 4096

static void put_key(const struct rsd_summary *s, const char *key, bool first, struct rsd_buf *out)
{
	bool json = s->style == RSD_STYLE_JSON;

	if (!first)
		rsd_buf_printf(out, "%s", json ? "," : ", ");
	rsd_buf_printf(out, json ? "\"%s\":" : "%s=", key);
}

static bool put_ints(const struct rsd_summary *s, const struct rsd_meaning *m,
	const struct rsd_params *col, struct rsd_buf *out)
{
	const struct rsd_meaning number = { RSD_R_INT, 0, -1 };
	struct rsd_buf values = RSD_BUF_INIT;
	int64_t n;
	bool partial;
	int fixed = rsd_summary_shared(s, &col[0], &n, &partial);

	if (fixed == 0)
		return false;
	if (fixed == 1 && rsd_is_const(n))
		return rsd_summary_params(s, &number, &col[0], 0, false, out);
	if (fixed == 1 && n > 0)
		return rsd_summary_params(s, m, &col[1], n, partial, out);
	if (fixed == 1) {
		rsd_buf_printf(out, "[]");
		return true;
	}
	rsd_buf_put_byte(out, '{');
	put_key(s, "n", true, out);
	rsd_summary_params(s, &number, &col[0], 0, false, out);
	if (rsd_summary_params(s, m, &col[1], 0, false, &values)) {
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
	struct kinds k = { 0, 0 };
	struct rsd_views w;

	rsd_views_begin(&w, s, params);
	while (rsd_views_next(&w))
		if (!w.v.same || rsd_column_each(w.v.col, note_kinds, &k))
			k.seen = 15;
	rsd_views_end(&w);
	return k.seen;
}

/* How to show values of parameter 'param': with the communicator that its peers are relative to, if it is one
 * and the same. */
static struct rsd_meaning meaning_of(
	const struct rsd_summary *s, const struct rsd_func *fn, int param)
{
	struct rsd_meaning m = { fn->param[param].role, 0, -1 };
	int of = fn->param[param].of;
	const struct rsd_object *o;
	int64_t comm, size, own;
	bool partial;

	if ((m.role != RSD_R_PEER && m.role != RSD_R_STATUS) || of < 0 || of >= fn->nr_params)
		return m;
	if (rsd_summary_shared(s, &s->p->col[rsd_func_first_column(fn, of)], &comm, &partial) != 1)
		return m;
	o = rsd_trace_find_object(s->t, RSD_O_COMM, comm);
	if (!o || rsd_summary_shared(s, &o->attr[0], &size, &partial) != 1 || rsd_is_const(size))
		return m;
	m.size = size;
	if (s->rank >= 0 && rsd_summary_shared(s, &o->attr[1], &own, &partial) == 1 &&
		!rsd_is_const(own))
		m.own = own;
	return m;
}

/* 'kind' and, behind it, source, tag and error. 'n': the lengths of arrays of statuses, or NULL. */
static bool put_statuses(const struct rsd_summary *s, const struct rsd_meaning *of,
	const struct rsd_params *n, const struct rsd_params *kind, struct rsd_buf *out)
{
	static const struct {
		const char *name;
		int role;
	} field[] = {
		{ "source", RSD_R_PEER },
		{ "tag", RSD_R_TAG },
		{ "error", RSD_R_ERROR },
	};
	const struct rsd_meaning number = { RSD_R_INT, 0, -1 };
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
		first = !rsd_summary_params(s, &number, n, 0, false, out);
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(field); i++) {
		const struct rsd_meaning m = { field[i].role, of->size, of->own };
		struct rsd_buf text = RSD_BUF_INIT;

		if (rsd_summary_params(s, &m, &kind[1 + i], 0, false, &text)) {
			put_key(s, field[i].name, first, out);
			rsd_buf_put(out, text.data, text.len);
			first = false;
		}
		rsd_buf_release(&text);
	}
	rsd_buf_put_byte(out, '}');
	return true;
}

/* All values are 0, or absent: an error column without errors, a buffer without a name. */
static bool is_silent(const struct rsd_summary *s, const struct rsd_params *params)
{
	struct rsd_views w;
	bool silent = true;
	int64_t v;

	rsd_views_begin(&w, s, params);
	while (silent && rsd_views_next(&w))
		silent = w.v.same && rsd_column_is_constant(w.v.col, &v) &&
			 (v == 0 || v == RSD_ABSENT);
	rsd_views_end(&w);
	return silent;
}

bool rsd_summary_param(const struct rsd_summary *s, int param, struct rsd_buf *out)
{
	const struct rsd_func *fn = &s->t->func[s->p->func];
	const struct rsd_params *col = s->p->col + rsd_func_first_column(fn, param);
	struct rsd_meaning m = { RSD_R_ERROR, 0, -1 };

	if (param == fn->nr_params)
		return !is_silent(s, col) && rsd_summary_params(s, &m, col, 0, false, out);
	m = meaning_of(s, fn, param);
	switch ((enum rsd_type)fn->param[param].type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		if (m.role == RSD_R_BUFFER && is_silent(s, col))
			return false;
		return rsd_summary_params(s, &m, col, 0, false, out);
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		return put_ints(s, &m, col, out);
	case RSD_T_STATUS:
		return put_statuses(s, &m, NULL, col, out);
	case RSD_T_STATUSES:
		return put_statuses(s, &m, &col[0], &col[1], out);
	case RSD_NR_TYPES:
		break;
	}
	return false;
}

void rsd_summary_count(
	const struct rsd_summary *s, const struct rsd_params *count, struct rsd_buf *out)
{
	const struct rsd_meaning m = { RSD_R_INT, 0, -1 };
	struct rsd_summary text = *s;
	struct rsd_buf words = RSD_BUF_INIT;
	int64_t n;
	bool partial;

	text.style = RSD_STYLE_TEXT;
	if (rsd_summary_shared(s, count, &n, &partial) == 1 && !rsd_is_const(n))
		rsd_buf_put_decimal(out, n);
	else if (rsd_summary_params(&text, &m, count, 0, false, &words))
		rsd_summary_words(s, &words, out);
	else
		rsd_buf_put_decimal(out, 0);
	rsd_buf_release(&words);
}
