/* cleanup.c - see cleanup.h */
#include "cleanup.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "util.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static const char *volatile unfinished; /* changed only while the signals have their own actions */

/* The signal is blocked in here: it ends the program when we return. */
static void remove_and_end(int sig)
{
	unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_all(void (*from)(int), void (*to)(int))
{
	struct sigaction old, sa = { .sa_handler = to, .sa_flags = SA_RESTART };

	/* The others wait as well, so that each sees the file that was meant. */
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(ending); i++)
		sigaddset(&sa.sa_mask, ending[i]);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(ending); i++) {
		if (!sigaction(ending[i], NULL, &old) && old.sa_handler == from)
			sigaction(ending[i], &sa, NULL);
	}
}

void rsd_cleanup_begin(const char *file)
{
	unfinished = file;
	set_all(SIG_DFL, remove_and_end);
}

void rsd_cleanup_end(void)
{
	set_all(remove_and_end, SIG_DFL);
	unfinished = NULL;
}
