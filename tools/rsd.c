/*
 * rsd.c - the program rsd: finds the command and runs it
 *
 * One file a command; what they share is in tool.h, format.h and summary.h.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "parts.h"
#include "tool.h"
#include "util.h"

static const struct {
	const char *name, *title;
	int (*run)(int argc, char **argv);
} command[] = {
	{ "run", "rsd run", rsd_cmd_run },
	{ "print", "rsd print", rsd_cmd_print },
	{ "stats", "rsd stats", rsd_cmd_stats },
	{ "report", "rsd report", rsd_cmd_report },
	{ "diff", "rsd diff", rsd_cmd_diff },
	{ "check", "rsd check", rsd_cmd_check },
	{ "merge", "rsd merge", rsd_cmd_merge },
	{ "convert", "rsd convert", rsd_cmd_convert },
	{ "resolve", "rsd resolve", rsd_cmd_resolve },
	{ "profile", "rsd profile", rsd_cmd_profile },
	{ "codegen", "rsd codegen", rsd_cmd_codegen },
	{ "config", "rsd config", rsd_cmd_config },
	{ "addr2line", "rsd addr2line", rsd_cmd_addr2line },
};

static const char help[] =
	"usage: rsd COMMAND [OPTION]... [TRACE]...\n"
	"\n"
	"  run        run an MPI program and trace it, without relinking\n"
	"  print      show a trace: its loops, or one event a line\n"
	"  stats      calls, bytes and time per function, call site or rank\n"
	"  report     write a page that shows a trace in a browser\n"
	"  diff       compare two traces rank by rank\n"
	"  check      read everything and say whether the trace is complete\n"
	"  merge      join traces of single ranks into one\n"
	"  convert    write a trace in another format: OTF2, Perfetto, CSV, SimGrid, ...\n"
	"  profile    loops, call paths and communication dependences as text files\n"
	"  resolve    write a trace with its source lines in it\n"
	"  codegen    write the trace as a C program\n"
	"  config     show the recording options in force here\n"
	"  addr2line  function, file and line of addresses in a program\n"
	"\n"
	"TRACE is a trace file, or FILE standing for the per-rank files FILE.0, FILE.1, ...\n"
	"'rsd COMMAND --help' tells more, as do the manual pages rsd(1), rsd-print(1), ...\n";

static int run_command(const char *name, int argc, char **argv)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(command); i++) {
		if (strcmp(command[i].name, name) == 0) {
			rsd_tool_set_name(command[i].title);
			return command[i].run(argc, argv);
		}
	}
	return rsd_tool_error("unknown command '%s' (see rsd --help)", name);
}

/* Prints 'text', and what this rsd is without. */
static int tell(const char *text)
{
	struct rsd_out out = RSD_OUT_INIT;

	rsd_buf_put(&out.buf, text, strlen(text));
	rsd_parts_put_absent(&out.buf);
	return rsd_out_end(&out, RSD_EXIT_OK);
}

int main(int argc, char **argv)
{
	char help_option[] = "--help", *help_argv[] = { NULL, help_option, NULL };

	/* A closed pipe, or a file that may not grow, then shows as a failed write, which every command reports by its exit code. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	opterr = 0;
	if (argc < 2) {
		fputs(help, stderr);
		return RSD_EXIT_ERROR;
	}
	if (strcmp(argv[1], "--version") == 0)
		return tell("rsd " RSD_VERSION "\n");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return tell(help);
	if (strcmp(argv[1], "help") == 0 && argc == 2)
		return tell(help);
	if (strcmp(argv[1], "help") == 0) {
		help_argv[0] = argv[2];
		return run_command(argv[2], 2, help_argv);
	}
	if (argv[1][0] == '-')
		return rsd_tool_error("unknown option '%s'", argv[1]);
	return run_command(argv[1], argc - 1, argv + 1);
}
