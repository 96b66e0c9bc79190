/*
 * An error handler leaves MPI by longjmp, and what lay on the stack is overwritten; an operation
 * calls MPI from inside itself 1,200 deep.
 */
#include <setjmp.h>
#include "t.h"

#define DEEP 1200

static jmp_buf back;
static int left = DEEP;
static MPI_Op op;

static void leave(MPI_Comm *comm, int *error, ...)
{
	int size;

	(void)comm;
	(void)error;
	MPI_Comm_size(MPI_COMM_SELF, &size);
	longjmp(back, 1);
}

static void fail(int depth)
{
	if (depth > 0)
		fail(depth - 1);
	else
		MPI_Send(NULL, 1, MPI_INT, -9, 0, MPI_COMM_WORLD);
}

static void overwrite(void)
{
	volatile char stack[20000];

	memset((void *)stack, 0xff, sizeof(stack));
}

static void recurse(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	int x = 1, y = 2;

	(void)in;
	(void)inout;
	(void)len;
	(void)datatype;
	if (left-- > 0)
		MPI_Reduce_local(&x, &y, 1, MPI_INT, op);
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	int x = 1, y = 2;

	t_init(&argc, &argv);
	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (volatile int i = 0; i < 20; i++) {
		if (!setjmp(back)) {
			fail(i % 4);
		} else {
			overwrite();
			MPI_Barrier(MPI_COMM_SELF);
		}
	}
	MPI_Op_create(recurse, 1, &op);
	MPI_Reduce_local(&x, &y, 1, MPI_INT, op);
	CHECK(left == -1);
	MPI_Barrier(MPI_COMM_WORLD);
	return t_fini();
}
