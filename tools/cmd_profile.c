/* cmd_profile.c - rsd profile: loops, call paths and dependences as text files */
#include "export/profile.h"
#include "tool.h"

static const char help[] =
	"usage: rsd profile -o DIR [OPTION]... TRACE\n"
	"\n"
	"Writes a folder of text files, one purpose each: functions, call sites, loops with their\n"
	"iterations, the tree of call paths and the transitions in it, and which receiving place\n"
	"takes messages from which sending place. The README in it says what the files are.\n"
	"\n"
	"  -o, --output=DIR     the folder: a new one, or an older profile, which is replaced\n"
	"      --no-source      do not look call sites up in the source\n"
	"      --debug-root=DIR   look for modules and debug files under DIR, too\n"
	"      --source-root=DIR  the sources are under DIR now\n"
	"  -h, --help           this text\n";

static int run(const struct rsd_trace *t, const char *path, const char *out,
	const struct rsd_source_options *o)
{
	struct rsd_sources *sources = o->wanted ? rsd_sources_new(t, o) : NULL;
	struct rsd_export x = { t, path, out, rsd_format_new(t), sources };
	int code;

	if (!x.format || (o->wanted && !sources))
		code = rsd_tool_error("out of memory");
	else
		code = rsd_profile(&x);
	rsd_format_free(x.format);
	rsd_sources_free(sources);
	return code;
}

int rsd_cmd_profile(int argc, char **argv)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "no-source", no_argument, NULL, 'N' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_source_options source = { .wanted = true };
	const char *out = NULL, *path;
	struct rsd_trace *t;
	int c, code;

	while ((c = getopt_long(argc, argv, ":o:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'o')
			out = optarg;
		else if (c == 'N')
			source.wanted = false;
		else if (!rsd_source_option(&source, c, optarg))
			return rsd_tool_bad_option(c, argv);
	}
	if (!out)
		return rsd_tool_error("no folder given: -o DIR");
	if (!(path = rsd_tool_operand(argc, argv)) || !(t = rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	code = run(t, path, out, &source);
	rsd_trace_free(t);
	return code;
}
