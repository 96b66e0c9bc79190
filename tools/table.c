/* table.c - see table.h */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "scan.h"
#include "util.h"

void rsd_table_init(struct rsd_table *t, const struct rsd_table_column *column, size_t nr_columns)
{
	*t = (struct rsd_table){ .column = column, .nr_columns = nr_columns };
}

void rsd_table_release(struct rsd_table *t)
{
	rsd_buf_release(&t->text);
	free(t->cell);
}

void rsd_table_cell(struct rsd_table *t, const char *fmt, ...)
{
	char small[256], *text = small;
	va_list ap;
	int len;

	if (t->err)
		return;
	t->err = RSD_GROW(t->cell, t->nr_cells + 1, t->alloc_cells);
	if (t->err)
		return;
	va_start(ap, fmt);
	len = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (len >= (int)sizeof(small)) {
		text = rsd_malloc((size_t)len + 1);
		if (!text) {
			t->err = RSD_ERR_NOMEM;
			return;
		}
		va_start(ap, fmt);
		vsnprintf(text, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	t->cell[t->nr_cells++] = t->text.len;
	rsd_buf_put(&t->text, text, (size_t)len + 1);
	if (text != small)
		free(text);
	if (t->text.err)
		t->err = RSD_ERR_NOMEM;
}

static const char *cell(const struct rsd_table *t, size_t row, size_t col)
{
	return (const char *)t->text.data + t->cell[row * t->nr_columns + col];
}

static void put(struct rsd_out *out, const char *s)
{
	rsd_buf_put(&out->buf, s, strlen(s));
}

/* ---- aligned ------------------------------------------------------------------------- */

static size_t shown_width(const char *s)
{
	struct rsd_buf b = RSD_BUF_INIT;
	size_t len;

	rsd_scan_put_shown(&b, s);
	len = b.len;
	rsd_buf_release(&b);
	return len;
}

static void put_aligned(struct rsd_out *out, const char *s, size_t width, bool right, bool last)
{
	size_t len = shown_width(s);

	for (size_t i = len; right && i < width; i++)
		put(out, " ");
	rsd_scan_put_shown(&out->buf, s);
	for (size_t i = len; !right && !last && i < width; i++)
		put(out, " ");
	put(out, last ? "\n" : "  ");
}

static bool print_aligned(const struct rsd_table *t, size_t nr_rows, struct rsd_out *out)
{
	size_t *width = rsd_calloc(t->nr_columns, sizeof(*width));

	if (!width)
		return false;
	for (size_t c = 0; c < t->nr_columns; c++) {
		width[c] = strlen(t->column[c].name);
		for (size_t r = 0; r < nr_rows; r++)
			if (shown_width(cell(t, r, c)) > width[c])
				width[c] = shown_width(cell(t, r, c));
	}
	put(out, t->color ? "\033[1m" : "");
	for (size_t c = 0; c < t->nr_columns; c++)
		put_aligned(out, t->column[c].name, width[c], t->column[c].number,
			c + 1 == t->nr_columns);
	put(out, t->color ? "\033[0m" : "");
	for (size_t r = 0; r < nr_rows && rsd_out_more(out); r++)
		for (size_t c = 0; c < t->nr_columns; c++)
			put_aligned(out, *cell(t, r, c) ? cell(t, r, c) : "-", width[c],
				t->column[c].number, c + 1 == t->nr_columns);
	free(width);
	return true;
}

/* ---- tsv ------------------------------------------------------------------------------ */

/*
 * Backslashes double and other special characters are escaped by one, so that a row is a line, and
 * what it holds can be told.
 */
static void put_tsv(struct rsd_out *out, const char *s)
{
	struct rsd_buf b = RSD_BUF_INIT;

	for (; *s; s++) {
		if (*s == '\\')
			rsd_buf_put_byte(&b, '\\');
		rsd_buf_put_byte(&b, (unsigned char)*s);
	}
	rsd_buf_put_byte(&b, 0);
	if (b.err)
		out->buf.err = b.err;
	else
		rsd_scan_put_shown(&out->buf, (char *)b.data);
	rsd_buf_release(&b);
}

static void print_tsv(const struct rsd_table *t, size_t nr_rows, struct rsd_out *out)
{
	for (size_t c = 0; c < t->nr_columns; c++) {
		put(out, c ? "\t" : "");
		put(out, t->column[c].name);
	}
	put(out, "\n");
	for (size_t r = 0; r < nr_rows && rsd_out_more(out); r++) {
		for (size_t c = 0; c < t->nr_columns; c++) {
			put(out, c ? "\t" : "");
			put_tsv(out, cell(t, r, c));
		}
		put(out, "\n");
	}
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void put_json(const struct rsd_table *t, size_t row, size_t c, struct rsd_out *out)
{
	const char *s = cell(t, row, c);

	rsd_buf_printf(&out->buf, "%s\"%s\":", c ? "," : "", t->column[c].name);
	if (!*s)
		put(out, "null");
	else if (t->column[c].number)
		put(out, s);
	else
		rsd_format_string(s, strlen(s), RSD_STYLE_JSON, &out->buf);
}

static void print_json(const struct rsd_table *t, size_t nr_rows, struct rsd_out *out)
{
	put(out, "[");
	for (size_t r = 0; r < nr_rows && rsd_out_more(out); r++) {
		put(out, r ? ",\n{" : "{");
		for (size_t c = 0; c < t->nr_columns; c++)
			put_json(t, r, c, out);
		put(out, "}");
	}
	put(out, "]\n");
}

bool rsd_table_print(const struct rsd_table *t, enum rsd_table_format format, struct rsd_out *out)
{
	size_t nr_rows = t->nr_cells / t->nr_columns;
	bool ok = !t->err;

	if (ok && format == RSD_TABLE_ALIGNED)
		ok = print_aligned(t, nr_rows, out);
	else if (ok && format == RSD_TABLE_TSV)
		print_tsv(t, nr_rows, out);
	else if (ok)
		print_json(t, nr_rows, out);
	if (!ok)
		rsd_tool_error("out of memory");
	return ok && rsd_out_more(out);
}

bool rsd_table_parse_format(const char *s, enum rsd_table_format *out)
{
	static const char *const name[] = {
		[RSD_TABLE_ALIGNED] = "table",
		[RSD_TABLE_TSV] = "tsv",
		[RSD_TABLE_JSON] = "json",
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(name); i++) {
		if (strcmp(name[i], s) == 0) {
			*out = (enum rsd_table_format)i;
			return true;
		}
	}
	rsd_tool_error("--format '%s': not table, tsv or json", s);
	return false;
}
