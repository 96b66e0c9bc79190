/* cmd_merge.c - rsd merge: the cross-rank merge of libglob, offline */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"
#include "util.h"
#include "write.h"

static const char merge_help[] = "usage: rsd merge [OPTION]... -o OUT TRACE...\n"
				 "\n"
				 "Joins traces of single ranks, or of ranges of ranks, into one, "
				 "as libglob does at the end of\n"
				 "a run. A TRACE may be FILE for all of FILE.0, FILE.1, ...\n"
				 "\n"
				 "  -o, --output=OUT   the file to write; an older one is replaced "
				 "when the new one is whole\n"
				 "  -t, --to=FORMAT    rsd (the default), binary or ascii\n"
				 "  -h, --help         this text\n";

struct output {
	const char *path;
	const char *format_name;
	enum rsd_format format;
};

/* Returns -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct output *o)
{
	static const struct option option[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":o:t:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(merge_help);
		if (c == 'o')
			o->path = optarg;
		else if (c == 't')
			o->format_name = optarg;
		else
			return rsd_tool_bad_option(c, argv);
	}
	if (!rsd_write_format(o->format_name, &o->format))
		return RSD_EXIT_ERROR;
	if (!o->path)
		return rsd_tool_error("no output file given: -o OUT");
	return -1;
}

/* ---- merge ------------------------------------------------------------------------------------
 */

struct input {
	const char *path;
	struct rsd_trace *t;
};

static int compare_inputs(const void *a, const void *b)
{
	const struct input *x = a, *y = b;
	int p = rsd_ranks_first(&x->t->ranks), q = rsd_ranks_first(&y->t->ranks);

	return (p > q) - (p < q);
}

/* Of one run, as far as can be told; where not, after a message. */
static bool are_of_one_run(const struct input *in, size_t nr)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = 0;

	for (size_t i = 1; i < nr && !err; i++)
		err = rsd_merge_check(in[0].t, in[0].path, in[i].t, in[i].path, &why);
	if (err)
		rsd_tool_error("%.*s", (int)why.len, why.len ? (char *)why.data : "");
	rsd_buf_release(&why);
	return !err;
}

/* Merging needs every rank of one trace above every rank of the one before. */
static bool are_apart(const struct input *in, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (rsd_ranks_is_empty(&in[i].t->ranks)) {
			rsd_tool_error("%s: no ranks in it", in[i].path);
			return false;
		}
		if (i && rsd_ranks_first(&in[i].t->ranks) <= rsd_ranks_last(&in[i - 1].t->ranks)) {
			rsd_tool_error("%s and %s: ranks overlap or interleave", in[i - 1].path,
				in[i].path);
			return false;
		}
	}
	return true;
}

/* As libglob does in the end: histograms of what ranks have to agree on, where the run was recorded with such. */
static int agree(struct rsd_trace *t)
{
	const char *percent = rsd_trace_get_meta(t, "histo");
	int err = percent ? rsd_scalars_agree(t, strtod(percent, NULL)) : 0;

	return err ? rsd_tool_error("%s", rsd_strerror(err)) : RSD_EXIT_OK;
}

/* Neighbours first, then pairs of pairs: each trace is gone through as often as in a tree. */
static int merge_all(struct input *in, size_t nr)
{
	struct rsd_progress progress;
	int err = 0;

	rsd_progress_begin(&progress, "merging", nr);
	for (size_t step = 1; step < nr && !err; step *= 2) {
		for (size_t i = 0; i + step < nr && !err; i += 2 * step) {
			err = rsd_merge(in[i].t, in[i + step].t);
			in[i + step].t = NULL;
			if (err)
				rsd_tool_error("cannot merge %s and %s: %s", in[i].path,
					in[i + step].path, rsd_strerror(err));
			rsd_progress_step(&progress, 1);
		}
	}
	rsd_progress_end(&progress);
	return err ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}

static int load_all(struct input *in, char **path, size_t nr)
{
	struct rsd_progress progress;

	rsd_progress_begin(&progress, "reading", nr);
	for (size_t i = 0; i < nr; i++) {
		in[i].path = path[i];
		in[i].t = rsd_tool_load_as_is(path[i]);
		if (!in[i].t)
			return RSD_EXIT_ERROR;
		rsd_progress_step(&progress, 1);
	}
	rsd_progress_end(&progress);
	qsort(in, nr, sizeof(*in), compare_inputs);
	return are_of_one_run(in, nr) && are_apart(in, nr) ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}

/* None of the inputs may be replaced: what is of a rank alone (its state, its host) is not in the whole. */
static bool are_other(char **path, size_t nr, const char *output)
{
	for (size_t i = 0; i < nr; i++)
		if (!rsd_tool_is_other(path[i], output))
			return false;
	return true;
}

int rsd_cmd_merge(int argc, char **argv)
{
	struct output o = { .format_name = "rsd" };
	struct input *in;
	size_t nr;
	int code = parse_options(argc, argv, &o);

	if (code >= 0)
		return code;
	nr = (size_t)(argc - optind);
	if (!nr)
		return rsd_tool_error("no traces given (see --help)");
	if (!are_other(argv + optind, nr, o.path))
		return RSD_EXIT_ERROR;
	in = rsd_calloc(nr, sizeof(*in));
	if (!in)
		return rsd_tool_error("out of memory");
	code = load_all(in, argv + optind, nr);
	if (!code)
		code = merge_all(in, nr);
	if (!code) {
		rsd_merge_settle(in[0].t);
		rsd_trace_round_times(in[0].t);
		code = agree(in[0].t);
	}
	if (!code)
		code = rsd_write_trace(in[0].t, o.path, o.format);
	for (size_t i = 0; i < nr; i++)
		rsd_trace_free(in[i].t);
	free(in);
	return code;
}
