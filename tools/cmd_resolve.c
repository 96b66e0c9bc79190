/* cmd_resolve.c - rsd resolve: puts the source lines of call stacks into the trace */
#include "source.h"
#include "tool.h"
#include "write.h"

static const char help[] =
	"usage: rsd resolve [OPTION]... -o OUT TRACE\n"
	"\n"
	"Writes the trace with the source lines of all its call stacks in it, so that they can be "
	"shown\n"
	"where the programs are not, or are other builds by then.\n"
	"\n"
	"  -o, --output=OUT       the file to write; an older one is replaced when the new one is "
	"whole\n"
	"  -t, --to=FORMAT        rsd (the default), binary or ascii\n"
	"      --debug-root=DIR   look for modules and debug files under DIR, too\n"
	"      --source-root=DIR  the sources are under DIR now\n"
	"  -h, --help             this text\n"
	"\n"
	"A module that is not there, or is not the build that was traced, is named in a message.\n";

int rsd_cmd_resolve(int argc, char **argv)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "to", required_argument, NULL, 't' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_source_options source = { .wanted = true };
	enum rsd_format format = RSD_FORMAT_RSD;
	const char *path, *to = NULL;
	struct rsd_trace *t;
	int c, code;

	while ((c = getopt_long(argc, argv, ":o:t:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'o')
			to = optarg;
		else if (c == 't' && !rsd_write_format(optarg, &format))
			return RSD_EXIT_ERROR;
		else if (!rsd_source_option(&source, c, optarg) && c != 't')
			return rsd_tool_bad_option(c, argv);
	}
	if (!to)
		return rsd_tool_error("no output file given: -o OUT");
	if (!(path = rsd_tool_operand(argc, argv)) || !rsd_write_may_replace(path, to, format) ||
		!(t = rsd_tool_load_as_is(path)))
		return RSD_EXIT_ERROR;
	if (rsd_sources_resolve(t, &source))
		code = rsd_tool_error("out of memory");
	else
		code = rsd_write_trace(t, to, format);
	rsd_trace_free(t);
	return code;
}
