/*
 * master_worker.c - rank 0 hands out work to whoever asks: a program that no two runs do alike
 *
 *	mpicc -g master_worker.c -L../lib -lglob -o master_worker
 *	mpiexec -n 4 ./master_worker 200
 *
 * The trace tells who each wildcard receive got its message from, so it is exact all the same:
 * with RECORD_SELFCHECK=1 the run proves it of itself.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASK, WORK, STOP };

static void master(int size, int tasks)
{
	int handed_out = 0, stopped = 0;
	double result, sum = 0;
	MPI_Status status;

	while (stopped < size - 1) {
		MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
		sum += result;
		if (handed_out < tasks) {
			MPI_Send(&handed_out, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
			handed_out++;
		} else {
			MPI_Send(&handed_out, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
			stopped++;
		}
	}
	printf("%d tasks, sum %.0f\n", handed_out, sum);
}

static void worker(void)
{
	double result = 0;
	MPI_Status status;
	int task = 0;

	for (;;) {
		MPI_Send(&result, 1, MPI_DOUBLE, 0, ASK, MPI_COMM_WORLD);
		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == STOP)
			return;
		result = task;
	}
}

int main(int argc, char **argv)
{
	int tasks = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 200;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		master(size, tasks);
	else
		worker();
	MPI_Finalize();
	return 0;
}
