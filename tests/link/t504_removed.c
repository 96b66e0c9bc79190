/*
 * What MPI-3.0 removed: libraries still have it, also where their header declares it no longer. Where it does, it may be only with
 * a word (-DOMPI_BUILDING=1, for Open MPI 4).
 */
#include <mpi.h>
#include <stddef.h>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x))                                                                          \
			MPI_Abort(MPI_COMM_WORLD, __LINE__);                                       \
	} while (0)

struct pair {
	int i;
	double d;
};

static int failed;

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	failed++;
}

static MPI_Datatype pairs(void)
{
	struct pair p;
	int length[4] = { 1, 1, 1, 1 };
	MPI_Aint at[4];
	MPI_Datatype type[4] = { MPI_LB, MPI_INT, MPI_DOUBLE, MPI_UB }, made;

	MPI_Address(&p.i, &at[1]);
	MPI_Address(&p.d, &at[2]);
	at[2] -= at[1];
	at[0] = at[1] = 0;
	at[3] = 24;
	MPI_Type_struct(4, length, at, type, &made);
	MPI_Type_commit(&made);
	return made;
}

static void bounds(MPI_Datatype type)
{
	MPI_Aint extent, lb, ub;

	MPI_Type_extent(type, &extent);
	MPI_Type_lb(type, &lb);
	MPI_Type_ub(type, &ub);
	CHECK(extent == 24 && lb == 0 && ub == 24);
}

static void strided(void)
{
	int length[2] = { 1, 2 }, from[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, to[8] = { 0 };
	MPI_Aint at[2] = { 4, 16 };
	MPI_Datatype v, h;

	MPI_Type_hvector(2, 1, 8, MPI_INT, &v);
	MPI_Type_hindexed(2, length, at, MPI_INT, &h);
	MPI_Type_commit(&v);
	MPI_Type_commit(&h);
	MPI_Sendrecv(from, 1, v, 0, 1, to, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	CHECK(to[1] == 2);
	MPI_Sendrecv(from, 1, h, 0, 2, to, 3, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	CHECK(to[0] == 1 && to[1] == 4 && to[2] == 5);
	MPI_Type_free(&v);
	MPI_Type_free(&h);
}

static void errors(void)
{
	MPI_Errhandler was, own;
	int buf = 0;

	MPI_Errhandler_get(MPI_COMM_WORLD, &was);
	MPI_Errhandler_create(handler, &own);
	MPI_Errhandler_set(MPI_COMM_WORLD, own);
	CHECK(MPI_Send(&buf, 1, MPI_INT, 77, 0, MPI_COMM_WORLD) != MPI_SUCCESS && failed == 1);
	MPI_Errhandler_set(MPI_COMM_WORLD, was);
	MPI_Errhandler_free(&own);
}

static void attributes(void)
{
	int key, flag, value = 7, *found = NULL;

	MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL);
	MPI_Attr_put(MPI_COMM_WORLD, key, &value);
	MPI_Attr_get(MPI_COMM_WORLD, key, &found, &flag);
	CHECK(flag && found == &value);
	MPI_Attr_delete(MPI_COMM_WORLD, key);
	MPI_Keyval_free(&key);
}

int main(int argc, char **argv)
{
	MPI_Datatype type;

	MPI_Init(&argc, &argv);
	type = pairs();
	bounds(type);
	MPI_Type_free(&type);
	strided();
	errors();
	attributes();
	MPI_Finalize();
	return 0;
}
