/* cmd_stats.c - rsd stats: calls, bytes and time, on a page or by function, call site, rank ...; sizes */
#include "cmd_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "print_tree.h"
#include "source.h"
#include "stats.h"
#include "stats_times.h"
#include "util.h"

static const char help[] =
	"usage: rsd stats [OPTION]... TRACE\n"
	"\n"
	"Calls, bytes and time: without --by or --format on a page, with what there is most of.\n"
	"\n"
	"  -b, --by=KEY         function; site: by call site; rank; comm: by communicator;\n"
	"                       message: by how many bytes a call moves; size: the bytes that\n"
	"                       each part of the trace takes in it\n"
	"  -n, --top=N          only the first N rows\n"
	"  -r, --rank=R         only rank R\n"
	"  -s, --sort=ORDER     time: the default; before; calls; bytes; key\n" RSD_SOURCE_HELP
	"  -f, --format=FORMAT  table (the default), tsv or json\n"
	"      --color=WHEN     auto (the default: on a terminal), always or never\n"
	"  -h, --help           this text\n"
	"\n"
	"Bytes are count x size of type as the calls' arguments say: of what is received, what\n"
	"there was room for. Times are durations in seconds; 'before' is what was computed before\n"
	"the calls, before_max the longest before one of them, on rank before_rank: who comes "
	"late\n"
	"lets others wait. By rank, or of one, there are times only where every call's were "
	"kept.\n";

struct options {
	int by;	      /* enum rsd_stats_key, BY_SIZE or BY_NOTHING */
	int order;    /* enum rsd_stats_order; -1: as the key has it */
	int64_t rank; /* -1: all */
	int64_t top;
	enum rsd_table_format format;
	bool formatted;
	const char *color;
	struct rsd_source_options source;
};

enum { BY_NOTHING = -1, BY_SIZE = 100 };

/* ---- the table ------------------------------------------------------------------------------------ */

/* Bytes that are incomplete are not shown as if they were right. */
static void put_bytes(struct rsd_table *t, double bytes, bool unknown)
{
	if (unknown)
		rsd_table_cell(t, "%s", "");
	else
		rsd_table_cell(t, "%.0f", bytes);
}

static void put_seconds(struct rsd_table *t, bool known, double ns)
{
	if (known)
		rsd_table_cell(t, "%.9f", ns / 1e9);
	else
		rsd_table_cell(t, "%s", "");
}

static void put_rank(struct rsd_table *t, bool known, int rank)
{
	if (known && rank >= 0)
		rsd_table_cell(t, "%d", rank);
	else
		rsd_table_cell(t, "%s", "");
}

static void put_times(struct rsd_table *t, const struct rsd_stats_row *r)
{
	const struct rsd_histogram *dur = &r->dur, *before = &r->before;
	bool known = dur->nr > 0, waited = before->nr > 0;

	put_seconds(t, known, (double)dur->sum);
	put_seconds(t, known, known ? (double)dur->sum / (double)dur->nr : 0);
	put_seconds(t, known, (double)dur->min);
	put_seconds(t, known, (double)dur->max);
	put_seconds(t, known, (double)before->sum);
	put_rank(t, known, dur->max_rank);
	put_seconds(t, waited, (double)before->max);
	put_rank(t, waited, before->max_rank);
}

static void put_row(
	const struct rsd_stats *s, const struct rsd_stats_row *r, struct rsd_table *table)
{
	struct rsd_buf key = RSD_BUF_INIT;

	rsd_stats_key_text(s, r, &key);
	if (s->by != RSD_BY_FUNCTION)
		rsd_table_cell(table, "%.*s", (int)key.len, key.len ? (const char *)key.data : "");
	rsd_buf_release(&key);
	rsd_table_cell(table, "%s", s->t->func[r->func].name);
	rsd_table_cell(table, "%" PRIu64, r->v.calls);
	put_bytes(table, r->v.sent, r->v.unknown);
	put_bytes(table, r->v.received, r->v.unknown);
	put_times(table, r);
	rsd_table_cell(table, "%" PRIu64, r->v.failed);
}

static int show(struct rsd_stats *s, const struct options *o, bool color, struct rsd_out *out)
{
	static const char *const key[] = { [RSD_BY_FUNCTION] = "",
		[RSD_BY_SITE] = "site",
		[RSD_BY_RANK] = "rank",
		[RSD_BY_COMM] = "comm",
		[RSD_BY_MESSAGE] = "message",
		[RSD_BY_CLASS] = "class" };
	const struct rsd_table_column column[] = {
		{ key[s->by], s->by == RSD_BY_RANK },
		{ "function", false },
		{ "calls", true },
		{ "bytes_sent", true },
		{ "bytes_received", true },
		{ "time", true },
		{ "mean", true },
		{ "min", true },
		{ "max", true },
		{ "before", true },
		{ "max_rank", true },
		{ "before_max", true },
		{ "before_rank", true },
		{ "failed", true },
	};
	size_t skip = s->by == RSD_BY_FUNCTION;
	bool by_key = s->by == RSD_BY_RANK || s->by == RSD_BY_MESSAGE, ok;
	struct rsd_table table;

	rsd_stats_sort(s, o->order >= 0 ? (enum rsd_stats_order)o->order
			  : by_key	? RSD_SORT_KEY
					: RSD_SORT_TIME);
	rsd_table_init(&table, column + skip, RSD_ARRAY_SIZE(column) - skip);
	table.color = color;
	for (size_t i = 0; i < s->nr_rows && (uint64_t)i < (uint64_t)o->top; i++)
		put_row(s, &s->row[i], &table);
	ok = rsd_table_print(&table, o->format, out);
	rsd_table_release(&table);
	if (ok && s->nr_rows && (s->by == RSD_BY_RANK || s->one_rank) && !rsd_stats_has_times(s))
		rsd_tool_error(RSD_NO_RANK_TIMES);
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}

static int run(const struct rsd_trace *t, const char *path, const struct options *o)
{
	struct rsd_sources *sources;
	struct rsd_stats s = { .t = t,
		.by = (enum rsd_stats_key)o->by,
		.one_rank = o->rank >= 0,
		.rank = (int)o->rank };
	struct rsd_out out = RSD_OUT_INIT;
	bool color = rsd_print_wants_color(o->color);
	int code = RSD_EXIT_ERROR;

	s.f = rsd_format_open(t, &o->source, &sources);
	if (!s.f)
		rsd_tool_error("out of memory");
	else if (o->by == BY_NOTHING)
		code = rsd_stats_page(
			t, path, s.f, o->top == INT64_MAX ? 8 : (size_t)o->top, color, &out);
	else if (o->by == BY_SIZE)
		code = rsd_stats_by_size(t, s.f, o->format, (size_t)o->top, &out);
	else if (!rsd_stats_collect(&s))
		code = show(&s, o, color, &out);
	rsd_format_free(s.f);
	rsd_sources_free(sources);
	rsd_stats_release(&s);
	return rsd_out_end(&out, code);
}

/* ---- options ---------------------------------------------------------------------------------------- */

static bool parse_word(
	const char *option, const char *word, const char *const *known, size_t nr, int *out)
{
	struct rsd_buf all = RSD_BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (known[i] && strcmp(known[i], word) == 0) {
			*out = (int)i;
			rsd_buf_release(&all);
			return true;
		}
		if (known[i])
			rsd_buf_printf(&all, "%s%s",
				!all.len      ? ""
				: i + 1 == nr ? " or "
					      : ", ",
				known[i]);
	}
	rsd_tool_error("%s '%s': not %.*s", option, word, (int)all.len, (const char *)all.data);
	rsd_buf_release(&all);
	return false;
}

static bool parse_key(const char *word, int *by)
{
	static const char *const key[] = { [RSD_BY_FUNCTION] = "function",
		[RSD_BY_SITE] = "site",
		[RSD_BY_RANK] = "rank",
		[RSD_BY_COMM] = "comm",
		[RSD_BY_MESSAGE] = "message",
		[RSD_BY_CLASS] = "size" };

	if (!parse_word("--by", word, key, RSD_ARRAY_SIZE(key), by))
		return false;
	if (*by == RSD_BY_CLASS)
		*by = BY_SIZE;
	return true;
}

/* Returns -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const char *const order[] = { [RSD_SORT_TIME] = "time",
		[RSD_SORT_BEFORE] = "before",
		[RSD_SORT_CALLS] = "calls",
		[RSD_SORT_BYTES] = "bytes",
		[RSD_SORT_KEY] = "key" };
	static const char *const when[] = { "auto", "always", "never" };
	static const struct option option[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "top", required_argument, NULL, 'n' },
		{ "rank", required_argument, NULL, 'r' },
		{ "sort", required_argument, NULL, 's' },
		{ "color", required_argument, NULL, 'c' },
		RSD_SOURCE_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, ignored;
	bool ok = true;

	while (ok && (c = getopt_long(argc, argv, ":b:n:r:s:f:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == '?' || c == ':')
			return rsd_tool_bad_option(c, argv);
		if (c == 'b')
			ok = parse_key(optarg, &o->by);
		else if (c == 'n')
			ok = rsd_tool_number("--top", optarg, 1, INT64_MAX, &o->top);
		else if (c == 'r')
			ok = rsd_tool_number("--rank", optarg, 0, INT32_MAX, &o->rank);
		else if (c == 's')
			ok = parse_word("--sort", optarg, order, RSD_ARRAY_SIZE(order), &o->order);
		else if (c == 'f')
			ok = o->formatted = rsd_table_parse_format(optarg, &o->format);
		else if (c == 'c')
			ok = parse_word(
				"--color", o->color = optarg, when, RSD_ARRAY_SIZE(when), &ignored);
		else
			rsd_source_option(&o->source, c, optarg);
	}
	if (o->by == BY_NOTHING && (o->formatted || o->order >= 0 || o->rank >= 0))
		o->by = RSD_BY_FUNCTION;
	if (ok && o->by == BY_SIZE && o->rank >= 0)
		return rsd_tool_error("--rank: the bytes of the trace are those of all ranks");
	return ok ? -1 : RSD_EXIT_ERROR;
}

int rsd_cmd_stats(int argc, char **argv)
{
	struct options o = { .by = BY_NOTHING,
		.order = -1,
		.rank = -1,
		.top = INT64_MAX,
		.format = RSD_TABLE_ALIGNED,
		.color = "auto" };
	const char *path;
	struct rsd_trace *t;
	int code = parse_options(argc, argv, &o);

	if (code >= 0)
		return code;
	if (!(path = rsd_tool_operand(argc, argv)) || !(t = rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	code = o.rank < 0 || rsd_tool_has_rank(t, path, o.rank) ? run(t, path, &o) : RSD_EXIT_ERROR;
	rsd_trace_free(t);
	return code;
}
