/* folder.c - see folder.h */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cleanup.h"
#include "tool.h"
#include "util.h"

static char *join(const char *a, const char *between, const char *b)
{
	struct rsd_buf s = RSD_BUF_INIT;

	rsd_buf_printf(&s, "%s%s%s", a, between, b);
	rsd_buf_put_byte(&s, 0);
	if (!s.err)
		return (char *)s.data;
	rsd_buf_release(&s);
	return NULL;
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	bool empty = d != NULL;

	while (d && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			empty = false;
	if (d)
		closedir(d);
	return empty;
}

static bool has_marker(const char *path, const char *marker)
{
	char *file = marker ? join(path, "/", marker) : NULL;
	struct stat st;
	bool has = file && stat(file, &st) == 0;

	free(file);
	return has;
}

static bool may_be_there(struct rsd_folder *f, const char *marker)
{
	struct stat st;

	if (lstat(f->path, &st))
		return true; /* what else is wrong shows when it is made */
	if (!S_ISDIR(st.st_mode)) {
		rsd_tool_error("'%s' is there already, and is no folder", f->path);
		return false;
	}
	f->replaces = is_empty(f->path) || has_marker(f->path, marker);
	if (f->replaces)
		return true;
	rsd_tool_error(marker ? "folder '%s' is there already, and was not written by this "
				"command: name a new one"
			      : "folder '%s' is there already: name a new one, or remove it",
		f->path);
	return false;
}

bool rsd_folder_begin(struct rsd_folder *f, const char *path, const char *marker)
{
	char pid[32];
	size_t len = strlen(path);
	char *bare;

	*f = (struct rsd_folder){ .path = path };
	if (!may_be_there(f, marker))
		return false;
	while (len > 1 && path[len - 1] == '/')
		len--;
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	bare = rsd_strndup(path, len);
	f->side = bare ? join(bare, ".tmp.", pid) : NULL;
	free(bare);
	if (!f->side) {
		rsd_tool_error("out of memory");
		return false;
	}
	rsd_cleanup_begin(f->side);
	if (mkdir(f->side, 0777) == 0)
		return true;
	rsd_cleanup_end();
	rsd_tool_error("cannot make folder '%s': %s", path, strerror(errno));
	free(f->side);
	f->side = NULL;
	return false;
}

char *rsd_folder_file(const struct rsd_folder *f, const char *name)
{
	return join(f->side, "/", name);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(path);
}

static int remove_all(const char *path)
{
	return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The old one is moved away first, so that there is always one under the name, or none. */
static bool put_in_place(struct rsd_folder *f)
{
	char *old = f->replaces ? join(f->side, ".", "old") : NULL;
	struct rsd_cleanup_held held;
	bool ok;

	rsd_cleanup_hold(&held);
	ok = !f->replaces || (old && rename(f->path, old) == 0);
	if (ok && rename(f->side, f->path)) {
		ok = false;
		if (old)
			rename(old, f->path);
	}
	rsd_cleanup_go_on(&held, ok && old ? old : f->side);
	if (!ok)
		rsd_tool_error("cannot make folder '%s': %s", f->path,
			old || !f->replaces ? strerror(errno) : "out of memory");
	if (ok && old && remove_all(old))
		rsd_tool_error("what was in '%s' is now in '%s'", f->path, old);
	rsd_cleanup_hold(&held);
	rsd_cleanup_go_on(&held, f->side);
	free(old);
	return ok;
}

bool rsd_folder_end(struct rsd_folder *f, bool keep)
{
	bool ok = keep && put_in_place(f);

	if (!ok)
		remove_all(f->side);
	rsd_cleanup_end();
	free(f->side);
	f->side = NULL;
	return ok;
}
