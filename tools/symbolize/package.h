/*
 * package.h - .dwp files: the index from a unit's id to its parts of the sections
 *
 * Version 2 (GNU's, for DWARF 4) and version 5 differ in how the parts are numbered.
 */
#ifndef RSD_SYMBOLIZE_PACKAGE_H
#define RSD_SYMBOLIZE_PACKAGE_H

#include "dwarf.h"

/*
 * Sets the sections of 'view', which is zeroed, to the parts of the unit 'id' of the package whose .dwo sections are 'd'.
 * False where it has no such unit, or the index is malformed.
 */
bool rsd_package_find(struct rsd_dwarf *d, uint64_t id, struct rsd_dwarf *view);

#endif
