#include "config_impl.h"

#include <stdlib.h>
#include <string.h>
#include "ScalarParam.h"
#include "util.h"

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

/* Sets one option; a value that is not allowed becomes a line "<where>: 'x' is no ..." in problems. */
static int set_option(struct rsd_config *c, enum rsd_option o, struct rsd_word w,
	enum rsd_origin from, const char *where, int line, struct rsd_buf *problems)
{
	int err = rsd_config_options[o].set(c, w);

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
	rsd_word_put(problems, rsd_config_options[o].fault ? rsd_config_options[o].fault(w) : w);
	rsd_buf_printf(problems, " is no %s; allowed: %s\n", rsd_config_options[o].what,
		rsd_config_options[o].allowed);
	return problems->err ? problems->err : 1;
}

/* Takes comment and blanks off a line. */
static struct rsd_word trim(const char *s, size_t len)
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
	return (struct rsd_word){ s, len };
}

/* What editors of other systems begin a file of UTF-8 with; it can't be seen. */
static size_t byte_order_mark(const char *file, size_t len)
{
	return file && len >= 3 && !memcmp(file, "\xef\xbb\xbf", 3) ? 3 : 0;
}

int rsd_config_file(struct rsd_config *c, const char *name, const char *file, size_t len,
	struct rsd_buf *problems)
{
	int line = 0, option = RSD_OPT_FORMAT, nr = 0, err;
	size_t pos = byte_order_mark(file, len), end;

	for (; file && pos < len; pos = end + 1) {
		const char *nl = memchr(file + pos, '\n', len - pos);
		struct rsd_word w;

		end = nl ? (size_t)(nl - file) : len;
		line++;
		w = trim(file + pos, end - pos);
		if (!w.len)
			continue;
		if (option > RSD_OPT_FILE) {
			rsd_buf_printf(problems, "%s:%d: ", name, line);
			rsd_word_put(problems, w);
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
		const char *value = get(rsd_config_options[o].variable, arg);
		int err;

		if (!value || !*value)
			continue;
		err = set_option(c, (enum rsd_option)o, (struct rsd_word){ value, strlen(value) },
			RSD_FROM_ENVIRONMENT, rsd_config_options[o].variable, 0, problems);
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
	return rsd_config_options[o].variable;
}

const char *rsd_config_allowed(enum rsd_option o)
{
	return rsd_config_options[o].allowed;
}

void rsd_config_value(const struct rsd_config *c, enum rsd_option o, struct rsd_buf *out)
{
	rsd_config_options[o].put(c, out);
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

void rsd_config_place(
	const struct rsd_config *c, enum rsd_option o, const char *name, struct rsd_buf *out)
{
	if (c->origin[o].from == RSD_FROM_ENVIRONMENT)
		rsd_buf_printf(out, "%s", rsd_config_variable(o));
	else
		rsd_config_origin(c, o, name, out);
}

void rsd_config_bad_file(const struct rsd_config *c, const char *name, const struct rsd_buf *why,
	struct rsd_buf *problems)
{
	rsd_config_place(c, RSD_OPT_FILE, name, problems);
	rsd_buf_printf(problems, ": '%s' can't be the trace file: %.*s; allowed: %s\n", c->file,
		(int)why->len, why->len ? (const char *)why->data : "",
		rsd_config_allowed(RSD_OPT_FILE));
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
		struct rsd_word w;
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
		err = rsd_config_options[o].set(c, w);
		if (err)
			return err == RSD_ERR_RANGE ? RSD_ERR_FORMAT : err;
		c->origin[o].from = (enum rsd_origin)from;
		c->origin[o].line = (int)line;
	}
	return 0;
}
