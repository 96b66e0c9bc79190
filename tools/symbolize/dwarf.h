/*
 * dwarf.h - the debug sections of one object, and its units
 *
 *	struct rsd_dwarf	the sections; tables that its units share
 *	  struct rsd_unit	a unit of .debug_info: header at once, root DIE and the rest when asked for
 *	    abbrevs, lines, functions	parsed at the first use, kept
 *
 * A unit of a .dwo is read with the sections of its file, but its addresses are in the skeleton's
 * .debug_addr (unit->skeleton). The units of a .dwp each have a view: an rsd_dwarf whose sections
 * are the unit's contributions.
 *
 * Tables are shared by offset (many units of dwz use one line program). No well-formed file has
 * tables that overlap; that a hostile one has many such, and so costs the square of its size, is
 * kept off by 'spent', which counts the bytes of tables parsed.
 */
#ifndef RSD_SYMBOLIZE_DWARF_H
#define RSD_SYMBOLIZE_DWARF_H

#include "abbrev.h"
#include "object.h"

enum rsd_dwarf_section {
	RSD_DW_INFO,
	RSD_DW_ABBREV,
	RSD_DW_LINE,
	RSD_DW_STR,
	RSD_DW_LINE_STR,
	RSD_DW_STR_OFFSETS,
	RSD_DW_ADDR,
	RSD_DW_RANGES,
	RSD_DW_RNGLISTS,
	RSD_DW_SECTIONS
};

/* The value of an attribute, see form.h. */
enum rsd_value_kind {
	RSD_VALUE_NONE,	  /* an unknown or malformed form */
	RSD_VALUE_CONST,  /* u */
	RSD_VALUE_ADDR,	  /* u */
	RSD_VALUE_ADDRX,  /* u: index */
	RSD_VALUE_STRING, /* block, 0-terminated */
	RSD_VALUE_STRP,	  /* u: offset in .debug_str */
	RSD_VALUE_LINE_STRP,
	RSD_VALUE_STRP_SUP, /* u: offset in the supplementary file's .debug_str */
	RSD_VALUE_STRX,	    /* u: index in .debug_str_offsets */
	RSD_VALUE_REF,	    /* u: offset in .debug_info */
	RSD_VALUE_REF_SUP,  /* u: offset in the supplementary file's .debug_info */
	RSD_VALUE_SIG,	    /* u: signature of a type */
	RSD_VALUE_SEC,	    /* u: offset in a section */
	RSD_VALUE_LISTX,    /* u: index of a range or location list */
	RSD_VALUE_BLOCK,    /* block */
};

struct rsd_value {
	enum rsd_value_kind kind;
	uint16_t form;
	uint64_t u;
	struct rsd_bytes block;
};

/* What of a DIE's attributes says where its code is. */
struct rsd_pc {
	bool has_low, has_high, has_ranges;
	struct rsd_value low, high, ranges;
};

struct rsd_lines;
struct rsd_functions;
struct rsd_scopes;
struct rsd_split;
struct rsd_dwarf;

struct rsd_unit {
	struct rsd_dwarf *dwarf;
	uint64_t offset, die, end; /* in .debug_info: header, root DIE, end */
	uint64_t abbrev_offset;
	uint16_t version;
	uint8_t type, addr_size, offset_size; /* type: DW_UT_ of version 5, else compile */
	bool root_read, broken; /* the root DIE was read; header or root are malformed */
	bool has_stmt, has_dwo_id, functions_failed;
	uint16_t language, tag;
	struct rsd_pc pc; /* where the code is, see ranges.h */
	uint64_t low;	  /* base address of range lists */
	uint64_t stmt, dwo_id;
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;
	const char *name, *comp_dir, *dwo_name; /* borrowed from the sections; NULL: none */
	const struct rsd_abbrevs *abbrevs;
	struct rsd_unit *skeleton;	 /* of a split unit */
	struct rsd_functions *functions; /* owned */
	struct rsd_scopes *scopes;	 /* owned; see scope.h */
	struct rsd_split *split; /* of a skeleton: its split unit, see split.h; owned there */
};

struct rsd_dwarf {
	struct rsd_object *object; /* borrowed */
	struct rsd_bytes section[RSD_DW_SECTIONS];
	bool big, dwo;
	struct rsd_dwarf *sup; /* dwz's supplementary file, borrowed; or NULL */
	struct rsd_unit *unit; /* in order of their offset */
	size_t nr, alloc;
	struct rsd_map abbrevs; /* offset to struct rsd_abbrevs *, owned */
	struct rsd_map lines;	/* offset to struct rsd_lines *, owned */
	uint64_t spent;
};

/*
 * Finds the sections in 'o' (those with .dwo after their names where 'dwo'), and the headers of all
 * units. A malformed header ends the list. 0 or RSD_ERR_NOMEM. Released also after a failure.
 */
int rsd_dwarf_init(struct rsd_dwarf *d, struct rsd_object *o, bool dwo);
/* The units of d->section[RSD_DW_INFO], where the caller has set the sections. */
int rsd_dwarf_scan(struct rsd_dwarf *d);
void rsd_dwarf_release(struct rsd_dwarf *d);
/* Counts 'len' bytes that a table took; false where that is more than can be. */
bool rsd_dwarf_spend(struct rsd_dwarf *d, uint64_t len);

/* The unit that 'offset' of .debug_info lies in; NULL: none. */
struct rsd_unit *rsd_dwarf_unit_at(struct rsd_dwarf *d, uint64_t offset);
/*
 * Reads the root DIE, once; with it u->abbrevs. 0, RSD_ERR_FORMAT (as at each later call),
 * RSD_ERR_NOMEM. The root of a split unit says its id: its skeleton is set after.
 */
int rsd_unit_root(struct rsd_unit *u);

#endif
