/*
 * standins.c - functions that stand for the program's callbacks: they make its calls, and do as little as MPI allows
 *
 * A tracer tells the callbacks of a thread apart by their addresses, so each number in the trace has a
 * function of its own here, up to COPIES of a type; those beyond are not played.
 */
#include <inttypes.h>
#include <string.h>
#include "generalized.h"
#include "player.h"
#include "util.h"

/* They have MPI's parameters and need none of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COPIES 16
#define EACH_COPY(M, ...)                                                                          \
	M(0, __VA_ARGS__)                                                                          \
	M(1, __VA_ARGS__)                                                                          \
	M(2, __VA_ARGS__)                                                                          \
	M(3, __VA_ARGS__)                                                                          \
	M(4, __VA_ARGS__)                                                                          \
	M(5, __VA_ARGS__)                                                                          \
	M(6, __VA_ARGS__)                                                                          \
	M(7, __VA_ARGS__)                                                                          \
	M(8, __VA_ARGS__)                                                                          \
	M(9, __VA_ARGS__)                                                                          \
	M(10, __VA_ARGS__)                                                                         \
	M(11, __VA_ARGS__)                                                                         \
	M(12, __VA_ARGS__)                                                                         \
	M(13, __VA_ARGS__)                                                                         \
	M(14, __VA_ARGS__)                                                                         \
	M(15, __VA_ARGS__)

/* Equal functions may be given one address: the copy's number makes them differ. */
static volatile int called;
#define ONE_COPY(i, ret, name, params, body)                                                       \
	static ret name##i params                                                                  \
	{                                                                                          \
		called = i;                                                                        \
		rsd_callbacks_run();                                                               \
		body;                                                                              \
	}
#define ONE_ENTRY(i, name) (void (*)(void)) name##i,
#define STAND_INS(ret, name, params, body)                                                         \
	EACH_COPY(ONE_COPY, ret, name, params, body)                                               \
	static void (*const name[COPIES])(void) = { EACH_COPY(ONE_ENTRY, name) };

/* Copies are made: attributes are there after a dup as they were before. */
static int copy_attribute(void *from, void *to, int *flag)
{
	*(void **)to = from;
	*flag = 1;
	return MPI_SUCCESS;
}

/* A data representation in which everything is as long as in memory. */
static int size_of(MPI_Datatype type, MPI_Aint *extent)
{
	MPI_Count size;
	int err = PMPI_Type_size_x(type, &size);

	*extent = (MPI_Aint)size;
	return err;
}

/*
 * One for all that MPI calls alike: handles are all integers or all pointers, and what is not looked at may be an int or an
 * MPI_Count. So a function that the program gave for several types is one here, too.
 */
STAND_INS(void, op, (void *in, void *inout, void *len, MPI_Datatype *type), )
STAND_INS(int, copy, (MPI_Comm c, int keyval, void *extra, void *from, void *to, int *flag),
	return copy_attribute(from, to, flag))
STAND_INS(int, delete, (MPI_Comm c, int keyval, void *value, void *extra), return MPI_SUCCESS)
STAND_INS(void, error, (void *handle, int *code, ...), )
STAND_INS(int, query, (void *extra, MPI_Status *status), return rsd_play_query(extra, status))
STAND_INS(int, release, (void *extra), return MPI_SUCCESS)
STAND_INS(int, cancel, (void *extra, int complete), return MPI_SUCCESS)
STAND_INS(int, data_extent, (MPI_Datatype t, MPI_Aint *extent, void *extra),
	return size_of(t, extent))
STAND_INS(int, convert,
	(void *user, MPI_Datatype t, MPI_Count count, void *file, MPI_Offset at, void *extra),
	return MPI_SUCCESS)

static const struct {
	const char *type;
	void (*const *copy)(void);
} stand_in[] = {
	{ "MPI_User_function", op },
	{ "MPI_User_function_c", op },
	{ "MPI_Comm_copy_attr_function", copy },
	{ "MPI_Copy_function", copy },
	{ "MPI_Type_copy_attr_function", copy },
	{ "MPI_Win_copy_attr_function", copy },
	{ "MPI_Comm_delete_attr_function", delete },
	{ "MPI_Delete_function", delete },
	{ "MPI_Type_delete_attr_function", delete },
	{ "MPI_Win_delete_attr_function", delete },
	{ "MPI_Comm_errhandler_function", error },
	{ "MPI_Handler_function", error },
	{ "MPI_Win_errhandler_function", error },
	{ "MPI_File_errhandler_function", error },
	{ "MPI_Session_errhandler_function", error },
	{ "MPI_Grequest_query_function", query },
	{ "MPI_Grequest_free_function", release },
	{ "MPI_Grequest_cancel_function", cancel },
	{ "MPI_Datarep_extent_function", data_extent },
	{ "MPI_Datarep_conversion_function", convert },
	{ "MPI_Datarep_conversion_function_c", convert },
};

void (*rsd_play_function(struct rsd_play *p, int place, const char *type))(void)
{
	int64_t v = rsd_play_arg(p, place)->head;

	if (rsd_is_const(v))
		return (void (*)(void))(intptr_t)rsd_play_value(p, v);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(stand_in); i++) {
		if (strcmp(stand_in[i].type, type))
			continue;
		if (v < 0 || rsd_slot_number(v) >= COPIES)
			rsd_play_give_up(p,
				"has callback %" PRId64 ", more than the replay has stand-ins for",
				v < 0 ? v : (int64_t)rsd_slot_number(v));
		return stand_in[i].copy[rsd_slot_number(v)];
	}
	rsd_play_give_up(p, "takes a callback that nothing stands in for (%s)", type);
}
