/* cmd_print.c - rsd print: the loops of a trace as they are, or (--expand) one event a line */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "print_tree.h"
#include "tool.h"
#include "util.h"
#include "walk.h"

static const char help[] =
	"usage: rsd print [OPTION]... TRACE\n"
	"\n"
	"Shows the loops of a trace, indented, with ranks and parameters.\n"
	"\n"
	"  -e, --expand        one event a line: rank by rank, each one's calls in order\n"
	"  -j, --json          JSON: the structure, or with --expand one object a line\n"
	"  -r, --rank=R        only rank R\n"
	"  -s, --stack         the whole call stack, not only the call site\n" RSD_SOURCE_HELP
	"  -f, --full          long texts of parameters in full\n"
	"      --color=WHEN    colours: auto (on a terminal, unless NO_COLOR is set), always, "
	"never\n"
	"  -h, --help          this text\n";

struct print_options {
	bool expand, stack, full;
	struct rsd_source_options source;
	enum rsd_style style;
	int64_t rank; /* -1: all */
	const char *color;
};

/* One thread of one rank. False after a message, or where output has failed. */
static bool expand_thread(struct rsd_format *f, const struct rsd_trace *t, int rank, int thread,
	const struct print_options *o, struct rsd_out *out)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err = rsd_walk_new(&w, t, rank, thread);

	if (err == RSD_ERR_END)
		return true;
	if (err) {
		rsd_tool_walk_failed(t, rank, NULL, err);
		return false;
	}
	while (!(err = rsd_walk_next(w, &e))) {
		rsd_format_event(f, &e, o->style, o->stack, &out->buf);
		rsd_buf_put_byte(&out->buf, '\n');
		if (!rsd_out_more(out))
			break;
	}
	if (err && err != RSD_ERR_END)
		rsd_tool_walk_failed(t, rank, w, err);
	rsd_walk_free(w);
	return err == RSD_ERR_END;
}

static bool expand_rank(struct rsd_format *f, const struct rsd_trace *t, int rank,
	const struct print_options *o, struct rsd_out *out)
{
	size_t nr;
	int *thread;
	bool ok = !rsd_trace_threads(t, rank, &thread, &nr);

	if (!ok) {
		rsd_tool_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < nr && ok; i++)
		ok = expand_thread(f, t, rank, thread[i], o, out);
	free(thread);
	return ok;
}

static int expand(struct rsd_format *f, const struct rsd_trace *t, const struct print_options *o,
	struct rsd_out *out)
{
	int rank = o->rank >= 0 ? (int)o->rank : rsd_ranks_first(&t->ranks);
	bool ok = true;

	while (ok && rank >= 0) {
		ok = expand_rank(f, t, rank, o, out);
		rank = o->rank >= 0 ? -1 : rsd_ranks_next(&t->ranks, rank);
	}
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}

static int parse_options(int argc, char **argv, struct print_options *o)
{
	static const struct option option[] = {
		{ "expand", no_argument, NULL, 'e' },
		{ "json", no_argument, NULL, 'j' },
		{ "rank", required_argument, NULL, 'r' },
		{ "stack", no_argument, NULL, 's' },
		RSD_SOURCE_OPTIONS,
		{ "full", no_argument, NULL, 'f' },
		{ "color", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":ejr:sfh", option, NULL)) != -1) {
		switch (c) {
		case 'e':
			o->expand = true;
			break;
		case 'j':
			o->style = RSD_STYLE_JSON;
			break;
		case 'r':
			if (!rsd_tool_number("--rank", optarg, 0, INT_MAX, &o->rank))
				return RSD_EXIT_ERROR;
			break;
		case 's':
			o->stack = true;
			break;
		case 'f':
			o->full = true;
			break;
		case 'c':
			o->color = optarg;
			break;
		case 'h':
			exit(rsd_tool_help(help));
		default:
			if (!rsd_source_option(&o->source, c, optarg))
				return rsd_tool_bad_option(c, argv);
		}
	}
	if (strcmp(o->color, "auto") && strcmp(o->color, "always") && strcmp(o->color, "never"))
		return rsd_tool_error("--color '%s': not auto, always or never", o->color);
	return RSD_EXIT_OK;
}

int rsd_cmd_print(int argc, char **argv)
{
	struct print_options o = { .rank = -1, .style = RSD_STYLE_TEXT, .color = "auto" };
	struct rsd_out out = RSD_OUT_INIT;
	struct rsd_sources *sources = NULL;
	struct rsd_format *f = NULL;
	struct rsd_trace *t;
	const char *path;
	int code = parse_options(argc, argv, &o);

	if (code || !(path = rsd_tool_operand(argc, argv)) ||
		!(t = o.expand ? rsd_tool_load(path) : rsd_tool_load_shown(path)))
		return RSD_EXIT_ERROR;
	code = RSD_EXIT_ERROR;
	if (!rsd_tool_has_rank(t, path, o.rank))
		goto out;
	o.source.stacks = o.stack;
	f = rsd_format_open(t, &o.source, &sources);
	if (!f) {
		rsd_tool_error("out of memory");
		goto out;
	}
	if (o.expand)
		code = expand(f, t, &o, &out);
	else
		code = rsd_print_tree(&(struct rsd_tree_view){ .t = t,
			.f = f,
			.path = path,
			.rank = (int)o.rank,
			.style = o.style,
			.stack = o.stack,
			.full = o.full,
			.color = rsd_print_wants_color(o.color),
			.out = &out });
	code = rsd_out_end(&out, code);
out:
	rsd_format_free(f);
	rsd_sources_free(sources);
	rsd_trace_free(t);
	return code;
}
