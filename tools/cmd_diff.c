/* cmd_diff.c - rsd diff: compares two traces rank by rank, call by call, or by their statistics */
#include <limits.h>
#include "compare.h"
#include "diff_stats.h"
#include "print_tree.h"
#include "tool.h"

static const char help[] =
	"usage: rsd diff [OPTION]... A B\n"
	"\n"
	"Compares two traces rank by rank and thread by thread, call by call, arguments, results\n"
	"and call stacks; time is not compared. Shows where each thread differs first.\n"
	"\n"
	"  -i, --ignore-sites  compare calls and arguments only\n"
	"  -r, --rank=R        only rank R\n"
	"  -m, --max=N         show N differences (10), and whether there are "
	"more\n" RSD_SOURCE_HELP
	"  -s, --stats         compare calls, bytes and time of each call site instead (with\n"
	"                      --ignore-sites, of each function): what changed first, and a table\n"
	"  -f, --format=FORMAT of that table: table (the default), tsv or json\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 0 equal (with --stats: in calls and bytes), 1 different, 2 a trace can't be\n"
	"read.\n";

#define MOST_SHOWN 10

static int compare_stats(
	char **path, const struct rsd_compare_options *o, enum rsd_table_format format)
{
	/* Programs read all rows, unless they say otherwise. */
	const struct rsd_diff_stats d = { .ignore_sites = o->ignore_sites,
		.max = o->max			     ? o->max
		       : format == RSD_TABLE_ALIGNED ? MOST_SHOWN
						     : INT64_MAX,
		.color = rsd_print_wants_color("auto"),
		.format = format,
		.source = o->source };

	if (o->rank >= 0)
		return rsd_tool_error("--stats compares all ranks together: not with --rank");
	return rsd_diff_stats(path[0], path[1], &d);
}

int rsd_cmd_diff(int argc, char **argv)
{
	static const struct option option[] = {
		{ "ignore-sites", no_argument, NULL, 'i' },
		{ "rank", required_argument, NULL, 'r' },
		{ "max", required_argument, NULL, 'm' },
		{ "stats", no_argument, NULL, 's' },
		{ "format", required_argument, NULL, 'f' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_compare_options o = { .rank = -1, .hints = true };
	enum rsd_table_format format = RSD_TABLE_ALIGNED;
	bool stats = false;
	int c;

	while ((c = getopt_long(argc, argv, ":ir:m:sf:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'i')
			o.ignore_sites = true;
		else if (c == 's')
			stats = true;
		else if (c == 'f' && !rsd_table_parse_format(optarg, &format))
			return RSD_EXIT_ERROR;
		else if (c == 'r' && !rsd_tool_number("--rank", optarg, 0, INT_MAX, &o.rank))
			return RSD_EXIT_ERROR;
		else if (c == 'm' && !rsd_tool_number("--max", optarg, 1, INT64_MAX, &o.max))
			return RSD_EXIT_ERROR;
		else if (!rsd_source_option(&o.source, c, optarg) && (c == '?' || c == ':'))
			return rsd_tool_bad_option(c, argv);
	}
	if (argc - optind != 2)
		return rsd_tool_error("two traces are needed (see --help)");
	if (stats)
		return compare_stats(argv + optind, &o, format);
	o.max = o.max ? o.max : MOST_SHOWN;
	o.source.stacks = true; /* which differences may lie in */
	return rsd_compare(argv[optind], argv[optind + 1], &o);
}
