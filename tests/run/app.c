/*
 * The program of the whole-run tests.
 *
 *	app [STEPS]	a ring, an Allreduce every step; prints "result N" on rank 0
 *	app exit	ends without MPI_Finalize, code 3
 *	app kill	is ended by a signal before MPI_Finalize
 *	app wild	wildcard receives: no two runs need be alike
 *	app chdir	changes directory before MPI_Finalize
 *	app away	goes into the folder "away" before MPI_Init
 *	app pair	one message from rank 0 to rank 1
 *	app pause	ten pauses of 50 ms
 *	app flags	rank 0 tests for its own message ten times, and finds it the tenth time
 *	app edge	messages to neighbours, and to MPI_PROC_NULL, from one place
 *	app aside	rank 1 stops recording for a while
 *	app session	no MPI_Init, but a session; code 5 where MPI has none
 *	app moves	collectives: of all ranks; rooted, with the root going round; of halves (3 and 1 of 4 ranks)
 *	app even N	N times Bcast and Allreduce with the same arguments
 *	app threads	two threads that make and free communicators, in turns, of the same slots
 *	app file	writes app.tmp together, and reads it; then as pair
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static int ring(int steps)
{
	int sum = 0, total, in;
	MPI_Request q[2];

	for (int i = 0; i < steps; i++) {
		MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, i % 4, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, i % 4, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&in, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		sum += total;
	}
	return sum;
}

static void edge(void)
{
	int v = rank;

	for (int i = 0; i < 20; i++) {
		int by = i % 4 ? 1 : size - 1;
		int to = i % 2 ? MPI_PROC_NULL : (rank + by) % size;
		int from = i % 2 ? MPI_PROC_NULL : (rank + size - by) % size;

		MPI_Sendrecv(&rank, 1, MPI_INT, to, 3, &v, 1, MPI_INT, from, 3, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
	}
}

static void aside(void)
{
	if (rank == 1)
		MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Pcontrol(1);
}

static void wild(void)
{
	int v = rank;

	for (int i = 0; i < 50 * (size - 1); i++) {
		if (rank == 0)
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
		else if (i % (size - 1) == 0)
			MPI_Send(&v, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	}
}

static void pair(void)
{
	int v = 1;

	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(&v, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void flags(void)
{
	MPI_Request q;
	int v, flag;

	if (rank)
		return;
	MPI_Irecv(&v, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &q);
	for (int i = 0; i < 10; i++) {
		if (i == 9)
			PMPI_Send(&i, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
		MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	}
}

static void moves(void)
{
	int in[64] = { 0 }, out[64] = { 0 };
	MPI_Comm half;

	for (int root = 0; root < size; root++) {
		MPI_Bcast(in, 1, MPI_INT, root, MPI_COMM_WORLD);
		MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
		MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, MPI_COMM_WORLD);
		MPI_Scatter(in, 3, MPI_INT, out, 3, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &half);
	MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, half);
	MPI_Comm_free(&half);
}

static void even(long times, useconds_t pause)
{
	int v = 1, sum;

	for (long i = 0; i < times; i++) {
		usleep(pause);
		MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *in_turns(void *shared)
{
	MPI_Comm own;
	int n;

	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&turn);
		MPI_Comm_dup(MPI_COMM_SELF, &own);
		MPI_Comm_size(own, &n);
		MPI_Comm_size(*(MPI_Comm *)shared, &n);
		MPI_Comm_free(&own);
		pthread_mutex_unlock(&turn);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[2];
	MPI_Comm shared;

	MPI_Comm_dup(MPI_COMM_SELF, &shared);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, in_turns, &shared);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	MPI_Comm_free(&shared);
}

static void file(void)
{
	int v = rank;
	MPI_File f;

	MPI_File_open(
		MPI_COMM_WORLD, "app.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	for (int i = 0; i < 10; i++)
		MPI_File_write_at_all(f, 4 * (i * size + rank), &v, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at(f, 0, &v, 1, MPI_INT, MPI_STATUS_IGNORE);
	pair();
	MPI_File_close(&f);
}

#if MPI_VERSION >= 4
static int session(void)
{
	MPI_Session s;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	return MPI_Session_finalize(&s);
}
#else
static int session(void)
{
	return 5;
}
#endif

/* The second of three calls has more values than a trace takes. */
static void many(void)
{
	static const int nr[] = { 3, 1 << 23, 5 };
	int *a = calloc(1 << 23, sizeof(*a)), *b = calloc(1 << 23, sizeof(*b));
	MPI_Group g;

	MPI_Comm_group(MPI_COMM_WORLD, &g);
	for (int i = 0; a && b && i < 3; i++)
		MPI_Group_translate_ranks(g, nr[i], a, g, b);
	MPI_Group_free(&g);
	free(a);
	free(b);
}

/* True where 'what' names one of the programs that are no ring. */
static int other(const char *what, const char *arg)
{
	if (!strcmp(what, "wild"))
		wild();
	else if (!strcmp(what, "pair"))
		pair();
	else if (!strcmp(what, "flags"))
		flags();
	else if (!strcmp(what, "moves"))
		moves();
	else if (!strcmp(what, "pause"))
		even(10, 50000);
	else if (!strcmp(what, "edge"))
		edge();
	else if (!strcmp(what, "aside"))
		aside();
	else if (!strcmp(what, "even"))
		even(arg ? strtol(arg, NULL, 10) : 10, 0);
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "file"))
		file();
	else if (!strcmp(what, "many"))
		many();
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "10";
	int result = 0, level;

	if (!strcmp(what, "session"))
		return session();
	if (!strcmp(what, "away") && chdir(what))
		return 4;
	if (strcmp(what, "threads"))
		MPI_Init(&argc, &argv);
	else
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!other(what, argc > 2 ? argv[2] : NULL))
		result = ring(what[0] >= '0' && what[0] <= '9' ? (int)strtol(what, NULL, 10) : 10);
	if (rank == 0)
		printf("result %d\n", result);
	fflush(stdout);
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "exit"))
		exit(3);
	if (!strcmp(what, "chdir") && chdir("/"))
		return 4;
	MPI_Finalize();
	return 0;
}
