/*
 * name.h - names of functions: from their DIEs, and demangled
 *
 * A function's name stands at its DIE, or at the one its DW_AT_abstract_origin or DW_AT_specification
 * leads to, in other units and other files. Without a linkage name, C++, Rust and Fortran names are
 * qualified by the DIEs around them (namespaces, classes, modules).
 */
#ifndef RSD_SYMBOLIZE_NAME_H
#define RSD_SYMBOLIZE_NAME_H

#include "function.h"

struct rsd_names { /* keeps the strings */
	char **text;
	size_t nr, alloc;
	struct rsd_map demangled; /* address of a linkage name to that of the demangled one */
};

void rsd_names_release(struct rsd_names *n);
/* Sets function->name and ->linkage (NULL: unknown), once. 0 or RSD_ERR_NOMEM. */
int rsd_function_names(struct rsd_names *n, struct rsd_unit *u, struct rsd_function *function);

/*
 * A linkage name for people: Itanium C++, Rust's forms (without their hashes), gfortran's
 * __module_MOD_name. As it is where it is none of these. Kept by 'n'; NULL: no memory.
 */
const char *rsd_demangle(struct rsd_names *n, const char *linkage);

#endif
