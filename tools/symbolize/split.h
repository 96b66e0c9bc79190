/*
 * split.h - split DWARF: the extra file that a skeleton's unit is in, .dwo or package
 *
 * An extra file is known once, whatever skeletons name it. It is wanted first; then there, or absent.
 * A skeleton's unit is in the package if that has it, else in its .dwo if the id is the same (a
 * .dwo of another build is refused). Packages are <module>.dwp and <debug file>.dwp.
 */
#ifndef RSD_SYMBOLIZE_SPLIT_H
#define RSD_SYMBOLIZE_SPLIT_H

#include "dwarf.h"
#include "symbolize.h"

enum rsd_extra_state { RSD_EXTRA_WANTED, RSD_EXTRA_THERE, RSD_EXTRA_ABSENT };

struct rsd_extra_file {
	enum rsd_sym_extra_kind kind;
	enum rsd_extra_state state;
	char **path;
	size_t nr_paths, alloc_paths;
	struct rsd_object *object; /* where it is there */
	struct rsd_dwarf dwarf;	   /* and its .dwo sections */
};

struct rsd_split {		     /* of a skeleton */
	struct rsd_extra_file *file; /* its .dwo; borrowed */
	struct rsd_unit *unit;	     /* NULL: not looked for, or not there */
	bool done;
	char *missing;		/* why there is no unit; owned */
	struct rsd_dwarf *view; /* of a unit in a package: its parts of the sections; owned */
};

struct rsd_splits {
	const char *module, *debug; /* paths; borrowed; debug NULL: the module itself */
	bool prepared;
	struct rsd_extra_file **file; /* file[0] is the package */
	size_t nr, alloc;
	struct rsd_split **split;
	size_t nr_splits, alloc_splits;
	struct rsd_map by_name; /* hash of the first path to the file's number */
};

/* 0 or RSD_ERR_NOMEM. Released also after a failure. */
int rsd_splits_init(struct rsd_splits *s, const char *module, const char *debug, bool prepared);
void rsd_splits_release(struct rsd_splits *s);

/* Has the unit, whose root was read, more in an extra file? */
bool rsd_unit_is_skeleton(const struct rsd_unit *u);
/*
 * The split unit of skeleton 'u', its root read and its skeleton set. Reads files unless prepared. *out is NULL
 * where it is not there: u->split->missing says why. 0 or RSD_ERR_NOMEM.
 */
int rsd_split_unit(struct rsd_splits *s, struct rsd_unit *u, struct rsd_unit **out);
/*
 * Appends to 'id' the numbers of the files that rsd_split_unit would read: *nr at first, *alloc as
 * rsd_grow has it. None is appended twice. 0 or RSD_ERR_NOMEM.
 */
int rsd_split_wants(
	struct rsd_splits *s, struct rsd_unit *u, size_t **id, size_t *nr, size_t *alloc);
/* File number 'id' is these bytes (borrowed), or is not there (data NULL). */
int rsd_split_provide(struct rsd_splits *s, size_t id, struct rsd_bytes data);

#endif
