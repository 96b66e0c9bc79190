/* A callback uses the communicator that is being freed, while another thread waits for what comes after that. */
#include "t.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t begun;

static int delete (MPI_Comm comm, int keyval, void *value, void *extra)
{
	int size = 0;

	(void)keyval;
	(void)value;
	(void)extra;
	MPI_Comm_size(comm, &size);
	CHECK(size == 1);
	return MPI_SUCCESS;
}

static void *work(void *arg)
{
	int in = 0, flag;

	(void)arg;
	MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	sem_post(&begun);
	MPI_Recv(&in, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(in == 5);
	return NULL;
}

static void free_with_callback(void)
{
	int keyval, value;
	MPI_Comm comm;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &keyval, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Comm_set_attr(comm, keyval, &value);
	MPI_Comm_free(&comm);
	MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
	int level, word = 5;
	pthread_t t;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	if (t_rank == 0) {
		sem_init(&begun, 0, 0);
		pthread_create(&t, NULL, work, NULL);
		sem_wait(&begun);
		free_with_callback();
		MPI_Send(&word, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
		pthread_join(t, NULL);
	} else {
		MPI_Recv(&word, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
