/* For the test programs: a check that does not call MPI, so that nothing hidden is counted. */
#ifndef T_H
#define T_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(c)                                                                                   \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #c);            \
			_exit(9);                                                                  \
		}                                                                                  \
	} while (0)

static int t_rank, t_size;

static inline void t_init(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &t_size);
}

static inline int t_fini(void)
{
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}

#endif
