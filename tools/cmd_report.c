/* cmd_report.c - rsd report: one page that shows a trace, for a browser without network */
#include "report/page.h"
#include "report/report.h"
#include "source.h"
#include "util.h"

static const char help[] =
	"usage: rsd report [OPTION]... -o OUT.html TRACE\n"
	"\n"
	"Writes a page with all that is to be seen in a trace: who sends to whom, calls, bytes and "
	"time by\n"
	"function, call site, size of messages and rank, loops, calls by stack, and a timeline.\n"
	"\n"
	"  -o, --output=OUT       the file to write; an older one is replaced when the new one is "
	"whole\n"
	"      --no-source        call sites as module and offset: do not look for source lines\n"
	"      --debug-root=DIR   look for modules and debug files under DIR, too\n"
	"      --source-root=DIR  the sources are under DIR now\n"
	"  -h, --help             this text\n"
	"\n"
	"The page needs nothing but itself.\n";

static json_t *document(struct report *r, const char *path)
{
	json_t *part[] = { report_summary_json(r, path), report_rows_json(r), report_load_json(r),
		report_links_json(r), report_loops_json(r), report_paths_json(r),
		report_timeline_json(r) };

	/* A part that is missing makes the whole fail, and leaves the others to the end of the program. */
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "run", part[0], "calls",
		part[1], "load", part[2], "links", part[3], "loops", part[4], "paths", part[5],
		"timeline", part[6], "noTimeline", RSD_NO_RANK_TIMES);
}

static int run(const struct rsd_trace *t, const char *path, const char *output,
	const struct rsd_source_options *source)
{
	struct rsd_sources *sources;
	struct report r = { .t = t };
	json_t *j = NULL;
	int err, code = RSD_EXIT_ERROR;

	r.f = rsd_format_open(t, source, &sources);
	r.sources = sources;
	err = r.f ? report_gather(&r) : RSD_ERR_NOMEM;
	if (!err && !(j = document(&r, path)))
		err = RSD_ERR_NOMEM;
	if (!err)
		code = report_page_write(j, output);
	else if (err != RSD_ERR_FORMAT)
		rsd_tool_error("%s", rsd_strerror(err));
	json_decref(j);
	report_release(&r);
	rsd_sources_free(sources);
	rsd_format_free(r.f);
	return code;
}

int rsd_cmd_report(int argc, char **argv)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "no-source", no_argument, NULL, 'n' },
		RSD_SOURCE_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_source_options source = { .wanted = true, .stacks = true };
	const char *path, *output = NULL;
	struct rsd_trace *t;
	int c, code;

	while ((c = getopt_long(argc, argv, ":o:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'o')
			output = optarg;
		else if (c == 'n')
			source.wanted = false;
		else if (!rsd_source_option(&source, c, optarg))
			return rsd_tool_bad_option(c, argv);
	}
	if (!output)
		return rsd_tool_error("no output file given: -o OUT");
	if (!(path = rsd_tool_operand(argc, argv)) || !rsd_tool_is_other(path, output) ||
		!report_page_try(output) || !(t = rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	code = run(t, path, output, &source);
	rsd_trace_free(t);
	return code;
}
