/*
 * object.h - an object file as named sections of bytes
 *
 * Everything above reads sections by their DWARF names (".debug_info", ".debug_str.dwo") and does not
 * know what kind of file they are from: an ELF file (object_elf.c, through libelf), a wasm module's
 * custom sections (object_wasm.c), bytes that a caller had. So executables, .dwo and .dwp files and
 * dwz's supplementary files are all the same here.
 *
 * The addresses of an object are those its debug information uses: for ELF the link-time
 * addresses, for wasm offsets in the contents of the code section.
 */
#ifndef RSD_SYMBOLIZE_OBJECT_H
#define RSD_SYMBOLIZE_OBJECT_H

#include "buf.h"
#include "cursor.h"

enum rsd_object_kind { RSD_OBJECT_ELF, RSD_OBJECT_WASM };

enum rsd_compression {
	RSD_PACKED_NOT,
	RSD_PACKED_CHDR,     /* ELF's SHF_COMPRESSED: Elf32_Chdr or Elf64_Chdr, then zlib or zstd */
	RSD_PACKED_ZLIB_GNU, /* .zdebug_*: "ZLIB", 8 bytes of size, then zlib */
};

struct rsd_section {
	const char *name; /* owned by the object's file; .zdebug_x is named .debug_x */
	uint64_t addr;
	struct rsd_bytes raw; /* as in the file; empty where the file has none (NOBITS) */
	enum rsd_compression packed;
	struct rsd_bytes data; /* unpacked at the first use */
	unsigned char *owned;  /* or NULL */
	bool ready;
};

/* A stretch of code that functions do not go across: an executable section, a wasm function body. */
struct rsd_code {
	uint64_t lo, hi;
};

/* A function symbol that has a size. */
struct rsd_sym_entry {
	uint64_t lo, hi;
	const char *name;      /* mangled */
	unsigned char binding; /* the lower the better: 0 global, 1 weak, 2 local */
	const char *file; /* of a local one: the source file that the table has it under; or NULL */
};

struct rsd_object {
	enum rsd_object_kind kind;
	char *path;
	struct rsd_bytes file;
	bool mapped; /* 'file' is munmapped in the end */
	void *owned; /* and this freed */
	bool big;
	unsigned char addr_size;
	struct rsd_section *section;
	size_t nr_sections, alloc_sections;
	struct rsd_code *code; /* sorted, disjoint */
	size_t nr_code, alloc_code;
	struct rsd_bytes build_id; /* empty where there is none */
	void *elf;		   /* Elf * */
	char *names;		   /* owned memory of names that are not in the file as they are */
	/* wasm: where the contents of the code section begin in the file, and the functions' names in
	 * order of their index, imports first (NULL: none) */
	uint64_t code_start;
	const char **function_name;
	size_t nr_functions;
};

/* Maps the file and finds its sections. 0, RSD_ERR_IO, _FORMAT, _NOMEM; 'why' (or NULL) says more. */
int rsd_object_open(struct rsd_object **out, const char *path, struct rsd_buf *why);
/* From bytes that are borrowed; with 'owned' (malloced, may be NULL) freed with the object, also on
 * failure. */
int rsd_object_from_bytes(struct rsd_object **out, const char *path, struct rsd_bytes file,
	void *owned, struct rsd_buf *why);
void rsd_object_free(struct rsd_object *o);

/* The section called 'name', as it is in the file; NULL where there is none. */
struct rsd_section *rsd_object_find(const struct rsd_object *o, const char *name);
/*
 * Its contents, unpacked; empty where there is none, or it cannot be unpacked. Several sections of one name are as
 * one, in their order: a .dwo has its type units in sections of their own. Borrowed.
 */
struct rsd_bytes rsd_object_section(struct rsd_object *o, const char *name);
/* Does [lo, hi) lie wholly in one stretch of code, with lo < hi? (Dead code does not.) */
bool rsd_object_is_code(const struct rsd_object *o, uint64_t lo, uint64_t hi);
/* ---- for object_*.c: each fills an object whose 'file' is set --------------------------------- */
bool rsd_elf_is(struct rsd_bytes file);
int rsd_elf_fill(struct rsd_object *o, struct rsd_buf *why);
void rsd_elf_release(struct rsd_object *o);
bool rsd_wasm_is(struct rsd_bytes file);
int rsd_wasm_fill(struct rsd_object *o, struct rsd_buf *why);
/* Adds a section (zeroed, but its name); NULL: no memory. Valid until the next one is added. */
struct rsd_section *rsd_object_add_section(struct rsd_object *o, const char *name);
int rsd_object_add_code(struct rsd_object *o, uint64_t lo, uint64_t hi);
/* "PATH: text" to 'why'; returns 'err'. */
int rsd_object_fail(const struct rsd_object *o, struct rsd_buf *why, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The sized function symbols of the object, unsorted, appended to *symbol (rsd_grow's array; names
 * borrowed from the object): of ELF those of .symtab, or .dynsym where there is none.
 */
int rsd_elf_symbols(
	const struct rsd_object *o, struct rsd_sym_entry **symbol, size_t *nr, size_t *alloc);
int rsd_wasm_symbols(
	const struct rsd_object *o, struct rsd_sym_entry **symbol, size_t *nr, size_t *alloc);

#endif
