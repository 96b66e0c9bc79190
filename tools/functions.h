/*
 * functions.h - the functions that the libraries beside this program record
 *
 * The tools know no MPI: the names are those of the wrappers that ../lib/libglob.so defines.
 */
#ifndef RSD_FUNCTIONS_H
#define RSD_FUNCTIONS_H

#include <stddef.h>
#include "buf.h"

struct rsd_functions {
	struct rsd_buf file;
	const char **name; /* in 'file' */
	size_t nr, alloc;
};
#define RSD_FUNCTIONS_INIT                                                                         \
	{                                                                                          \
		RSD_BUF_INIT, NULL, 0, 0                                                           \
	}

/* Silent: where the library is not there, or is of another machine, there are none. */
void rsd_functions_init(struct rsd_functions *f);
void rsd_functions_release(struct rsd_functions *f);
/* As rsd_config_check_calls takes it; 'f' is a struct rsd_functions. */
const char *rsd_functions_name(int i, void *f);

#endif
