/*
 * Calls that are left by longjmp: over a large piece of stack, with later calls from further in, and
 * very often; calls on stacks of the program's own, one of which is left in the middle of a call.
 */
#define _GNU_SOURCE
#include "t.h"
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#define OFTEN 200000
#define STACK (256 << 10)

static jmp_buf back;
static ucontext_t outside, inside;
static int switching;

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	longjmp(back, 1);
}

/* Fails some way further in than its caller. */
static void fail(size_t depth)
{
	volatile char *room = alloca(depth);

	room[0] = room[depth - 1] = 0;
	MPI_Send(NULL, 0, MPI_INT, t_size, 0, MPI_COMM_WORLD);
}

static void further_in(size_t depth)
{
	volatile char *room = alloca(depth);

	room[0] = room[depth - 1] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
}

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	CHECK(f && fscanf(f, "%*d %ld", &pages) == 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static void often(void)
{
	volatile long before = 0;
	volatile int i;
	MPI_Comm world;

	for (i = 0; i < OFTEN; i++) {
		world = MPI_COMM_WORLD;
		if (i == OFTEN / 20)
			before = resident();
		if (!setjmp(back))
			MPI_Comm_free(&world);
	}
	CHECK(resident() - before < 2 << 20);
}

static void sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int size;

	(void)type;
	MPI_Comm_size(MPI_COMM_SELF, &size);
	if (switching) {
		switching = 0;
		swapcontext(&inside, &outside);
	}
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static MPI_Op op;

static void on_own_stack(void)
{
	int one = 1, two = 1;

	MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
	CHECK(two == 2);
}

static void coroutine(void)
{
	static char stack[STACK];

	CHECK(getcontext(&inside) == 0);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, on_own_stack, 0);
	switching = 1;
	CHECK(swapcontext(&outside, &inside) == 0);
	MPI_Barrier(MPI_COMM_WORLD); /* the other stack is in the middle of a call */
	CHECK(swapcontext(&outside, &inside) == 0);
}

static void on_signal(int sig)
{
	(void)sig;
	on_own_stack();
}

static void signal_stack(void)
{
	static char stack[STACK];
	stack_t there = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	CHECK(sigaltstack(&there, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	MPI_Errhandler eh;

	t_init(&argc, &argv);
	MPI_Comm_create_errhandler(handler, &eh);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, eh);
	if (!setjmp(back))
		fail(4 << 20);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!setjmp(back))
		fail(1000);
	further_in(50000);
	often();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Op_create(sum, 1, &op);
	coroutine();
	signal_stack();
	MPI_Op_free(&op);
	MPI_Errhandler_free(&eh);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	return t_fini();
}
