/*
 * csv.c - one event a row: rank, thread, time, function, every argument
 *
 * In the order of time. The arguments of all functions have a column each, arg_NAME, which is empty where a function has no such. RFC
 * 4180, UTF-8.
 */
#include <stdlib.h>
#include <string.h>
#include "export.h"
#include "sink.h"
#include "timeline.h"
#include "util.h"

struct csv {
	const struct rsd_export *x;
	struct rsd_sink *sink;
	struct rsd_buf row, cell;
	const char **name; /* of the columns for arguments */
	size_t nr, alloc;
	int **column;		    /* by function and parameter */
	size_t *cell_at, *cell_len; /* of this row, by column */
	const char *estimated;	    /* what the column 'time' says of times that were not kept */
};

static void put(struct rsd_buf *b, const char *s)
{
	rsd_buf_put(b, s, strlen(s));
}

/* Quoted where it has to be. */
static void put_cell(struct rsd_buf *out, const char *s, size_t len)
{
	bool plain = true;

	for (size_t i = 0; i < len; i++)
		plain &= s[i] != ',' && s[i] != '"' && s[i] != '\n' && s[i] != '\r';
	if (plain) {
		rsd_buf_put(out, s, len);
		return;
	}
	rsd_buf_put_byte(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			rsd_buf_put_byte(out, '"');
		rsd_buf_put_byte(out, (unsigned char)s[i]);
	}
	rsd_buf_put_byte(out, '"');
}

static int column_of(struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (strcmp(c->name[i], name) == 0)
			return (int)i;
	if (RSD_GROW(c->name, c->nr + 1, c->alloc))
		return -1;
	c->name[c->nr] = name;
	return (int)c->nr++;
}

static bool find_columns(struct csv *c)
{
	const struct rsd_trace *t = c->x->t;

	c->column = rsd_calloc(t->nr_funcs + 1, sizeof(*c->column));
	for (size_t i = 0; c->column && i < t->nr_funcs; i++) {
		c->column[i] = rsd_calloc((size_t)t->func[i].nr_params + 1, sizeof(int));
		for (int k = 0; k < t->func[i].nr_params; k++)
			if (!c->column[i] ||
				(c->column[i][k] = column_of(c, t->func[i].param[k].name)) < 0)
				return false;
	}
	c->cell_at = rsd_calloc(c->nr + 1, sizeof(*c->cell_at));
	c->cell_len = rsd_calloc(c->nr + 1, sizeof(*c->cell_len));
	return c->column && c->cell_at && c->cell_len;
}

static void put_header(struct csv *c)
{
	put(&c->row, "rank,thread,begin,duration,time,function,site,nested,error");
	for (size_t i = 0; i < c->nr; i++) {
		put(&c->row, ",arg_");
		put(&c->row, c->name[i]);
	}
	put(&c->row, "\r\n");
}

static void put_args(struct csv *c, const struct rsd_moment *m)
{
	const struct rsd_event *e = m->event;
	const struct rsd_func *f = &c->x->t->func[e->func];

	memset(c->cell_len, 0, c->nr * sizeof(*c->cell_len));
	rsd_buf_reset(&c->cell);
	for (int i = 0; i < f->nr_params; i++) {
		int at = c->column[e->func][i];

		c->cell_at[at] = c->cell.len;
		rsd_format_param(c->x->format, e, i, m->values->at[i], RSD_STYLE_TEXT, &c->cell);
		c->cell_len[at] = c->cell.len - c->cell_at[at];
	}
}

static void put_site(struct csv *c, int sig)
{
	struct rsd_buf site = RSD_BUF_INIT;

	if (sig >= 0 && rsd_format_site(c->x->format, sig, RSD_STYLE_TEXT, &site))
		put_cell(&c->row, (const char *)site.data, site.len);
	rsd_buf_release(&site);
}

static int put_event(struct csv *c, const struct rsd_moment *m)
{
	const struct rsd_event *e = m->event;
	int64_t error = e->val[e->nr_val - 1];

	put_args(c, m);
	rsd_buf_put_decimal(&c->row, e->rank);
	rsd_buf_put_byte(&c->row, ',');
	rsd_buf_put_decimal(&c->row, rsd_thread_number(e->thread));
	rsd_buf_put_byte(&c->row, ',');
	rsd_buf_put_seconds(&c->row, (uint64_t)m->begin_ns);
	rsd_buf_put_byte(&c->row, ',');
	rsd_buf_put_seconds(&c->row, (uint64_t)(m->end_ns - m->begin_ns));
	put(&c->row, e->has_time ? ",kept" : c->estimated);
	rsd_buf_printf(&c->row, ",%s,", c->x->t->func[e->func].name);
	put_site(c, e->sig);
	rsd_buf_printf(&c->row, ",%d,", e->nested);
	if (error != 0 && error != RSD_ABSENT)
		rsd_format_value(c->x->format, RSD_R_ERROR, error, RSD_STYLE_TEXT, &c->row);
	for (size_t i = 0; i < c->nr; i++) {
		rsd_buf_put_byte(&c->row, ',');
		if (c->cell_len[i])
			put_cell(&c->row, (const char *)c->cell.data + c->cell_at[i],
				c->cell_len[i]);
	}
	put(&c->row, "\r\n");
	return c->row.err || c->cell.err ? RSD_ERR_NOMEM : 0;
}

static int put_moment(const struct rsd_moment *m, void *arg)
{
	struct csv *c = arg;
	int err = put_event(c, m);

	return err ? err : rsd_sink_put(c->sink, &c->row);
}

static void release(struct csv *c)
{
	for (size_t i = 0; c->column && i < c->x->t->nr_funcs; i++)
		free(c->column[i]);
	free(c->column);
	free(c->name);
	free(c->cell_at);
	free(c->cell_len);
	rsd_buf_release(&c->row);
	rsd_buf_release(&c->cell);
}

int rsd_export_csv(const struct rsd_export *x)
{
	struct csv c = { .x = x };
	struct rsd_timeline *tl = rsd_export_timeline(x);
	int err;

	if (!tl || !(c.sink = rsd_sink_open(x->out))) {
		rsd_timeline_free(tl);
		return RSD_EXIT_ERROR;
	}
	c.estimated = rsd_timeline_times(tl) == RSD_TIMES_NONE ? ",none" : ",estimated";
	err = find_columns(&c) ? 0 : RSD_ERR_NOMEM;
	if (!err) {
		put_header(&c);
		err = rsd_sink_put(c.sink, &c.row);
	}
	if (!err)
		err = rsd_timeline_run(tl, put_moment, &c);
	release(&c);
	rsd_timeline_free(tl);
	return rsd_sink_close(c.sink, err);
}
