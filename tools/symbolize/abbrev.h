/*
 * abbrev.h - abbreviation tables: what the DIEs of a unit look like
 */
#ifndef RSD_SYMBOLIZE_ABBREV_H
#define RSD_SYMBOLIZE_ABBREV_H

#include "cursor.h"
#include "hash.h"

struct rsd_attr_spec {
	uint16_t name, form;
	int64_t implicit; /* value of DW_FORM_implicit_const */
};

/*
 * A DIE without variable-length attributes takes fixed + nr_addr * address size + nr_offset * offset
 * size bytes after its code.
 */
struct rsd_abbrev {
	uint64_t code;
	uint16_t tag;
	bool children, variable;
	uint32_t first, nr; /* of 'spec' of the table */
	uint32_t fixed, nr_addr, nr_offset;
};

struct rsd_abbrevs {
	struct rsd_abbrev *abbrev;
	size_t nr, alloc;
	struct rsd_attr_spec *spec;
	size_t nr_specs, alloc_specs;
	bool dense;		/* abbrev[i].code is i + 1: the usual case */
	struct rsd_map by_code; /* else code to i */
};

/* Parses the table at 'offset' of .debug_abbrev. 0, RSD_ERR_FORMAT, RSD_ERR_NOMEM; *end is where it
 * ends. Freed with rsd_abbrevs_free. 'dwarf2' says that DW_FORM_ref_addr is as long as an address. */
int rsd_abbrevs_parse(struct rsd_abbrevs **out, struct rsd_bytes section, uint64_t offset,
	bool dwarf2, size_t *end);
void rsd_abbrevs_free(struct rsd_abbrevs *a);
/* NULL: there is no such code. */
const struct rsd_abbrev *rsd_abbrevs_find(const struct rsd_abbrevs *a, uint64_t code);

#endif
