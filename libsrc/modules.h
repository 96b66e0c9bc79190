/*
 * modules.h - what is loaded where: executable, shared libraries, and whose they are
 */
#ifndef RSD_MODULES_H
#define RSD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

enum rsd_owner {
	RSD_OF_APPLICATION,
	RSD_OF_MPI,	/* the MPI library: calls that it makes are its own business */
	RSD_OF_BINDING, /* its Fortran or C++ layer: calls that it makes are the application's */
};

struct rsd_loaded {
	uintptr_t lo, hi; /* addresses */
	uintptr_t base;	  /* what offsets count from */
	char *path;	  /* as loaded, but never relative; the program's is its real one */
	char *build_id;	  /* hex, or "" */
	enum rsd_owner owner;
	bool late;	     /* was loaded after the program had started, may be unloaded */
	uint64_t generation; /* when it was seen there */
	int id;		     /* in the signature table, or -1: not yet; under the runtime's lock */
};

/* The module that holds an address, or NULL. What is returned is never freed. */
struct rsd_loaded *rsd_modules_find(uintptr_t address);
/*
 * The program's path; returns (caller frees), NULL: no memory. Where ranks are loaded into one process, the program is
 * what the tracer is linked into, and the executable belongs to the MPI library.
 */
char *rsd_modules_program(void);
/* Changes whenever a module is loaded or unloaded. */
uint64_t rsd_modules_generation(void);

#endif
