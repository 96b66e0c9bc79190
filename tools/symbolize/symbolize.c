/* symbolize.c - modules and their files; see symbolize.h */
#include "symbolizer.h"

#include <stdlib.h>
#include "util.h"

#define SYSTEM_ROOT "/usr/lib/debug"

static int add_root(struct rsd_roots *r, const char *dir)
{
	if (RSD_GROW(r->dir, r->nr + 1, r->alloc))
		return RSD_ERR_NOMEM;
	r->dir[r->nr] = rsd_strndup(dir, strlen(dir));
	return r->dir[r->nr++] ? 0 : RSD_ERR_NOMEM;
}

static int take_options(struct rsd_symbolizer *s, const struct rsd_sym_options *o)
{
	int err = 0;

	for (size_t i = 0; o && i < o->nr_debug_roots && !err; i++)
		err = add_root(&s->roots, o->debug_root[i]);
	s->prepared = o && o->prepared;
	s->mode = o ? o->mode : RSD_SYM_INTERP;
	return err ? err : add_root(&s->roots, SYSTEM_ROOT);
}

static bool has_dwarf(struct rsd_object *o)
{
	return rsd_object_section(o, ".debug_info").len > 0;
}

/* The files that belong to the module, and their sections. */
static int open_rest(struct rsd_symbolizer *s)
{
	struct rsd_object *o = s->module;
	int err;

	if (!has_dwarf(o)) {
		s->debug = rsd_locate_debug(&s->roots, o);
		if (s->debug)
			o = s->debug;
	}
	s->code = s->module->nr_code ? s->module : o;
	s->sup = rsd_locate_sup(&s->roots, o);
	err = rsd_dwarf_init(&s->dwarf, o, false);
	if (!err && s->sup)
		err = rsd_dwarf_init(&s->sup_dwarf, s->sup, false);
	if (!err && s->sup)
		s->dwarf.sup = &s->sup_dwarf;
	if (!err)
		err = rsd_splits_init(
			&s->splits, s->module->path, s->debug ? s->debug->path : NULL, s->prepared);
	return err;
}

static int finish_open(struct rsd_symbolizer **out, struct rsd_symbolizer *s, int err)
{
	if (!err)
		err = open_rest(s);
	if (err) {
		rsd_symbolizer_free(s);
		return err;
	}
	*out = s;
	return 0;
}

int rsd_symbolizer_open(struct rsd_symbolizer **out, const char *path,
	const struct rsd_sym_options *o, struct rsd_buf *why)
{
	struct rsd_symbolizer *s = rsd_calloc(1, sizeof(*s));
	int err = s ? take_options(s, o) : RSD_ERR_NOMEM;

	if (!err)
		err = rsd_object_open(&s->module, path, why);
	return finish_open(out, s, err);
}

int rsd_symbolizer_open_bytes(struct rsd_symbolizer **out, const char *path, const void *data,
	size_t len, const struct rsd_sym_options *o, struct rsd_buf *why)
{
	struct rsd_symbolizer *s = rsd_calloc(1, sizeof(*s));
	int err = s ? take_options(s, o) : RSD_ERR_NOMEM;

	if (!err)
		err = rsd_object_from_bytes(
			&s->module, path, (struct rsd_bytes){ data, len }, NULL, why);
	return finish_open(out, s, err);
}

void rsd_symbolizer_free(struct rsd_symbolizer *s)
{
	if (!s)
		return;
	rsd_splits_release(&s->splits);
	rsd_dwarf_release(&s->dwarf);
	rsd_dwarf_release(&s->sup_dwarf);
	rsd_symtab_release(&s->symbols);
	rsd_names_release(&s->names);
	rsd_object_free(s->minidebug);
	rsd_object_free(s->sup);
	rsd_object_free(s->debug);
	rsd_object_free(s->module);
	for (size_t i = 0; i < s->roots.nr; i++)
		free(s->roots.dir[i]);
	free(s->roots.dir);
	free(s->index);
	free(s->candidate);
	free(s->frame);
	free(s->chain);
	free(s->want);
	free(s->extra);
	free(s);
}

static bool has_symbols(const struct rsd_object *o)
{
	return o && rsd_object_find(o, ".symtab") != NULL;
}

/* Minimal debug information is looked for with the symbols, which a look-up that finds no more reads. */
bool rsd_symbolizer_is_stripped(const struct rsd_symbolizer *s)
{
	return s->module->kind == RSD_OBJECT_ELF && !s->dwarf.nr && !s->minidebug &&
	       !has_symbols(s->module) && !has_symbols(s->debug);
}

const unsigned char *rsd_symbolizer_build_id(const struct rsd_symbolizer *s, size_t *len)
{
	*len = s->module->build_id.len;
	return *len ? s->module->build_id.data : NULL;
}

int rsd_symbolizer_address_size(const struct rsd_symbolizer *s)
{
	return s->module->addr_size;
}

bool rsd_symbolizer_section(const struct rsd_symbolizer *s, const char *name, uint64_t *offset)
{
	const struct rsd_section *section = rsd_object_find(s->module, name);

	if (section)
		*offset = section->addr;
	return section != NULL;
}

size_t rsd_symbolizer_units_for(
	struct rsd_symbolizer *s, uint64_t offset, const struct rsd_sym_extra **extra)
{
	size_t nr = 0, alloc = s->alloc_want;
	int err = rsd_symbolizer_candidates(s, offset);

	for (size_t i = 0; i < s->nr_candidates && !err; i++) {
		if (rsd_unit_is_skeleton(s->candidate[i].unit))
			err = rsd_split_wants(
				&s->splits, s->candidate[i].unit, &s->want, &nr, &alloc);
	}
	s->alloc_want = alloc;
	if (err || RSD_GROW(s->extra, nr, s->alloc_extra))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		struct rsd_extra_file *f = s->splits.file[s->want[i]];

		s->extra[i] = (struct rsd_sym_extra){ f->kind, s->want[i],
			(const char *const *)f->path, f->nr_paths, 0 };
	}
	for (size_t i = 0; i < s->nr_candidates; i++) {
		const struct rsd_unit *u = s->candidate[i].unit;

		for (size_t k = 0; u->split && k < nr; k++) {
			if (s->splits.file[s->want[k]] == u->split->file)
				s->extra[k].dwo_id = u->dwo_id;
		}
	}
	*extra = s->extra;
	return nr;
}

int rsd_symbolizer_provide(struct rsd_symbolizer *s, size_t id, const void *data, size_t len)
{
	return rsd_split_provide(&s->splits, id, (struct rsd_bytes){ data, len });
}
