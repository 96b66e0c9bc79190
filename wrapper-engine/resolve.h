/*
 * resolve.h - brings a header and a spec together
 *
 * Gives every parameter of every function its role: from the first function
 * line of the spec that names it, else from the first rule that fits its type
 * and name. Every leftover is an error with its place: a parameter that no
 * rule fits, an array without a length, a line that names what is not there, a
 * statement that nothing needed.
 */
#ifndef RSD_RESOLVE_H
#define RSD_RESOLVE_H

#include "model.h"

/*
 * 'record': roles are needed; otherwise only pre and post blocks are brought to
 * their functions. Errors are counted in m->errors.
 */
void rsd_resolve(struct model *m, bool record);

/* What kind of thing a parameter's C type is: a handle's kind, or NULL. */
const char *rsd_type_handle(const struct spec *s, const struct type *t);
/* "int", "aint" or "count" for a type of numbers, else NULL. */
const char *rsd_type_number(const struct spec *s, const struct type *t);
bool rsd_type_callback(const struct spec *s, const struct type *t);
/* Is the role one that takes [length] values, or one? */
bool rsd_role_is_array(const struct role *r);
/* The parameter that a part of a buffer's extent names; NULL where it is something else. */
const struct param *rsd_extent_param(const struct func *f, const struct expr *e);
/* The array parameter that a buffer's extent takes its counts from; NULL where it is not a vector's. */
const struct param *rsd_extent_counts(const struct func *f, const struct role *r);

#endif
