/* One loop, built in every way programs are built: the same trace, whatever the code model. */
#include "t.h"

__attribute__((noinline)) static int step(int i, int sum)
{
	int out;

	MPI_Allreduce(&i, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	return sum + out;
}

int main(int argc, char **argv)
{
	int sum = 0;

	t_init(&argc, &argv);
	for (int i = 0; i < 50; i++)
		sum = step(i, sum);
	CHECK(sum == 25 * 49 * t_size);
	return t_fini();
}
