#include "shield.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include "runtime.h"
#include "util.h"

struct rsd_shield {
	struct rsd_signals signals;
	struct rlimit files;
	bool has_files; /* the limit is known */
	mode_t umask;
};

/* Writing to a pipe that no one reads, and beyond the limit of a file's size. */
static const int from_writing[] = { SIGPIPE, SIGXFSZ };

void rsd_signals_off(struct rsd_signals *s)
{
	sigset_t set, pending;

	sigemptyset(&set);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(from_writing); i++)
		sigaddset(&set, from_writing[i]);
	pthread_sigmask(SIG_BLOCK, &set, &s->mask);
	sigemptyset(&pending);
	sigpending(&pending);
	sigemptyset(&s->ours);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(from_writing); i++) {
		if (sigismember(&pending, from_writing[i]) != 1)
			sigaddset(&s->ours, from_writing[i]);
	}
}

/* Swallows the signals that we caused, if any. */
void rsd_signals_on(const struct rsd_signals *s)
{
	const struct timespec now = { 0, 0 };

	while (sigtimedwait(&s->ours, NULL, &now) > 0 || errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}

struct rsd_shield *rsd_shield_new(void)
{
	struct rsd_shield *s = rsd_calloc(1, sizeof(*s));
	struct rlimit most;

	if (!s)
		return NULL;
	rsd_signals_off(&s->signals);
	s->umask = umask(rsd_rt.mask);
	s->has_files = !getrlimit(RLIMIT_NOFILE, &s->files);
	if (s->has_files) {
		most = s->files;
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
	}
	return s;
}

void rsd_shield_free(struct rsd_shield *s)
{
	if (!s)
		return;
	if (s->has_files)
		setrlimit(RLIMIT_NOFILE, &s->files);
	umask(s->umask);
	rsd_signals_on(&s->signals);
	free(s);
}
