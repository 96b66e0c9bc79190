/* cmd_diff.c - rsd diff: compares two traces rank by rank, call by call */
#include <limits.h>
#include "compare.h"
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
	"more\n" RSD_SOURCE_HELP "  -h, --help          this text\n"
	"\n"
	"Exit status: 0 equal, 1 different, 2 a trace can't be read.\n";

int rsd_cmd_diff(int argc, char **argv)
{
	static const struct option option[] = {
		{ "ignore-sites", no_argument, NULL, 'i' },
		{ "rank", required_argument, NULL, 'r' },
		{ "max", required_argument, NULL, 'm' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_compare_options o = { .rank = -1, .max = 10, .hints = true };
	int c;

	while ((c = getopt_long(argc, argv, ":ir:m:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'i')
			o.ignore_sites = true;
		else if (c == 'r' && !rsd_tool_number("--rank", optarg, 0, INT_MAX, &o.rank))
			return RSD_EXIT_ERROR;
		else if (c == 'm' && !rsd_tool_number("--max", optarg, 1, INT64_MAX, &o.max))
			return RSD_EXIT_ERROR;
		else if (!rsd_source_option(&o.source, c, optarg) && (c == '?' || c == ':'))
			return rsd_tool_bad_option(c, argv);
	}
	if (argc - optind != 2)
		return rsd_tool_error("two traces are needed (see --help)");
	return rsd_compare(argv[optind], argv[optind + 1], &o);
}
