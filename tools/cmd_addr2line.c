/* cmd_addr2line.c - rsd addr2line: functions, files and lines of addresses; as GNU addr2line, and more */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arguments.h"
#include "scan.h"
#include "symbolize.h"
#include "tool.h"
#include "util.h"

static const char help[] =
	"usage: rsd addr2line [OPTION]... [ADDRESS]...\n"
	"\n"
	"Says for each address which function, source file and line it belongs to. Addresses are\n"
	"hexadecimal, from the arguments, or one a line from standard input. Options and output "
	"are "
	"GNU\n"
	"addr2line's; what is not known is ??.\n"
	"\n"
	"  -e, --exe FILE         the module: program, shared library, wasm module (default "
	"a.out)\n"
	"  -a, --addresses        show the address first\n"
	"  -f, --functions        show function names\n"
	"  -i, --inlines          show the functions that an inlined one is in, outwards\n"
	"  -C, --demangle[=STYLE] names as in the source; the style is found out\n"
	"  -s, --basenames        files without their folders\n"
	"  -p, --pretty-print     one line for each function\n"
	"  -j, --section NAME     addresses count from the start of this section\n"
	"      --columns          FILE:LINE:COLUMN\n"
	"      --json             a JSON object a line for each address, with everything\n"
	"      --dump FILE        addresses from a call stack that a wasm runtime wrote; - is "
	"standard input\n"
	"      --mode MODE        what wasm offsets are: interp (default), aot, fast-interp\n"
	"      --debug-root DIR   look for debug files there too, before /usr/lib/debug\n"
	"  -b, --target NAME; -r, -R, --recurse-limit, --no-recurse-limit: accepted, without "
	"effect\n"
	"  -v, --version          the version\n"
	"  -h, --help             this text\n"
	"  @FILE                  the words in FILE, as if they stood here\n"
	"\n"
	"Exit status: 0 fine, also where nothing is known; 2 wrong usage or a module that can't be "
	"read.\n";

enum {
	OPTION_COLUMNS = 256,
	OPTION_JSON,
	OPTION_DUMP,
	OPTION_MODE,
	OPTION_DEBUG_ROOT,
	OPTION_NO_LIMIT,
	OPTION_LIMIT
};

struct addr2line {
	const char *module, *section, *dump;
	bool addresses, functions, inlines, demangle, basenames, pretty, columns, json;
	struct rsd_sym_options options;
	const char **root;
	size_t alloc_roots;
	struct rsd_symbolizer *s;
	uint64_t base; /* of the section */
	struct rsd_out out;
};

static bool set_mode(struct addr2line *a, const char *name)
{
	if (strcmp(name, "interp") == 0)
		a->options.mode = RSD_SYM_INTERP;
	else if (strcmp(name, "aot") == 0)
		a->options.mode = RSD_SYM_AOT;
	else if (strcmp(name, "fast-interp") == 0)
		a->options.mode = RSD_SYM_FAST_INTERP;
	else {
		rsd_tool_error("--mode '%s': not interp, aot or fast-interp", name);
		return false;
	}
	return true;
}

static bool add_root(struct addr2line *a, const char *dir)
{
	size_t nr = a->options.nr_debug_roots;

	if (RSD_GROW(a->root, nr + 1, a->alloc_roots)) {
		rsd_tool_error("%s", rsd_strerror(RSD_ERR_NOMEM));
		return false;
	}
	a->root[nr] = dir;
	a->options.debug_root = a->root;
	a->options.nr_debug_roots = nr + 1;
	return true;
}

/* False, after a message, where the option's value is not right. */
static bool take_option(struct addr2line *a, int c)
{
	switch (c) {
	case 'a':
		a->addresses = true;
		break;
	case 'f':
		a->functions = true;
		break;
	case 'i':
		a->inlines = true;
		break;
	case 'C':
		a->demangle = true;
		break;
	case 's':
		a->basenames = true;
		break;
	case 'p':
		a->pretty = true;
		break;
	case 'e':
		a->module = optarg;
		break;
	case 'j':
		a->section = optarg;
		break;
	case OPTION_COLUMNS:
		a->columns = true;
		break;
	case OPTION_JSON:
		a->json = true;
		break;
	case OPTION_DUMP:
		a->dump = optarg;
		a->functions = a->inlines = true;
		break;
	case OPTION_MODE:
		return set_mode(a, optarg);
	case OPTION_DEBUG_ROOT:
		return add_root(a, optarg);
	default: /* -b, -r, -R: nothing to do */
		break;
	}
	return true;
}

/* ---- output ------------------------------------------------------------------------------------ */
/* A text of the module for people: nothing in it that a terminal would obey. */
static void put_shown(struct addr2line *a, const char *s)
{
	for (const char *p = s; *p; p++) {
		if (iscntrl((unsigned char)*p)) {
			rsd_scan_put_shown(&a->out.buf, s);
			return;
		}
	}
	rsd_buf_put(&a->out.buf, s, strlen(s));
}

static void put_json_string(struct rsd_buf *b, const char *s)
{
	rsd_buf_put_byte(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			rsd_buf_printf(b, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			rsd_buf_printf(b, "\\u%04x", c);
		else
			rsd_buf_put_byte(b, c);
	}
	rsd_buf_put_byte(b, '"');
}

static const char *name_of(const struct addr2line *a, const struct rsd_sym_frame *f)
{
	const char *name = a->demangle ? f->function : f->linkage;

	return name && *name ? name : "??";
}

static void put_frame(struct addr2line *a, const struct rsd_sym_frame *f)
{
	struct rsd_buf *b = &a->out.buf;
	const char *file = f->file ? f->file : "??", *slash;

	if (a->functions) {
		put_shown(a, name_of(a, f));
		rsd_buf_printf(b, a->pretty ? " at " : "\n");
	}
	if (a->basenames && (slash = strrchr(file, '/')) != NULL)
		file = slash + 1;
	put_shown(a, file);
	if (f->line)
		rsd_buf_printf(b, ":%" PRIu32, f->line);
	else
		rsd_buf_printf(b, ":?");
	if (f->line && a->columns)
		rsd_buf_printf(b, ":%" PRIu32, f->column);
	if (f->line && f->discriminator)
		rsd_buf_printf(b, " (discriminator %" PRIu32 ")", f->discriminator);
	rsd_buf_put_byte(b, '\n');
}

static void put_text(struct addr2line *a, uint64_t address, const struct rsd_sym_result *r)
{
	struct rsd_buf *b = &a->out.buf;

	if (a->addresses && !a->dump)
		rsd_buf_printf(b, "0x%0*" PRIx64 "%s", 2 * rsd_symbolizer_address_size(a->s),
			address, a->pretty ? ": " : "\n");
	if (!r->nr) {
		if (a->functions)
			rsd_buf_printf(b, a->pretty ? "?? " : "??\n");
		rsd_buf_printf(b, "??:0\n");
	}
	for (size_t i = 0; i < r->nr && (i == 0 || a->inlines); i++) {
		if (i && a->pretty)
			rsd_buf_printf(b, " (inlined by) ");
		put_frame(a, &r->frame[i]);
	}
}

static void put_member(struct rsd_buf *b, const char *key, const char *value)
{
	if (!value)
		return;
	rsd_buf_printf(b, ",\"%s\":", key);
	put_json_string(b, value);
}

static void put_json(struct addr2line *a, uint64_t address, const struct rsd_sym_result *r)
{
	static const char *const origin[] = { "nothing", "symbol", "line", "function" };
	struct rsd_buf *b = &a->out.buf;

	rsd_buf_printf(
		b, "{\"address\":\"0x%" PRIx64 "\",\"known\":\"%s\"", address, origin[r->origin]);
	put_member(b, "missing", r->missing);
	rsd_buf_printf(b, ",\"frames\":[");
	for (size_t i = 0; i < r->nr; i++) {
		const struct rsd_sym_frame *f = &r->frame[i];

		rsd_buf_printf(
			b, "%s{\"inlined\":%s", i ? "," : "", i + 1 < r->nr ? "true" : "false");
		put_member(b, "function", f->function);
		put_member(b, "linkage", f->linkage);
		put_member(b, "file", f->file);
		if (f->line)
			rsd_buf_printf(b, ",\"line\":%" PRIu32, f->line);
		if (f->column)
			rsd_buf_printf(b, ",\"column\":%" PRIu32, f->column);
		rsd_buf_put_byte(b, '}');
	}
	rsd_buf_printf(b, "]}\n");
}

/* ---- addresses --------------------------------------------------------------------------------- */
/* As GNU addr2line reads them: hexadecimal, what follows the digits is ignored. */
static uint64_t parse_address(const char *s)
{
	return strtoull(s, NULL, 16);
}

/* False after a message: the look-up has failed. */
static bool put_answer(
	struct addr2line *a, uint64_t address, int err, const struct rsd_sym_result *r)
{
	if (err) {
		rsd_tool_error("%s", rsd_strerror(err));
		return false;
	}
	if (a->json)
		put_json(a, address, r);
	else
		put_text(a, address, r);
	return true;
}

static bool answer(struct addr2line *a, const char *text)
{
	uint64_t address = parse_address(text);
	struct rsd_sym_result r;
	int err = rsd_symbolizer_lookup(a->s, a->base + address, &r);

	return put_answer(a, address, err, &r);
}

/* Answers at once: a program may be waiting at the other end. */
static int answer_input(struct addr2line *a)
{
	char *line = NULL;
	size_t alloc = 0;
	int code = RSD_EXIT_OK;

	while (code == RSD_EXIT_OK && getline(&line, &alloc, stdin) > 0) {
		if (!answer(a, line) || rsd_out_end(&a->out, RSD_EXIT_OK) != RSD_EXIT_OK)
			code = RSD_EXIT_ERROR;
		a->out = RSD_OUT_INIT;
	}
	if (ferror(stdin))
		code = rsd_tool_error("cannot read standard input: %s", strerror(errno));
	free(line);
	return code;
}

/* ---- call stacks of wasm runtimes ---------------------------------------------------------------- */
struct stack_frame { /* "#01: 0x08e4 - $f11", or without an address "#01 $f11" */
	uint64_t offset, index;
	bool has_offset, has_index;
	const char *name;
};

/* Reads a line of a dump; false where it is no frame. What is read is cut off in the line. */
static bool parse_frame(char *line, struct stack_frame *f)
{
	char *p = line, *end;

	*f = (struct stack_frame){ .name = NULL };
	if (*p++ != '#' || !isdigit((unsigned char)*p))
		return false;
	while (isdigit((unsigned char)*p))
		p++;
	p += *p == ':';
	p += strspn(p, " \t");
	if (strncmp(p, "0x", 2) == 0) {
		f->offset = strtoull(p, &end, 16);
		f->has_offset = true;
		p = end + strspn(end, " -\t");
	}
	p[strcspn(p, " \t\r\n")] = '\0';
	f->name = p;
	if (strncmp(p, "$f", 2) == 0 && isdigit((unsigned char)p[2])) {
		f->index = strtoull(p + 2, &end, 10);
		f->has_index = !*end;
	}
	return true;
}

/* Where the address says nothing, the function's index or its name in the dump does. */
static int look_up_frame(struct addr2line *a, const struct stack_frame *f, struct rsd_sym_result *r,
	struct rsd_sym_frame *named)
{
	int err = 0;

	*r = (struct rsd_sym_result){ .nr = 0 };
	if (f->has_offset)
		err = rsd_symbolizer_lookup(a->s, f->offset, r);
	if (!err && !r->nr && f->has_index)
		err = rsd_symbolizer_by_index(a->s, f->index, r);
	if (!err && !r->nr && *f->name && !f->has_index) {
		*named = (struct rsd_sym_frame){ .function = f->name, .linkage = f->name };
		*r = (struct rsd_sym_result){ named, 1, RSD_SYM_SYMBOL, r->missing };
	}
	return err;
}

static bool answer_frame(struct addr2line *a, char *line)
{
	struct rsd_buf *b = &a->out.buf;
	struct rsd_sym_frame named;
	struct rsd_sym_result r;
	struct stack_frame f;
	int err;

	line[strcspn(line, "\r\n")] = '\0';
	if (!a->json) {
		put_shown(a, line);
		rsd_buf_put_byte(b, '\n');
	}
	if (!parse_frame(line, &f))
		return true;
	err = look_up_frame(a, &f, &r, &named);
	return put_answer(a, f.offset, err, &r) && rsd_out_more(&a->out);
}

static int answer_dump(struct addr2line *a)
{
	FILE *in = strcmp(a->dump, "-") == 0 ? stdin : fopen(a->dump, "r");
	int code = RSD_EXIT_OK;
	char *line = NULL;
	size_t alloc = 0;

	if (!in)
		return rsd_tool_error("cannot open '%s': %s", a->dump, strerror(errno));
	while (code == RSD_EXIT_OK && getline(&line, &alloc, in) > 0) {
		if (!answer_frame(a, line))
			code = RSD_EXIT_ERROR;
	}
	if (ferror(in))
		code = rsd_tool_error("cannot read '%s': %s", a->dump, strerror(errno));
	free(line);
	if (in != stdin)
		fclose(in);
	return rsd_out_end(&a->out, code);
}

static bool open_module(struct addr2line *a)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = rsd_symbolizer_open(&a->s, a->module, &a->options, &why);

	if (err && why.len)
		rsd_tool_error("%.*s", (int)why.len, (const char *)why.data);
	else if (err)
		rsd_tool_error("'%s': %s", a->module, rsd_strerror(err));
	rsd_buf_release(&why);
	if (err)
		return false;
	if (a->section && !rsd_symbolizer_section(a->s, a->section, &a->base)) {
		rsd_tool_error("'%s': no section '%s'", a->module, a->section);
		return false;
	}
	return true;
}

static int answer_all(struct addr2line *a, int nr, char **text)
{
	int code = RSD_EXIT_OK;

	if (!open_module(a))
		return RSD_EXIT_ERROR;
	if (a->dump)
		return answer_dump(a);
	if (!nr)
		return answer_input(a);
	for (int i = 0; i < nr && code == RSD_EXIT_OK; i++) {
		if (!answer(a, text[i]))
			code = RSD_EXIT_ERROR;
		if (!rsd_out_more(&a->out))
			break;
	}
	return rsd_out_end(&a->out, code);
}

static int run(int argc, char **argv)
{
	static const struct option option[] = {
		{ "exe", required_argument, NULL, 'e' },
		{ "addresses", no_argument, NULL, 'a' },
		{ "functions", no_argument, NULL, 'f' },
		{ "inlines", no_argument, NULL, 'i' },
		{ "demangle", optional_argument, NULL, 'C' },
		{ "basenames", no_argument, NULL, 's' },
		{ "pretty-print", no_argument, NULL, 'p' },
		{ "section", required_argument, NULL, 'j' },
		{ "target", required_argument, NULL, 'b' },
		{ "recurse-limit", no_argument, NULL, 'R' },
		{ "recursion-limit", no_argument, NULL, 'R' },
		{ "no-recurse-limit", no_argument, NULL, 'r' },
		{ "no-recursion-limit", no_argument, NULL, 'r' },
		{ "columns", no_argument, NULL, OPTION_COLUMNS },
		{ "json", no_argument, NULL, OPTION_JSON },
		{ "dump", required_argument, NULL, OPTION_DUMP },
		{ "mode", required_argument, NULL, OPTION_MODE },
		{ "debug-root", required_argument, NULL, OPTION_DEBUG_ROOT },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct addr2line a = { .module = "a.out", .out = RSD_OUT_INIT };
	int c, code = RSD_EXIT_OK;
	bool done = false;

	while (!done && (c = getopt_long(argc, argv, ":afiCspe:j:b:rRvVhH", option, NULL)) != -1) {
		done = true;
		if (c == 'h' || c == 'H')
			code = rsd_tool_help(help);
		else if (c == 'v' || c == 'V')
			code = rsd_tool_help("rsd addr2line " RSD_VERSION "\n");
		else if (c == ':' || c == '?')
			code = rsd_tool_bad_option(c, argv);
		else if (!take_option(&a, c))
			code = RSD_EXIT_ERROR;
		else
			done = false;
	}
	if (!done)
		code = answer_all(&a, argc - optind, argv + optind);
	rsd_symbolizer_free(a.s);
	free(a.root);
	return code;
}

int rsd_cmd_addr2line(int argc, char **argv)
{
	struct rsd_arguments a = RSD_ARGUMENTS_INIT;
	int err = rsd_arguments_expand(&a, argc, argv), code;

	if (err == RSD_ERR_RANGE)
		code = rsd_tool_error("files of options (@FILE) name one another");
	else if (err)
		code = rsd_tool_error("%s", rsd_strerror(err));
	else
		code = run((int)a.nr, a.word);
	rsd_arguments_release(&a);
	return code;
}
