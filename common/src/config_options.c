#include "config_impl.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

/* ---- words --------------------------------------------------------------------------- */

bool rsd_word_is(struct rsd_word w, const char *s)
{
	return w.len == strlen(s) && !memcmp(w.s, s, w.len);
}

void rsd_word_put(struct rsd_buf *out, struct rsd_word w)
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

/* The index of 'w' among these words, of which a NULL is the last; else it stays. 0 or RSD_ERR_RANGE. */
static int pick(struct rsd_word w, const char *const *words, int *index)
{
	for (int i = 0; words[i]; i++) {
		if (rsd_word_is(w, words[i])) {
			*index = i;
			return 0;
		}
	}
	return RSD_ERR_RANGE;
}

static int integer(struct rsd_word w, int64_t min, int64_t *out)
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

static int text(char **field, struct rsd_word w)
{
	char *copy = rsd_strndup(w.s, w.len);

	if (!copy)
		return RSD_ERR_NOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* The second of two words is true. */
static int pick_second(struct rsd_word w, const char *const *words, bool *out)
{
	int i = *out, err = pick(w, words, &i);

	*out = i;
	return err;
}

/* ---- options ------------------------------------------------------------------------- */

static const char *const format_words[] = { "rsd", "ascii", "binary", NULL };
static const char *const stack_words[] = { "full", "site", "off", NULL };
static const char *const time_words[] = { "off", "stats", "full", NULL };
static const char *const switch_words[] = { "0", "1", NULL };
static const char *const on_error_words[] = { "abort", "warn", NULL };

static int set_format(struct rsd_config *c, struct rsd_word w)
{
	int i = c->format, err = pick(w, format_words, &i);

	c->format = (enum rsd_format)i;
	return err;
}

static void put_format(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", format_words[c->format]);
}

static int set_window(struct rsd_config *c, struct rsd_word w)
{
	return integer(w, -1, &c->window);
}

static void put_window(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%lld", (long long)c->window);
}

static int set_requests(struct rsd_config *c, struct rsd_word w)
{
	return integer(w, 1, &c->requests);
}

static void put_requests(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%lld", (long long)c->requests);
}

static int set_memory(struct rsd_config *c, struct rsd_word w)
{
	return integer(w, 0, &c->memory);
}

static void put_memory(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%lld", (long long)c->memory);
}

static int set_checkpoint(struct rsd_config *c, struct rsd_word w)
{
	if (rsd_word_is(w, "off")) {
		c->checkpoint = 0;
		return 0;
	}
	return integer(w, 1, &c->checkpoint);
}

static void put_checkpoint(const struct rsd_config *c, struct rsd_buf *out)
{
	if (c->checkpoint)
		rsd_buf_printf(out, "%lld", (long long)c->checkpoint);
	else
		rsd_buf_printf(out, "off");
}

static int set_file(struct rsd_config *c, struct rsd_word w)
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

static void put_file(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", c->file);
}

static int set_stack(struct rsd_config *c, struct rsd_word w)
{
	int i = c->stack, err = pick(w, stack_words, &i);

	c->stack = (enum rsd_stack_mode)i;
	return err;
}

static void put_stack(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", stack_words[c->stack]);
}

static int set_time(struct rsd_config *c, struct rsd_word w)
{
	int i = c->time, err = pick(w, time_words, &i);

	c->time = (enum rsd_time_mode)i;
	return err;
}

static void put_time(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", time_words[c->time]);
}

static int set_calls(struct rsd_config *c, struct rsd_word w)
{
	return rsd_calls_malformed(w).s ? RSD_ERR_RANGE : text(&c->calls, w);
}

static void put_calls(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", *c->calls ? c->calls : "all but class local");
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
static int set_histo(struct rsd_config *c, struct rsd_word w)
{
	double v = 0, unit = 1;
	bool point = false, digit = false;

	if (rsd_word_is(w, "off")) {
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

static void put_histo(const struct rsd_config *c, struct rsd_buf *out)
{
	if (c->histo < 0)
		rsd_buf_printf(out, "off");
	else
		put_percent(c->histo, out);
}

static int set_selfcheck(struct rsd_config *c, struct rsd_word w)
{
	return pick_second(w, switch_words, &c->selfcheck);
}

static void put_selfcheck(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%d", c->selfcheck);
}

static int set_verbose(struct rsd_config *c, struct rsd_word w)
{
	return pick_second(w, switch_words, &c->verbose);
}

static void put_verbose(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%d", c->verbose);
}

static int set_on_error(struct rsd_config *c, struct rsd_word w)
{
	return pick_second(w, on_error_words, &c->warn);
}

static void put_on_error(const struct rsd_config *c, struct rsd_buf *out)
{
	rsd_buf_printf(out, "%s", on_error_words[c->warn]);
}

const struct rsd_config_option rsd_config_options[RSD_NR_OPTIONS] = {
	[RSD_OPT_FORMAT] = { "RECORD_FORMAT", "output format", "rsd, ascii, binary", set_format,
		put_format, NULL },
	[RSD_OPT_WINDOW] = { "RECORD_WINDOW", "compression window",
		"-1 (no limit), or a number of queue nodes up to 2147483647", set_window,
		put_window, NULL },
	[RSD_OPT_REQUESTS] = { "RECORD_REQUESTS", "size of the request table",
		"a number from 1 to 2147483647", set_requests, put_requests, NULL },
	[RSD_OPT_FILE] = { "RECORD_FILE", "trace file",
		"a path in a folder that is there; %p world size, %d date-time, %j job id, %% a "
		"percent sign",
		set_file, put_file, NULL },
	[RSD_OPT_STACK] = { "RECORD_STACK", "kind of stack signature", "full, site, off", set_stack,
		put_stack, NULL },
	[RSD_OPT_TIME] = { "RECORD_TIME", "kind of timing", "off, stats, full", set_time, put_time,
		NULL },
	[RSD_OPT_CALLS] = { "RECORD_CALLS", "choice of functions",
		"all, or a list as +Name,-Pattern*", set_calls, put_calls, rsd_calls_malformed },
	[RSD_OPT_HISTO] = { "RECORD_HISTO", "error percentage", "off, or a number from 0 to 100",
		set_histo, put_histo, NULL },
	[RSD_OPT_MEMORY] = { "RECORD_MEMORY", "amount of memory",
		"a number of MiB up to 2147483647; 0: no limit", set_memory, put_memory, NULL },
	[RSD_OPT_CHECKPOINT] = { "RECORD_CHECKPOINT", "time between checkpoints",
		"off, or a number of seconds from 1 to 2147483647", set_checkpoint, put_checkpoint,
		NULL },
	[RSD_OPT_SELFCHECK] = { "RECORD_SELFCHECK", "switch", "0, 1", set_selfcheck, put_selfcheck,
		NULL },
	[RSD_OPT_VERBOSE] = { "RECORD_VERBOSE", "switch", "0, 1", set_verbose, put_verbose, NULL },
	[RSD_OPT_ON_ERROR] = { "RECORD_ON_ERROR", "reaction to errors", "abort, warn", set_on_error,
		put_on_error, NULL },
};
