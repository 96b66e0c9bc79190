/*
 * A program that ends without MPI_Finalize.
 *
 *	end HOW RANK	rank RANK (-1: every one) ends so: _exit, exit, segv, abort, term, overrun,
 *			thread (_exit by another one), MPI_Abort; the others wait. handled: it has a handler for SIGTERM of its own, and goes on.
 *	end stop RANK	that one stops; each rank tells its process in pid.RANK before
 *	end directory 0 FILE	FILE is a folder by the time it is to be written
 *	end HOW RANK FILE	the same for any other way, once FILE has been replaced twice since the others were
 *			done: what was there by then is in it. Without FILE: at once.
 *	end in:HOW RANK [FILE]		it does so inside MPI_Reduce_local, in a callback; where the file is changed, too
 *	end within:HOW RANK		that is inside MPI_Comm_call_errhandler, in another callback
 *	end left:HOW RANK		it has left MPI_Reduce_local by longjmp
 *	end killed:HOW RANK		after many calls; as soon as t.0.tmp.PROCESS is there it is killed
 *	end beside:HOW RANK		another thread is inside MPI_Reduce_local
 *	end HOW RANK threads [FILE]	two more threads of each rank have made ten calls each by then, and make more
 */
#include <mpi.h>
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void told(int sig)
{
	if (sig == SIGCHLD)
		(void)!write(1, "child\n", 6);
	else
		(void)!write(1, "handled\n", 8);
}

/* A stack that is used up: nothing can run on it any more. */
static int overrun(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return overrun(n + 1) + room[0];
}

static void wait_for_change(const char *file)
{
	struct stat was = { 0 }, is = { 0 };

	stat(file, &was);
	do
		usleep(20000);
	while (stat(file, &is) || is.st_ino == was.st_ino);
}

static void tell_pid(int rank)
{
	char name[32], done[32];
	FILE *f;

	snprintf(name, sizeof(name), "pid.%d", rank);
	snprintf(done, sizeof(done), "pid.%d.tmp", rank);
	f = fopen(done, "w");
	fprintf(f, "%ld\n", (long)getpid());
	fclose(f);
	rename(done, name);
}

static void *exit_all(void *arg)
{
	_exit(0);
	return arg;
}

static void end_by_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, exit_all, NULL);
	pthread_join(id, NULL);
}

static void end(const char *how)
{
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "thread"))
		end_by_thread();
	if (!strcmp(how, "MPI_Abort"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "term") || !strcmp(how, "handled"))
		raise(SIGTERM);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "stop"))
		raise(SIGSTOP);
	if (!strcmp(how, "overrun"))
		overrun(0);
}

static pthread_barrier_t made;
static const char *way, *changes;
static jmp_buf away;

static void inside(void *in, void *inout, int *len, MPI_Datatype *type)
{
	for (int i = 0; changes && i < 2; i++)
		wait_for_change(changes);
	if (!strncmp(way, "left:", 5))
		longjmp(away, 1);
	if (!strncmp(way, "beside:", 7)) {
		pthread_barrier_wait(&made);
		for (;;)
			pause();
	}
	end(strchr(way, ':') + 1);
}

static void reduce(void)
{
	int a = 1, b = 2;
	MPI_Op op;

	MPI_Op_create(inside, 1, &op);
	MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
}

static void handle(MPI_Comm *comm, int *code, ...)
{
	reduce();
}

static void *reduce_beside(void *arg)
{
	reduce();
	return arg;
}

static void kill_once_it_writes(void)
{
	pid_t rank = getpid();
	glob_t found;
	int r = 1;

	if (fork())
		return;
	for (int i = 0; r && i < 300000; i++) {
		usleep(100);
		r = glob("t.0.tmp.*", 0, NULL, &found);
	}
	kill(rank, SIGKILL);
	_exit(0);
}

static void make_many_calls(void)
{
	static char data[5000];

	srand(1);
	for (int i = 0; i < 20000; i++)
		MPI_Bcast(data, rand() % 5000, MPI_CHAR, 0, MPI_COMM_SELF);
}

static void end_in_call(void)
{
	MPI_Errhandler handler;
	pthread_t id;

	if (!strncmp(way, "in:", 3))
		reduce();
	if (!strncmp(way, "within:", 7)) {
		MPI_Comm_create_errhandler(handle, &handler);
		MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
		MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
	}
	if (!strncmp(way, "killed:", 7)) {
		make_many_calls();
		kill_once_it_writes();
	}
	if (!strncmp(way, "left:", 5) && !setjmp(away))
		reduce();
	if (!strncmp(way, "beside:", 7)) {
		pthread_barrier_init(&made, NULL, 2);
		pthread_create(&id, NULL, reduce_beside, NULL);
		pthread_barrier_wait(&made);
	}
	end(strchr(way, ':') + 1);
}

static void *call(void *arg)
{
	int size;

	for (int i = 0; i < 10; i++)
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	pthread_barrier_wait(&made);
	for (;;)
		MPI_Comm_size(MPI_COMM_SELF, &size);
	return arg;
}

static void start_threads(void)
{
	pthread_t id;

	pthread_barrier_init(&made, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&id, NULL, call, NULL);
	pthread_barrier_wait(&made);
}

int main(int argc, char **argv)
{
	int rank, v, threads = argc > 3 && !strcmp(argv[3], "threads"),
		     level = threads || !strncmp(argv[1], "beside:", 7) ? MPI_THREAD_MULTIPLE
									: MPI_THREAD_SINGLE;

	signal(SIGCHLD, told);
	MPI_Init_thread(&argc, &argv, level, &level);
	if (!strcmp(argv[1], "handled"))
		signal(SIGTERM, told);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++)
		MPI_Allreduce(&i, &v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (threads)
		start_threads();
	if (!strcmp(argv[1], "stop") && atoi(argv[2]) == rank)
		tell_pid(rank);
	if (!strcmp(argv[1], "directory"))
		mkdir(argv[3], 0777);
	way = argv[1];
	if (strchr(way, ':')) {
		changes = argc > 3 ? argv[3] : NULL;
		end_in_call();
	}
	for (int i = 0; strcmp(argv[1], "directory") != 0 && i < 2 && argc > 3 + threads; i++)
		wait_for_change(argv[argc - 1]);
	if (atoi(argv[2]) < 0 || atoi(argv[2]) == rank)
		end(argv[1]);
	else
		sleep(2);
	if (!strcmp(argv[1], "stop"))
		tell_pid(rank);
	MPI_Finalize();
	return 0;
}
