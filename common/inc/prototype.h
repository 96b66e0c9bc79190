/*
 * prototype.h - how MPI's functions are called: what the wrapper engine knows, for tools without MPI
 *
 * A trace has a function's recorded parameters by name. To write a call of it one must know
 * all of its parameters, in order, with their C types and what the call does with them: prototypes.c,
 * which the engine writes from the header and the spec.
 */
#ifndef RSD_PROTOTYPE_H
#define RSD_PROTOTYPE_H

#include <stdint.h>
#include "opstruct.h"

enum rsd_prototype_flag {
	RSD_P_SKIPPED = 1,   /* not recorded */
	RSD_P_OUT = 2,	     /* a result: the argument is room for it */
	RSD_P_INOUT = 4,     /* taken and changed; recorded is also the value before, as old_NAME */
	RSD_P_MADE = 8,	     /* the call makes the handle ... */
	RSD_P_FREED = 16,    /* ... frees or replaces it */
	RSD_P_ARRAY = 32,    /* of recorded values, or of handles */
	RSD_P_CONST = 64,    /* what is pointed to is only read */
	RSD_P_KEPT = 128,    /* a buffer that MPI uses beyond the call */
	RSD_P_CALLBACK = 256 /* written as a pointer to a function, without a name for its type */
};

struct rsd_prototype_param {
	const char *name;
	const char *type; /* "int", "MPI_Comm": without const and pointers */
	uint8_t depth;	  /* pointers and arrays */
	uint8_t inner;	  /* N of [][N], else 1 */
	uint8_t role;	  /* enum rsd_role; of skipped ones RSD_R_INT */
	uint16_t flags;
	/*
	 * Of a buffer, how far it reaches, as spec/README has it: a product in C, of numbers, parameters, and facts
	 * (peers(comm)), or a parameter that is an array of counts; then, or NULL, parameters: the datatype, the displacements.
	 */
	const char *extent, *extent_type, *extent_displs;
};

struct rsd_prototype {
	const char *name;
	const struct rsd_prototype_param *param;
	int nr_params;
	uint8_t unplayed; /* 1: a replay does not call it */
};

/* Generated; ends with name NULL. */
extern const struct rsd_prototype rsd_prototypes[];

#endif
