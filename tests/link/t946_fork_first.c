/* A process that makes another one before it calls MPI, and it is that one that does. */
#include "t.h"

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t child = fork();
	int status;

	if (child > 0)
		return waitpid(child, &status, 0) == child && WIFEXITED(status)
			       ? WEXITSTATUS(status)
			       : 1;
	t_init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return t_fini();
}
