/*
 * cmd_run.c - rsd run: runs a program with the tracer preloaded
 *
 * The library is handed on in LD_PRELOAD. A launcher such as mpiexec loads it, too: it then
 * has MPI_* functions that nobody there calls, bound lazily, and does nothing. Where a plugin
 * brings MPI later, late.h finds it. In a program of another MPI it stands aside (stranger.h).
 */
#include <string.h>
#include "child.h"
#include "config.h"
#include "preload.h"
#include "settings.h"
#include "tool.h"
#include "util.h"
#include "watch.h"

static const char help[] =
	"usage: rsd run [OPTION]... [--] mpiexec ... PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs an MPI program as it is, with the tracer preloaded. Its exit code is passed on, but\n"
	"for 0 where no trace was written: that is 1, and said.\n"
	"Programs that are statically linked with MPI must be relinked instead.\n"
	"\n"
	"  -l, --level=LEVEL   glob (the default): one merged trace; node: folded, one file a "
	"rank;\n"
	"                      dump: one file a rank, every event\n"
	"  -o, --output=FILE   the trace file; without it record.in or RECORD_FILE decides\n"
	"  -L, --lib-dir=DIR   where the libraries are, for another MPI than the default one\n"
	"  -h, --help          this text\n";

struct run_options {
	const char *level, *output, *lib_dir;
};

static bool is_level(const char *s)
{
	return strcmp(s, "glob") == 0 || strcmp(s, "node") == 0 || strcmp(s, "dump") == 0;
}

static void say_why_none(enum rsd_traced traced)
{
	if (traced == RSD_TRACED_BEGUN)
		rsd_tool_error("no trace was written: the program was ended before it could write "
			       "one, or could not write it");
	else if (traced == RSD_TRACED_STRANGER)
		rsd_tool_error("no trace was written: the program is of another MPI than the "
			       "tracer; --lib-dir has to name the folder of one for it");
	else
		rsd_tool_error(
			"no trace was written: no MPI_Init was seen (no MPI program? one "
			"statically linked with MPI? LD_PRELOAD not handed on by the launcher?)");
}

static const char *only_the_file(const char *name, void *arg)
{
	return strcmp(name, "RECORD_FILE") ? NULL : arg;
}

/* What would end the run in MPI_Init is told before there is one. Names that only it can know are left to it. */
static int check_output(const char *output)
{
	struct rsd_buf problems = RSD_BUF_INIT;
	struct rsd_config c;
	int err = rsd_config_init(&c);

	if (!err)
		err = rsd_config_environment(&c, only_the_file, (void *)output, &problems);
	if (!err)
		err = rsd_tool_try_file(&c, &problems);
	if (!*output || err > 0)
		err = rsd_tool_error("--output '%s' is no trace file; allowed: %s", output,
			rsd_config_allowed(RSD_OPT_FILE));
	else if (err)
		err = rsd_tool_error("--output '%s': %.*s", output, (int)problems.len,
			problems.len ? (const char *)problems.data : rsd_strerror(err));
	rsd_config_release(&c);
	rsd_buf_release(&problems);
	return err;
}

static int run(const struct run_options *o, char **command)
{
	struct rsd_watch watch;
	enum rsd_traced traced;
	int error, status = 0, code;

	if ((o->output && !rsd_tool_set_path("RECORD_FILE", o->output)) || !rsd_watch_begin(&watch))
		return RSD_EXIT_ERROR;
	if (!rsd_tool_preload(o->level, o->lib_dir)) {
		rsd_watch_end(&watch);
		return RSD_EXIT_ERROR;
	}
	error = rsd_child_run(command, &status);
	traced = rsd_watch_end(&watch);
	if (error)
		return rsd_tool_error("cannot run '%s': %s", command[0], strerror(error));
	if (traced != RSD_TRACED)
		say_why_none(traced);
	code = rsd_child_code(status);
	return code == 0 && traced != RSD_TRACED ? RSD_EXIT_NO : code;
}

int rsd_cmd_run(int argc, char **argv)
{
	static const struct option option[] = {
		{ "level", required_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "lib-dir", required_argument, NULL, 'L' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct run_options o = { .level = "glob" };
	int c;

	/* '+': options of the command that is run are not ours. */
	while ((c = getopt_long(argc, argv, "+:l:o:L:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'l')
			o.level = optarg;
		else if (c == 'o')
			o.output = optarg;
		else if (c == 'L')
			o.lib_dir = optarg;
		else
			return rsd_tool_bad_option(c, argv);
	}
	if (!is_level(o.level))
		return rsd_tool_error("--level '%s': not glob, node or dump", o.level);
	if (optind == argc)
		return rsd_tool_error("nothing to run (see --help)");
	if (o.output && check_output(o.output))
		return RSD_EXIT_ERROR;
	return run(&o, argv + optind);
}
