/*
 * ranges.h - the address ranges of a DIE: low_pc and high_pc, .debug_ranges, .debug_rnglists
 */
#ifndef RSD_SYMBOLIZE_RANGES_H
#define RSD_SYMBOLIZE_RANGES_H

#include "form.h"

struct rsd_range {
	uint64_t lo, hi; /* [lo, hi), lo < hi */
};

struct rsd_ranges {
	struct rsd_range *range;
	size_t nr, alloc;
};
#define RSD_SYM_RANGES_INIT ((struct rsd_ranges){ NULL, 0, 0 })

/* Takes the attribute if it is one of these. */
bool rsd_pc_take(struct rsd_pc *pc, uint16_t name, const struct rsd_value *v);

/*
 * Appends the ranges, as they are: dead ones, too (see rsd_object_is_code); empty ones are left out.
 * Where 'leading' is not NULL, a leading pair (0,0) of a version 4 list does not end it if the
 * unit's base address is not 0: gcc 12 writes such for inlined calls. *leading tells that there was one;
 * what follows it may be another list, so the caller must check it. 0, RSD_ERR_NOMEM,
 * RSD_ERR_FORMAT.
 */
int rsd_pc_ranges(
	struct rsd_unit *u, const struct rsd_pc *pc, bool *leading, struct rsd_ranges *out);
/* The ranges of the unit's root. */
int rsd_unit_ranges(struct rsd_unit *u, struct rsd_ranges *out);

#endif
