/* cmd_stats_page.c - rsd stats on a page: what there is most of */
#include "cmd_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "failures.h"
#include "scan.h"
#include "stats.h"
#include "stats_times.h"
#include "util.h"

#define BOLD "\033[1m"
#define BAR "\033[36m"
#define PLAIN "\033[0m"
#define BAR_WIDTH 24
#define LATE_RANGE 100	  /* what is less than this part of the most is not shown */
#define MOST_FAILURES 4	  /* kinds of them that are listed */
#define MOST_RANKS 100000 /* that are gone through one by one */

struct page {
	const struct rsd_trace *t;
	struct rsd_format *f;
	bool color;
	struct rsd_out *out;
	struct rsd_stats sites;
	struct rsd_stats_row all;
	uint64_t start_ns, start_before; /* of these, what starting and ending MPI took */
	int err;
};

static void put(const struct page *p, const char *s)
{
	rsd_buf_put(&p->out->buf, s, strlen(s));
}

static void put_heading(const struct page *p, const char *s)
{
	rsd_buf_printf(&p->out->buf, "\n%s%s%s\n", p->color ? BOLD : "", s, p->color ? PLAIN : "");
}

/* ---- numbers as people read them ----------------------------------------------------------------- */

struct text {
	char s[32];
};

/* Three digits: from 999.5 on it is 1 of the next unit. */
static struct text scaled(double v, const char *const *unit, size_t nr)
{
	struct text t;
	size_t i = 0;

	while (v >= 999.5 && i + 1 < nr) {
		v /= 1000;
		i++;
	}
	snprintf(t.s, sizeof(t.s), i || v != (double)(uint64_t)v ? "%.3g %s" : "%.0f %s", v,
		unit[i]);
	return t;
}

/* Numbers of three digits, so that columns stay narrow. */
static struct text bytes_text(double v, bool unknown)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };

	return unknown ? (struct text){ "-" } : scaled(v, unit, RSD_ARRAY_SIZE(unit));
}

static struct text time_text(double ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };

	return scaled(ns, unit, RSD_ARRAY_SIZE(unit));
}

static struct text percent(double part, double whole)
{
	struct text t;

	snprintf(t.s, sizeof(t.s), whole > 0 ? "%.1f%%" : "-", whole > 0 ? 100 * part / whole : 0);
	return t;
}

static void put_bar(const struct page *p, double part, double whole)
{
	int n = whole > 0 ? (int)(BAR_WIDTH * part / whole + 0.5) : 0;

	put(p, p->color ? BAR : "");
	for (int i = 0; i < n; i++)
		put(p, "#");
	put(p, p->color ? PLAIN : "");
}

/* ---- parts ------------------------------------------------------------------------------------------ */

static bool collect(struct page *p, struct rsd_stats *s, enum rsd_stats_key by)
{
	*s = (struct rsd_stats){
		.t = p->t, .f = p->f, .by = by, .merged = by != RSD_BY_SITE, .no_walk = true
	};
	p->err = rsd_stats_collect(s);
	if (!p->err)
		rsd_stats_sort(s, by == RSD_BY_SITE ? RSD_SORT_TIME : RSD_SORT_KEY);
	return !p->err;
}

static void put_row(const struct page *p, const struct rsd_stats *s, const struct rsd_stats_row *r,
	struct rsd_table *t)
{
	struct rsd_buf key = RSD_BUF_INIT;

	rsd_stats_key_text(s, r, &key);
	if (s->by != RSD_BY_FUNCTION)
		rsd_table_cell(t, "%.*s", (int)key.len, key.len ? (const char *)key.data : "");
	rsd_buf_release(&key);
	if (!s->merged)
		rsd_table_cell(t, "%s", s->t->func[r->func].name);
	rsd_table_cell(t, "%" PRIu64, r->v.calls);
	rsd_table_cell(t, "%s", bytes_text(r->v.sent, r->v.unknown).s);
	rsd_table_cell(t, "%s", bytes_text(r->v.received, r->v.unknown).s);
	rsd_table_cell(t, "%s", r->dur.nr ? time_text((double)r->dur.sum).s : "");
	rsd_table_cell(
		t, "%s", r->dur.nr ? percent((double)r->dur.sum, (double)p->all.dur.sum).s : "");
	rsd_table_cell(
		t, "%s", r->dur.nr ? time_text((double)r->dur.sum / (double)r->dur.nr).s : "");
	rsd_table_cell(t, "%s", r->dur.nr ? time_text((double)r->dur.max).s : "");
}

/* The first rows of a table. */
static void put_top(struct page *p, struct rsd_stats *s, const char *name, size_t most)
{
	const struct rsd_table_column column[] = {
		{ name, false },
		{ "function", false },
		{ "calls", true },
		{ "sent", true },
		{ "received", true },
		{ "time", true },
		{ "of MPI", true },
		{ "mean", true },
		{ "max", true },
	};
	struct rsd_table_column chosen[RSD_ARRAY_SIZE(column)];
	struct rsd_table table;
	size_t nr = 0;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(column); i++)
		if ((i != 0 || s->by != RSD_BY_FUNCTION) && (i != 1 || !s->merged))
			chosen[nr++] = column[i];
	put(p, "\n");
	rsd_table_init(&table, chosen, nr);
	table.color = p->color;
	for (size_t i = 0; i < s->nr_rows && i < most; i++)
		put_row(p, s, &s->row[i], &table);
	rsd_table_print(&table, RSD_TABLE_ALIGNED, p->out);
	rsd_table_release(&table);
	if (s->nr_rows > most)
		rsd_buf_printf(&p->out->buf, "... and %zu more: --by %s\n", s->nr_rows - most,
			s->by == RSD_BY_FUNCTION ? "function" : "site");
}

/* The same of the call sites put together. */
static void put_groups(struct page *p, enum rsd_stats_key by, const char *name, size_t most)
{
	struct rsd_stats s = { .t = p->t, .f = p->f, .by = by, .merged = by == RSD_BY_CLASS };

	if (rsd_stats_regroup(&s, &p->sites)) {
		p->err = rsd_tool_error("out of memory");
	} else {
		rsd_stats_sort(&s, RSD_SORT_TIME);
		put_top(p, &s, name, most);
	}
	rsd_stats_release(&s);
}

/* ---- who comes late --------------------------------------------------------------------------------- */

struct late {
	const struct rsd_stats_row *row;
	double ns; /* beyond the mean */
};

static int by_lateness(const void *a, const void *b)
{
	const struct late *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void put_late_row(const struct page *p, const struct late *l, struct rsd_table *t)
{
	const struct rsd_histogram *before = &l->row->before;
	struct rsd_buf key = RSD_BUF_INIT;

	rsd_stats_key_text(&p->sites, l->row, &key);
	rsd_table_cell(t, "%.*s", (int)key.len, key.len ? (const char *)key.data : "");
	rsd_buf_release(&key);
	rsd_table_cell(t, "%s", p->t->func[l->row->func].name);
	rsd_table_cell(t, "%" PRIu64, before->nr);
	rsd_table_cell(t, "%s", time_text((double)before->sum / (double)before->nr).s);
	rsd_table_cell(t, "%s", time_text((double)before->max).s);
	if (before->max_rank >= 0)
		rsd_table_cell(t, "%d", before->max_rank);
	else
		rsd_table_cell(t, "%s", "");
	rsd_table_cell(t, "%s", time_text(l->ns).s);
}

/*
 * Who waits in a call waits for somebody who comes later to it, as he had more to do before: call sites by how much of
 * what was computed before them is beyond its mean, and on which rank it was most.
 */
static void put_late(struct page *p, size_t most)
{
	static const struct rsd_table_column column[] = { { "site", false }, { "function", false },
		{ "calls", true }, { "mean", true }, { "max", true }, { "on rank", true },
		{ "beyond mean", true } };
	struct late *late = rsd_calloc(p->sites.nr_rows + 1, sizeof(*late));
	struct rsd_table table;
	size_t nr = 0;

	for (size_t i = 0; late && i < p->sites.nr_rows; i++) {
		double ns = rsd_stats_beyond_mean(&p->sites.row[i].before);

		if (ns > 0)
			late[nr++] = (struct late){ &p->sites.row[i], ns };
	}
	if (!late)
		p->err = rsd_tool_error("out of memory");
	if (nr && rsd_ranks_count(&p->t->ranks) > 1) {
		qsort(late, nr, sizeof(*late), by_lateness);
		put_heading(p, "computed before a call, where that differs most (others may wait "
			       "for that rank)");
		rsd_table_init(&table, column, RSD_ARRAY_SIZE(column));
		table.color = p->color;
		for (size_t i = 0; i < nr && i < most && late[i].ns * LATE_RANGE >= late[0].ns; i++)
			put_late_row(p, &late[i], &table);
		rsd_table_print(&table, RSD_TABLE_ALIGNED, p->out);
		rsd_table_release(&table);
	}
	free(late);
}

static void put_spread(const struct page *p, const char *what, const struct rsd_stats *s,
	double (*of)(const struct rsd_stats_row *r), struct text (*text)(double v))
{
	const struct rsd_stats_row *least = &s->row[0], *most = &s->row[0];
	double sum = 0;

	for (size_t i = 0; i < s->nr_rows; i++) {
		least = of(&s->row[i]) < of(least) ? &s->row[i] : least;
		most = of(&s->row[i]) > of(most) ? &s->row[i] : most;
		sum += of(&s->row[i]);
	}
	if (sum > 0)
		rsd_buf_printf(&p->out->buf,
			"  %-10s %10s on rank %" PRId64 ", mean %s, %s on rank %" PRId64
			": %s above the mean\n",
			what, text(of(least)).s, least->key, text(sum / (double)s->nr_rows).s,
			text(of(most)).s, most->key,
			percent(of(most) * (double)s->nr_rows - sum, sum).s);
}

static double calls_of(const struct rsd_stats_row *r)
{
	return (double)r->v.calls;
}

static double sent_of(const struct rsd_stats_row *r)
{
	return r->v.sent;
}

static double time_of(const struct rsd_stats_row *r)
{
	return (double)r->dur.sum;
}

static double before_of(const struct rsd_stats_row *r)
{
	return (double)r->before.sum;
}

static struct text count_text(double v)
{
	struct text t;

	snprintf(t.s, sizeof(t.s), "%.0f", v);
	return t;
}

static struct text sent_text(double v)
{
	return bytes_text(v, false);
}

static void put_balance(struct page *p)
{
	struct rsd_stats s;

	if (rsd_ranks_count(&p->t->ranks) < 2 || rsd_ranks_count(&p->t->ranks) > MOST_RANKS)
		return;
	if (collect(p, &s, RSD_BY_RANK) && s.nr_rows) {
		put_heading(p, "ranks");
		put_spread(p, "calls", &s, calls_of, count_text);
		put_spread(p, "sent", &s, sent_of, sent_text);
		put_spread(p, "time in MPI", &s, time_of, time_text);
		put_spread(p, "computed", &s, before_of, time_text);
		if (p->all.dur.nr && !rsd_stats_has_times(&s))
			put(p, "  " RSD_NO_RANK_TIMES "\n");
	}
	rsd_stats_release(&s);
}

static void put_sizes(struct page *p)
{
	struct rsd_stats s;
	uint64_t most = 0;

	if (rsd_ranks_count(&p->t->ranks) > MOST_RANKS)
		return;
	if (collect(p, &s, RSD_BY_MESSAGE) && s.nr_rows) {
		put_heading(p, "bytes a call moves (places at their mean)");
		for (size_t i = 0; i < s.nr_rows; i++)
			most = s.row[i].v.calls > most ? s.row[i].v.calls : most;
		for (size_t i = 0; i < s.nr_rows; i++) {
			struct rsd_buf key = RSD_BUF_INIT;

			rsd_stats_key_text(&s, &s.row[i], &key);
			rsd_buf_printf(&p->out->buf, "  %23.*s %10" PRIu64 " calls  ", (int)key.len,
				(char *)key.data, s.row[i].v.calls);
			put_bar(p, (double)s.row[i].v.calls, (double)most);
			put(p, "\n");
			rsd_buf_release(&key);
		}
	}
	rsd_stats_release(&s);
}

/* What all rows are together. */
static void add_up(struct page *p)
{
	for (size_t i = 0; i < p->sites.nr_rows; i++) {
		const struct rsd_stats_row *r = &p->sites.row[i];

		rsd_volume_add(&p->all.v, &r->v, 1);
		p->all.dur.nr += r->dur.nr;
		p->all.dur.sum += r->dur.sum;
		p->all.before.sum += r->before.sum;
		if (p->t->func[r->func].class == RSD_C_ENV) {
			p->start_ns += r->dur.sum;
			p->start_before += r->before.sum;
		}
	}
}

static void put_head(const struct page *p, const char *path)
{
	const char *program = rsd_trace_get_meta(p->t, "program");
	struct rsd_buf *out = &p->out->buf;
	double in = (double)(p->all.dur.sum - p->start_ns);
	double all = in + (double)(p->all.before.sum - p->start_before);

	put(p, p->color ? BOLD : "");
	rsd_scan_put_shown(out, path);
	put(p, p->color ? PLAIN : "");
	rsd_buf_printf(out, ": ");
	rsd_scan_put_shown(out, program ? program : "program unknown");
	rsd_buf_printf(out, ", %zu of %d ranks, %s\n", rsd_ranks_count(&p->t->ranks), p->t->nprocs,
		p->t->complete ? "complete" : "INCOMPLETE");
	rsd_buf_printf(out, "%" PRIu64 " calls, %s sent, %s received", p->all.v.calls,
		bytes_text(p->all.v.sent, p->all.v.unknown).s,
		bytes_text(p->all.v.received, p->all.v.unknown).s);
	if (p->all.dur.nr && all > 0) {
		rsd_buf_printf(out,
			"; %s of the time in MPI, its start aside: %s of %s of all ranks  ",
			percent(in, all).s, time_text(in).s, time_text(all).s);
		put_bar(p, in, all);
	} else if (p->all.dur.nr) {
		rsd_buf_printf(out, "; it started and ended MPI, in %s of all ranks",
			time_text((double)p->start_ns).s);
	} else {
		rsd_buf_printf(out, "; no times were kept");
	}
	put(p, "\n");
}

static void put_failures(struct page *p)
{
	struct rsd_failures f = { .t = p->t };

	int err = rsd_failures_collect(&f, p->t);

	if (err) {
		p->err = rsd_tool_places_failed(p->t, err);
	} else if (f.calls) {
		rsd_failures_put_number(&f, &p->out->buf);
		rsd_failures_put_list(&f, p->f, MOST_FAILURES, &p->out->buf);
		put(p, "\n");
	}
	rsd_failures_release(&f);
}

int rsd_stats_page(const struct rsd_trace *t, const char *path, struct rsd_format *f, size_t top,
	bool color, struct rsd_out *out)
{
	struct page p = { .t = t, .f = f, .color = color, .out = out };

	if (collect(&p, &p.sites, RSD_BY_SITE)) {
		add_up(&p);
		put_head(&p, path);
		put_failures(&p);
		put_groups(&p, RSD_BY_CLASS, "kind", RSD_NR_CLASSES);
		put_groups(&p, RSD_BY_FUNCTION, "", top);
		put_top(&p, &p.sites, "site", top);
		put_late(&p, top);
	}
	if (!p.err)
		put_balance(&p);
	if (!p.err)
		put_sizes(&p);
	rsd_stats_release(&p.sites);
	return p.err ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}
