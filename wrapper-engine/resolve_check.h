/*
 * resolve_check.h - what of a spec and a header does not go together
 *
 * Errors are counted in m->errors.
 */
#ifndef RSD_RESOLVE_CHECK_H
#define RSD_RESOLVE_CHECK_H

#include "model.h"

/*
 * A parameter that has no role, or one that its type can't have, is an error, and is skipped from now on; of a function
 * that the spec does not know, a warning.
 */
void rsd_check_param(struct model *m, const struct func *f, struct param *p);
/* The extents of the function's buffers, once all its parameters have their roles. */
void rsd_check_extents(struct model *m, const struct func *f);
/* Once all functions are resolved: names in the spec that fit none, and, if roles were needed, what nothing needed. */
void rsd_check_spec(struct model *m, bool record);

#endif
