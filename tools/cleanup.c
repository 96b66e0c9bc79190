/* cleanup.c - see cleanup.h */
#define _GNU_SOURCE
#include "cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util.h"

#define ENTRIES 2048 /* bytes of a folder's entries that are read at once */
#define FOLDERS 8    /* inside each other, more than any command makes */

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static const char
	*volatile unfinished; /* changed only while the signals wait or have their own actions */
static int within;	      /* how many more were begun inside it */

static bool remove_at(int in, const char *name, int depth);

/* Removes what is in the folder; true where that was anything. */
static bool remove_entries(int dir, int depth)
{
	union {
		char bytes[ENTRIES];
		struct dirent64 align;
	} u;
	bool any = false;
	ssize_t n;

	while ((n = getdents64(dir, u.bytes, sizeof(u.bytes))) > 0) {
		for (const char *p = u.bytes; p < u.bytes + n;) {
			const struct dirent64 *e = (const struct dirent64 *)p;

			if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
				any |= remove_at(dir, e->d_name, depth + 1);
			p += e->d_reclen;
		}
	}
	return any;
}

/*
 * Removes a file, or a folder with all that is in it; true where it is gone. Runs in a handler: nothing but
 * system calls (readdir allocates).
 */
static bool remove_at(int in, const char *name, int depth)
{
	int dir;

	if (!unlinkat(in, name, 0))
		return true;
	dir = depth < FOLDERS ? openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			      : -1;
	if (dir < 0)
		return false;
	/* Entries may be passed over while others are removed. */
	while (remove_entries(dir, depth))
		lseek(dir, 0, SEEK_SET);
	close(dir);
	return !unlinkat(in, name, AT_REMOVEDIR);
}

/* The signal is blocked in here: it ends the program when we return. */
static void remove_and_end(int sig)
{
	remove_at(AT_FDCWD, unfinished, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void all_ending(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(ending); i++)
		sigaddset(set, ending[i]);
}

static void set_all(void (*from)(int), void (*to)(int))
{
	struct sigaction old, sa = { .sa_handler = to, .sa_flags = SA_RESTART };

	/* The others wait as well, so that each sees the file that was meant. */
	all_ending(&sa.sa_mask);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(ending); i++) {
		if (!sigaction(ending[i], NULL, &old) && old.sa_handler == from)
			sigaction(ending[i], &sa, NULL);
	}
}

void rsd_cleanup_begin(const char *path)
{
	if (unfinished) {
		within++;
		return;
	}
	unfinished = path;
	set_all(SIG_DFL, remove_and_end);
}

void rsd_cleanup_end(void)
{
	if (within) {
		within--;
		return;
	}
	set_all(remove_and_end, SIG_DFL);
	unfinished = NULL;
}

void rsd_cleanup_hold(struct rsd_cleanup_held *held)
{
	sigset_t all;

	all_ending(&all);
	sigprocmask(SIG_BLOCK, &all, &held->before);
}

void rsd_cleanup_go_on(const struct rsd_cleanup_held *held, const char *path)
{
	unfinished = path;
	sigprocmask(SIG_SETMASK, &held->before, NULL);
}
