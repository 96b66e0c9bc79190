#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "ScalarParam.h"
#include "util.h"

/* What the parsers of single values work on: a value without blanks around it. */
struct word {
	const char *s;
	size_t len;
};

struct option {
	const char *variable;
	const char *what; /* in messages: "'x' is no <what>" */
	const char *allowed;
	int (*set)(struct rsd_config *c, struct word w); /* RSD_ERR_RANGE: not allowed */
	struct word (*fault)(struct word w);		 /* the part that is not; NULL: all of it */
};

static bool word_is(struct word w, const char *s)
{
	return w.len == strlen(s) && !memcmp(w.s, s, w.len);
}

/* The index of 'w' among 'names', or RSD_ERR_RANGE. */
static int choice(struct word w, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (word_is(w, names[i]))
			return (int)i;
	}
	return RSD_ERR_RANGE;
}

static int integer(struct word w, int64_t min, int64_t *out)
{
	bool minus = w.len && w.s[0] == '-';
	int64_t v = 0;

	if (w.len == (size_t)minus)
		return RSD_ERR_RANGE;
	for (size_t i = minus; i < w.len; i++) {
		if (w.s[i] < '0' || w.s[i] > '9' || v > INT32_MAX)
			return RSD_ERR_RANGE;
		v = v * 10 + (w.s[i] - '0');
	}
	if (minus)
		v = -v;
	if (v < min || v > INT32_MAX)
		return RSD_ERR_RANGE;
	*out = v;
	return 0;
}

static int text(char **field, struct word w)
{
	char *copy = rsd_strndup(w.s, w.len);

	if (!copy)
		return RSD_ERR_NOMEM;
	free(*field);
	*field = copy;
	return 0;
}

static int boolean(struct word w, bool *out)
{
	static const char *const names[] = { "0", "1" };
	int i = choice(w, names, 2);

	if (i >= 0)
		*out = i == 1;
	return i < 0 ? i : 0;
}

static const char *const format_names[] = { "rsd", "ascii", "binary" };
static const char *const stack_names[] = { "full", "site", "off" };
static const char *const time_names[] = { "off", "stats", "full" };

static int set_format(struct rsd_config *c, struct word w)
{
	int i = choice(w, format_names, RSD_ARRAY_SIZE(format_names));

	if (i >= 0)
		c->format = (enum rsd_format)i;
	return i < 0 ? i : 0;
}

static int set_window(struct rsd_config *c, struct word w)
{
	return integer(w, -1, &c->window);
}

static int set_requests(struct rsd_config *c, struct word w)
{
	return integer(w, 1, &c->requests);
}

static int set_memory(struct rsd_config *c, struct word w)
{
	return integer(w, 0, &c->memory);
}

static int set_checkpoint(struct rsd_config *c, struct word w)
{
	if (word_is(w, "off")) {
		c->checkpoint = 0;
		return 0;
	}
	return integer(w, 1, &c->checkpoint);
}

static int set_file(struct rsd_config *c, struct word w)
{
	if (!w.len)
		return RSD_ERR_RANGE;
	for (size_t i = 0; i < w.len; i++) {
		if (w.s[i] == '\0')
			return RSD_ERR_RANGE;
		if (w.s[i] != '%')
			continue;
		if (++i == w.len || !w.s[i] || !strchr("pdj%", w.s[i]))
			return RSD_ERR_RANGE;
	}
	return text(&c->file, w);
}

static int set_stack(struct rsd_config *c, struct word w)
{
	int i = choice(w, stack_names, RSD_ARRAY_SIZE(stack_names));

	if (i >= 0)
		c->stack = (enum rsd_stack_mode)i;
	return i < 0 ? i : 0;
}

static int set_time(struct rsd_config *c, struct word w)
{
	int i = choice(w, time_names, RSD_ARRAY_SIZE(time_names));

	if (i >= 0)
		c->time = (enum rsd_time_mode)i;
	return i < 0 ? i : 0;
}

/* The next item of a comma-separated list, *pos moves behind it; false at the end. */
static bool next_item(struct word list, size_t *pos, struct word *item)
{
	size_t end;

	if (*pos > list.len)
		return false;
	for (end = *pos; end < list.len && list.s[end] != ','; end++)
		;
	*item = (struct word){ list.s + *pos, end - *pos };
	*pos = end + 1;
	return true;
}

static bool is_choice(struct word item)
{
	if (word_is(item, "all"))
		return true;
	if (item.len < 2 || (item.s[0] != '+' && item.s[0] != '-'))
		return false;
	for (size_t i = 1; i < item.len; i++) {
		char ch = item.s[i];

		if (!(ch >= 'a' && ch <= 'z') && !(ch >= 'A' && ch <= 'Z') &&
			!(ch >= '0' && ch <= '9') && ch != '_' && ch != '*')
			return false;
	}
	return true;
}

/* The first item that is malformed; 's' is NULL where none is. */
static struct word malformed_choice(struct word list)
{
	struct word item;
	size_t pos = 0;

	while (next_item(list, &pos, &item)) {
		if (!is_choice(item))
			return item;
	}
	return (struct word){ NULL, 0 };
}

static int set_calls(struct rsd_config *c, struct word w)
{
	return malformed_choice(w).s ? RSD_ERR_RANGE : text(&c->calls, w);
}

/* As set_histo() takes it; by hand, too. */
static void put_percent(double v, struct rsd_buf *out)
{
	rsd_buf_put_seconds(out, (uint64_t)(v * 1e9 + 0.5));
	if (out->err)
		return;
	while (out->data[out->len - 1] == '0')
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
}

/* "off"; or digits with at most one point, 0 to 100. By hand, as strtod depends on the locale. */
static int set_histo(struct rsd_config *c, struct word w)
{
	double v = 0, unit = 1;
	bool point = false, digit = false;

	if (word_is(w, "off")) {
		c->histo = -1;
		return 0;
	}
	for (size_t i = 0; i < w.len; i++) {
		if (w.s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (w.s[i] < '0' || w.s[i] > '9' || w.len > 30)
			return RSD_ERR_RANGE;
		digit = true;
		v = v * 10 + (w.s[i] - '0');
		if (point)
			unit *= 10;
	}
	if (!digit || v / unit > 100)
		return RSD_ERR_RANGE;
	/* As exact as it is handed on to other processes. */
	c->histo = (double)(uint64_t)(v / unit * 1e9 + 0.5) / 1e9;
	return 0;
}

static int set_selfcheck(struct rsd_config *c, struct word w)
{
	return boolean(w, &c->selfcheck);
}

static int set_verbose(struct rsd_config *c, struct word w)
{
	return boolean(w, &c->verbose);
}

static int set_on_error(struct rsd_config *c, struct word w)
{
	static const char *const names[] = { "abort", "warn" };
	int i = choice(w, names, 2);

	if (i >= 0)
		c->warn = i == 1;
	return i < 0 ? i : 0;
}

static const struct option options[RSD_NR_OPTIONS] = {
	[RSD_OPT_FORMAT] = { "RECORD_FORMAT", "output format", "rsd, ascii, binary", set_format,
		NULL },
	[RSD_OPT_WINDOW] = { "RECORD_WINDOW", "compression window",
		"-1 (no limit), or a number of queue nodes up to 2147483647", set_window, NULL },
	[RSD_OPT_REQUESTS] = { "RECORD_REQUESTS", "size of the request table",
		"a number from 1 to 2147483647", set_requests, NULL },
	[RSD_OPT_FILE] = { "RECORD_FILE", "trace file",
		"a path; %p world size, %d date-time, %j job id, %% a percent sign", set_file,
		NULL },
	[RSD_OPT_STACK] = { "RECORD_STACK", "kind of stack signature", "full, site, off", set_stack,
		NULL },
	[RSD_OPT_TIME] = { "RECORD_TIME", "kind of timing", "off, stats, full", set_time, NULL },
	[RSD_OPT_CALLS] = { "RECORD_CALLS", "choice of functions",
		"all, or a list as +Name,-Pattern*", set_calls, malformed_choice },
	[RSD_OPT_HISTO] = { "RECORD_HISTO", "error percentage", "off, or a number from 0 to 100",
		set_histo, NULL },
	[RSD_OPT_MEMORY] = { "RECORD_MEMORY", "amount of memory",
		"a number of MiB up to 2147483647; 0: no limit", set_memory, NULL },
	[RSD_OPT_CHECKPOINT] = { "RECORD_CHECKPOINT", "time between checkpoints",
		"off, or a number of seconds from 1 to 2147483647", set_checkpoint, NULL },
	[RSD_OPT_SELFCHECK] = { "RECORD_SELFCHECK", "switch", "0, 1", set_selfcheck, NULL },
	[RSD_OPT_VERBOSE] = { "RECORD_VERBOSE", "switch", "0, 1", set_verbose, NULL },
	[RSD_OPT_ON_ERROR] = { "RECORD_ON_ERROR", "reaction to errors", "abort, warn", set_on_error,
		NULL },
};

int rsd_config_init(struct rsd_config *c)
{
	*c = (struct rsd_config){
		.format = RSD_FORMAT_RSD,
		.window = -1,
		.requests = 4096,
		.stack = RSD_STACK_FULL,
		.time = RSD_TIME_STATS,
		.histo = RSD_SCALAR_DEFAULT,
		.memory = 256,
	};
	c->file = rsd_strndup("trace-%p.rsd", 12);
	c->calls = rsd_strndup("", 0);
	if (c->file && c->calls)
		return 0;
	rsd_config_release(c);
	return RSD_ERR_NOMEM;
}

void rsd_config_release(struct rsd_config *c)
{
	free(c->file);
	free(c->calls);
	c->file = c->calls = NULL;
}

/* Quotes what was read, so that a message shows blanks and control characters for what they are. */
static void put_quoted(struct rsd_buf *out, struct word w)
{
	rsd_buf_put_byte(out, '\'');
	for (size_t i = 0; i < w.len; i++) {
		unsigned char ch = (unsigned char)w.s[i];

		if (i == 80) {
			rsd_buf_printf(out, "...");
			break;
		}
		if (ch < ' ' || ch == 127)
			rsd_buf_printf(out, "\\x%02x", ch);
		else
			rsd_buf_put_byte(out, ch);
	}
	rsd_buf_put_byte(out, '\'');
}

/* Sets one option; a value that is not allowed becomes a line "<where>: 'x' is no ..." in problems. */
static int set_option(struct rsd_config *c, enum rsd_option o, struct word w, enum rsd_origin from,
	const char *where, int line, struct rsd_buf *problems)
{
	int err = options[o].set(c, w);

	if (!err) {
		c->origin[o].from = from;
		c->origin[o].line = line;
		return 0;
	}
	if (err != RSD_ERR_RANGE)
		return err;
	rsd_buf_printf(problems, "%s", where);
	if (line)
		rsd_buf_printf(problems, ":%d", line);
	rsd_buf_printf(problems, ": ");
	put_quoted(problems, options[o].fault ? options[o].fault(w) : w);
	rsd_buf_printf(problems, " is no %s; allowed: %s\n", options[o].what, options[o].allowed);
	return problems->err ? problems->err : 1;
}

/* Takes comment and blanks off a line. */
static struct word trim(const char *s, size_t len)
{
	const char *hash = len ? memchr(s, '#', len) : NULL;

	if (hash)
		len = (size_t)(hash - s);
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
		len--;
	while (len && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	return (struct word){ s, len };
}

int rsd_config_file(struct rsd_config *c, const char *name, const char *file, size_t len,
	struct rsd_buf *problems)
{
	int line = 0, option = RSD_OPT_FORMAT, nr = 0, err;
	size_t pos = 0, end;

	for (; file && pos < len; pos = end + 1) {
		const char *nl = memchr(file + pos, '\n', len - pos);
		struct word w;

		end = nl ? (size_t)(nl - file) : len;
		line++;
		w = trim(file + pos, end - pos);
		if (!w.len)
			continue;
		if (option > RSD_OPT_FILE) {
			rsd_buf_printf(problems, "%s:%d: ", name, line);
			put_quoted(problems, w);
			rsd_buf_printf(problems,
				" is one line too many; allowed: 4 lines, "
				"output format, compression window, request table, trace file\n");
			return problems->err ? problems->err : nr + 1;
		}
		err = set_option(
			c, (enum rsd_option)option++, w, RSD_FROM_FILE, name, line, problems);
		if (err < 0)
			return err;
		nr += err;
	}
	return nr;
}

int rsd_config_environment(
	struct rsd_config *c, rsd_getenv_fn get, void *arg, struct rsd_buf *problems)
{
	int nr = 0;

	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		const char *value = get(options[o].variable, arg);
		int err;

		if (!value || !*value)
			continue;
		err = set_option(c, (enum rsd_option)o, (struct word){ value, strlen(value) },
			RSD_FROM_ENVIRONMENT, options[o].variable, 0, problems);
		if (err < 0)
			return err;
		nr += err;
	}
	return nr;
}

const char *rsd_config_name(rsd_getenv_fn get, void *arg, bool *named)
{
	const char *name = get("RECORD_CONFIG", arg);

	*named = name && *name;
	return *named ? name : "record.in";
}

const char *rsd_config_job(rsd_getenv_fn get, void *arg)
{
	static const char *const variables[] = {
		"SLURM_JOB_ID",
		"SLURM_JOBID",
		"PBS_JOBID",
		"LSB_JOBID",
		"JOB_ID",
		"COBALT_JOBID",
		"LOADL_STEP_ID",
		"FLUX_JOB_ID",
		"OAR_JOB_ID",
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(variables); i++) {
		const char *value = get(variables[i], arg);

		if (value && *value)
			return value;
	}
	return "nojob";
}

const char *rsd_config_variable(enum rsd_option o)
{
	return options[o].variable;
}

const char *rsd_config_allowed(enum rsd_option o)
{
	return options[o].allowed;
}

void rsd_config_value(const struct rsd_config *c, enum rsd_option o, struct rsd_buf *out)
{
	switch (o) {
	case RSD_OPT_FORMAT:
		rsd_buf_printf(out, "%s", format_names[c->format]);
		break;
	case RSD_OPT_WINDOW:
		rsd_buf_printf(out, "%lld", (long long)c->window);
		break;
	case RSD_OPT_REQUESTS:
		rsd_buf_printf(out, "%lld", (long long)c->requests);
		break;
	case RSD_OPT_FILE:
		rsd_buf_printf(out, "%s", c->file);
		break;
	case RSD_OPT_STACK:
		rsd_buf_printf(out, "%s", stack_names[c->stack]);
		break;
	case RSD_OPT_TIME:
		rsd_buf_printf(out, "%s", time_names[c->time]);
		break;
	case RSD_OPT_CALLS:
		rsd_buf_printf(out, "%s", *c->calls ? c->calls : "all but class local");
		break;
	case RSD_OPT_HISTO:
		if (c->histo < 0)
			rsd_buf_printf(out, "off");
		else
			put_percent(c->histo, out);
		break;
	case RSD_OPT_MEMORY:
		rsd_buf_printf(out, "%lld", (long long)c->memory);
		break;
	case RSD_OPT_CHECKPOINT:
		if (c->checkpoint)
			rsd_buf_printf(out, "%lld", (long long)c->checkpoint);
		else
			rsd_buf_printf(out, "off");
		break;
	case RSD_OPT_SELFCHECK:
		rsd_buf_printf(out, "%d", c->selfcheck);
		break;
	case RSD_OPT_VERBOSE:
		rsd_buf_printf(out, "%d", c->verbose);
		break;
	case RSD_OPT_ON_ERROR:
		rsd_buf_printf(out, "%s", c->warn ? "warn" : "abort");
		break;
	case RSD_NR_OPTIONS:
		break;
	}
}

void rsd_config_origin(
	const struct rsd_config *c, enum rsd_option o, const char *name, struct rsd_buf *out)
{
	if (c->origin[o].from == RSD_FROM_FILE)
		rsd_buf_printf(out, "%s:%d", name, c->origin[o].line);
	else
		rsd_buf_printf(out, "%s",
			c->origin[o].from == RSD_FROM_DEFAULT ? "default" : "environment");
}

void rsd_config_path(const struct rsd_config *c, int nprocs, const char *date, const char *job,
	struct rsd_buf *out)
{
	for (const char *s = c->file; *s; s++) {
		if (*s != '%' || !s[1]) {
			rsd_buf_put_byte(out, (unsigned char)*s);
			continue;
		}
		s++;
		if (*s == 'p')
			rsd_buf_printf(out, "%d", nprocs);
		else if (*s == 'd')
			rsd_buf_printf(out, "%s", date);
		else if (*s == 'j')
			rsd_buf_printf(out, "%s", job);
		else
			rsd_buf_put_byte(out, (unsigned char)*s);
	}
}

/* '*' stands for any characters. Goes back to the last star only: linear times the pattern's length. */
static bool matches(struct word pattern, const char *s)
{
	size_t p = 0, star = SIZE_MAX;
	const char *retry = s;

	while (*s) {
		if (p < pattern.len && pattern.s[p] == '*') {
			star = p++;
			retry = s;
		} else if (p < pattern.len && pattern.s[p] == *s) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.s[p] == '*')
		p++;
	return p == pattern.len;
}

bool rsd_config_wants(const struct rsd_config *c, const char *name, bool local)
{
	struct word list = { c->calls, strlen(c->calls) }, item;
	bool wanted = !local;
	size_t pos = 0;

	while (list.len && next_item(list, &pos, &item)) {
		if (word_is(item, "all"))
			wanted = true;
		else if (matches((struct word){ item.s + 1, item.len - 1 }, name))
			wanted = item.s[0] == '+';
	}
	return wanted;
}

static bool fits_any(struct word pattern, const char *(*name)(int i, void *arg), void *arg)
{
	const char *s;

	for (int i = 0; (s = name(i, arg)) != NULL; i++) {
		if (matches(pattern, s))
			return true;
	}
	return false;
}

int rsd_config_check_calls(const struct rsd_config *c, const char *(*name)(int i, void *arg),
	void *arg, struct rsd_buf *problems)
{
	struct word list = { c->calls, strlen(c->calls) }, item;
	size_t pos = 0;
	int nr = 0;

	while (list.len && next_item(list, &pos, &item)) {
		if (word_is(item, "all") ||
			fits_any((struct word){ item.s + 1, item.len - 1 }, name, arg))
			continue;
		rsd_buf_printf(problems, "%s: ", options[RSD_OPT_CALLS].variable);
		put_quoted(problems, item);
		rsd_buf_printf(problems,
			" fits no function of this MPI; allowed: %s, names as MPI_Send\n",
			options[RSD_OPT_CALLS].allowed);
		nr++;
	}
	return problems->err ? problems->err : nr;
}

bool rsd_config_is_all(const struct rsd_config *c)
{
	return !strcmp(c->calls, "all");
}

void rsd_config_encode(const struct rsd_config *c, struct rsd_buf *out)
{
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		struct rsd_buf value = RSD_BUF_INIT;

		/* This default has no value that can be set: nothing is sent. */
		if (o != RSD_OPT_CALLS || *c->calls)
			rsd_config_value(c, (enum rsd_option)o, &value);
		rsd_buf_put_str(out, (const char *)value.data, value.len);
		rsd_buf_put_uint(out, c->origin[o].from);
		rsd_buf_put_int(out, c->origin[o].line);
		if (value.err)
			out->err = value.err;
		rsd_buf_release(&value);
	}
}

int rsd_config_decode(struct rsd_config *c, struct rsd_reader *in)
{
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		struct word w;
		uint64_t from;
		int64_t line;
		int err;

		w.s = rsd_reader_str(in, &w.len);
		from = rsd_reader_uint(in);
		line = rsd_reader_int(in);
		if (in->err || from > RSD_FROM_ENVIRONMENT || line < 0 || line > INT32_MAX)
			return RSD_ERR_FORMAT;
		if (!w.len)
			continue;
		err = options[o].set(c, w);
		if (err)
			return err == RSD_ERR_RANGE ? RSD_ERR_FORMAT : err;
		c->origin[o].from = (enum rsd_origin)from;
		c->origin[o].line = (int)line;
	}
	return 0;
}
