/*
 * hold.c - preloaded: a program stops where its output is unfinished, for good, and says so with a file "held"
 *
 * That is after it made a folder, in which there are by then a file, and another one in a folder; or before it syncs a file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY, 0666));
}

static int hold(void)
{
	make("", "held");
	for (;;)
		pause();
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t) =
		(int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
	char inner[4096];

	if (real(path, mode))
		return -1;
	snprintf(inner, sizeof(inner), "%s/inner", path);
	if (real(inner, 0777))
		return -1;
	make(path, "/file");
	make(inner, "/file");
	return hold();
}

int fsync(int fd)
{
	(void)fd;
	return hold();
}
