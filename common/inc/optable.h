/*
 * optable.h - the tables that the wrapper engine writes (optab.c): functions, constants
 *
 * They describe the MPI that optab.c was compiled for. A trace carries its own; what they have
 * in common is found by name. Indices with names, RSD_F_MPI_Send and RSD_K_MPI_INT, are in the
 * generated optab.h.
 */
#ifndef RSD_OPTABLE_H
#define RSD_OPTABLE_H

#include <stdint.h>
#include "opstruct.h"

/*
 * Groups that constants belong to. The runtime and the replay know these; a spec's own groups of named
 * numbers (thread levels, lock types ...) are numbered from RSD_G_NAMED on.
 */
enum rsd_constant_group {
	RSD_G_NONE,
	RSD_G_COMM,
	RSD_G_DATATYPE,
	RSD_G_OP,
	RSD_G_GROUP,
	RSD_G_WIN,
	RSD_G_FILE,
	RSD_G_INFO,
	RSD_G_ERRHANDLER,
	RSD_G_KEYVAL,
	RSD_G_REQUEST,
	RSD_G_MESSAGE,
	RSD_G_SESSION,
	RSD_NR_HANDLE_GROUPS,
	RSD_G_BUFFER = RSD_NR_HANDLE_GROUPS, /* MPI_BOTTOM, MPI_IN_PLACE, "NULL" (value 0) */
	RSD_G_FUNCTION,			     /* MPI_NULL_COPY_FN ... */
	RSD_G_PEER,			     /* MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT */
	RSD_G_TAG,			     /* MPI_ANY_TAG */
	RSD_G_INT,			     /* MPI_UNDEFINED */
	RSD_G_ARRAY, /* pointers in an array's place: MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ARGV_NULL ... */
	RSD_G_ERROR, /* error classes */
	RSD_G_NAMED
};
extern const struct rsd_func rsd_funcs[]; /* ends with name NULL */
extern const int rsd_nr_funcs;
struct rsd_constant {
	const char *name;
	int group;     /* which kind of value it is; 0: none of its own */
	int64_t value; /* of an int constant or, cast, of a handle or pointer; filled in at start */
	int as; /* recorded as that one: the first of its name, of one in several groups; 0: as itself */
};
extern struct rsd_constant rsd_constants[]; /* index as in RSD_CONST(i); [0] is "absent" */
extern const int rsd_nr_constants;
/* Fills in values that are no compile-time constants (Open MPI's handles). Generated. */
void rsd_constants_init(void);

#endif
