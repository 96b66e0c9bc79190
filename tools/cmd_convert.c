/* cmd_convert.c - rsd convert: a trace in another format, of its own or of other programs */
#include <string.h>
#include "export/exports.h"
#include "source.h"
#include "tool.h"
#include "write.h"

static const char help[] =
	"usage: rsd convert --to=FORMAT -o OUT [OPTION]... TRACE\n"
	"\n"
	"Writes a trace in another format.\n"
	"\n"
	"  -t, --to=FORMAT      rsd: text that keeps the loops; binary: the same, compact;\n"
	"                       ascii: text, one event a line\n"
	"                       otf2: a folder that Vampir, Scalasca and otf2-print read\n"
	"                       perfetto: Chrome's JSON, for ui.perfetto.dev\n"
	"                       csv: one event a row, a column an argument\n"
	"                       tit: a folder with SimGrid's time-independent traces\n"
	"                       dot: the call tree, for Graphviz\n"
	"  -o, --output=OUT     the file to write; an older one is replaced when the new one is\n"
	"                       whole. A folder must not be there\n"
	"      --no-source      do not look call sites up in the source for otf2 and dot, which "
	"do\n" RSD_SOURCE_HELP "  -h, --help           this text\n"
	"\n"
	"Where a trace does not have each call's time (RECORD_TIME=full), what shows times has\n"
	"estimates from the statistics, and says so. What of the trace has no place in the format\n"
	"is told, too.\n";

struct options {
	const char *format, *out;
	bool foreign;	     /* it is other programs' */
	enum rsd_format own; /* or which of ours */
	struct rsd_source_options source;
	bool no_source;
};

/* Returns -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "to", required_argument, NULL, 't' },
		{ "no-source", no_argument, NULL, 'N' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":o:t:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'o')
			o->out = optarg;
		else if (c == 't')
			o->format = optarg;
		else if (c == 'N')
			o->no_source = true;
		else if (!rsd_source_option(&o->source, c, optarg))
			return rsd_tool_bad_option(c, argv);
	}
	if (!o->format)
		return rsd_tool_error(
			"no format given: --to=rsd, binary, ascii, " RSD_EXPORT_NAMES);
	o->foreign = rsd_export_find(o->format);
	if (!o->foreign && !rsd_write_is_format(o->format, &o->own))
		return rsd_tool_error(
			"--to '%s': not rsd, binary, ascii, " RSD_EXPORT_NAMES, o->format);
	if (!o->out)
		return rsd_tool_error("no output given: -o OUT");
	return -1;
}

int rsd_cmd_convert(int argc, char **argv)
{
	struct options o = { .format = NULL };
	struct rsd_trace *t;
	const char *path;
	int code = parse_options(argc, argv, &o);
	bool as_is; /* nothing is lost: what has histograms of values keeps them */

	if (code >= 0)
		return code;
	path = rsd_tool_operand(argc, argv);
	as_is = !o.foreign && o.own != RSD_FORMAT_ASCII;
	if (!path ||
		!(o.foreign ? rsd_tool_is_other(path, o.out)
			    : rsd_write_may_replace(path, o.out, o.own)) ||
		!(t = as_is ? rsd_tool_load_as_is(path) : rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	if (o.foreign)
		code = rsd_export(o.format,
			&(struct rsd_export_options){ t, path, o.out, &o.source, o.no_source });
	else
		code = rsd_write_trace(t, o.out, o.own);
	rsd_trace_free(t);
	return code;
}
