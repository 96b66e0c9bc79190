// C++ exceptions that leave MPI calls from a callback pass through the wrappers, destructors run, and
// the calls after that are as ever. MPI starts in a static object's constructor and ends in its destructor.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#define CHECK(c)                                                                                   \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			std::fprintf(stderr, "%d: not so: %s\n", __LINE__, #c);                    \
			_exit(9);                                                                  \
		}                                                                                  \
	} while (0)

static int unwound;

struct Environment {
	int rank, size;
	Environment()
	{
		MPI_Init(NULL, NULL);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	}
	~Environment()
	{
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
		std::printf("rank %d fine\n", rank);
	}
};
static Environment env;

struct Guard {
	~Guard() { unwound++; }
};

static void thrower(MPI_Comm *, int *code, ...)
{
	int error_class;

	MPI_Error_class(*code, &error_class);
	throw error_class;
}

static int copy(MPI_Comm, int, void *, void *, void *, int *)
{
	throw std::runtime_error("not to be copied");
}

static void op(void *, void *, int *, MPI_Datatype *)
{
	throw std::runtime_error("no sum");
}

template <class Call> static void leaves(Call call)
{
	bool caught = false;
	int before = unwound;

	try {
		Guard guard;
		call();
	} catch (int error_class) {
		caught = error_class == MPI_ERR_RANK;
	} catch (const std::exception &) {
		caught = true;
	}
	CHECK(caught && unwound == before + 1);
}

int main()
{
	int v = 0, w = 0, key;
	MPI_Errhandler eh;
	MPI_Comm self, other;
	MPI_Op sum;

	MPI_Comm_create_errhandler(thrower, &eh);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, eh);
	for (int i = 0; i < 20; i++) {
		leaves([&] { MPI_Send(&v, 1, MPI_INT, env.size, 0, MPI_COMM_WORLD); });
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Op_create(op, 1, &sum);
	leaves([&] { MPI_Reduce_local(&v, &w, 1, MPI_INT, sum); });
	MPI_Op_free(&sum);
	MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	MPI_Comm_set_attr(self, key, &v);
	leaves([&] { MPI_Comm_dup(self, &other); });
	MPI_Comm_delete_attr(self, key);
	MPI_Comm_free(&self);
	MPI_Comm_free_keyval(&key);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&eh);
	return 0;
}
