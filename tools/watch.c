/* watch.c - see watch.h */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "preload.h"
#include "scan.h"
#include "settings.h"
#include "tool.h"
#include "util.h"

#define VARIABLE "RSD_RUN_NOTE"

/* ---- files that may be the trace ---------------------------------------------------- */

/* What %p, %d and %j will be is not known yet: anything. */
static void put_pattern(const char *file, struct rsd_buf *out)
{
	for (const char *s = file; *s; s++) {
		if (*s == '%' && s[1] && *++s != '%') {
			rsd_buf_put_byte(out, '*');
			continue;
		}
		if (strchr("*?[\\", *s))
			rsd_buf_put_byte(out, '\\');
		rsd_buf_put_byte(out, (unsigned char)*s);
	}
}

/* The pattern of a file for all ranks; those of single ranks have its name and ".*" behind it. */
static char *trace_pattern(void)
{
	struct rsd_buf problems = RSD_BUF_INIT, pattern = RSD_BUF_INIT;
	struct rsd_config c;
	const char *name;

	if (!rsd_tool_settings(&c, &name, &problems)) {
		put_pattern(c.file, &pattern);
		rsd_buf_put_byte(&pattern, 0);
	}
	rsd_config_release(&c);
	rsd_buf_release(&problems);
	if (!pattern.err && pattern.len)
		return (char *)pattern.data;
	rsd_buf_release(&pattern);
	return NULL;
}

static uint64_t sum_of_files(const char *pattern, const char *suffix, uint64_t sum)
{
	struct rsd_buf whole = RSD_BUF_INIT;
	struct stat st;
	glob_t found;

	rsd_buf_printf(&whole, "%s%s", pattern, suffix);
	rsd_buf_put_byte(&whole, 0);
	if (!whole.err && !glob((const char *)whole.data, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (stat(found.gl_pathv[i], &st))
				continue;
			sum = rsd_sum(sum, &st.st_ino, sizeof(st.st_ino));
			sum = rsd_sum(sum, &st.st_size, sizeof(st.st_size));
			sum = rsd_sum(sum, &st.st_mtim, sizeof(st.st_mtim));
		}
		globfree(&found);
	}
	rsd_buf_release(&whole);
	return sum;
}

static uint64_t look(const struct rsd_watch *w)
{
	return w->pattern
		       ? sum_of_files(w->pattern, ".*", sum_of_files(w->pattern, "", RSD_SUM_INIT))
		       : 0;
}

/* ---- notes ------------------------------------------------------------------------------ */

/* An empty file in the folder for temporary ones. NULL: there can't be one. */
static char *new_note(void)
{
	const char *dir = getenv("TMPDIR");
	struct rsd_buf path = RSD_BUF_INIT;
	int fd = -1;

	rsd_buf_printf(&path, "%s/rsd-run-XXXXXX", dir && *dir == '/' ? dir : "/tmp");
	rsd_buf_put_byte(&path, 0);
	if (!path.err)
		fd = mkstemp((char *)path.data);
	if (fd < 0) {
		rsd_buf_release(&path);
		return NULL;
	}
	close(fd);
	return (char *)path.data;
}

static bool set_note(const char *path)
{
	struct rsd_buf value = RSD_BUF_INIT;
	bool ok;

	rsd_buf_put(&value, path, strlen(path) + 1);
	ok = rsd_tool_set_variable(VARIABLE, &value);
	rsd_buf_release(&value);
	return ok;
}

/* Reads the letters, and adds them to the outer note, too. */
static enum rsd_traced read_note(const struct rsd_watch *w)
{
	int fd = w->note ? open(w->note, O_RDONLY | O_CLOEXEC) : -1;
	int outer = w->outer ? open(w->outer, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	enum rsd_traced traced = RSD_TRACED_NOT;
	char part[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			enum rsd_traced told = part[i] == 'w'	? RSD_TRACED
					       : part[i] == 's' ? RSD_TRACED_STRANGER
								: RSD_TRACED_BEGUN;

			traced = told > traced ? told : traced;
		}
		if (outer >= 0 && write(outer, part, (size_t)n) < 0)
			break;
	}
	if (outer >= 0)
		close(outer);
	if (fd >= 0)
		close(fd);
	return traced;
}

static void release(struct rsd_watch *w)
{
	if (w->note)
		unlink(w->note);
	free(w->note);
	free(w->outer);
	free(w->pattern);
}

bool rsd_watch_begin(struct rsd_watch *w)
{
	const char *outer = getenv(VARIABLE);

	*w = (struct rsd_watch){ .note = new_note() };
	if (outer && *outer)
		w->outer = rsd_strndup(outer, strlen(outer));
	w->pattern = trace_pattern();
	w->files = look(w);
	if (!w->note || set_note(w->note))
		return true;
	release(w);
	return false;
}

enum rsd_traced rsd_watch_end(struct rsd_watch *w)
{
	enum rsd_traced traced = read_note(w);

	if (traced != RSD_TRACED && look(w) != w->files)
		traced = RSD_TRACED;
	release(w);
	return traced;
}
