/*
 * symbolize.h - from an offset in a module to functions, files and lines
 *
 * A module is an executable, a shared library or a WebAssembly module. It is opened once; its debug
 * information is read as look-ups need it, and kept:
 *
 *	struct rsd_symbolizer *s;
 *	struct rsd_sym_result r;
 *
 *	if (!rsd_symbolizer_open(&s, "/usr/bin/app", NULL, &why)) {
 *		rsd_symbolizer_lookup(s, 0x1a3e, &r);
 *		for (size_t i = 0; i < r.nr; i++)
 *			printf("%s at %s:%u\n", r.frame[i].function, ...);	(any may be NULL or 0)
 *		rsd_symbolizer_free(s);
 *	}
 *
 * An offset is what the module's own addresses count from: for ELF an address as the file has it
 * (the run's address less the load slide); for wasm see enum rsd_sym_mode. A call is looked up by
 * its return address less 1.
 *
 * What is known is said, what is not is left out: a name is a guess nowhere. Function names come from
 * the debug information where a function of it covers the offset, else from the symbol table.
 *
 * Split DWARF keeps most of it in extra files (.dwo, or a .dwp for all). By default a look-up reads
 * them itself. A caller that loads files in its own way sets 'prepared': then
 *
 *	nr = rsd_symbolizer_units_for(s, offset, &extra);
 *	for each of extra[0..nr): load it, on any thread; rsd_symbolizer_provide(s, extra[i].id, data, len);
 *	rsd_symbolizer_lookup(s, offset, &r);		(reads no file)
 *
 * A symbolizer is used by one thread at a time. All strings it returns live as long as it does.
 */
#ifndef RSD_SYMBOLIZE_H
#define RSD_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

struct rsd_symbolizer;

/* What the offsets of a wasm module mean; nothing for ELF. */
enum rsd_sym_mode {
	RSD_SYM_INTERP, /* offset in the file, of the byte after the opcode (0: function entry) */
	RSD_SYM_AOT,	/* offset in the code section's contents */
	RSD_SYM_FAST_INTERP, /* no address at all: names by function index only */
};

struct rsd_sym_options {
	const char *const *debug_root; /* folders like /usr/lib/debug, which comes after them */
	size_t nr_debug_roots;
	bool prepared; /* extra files are the caller's, see above */
	enum rsd_sym_mode mode;
};

struct rsd_sym_frame {
	const char *function; /* for people: demangled; NULL: unknown */
	const char *linkage;  /* as the linker knows it, or as 'function'; NULL: unknown */
	const char *file;     /* path as compiled; NULL: unknown */
	uint32_t line;	      /* 0: unknown */
	uint32_t column;      /* 0: unknown */
	uint32_t discriminator;
};

enum rsd_sym_origin {
	RSD_SYM_NOTHING,
	RSD_SYM_SYMBOL, /* a name from the symbol table, and of a local function the file, without a line */
	RSD_SYM_LINE, /* a line, and maybe a name from the symbol table: inlining is not known */
	RSD_SYM_FUNCTION, /* all there is: name, line, inlined calls */
};

/*
 * Frames innermost first: frame[i] was inlined into frame[i + 1], at the file and line that frame
 * [i + 1] has. 0 frames where nothing is known. Overwritten by the next look-up.
 */
struct rsd_sym_result {
	const struct rsd_sym_frame *frame;
	size_t nr;
	enum rsd_sym_origin origin;
	const char *missing; /* why less is known than could be: "a.dwo: not there"; or NULL */
};

/*
 * Opens the module at 'path', with its debug file and supplementary file where it has such. 'o' may
 * be NULL. 0; or RSD_ERR_IO, _FORMAT, _NOMEM with the reason appended to 'why' (which may be NULL).
 */
int rsd_symbolizer_open(struct rsd_symbolizer **out, const char *path,
	const struct rsd_sym_options *o, struct rsd_buf *why);
/* The same for a module whose bytes the caller has and keeps; 'path' says where its other files are. */
int rsd_symbolizer_open_bytes(struct rsd_symbolizer **out, const char *path, const void *data,
	size_t len, const struct rsd_sym_options *o, struct rsd_buf *why);
void rsd_symbolizer_free(struct rsd_symbolizer *s);

/* 0, or RSD_ERR_NOMEM. Nothing known is no error. */
int rsd_symbolizer_lookup(struct rsd_symbolizer *s, uint64_t offset, struct rsd_sym_result *out);
/* The name of a wasm module's function by its index, imports counted. */
int rsd_symbolizer_by_index(struct rsd_symbolizer *s, uint64_t index, struct rsd_sym_result *out);

/* Is nothing to be read of it but the symbols that dynamic linking needs? */
bool rsd_symbolizer_is_stripped(const struct rsd_symbolizer *s);
/* The module's build id; NULL where it has none. */
const unsigned char *rsd_symbolizer_build_id(const struct rsd_symbolizer *s, size_t *len);
/* Bytes of an address in the module: 4 or 8. */
int rsd_symbolizer_address_size(const struct rsd_symbolizer *s);
/* Where section 'name' of the module begins, as an offset; false where there is none. */
bool rsd_symbolizer_section(const struct rsd_symbolizer *s, const char *name, uint64_t *offset);

/* ---- extra files -------------------------------------------------------------------------- */
enum rsd_sym_extra_kind {
	RSD_SYM_PACKAGE, /* a .dwp: where it is there, the .dwo files in it are not asked for any more */
	RSD_SYM_DWO, /* a .dwo, or an object file that has its sections */
};

struct rsd_sym_extra {
	enum rsd_sym_extra_kind kind;
	size_t id; /* for rsd_symbolizer_provide */
	const char *const
		*path; /* where it may be, likeliest first; bytes, as the debug information
				  * has them */
	size_t nr_paths;
	uint64_t dwo_id; /* of a .dwo: the unit that must be in it */
};

/*
 * The extra files that a look-up of 'offset' wants and that were neither provided nor said not to be
 * there, packages first. All units that claim the offset are asked. Valid until the next call.
 * Having provided a package, a caller may ask again, for what is left.
 */
size_t rsd_symbolizer_units_for(
	struct rsd_symbolizer *s, uint64_t offset, const struct rsd_sym_extra **extra);
/*
 * The bytes of an extra file, which the caller keeps until rsd_symbolizer_free; data NULL: it is not
 * there. Bytes of another build or malformed ones count as not there; look-ups then say so.
 * 0, or RSD_ERR_NOMEM, RSD_ERR_RANGE (no such id).
 */
int rsd_symbolizer_provide(struct rsd_symbolizer *s, size_t id, const void *data, size_t len);

#endif
