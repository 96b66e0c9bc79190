/* document.c - what was gathered as JSON: the run, rows, ranks, links */
#include <math.h>
#include <string.h>
#include "report.h"
#include "scan.h"
#include "stats_times.h"
#include "util.h"

#define MOST_BINS 512 /* of ranks in the chart of loads */

json_t *report_text(const char *s, size_t len)
{
	struct rsd_buf text = RSD_BUF_INIT;
	char *copy = rsd_strndup(s, len);
	json_t *j = NULL;

	if (copy)
		rsd_scan_put_shown(&text, copy);
	if (copy && !text.err)
		j = json_stringn(text.len ? (const char *)text.data : "", text.len);
	free(copy);
	rsd_buf_release(&text);
	return j;
}

/* Bytes and times: whole numbers as long as they are exact. */
static json_t *number(double v)
{
	if (!isfinite(v))
		return json_null();
	return fabs(v) < 9007199254740992.0 && v == floor(v) ? json_integer((json_int_t)v)
							     : json_real(v);
}

static int put_integer(json_t *list, int64_t v)
{
	return json_array_append_new(list, json_integer(v));
}

static int put_number(json_t *list, double v)
{
	return json_array_append_new(list, number(v));
}

/* A list of runs: [first, count, stride, ...]. */
static json_t *ranks_json(const struct rsd_ranks *ranks)
{
	json_t *list = json_array();
	int bad = !list;

	for (size_t i = 0; i < ranks->nr && !bad; i++) {
		const struct rsd_run *run = &ranks->run[i];
		json_t *one = json_array();

		bad = !one || put_integer(one, run->first);
		for (int d = 0; d < run->nr_dims && !bad; d++)
			bad = put_integer(one, run->dim[d].count) ||
			      put_integer(one, run->dim[d].stride);
		bad |= json_array_append_new(list, one);
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

/* ---- the run -------------------------------------------------------------------------------- */

static json_t *meta_json(const struct rsd_trace *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->nr_meta && list; i++) {
		json_t *one =
			json_pack("[o, o]", report_text(t->meta[i].key, strlen(t->meta[i].key)),
				report_text(t->meta[i].value, strlen(t->meta[i].value)));

		if (json_array_append_new(list, one)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *report_summary_json(const struct report *r, const char *path)
{
	const struct rsd_trace *t = r->t;
	const char *why = t->incomplete_why ? t->incomplete_why : "";
	struct rsd_buf ranks = RSD_BUF_INIT;
	json_t *j;

	rsd_ranks_print(&t->ranks, &ranks);
	j = json_pack("{s:o, s:i, s:o, s:I, s:b, s:o, s:o, s:b, s:s}", "path",
		report_text(path, strlen(path)), "nprocs", t->nprocs, "ranks",
		report_text((const char *)ranks.data, ranks.len), "nrRanks",
		(json_int_t)rsd_ranks_count(&t->ranks), "complete", t->complete, "why",
		report_text(why, strlen(why)), "meta", meta_json(t), "cut", r->cut, "version",
		RSD_VERSION);
	rsd_buf_release(&ranks);
	return j;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Indices and values of what is not 0. */
static json_t *sparse(const uint64_t *calls, const double *bytes, const uint32_t *bin, int nr)
{
	json_t *list = json_array();
	int bad = !list;

	for (int b = 0; b < nr && !bad; b++) {
		if (calls ? !calls[b] : !bin[b])
			continue;
		bad = put_integer(list, b) || put_integer(list, calls ? (int64_t)calls[b] : bin[b]);
		if (calls && !bad)
			bad = put_number(list, bytes[b]);
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

/* How much of it is beyond the mean, the most before a call, and on which rank that was. */
static json_t *before_json(const struct rsd_histogram *h)
{
	return json_pack("[I, I, i]", (json_int_t)rsd_stats_beyond_mean(h),
		(json_int_t)(h->nr ? h->max : 0), h->nr ? h->max_rank : -1);
}

static json_t *row_json(const struct report_row *row)
{
	json_t *times = json_null();

	if (row->timed)
		times = json_pack("[I, I, I, I, i, i, I, o, o]", (json_int_t)row->timed,
			(json_int_t)row->total_ns, (json_int_t)row->min_ns, (json_int_t)row->max_ns,
			row->min_rank, row->max_rank, (json_int_t)row->before.sum,
			sparse(NULL, NULL, row->bin, RSD_HISTOGRAM_BINS),
			before_json(&row->before));
	return json_pack("[i, i, I, o, o, i, o, o]", row->func, row->site, (json_int_t)row->v.calls,
		number(row->v.sent), number(row->v.received), row->v.unknown, times,
		sparse(row->size_calls, row->size_bytes, NULL, REPORT_SIZES));
}

json_t *report_rows_json(const struct report *r)
{
	json_t *funcs = json_array(), *sites = json_array(), *rows = json_array();
	int bad = !funcs || !sites || !rows;

	for (size_t i = 0; i < r->t->nr_funcs && !bad; i++) {
		const struct rsd_func *fn = &r->t->func[i];

		bad = json_array_append_new(funcs,
			json_pack("[o, i]", report_text(fn->name, strlen(fn->name)), fn->class));
	}
	for (size_t i = 0; i < r->sites.nr && !bad; i++)
		bad = json_array_append_new(
			sites, report_text(r->sites.str[i].s, r->sites.str[i].len));
	for (size_t i = 0; i < r->nr_rows && !bad; i++)
		bad = json_array_append_new(rows, row_json(&r->row[i]));
	if (!bad)
		return json_pack(
			"{s:o, s:o, s:o}", "functions", funcs, "sites", sites, "rows", rows);
	json_decref(funcs);
	json_decref(sites);
	json_decref(rows);
	return NULL;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* Least, sum and largest of each bin of slots. */
static json_t *load_bins(const struct report_load *l, const double *value, int64_t per)
{
	json_t *list = json_array();
	int bad = !list;

	for (int64_t s = 0; s < l->nr_slots && !bad; s += per) {
		int64_t end = s + per < l->nr_slots ? s + per : l->nr_slots, least = s, most = s;
		double sum = 0;

		for (int64_t k = s; k < end; k++) {
			int64_t ranks = l->nr_ranks - k * l->width;

			sum += value[k] * (double)(ranks < l->width ? ranks : l->width);
			least = value[k] < value[least] ? k : least;
			most = value[k] > value[most] ? k : most;
		}
		bad = put_number(list, value[least]) || put_number(list, sum) ||
		      put_number(list, value[most]) || put_integer(list, least * l->width) ||
		      put_integer(list, most * l->width);
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

json_t *report_load_json(const struct report *r)
{
	const struct report_load *l = &r->load;
	int64_t per = (l->nr_slots + MOST_BINS - 1) / MOST_BINS;
	json_t *time = l->timed ? load_bins(l, l->diff[REPORT_TIME], per) : json_null();

	return json_pack("{s:I, s:b, s:o, s:o, s:o, s:o}", "width", (json_int_t)(per * l->width),
		"exact", l->width == 1, "calls", load_bins(l, l->diff[REPORT_CALLS], per), "sent",
		load_bins(l, l->diff[REPORT_SENT], per), "received",
		load_bins(l, l->diff[REPORT_RECEIVED], per), "time", time);
}

/* ---- links ------------------------------------------------------------------------------------- */

static json_t *raster_json(const struct report_raster *a)
{
	json_t *list = json_array();
	int bad = !list;

	for (size_t i = 0; i < a->nr && !bad; i++) {
		const struct report_cell *c = &a->cell[i];

		bad = put_integer(list, c->from) || put_integer(list, c->to) ||
		      put_number(list, c->messages) || put_number(list, c->bytes);
		if (!bad && a->by_row)
			bad = put_integer(list, (int64_t)c->row);
	}
	if (!bad)
		return json_pack("{s:I, s:o}", "width", (json_int_t)a->width, "cells", list);
	json_decref(list);
	return NULL;
}

json_t *report_links_json(const struct report *r)
{
	const struct report_links *l = &r->links;
	json_t *sets = json_array(), *links = json_array();
	int bad = !sets || !links;

	for (size_t i = 0; i < l->nr_sets && !bad; i++)
		bad = json_array_append_new(sets, ranks_json(&l->set[i]));
	for (size_t i = 0; i < l->nr && !bad; i++) {
		const struct report_link *x = &l->link[i];

		bad = json_array_append_new(links,
			json_pack("[I, i, i, I, I, o]",
				x->row == REPORT_OTHERS ? (json_int_t)-1 : (json_int_t)x->row,
				x->set, x->relative, (json_int_t)x->to, (json_int_t)x->messages,
				number(x->bytes)));
	}
	if (!bad)
		return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "sets", sets, "links", links,
			"raster", raster_json(&l->all), "rasterByRow", raster_json(&l->by_row),
			"lostMessages", number(l->lost_messages), "lostBytes",
			number(l->lost_bytes));
	json_decref(sets);
	json_decref(links);
	return NULL;
}
