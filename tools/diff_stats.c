/*
 * diff_stats.c - see diff_stats.h
 *
 * A row is a function at a call site, by name and text, as numbers mean nothing in another trace. Calls and bytes are
 * of the program and differ or do not; times always do: rows are ordered by how much.
 */
#include "diff_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "stats.h"
#include "util.h"

struct pair {
	const struct rsd_stats_row *row[2]; /* NULL: not in that trace */
	const char *site, *function;	    /* the site is in the pairs' names */
	bool changed;			    /* calls or bytes */
	double slower;			    /* nanoseconds */
};

struct diff {
	const struct rsd_diff_stats *o;
	struct rsd_trace *t[2];
	struct rsd_format *f[2];
	struct rsd_sources *sources[2];
	struct rsd_stats s[2];
	struct rsd_strings names;
	struct pair *pair;
	size_t nr, alloc;
};

static bool open_one(struct diff *d, int i, const char *path)
{
	d->t[i] = rsd_tool_load(path);
	if (!d->t[i])
		return false;
	d->f[i] = rsd_format_open(d->t[i], &d->o->source, &d->sources[i]);
	if (!d->f[i]) {
		rsd_tool_error("out of memory");
		return false;
	}
	d->s[i] = (struct rsd_stats){
		.t = d->t[i], .f = d->f[i], .by = d->o->ignore_sites ? RSD_BY_FUNCTION : RSD_BY_SITE
	};
	return rsd_stats_collect(&d->s[i]) == 0;
}

static void close_all(struct diff *d)
{
	for (int i = 0; i < 2; i++) {
		rsd_stats_release(&d->s[i]);
		rsd_format_free(d->f[i]);
		rsd_sources_free(d->sources[i]);
		rsd_trace_free(d->t[i]);
	}
	rsd_strings_release(&d->names);
	free(d->pair);
}

/* ---- pairs ----------------------------------------------------------------------------------------- */

/* The number of the name "function site"; that of its pair. */
static int name_of(struct diff *d, int i, const struct rsd_stats_row *r)
{
	struct rsd_buf name = RSD_BUF_INIT;
	int id;

	rsd_buf_printf(&name, "%s ", d->t[i]->func[r->func].name);
	rsd_stats_key_text(&d->s[i], r, &name);
	id = name.err ? RSD_ERR_NOMEM
		      : rsd_strings_intern(&d->names, (const char *)name.data, name.len);
	rsd_buf_release(&name);
	return id;
}

static double moved(const struct rsd_stats_row *r)
{
	return r ? r->v.sent + r->v.received : 0;
}

static bool is_changed(const struct pair *p)
{
	const struct rsd_stats_row *a = p->row[0], *b = p->row[1];

	return !a || !b || a->v.calls != b->v.calls ||
	       (!a->v.unknown && !b->v.unknown &&
		       (fabs(a->v.sent - b->v.sent) > 0.5 ||
			       fabs(a->v.received - b->v.received) > 0.5));
}

static bool make_pairs(struct diff *d)
{
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < d->s[i].nr_rows; k++) {
			int id = name_of(d, i, &d->s[i].row[k]);

			if (id < 0 || RSD_GROW(d->pair, (size_t)id + 1, d->alloc))
				return false;
			while (d->nr <= (size_t)id)
				d->pair[d->nr++] = (struct pair){ .changed = false };
			d->pair[id].row[i] = &d->s[i].row[k];
			d->pair[id].function = d->t[i]->func[d->s[i].row[k].func].name;
		}
	}
	for (size_t k = 0; k < d->nr; k++) {
		struct pair *p = &d->pair[k];

		p->site = strchr(d->names.str[k].s, ' ') + 1;
		p->changed = is_changed(p);
		p->slower = (p->row[1] ? (double)p->row[1]->dur.sum : 0) -
			    (p->row[0] ? (double)p->row[0]->dur.sum : 0);
	}
	return true;
}

static size_t place_of(const struct pair *p)
{
	return p->row[0] ? p->row[0]->place : p->row[1]->place;
}

/* What changed in calls or bytes comes first; then by how much the time did. */
static int by_change(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->changed != y->changed)
		return x->changed ? -1 : 1;
	if (fabs(x->slower) != fabs(y->slower))
		return fabs(x->slower) < fabs(y->slower) ? 1 : -1;
	return strcmp(x->site, y->site);
}

/* ---- showing ----------------------------------------------------------------------------------------- */

static void put_count(struct rsd_table *t, const struct rsd_stats_row *r)
{
	rsd_table_cell(t, "%" PRIu64, r ? r->v.calls : 0);
}

static void put_bytes(struct rsd_table *t, const struct rsd_stats_row *r)
{
	if (r && r->v.unknown)
		rsd_table_cell(t, "%s", "");
	else
		rsd_table_cell(t, "%.0f", moved(r));
}

static void put_time(struct rsd_table *t, const struct rsd_stats_row *r)
{
	if (r && r->dur.nr)
		rsd_table_cell(t, "%.9f", (double)r->dur.sum / 1e9);
	else
		rsd_table_cell(t, "%s", "");
}

static void put_pair(const struct diff *d, struct rsd_table *t, const struct pair *p)
{
	const struct rsd_stats_row *a = p->row[0], *b = p->row[1];

	if (!d->o->ignore_sites)
		rsd_table_cell(t, "%s", p->site);
	rsd_table_cell(t, "%s", p->function);
	rsd_table_cell(t, "%s", !a ? "new" : !b ? "gone" : p->changed ? "changed" : "same");
	put_count(t, a);
	put_count(t, b);
	put_bytes(t, a);
	put_bytes(t, b);
	put_time(t, a);
	put_time(t, b);
	if (a && b && a->dur.sum && b->dur.nr)
		rsd_table_cell(t, "%+.1f", 100 * p->slower / (double)a->dur.sum);
	else
		rsd_table_cell(t, "%s", "");
}

static int show_table(const struct diff *d, struct rsd_out *out)
{
	static const struct rsd_table_column column[] = {
		{ "site", false },
		{ "function", false },
		{ "calls_and_bytes", false },
		{ "calls_a", true },
		{ "calls_b", true },
		{ "bytes_a", true },
		{ "bytes_b", true },
		{ "time_a", true },
		{ "time_b", true },
		{ "percent", true },
	};
	size_t skip = d->o->ignore_sites, shown = 0;
	struct rsd_table table;
	bool ok;

	rsd_table_init(&table, column + skip, RSD_ARRAY_SIZE(column) - skip);
	table.color = d->o->color;
	for (size_t k = 0; k < d->nr && (int64_t)shown < d->o->max; k++, shown++)
		put_pair(d, &table, &d->pair[k]);
	ok = rsd_table_print(&table, d->o->format, out);
	rsd_table_release(&table);
	if (ok && d->o->format == RSD_TABLE_ALIGNED && shown < d->nr)
		rsd_buf_printf(&out->buf, "... and %zu more: --max\n", d->nr - shown);
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}

static void put_total(const struct diff *d, struct rsd_out *out)
{
	struct rsd_stats_row all[2] = { { 0 } };
	size_t changed = 0;

	for (size_t k = 0; k < d->nr; k++) {
		changed += d->pair[k].changed;
		for (int i = 0; i < 2; i++) {
			if (!d->pair[k].row[i])
				continue;
			rsd_volume_add(&all[i].v, &d->pair[k].row[i]->v, 1);
			all[i].dur.sum += d->pair[k].row[i]->dur.sum;
		}
	}
	rsd_buf_printf(&out->buf,
		"calls %" PRIu64 " -> %" PRIu64 ", bytes %.0f -> %.0f, time in MPI %.6f -> %.6f s; "
		"%zu of %zu %s differ in calls or bytes\n",
		all[0].v.calls, all[1].v.calls, moved(&all[0]), moved(&all[1]),
		(double)all[0].dur.sum / 1e9, (double)all[1].dur.sum / 1e9, changed, d->nr,
		d->o->ignore_sites ? "functions" : "call sites");
}

/* In the order in which the places were first called. */
static const struct pair *first_change(const struct diff *d)
{
	const struct pair *first = NULL;

	for (size_t k = 0; k < d->nr; k++)
		if (d->pair[k].changed && (!first || place_of(&d->pair[k]) < place_of(first)))
			first = &d->pair[k];
	return first;
}

/* Two modules of one name that are not the same file. */
static bool are_other_builds(const struct diff *d)
{
	const struct rsd_sigs *a = &d->t[0]->sigs, *b = &d->t[1]->sigs;

	for (size_t i = 0; i < a->nr_modules; i++)
		for (size_t k = 0; k < b->nr_modules; k++)
			if (strcmp(rsd_base_name(a->module[i].path),
				    rsd_base_name(b->module[k].path)) == 0 &&
				*a->module[i].build_id && *b->module[k].build_id &&
				strcmp(a->module[i].build_id, b->module[k].build_id) != 0)
				return true;
	return false;
}

static void put_first(const struct diff *d, const struct pair *p, struct rsd_out *out)
{
	const struct rsd_stats_row *a = p->row[0], *b = p->row[1];

	rsd_buf_printf(&out->buf,
		"first change: %s%s%s: %" PRIu64 " -> %" PRIu64 " calls, %.0f -> %.0f bytes\n",
		p->function, *p->site ? " at " : "", p->site, a ? a->v.calls : 0,
		b ? b->v.calls : 0, moved(a), moved(b));
	if (!d->o->ignore_sites && !d->o->source.wanted && are_other_builds(d))
		rsd_buf_printf(&out->buf,
			"the program is another build, in which offsets mean other calls: "
			"--ignore-sites compares functions, --source lines of "
			"the source\n");
}

static int show(struct diff *d, struct rsd_out *out)
{
	const struct pair *first = first_change(d);
	struct pair copy = first ? *first : (struct pair){ .changed = false };
	int code;

	if (d->nr)
		qsort(d->pair, d->nr, sizeof(*d->pair), by_change);
	if (d->o->format == RSD_TABLE_ALIGNED) {
		put_total(d, out);
		if (first)
			put_first(d, &copy, out);
		rsd_buf_put_byte(&out->buf, '\n');
	}
	code = show_table(d, out);
	return code ? code : first ? RSD_EXIT_NO : RSD_EXIT_OK;
}

int rsd_diff_stats(const char *path_a, const char *path_b, const struct rsd_diff_stats *o)
{
	struct diff d = { .o = o };
	struct rsd_out out = RSD_OUT_INIT;
	int code = RSD_EXIT_ERROR;

	if (open_one(&d, 0, path_a) && open_one(&d, 1, path_b)) {
		if (make_pairs(&d))
			code = show(&d, &out);
		else
			rsd_tool_error("out of memory");
	}
	close_all(&d);
	return rsd_out_end(&out, code);
}
