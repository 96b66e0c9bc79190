/*
 * function.h - the functions of a unit, and what was inlined into them
 *
 * One walk over the unit's DIEs finds all functions that have code; those that are dead (not wholly
 * in a stretch of code, a declaration, high_pc <= low_pc) are dropped with all inside them.
 *
 *	function[0]  subprogram a		end 3	an array in the order of the DIEs, so that what
 *	function[1]    inlined b		end 3	is inside [i] is [i + 1 .. end)
 *	function[2]      inlined c		end 3
 *	function[3]  subprogram d		end 4
 */
#ifndef RSD_SYMBOLIZE_FUNCTION_H
#define RSD_SYMBOLIZE_FUNCTION_H

#include "ranges.h"

#define RSD_NO_FUNCTION UINT32_MAX

struct rsd_function {
	uint64_t die; /* offset in .debug_info */
	uint32_t end;
	uint32_t first, nr;			    /* of the ranges */
	uint32_t call_file, call_line, call_column; /* where an inlined one was called */
	bool inlined;
	bool named;		    /* the names below were looked for */
	const char *name, *linkage; /* see name.h; owned by the symbolizer */
};

struct rsd_function_range { /* of subprograms only, sorted by lo */
	uint64_t lo, hi, max_hi;
	uint32_t function;
};

struct rsd_functions {
	struct rsd_function *function;
	size_t nr, alloc;
	struct rsd_ranges ranges;
	struct rsd_function_range *index;
	size_t nr_index, alloc_index;
};

/* The unit's functions; NULL: malformed or no memory. 'code' says what is code. */
struct rsd_functions *rsd_unit_functions(struct rsd_unit *u, const struct rsd_object *code);
void rsd_functions_free(struct rsd_functions *f);

/* The subprogram whose range over 'addr' is the narrowest, and that range's width; or RSD_NO_FUNCTION. */
uint32_t rsd_functions_find(const struct rsd_functions *f, uint64_t addr, uint64_t *width);
/* What was inlined directly into function 'outer' at 'addr'; or RSD_NO_FUNCTION. */
uint32_t rsd_functions_inlined(const struct rsd_functions *f, uint32_t outer, uint64_t addr);

#endif
