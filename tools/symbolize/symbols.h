/*
 * symbols.h - names by address from symbol tables
 *
 * Only function symbols that have a size cover an address: what lies between them has no name. Of
 * several at one address a global one goes before a weak one (MPI_Send before PMPI_Send's alias), and
 * a local one comes last.
 */
#ifndef RSD_SYMBOLIZE_SYMBOLS_H
#define RSD_SYMBOLIZE_SYMBOLS_H

#include "object.h"

struct rsd_symbols {
	struct rsd_symbol *symbol; /* sorted by lo; then narrower, then better binding, first */
	uint64_t *max_hi;
	size_t nr, alloc;
};

/* Adds those of 'o'; call rsd_symbols_sort after the last. 0 or RSD_ERR_NOMEM. */
int rsd_symbols_add(struct rsd_symbols *s, const struct rsd_object *o);
int rsd_symbols_sort(struct rsd_symbols *s);
void rsd_symbols_release(struct rsd_symbols *s);
/*
 * The symbol that covers 'addr' (the one that starts last). *ambiguous: another global one with another name has the same
 * start. NULL: none.
 */
const struct rsd_symbol *rsd_symbols_find(
	const struct rsd_symbols *s, uint64_t addr, bool *ambiguous);

#endif
