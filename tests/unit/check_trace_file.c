/*
 * trace_file, ascii, trace_binary, flat_file: traces come back from files as they went in, in
 * every format, whole or rank by rank; what can't be read or written says why.
 */
#include <check.h>
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ascii.h"
#include "random_trace.h"
#include "scan.h"
#include "trace_binary.h"
#include "trace_file.h"
#include "trace_text.h"
#include "transfer.h"

#define SEEDS 25

#define DIR_TEMPLATE "/tmp/check_trace_file.XXXXXX"

static char dir[sizeof(DIR_TEMPLATE)];
static const enum rsd_format formats[] = { RSD_FORMAT_RSD, RSD_FORMAT_ASCII, RSD_FORMAT_BINARY };

static const char *path(const char *name)
{
	static char p[8][200];
	static int i;
	char *to = p[i++ % 8];

	snprintf(to, sizeof(p[0]), "%s/%s", dir, name);
	return to;
}

static void enter(void)
{
	memcpy(dir, DIR_TEMPLATE, sizeof(dir));
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void leave(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static const char *text(struct rsd_buf *b)
{
	rsd_buf_put_byte(b, 0);
	return (char *)b->data;
}

/* All calls of a trace, one a line: what two traces of one run must agree on. */
static void list_calls(const struct rsd_trace *t, struct rsd_buf *out)
{
	struct rsd_ascii_names names = RSD_ASCII_NAMES_INIT;

	ck_assert_int_eq(rsd_ascii_names_update(&names, &t->sigs), 0);
	for (int r = rsd_ranks_next(&t->ranks, -1); r >= 0; r = rsd_ranks_next(&t->ranks, r)) {
		for (int thread = 0; thread < RANDOM_THREADS; thread++) {
			struct rsd_walk *w;
			struct rsd_event e;
			int err = rsd_walk_new(&w, t, r, thread);

			if (err == RSD_ERR_END)
				continue;
			ck_assert_int_eq(err, 0);
			while (!(err = rsd_walk_next(w, &e))) {
				rsd_buf_printf(out, "%d %d ", r, thread);
				rsd_ascii_call(t, &t->func[e.func], e.val, e.nr_val, out);
				rsd_buf_printf(out, " %d %d ", e.nested, e.sig >= 0);
				if (e.sig >= 0)
					rsd_ascii_site(&t->sigs, e.sig, &names, out);
				if (e.has_time)
					rsd_buf_printf(
						out, " %" PRId64 " %" PRId64, e.begin_ns, e.dur_ns);
				rsd_buf_put_byte(out, '\n');
			}
			ck_assert_msg(err == RSD_ERR_END, "%s", rsd_walk_error(w));
			rsd_walk_free(w);
		}
	}
	rsd_ascii_names_release(&names);
	rsd_buf_put_byte(out, 0);
	ck_assert_int_eq(out->err, 0);
}

static void ck_same_calls(const struct rsd_trace *a, const struct rsd_trace *b)
{
	struct rsd_buf x = RSD_BUF_INIT, y = RSD_BUF_INIT;

	list_calls(a, &x);
	list_calls(b, &y);
	ck_assert_str_eq((char *)x.data, (char *)y.data);
	rsd_buf_release(&x);
	rsd_buf_release(&y);
}

static void ck_same_state(const struct rsd_trace *a, const struct rsd_trace *b)
{
	ck_assert_int_eq(a->nprocs, b->nprocs);
	ck_assert(rsd_ranks_equal(&a->ranks, &b->ranks));
	ck_assert_int_eq(a->complete, b->complete);
	ck_assert_uint_eq(a->nr_meta, b->nr_meta);
	for (size_t i = 0; i < a->nr_meta; i++)
		ck_assert_str_eq(a->meta[i].value, rsd_trace_get_meta(b, a->meta[i].key));
	ck_assert_uint_eq(a->nr_objects, b->nr_objects);
}

static struct rsd_trace *read_trace(const char *p)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	int err = rsd_trace_read(&t, p, &why);

	ck_assert_msg(!err, "%s", text(&why));
	ck_assert_uint_eq(why.len, 0);
	rsd_buf_release(&why);
	return t;
}

static void write_trace(const struct rsd_trace *t, const char *p, enum rsd_format f)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = rsd_trace_write(t, p, f, &why);

	ck_assert_msg(!err, "%s", text(&why));
	rsd_buf_release(&why);
}

static void ck_read_fails(const char *p, const char *what)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;

	ck_assert_int_ne(rsd_trace_read(&t, p, &why), 0);
	ck_assert_ptr_null(t);
	ck_assert_msg(strstr(text(&why), what) != NULL, "'%s' lacks '%s'", (char *)why.data, what);
	rsd_buf_release(&why);
}

static void ck_write_fails(const char *p, const char *what)
{
	struct rsd_trace *t = random_trace(4, false);

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		struct rsd_buf why = RSD_BUF_INIT;

		ck_assert_int_ne(rsd_trace_write(t, p, formats[i], &why), 0);
		ck_assert_msg(strstr(text(&why), what) != NULL, "'%s' lacks '%s'", (char *)why.data,
			what);
		rsd_buf_release(&why);
	}
	rsd_trace_free(t);
}

static void put_file(const char *p, const void *data, size_t len)
{
	int fd = open(p, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	close(fd);
}

static void get_file(const char *p, struct rsd_buf *out)
{
	int fd = open(p, O_RDONLY);
	char block[4096];
	ssize_t n;

	ck_assert_int_ge(fd, 0);
	while ((n = read(fd, block, sizeof(block))) > 0)
		rsd_buf_put(out, block, (size_t)n);
	close(fd);
}

/* ---- whole traces ------------------------------------------------------------------ */

START_TEST(every_format_reads_back)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2), *u;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		write_trace(t, path("t"), formats[i]);
		u = read_trace(path("t"));
		ck_same_calls(t, u);
		ck_same_state(t, u);
		rsd_trace_free(u);
	}
	rsd_trace_free(t);
}
END_TEST

/* An ascii trace is a text whose reading and writing are each other's reverse. */
START_TEST(ascii_prints_as_it_was_read)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2), *u;
	struct rsd_buf a = RSD_BUF_INIT, b = RSD_BUF_INIT;

	write_trace(t, path("a"), RSD_FORMAT_ASCII);
	u = read_trace(path("a"));
	write_trace(u, path("b"), RSD_FORMAT_ASCII);
	get_file(path("a"), &a);
	get_file(path("b"), &b);
	ck_assert_uint_eq(a.len, b.len);
	ck_assert_mem_eq(a.data, b.data, a.len);
	rsd_trace_free(t);
	rsd_trace_free(u);
	rsd_buf_release(&a);
	rsd_buf_release(&b);
}
END_TEST

/* ---- flat traces, as they are recorded --------------------------------------------- */

struct streaming {
	struct rsd_flat_file *f[RSD_ARRAY_SIZE(formats)];
	struct rsd_buf done[RANDOM_THREADS]; /* what of each log was handed over */
};

static void hand_over(struct random_rank *r, int thread, void *arg)
{
	struct streaming *s = arg;
	struct rsd_buf *log = &r->log[thread], *done = &s->done[thread];

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++)
		ck_assert_int_eq(
			rsd_flat_file_block(s->f[i], thread, &r->stream[thread],
				log->data ? log->data + done->len : NULL, log->len - done->len),
			0);
	rsd_buf_put(done, log->data ? log->data + done->len : NULL, log->len - done->len);
}

/* Records one rank both ways: as files NAME0 ... in all formats, and as a trace with loops. */
static struct rsd_trace *record_flat(
	int rank, const struct random_options *o, unsigned seed, struct streaming *s)
{
	struct random_options with = *o;
	struct rsd_trace *t;
	struct random_rank r;

	with.block = hand_over;
	with.arg = s;
	random_init(&r, &with, rank, seed);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		char name[30];

		snprintf(name, sizeof(name), "flat%zu.%d", i, rank);
		ck_assert_int_eq(
			rsd_flat_file_begin(&s->f[i], path(name), formats[i], &r.ctx, NULL), 0);
	}
	random_run(&r, &with, seed);
	for (int k = 0; k < RANDOM_THREADS; k++) {
		hand_over(&r, k, s);
		rsd_buf_release(&s->done[k]);
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		struct rsd_buf why = RSD_BUF_INIT;
		int err;

		random_describe(rsd_flat_file_trace(s->f[i]), &r.ctx);
		err = rsd_flat_file_finish(s->f[i], &why);
		ck_assert_msg(!err, "%s", text(&why));
		rsd_buf_release(&why);
	}
	t = random_rank_trace(&r);
	random_release(&r);
	return t;
}

/* What each of the files that were recorded says of its version: a text where one of its calls needs it. */
static void ck_tells_foreign(const struct rsd_trace *t, int rank)
{
	static const char *const told[] = { "\nversion 7\n", "\nversion 4\n" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		struct rsd_buf b = RSD_BUF_INIT;
		char name[30];

		if (formats[i] == RSD_FORMAT_BINARY)
			continue;
		snprintf(name, sizeof(name), "flat%zu.%d", i, rank);
		get_file(path(name), &b);
		rsd_buf_put_byte(&b, 0);
		ck_assert_int_eq(
			strstr((char *)b.data, told[formats[i] == RSD_FORMAT_ASCII]) != NULL,
			rsd_trace_has_foreign(t));
		rsd_buf_release(&b);
	}
}

START_TEST(flat_files_have_what_was_recorded)
{
	struct random_options o = { .nprocs = 1 + _i % 5, .times = _i % 2 };
	struct rsd_trace *t = NULL, *u;

	for (int rank = 0; rank < o.nprocs; rank++) {
		struct streaming s = { 0 };
		struct rsd_trace *one = record_flat(rank, &o, (unsigned)_i, &s);

		ck_tells_foreign(one, rank);
		if (t)
			ck_assert_int_eq(rsd_merge(t, one), 0);
		else
			t = one;
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		char name[30];

		snprintf(name, sizeof(name), "flat%zu", i);
		u = read_trace(path(name));
		ck_same_calls(t, u);
		ck_same_state(t, u);
		ck_assert_int_eq(rsd_trace_has_foreign(t), rsd_trace_has_foreign(u));
		write_trace(u, path("again"), formats[(i + 1) % 3]);
		rsd_trace_free(u);
		u = read_trace(path("again"));
		ck_same_calls(t, u);
		ck_assert_int_eq(rsd_trace_has_foreign(t), rsd_trace_has_foreign(u));
		rsd_trace_free(u);
	}
	rsd_trace_free(t);
}
END_TEST

/* ---- FILE.<rank>, later sections ---------------------------------------------------- */

static void write_ranks(int nprocs, int leave_out, unsigned seed)
{
	struct random_options o = { .nprocs = nprocs };

	for (int rank = 0; rank < nprocs; rank++) {
		struct random_rank r;
		struct rsd_trace *t;
		char name[30];

		if (rank == leave_out)
			continue;
		random_init(&r, &o, rank, seed);
		random_run(&r, &o, seed);
		t = random_rank_trace(&r);
		random_release(&r);
		snprintf(name, sizeof(name), "node.%d", rank);
		write_trace(t, path(name), RSD_FORMAT_RSD);
		rsd_trace_free(t);
	}
}

START_TEST(files_of_ranks_are_merged)
{
	struct rsd_trace *t;

	write_ranks(13, -1, 8);
	put_file(path("node.tmp.12"), "x", 1); /* names that are none of the trace's */
	put_file(path("node.07"), "x", 1);
	put_file(path("node.7x"), "x", 1);
	put_file(path("node."), "x", 1);
	t = read_trace(path("node"));
	ck_assert_uint_eq(rsd_ranks_count(&t->ranks), 13);
	ck_assert(t->complete);
	rsd_trace_free(t);
}
END_TEST

START_TEST(missing_ranks_make_a_trace_incomplete)
{
	struct rsd_trace *t;

	write_ranks(5, 3, 8);
	t = read_trace(path("node"));
	ck_assert(!t->complete);
	ck_assert_str_eq(t->incomplete_why, "rank 3 missing");
	ck_assert_uint_eq(rsd_ranks_count(&t->ranks), 4);
	rsd_trace_free(t);
}
END_TEST

START_TEST(a_rank_may_not_be_there_twice)
{
	struct rsd_buf b = RSD_BUF_INIT;

	write_ranks(3, -1, 8);
	get_file(path("node.1"), &b);
	put_file(path("node.2"), b.data, b.len);
	rsd_buf_release(&b);
	ck_read_fails(path("node"), "rank 1 is there twice");
}
END_TEST

/* What rank 'rank' calls after its trace was written: one barrier. */
static struct rsd_trace *late_trace(int nprocs, int rank)
{
	struct rsd_stream s;
	struct rsd_sigs sigs;
	struct rsd_strings strings = { 0 };
	struct random_rank r = { 0 };
	struct rsd_stream_context ctx = { rank, nprocs, &sigs, &strings, random_shape,
		random_constant, &r, false };
	const int64_t val[] = { RSD_CONST(WORLD), 0 };
	struct rsd_trace *t = rsd_trace_new(nprocs);

	r.ctx = ctx;
	rsd_sigs_init(&sigs);
	rsd_stream_init(&s, random_funcs, -1);
	ck_assert_int_eq(
		rsd_stream_append(&s, rsd_stream_place(&s, 0, -1, 0), val, 2, RSD_TIME_OFF, 0, 0),
		0);
	rsd_ranks_append(&t->ranks, rank);
	ck_assert_int_eq(rsd_stream_to_trace(&s, RSD_AFTER, &ctx, t), 0);
	t->complete = true;
	rsd_stream_release(&s);
	rsd_sigs_release(&sigs);
	return t;
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

START_TEST(later_sections_are_joined)
{
	enum rsd_format format = formats[_i % 3];
	struct rsd_trace *t = random_trace(4 + 15 * (unsigned)(_i / 3), false), *u;
	struct rsd_buf before = RSD_BUF_INIT, after = RSD_BUF_INIT, why = RSD_BUF_INIT;
	int nprocs = t->nprocs;

	list_calls(t, &before);
	write_trace(t, path("t"), format);
	for (int r = nprocs - 1; r >= 0; r -= 2) {
		struct rsd_trace *late = late_trace(nprocs, r);
		int err = rsd_trace_append_section(late, path("t"), format, &why);

		ck_assert_msg(!err, "%s", text(&why));
		rsd_trace_free(late);
	}
	u = read_trace(path("t"));
	list_calls(u, &after);
	ck_assert(u->complete);
	ck_assert_uint_eq(count_lines((char *)after.data),
		count_lines((char *)before.data) + (size_t)(nprocs + 1) / 2);
	ck_assert_ptr_nonnull(
		strstr((char *)after.data, "MPI_Barrier(comm=MPI_COMM_WORLD) 0 0 \n"));
	rsd_trace_free(t);
	rsd_trace_free(u);
	rsd_buf_release(&before);
	rsd_buf_release(&after);
	rsd_buf_release(&why);
}
END_TEST

START_TEST(sections_appended_by_several_processes_stay_whole)
{
	struct rsd_trace *t = random_trace(4, false), *u;
	int nprocs = t->nprocs, status;

	write_trace(t, path("t"), RSD_FORMAT_RSD);
	for (int r = 0; r < nprocs; r++) {
		if (fork())
			continue;
		u = late_trace(nprocs, r);
		_exit(rsd_trace_append_section(u, path("t"), RSD_FORMAT_RSD, NULL) != 0);
	}
	while (wait(&status) > 0)
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	u = read_trace(path("t"));
	rsd_trace_free(u);
	rsd_trace_free(t);
}
END_TEST

START_TEST(what_follows_the_end_must_be_a_section)
{
	struct rsd_trace *t = random_trace(4, false), *late = late_trace(t->nprocs, 0);

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++) {
		write_trace(t, path("t"), formats[i]);
		ck_assert_int_eq(rsd_file_append(path("t"), "junk\n", 5, NULL), 0);
		ck_read_fails(path("t"), "neither the end nor a further part");
		write_trace(t, path("t"), formats[i]);
		ck_assert_int_eq(rsd_trace_append_section(late, path("t"), formats[i], NULL), 0);
		ck_assert_int_eq(rsd_trace_append_section(late, path("t"), formats[i], NULL), 0);
		ck_read_fails(path("t"), "rank 0 is there twice");
	}
	rsd_trace_free(late);
	late = late_trace(t->nprocs + 1, 0);
	write_trace(t, path("t"), RSD_FORMAT_RSD);
	ck_assert_int_eq(rsd_trace_append_section(late, path("t"), RSD_FORMAT_RSD, NULL), 0);
	ck_read_fails(path("t"), "does not fit");
	ck_assert_int_ne(rsd_trace_append_section(late, path("none"), RSD_FORMAT_RSD, NULL), 0);
	rsd_trace_free(late);
	rsd_trace_free(t);
}
END_TEST

/* ---- what can't be read or written ---------------------------------------------------- */

START_TEST(what_is_no_trace_says_so)
{
	ck_read_fails(path("none"), "No such file");
	ck_read_fails(dir, "Is a directory");
	ck_assert_int_eq(mkfifo(path("fifo"), 0666), 0);
	ck_read_fails(path("fifo"), "not a regular file");
	ck_read_fails("/dev/zero", "not a regular file");
	ck_read_fails("/proc/self/status", "not a trace file");
	put_file(path("empty"), "", 0);
	ck_read_fails(path("empty"), "empty:0: the file is empty");
	put_file(path("junk"), "rs", 2);
	ck_read_fails(path("junk"), "not a trace file");
	put_file(path("newer"), "rsd 8\n", 6);
	ck_read_fails(path("newer"), "version");
	put_file(path("ascii"), "ascii 5\n", 8);
	ck_read_fails(path("ascii"), "version");
	put_file(path("newer"), "\211rsd\r\n\032\002xxxxx", 13);
	ck_read_fails(path("newer"), "version");
	put_file(path("nodir"), "", 0);
	ck_read_fails(path("nodir/x"), "Not a directory");
}
END_TEST

START_TEST(huge_sparse_files_are_refused)
{
	int fd = open(path("sparse"), O_WRONLY | O_CREAT, 0666);

	ck_assert_int_eq(write(fd, RSD_TEXT_MAGIC, 6), 6);
	if (ftruncate(fd, (off_t)1 << 40) == 0)
		ck_read_fails(path("sparse"), "File too large");
	close(fd);
}
END_TEST

START_TEST(what_cannot_be_written_says_so)
{
	ck_write_fails("/dev/full", "No space left on device");
	ck_write_fails(path("none/x"), "No such file");
	ck_write_fails(dir, "Is a directory");
	ck_assert_int_eq(mkfifo(path("fifo"), 0666), 0);
	ck_write_fails(path("fifo"), "No such device");
}
END_TEST

/* The signal that comes with this error would end the program. */
START_TEST(a_limit_of_file_sizes_is_an_error_only)
{
	struct rsd_trace *t = random_trace(4, false);
	struct rsd_buf why = RSD_BUF_INIT;
	struct rlimit was, small;
	struct sigaction a;
	sigset_t mask;
	int limited, err;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){ .rlim_cur = 100, .rlim_max = was.rlim_max };
	/* No check in between: the framework keeps notes in a file. */
	limited = setrlimit(RLIMIT_FSIZE, &small);
	err = rsd_trace_write(t, path("t"), RSD_FORMAT_RSD, &why);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
	ck_assert_int_eq(limited, 0);
	ck_assert_int_eq(err, RSD_ERR_IO);
	ck_assert_ptr_nonnull(strstr(text(&why), "File too large"));
	ck_assert(access(path("t"), F_OK) != 0);

	/* Nothing is left pending, blocked or ignored. */
	ck_assert_int_eq(sigpending(&mask), 0);
	ck_assert(!sigismember(&mask, SIGXFSZ));
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	ck_assert(!sigismember(&mask, SIGXFSZ));
	ck_assert_int_eq(sigaction(SIGXFSZ, NULL, &a), 0);
	ck_assert(a.sa_handler == SIG_DFL);
	rsd_trace_free(t);
	rsd_buf_release(&why);
}
END_TEST

START_TEST(dev_null_takes_everything)
{
	struct rsd_trace *t = random_trace(4, false);
	struct stat st;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(formats); i++)
		write_trace(t, "/dev/null", formats[i]);
	rsd_trace_free(t);
	ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(an_older_trace_stays_until_the_new_one_is_there)
{
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_file *f;
	struct stat st;
	char side[100];

	put_file(path("t"), "old", 3);
	snprintf(side, sizeof(side), "t.tmp.%ld", (long)getpid());
	put_file(path(side), "left over", 9);
	ck_assert_int_eq(rsd_file_create(&f, path("t"), NULL), 0);
	ck_assert_int_eq(rsd_file_write(f, "new", 3), 0);
	get_file(path("t"), &b);
	ck_assert_uint_eq(b.len, 3);
	ck_assert_mem_eq(b.data, "old", 3);
	rsd_file_abandon(f);
	ck_assert(stat(path(side), &st) && errno == ENOENT);
	rsd_buf_reset(&b);
	get_file(path("t"), &b);
	ck_assert_mem_eq(b.data, "old", 3);
	ck_assert_int_eq(symlink("t", path("link")), 0);
	ck_assert_int_eq(rsd_file_create(&f, path("link"), NULL), 0);
	ck_assert_int_eq(rsd_file_write(f, "new", 3), 0);
	ck_assert_int_eq(rsd_file_commit(f, NULL), 0);
	rsd_buf_reset(&b);
	get_file(path("t"), &b);
	ck_assert_mem_eq(b.data, "new", 3);
	ck_assert(lstat(path("link"), &st) == 0 && S_ISLNK(st.st_mode));
	rsd_buf_release(&b);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------ */

static bool try_bytes(const unsigned char *p, size_t len)
{
	unsigned char *copy = rsd_malloc(len ? len : 1);
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	int err;

	memcpy(copy, p, len);
	err = rsd_trace_read_bytes(&t, copy, len, &why);
	free(copy);
	ck_assert(!err || (!t && why.len));
	rsd_trace_free(t);
	rsd_buf_release(&why);
	return !err;
}

START_TEST(truncated_files_are_refused)
{
	struct rsd_trace *t = random_trace(6, true);
	struct rsd_buf b = RSD_BUF_INIT;

	write_trace(t, path("t"), formats[_i]);
	get_file(path("t"), &b);
	for (size_t len = 0; len < b.len; len += 1 + b.len / 300)
		ck_assert(!try_bytes(b.data, len));
	ck_assert(try_bytes(b.data, b.len));
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* Every flipped bit is found by a checksum, if by nothing else. */
START_TEST(flipped_bits_are_found)
{
	struct rsd_trace *t = random_trace(6, true);
	struct rsd_buf b = RSD_BUF_INIT;

	write_trace(t, path("t"), formats[_i]);
	get_file(path("t"), &b);
	for (size_t i = 0; i < b.len; i += 1 + b.len / 300) {
		int bit = rand() % 8;

		b.data[i] ^= (unsigned char)(1 << bit);
		ck_assert_msg(!try_bytes(b.data, b.len), "bit %d of byte %zu", bit, i);
		b.data[i] ^= (unsigned char)(1 << bit);
	}
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

START_TEST(altered_ascii_with_a_right_checksum_does_no_harm)
{
	static const char bytes[] = "\n \"\\;=-+,()[]{}@#09azx_~\xff";
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT;
	size_t end;

	ck_assert_int_eq(rsd_ascii_print(t, &b, NULL, NULL, NULL), 0);
	end = b.len;
	for (size_t i = 8; i < end; i += 1 + end / 400) {
		unsigned char was = b.data[i];

		b.data[i] = (unsigned char)bytes[rand() % (int)(sizeof(bytes) - 1)];
		b.len = end;
		rsd_text_end(rsd_sum(RSD_SUM_INIT, b.data, end), &b);
		try_bytes(b.data, b.len);
		b.data[i] = was;
	}
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* A chunk that says it holds far more than what is stored could. */
START_TEST(bombs_are_refused)
{
	static const unsigned char claim[] = { 'T', 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 4, 1, 2, 3,
		4 };
	struct rsd_buf b = RSD_BUF_INIT, why = RSD_BUF_INIT;
	uint64_t sum = rsd_sum(RSD_SUM_INIT, claim, sizeof(claim));
	struct rsd_trace *t;

	rsd_buf_put(&b, RSD_BINARY_MAGIC, RSD_BINARY_MAGIC_LEN);
	rsd_buf_put(&b, claim, sizeof(claim));
	for (int i = 0; i < 8; i++)
		rsd_buf_put_byte(&b, (unsigned char)(sum >> 8 * i));
	ck_assert_int_eq(rsd_trace_read_bytes(&t, b.data, b.len, &why), RSD_ERR_FORMAT);
	ck_assert_ptr_nonnull(strstr(text(&why), "larger than the format allows"));
	rsd_buf_release(&b);
	rsd_buf_release(&why);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_file");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_loop_test(tc, every_format_reads_back, 0, SEEDS);
	tcase_add_loop_test(tc, ascii_prints_as_it_was_read, 0, SEEDS);
	tcase_add_loop_test(tc, flat_files_have_what_was_recorded, 0, SEEDS);
	tcase_add_test(tc, files_of_ranks_are_merged);
	tcase_add_test(tc, missing_ranks_make_a_trace_incomplete);
	tcase_add_test(tc, a_rank_may_not_be_there_twice);
	tcase_add_loop_test(tc, later_sections_are_joined, 0, 9);
	tcase_add_test(tc, sections_appended_by_several_processes_stay_whole);
	tcase_add_test(tc, what_follows_the_end_must_be_a_section);
	tcase_add_test(tc, what_is_no_trace_says_so);
	tcase_add_test(tc, huge_sparse_files_are_refused);
	tcase_add_test(tc, what_cannot_be_written_says_so);
	tcase_add_test(tc, a_limit_of_file_sizes_is_an_error_only);
	tcase_add_test(tc, dev_null_takes_everything);
	tcase_add_test(tc, an_older_trace_stays_until_the_new_one_is_there);
	tcase_add_loop_test(tc, truncated_files_are_refused, 0, 3);
	tcase_add_loop_test(tc, flipped_bits_are_found, 0, 3);
	tcase_add_loop_test(tc, altered_ascii_with_a_right_checksum_does_no_harm, 0, 6);
	tcase_add_test(tc, bombs_are_refused);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
