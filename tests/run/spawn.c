/*
 * A program that starts others, and has to do with them.
 *
 *	spawn one|several	two ranks spawn two, or one and one by MPI_Comm_spawn_multiple, and all work together
 *	spawn unseen		as one; what is spawned starts MPI behind the tracer's back
 *	spawn ports		rank 0 opens a port, and rank 1 connects to it
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void work_together(MPI_Comm inter, int is_child)
{
	MPI_Comm all;
	int rank, sum, root;

	MPI_Intercomm_merge(inter, is_child, &all);
	MPI_Comm_rank(all, &rank);
	for (int i = 0; i < 20; i++)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	root = is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
	MPI_Bcast(&sum, 1, MPI_INT, root, inter);
	printf("%s %d of %d\n", is_child ? "child" : "parent", rank, sum);
	MPI_Comm_free(&all);
}

static void spawn(const char *how, char *program, MPI_Comm *inter)
{
	char *command[2] = { program, program };
	char *hidden[] = { "hidden", NULL };
	int nr[2] = { 1, 1 };
	MPI_Info info[2] = { MPI_INFO_NULL, MPI_INFO_NULL };

	if (!strcmp(how, "several"))
		MPI_Comm_spawn_multiple(2, command, MPI_ARGVS_NULL, nr, info, 0, MPI_COMM_WORLD,
			inter, MPI_ERRCODES_IGNORE);
	else
		MPI_Comm_spawn(program, !strcmp(how, "unseen") ? hidden : MPI_ARGV_NULL, 2,
			MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE);
}

static void meet(MPI_Comm *inter)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter);
	if (rank == 0)
		MPI_Close_port(port);
}

int main(int argc, char **argv)
{
	MPI_Comm parent, inter;
	int rank;

	if (argc > 1 && !strcmp(argv[1], "hidden"))
		PMPI_Init(&argc, &argv);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		inter = parent;
		work_together(inter, 1);
	} else if (!strcmp(argv[1], "ports")) {
		meet(&inter);
		work_together(inter, rank);
	} else {
		spawn(argv[1], argv[0], &inter);
		work_together(inter, 0);
	}
	MPI_Comm_disconnect(&inter);
	MPI_Finalize();
	return 0;
}
