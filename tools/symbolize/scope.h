/*
 * scope.h - the DIEs of a unit that qualify the names in them: namespaces, classes, modules, functions
 *
 * Found by a walk over the unit when a name first needs them.
 */
#ifndef RSD_SYMBOLIZE_SCOPE_H
#define RSD_SYMBOLIZE_SCOPE_H

#include "form.h"

#define RSD_NO_SCOPE SIZE_MAX

struct rsd_scope {
	uint64_t die, end; /* what is in it is after die and before end */
	size_t outer;	   /* the scope around it, or RSD_NO_SCOPE */
	const char *name;  /* NULL: none. Of functions not looked up */
	uint16_t tag;
};

struct rsd_scopes {
	struct rsd_scope *scope; /* in the order of the DIEs */
	size_t nr, alloc;
};

/* Owned by the unit; NULL: no memory. */
const struct rsd_scopes *rsd_unit_scopes(struct rsd_unit *u);
void rsd_scopes_free(struct rsd_scopes *s);
/* The innermost scope around the DIE, itself not counted; or RSD_NO_SCOPE. */
size_t rsd_scopes_around(const struct rsd_scopes *s, uint64_t die);

#endif
