#define _XOPEN_SOURCE 700 /* realpath */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace_file.h"
#include "util.h"

#define BUFFER ((size_t)1 << 16)

struct rsd_file {
	char *shown; /* the path as it was given */
	char *path;  /* where it is to be, links followed */
	char *side;  /* where it is written; NULL: in place */
	int fd;
	int error; /* errno of the first failure, or 0 */
	unsigned char *data;
	size_t len, alloc;
	uint64_t written; /* before 'data' */
	bool keep;
};

static int say(struct rsd_buf *why, const char *path, int error)
{
	char text[128];

	if (strerror_r(error, text, sizeof(text)))
		snprintf(text, sizeof(text), "error %d", error);
	if (why)
		rsd_buf_printf(why, "cannot write '%s': %s", path, text);
	return error == ENOMEM ? RSD_ERR_NOMEM : RSD_ERR_IO;
}

static void file_free(struct rsd_file *f)
{
	free(f->shown);
	free(f->path);
	free(f->side);
	free(f->data);
	free(f);
}

/* The file that 'path' means: where it is a link, the rename must not replace the link. */
static char *follow(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : rsd_strndup(path, strlen(path));
}

/* 0 or errno. A FIFO that nobody reads fails here and does not hang. */
static int open_in_place(struct rsd_file *f)
{
	int flags;

	f->fd = open(f->path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (f->fd < 0)
		return errno;
	flags = fcntl(f->fd, F_GETFL);
	if (flags >= 0)
		fcntl(f->fd, F_SETFL, flags & ~O_NONBLOCK);
	return 0;
}

static char *side_name(const char *path, const char *mark)
{
	struct rsd_buf name = RSD_BUF_INIT;
	char *real = follow(path);

	if (real)
		rsd_buf_printf(&name, "%s.%s.%ld", real, mark, (long)getpid());
	rsd_buf_put_byte(&name, 0);
	free(real);
	if (real && !name.err)
		return (char *)name.data;
	rsd_buf_release(&name);
	return NULL;
}

char *rsd_file_side(const char *path)
{
	return side_name(path, "tmp");
}

/* 0 or errno. A side file of this name that is already there was left by an earlier process. */
static int open_side(struct rsd_file *f, const char *mark)
{
	f->side = side_name(f->path, mark);
	if (!f->side)
		return ENOMEM;
	for (int try = 0; try < 2; try++) {
		f->fd = open(f->side, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (f->fd >= 0)
			return 0;
		if (errno != EEXIST || unlink(f->side))
			return errno;
	}
	return EEXIST;
}

static int create(struct rsd_file **out, const char *path, const char *mark, struct rsd_buf *why)
{
	struct rsd_file *f = rsd_calloc(1, sizeof(*f));
	struct stat st;
	int error;

	*out = NULL;
	if (!f)
		return say(why, path, ENOMEM);
	f->fd = -1;
	f->shown = rsd_strndup(path, strlen(path));
	f->path = follow(path);
	f->data = rsd_malloc(BUFFER);
	f->alloc = f->data ? BUFFER : 0;
	if (!f->shown || !f->path || !f->data)
		error = ENOMEM;
	else if (stat(f->path, &st) || S_ISREG(st.st_mode))
		error = open_side(f, mark);
	else
		error = S_ISDIR(st.st_mode) ? EISDIR : open_in_place(f);
	if (error) {
		int err = say(why, path, error);

		file_free(f);
		return err;
	}
	*out = f;
	return 0;
}

int rsd_file_create(struct rsd_file **out, const char *path, struct rsd_buf *why)
{
	return create(out, path, "tmp", why);
}

int rsd_file_create_early(struct rsd_file **out, const char *path, struct rsd_buf *why)
{
	return create(out, path, "early", why);
}

int rsd_file_try(const char *path, struct rsd_buf *why)
{
	struct rsd_file *f;
	struct stat st;
	int err;

	/* Who reads from a pipe would take it for the end when it is closed again. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return access(path, W_OK) ? say(why, path, errno) : 0;
	err = rsd_file_create(&f, path, why);
	if (!err)
		rsd_file_abandon(f);
	return err;
}

/* 0 or errno */
static int write_bytes(int fd, const unsigned char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * A write past RLIMIT_FSIZE, or to a FIFO that nobody reads any more, raises a signal that ends the
 * program, in this very thread: here it is an error like others. What was pending before stays so.
 */
static int write_all(int fd, const unsigned char *p, size_t len)
{
	static const int raised[] = { SIGXFSZ, SIGPIPE };
	const struct timespec at_once = { 0, 0 };
	sigset_t block, before, pending;
	int error;

	sigemptyset(&block);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(raised); i++)
		sigaddset(&block, raised[i]);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	sigpending(&pending);
	error = write_bytes(fd, p, len);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(raised); i++)
		if (sigismember(&pending, raised[i]))
			sigdelset(&block, raised[i]);
	if (error == EFBIG || error == EPIPE)
		while (sigtimedwait(&block, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void write_through(struct rsd_file *f, const void *p, size_t len)
{
	if (!f->error)
		f->error = write_all(f->fd, p, len);
	f->written += len;
}

static void flush(struct rsd_file *f)
{
	write_through(f, f->data, f->len);
	f->len = 0;
}

int rsd_file_write(struct rsd_file *f, const void *p, size_t len)
{
	if (f->keep && RSD_GROW(f->data, f->len + len, f->alloc))
		f->error = f->error ? f->error : ENOMEM;
	else if (!f->keep && (f->len >= BUFFER || len > BUFFER - f->len))
		flush(f);
	if (len > f->alloc - f->len) {
		if (!f->error)
			write_through(f, p, len);
	} else if (len) {
		memcpy(f->data + f->len, p, len);
		f->len += len;
	}
	return f->error ? RSD_ERR_IO : 0;
}

/* Reads what there is at 'pos', at most 'len' bytes and BUFFER: *n of them. 0 or errno. */
static int read_some(int from, unsigned char *p, uint64_t pos, uint64_t len, size_t *n)
{
	ssize_t got;

	do
		got = pread(from, p, len < BUFFER ? (size_t)len : BUFFER, (off_t)pos);
	while (got < 0 && errno == EINTR);
	*n = got > 0 ? (size_t)got : 0;
	return got < 0 ? errno : got == 0 ? EIO : 0;
}

/* An error of writing is the file's. */
int rsd_file_copy(struct rsd_file *f, int from, uint64_t len)
{
	unsigned char *p = rsd_malloc(BUFFER);
	int error = 0;
	size_t n;

	if (!p)
		return RSD_ERR_NOMEM;
	for (uint64_t pos = 0; !error && pos < len; pos += n) {
		error = read_some(from, p, pos, len - pos, &n);
		if (!error)
			rsd_file_write(f, p, n);
	}
	free(p);
	return error ? RSD_ERR_IO : 0;
}

void rsd_file_keep(struct rsd_file *f, bool keep)
{
	f->keep = keep;
}

char *rsd_file_so_far(const struct rsd_file *f, uint64_t *len, struct rsd_buf *rest)
{
	if (!f->side || f->error)
		return NULL;
	*len = f->written;
	rsd_buf_put(rest, f->data, f->len);
	return rsd_strndup(f->side, strlen(f->side));
}

/* Where that can't be had, the file still is there. */
void rsd_file_sync_name(const char *path)
{
	char *dir = follow(path), *slash = dir ? strrchr(dir, '/') : NULL;
	struct stat st;
	int fd;

	if (!dir || stat(dir, &st) || !S_ISREG(st.st_mode)) {
		free(dir);
		return;
	}
	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

static int sync_file(struct rsd_file *f)
{
	/* Devices and some file systems can't sync, and say so. */
	if (fsync(f->fd) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		return errno;
	return 0;
}

int rsd_file_rename(struct rsd_file *f, struct rsd_buf *why)
{
	int err = 0;

	flush(f);
	if (!f->error)
		f->error = sync_file(f);
	if (close(f->fd) && !f->error && errno != EINTR)
		f->error = errno;
	if (f->side && !f->error && rename(f->side, f->path))
		f->error = errno;
	if (f->error) {
		err = say(why, f->shown, f->error);
		if (f->side)
			unlink(f->side);
	}
	file_free(f);
	return err;
}

int rsd_file_commit(struct rsd_file *f, struct rsd_buf *why)
{
	char *path = rsd_strndup(f->shown, strlen(f->shown));
	int err = rsd_file_rename(f, why);

	if (!err && path)
		rsd_file_sync_name(path);
	free(path);
	return err;
}

void rsd_file_abandon(struct rsd_file *f)
{
	close(f->fd);
	if (f->side)
		unlink(f->side);
	file_free(f);
}

/* ---- appending --------------------------------------------------------------------- */

/* Waits for the lock; a file system without locks is written to as well. */
static void lock(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	while (fcntl(fd, F_SETLKW, &l) && errno == EINTR)
		;
}

/* The first 'len' bytes of 'from', whatever its position is. 0 or errno. */
static int copy_all(int fd, int from, uint64_t len)
{
	unsigned char *p = rsd_malloc(BUFFER);
	int error = p ? 0 : ENOMEM;
	size_t n;

	for (uint64_t pos = 0; !error && pos < len; pos += n) {
		error = read_some(from, p, pos, len - pos, &n);
		if (!error)
			error = write_all(fd, p, n);
	}
	free(p);
	return error;
}

int rsd_file_append(const char *path, const void *p, size_t len, struct rsd_buf *why)
{
	return rsd_file_append_both(path, -1, 0, p, len, why);
}

int rsd_file_append_both(
	const char *path, int from, uint64_t nr, const void *p, size_t len, struct rsd_buf *why)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), error;
	struct stat st = { 0 };

	if (fd < 0)
		return say(why, path, errno);
	lock(fd);
	error = fstat(fd, &st) ? errno : nr ? copy_all(fd, from, nr) : 0;
	if (!error)
		error = write_all(fd, p, len);
	/* Half a section would make the whole file unreadable. */
	if (error && S_ISREG(st.st_mode) && ftruncate(fd, st.st_size))
		error = errno;
	if (close(fd) && !error && errno != EINTR)
		error = errno;
	return error ? say(why, path, error) : 0;
}
