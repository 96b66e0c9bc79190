/*
 * A program that makes children in all ways there are: before, during and after MPI, in three threads at once, and in a
 * signal handler. Whatever is not as it is without a tracer is told on stdout; at the end rank 0 says "done".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *where;

static void want_at(int ok, const char *what)
{
	if (!ok)
		printf("bad %s: %s (errno %d)\n", where, what, errno);
}
#define want(condition) want_at((condition), #condition)

static int ends_by(pid_t pid, int sig)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == sig;
}

static int ends_with(pid_t pid, int code)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static void forked(void)
{
	int flag;
	pid_t pid;

	pid = fork();
	if (!pid) {
		MPI_Initialized(&flag);
		exit(3);
	}
	want(ends_with(pid, 3));
	pid = fork();
	if (!pid)
		_exit(4);
	want(ends_with(pid, 4));
	pid = fork();
	if (!pid)
		raise(SIGTERM);
	want(ends_by(pid, SIGTERM));
	pid = fork();
	if (!pid)
		abort();
	want(ends_by(pid, SIGABRT));
	pid = fork();
	if (!pid)
		pthread_exit(NULL);
	want(ends_with(pid, 0));
}

static void other(void)
{
	char *argv[] = { "true", NULL }, line[16];
	FILE *f;
	pid_t pid;

	pid = vfork();
	if (!pid) {
		execlp("sh", "sh", "-c", "exit 5", NULL);
		_exit(127);
	}
	want(ends_with(pid, 5));
	pid = vfork();
	if (!pid)
		_exit(6);
	want(ends_with(pid, 6));
	want(WEXITSTATUS(system("exit 7")) == 7);
	f = popen("echo hi", "r");
	want(f && fgets(line, sizeof(line), f) && !strcmp(line, "hi\n"));
	want(f && pclose(f) == 0);
	want(posix_spawnp(&pid, "true", NULL, NULL, argv, environ) == 0);
	want(ends_with(pid, 0));
}

static void all(const char *place)
{
	where = place;
	fflush(stdout);
	forked();
	other();
}

static void *in_thread(void *arg)
{
	all(arg);
	return NULL;
}

static void at_signal(int sig)
{
	(void)sig;
	all("in a handler");
}

static void no_child_is_left(void)
{
	errno = 0;
	want(wait(NULL) == -1 && errno == ECHILD);
}

static void same_mask(const sigset_t *before)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	for (int sig = 1; sig < NSIG; sig++)
		want(sigismember(before, sig) == sigismember(&now, sig));
}

static void with_mpi(void)
{
	pthread_t id[3];
	int size;

	all("between calls");
	for (int i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, in_thread, "in threads");
	for (int i = 0; i < 100; i++)
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	signal(SIGUSR1, at_signal);
	raise(SIGUSR1);
	no_child_is_left();
	errno = 123;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	want(errno == 123);
}

int main(int argc, char **argv)
{
	sigset_t mask;
	int rank, level;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	all("before");
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	with_mpi();
	same_mask(&mask);
	MPI_Finalize();
	same_mask(&mask);
	all("after");
	no_child_is_left();
	if (rank == 0)
		printf("done\n");
	return 0;
}
