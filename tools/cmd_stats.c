/* cmd_stats.c - rsd stats: calls, bytes and time per function, call site or rank; sizes */
#include "cmd_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "source.h"
#include "util.h"
#include "volume.h"
#include "walk.h"

static const char help[] =
	"usage: rsd stats [OPTION]... TRACE\n"
	"\n"
	"Calls, bytes and time of each function.\n"
	"\n"
	"  -b, --by=KEY         function (the default); site: by call site; rank: by rank;\n"
	"                       size: the bytes that each part of the trace takes in "
	"it\n" RSD_SOURCE_HELP "  -f, --format=FORMAT  table (the default), tsv or json\n"
	"  -h, --help           this text\n"
	"\n"
	"Bytes are count x size of type as the calls' arguments say: of what is received, what\n"
	"there was room for. Times are durations in seconds, kept for all ranks together.\n";

enum key { BY_FUNCTION, BY_SITE, BY_RANK, BY_SIZE };

struct row {
	int func;
	int64_t key; /* rank, or number of the site */
	struct rsd_volume v;
	uint64_t timed, total_ns, min_ns, max_ns;
};

struct stats {
	const struct rsd_trace *t;
	struct rsd_format *f;
	enum key by;
	struct row *row;
	size_t nr_rows, alloc_rows;
	struct rsd_map row_by_key;
	struct rsd_strings sites;
	struct rsd_progress progress;
};

/* ---- collecting -------------------------------------------------------------------------- */

static struct row *find_row(struct stats *s, int func, int64_t key)
{
	uint64_t id = (uint64_t)key << 32 | (uint32_t)func;
	uint64_t *at = rsd_map_find(&s->row_by_key, id);

	if (at)
		return &s->row[*at];
	if (RSD_GROW(s->row, s->nr_rows + 1, s->alloc_rows) ||
		rsd_map_set(&s->row_by_key, id, s->nr_rows))
		return NULL;
	s->row[s->nr_rows] = (struct row){ .func = func, .key = key };
	return &s->row[s->nr_rows++];
}

/* The site's number: by its text, so that equal sites of different stacks are one. */
static int64_t site_key(struct stats *s, int sig)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int id;

	if (!rsd_format_site(s->f, sig, RSD_STYLE_TEXT, &text))
		rsd_buf_put_byte(&text, '?');
	id = rsd_strings_intern(&s->sites, (const char *)text.data, text.len);
	rsd_buf_release(&text);
	return id;
}

static void add_histogram(struct row *r, const struct rsd_histogram *h)
{
	if (!h->nr)
		return;
	if (!r->timed || h->min < r->min_ns)
		r->min_ns = h->min;
	if (!r->timed || h->max > r->max_ns)
		r->max_ns = h->max;
	r->timed += h->nr;
	r->total_ns += h->sum;
}

/* The first call at a place is kept apart from the others. */
static void add_timing(struct row *r, const struct rsd_place *p)
{
	if (!p->has_timing)
		return;
	add_histogram(r, &p->timing.dur);
	add_histogram(r, &p->timing.dur_first);
}

static int add_uniform(struct stats *s, const struct rsd_place *p, const struct rsd_ranks *ranks,
	const struct rsd_volume *v, int64_t site)
{
	struct row *r;

	if (s->by != BY_RANK) {
		r = find_row(s, p->func, site);
		if (!r)
			return RSD_ERR_NOMEM;
		rsd_volume_add(&r->v, v, rsd_ranks_count(ranks));
		return 0;
	}
	for (int rank = rsd_ranks_first(ranks); rank >= 0; rank = rsd_ranks_next(ranks, rank)) {
		r = find_row(s, p->func, rank);
		if (!r)
			return RSD_ERR_NOMEM;
		rsd_volume_add(&r->v, v, 1);
	}
	return 0;
}

static int add_each_rank(
	struct stats *s, const struct rsd_place *p, const struct rsd_ranks *ranks, int64_t site)
{
	for (int rank = rsd_ranks_first(ranks); rank >= 0; rank = rsd_ranks_next(ranks, rank)) {
		struct rsd_volume v;
		struct row *r = find_row(s, p->func, s->by == BY_RANK ? rank : site);
		int err = r ? rsd_volume_of_rank(s->t, p, rank, &v) : RSD_ERR_NOMEM;

		if (err)
			return err;
		rsd_volume_add(&r->v, &v, 1);
	}
	return 0;
}

static int add_place(struct stats *s, const struct rsd_place *p)
{
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct rsd_volume v;
	int64_t site = s->by == BY_SITE ? site_key(s, p->sig) : 0;
	struct row *r;
	int err = rsd_params_ranks(rsd_volume_calls(s->t, p), &ranks);

	if (err || site < 0 || rsd_ranks_is_empty(&ranks))
		goto out;
	if (rsd_volume_is_uniform(s->t, p, &v))
		err = add_uniform(s, p, &ranks, &v, site);
	else
		err = add_each_rank(s, p, &ranks, site);
	if (!err && s->by != BY_RANK && (r = find_row(s, p->func, site)) != NULL)
		add_timing(r, p);
out:
	rsd_ranks_release(&ranks);
	return site < 0 ? (int)site : err;
}

static void add_time_of_event(struct row *r, const struct rsd_event *e)
{
	uint64_t ns = e->dur > 0 && e->dur < 9e9 ? (uint64_t)(e->dur * 1e9 + 0.5) : 0;

	if (!e->has_time)
		return;
	if (!r->timed || ns < r->min_ns)
		r->min_ns = ns;
	if (!r->timed || ns > r->max_ns)
		r->max_ns = ns;
	r->timed++;
	r->total_ns += ns;
}

/* A flat log has its values, and times, in events, not in columns. */
static int add_log(struct stats *s, const struct rsd_log *log)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err;

	if (log->thread >= RSD_AFTER)
		return 0; /* the walk of its thread goes on with it */
	err = rsd_walk_new(&w, s->t, log->rank, log->thread);
	if (err)
		return err == RSD_ERR_END ? 0 : err;
	while (!(err = rsd_walk_next(w, &e))) {
		int64_t key = s->by == BY_RANK ? e.rank : s->by == BY_SITE ? site_key(s, e.sig) : 0;
		struct row *r = key < 0 ? NULL : find_row(s, e.func, key);
		struct rsd_volume v;

		if (!r) {
			err = RSD_ERR_NOMEM;
			break;
		}
		rsd_volume_of_event(s->t, &e, &v);
		rsd_volume_add(&r->v, &v, 1);
		add_time_of_event(r, &e);
		rsd_progress_step(&s->progress, 1);
	}
	if (err == RSD_ERR_FORMAT)
		rsd_tool_error("rank %d: %s", log->rank, rsd_tool_walk_error(w, err));
	rsd_walk_free(w);
	return err == RSD_ERR_END ? 0 : err;
}

static int collect(struct stats *s)
{
	int err = 0;

	rsd_progress_begin(&s->progress, s->t->nr_logs ? "events" : "places",
		s->t->nr_logs ? 0 : s->t->nr_places);
	for (size_t i = 0; i < s->t->nr_places && !err; i++) {
		err = add_place(s, &s->t->place[i]);
		if (!s->t->nr_logs)
			rsd_progress_step(&s->progress, 1);
	}
	for (size_t i = 0; i < s->t->nr_logs && !err; i++)
		err = add_log(s, &s->t->log[i]);
	rsd_progress_end(&s->progress);
	if (err && err != RSD_ERR_FORMAT)
		rsd_tool_error("%s", rsd_strerror(err));
	return err;
}

/* ---- showing -------------------------------------------------------------------------------- */

static int by_key(const struct row *x, const struct row *y)
{
	return (x->key > y->key) - (x->key < y->key);
}

static int compare_totals(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->v.calls != y->v.calls)
		return x->v.calls < y->v.calls ? 1 : -1;
	return x->func != y->func ? (x->func > y->func) - (x->func < y->func) : by_key(x, y);
}

static int compare_ranks(const void *a, const void *b)
{
	int by = by_key(a, b);

	return by ? by : compare_totals(a, b);
}

/* Bytes that are incomplete are not shown as if they were right. */
static void put_bytes(struct rsd_table *t, double bytes, bool unknown)
{
	if (unknown)
		rsd_table_cell(t, "%s", "");
	else
		rsd_table_cell(t, "%.0f", bytes);
}

static void put_times(struct rsd_table *t, const struct row *r)
{
	if (!r->timed) {
		for (int i = 0; i < 4; i++)
			rsd_table_cell(t, "%s", "");
		return;
	}
	rsd_table_cell(t, "%.9f", (double)r->total_ns / 1e9);
	rsd_table_cell(t, "%.9f", (double)r->total_ns / (double)r->timed / 1e9);
	rsd_table_cell(t, "%.9f", (double)r->min_ns / 1e9);
	rsd_table_cell(t, "%.9f", (double)r->max_ns / 1e9);
}

/* Times are kept for all ranks together: there are none by rank. */
#define FIRST_TIME 6

static int show(struct stats *s, enum rsd_table_format format, struct rsd_out *out)
{
	static const struct rsd_table_column column[] = {
		{ "site", false },
		{ "rank", true },
		{ "function", false },
		{ "calls", true },
		{ "bytes_sent", true },
		{ "bytes_received", true },
		{ "time", true },
		{ "mean", true },
		{ "min", true },
		{ "max", true },
	};
	struct rsd_table_column chosen[RSD_ARRAY_SIZE(column)];
	size_t nr = 0;
	struct rsd_table table;
	bool ok;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(column); i++) {
		if (strcmp(column[i].name, "site") == 0 && s->by != BY_SITE)
			continue;
		if (strcmp(column[i].name, "rank") == 0 && s->by != BY_RANK)
			continue;
		if (i < FIRST_TIME || s->by != BY_RANK)
			chosen[nr++] = column[i];
	}
	rsd_table_init(&table, chosen, nr);
	if (s->nr_rows)
		qsort(s->row, s->nr_rows, sizeof(*s->row),
			s->by == BY_RANK ? compare_ranks : compare_totals);
	for (size_t i = 0; i < s->nr_rows; i++) {
		const struct row *r = &s->row[i];

		if (s->by == BY_SITE)
			rsd_table_cell(&table, "%s", s->sites.str[r->key].s);
		if (s->by == BY_RANK)
			rsd_table_cell(&table, "%" PRId64, r->key);
		rsd_table_cell(&table, "%s", s->t->func[r->func].name);
		rsd_table_cell(&table, "%" PRIu64, r->v.calls);
		put_bytes(&table, r->v.sent, r->v.unknown);
		put_bytes(&table, r->v.received, r->v.unknown);
		if (s->by != BY_RANK)
			put_times(&table, r);
	}
	ok = rsd_table_print(&table, format, out);
	rsd_table_release(&table);
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}

static int run(const struct rsd_trace *t, enum key by, enum rsd_table_format format,
	const struct rsd_sources *sources)
{
	struct stats s = { .t = t, .by = by };
	struct rsd_out out = RSD_OUT_INIT;
	int code = RSD_EXIT_ERROR;

	s.f = rsd_format_new(t);
	if (!s.f || (sources && rsd_format_set_sources(s.f, sources)))
		rsd_tool_error("out of memory");
	else if (by == BY_SIZE)
		code = rsd_stats_by_size(t, s.f, format, &out);
	else if (!collect(&s))
		code = show(&s, format, &out);
	rsd_format_free(s.f);
	free(s.row);
	rsd_map_release(&s.row_by_key);
	rsd_strings_release(&s.sites);
	return rsd_out_end(&out, code);
}

static bool parse_key(const char *name, enum key *by)
{
	static const char *const key[] = {
		[BY_FUNCTION] = "function",
		[BY_SITE] = "site",
		[BY_RANK] = "rank",
		[BY_SIZE] = "size",
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(key); i++) {
		if (strcmp(key[i], name) == 0) {
			*by = (enum key)i;
			return true;
		}
	}
	rsd_tool_error("--by '%s': not function, site, rank or size", name);
	return false;
}

int rsd_cmd_stats(int argc, char **argv)
{
	static const struct option option[] = {
		{ "by", required_argument, NULL, 'b' },
		RSD_SOURCE_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum rsd_table_format format = RSD_TABLE_ALIGNED;
	enum key by = BY_FUNCTION;
	struct rsd_sources *sources = NULL;
	struct rsd_source_options source = { .wanted = false };
	const char *path;
	struct rsd_trace *t;
	int c, code;

	while ((c = getopt_long(argc, argv, ":b:f:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'b' && !parse_key(optarg, &by))
			return RSD_EXIT_ERROR;
		if (c == 'f' && !rsd_table_parse_format(optarg, &format))
			return RSD_EXIT_ERROR;
		if (c == '?' || c == ':')
			return rsd_tool_bad_option(c, argv);
		rsd_source_option(&source, c, optarg);
	}
	if (!(path = rsd_tool_operand(argc, argv)) || !(t = rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	if (source.wanted)
		sources = rsd_sources_new(t, &source);
	code = source.wanted && !sources ? rsd_tool_error("out of memory")
					 : run(t, by, format, sources);
	rsd_sources_free(sources);
	rsd_trace_free(t);
	return code;
}
