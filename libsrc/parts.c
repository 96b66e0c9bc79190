#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"
#include "collect.h"
#include "selfcheck.h"
#include "shield.h"
#include "trouble.h"
#include "util.h"

#define OFTEN 4096 /* events between two looks, unless the stream grows fast or has many columns */
#define HIGH_DESCRIPTOR 64 /* the low ones are the program's to count on */
#define MANY_PARTS 512	   /* of a thread: from here on they grow, as their number is limited */

/* ---- the file ------------------------------------------------------------------------ */

/* A file in 'dir' that has no name, or -1 with errno. */
static int nameless_file(const char *dir)
{
	static const char suffix[] = "/.record-XXXXXX";
	char *name;
	int fd;

#ifdef O_TMPFILE
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
#endif
	name = rsd_malloc(strlen(dir) + sizeof(suffix));
	if (!name)
		return -1;
	memcpy(name, dir, strlen(dir));
	memcpy(name + strlen(dir), suffix, sizeof(suffix));
	fd = mkstemp(name);
	if (fd >= 0) {
		unlink(name);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	free(name);
	return fd;
}

/* The folder of the trace file. NULL: no memory. */
static char *folder(void)
{
	const char *slash = rsd_rt.path ? strrchr(rsd_rt.path, '/') : NULL;

	if (!slash)
		return rsd_strndup(".", 1);
	return rsd_strndup(rsd_rt.path, slash == rsd_rt.path ? 1 : (size_t)(slash - rsd_rt.path));
}

/* 0 or errno. */
static int open_file(struct rsd_parts *p)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = folder();
	int fd = dir ? nameless_file(dir) : -1, high, error;
	struct stat st;

	free(dir);
	if (fd < 0)
		fd = nameless_file(tmp && *tmp ? tmp : "/tmp");
	if (fd < 0)
		return errno;
	high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	error = fstat(fd, &st) ? errno : 0;
	if (error) {
		close(fd);
		return error;
	}
	p->fd = fd;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return 0;
}

/* Is the descriptor still that of our file? */
static bool is_ours(const struct rsd_parts *p)
{
	struct stat st;

	return !fstat(p->fd, &st) && st.st_dev == p->dev && st.st_ino == p->ino;
}

/* 0 or errno; then the file is as it was. */
static int write_part(struct rsd_parts *p, const struct rsd_buf *part)
{
	int error = p->len ? 0 : open_file(p);

	if (!error && !is_ours(p))
		return EBADF;
	for (size_t pos = 0; !error && pos < part->len;) {
		ssize_t n = pwrite(p->fd, part->data + pos, part->len - pos, (off_t)(p->len + pos));

		if (n > 0)
			pos += (size_t)n;
		else if (n == 0 || errno != EINTR)
			error = n == 0 ? EIO : errno;
	}
	if (!error) {
		p->len += part->len;
	} else if (p->len) {
		if (ftruncate(p->fd, (off_t)p->len))
			return error;
	} else if (is_ours(p)) {
		close(p->fd);
	}
	return error;
}

/* Takes 'part'. */
static void keep_part(struct rsd_parts *p, struct rsd_buf *part)
{
	struct rsd_signals signals;
	int error;
	char text[128];

	rsd_signals_off(&signals);
	error = p->full ? 0 : write_part(p, part);
	rsd_signals_on(&signals);
	if (error) {
		p->full = true;
		if (strerror_r(error, text, sizeof(text)))
			text[0] = 0;
		rsd_report(
			"cannot write a finished part of the trace to the disk: %s. Parts are kept "
			"in "
			"memory from now on, which takes more than RECORD_MEMORY; nothing is lost",
			text);
	}
	if (p->full) {
		rsd_buf_put(&p->kept, part->data, part->len);
		if (p->kept.err)
			rsd_trouble("no memory for a finished part of the trace");
	}
	rsd_buf_release(part);
}

int rsd_parts_so_far(struct rsd_so_far *s)
{
	const struct rsd_parts *p = &rsd_rt.parts;
	struct rsd_buf name = RSD_BUF_INIT;

	if (p->len) {
		rsd_buf_printf(&name, "/proc/%ld/fd/%d", (long)getpid(), p->fd);
		rsd_buf_put_byte(&name, 0);
		s->name = (char *)name.data;
		s->len = p->len;
		s->dev = p->dev;
		s->ino = p->ino;
	}
	rsd_buf_put(&s->rest, p->kept.data, p->kept.len);
	return name.err ? name.err : s->rest.err;
}

int rsd_parts_append(const char *path)
{
	struct rsd_parts *p = &rsd_rt.parts;
	struct rsd_buf why = RSD_BUF_INIT;
	int err = 0;

	if (!p->len && !p->kept.len)
		return 0;
	if (p->len && !is_ours(p)) {
		rsd_report("the file with finished parts of the trace was closed by the program: "
			   "these parts are lost");
		err = RSD_ERR_IO;
	} else {
		err = rsd_file_append_both(path, p->fd, p->len, p->kept.data, p->kept.len, &why);
		if (p->len)
			close(p->fd);
		if (err)
			rsd_report("finished parts of the trace are lost: %.*s", (int)why.len,
				why.len ? (const char *)why.data : "");
	}
	rsd_buf_release(&why);
	rsd_buf_release(&p->kept);
	*p = (struct rsd_parts){ .full = false };
	return err;
}

/* ---- streams -------------------------------------------------------------------------- */

/* The thread's stream becomes a part. Under the lock. */
static void cut(struct rsd_thread *t)
{
	struct rsd_selfcheck check = RSD_SELFCHECK_INIT;
	struct rsd_buf part = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *trace;

	rsd_selfcheck_begin_thread(&check, t);
	trace = rsd_collect_part(t);
	if (!trace)
		return;
	rsd_selfcheck_own(&check, trace);
	if (rsd_trace_section(trace, rsd_rt.config.format, &part, &why))
		rsd_trouble("a finished part of the trace is lost: %.*s", (int)why.len,
			why.len ? (const char *)why.data : "no memory");
	else
		keep_part(&rsd_rt.parts, &part);
	if (rsd_rt.config.verbose)
		rsd_report("part %d of thread %d has left memory", t->weight.parts + 1, t->number);
	t->weight.parts++;
	rsd_buf_release(&why);
	rsd_selfcheck_end(&check);
	rsd_trace_free(trace);
}

/* What all threads together may take, and this one at least before it is cut. */
static bool is_too_large(const struct rsd_thread *t)
{
	uint64_t bound = (uint64_t)rsd_rt.config.memory << 20;
	size_t all = 0, nr = 0;

	if (!bound || !t->nr_events || rsd_rt.phase != RSD_RUNNING ||
		rsd_rt.config.format == RSD_FORMAT_ASCII || t->weight.parts == RSD_MAX_PARTS - 2)
		return false;
	if (t->weight.parts > MANY_PARTS)
		bound <<= (t->weight.parts - MANY_PARTS) / 64;
	for (const struct rsd_thread *o = rsd_rt.threads; o; o = o->next, nr++)
		all += __atomic_load_n(&o->weight.bytes, __ATOMIC_RELAXED);
	return all > bound && t->weight.bytes > bound / (2 * nr);
}

void rsd_parts_weigh(struct rsd_thread *t)
{
	struct rsd_weight *w = &t->weight;
	uint64_t bound = (uint64_t)rsd_rt.config.memory << 20, grown, next;
	size_t before = w->bytes, columns, now = rsd_stream_memory(&t->stream, &columns);

	__atomic_store_n(&w->bytes, now, __ATOMIC_RELAXED);
	if (is_too_large(t)) {
		bool locked = rsd_lock();

		cut(t);
		rsd_unlock(locked);
		__atomic_store_n(&w->bytes, 0, __ATOMIC_RELAXED);
	}
	/* The stream may grow by an eighth of the bound in between, if it goes on as it did. */
	grown = now > before ? (now - before) / (w->events + 1) : 0;
	next = OFTEN + 8 * columns;
	if (bound && grown && bound / 8 / grown < next)
		next = bound / 8 / grown;
	w->events = next;
	w->left = (int64_t)next;
}
