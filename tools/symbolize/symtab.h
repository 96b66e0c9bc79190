/*
 * symtab.h - names by address from symbol tables
 *
 * Only function symbols that have a size cover an address: what lies between them has no name. Of
 * several at one address a global one goes before a weak one (MPI_Send before PMPI_Send's alias), and
 * a local one comes last.
 */
#ifndef RSD_SYMBOLIZE_SYMTAB_H
#define RSD_SYMBOLIZE_SYMTAB_H

#include "object.h"

struct rsd_symtab {
	struct rsd_sym_entry *symbol; /* sorted by lo, binding, hi */
	uint64_t *max_hi;
	size_t nr, alloc;
};

/* Adds those of 'o'; call rsd_symtab_sort after the last. 0 or RSD_ERR_NOMEM. */
int rsd_symtab_add(struct rsd_symtab *s, const struct rsd_object *o);
int rsd_symtab_sort(struct rsd_symtab *s);
void rsd_symtab_release(struct rsd_symtab *s);
/*
 * The symbol that covers 'addr' (the one that starts last). *ambiguous: another global one with another name has the same
 * start. NULL: none.
 */
const struct rsd_sym_entry *rsd_symtab_find(
	const struct rsd_symtab *s, uint64_t addr, bool *ambiguous);

#endif
