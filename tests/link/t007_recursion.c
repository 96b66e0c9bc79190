/* Recursion of changing depth: the same call site however deep, so that the calls fold. */
#include "t.h"

__attribute__((noinline)) static void down(int depth)
{
	if (depth)
		down(depth - 1);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	for (int i = 0; i < 40; i++)
		down(3 + i % 7);
	down(20000);
	return t_fini();
}
