/* cmd_codegen.c - rsd codegen: the trace as a C program */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codegen/codegen.h"
#include "export/sink.h"
#include "merge.h"
#include "scan.h"
#include "tool.h"
#include "util.h"

static const char help[] =
	"usage: rsd codegen [OPTION]... TRACE\n"
	"\n"
	"Writes a C program that makes the MPI calls of the trace, its loops as loops.\n"
	"\n"
	"  -o, --output=FILE   where to (standard output)\n"
	"  -h, --help          this text\n"
	"\n"
	"What is beyond such a program is told on stderr, and in the program; the exit code is\n"
	"then 1. So it is where RECORD_CALLS left calls out of the trace: these can't be in it.\n";

static const char *reason(const struct cg *cg, size_t place, bool undecided)
{
	const struct cg_place *p = &cg->place[place];

	return !undecided ? p->why_not : p->why_not ? NULL : cg_undecided(cg, (int)place);
}

/* Functions and reasons with how many calls; how many of them there were. */
static size_t report(const struct cg *cg, bool undecided)
{
	size_t nr = 0;

	for (size_t i = 0; i < cg->t->nr_places; i++)
		cg->place[i].listed = false;
	for (size_t i = 0; i < cg->t->nr_places; i++) {
		const char *why = reason(cg, i, undecided);
		struct rsd_buf name = RSD_BUF_INIT;
		uint64_t calls = 0;

		if (!why || cg->place[i].listed)
			continue;
		for (size_t k = i; k < cg->t->nr_places; k++) {
			const char *other = reason(cg, k, undecided);

			if (cg->t->place[k].func != cg->t->place[i].func || !other ||
				strcmp(other, why))
				continue;
			cg->place[k].listed = true;
			calls += cg->place[k].calls;
		}
		cg_comment(cg->t->func[cg->t->place[i].func].name, &name);
		rsd_tool_error("%s: %.*s: %" PRIu64 " call%s: %s",
			undecided ? "not deterministic" : "not covered", (int)name.len,
			(char *)name.data, calls, calls == 1 ? "" : "s", why);
		rsd_buf_release(&name);
		nr++;
	}
	return nr;
}

static bool lacks_requests(const struct cg *cg, int place)
{
	return !cg->place[place].why_not && cg->place[place].lacks_request;
}

/* Calls that are in the program, but not all of them, or not wholly; at how many places. */
static size_t report_partly(
	const struct cg *cg, bool (*is_so)(const struct cg *cg, int place), const char *why)
{
	size_t nr = 0;

	for (size_t i = 0; i < cg->t->nr_places; i++) {
		struct rsd_buf name = RSD_BUF_INIT;

		if (!is_so(cg, (int)i))
			continue;
		cg_comment(cg->t->func[cg->t->place[i].func].name, &name);
		rsd_tool_error("not covered: %.*s: some of %" PRIu64 " calls: %s", (int)name.len,
			(char *)name.data, cg->place[i].calls, why);
		rsd_buf_release(&name);
		nr++;
	}
	return nr;
}

/* What the program does as a whole that the trace did not. */
static size_t report_whole(const struct rsd_trace *t)
{
	const char *calls = rsd_tool_not_recorded(t);
	struct rsd_buf shown = RSD_BUF_INIT;
	size_t nr = 0;

	if (calls) {
		rsd_scan_put_shown(&shown, calls);
		rsd_tool_error("what was not recorded is not in the program: calls %.*s "
			       "(RECORD_CALLS)",
			(int)shown.len, shown.len ? (char *)shown.data : "");
		rsd_buf_release(&shown);
		nr++;
	}
	if (!t->complete) {
		rsd_tool_error("the trace is incomplete: the program may not come to its end");
		nr++;
	}
	return nr;
}

/* To 'path', or to standard output where there is none. */
static int write_to(const char *path, struct rsd_buf *text)
{
	struct rsd_out out = RSD_OUT_INIT;
	struct rsd_sink *s;

	if (path)
		return (s = rsd_sink_open(path)) ? rsd_sink_close(s, rsd_sink_put(s, text))
						 : RSD_EXIT_ERROR;
	out.buf = *text;
	*text = RSD_BUF_INIT;
	return rsd_out_end(&out, RSD_EXIT_OK);
}

static void release(struct cg *cg)
{
	for (size_t i = 0; cg->place && i < cg->t->nr_places; i++) {
		struct cg_place *p = &cg->place[i];

		for (int k = 0; p->request && k < cg->t->func[cg->t->place[i].func].nr_params;
			k++) {
			rsd_params_release(&p->request[k].var);
			rsd_params_release(&p->request[k].each);
		}
		free(p->request);
		free(p->param);
		free(p->col);
	}
	free(cg->place);
	free(cg->first_col);
	free(cg->tabled);
	free(cg->named);
	rsd_buf_release(&cg->body);
	rsd_buf_release(&cg->tables);
	rsd_buf_release(&cg->what);
	rsd_buf_release(&cg->functions);
	rsd_buf_release(&cg->function_names);
}

static int generate(const struct rsd_trace *t, const char *path, const char *output)
{
	/* A message may be longer than it was by one spread, a receive's count shorter by another. */
	double spread = rsd_scalars_spread(t);
	struct cg cg = { .t = t, .path = path, .stretch = spread * spread };
	struct rsd_buf out = RSD_BUF_INIT;
	size_t missing;
	int code = RSD_EXIT_ERROR;

	if (t->nr_logs && !t->nr_trees)
		return rsd_tool_error("%s: a flat trace (of libdump) has no loops to write", path);
	if (cg_cover(&cg) && cg_place_requests(&cg)) {
		cg_program(&cg, &out);
		missing = report(&cg, false) +
			  report_partly(&cg, cg_fails_at_times, "failed in the traced run") +
			  report_partly(&cg, lacks_requests, CG_USES_ABSENT) + report_whole(t);
		report(&cg, true);
		code = write_to(output, &out);
		if (!code && missing)
			code = RSD_EXIT_NO;
	}
	release(&cg);
	rsd_buf_release(&out);
	return code;
}

int rsd_cmd_codegen(int argc, char **argv)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *output = NULL, *path;
	struct rsd_trace *t;
	int c, code;

	while ((c = getopt_long(argc, argv, ":o:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c != 'o')
			return rsd_tool_bad_option(c, argv);
		output = optarg;
	}
	if (!(path = rsd_tool_operand(argc, argv)) ||
		(output && !rsd_tool_is_other(path, output)) || !(t = rsd_tool_load(path)))
		return RSD_EXIT_ERROR;
	/* A rank's own part of a trace may have peers in both encodings. */
	rsd_merge_settle(t);
	code = cg_without_moves(t)
		       ? generate(t, path, output)
		       : rsd_tool_error("%s: how often loops run follows no rule, and is "
					"too much to be written one by one",
				 path);
	rsd_trace_free(t);
	return code;
}
