/* tool.c - see tool.h */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "scan.h"
#include "trace_file.h"
#include "util.h"

#define OUT_CHUNK ((size_t)1 << 16)

static const char *tool_name = "rsd";
static bool is_silent;

const char *rsd_tool_variable(const char *name, void *unused)
{
	(void)unused;
	return getenv(name);
}

void rsd_tool_set_name(const char *name)
{
	tool_name = name;
}

void rsd_tool_be_silent(bool silent)
{
	is_silent = silent;
}

int rsd_tool_error(const char *fmt, ...)
{
	struct rsd_buf line = RSD_BUF_INIT;
	va_list ap, again;
	char *text;
	int len;

	if (is_silent)
		return RSD_EXIT_ERROR;
	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	text = len < 0 ? NULL : rsd_malloc((size_t)len + 1);
	if (text)
		vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(ap);
	/* In one piece: all ranks of a replay may speak at once. */
	rsd_buf_printf(&line, "%s: ", tool_name);
	rsd_scan_put_shown(&line, text ? text : fmt);
	rsd_buf_put_byte(&line, '\n');
	fwrite(line.data, 1, line.len, stderr);
	rsd_buf_release(&line);
	free(text);
	return RSD_EXIT_ERROR;
}

int rsd_tool_bad_option(int c, char **argv)
{
	const char *word = argv[optind - 1];
	bool is_long = strncmp(word, "--", 2) == 0 && word[2];

	if (c == ':' && is_long)
		return rsd_tool_error("option '%s' needs an argument", word);
	if (c == ':')
		return rsd_tool_error("option '-%c' needs an argument", optopt);
	if (is_long && optopt)
		return rsd_tool_error("option '%s' takes no argument", word);
	if (is_long)
		return rsd_tool_error("unknown option '%s'", word);
	return rsd_tool_error("unknown option '-%c'", optopt);
}

int rsd_tool_help(const char *text)
{
	struct rsd_out out = RSD_OUT_INIT;

	rsd_buf_put(&out.buf, text, strlen(text));
	return rsd_out_end(&out, RSD_EXIT_OK);
}

bool rsd_tool_number(const char *option, const char *s, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || end == s || *end || v < min || v > max) {
		if (max == INT64_MAX || max == INT_MAX)
			rsd_tool_error(
				"%s '%s': not a number of at least %" PRId64, option, s, min);
		else
			rsd_tool_error("%s '%s': not a number of %" PRId64 " to %" PRId64, option,
				s, min, max);
		return false;
	}
	*out = v;
	return true;
}

struct rsd_trace *rsd_tool_load_as_is(const char *path)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	int err = rsd_trace_read(&t, path, &why);

	if (err) {
		if (why.len)
			rsd_tool_error("%.*s", (int)why.len, (const char *)why.data);
		else
			rsd_tool_error("cannot read '%s': %s", path, rsd_strerror(err));
		t = NULL;
	}
	rsd_buf_release(&why);
	return t;
}

static void say_lossy(const struct rsd_trace *t, const char *path, const char *how)
{
	struct rsd_buf list = RSD_BUF_INIT;

	rsd_scalars_list(t, &list);
	if (list.len)
		rsd_tool_error(
			"%s: lossy: %.*s%s", path, (int)list.len, (const char *)list.data, how);
	rsd_buf_release(&list);
}

bool rsd_tool_draw(struct rsd_trace *t, const char *path, bool quiet)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = rsd_scalars_draw(t, &why);

	if (err && why.len)
		rsd_tool_error("%s: %.*s", path, (int)why.len, (const char *)why.data);
	else if (err)
		rsd_tool_error("%s: %s", path, rsd_strerror(err));
	else if (!quiet)
		say_lossy(t, path, ": these values are drawn from histograms");
	rsd_buf_release(&why);
	return !err;
}

struct rsd_trace *rsd_tool_load(const char *path)
{
	struct rsd_trace *t = rsd_tool_load_as_is(path);

	if (!t || rsd_tool_draw(t, path, false))
		return t;
	rsd_trace_free(t);
	return NULL;
}

struct rsd_trace *rsd_tool_load_shown(const char *path)
{
	struct rsd_trace *t = rsd_tool_load_as_is(path);
	int err = t ? rsd_scalars_show(t) : 0;

	if (!err) {
		if (t)
			say_lossy(t, path, "");
		return t;
	}
	rsd_tool_error("%s: %s", path, rsd_strerror(err));
	rsd_trace_free(t);
	return NULL;
}

const char *rsd_tool_operand(int argc, char **argv)
{
	if (optind == argc) {
		rsd_tool_error("no trace given (see --help)");
		return NULL;
	}
	if (optind < argc - 1) {
		rsd_tool_error("one trace only: what is '%s'?", argv[optind + 1]);
		return NULL;
	}
	return argv[optind];
}

bool rsd_tool_is_other(const char *path, const char *output)
{
	struct stat st;

	if (!rsd_trace_is_read_from(path, output))
		return true;
	rsd_tool_error("output '%s' is %s: name another file", output,
		stat(path, &st) ? "one of the files of the trace" : "the trace itself");
	return false;
}

/* A list of RECORD_CALLS that takes functions away: "-Name", with no "all" behind it. */
static bool takes_away(const char *calls)
{
	bool less = false;

	for (const char *s = calls; *s; s += strcspn(s, ",")) {
		s += *s == ',';
		if (*s == '-')
			less = true;
		else if (strcspn(s, ",") == 3 && !strncmp(s, "all", 3))
			less = false;
	}
	return less;
}

const char *rsd_tool_not_recorded(const struct rsd_trace *t)
{
	const char *calls = rsd_trace_get_meta(t, "calls");

	return calls && takes_away(calls) ? calls : NULL;
}

bool rsd_tool_has_rank(const struct rsd_trace *t, const char *path, int64_t rank)
{
	if (rank < 0 || rsd_ranks_has(&t->ranks, (int)rank))
		return true;
	rsd_tool_error("%s: no rank %" PRId64 " in it (it is of %d)", path, rank, t->nprocs);
	return false;
}

int rsd_tool_places_failed(const struct rsd_trace *t, int err)
{
	if (err != RSD_ERR_FORMAT)
		return rsd_tool_error("%s", rsd_strerror(err));
	return rsd_tool_error("%s: numbers of a rank do not fit the column that they are of (rsd "
			      "check says whose)",
		t->path ? t->path : "the trace");
}

const char *rsd_tool_walk_error(const struct rsd_walk *w, int err)
{
	const char *why = err == RSD_ERR_FORMAT && w ? rsd_walk_error(w) : NULL;

	return why && *why ? why : rsd_strerror(err);
}

int rsd_tool_walk_failed(const struct rsd_trace *t, int rank, const struct rsd_walk *w, int err)
{
	return rsd_tool_error(
		"%s: rank %d: %s", t->path ? t->path : "trace", rank, rsd_tool_walk_error(w, err));
}

/* Cuts the last word off a path; what it is. */
static const char *cut_word(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return "";
	*slash = 0;
	return slash + 1;
}

bool rsd_tool_lib_dir(struct rsd_buf *out)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));
	const char *folder, *mpi = "";

	if (len < 0 || (size_t)len == sizeof(path)) {
		rsd_tool_error("cannot tell where this program is: %s",
			strerror(len < 0 ? errno : ENAMETOOLONG));
		return false;
	}
	path[len] = 0;
	cut_word(path);
	folder = cut_word(path);
	if (strcmp(folder, "bin") != 0) {
		char *parent = strrchr(path, '/');

		if (parent && strcmp(parent, "/bin") == 0) {
			mpi = folder;
			*parent = 0;
		}
	}
	rsd_buf_printf(out, "%s/lib%s%s", path, *mpi ? "/" : "", mpi);
	rsd_buf_put_byte(out, 0);
	return !out->err;
}

static void flush_out(struct rsd_out *o)
{
	size_t done = 0;

	while (!o->err && done < o->buf.len) {
		ssize_t n = write(STDOUT_FILENO, o->buf.data + done, o->buf.len - done);

		if (n < 0 && errno != EINTR)
			o->err = errno;
		else if (n > 0)
			done += (size_t)n;
	}
	if (!o->err && o->buf.err)
		o->err = ENOMEM;
	rsd_buf_reset(&o->buf);
}

bool rsd_out_more(struct rsd_out *o)
{
	if (o->buf.len >= OUT_CHUNK || o->buf.err)
		flush_out(o);
	return !o->err;
}

int rsd_out_end(struct rsd_out *o, int code)
{
	flush_out(o);
	rsd_buf_release(&o->buf);
	if (!o->err)
		return code;
	if (o->err != EPIPE)
		rsd_tool_error("cannot write: %s", strerror(o->err));
	return RSD_EXIT_ERROR;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void rsd_progress_begin(struct rsd_progress *p, const char *what, uint64_t total)
{
	*p = (struct rsd_progress){ .what = what, .total = total };
	p->on = isatty(STDERR_FILENO);
	if (p->on)
		p->last_ms = now_ms();
}

/* The clock is read only after some steps, and the line rewritten only twice a second. */
void rsd_progress_step(struct rsd_progress *p, uint64_t by)
{
	int64_t ms;

	p->done += by;
	if (!p->on || p->done < p->next)
		return;
	ms = now_ms();
	p->next = p->done + (p->total > 100000 ? 1000 : 1);
	if (ms - p->last_ms < 500)
		return;
	p->last_ms = ms;
	p->shown = true;
	if (p->total)
		fprintf(stderr, "\r%s: %s %d%% ", tool_name, p->what,
			(int)(100.0 * (double)p->done / (double)p->total));
	else
		fprintf(stderr, "\r%s: %s %" PRIu64 " ", tool_name, p->what, p->done);
	fflush(stderr);
}

void rsd_progress_end(struct rsd_progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)(strlen(tool_name) + strlen(p->what) + 30), "");
	p->shown = false;
}
