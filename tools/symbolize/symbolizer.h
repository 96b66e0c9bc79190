/*
 * symbolizer.h - what symbolize.c (files) and lookup.c (addresses) share
 */
#ifndef RSD_SYMBOLIZE_SYMBOLIZER_H
#define RSD_SYMBOLIZE_SYMBOLIZER_H

#include "line.h"
#include "locate.h"
#include "name.h"
#include "split.h"
#include "symtab.h"

struct rsd_unit_range { /* sorted by lo */
	uint64_t lo, hi;
	uint64_t max_hi; /* of this and all before it */
	struct rsd_unit *unit;
};

struct rsd_candidate { /* a unit that claims the address, narrowest claim first */
	struct rsd_unit *unit;
	uint64_t width;
};

struct rsd_symbolizer {
	struct rsd_roots roots;
	bool prepared;
	enum rsd_sym_mode mode;

	struct rsd_object *module, *debug, *sup, *minidebug; /* all but the first may be NULL */
	const struct rsd_object *code;			     /* the one that tells what is code */
	struct rsd_dwarf dwarf, sup_dwarf;
	struct rsd_splits splits;
	struct rsd_names names;

	bool indexed, symbols_read;
	struct rsd_unit_range *index;
	size_t nr_index, alloc_index;
	struct rsd_symtab symbols;

	/* of the current look-up */
	struct rsd_candidate *candidate;
	size_t nr_candidates, alloc_candidates;
	uint32_t *chain;
	size_t alloc_chain;
	struct rsd_sym_frame *frame;
	size_t alloc_frames;
	size_t *want, alloc_want;
	struct rsd_sym_extra *extra;
	size_t alloc_extra;
};

/* Fills s->candidate with the units that claim the offset. 0 or RSD_ERR_NOMEM. */
int rsd_symbolizer_candidates(struct rsd_symbolizer *s, uint64_t offset);

#endif
