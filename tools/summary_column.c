/* summary_column.c - see summary_column.h */
#include "summary_column.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_COMPARE 65536 /* array elements looked at to see whether all calls had the same */
#define MAX_TEXT 80	  /* bytes of a column's text that people are shown, unless they ask */

void rsd_summary_words(const struct rsd_summary *s, const struct rsd_buf *text, struct rsd_buf *out)
{
	if (s->style == RSD_STYLE_JSON)
		rsd_format_string((const char *)text->data, text->len, s->style, out);
	else
		rsd_buf_put(out, text->data, text->len);
}

void rsd_summary_expression(int64_t a, int64_t b, struct rsd_buf *out)
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
static int64_t signed_distance(const struct rsd_meaning *m, int64_t v)
{
	return m->size > 0 && v >= 0 && v < m->size && v > m->size / 2 ? v - m->size : v;
}

static void put_value(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	int64_t v, struct rsd_buf *out)
{
	struct rsd_buf text = RSD_BUF_INIT;

	if (v == RSD_ABSENT) {
		rsd_buf_printf(out, "%s", s->style == RSD_STYLE_JSON ? "null" : "-");
	} else if (relative && !rsd_is_const(v)) {
		rsd_summary_expression(1, signed_distance(m, v), &text);
		rsd_summary_words(s, &text, out);
	} else {
		rsd_format_value(s->f, m->role, v, s->style, out);
	}
	rsd_buf_release(&text);
}

static bool is_value_start(const char *from, const char *p)
{
	return p == from || p[-1] == '(' || p[-1] == ' ';
}

/* "rank+" before the whole, but "rank" before each value where there are names, too, that it does not apply to. */
static void put_distance(
	const struct rsd_meaning *m, int64_t v, bool each_value, struct rsd_buf *out)
{
	v = signed_distance(m, v);
	if (each_value)
		rsd_buf_printf(out, v < 0 ? "rank" : "rank+");
	rsd_buf_put_decimal(out, v);
}

/*
 * The column's own text, with each value that begins a section in its readable form;
 * strides and shifts stay as they are. Counts stand apart: "0x13" would be read as a hexadecimal number.
 */
static void put_whole_text(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	const struct rsd_column *col, struct rsd_buf *out)
{
	struct rsd_buf raw = RSD_BUF_INIT;
	const char *p, *end, *from;
	bool names;

	rsd_column_print(col, &raw);
	rsd_buf_put_byte(&raw, 0);
	if (raw.err)
		goto out;
	from = p = (const char *)raw.data;
	end = from + raw.len - 1;
	names = strchr(from, 'c') != NULL;
	if (relative && !names)
		rsd_buf_printf(out, "rank+");
	while (p < end) {
		bool constant = *p == 'c';
		char *after;
		long long v;

		if (*p == 'x')
			rsd_buf_put_byte(out, ' ');
		if (!is_value_start(from, p) ||
			!(constant || *p == '-' || (*p >= '0' && *p <= '9'))) {
			rsd_buf_put_byte(out, (unsigned char)*p++);
			continue;
		}
		v = strtoll(p + constant, &after, 10);
		if (after == p + constant)
			after++;
		if (constant && RSD_CONST(v) == RSD_ABSENT)
			rsd_buf_put_byte(out, '-');
		else if (constant)
			rsd_format_value(s->f, m->role, RSD_CONST(v), RSD_STYLE_TEXT, out);
		else if (relative)
			put_distance(m, v, names, out);
		else
			rsd_format_value(s->f, m->role, v, RSD_STYLE_TEXT, out);
		p = after;
	}
out:
	rsd_buf_release(&raw);
}

/* People are spared the rest of a long text. */
static void put_column_text(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	const struct rsd_column *col, struct rsd_buf *out)
{
	size_t from = out->len;

	put_whole_text(s, m, relative, col, out);
	if (s->style == RSD_STYLE_JSON || s->full || out->err || out->len - from <= MAX_TEXT)
		return;
	out->len = from + MAX_TEXT;
	while (out->len > from && out->data[out->len - 1] != ' ')
		out->len--;
	rsd_buf_printf(out, "... (%llu values)", (unsigned long long)rsd_column_length(col));
}

static void put_column(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	const struct rsd_column *col, struct rsd_buf *out)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t v;

	if (rsd_column_is_constant(col, &v)) {
		put_value(s, m, relative, v, out);
		return;
	}
	put_column_text(s, m, relative, col, &text);
	rsd_summary_words(s, &text, out);
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
static void put_array(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
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
		rsd_summary_words(s, &text, out);
	}
	free(first);
	rsd_buf_release(&text);
}

/* Shows one column: plain, or (each > 0) as arrays of 'each' elements. */
void rsd_summary_column(const struct rsd_summary *s, const struct rsd_meaning *m, bool relative,
	const struct rsd_column *col, int64_t each, struct rsd_buf *out)
{
	if (each > 0)
		put_array(s, m, relative, col, (uint64_t)each, out);
	else
		put_column(s, m, relative, col, out);
}
