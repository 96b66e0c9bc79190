/* What a replay tells the tracer that records it, and that it holds for one call each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include "t.h"
#include "../../common/inc/guide.h"

#define NR_SIGS 12 /* signature i: offset 4096 * (i + 1) of the module */

static const struct rsd_guide *guide;
static int number[NR_SIGS];

/* A table as it is read from a trace. Only what it holds is looked at, no index of it. */
static void take_signatures(void)
{
	struct rsd_module module = { "/opt/program", "c0ffee" };
	struct rsd_frame frame[2 * NR_SIGS];
	struct rsd_sig sig[NR_SIGS];
	struct rsd_sigs from = { .module = &module,
		.nr_modules = 1,
		.frame = frame,
		.nr_frames = 2 * NR_SIGS,
		.sig = sig,
		.nr_sigs = NR_SIGS };

	guide = dlsym(RTLD_DEFAULT, RSD_GUIDE_NAME);
	if (!guide)
		return;
	CHECK(guide->version == RSD_GUIDE_VERSION);
	for (int i = 0; i < NR_SIGS; i++) {
		frame[2 * i] = (struct rsd_frame){ 0, 4096 * (i + 1) };
		frame[2 * i + 1] = (struct rsd_frame){ -1, 5 };
		sig[i] = (struct rsd_sig){ 2 * i, 2 };
		number[i] = guide->signature(&from, i);
		CHECK(number[i] >= 0 && number[i] == guide->signature(&from, i));
	}
	CHECK(guide->signature(&from, -1) == -1);
	CHECK(guide->signature(&from, NR_SIGS) < -1);
}

static void at(int i)
{
	if (guide)
		guide->at(i < 0 ? -1 : number[i]);
}

static void moved(MPI_Request *from, MPI_Request *to)
{
	if (guide)
		guide->moved((int64_t)(intptr_t)*from, from, to);
	*to = *from;
}

static void *other_thread(void *arg)
{
	int version, sub;

	at(5);
	MPI_Get_version(&version, &sub);
	return arg;
}

static void sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int size;

	MPI_Type_size(*type, &size);
	at(8);
	MPI_Type_size(*type, &size);
	*(int *)inout += *(int *)in;
}

static void sites(void)
{
	int one = 1, two = 2;
	pthread_t thread;
	MPI_Op op;

	at(3);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	at(-1);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++) {
		at(4);
		MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Pcontrol(0);
	at(4);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Pcontrol(1);
	CHECK(!pthread_create(&thread, NULL, other_thread, NULL) && !pthread_join(thread, NULL));
	MPI_Op_create(sum, 1, &op);
	at(7);
	MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
	CHECK(two == 3);
	MPI_Op_free(&op);
}

static void pointers(void)
{
	int a[2] = { 0 }, b = 0, c = 0;

	if (guide) {
		CHECK(!guide->stands_for("MPI_BOTTOM", a));
		CHECK(!guide->stands_for("MPI_BOTTOM", &b));
		CHECK(guide->stands_for("MPI_COMM_WORLD", &c));
		CHECK(guide->stands_for("MPI_NO_SUCH_THING", &c));
	}
	MPI_Allreduce(&c, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(a, &a[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Small sends are done at once, and then MPICH gives all of them one value. */
static void requests(void)
{
	MPI_Request q[2], aside;
	int in, out = 1;

	for (int crossed = 0; crossed < 2; crossed++) {
		for (int i = 0; i < 2; i++)
			MPI_Isend(&out, 1, MPI_INT, 1 - t_rank, i, MPI_COMM_WORLD, &q[i]);
		if (crossed) {
			moved(&q[0], &aside);
			moved(&q[1], &q[0]);
			moved(&aside, &q[1]);
		}
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		MPI_Wait(&q[1], MPI_STATUS_IGNORE);
		for (int i = 0; i < 2; i++)
			MPI_Recv(&in, 1, MPI_INT, 1 - t_rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int flag;

	take_signatures();
	at(0);
	MPI_Initialized(&flag);
	at(1);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &flag);
	MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
	sites();
	pointers();
	requests();
	at(10);
	MPI_Finalize();
	at(11);
	MPI_Finalized(&flag);
	CHECK(flag);
	MPI_Finalized(&flag);
	printf("rank %d fine\n", t_rank);
	return 0;
}
