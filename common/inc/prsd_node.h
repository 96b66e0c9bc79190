/*
 * prsd_node.h - symbols and loops of one thread's queue while it is recorded
 *
 * The structure of a run is a sequence over symbols: a symbol is an event place
 * (function, stack signature, nesting) or a loop. A loop is interned by its
 * body, a list of symbols, so that equal loops are the same symbol wherever
 * they occur, and matching is a comparison of integers. How often a loop ran is
 * a column of the symbol: one count per entry, in execution order - values by
 * column, for loops as for parameters.
 */
#ifndef RSD_PRSD_NODE_H
#define RSD_PRSD_NODE_H

#include "hash.h"
#include "params_queue.h"

typedef uint32_t rsd_symbol; /* index into rsd_symbols.sym */
#define RSD_NO_SYMBOL UINT32_MAX

struct rsd_symbol_info {
	uint64_t hash;		  /* of what it is: random for a place, of the body for a loop */
	int place;		  /* >= 0: an event place; -1: a loop */
	uint32_t body, nr_body;	  /* loop: body[body .. body+nr_body) of the table */
	rsd_symbol first;	  /* loop: the event place that its first iteration begins with */
	struct rsd_column *count; /* loop: iterations of each entry */
};

struct rsd_symbols {
	struct rsd_symbol_info *sym;
	size_t nr, alloc;
	rsd_symbol *body; /* bodies of all loops */
	size_t nr_body, alloc_body;
	struct rsd_map loop_by_hash;
};

void rsd_symbols_init(struct rsd_symbols *t);
void rsd_symbols_release(struct rsd_symbols *t);
/* A new symbol for event place 'place'; or RSD_NO_SYMBOL on no memory. */
rsd_symbol rsd_symbols_add_place(struct rsd_symbols *t, int place);
/* The loop over these symbols (nr > 0), new or known; RSD_NO_SYMBOL on no memory. 'body' is not in the table. */
rsd_symbol rsd_symbols_loop(struct rsd_symbols *t, const rsd_symbol *body, size_t nr);

#endif
