/* dladdr and RTLD_DEFAULT are no part of POSIX. */
#define _GNU_SOURCE
#include "stranger.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <mpi.h>

#include "detour.h"
#include "launch.h"
#include "optable.h"
#include "options.h"
#include "ranks.h"
#include "run_note.h"
#include "trouble.h"
#include "util.h"

#define MOST_ARGUMENTS ((size_t)64 << 20) /* bytes; more than any system passes on */

/* Null where there is none: in a process without MPI, and in a program that is linked statically. */
#pragma weak PMPI_Init
#pragma weak dlsym
#pragma weak dladdr
extern const char of_open_mpi[] __asm__("ompi_mpi_comm_world") __attribute__((weak));

/* An MPI that is neither, as the ABI of MPI 5 has pointers that are nobody's, may be on top of either: there are no strangers to it. */
static bool is_stranger(void)
{
#ifdef OPEN_MPI
	const bool is = !of_open_mpi;
#else
	const bool is = sizeof(MPI_Comm) == sizeof(int) && of_open_mpi;
#endif
	return !RSD_RANKS_LOADED && PMPI_Init && is;
}

static bool is_first(void)
{
	return rsd_launch_place(rsd_options_variable, NULL).rank == 0;
}

/* ---- another start ------------------------------------------------------------------------- */

/* The tracer's file, as the loader calls it; NULL: that is not to be told. */
static const char *own_file(void)
{
	Dl_info info;

	return dladdr && dladdr((const void *)&own_file, &info) ? info.dli_fname : NULL;
}

static bool is_file(const char *item, size_t len, const char *file)
{
	char *name = rsd_strndup(item, len);
	struct stat a, b;
	bool is = name &&
		  (!strcmp(name, file) || (!stat(name, &a) && !stat(file, &b) &&
						  a.st_dev == b.st_dev && a.st_ino == b.st_ino));

	free(name);
	return is;
}

/* LD_PRELOAD's list without the file. False: it is not in it. */
static bool put_without(const char *list, const char *file, struct rsd_buf *out)
{
	static const char between[] = " :";
	bool found = false;

	while (*list) {
		size_t len = strcspn(list, between);

		if (is_file(list, len, file))
			found = true;
		else if (len)
			rsd_buf_printf(out, "%s%.*s", out->len ? ":" : "", (int)len, list);
		list += len;
		list += strspn(list, between);
	}
	rsd_buf_put_byte(out, 0);
	return found && !out->err;
}

/* What the process was started with, one 0-terminated text after the other. False: that can't be read. */
static bool read_arguments(struct rsd_buf *out)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char part[4096];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0 && out->len < MOST_ARGUMENTS)
		rsd_buf_put(out, part, (size_t)n);
	if (fd >= 0)
		close(fd);
	return n == 0 && !out->err && out->len && !out->data[out->len - 1];
}

/* As exec takes them. NULL: no memory. */
static char **split(const struct rsd_buf *arguments)
{
	char *s = (char *)arguments->data, *end = s + arguments->len;
	size_t nr = 0;
	char **list;

	for (const char *p = s; p < end; p++)
		nr += !*p;
	list = rsd_calloc(nr + 1, sizeof(*list));
	for (size_t i = 0; list && i < nr; i++, s += strlen(s) + 1)
		list[i] = s;
	return list;
}

/* Returns only where that is not possible. */
static void start_anew(const char *preload)
{
	struct rsd_buf arguments = RSD_BUF_INIT;
	char **list = read_arguments(&arguments) ? split(&arguments) : NULL;
	char *old = rsd_strndup(getenv("LD_PRELOAD"), strlen(getenv("LD_PRELOAD")));
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program));

	if (list && old && len > 0 && (size_t)len < sizeof(program)) {
		program[len] = 0;
		if (*preload)
			setenv("LD_PRELOAD", preload, 1);
		else
			unsetenv("LD_PRELOAD");
		execv(program, list);
		setenv("LD_PRELOAD", old, 1);
	}
	free(old);
	free(list);
	rsd_buf_release(&arguments);
}

/* ---- what is told ----------------------------------------------------------------------------- */

static void tell(const char *what)
{
	const char *file = own_file();

	rsd_run_note(RSD_NOTE_STRANGER);
	if (!is_first())
		return;
	rsd_say("the program is of %s, and the tracer, %s, is for %s: %s. rsd run --lib-dir, or "
		"LD_PRELOAD, has "
		"to name a tracer for %s (make MPICC=...)",
		of_open_mpi ? "Open MPI" : "MPICH, or one like it",
		file ? file : "which is linked with it",
		of_open_mpi ? "MPICH and the like" : "Open MPI", what,
		of_open_mpi ? "Open MPI" : "that MPI");
}

/* ---- one that comes later --------------------------------------------------------------------- */

/* The wrapper of a function, if it is ours, and what it wraps. */
static bool go_past(const char *func, const char *file)
{
	char profiling[128];
	void *wrapper = dlsym(RTLD_DEFAULT, func);
	const void *wrapped;
	Dl_info info;

	snprintf(profiling, sizeof(profiling), "P%s", func);
	wrapped = dlsym(RTLD_DEFAULT, profiling);
	if (!wrapper || !wrapped || !dladdr(wrapper, &info) || strcmp(info.dli_fname, file) != 0)
		return true;
	return rsd_detour(wrapper, wrapped);
}

/* From now on the program's calls go to MPI itself. False: they can't be had to do so. */
static bool go_past_all(void)
{
	const char *file = own_file();
	bool all = file && dlsym;

	for (int i = 0; i < rsd_nr_funcs && all; i++)
		all = go_past(rsd_funcs[i].name, file);
	return all;
}

bool rsd_stranger_came(void)
{
	if (!is_stranger())
		return false;
	tell(go_past_all() ? "nothing is recorded" : "nothing is recorded, and its calls may fail");
	return true;
}

/* Before main, and before what other libraries do then has got far. */
__attribute__((constructor(101))) static void at_load(void)
{
	int saved_errno = errno;
	const char *list = getenv("LD_PRELOAD"), *file = is_stranger() ? own_file() : NULL;
	struct rsd_buf rest = RSD_BUF_INIT;

	if (file && list && put_without(list, file, &rest)) {
		tell("it runs untraced");
		start_anew((const char *)rest.data);
	}
	rsd_buf_release(&rest);
	errno = saved_errno;
}
