/*
 * When threads end, by the calls of the main thread.
 *
 *	order destroyed		a thread calls MPI out of a destructor that runs after the tracer's first look
 *	order unrecorded	a thread of rank 0 ends while the main thread is in MPI_Recv; rank 1 answers when it has
 *	order other		the thread that calls MPI_Init is not the process's first, which ends early
 */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static sem_t there, go;
static pthread_key_t key;
static pthread_t first;

static void call(void)
{
	int size;

	MPI_Comm_size(MPI_COMM_SELF, &size);
}

static void destroy(void *arg)
{
	(void)arg;
	sem_post(&there);
	sem_wait(&go);
	call();
}

/* The tracer's key is there by then, and so this one is looked at later. */
static void *end_with_a_call(void *arg)
{
	call();
	pthread_key_create(&key, destroy);
	pthread_setspecific(key, arg);
	return NULL;
}

static void *end(void *arg)
{
	sem_wait(&there);
	call();
	return arg;
}

static void *send_after(void *arg)
{
	int v = 1;

	pthread_join(*(pthread_t *)arg, NULL);
	MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	return NULL;
}

static void *be_main(void *arg)
{
	int level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	sem_post(&there);
	pthread_join(first, NULL);
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Finalize();
	exit(0);
	return arg;
}

static void leave_to_another(void)
{
	pthread_t t;
	int flag;

	MPI_Initialized(&flag);
	first = pthread_self();
	pthread_create(&t, NULL, be_main, NULL);
	sem_wait(&there);
	call();
	pthread_exit(NULL);
}

static void receive(void)
{
	pthread_t t, sender;
	int rank, v = 1;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank) {
		MPI_Recv(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		return;
	}
	pthread_create(&t, NULL, end, NULL);
	pthread_create(&sender, NULL, send_after, &t);
	sem_post(&there);
	MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_join(sender, NULL);
}

int main(int argc, char **argv)
{
	pthread_t t;
	int level;

	sem_init(&there, 0, 0);
	sem_init(&go, 0, 0);
	if (!strcmp(argv[1], "other"))
		leave_to_another();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (!strcmp(argv[1], "destroyed")) {
		pthread_create(&t, NULL, end_with_a_call, &level);
		sem_wait(&there);
		MPI_Barrier(MPI_COMM_SELF);
		sem_post(&go);
		pthread_join(t, NULL);
	} else {
		receive();
	}
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
