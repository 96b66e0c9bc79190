#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascii.h"
#include "merge.h"
#include "scan.h"
#include "trace_binary.h"
#include "trace_file.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

/* No trace is larger; what says so is no file one could read. */
#define MAX_FILE ((uint64_t)1 << 36)

/* ---- writing --------------------------------------------------------------------- */

/* What a trace is written to: a buffer that is emptied into a file, if there is one. */
struct sink {
	struct rsd_file *file; /* NULL: everything stays in the buffer */
	struct rsd_buf out;
	uint64_t sum;
};

static int drain(void *arg)
{
	struct sink *s = arg;
	int err = s->out.err;

	if (err || !s->file)
		return err;
	s->sum = rsd_sum(s->sum, s->out.data, s->out.len);
	err = rsd_file_write(s->file, s->out.data, s->out.len);
	rsd_buf_reset(&s->out);
	return err;
}

static int put_text(const struct rsd_trace *t, struct sink *s)
{
	struct rsd_text_names names = rsd_text_trace_names(t);
	int *number = NULL, err;

	rsd_text_start(t, &s->out);
	err = drain(s);
	if (!err && t->nr_logs) {
		number = rsd_text_place_numbers(t);
		err = number ? 0 : RSD_ERR_NOMEM;
	}
	for (size_t i = 0; !err && i < t->nr_logs; i++) {
		const struct rsd_log *l = &t->log[i];

		err = rsd_text_log(
			l->rank, l->thread, l->bytes.data, l->bytes.len, number, &names, &s->out);
		if (!err)
			err = drain(s);
	}
	free(number);
	if (!err)
		err = rsd_text_tables(t, &s->out, s->file ? drain : NULL, s);
	return err ? err : drain(s);
}

static int put_trace(
	const struct rsd_trace *t, enum rsd_format format, struct sink *s, struct rsd_buf *why)
{
	struct rsd_binary b;
	int err;

	s->sum = RSD_SUM_INIT;
	if (format == RSD_FORMAT_BINARY) {
		rsd_binary_start(&b, &s->out);
		rsd_binary_trace(&b, t, &s->out);
		return drain(s);
	}
	if (format == RSD_FORMAT_RSD)
		err = put_text(t, s);
	else
		err = rsd_ascii_print(t, &s->out, s->file ? drain : NULL, s, why);
	if (!err)
		err = drain(s);
	if (err)
		return err;
	if (!s->file)
		s->sum = rsd_sum(s->sum, s->out.data, s->out.len);
	rsd_text_end(s->sum, &s->out);
	return drain(s);
}

int rsd_trace_write_early(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why)
{
	struct sink s = { .out = RSD_BUF_INIT };
	struct rsd_buf text = RSD_BUF_INIT;
	int err = rsd_file_create(&s.file, path, why);

	if (err)
		return err;
	err = put_trace(t, format, &s, &text);
	if (!err || err == RSD_ERR_IO) {
		err = rsd_file_rename(s.file, why);
	} else {
		rsd_file_abandon(s.file);
		if (why)
			rsd_buf_printf(why, "cannot write '%s': %.*s", path,
				text.len ? (int)text.len : (int)strlen(rsd_strerror(err)),
				text.len ? (char *)text.data : rsd_strerror(err));
	}
	rsd_buf_release(&text);
	rsd_buf_release(&s.out);
	return err;
}

int rsd_trace_write(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why)
{
	int err = rsd_trace_write_early(t, path, format, why);

	if (!err)
		rsd_file_sync_name(path);
	return err;
}

int rsd_trace_section(
	const struct rsd_trace *t, enum rsd_format format, struct rsd_buf *out, struct rsd_buf *why)
{
	struct sink s = { .out = RSD_BUF_INIT };
	int err = put_trace(t, format, &s, why);

	if (err)
		rsd_buf_release(&s.out);
	else
		*out = s.out;
	return err;
}

int rsd_trace_append_section(
	const struct rsd_trace *t, const char *path, enum rsd_format format, struct rsd_buf *why)
{
	struct rsd_buf section = RSD_BUF_INIT;
	int err = rsd_trace_section(t, format, &section, why);

	if (!err)
		err = rsd_file_append(path, section.data, section.len, why);
	else if (why && !why->len)
		rsd_buf_printf(why, "cannot add to '%s': %s", path, rsd_strerror(err));
	rsd_buf_release(&section);
	return err;
}

/* ---- joining traces -------------------------------------------------------------- */

struct traces {
	struct rsd_trace **t; /* owned; NULL where taken */
	size_t nr, alloc;
};

static void traces_release(struct traces *l)
{
	for (size_t i = 0; i < l->nr; i++)
		rsd_trace_free(l->t[i]);
	free(l->t);
}

static int by_first_rank(const void *a, const void *b)
{
	const struct rsd_trace *const *x = a, *const *y = b;
	int i = rsd_ranks_first(&(*x)->ranks), j = rsd_ranks_first(&(*y)->ranks);

	return (i > j) - (i < j);
}

/*
 * Merges neighbours, then neighbours of these, and so on: a trace takes part in as
 * many merges as the number of traces has bits. Leaves one in l->t[0].
 */
static int merge_all(struct traces *l, struct rsd_buf *why)
{
	qsort(l->t, l->nr, sizeof(*l->t), by_first_rank);
	for (size_t i = 1; i < l->nr; i++) {
		int rank = rsd_ranks_first(&l->t[i]->ranks);

		if (rank <= rsd_ranks_last(&l->t[i - 1]->ranks)) {
			rsd_buf_printf(why, "rank %d is there twice", rank);
			return RSD_ERR_FORMAT;
		}
	}
	for (size_t step = 1; step < l->nr; step *= 2) {
		for (size_t i = 0; i + step < l->nr; i += 2 * step) {
			int err = rsd_merge(l->t[i], l->t[i + step]);

			l->t[i + step] = NULL;
			if (err) {
				rsd_buf_printf(why, "parts of the trace do not fit together: %s",
					rsd_strerror(err));
				return err;
			}
		}
	}
	return 0;
}

/* Joins sections of one kind to the trace. Empties 'after'. */
static int join_kind(struct rsd_trace *t, struct traces *after, struct rsd_buf *why)
{
	struct rsd_ranks all = RSD_RANKS_INIT;
	int err;

	if (!after->nr)
		return 0;
	err = merge_all(after, why);
	if (!err) {
		err = rsd_ranks_union(&all, &t->ranks, &after->t[0]->ranks);
		if (!err && !rsd_ranks_equal(&all, &t->ranks))
			err = RSD_ERR_MISMATCH;
		if (!err) {
			err = rsd_merge_after(t, after->t[0]);
			after->t[0] = NULL;
		}
		rsd_ranks_release(&all);
		if (err)
			rsd_buf_printf(why,
				"a later part of the trace does not fit the first one: %s",
				rsd_strerror(err));
	}
	return err;
}

/* What came after MPI_Finalize, or which part of which thread: ranks may have each of them once. */
static int kind_of_section(const struct rsd_trace *t)
{
	int thread = t->nr_trees ? t->tree[0].thread : t->nr_logs ? t->log[0].thread : RSD_AFTER;

	return rsd_thread_is_after(thread) ? RSD_AFTER : thread;
}

static int by_kind(const void *a, const void *b)
{
	int i = kind_of_section(*(const struct rsd_trace *const *)a);
	int j = kind_of_section(*(const struct rsd_trace *const *)b);

	return (i > j) - (i < j);
}

/* Joins what was appended to a trace file. Empties 'after'. */
static int join_after(struct rsd_trace *t, struct traces *after, struct rsd_buf *why)
{
	int err = 0;

	if (after->nr)
		qsort(after->t, after->nr, sizeof(*after->t), by_kind);
	for (size_t i = 0, end; i < after->nr && !err; i = end) {
		struct traces some = { .t = &after->t[i] };

		for (end = i; end < after->nr &&
			      kind_of_section(after->t[end]) == kind_of_section(after->t[i]);)
			end++;
		some.nr = end - i;
		err = join_kind(t, &some, why);
	}
	return err ? err : rsd_trace_check_parts(t);
}

/* ---- reading ----------------------------------------------------------------------- */

typedef int parse_section(
	struct rsd_trace **out, const void *data, size_t len, size_t *pos, struct rsd_buf *why);

static int parse_rsd(
	struct rsd_trace **out, const void *data, size_t len, size_t *pos, struct rsd_buf *why)
{
	return rsd_text_parse(out, data, len, pos, why);
}

static int parse_ascii(
	struct rsd_trace **out, const void *data, size_t len, size_t *pos, struct rsd_buf *why)
{
	return rsd_ascii_parse(out, data, len, pos, why);
}

static parse_section *parser_of(const unsigned char *p, size_t len)
{
	if (len >= 4 && !memcmp(p, RSD_TEXT_MAGIC, 4))
		return parse_rsd;
	if (len >= 6 && !memcmp(p, RSD_ASCII_MAGIC, 6))
		return parse_ascii;
	if (len >= 4 && !memcmp(p, RSD_BINARY_MAGIC, 4))
		return rsd_binary_parse;
	return NULL;
}

static int read_sections(struct rsd_trace **first, struct traces *after, const unsigned char *p,
	size_t len, struct rsd_buf *why)
{
	size_t pos = 0;
	int err = 0;

	do {
		parse_section *parse = parser_of(p + pos, len - pos);
		struct rsd_trace *t = NULL;

		if (!parse) {
			rsd_buf_printf(why, "offset %zu: %s", pos,
				pos   ? "neither the end nor a further part of the trace"
				: len ? "not a trace file"
				      : "the file is empty");
			return RSD_ERR_FORMAT;
		}
		err = parse(&t, p, len, &pos, why);
		if (err)
			return err;
		if (!*first) {
			*first = t;
			continue;
		}
		err = RSD_GROW(after->t, after->nr + 1, after->alloc);
		if (err)
			rsd_trace_free(t);
		else
			after->t[after->nr++] = t;
	} while (!err && pos < len);
	return err;
}

int rsd_trace_read_bytes(struct rsd_trace **out, const void *data, size_t len, struct rsd_buf *why)
{
	struct traces after = { 0 };
	struct rsd_trace *first = NULL;
	struct rsd_buf unused = RSD_BUF_INIT, *text = why ? why : &unused;
	int err = read_sections(&first, &after, data, len, text);

	*out = NULL;
	if (!err)
		err = join_after(first, &after, text);
	if (err && !text->len)
		rsd_buf_printf(text, "%s", rsd_strerror(err));
	traces_release(&after);
	if (err)
		rsd_trace_free(first);
	else
		*out = first;
	rsd_buf_release(&unused);
	return err;
}

/* All of a file. The size it tells is a hint only: that of a file under /proc is 0. */
static int slurp(int fd, uint64_t hint, struct rsd_buf *out)
{
	ssize_t n = 0;

	if (hint > MAX_FILE)
		return EFBIG;
	do {
		size_t room = out->len == 0 && hint ? (size_t)hint + 1 : out->len / 2 + 65536;

		if (out->alloc - out->len < 65536 / 2 &&
			RSD_GROW(out->data, out->len + room, out->alloc))
			return ENOMEM;
		n = read(fd, out->data + out->len, out->alloc - out->len);
		if (n > 0)
			out->len += (size_t)n;
		/* The first bytes tell whether the rest is worth reading. */
		if (out->len >= 8 && !parser_of(out->data, out->len))
			return 0;
		if (out->len > MAX_FILE)
			return EFBIG;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? errno : 0;
}

/* 0 or errno. Opening does not wait for whoever writes to a FIFO; only regular files are read. */
static int load(const char *path, struct rsd_buf *out)
{
	int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), error;
	struct stat st;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode))
		error = S_ISDIR(st.st_mode) ? EISDIR : ENODEV;
	else
		error = slurp(fd, (uint64_t)st.st_size, out);
	close(fd);
	return error;
}

static int say(struct rsd_buf *why, const char *path, int error)
{
	char text[128];

	if (error == ENODEV)
		rsd_buf_printf(why, "cannot read '%s': not a regular file", path);
	else if (strerror_r(error, text, sizeof(text)))
		rsd_buf_printf(why, "cannot read '%s': error %d", path, error);
	else
		rsd_buf_printf(why, "cannot read '%s': %s", path, text);
	return error == ENOMEM ? RSD_ERR_NOMEM : RSD_ERR_IO;
}

/* One file. Texts of the parsers begin with "offset N: ", which becomes "FILE:N: ". */
static int read_file(struct rsd_trace **out, const char *path, int *error, struct rsd_buf *why)
{
	static const char offset[] = "offset ";
	struct rsd_buf data = RSD_BUF_INIT, text = RSD_BUF_INIT;
	size_t skip;
	int err;

	*out = NULL;
	*error = load(path, &data);
	if (*error) {
		rsd_buf_release(&data);
		return RSD_ERR_IO;
	}
	err = rsd_trace_read_bytes(out, data.data, data.len, &text);
	if (err) {
		skip = text.len > sizeof(offset) && !memcmp(text.data, offset, sizeof(offset) - 1)
			       ? sizeof(offset) - 1
			       : 0;
		rsd_buf_printf(why, "%s:%s%.*s", path, skip ? "" : " ", (int)(text.len - skip),
			text.len ? (char *)text.data + skip : "");
	}
	rsd_buf_release(&text);
	rsd_buf_release(&data);
	return err;
}

/* ---- FILE.<rank> ----------------------------------------------------------------------- */

struct numbers {
	int *nr;
	size_t len, alloc;
};

/* NAME.<rank>: true with the rank; no leading zeros, so that there is one name for each. */
static bool rank_of_name(const char *name, const char *base, int *rank)
{
	size_t n = strlen(base);
	uint64_t v;

	if (strncmp(name, base, n) != 0 || name[n] != '.')
		return false;
	name += n + 1;
	if ((name[0] == '0' && name[1]) || !rsd_scan_parse_uint(name, strlen(name), 10, &v) ||
		v >= RSD_TRACE_MAX_RANKS)
		return false;
	*rank = (int)v;
	return true;
}

static int by_number(const void *a, const void *b)
{
	int i = *(const int *)a, j = *(const int *)b;

	return (i > j) - (i < j);
}

static int list_ranks(const char *path, struct numbers *out)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *name = slash ? rsd_strndup(path, (size_t)(slash - path) + 1) : rsd_strndup(".", 1);
	DIR *dir = name ? opendir(name) : NULL;
	struct dirent *e;
	int rank, err = name ? 0 : RSD_ERR_NOMEM;

	while (!err && dir && (e = readdir(dir))) {
		if (!rank_of_name(e->d_name, base, &rank))
			continue;
		err = RSD_GROW(out->nr, out->len + 1, out->alloc);
		if (!err)
			out->nr[out->len++] = rank;
	}
	if (dir)
		closedir(dir);
	free(name);
	if (out->len)
		qsort(out->nr, out->len, sizeof(*out->nr), by_number);
	return err;
}

/* Ranks of the world that are not in the trace make it incomplete. */
static int note_missing(struct rsd_trace *t)
{
	struct rsd_ranks world = RSD_RANKS_INIT, missing = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT;
	int err = rsd_ranks_append_range(&world, 0, t->nprocs);

	if (!err)
		err = rsd_ranks_minus(&missing, &world, &t->ranks);
	if (!err && !rsd_ranks_is_empty(&missing)) {
		if (t->incomplete_why)
			rsd_buf_printf(&text, "%s; ", t->incomplete_why);
		rsd_ranks_show(&missing, &text);
		rsd_buf_printf(&text, " missing");
		rsd_buf_put_byte(&text, 0);
		err = text.err;
		if (!err) {
			free(t->incomplete_why);
			t->incomplete_why = (char *)text.data;
			t->complete = false;
			text = (struct rsd_buf)RSD_BUF_INIT;
		}
	}
	rsd_buf_release(&text);
	rsd_ranks_release(&missing);
	rsd_ranks_release(&world);
	return err;
}

/* A run replaces the files of its own ranks: those of an older and larger one stay beside them. */
static int check_run(const struct traces *l, const char *path, const struct numbers *ranks,
	const char *name, struct rsd_buf *why)
{
	struct rsd_buf first = RSD_BUF_INIT;
	int err;

	rsd_buf_printf(&first, "%s.%d", path, ranks->nr[0]);
	rsd_buf_put_byte(&first, 0);
	err = first.err;
	if (!err) {
		err = rsd_merge_check(l->t[l->nr], name, l->t[0], (char *)first.data, why);
		if (err)
			rsd_buf_printf(why, ": one is left over from another run");
	}
	rsd_buf_release(&first);
	return err;
}

static int read_ranks(
	struct traces *l, const char *path, const struct numbers *ranks, struct rsd_buf *why)
{
	struct rsd_buf name = RSD_BUF_INIT;
	int err = RSD_GROW(l->t, ranks->len, l->alloc), error;

	for (size_t i = 0; !err && i < ranks->len; i++) {
		rsd_buf_reset(&name);
		rsd_buf_printf(&name, "%s.%d", path, ranks->nr[i]);
		rsd_buf_put_byte(&name, 0);
		err = name.err;
		if (err)
			break;
		err = read_file(&l->t[l->nr], (char *)name.data, &error, why);
		if (err && error)
			err = say(why, (char *)name.data, error);
		if (!err)
			err = check_run(l, path, ranks, (char *)name.data, why);
		l->nr += l->t[l->nr] != NULL;
	}
	rsd_buf_release(&name);
	return err;
}

int rsd_trace_read(struct rsd_trace **out, const char *path, struct rsd_buf *why)
{
	struct rsd_buf unused = RSD_BUF_INIT, text = RSD_BUF_INIT, *w = why ? why : &unused;
	struct numbers ranks = { 0 };
	struct traces l = { 0 };
	int error = 0, err = read_file(out, path, &error, w);

	if (err && error == ENOENT) {
		err = list_ranks(path, &ranks);
		if (!err && !ranks.len)
			err = say(w, path, ENOENT);
		if (!err)
			err = read_ranks(&l, path, &ranks, w);
		if (!err) {
			err = merge_all(&l, &text);
			if (!err)
				err = note_missing(l.t[0]);
			if (err)
				rsd_buf_printf(w, "%s.*: %.*s", path, (int)text.len,
					text.len ? (char *)text.data : "");
		}
		*out = err ? NULL : l.t[0];
		if (!err)
			l.t[0] = NULL;
	} else if (err && error) {
		err = say(w, path, error);
	}
	if (!err && !((*out)->path = rsd_strndup(path, strlen(path)))) {
		rsd_trace_free(*out);
		*out = NULL;
		err = RSD_ERR_NOMEM;
	}
	if (err && !w->len)
		rsd_buf_printf(w, "%s: %s", path, rsd_strerror(err));
	traces_release(&l);
	free(ranks.nr);
	rsd_buf_release(&text);
	rsd_buf_release(&unused);
	return err;
}

static bool is_same_file(const char *path, const struct stat *as)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_dev == as->st_dev &&
	       st.st_ino == as->st_ino;
}

bool rsd_trace_is_read_from(const char *path, const char *file)
{
	struct rsd_buf name = RSD_BUF_INIT;
	struct numbers ranks = { 0 };
	struct stat st, as;
	bool is;

	if (stat(file, &as))
		return false;
	is = is_same_file(path, &as);
	if (stat(path, &st) && errno == ENOENT)
		list_ranks(path, &ranks); /* what it lacks memory for can't be read either */
	for (size_t i = 0; !is && i < ranks.len; i++) {
		rsd_buf_reset(&name);
		rsd_buf_printf(&name, "%s.%d", path, ranks.nr[i]);
		rsd_buf_put_byte(&name, 0);
		is = !name.err && is_same_file((char *)name.data, &as);
	}
	rsd_buf_release(&name);
	free(ranks.nr);
	return is;
}
