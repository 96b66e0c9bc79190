/* dladdr, clone's flags, syscall */
#define _GNU_SOURCE
#include "process_end.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "checkpoint.h"
#include "runtime.h"
#include "util.h"

/* How long a child may take to write before a process that a signal ends goes on with its end, and one that ends by itself. */
#define PATIENCE_MS 10000
#define PATIENCE_AT_EXIT_MS 60000
/* How often a signal is put off. */
#define PUT_OFF_MOST 100

/* Those whose default action ends the process. */
static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
	SIGSEGV, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
	SIGSYS };
static struct sigaction before[RSD_ARRAY_SIZE(fatal)];
static struct {
	bool known;
	struct sigaction action[RSD_ARRAY_SIZE(fatal)];
} ahead_of_mpi;

_Noreturn static void end_now(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

/* ---- _exit ------------------------------------------------------------------------------- */

/* Weak: a program that is linked with libc statically has libc's own. */
__attribute__((weak)) void _exit(int status)
{
	rsd_process_ends("ended by _exit, without MPI_Finalize", false);
	end_now(status);
}

__attribute__((weak)) void _Exit(int status)
{
	rsd_process_ends("ended by _Exit, without MPI_Finalize", false);
	end_now(status);
}

/* ---- a child that writes --------------------------------------------------------------------- */

/* What stops the child ends it, and nothing else happens. */
static void be_the_writer(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, ignored = { .sa_handler = SIG_IGN };
	sigset_t none;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &plain, NULL);
	/* Launchers kill the process's group as soon as a first rank has ended. */
	setpgid(0, 0);
	sigaction(SIGTTOU, &ignored, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	rsd_rt.pid = getpid();
	rsd_checkpoint_forget();
	rsd_lock_anew();
}

/*
 * libc's fork would wait for locks that the interrupted code may hold, and have handlers of other libraries run. The child
 * tells its end to nobody but us: the program gets no SIGCHLD. False: there was none, or it was not done in time.
 */
static bool child_writes(void (*write)(const char *why), const char *why, int patience_ms)
{
	const struct timespec tick = { 0, 1000000 };
	pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL), ended;
	int status;

	if (pid == 0) {
		be_the_writer();
		write(why);
		end_now(0);
	}
	for (int ms = 0; pid > 0 && ms < patience_ms; ms++) {
		ended = waitpid(pid, &status, WNOHANG | __WALL);
		if (ended)
			return ended == pid && status == 0;
		nanosleep(&tick, NULL);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
	}
	return false;
}

void rsd_write_in_child(void (*write)(const char *why), const char *why)
{
	if (RSD_RANKS_LOADED || !child_writes(write, why, PATIENCE_AT_EXIT_MS))
		write(why);
}

/* ---- signals --------------------------------------------------------------------------------- */

static void write_after_signal(const char *why)
{
	rsd_process_ends(why, true);
}

static void have_trace_written(int sig)
{
	char why[64];

	snprintf(why, sizeof(why), "ended by signal %d, without MPI_Finalize", sig);
	child_writes(write_after_signal, why, PATIENCE_MS);
}

/* Sent by somebody, and not the doing of the instruction at hand. */
static bool is_sent(int sig, const siginfo_t *info)
{
	return info->si_code <= 0 ||
	       (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL);
}

/*
 * The thread may be about to append to what is to be written. Then a child sends the signal once more, when that
 * has passed.
 */
static bool put_off(int sig)
{
	static int times; /* by one thread at a time, but for the sake of a few more */
	const struct timespec tick = { 0, 1000000 };
	pid_t pid;

	if (!rsd_self || !rsd_self->inside || rsd_self->waiting || ++times > PUT_OFF_MOST)
		return false;
	pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		nanosleep(&tick, NULL);
		if (getppid() == rsd_rt.pid)
			kill(rsd_rt.pid, sig);
		end_now(0);
	}
	return pid > 0;
}

static void at_signal(int sig, siginfo_t *info, void *context)
{
	static atomic_flag once = ATOMIC_FLAG_INIT;
	int saved_errno = errno;

	(void)context;
	if (rsd_rt.pid == getpid() && is_sent(sig, info) && put_off(sig)) {
		errno = saved_errno;
		return;
	}
	if (rsd_rt.pid == getpid() && !atomic_flag_test_and_set(&once)) {
		rsd_checkpoint_stop();
		rsd_quiet_others();
		have_trace_written(sig);
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(fatal); i++) {
		if (fatal[i] == sig)
			sigaction(sig, &before[i], NULL);
	}
	/* A fault happens again on return; anything else is sent once more, and waits until then. */
	if (is_sent(sig, info))
		raise(sig);
	errno = saved_errno;
}

static bool is_plain(const struct sigaction *a, void (*handler)(int))
{
	return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == handler;
}

/* Nothing that POSIX says of the two members tells whether they share their place. */
static const void *code_of(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO ? (const void *)a->sa_sigaction
					: (const void *)a->sa_handler;
}

static bool is_crash(int sig)
{
	static const int crash[] = { SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(crash); i++)
		if (crash[i] == sig)
			return true;
	return false;
}

/*
 * A handler that prints a backtrace and dies comes after ours: of the signals of a crash one that MPI_Init has installed, as Open MPI
 * does (other signals are used for other things: MPICH counts SIGUSR1 and calls the program's handler);
 * UCX's, which is there as soon as the library is, and that of Fortran's runtime, which is there from the beginning of main.
 */
static bool is_last_word(size_t i)
{
	const struct sigaction *a = &before[i], *was = &ahead_of_mpi.action[i];
	Dl_info where;

	if (is_plain(a, SIG_DFL) || is_plain(a, SIG_IGN))
		return false;
	if (ahead_of_mpi.known && is_crash(fatal[i]) && code_of(a) != code_of(was))
		return true;
	return dladdr(code_of(a), &where) && where.dli_fname &&
	       (strstr(where.dli_fname, "/libuc") || strstr(where.dli_fname, "/libgfortran."));
}

void rsd_signals_ahead_of_mpi(void)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(fatal) && !RSD_RANKS_LOADED; i++) {
		if (sigaction(fatal[i], NULL, &ahead_of_mpi.action[i]))
			return;
	}
	ahead_of_mpi.known = true;
}

void rsd_watch_signals(void)
{
	struct sigaction ours = { .sa_sigaction = at_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static bool watching; /* a session came before MPI_Init */

	if (RSD_RANKS_LOADED || watching)
		return;
	watching = true;
	sigemptyset(&ours.sa_mask);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(fatal); i++) {
		if (sigaction(fatal[i], NULL, &before[i]))
			continue;
		if (is_plain(&before[i], SIG_DFL) || is_last_word(i))
			sigaction(fatal[i], &ours, NULL);
	}
}
