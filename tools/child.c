/* child.c - see child.h */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util.h"

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };

static volatile pid_t child; /* read by the handler: set while the signals are blocked */

/* A key of the terminal is a signal to the whole foreground: sent on, mpiexec would take it for a second one. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;

	(void)context;
	if (info->si_code <= 0 && child > 0)
		kill(child, sig);
	errno = saved_errno;
}

/* What was ignored (nohup) stays so, here and in the command. */
static void watch_signals(void)
{
	struct sigaction old, sa = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(passed_on); i++) {
		if (!sigaction(passed_on[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(passed_on[i], &sa, NULL);
	}
}

/* In the child: becomes the command, or writes errno and ends. */
static void become(char **command, int report, const sigset_t *mask)
{
	int error;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(127);
}

/* The errno that the child reports, or 0 once it has become the command. */
static int wait_for_exec(int fd)
{
	int error = 0;
	ssize_t n;

	do
		n = read(fd, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == sizeof(error) ? error : 0;
}

int rsd_child_run(char **command, int *status)
{
	sigset_t all, before;
	int pipe_fd[2], error;
	pid_t pid;

	if (pipe(pipe_fd))
		return errno;
	fcntl(pipe_fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipe_fd[1], F_SETFD, FD_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid = fork();
	error = pid < 0 ? errno : 0;
	if (pid == 0)
		become(command, pipe_fd[1], &before);
	child = pid;
	close(pipe_fd[1]);
	if (!error) {
		signal(SIGCHLD, SIG_DFL); /* ignored, there would be nothing to wait for */
		watch_signals();
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		error = wait_for_exec(pipe_fd[0]);
		while (waitpid(pid, status, 0) < 0 && errno == EINTR)
			;
		child = 0;
	} else {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	close(pipe_fd[0]);
	return error;
}

int rsd_child_code(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t only;
	int sig;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	sig = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &no_core); /* the one that matters is the command's */
	signal(sig, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, sig);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	raise(sig);
	return 128 + sig;
}
