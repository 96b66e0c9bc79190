/*
 * form.h - values of attributes, in all forms of DWARF 2 to 5
 *
 * Reading a value only takes it from the DIE; what it refers to (a string section, a table of
 * addresses) is looked up when someone wants to know, as most values are passed by.
 */
#ifndef RSD_SYMBOLIZE_FORM_H
#define RSD_SYMBOLIZE_FORM_H

#include "dwarf.h"

/* Reads one value. False, with the cursor in error, where the form is unknown or the bytes end. */
bool rsd_value_read(struct rsd_cursor *c, const struct rsd_unit *u,
	const struct rsd_attr_spec *spec, struct rsd_value *out);
/* Passes by all values of a DIE whose code was read. */
bool rsd_die_skip(struct rsd_cursor *c, const struct rsd_unit *u, const struct rsd_abbrev *a);
/*
 * A DIE's abbreviation, its code being read from 'c'; NULL at the end of siblings (code 0), or, with
 * the cursor in error, where it is unknown.
 */
const struct rsd_abbrev *rsd_die_begin(struct rsd_cursor *c, const struct rsd_unit *u);

/* The string of a value; NULL where it has none. Borrowed from its section. */
const char *rsd_value_string(const struct rsd_unit *u, const struct rsd_value *v);
/* True with the address of a value that is one. */
bool rsd_value_address(const struct rsd_unit *u, const struct rsd_value *v, uint64_t *address);
/* Entry 'index' of the unit's part of .debug_addr. */
bool rsd_unit_addrx(const struct rsd_unit *u, uint64_t index, uint64_t *address);
/* The DIE a reference means; NULL where there is none. The unit's root has been read. */
struct rsd_unit *rsd_value_ref(struct rsd_unit *u, const struct rsd_value *v, uint64_t *die);

#endif
