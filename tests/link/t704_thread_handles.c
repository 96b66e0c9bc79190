/*
 * Threads that make and free handles of all kinds at the same time: what each makes has the numbers it would have
 * alone. They begin one after the other, so that they have the same numbers on all ranks.
 */
#include "t.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define ROUNDS 20

static MPI_Comm comm[THREADS];
static MPI_Datatype shared;
static atomic_int begun;

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* They meet here, in the order of their numbers. */
static void begin(int me)
{
	int rank;

	while (begun < me)
		usleep(100);
	MPI_Comm_rank(comm[me], &rank);
	begun++;
	while (begun < THREADS)
		usleep(100);
}

static void collectives(int me, MPI_Datatype type, MPI_Comm c)
{
	int v[4] = { me, 1, 2, 3 }, sum[4];
	MPI_Errhandler e;
	MPI_Group g;
	MPI_Info info;
	MPI_Op op;

	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(v, sum, 1, MPI_INT, op, c);
	CHECK(sum[0] == 2 * me);
	MPI_Op_free(&op);
	/* The same group for all of them, and the same error handler. */
	MPI_Comm_group(MPI_COMM_WORLD, &g);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e);
	MPI_Info_create(&info);
	MPI_Info_set(info, "thread", "any");
	MPI_Bcast(v, 1, type, 0, c);
	MPI_Bcast(v, 1, shared, 0, c);
	MPI_Info_free(&info);
	MPI_Errhandler_free(&e);
	MPI_Group_free(&g);
}

static void requests(int me, MPI_Comm c)
{
	static int b[THREADS][2];
	MPI_Request q[2];

	MPI_Recv_init(&b[me][0], 1, MPI_INT, 1 - t_rank, 3, c, &q[0]);
	MPI_Send_init(&b[me][1], 1, MPI_INT, 1 - t_rank, 3, c, &q[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, q);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[1]);
	MPI_Request_free(&q[0]);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	begin(me);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Datatype type;
		MPI_Comm c;

		/* As many slots as sizes, and the same ones in all threads. */
		MPI_Type_contiguous(1 + i % 4, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Comm_dup(comm[me], &c);
		collectives(me, type, c);
		requests(me, c);
		MPI_Comm_free(&c);
		MPI_Type_free(&type);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t t[THREADS];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	CHECK(level == MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	MPI_Type_contiguous(2, MPI_INT, &shared);
	MPI_Type_commit(&shared);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comm[i]);
	MPI_Type_free(&shared);
	MPI_Finalize();
	printf("rank %d fine\n", t_rank);
	return 0;
}
