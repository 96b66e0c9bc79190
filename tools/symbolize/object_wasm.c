/*
 * object_wasm.c - wasm modules as objects; see object.h
 *
 * Custom sections are the sections; each function body is a stretch of code, at its offset in the
 * contents of the code section (as DWARF for wasm counts), and with its name from the "name" section a symbol.
 */
#include "object.h"

#include <stdlib.h>
#include "util.h"

enum { SECTION_CUSTOM = 0, SECTION_IMPORT = 2, SECTION_CODE = 10, NAMES_FUNCTIONS = 1 };
enum { IMPORT_FUNCTION, IMPORT_TABLE, IMPORT_MEMORY, IMPORT_GLOBAL, IMPORT_TAG };

bool rsd_wasm_is(struct rsd_bytes file)
{
	return file.len >= 8 && memcmp(file.data, "\0asm", 4) == 0;
}

/* A name, as length and bytes; copied, 0-terminated, to the object's memory of names. */
static struct rsd_bytes read_name(struct rsd_cursor *c)
{
	uint64_t len = rsd_cursor_uleb(c);

	return rsd_cursor_bytes(c, len);
}

/* Names in a module have no 0 at their end. All of them together are no longer than the file. */
static const char *keep_name(struct rsd_object *o, struct rsd_bytes name, size_t *used)
{
	char *out = o->names + *used;

	if (name.len)
		memcpy(out, name.data, name.len);
	out[name.len] = '\0';
	*used += name.len + 1;
	return out;
}

static void skip_limits(struct rsd_cursor *c)
{
	uint8_t flags = rsd_cursor_u8(c);

	rsd_cursor_skip_leb(c);
	if (flags & 1)
		rsd_cursor_skip_leb(c);
}

/* How many functions are imported: they have the first indices. */
static size_t count_imports(struct rsd_bytes b)
{
	struct rsd_cursor c = rsd_cursor_at(b, 0, false);
	uint64_t nr = rsd_cursor_uleb(&c);
	size_t functions = 0;

	for (uint64_t i = 0; i < nr && !c.err; i++) {
		read_name(&c);
		read_name(&c);
		switch (rsd_cursor_u8(&c)) {
		case IMPORT_FUNCTION:
			functions++;
			rsd_cursor_skip_leb(&c);
			break;
		case IMPORT_TABLE:
			rsd_cursor_u8(&c);
			skip_limits(&c);
			break;
		case IMPORT_MEMORY:
			skip_limits(&c);
			break;
		case IMPORT_GLOBAL:
			rsd_cursor_skip(&c, 2);
			break;
		case IMPORT_TAG:
			rsd_cursor_u8(&c);
			rsd_cursor_skip_leb(&c);
			break;
		default:
			rsd_cursor_fail(&c);
		}
	}
	return functions;
}

/* A body is from its size on, as the subprograms' low_pc is, to the end of its instructions. */
static int add_bodies(struct rsd_object *o, struct rsd_bytes code)
{
	struct rsd_cursor c = rsd_cursor_at(code, 0, false);
	uint64_t nr = rsd_cursor_uleb(&c);
	int err = 0;

	for (uint64_t i = 0; i < nr && !err; i++) {
		uint64_t start = c.pos, len = rsd_cursor_uleb(&c);

		rsd_cursor_skip(&c, len);
		if (c.err)
			break;
		err = rsd_object_add_code(o, start, c.pos);
	}
	return err;
}

/* The function names of a "name" section, for indices that the module has. */
static int read_names(struct rsd_object *o, struct rsd_bytes b, size_t imports, size_t *used)
{
	struct rsd_cursor c = rsd_cursor_at(b, 0, false);

	o->nr_functions = imports + o->nr_code;
	o->function_name = rsd_calloc(o->nr_functions, sizeof(*o->function_name));
	if (!o->function_name)
		return RSD_ERR_NOMEM;
	while (rsd_cursor_left(&c)) {
		uint8_t id = rsd_cursor_u8(&c);
		struct rsd_cursor s = rsd_cursor_at(read_name(&c), 0, false);
		uint64_t nr = id == NAMES_FUNCTIONS ? rsd_cursor_uleb(&s) : 0;

		for (uint64_t i = 0; i < nr && !s.err; i++) {
			uint64_t k = rsd_cursor_uleb(&s);
			struct rsd_bytes name = read_name(&s);

			if (!s.err && name.len && k < o->nr_functions && !o->function_name[k])
				o->function_name[k] = keep_name(o, name, used);
		}
	}
	return 0;
}

static int add_custom(struct rsd_object *o, struct rsd_cursor *c, size_t *used)
{
	struct rsd_bytes name = read_name(c);
	struct rsd_section *s;

	if (c->err)
		return 0;
	s = rsd_object_add_section(o, keep_name(o, name, used));
	if (!s)
		return RSD_ERR_NOMEM;
	s->raw = rsd_cursor_bytes(c, rsd_cursor_left(c));
	if (strcmp(s->name, "build_id") == 0) {
		struct rsd_cursor id = rsd_cursor_at(s->raw, 0, false);

		o->build_id = read_name(&id);
	}
	return 0;
}

int rsd_wasm_fill(struct rsd_object *o, struct rsd_buf *why)
{
	struct rsd_cursor c = rsd_cursor_at(o->file, 8, false);
	size_t imports = 0, used = 0;
	int err = 0;

	o->addr_size = 4;
	/* Every name takes a byte for its length in the file, and one for its 0 here. Those of the name
	 * section come a second time. */
	o->names = rsd_malloc(2 * o->file.len);
	if (!o->names)
		return RSD_ERR_NOMEM;
	while (rsd_cursor_left(&c) && !err) {
		uint8_t id = rsd_cursor_u8(&c);
		uint64_t len = rsd_cursor_uleb(&c);
		size_t start = c.pos;
		struct rsd_bytes b = rsd_cursor_bytes(&c, len);
		struct rsd_cursor in = rsd_cursor_at(b, 0, false);

		if (c.err)
			return rsd_object_fail(o, why, RSD_ERR_FORMAT, "a section is cut off");
		if (id == SECTION_CUSTOM)
			err = add_custom(o, &in, &used);
		else if (id == SECTION_IMPORT && !imports)
			imports = count_imports(b);
		else if (id == SECTION_CODE && !o->nr_code) {
			o->code_start = start;
			err = add_bodies(o, b);
		}
	}
	return err ? err : read_names(o, rsd_object_section(o, "name"), imports, &used);
}

int rsd_wasm_symbols(
	const struct rsd_object *o, struct rsd_sym_entry **symbol, size_t *nr, size_t *alloc)
{
	for (size_t i = 0; i < o->nr_code; i++) {
		const char *name = o->function_name[o->nr_functions - o->nr_code + i];

		if (!name)
			continue;
		if (rsd_grow((void **)symbol, *nr + 1, alloc, sizeof(**symbol)))
			return RSD_ERR_NOMEM;
		(*symbol)[(*nr)++] =
			(struct rsd_sym_entry){ o->code[i].lo, o->code[i].hi, name, 0, NULL };
	}
	return 0;
}
