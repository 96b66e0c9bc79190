/* cmd_config.c - rsd config: the recording options in force here, and where each came from */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "functions.h"
#include "settings.h"
#include "tool.h"
#include "util.h"

static const char help[] =
	"usage: rsd config [OPTION]...\n"
	"\n"
	"Shows the options that recording a program started here would have, and where each came\n"
	"from: record.in (or the file that RECORD_CONFIG names), the environment, or the default.\n"
	"\n"
	"  -a, --all          say what is allowed, too\n"
	"  -l, --libs [LEVEL] the words that link a program with lib<LEVEL>: glob (the default),\n"
	"                     node or dump; and with MPI, where no compiler wrapper does it\n"
	"      --lib-dir      the folder of the libraries\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 fine, 1 something is malformed, 2 record.in can't be read.\n";

static void show_line(const char *variable, const struct rsd_buf *value,
	const struct rsd_buf *origin, const char *allowed, struct rsd_out *out)
{
	rsd_buf_printf(&out->buf, "%-17s  %-20.*s  %.*s\n", variable, (int)value->len,
		value->len ? (const char *)value->data : "", (int)origin->len,
		origin->len ? (const char *)origin->data : "");
	if (allowed)
		rsd_buf_printf(&out->buf, "%-17s  # %s\n", "", allowed);
}

/* The file that the others may be from. */
static void show_file(const char *name, bool all, struct rsd_out *out)
{
	const char *set = getenv("RECORD_CONFIG");
	struct rsd_buf value = RSD_BUF_INIT, origin = RSD_BUF_INIT;

	rsd_buf_printf(&value, "%s", name);
	rsd_buf_printf(&origin, "%s", set && *set ? "environment" : "default");
	if (access(name, F_OK))
		rsd_buf_printf(&origin, " (there is none)");
	show_line("RECORD_CONFIG", &value, &origin, all ? "a file like record.in" : NULL, out);
	rsd_buf_release(&value);
	rsd_buf_release(&origin);
}

static void show(const struct rsd_config *c, const char *name, bool all, struct rsd_out *out)
{
	show_file(name, all, out);
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		struct rsd_buf value = RSD_BUF_INIT, origin = RSD_BUF_INIT;

		rsd_config_value(c, (enum rsd_option)o, &value);
		rsd_config_origin(c, (enum rsd_option)o, name, &origin);
		show_line(rsd_config_variable((enum rsd_option)o), &value, &origin,
			all ? rsd_config_allowed((enum rsd_option)o) : NULL, out);
		rsd_buf_release(&value);
		rsd_buf_release(&origin);
	}
}

static void show_problems(const struct rsd_buf *problems)
{
	const char *p = (const char *)problems->data, *end = p + problems->len;

	while (p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((line ? line : end) - p);

		rsd_tool_error("%.*s", (int)len, p);
		p += len + 1;
	}
}

extern char **environ;

/* 0, or that there is no memory. */
static int try_file(const struct rsd_config *c, const char *name, struct rsd_buf *problems)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = rsd_tool_try_file(c, &why);

	if (err == RSD_ERR_IO) {
		rsd_config_bad_file(c, name, &why, problems);
		err = problems->err;
	}
	rsd_buf_release(&why);
	return err;
}

/* What only rank 0 of a run can tell otherwise: misspelt variables, functions that there are not, a file that can't be written. */
static int find_more_problems(
	const struct rsd_config *c, const char *name, struct rsd_buf *problems)
{
	struct rsd_functions functions;
	int nr = rsd_config_unknown(environ, problems);

	rsd_functions_init(&functions);
	if (nr >= 0 && functions.nr)
		nr = rsd_config_check_calls(c, rsd_functions_name, &functions, problems);
	rsd_functions_release(&functions);
	if (nr >= 0)
		nr = try_file(c, name, problems);
	return nr < 0 ? rsd_tool_error("%s", rsd_strerror(nr)) : RSD_EXIT_OK;
}

static int show_config(bool all)
{
	struct rsd_buf problems = RSD_BUF_INIT;
	struct rsd_out out = RSD_OUT_INIT;
	struct rsd_config c;
	const char *name;
	int code = rsd_tool_settings(&c, &name, &problems);

	if (!code)
		code = find_more_problems(&c, name, &problems);
	if (!code) {
		show(&c, name, all, &out);
		show_problems(&problems);
		code = problems.len ? RSD_EXIT_NO : RSD_EXIT_OK;
	}
	rsd_config_release(&c);
	rsd_buf_release(&problems);
	return rsd_out_end(&out, code);
}

/* What `make` has found that the linker must be told of the MPI library; a line beside the libraries. */
static void show_mpi_libs(const char *dir, struct rsd_buf *out)
{
	struct rsd_buf path = RSD_BUF_INIT;
	char line[4096];
	FILE *f;

	rsd_buf_printf(&path, "%s/mpi.libs", dir);
	rsd_buf_put_byte(&path, 0);
	f = path.err ? NULL : fopen((const char *)path.data, "r");
	if (f && fgets(line, sizeof(line), f))
		rsd_buf_printf(out, " %.*s", (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
	rsd_buf_release(&path);
}

static int show_libs(const char *level)
{
	struct rsd_buf dir = RSD_BUF_INIT;
	struct rsd_out out = RSD_OUT_INIT;

	if (strcmp(level, "glob") && strcmp(level, "node") && strcmp(level, "dump"))
		return rsd_tool_error("--libs '%s': not glob, node or dump", level);
	if (!rsd_tool_lib_dir(&dir)) {
		rsd_buf_release(&dir);
		return RSD_EXIT_ERROR;
	}
	rsd_buf_printf(&out.buf, "-L%s -l%s", (const char *)dir.data, level);
	show_mpi_libs((const char *)dir.data, &out.buf);
	rsd_buf_put_byte(&out.buf, '\n');
	rsd_buf_release(&dir);
	return rsd_out_end(&out, RSD_EXIT_OK);
}

static int show_lib_dir(void)
{
	struct rsd_buf dir = RSD_BUF_INIT;
	struct rsd_out out = RSD_OUT_INIT;
	bool known = rsd_tool_lib_dir(&dir);

	if (known)
		rsd_buf_printf(&out.buf, "%s\n", (const char *)dir.data);
	rsd_buf_release(&dir);
	return rsd_out_end(&out, known ? RSD_EXIT_OK : RSD_EXIT_ERROR);
}

int rsd_cmd_config(int argc, char **argv)
{
	static const struct option option[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "libs", optional_argument, NULL, 'l' },
		{ "lib-dir", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *level = NULL;
	bool all = false, libs = false, dir = false;
	int c;

	while ((c = getopt_long(argc, argv, ":al::h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c != 'a' && c != 'l' && c != 'd')
			return rsd_tool_bad_option(c, argv);
		all |= c == 'a';
		libs |= c == 'l';
		dir |= c == 'd';
		if (c == 'l')
			level = optarg;
	}
	/* An optional argument is one word with its option for getopt, and mostly not for people. */
	if (libs && !level && optind + 1 == argc)
		level = argv[optind++];
	if (optind < argc)
		return rsd_tool_error("what is '%s'?", argv[optind]);
	if (dir)
		return libs ? rsd_tool_error("--libs has the folder already: no --lib-dir with it")
			    : show_lib_dir();
	return libs ? show_libs(level ? level : "glob") : show_config(all);
}
