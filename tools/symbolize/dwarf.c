/* dwarf.c - see dwarf.h */
#include "dwarf.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "form.h"
#include "function.h"
#include "line.h"

#include "ranges.h"
#include "scope.h"
#include "util.h"

/* How many times the size of their sections tables may take, see dwarf.h. */
#define SPEND_FACTOR 16
#define SPEND_MIN ((uint64_t)1 << 20)

static const char *const section_name[RSD_DW_SECTIONS][2] = {
	[RSD_DW_INFO] = { ".debug_info", ".debug_info.dwo" },
	[RSD_DW_ABBREV] = { ".debug_abbrev", ".debug_abbrev.dwo" },
	[RSD_DW_LINE] = { ".debug_line", ".debug_line.dwo" },
	[RSD_DW_STR] = { ".debug_str", ".debug_str.dwo" },
	[RSD_DW_LINE_STR] = { ".debug_line_str", ".debug_line_str.dwo" },
	[RSD_DW_STR_OFFSETS] = { ".debug_str_offsets", ".debug_str_offsets.dwo" },
	[RSD_DW_ADDR] = { ".debug_addr", ".debug_addr" },
	[RSD_DW_RANGES] = { ".debug_ranges", ".debug_ranges" },
	[RSD_DW_RNGLISTS] = { ".debug_rnglists", ".debug_rnglists.dwo" },
};

/* What comes after the version; false where the header is malformed, or of a version not known. */
static bool read_header(struct rsd_cursor *c, struct rsd_unit *u)
{
	u->type = DW_UT_compile;
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version == 5) {
		u->type = rsd_cursor_u8(c);
		u->addr_size = rsd_cursor_u8(c);
		u->abbrev_offset = rsd_cursor_uint(c, u->offset_size);
	} else {
		u->abbrev_offset = rsd_cursor_uint(c, u->offset_size);
		u->addr_size = rsd_cursor_u8(c);
	}
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile) {
		u->dwo_id = rsd_cursor_uint(c, 8);
		u->has_dwo_id = true;
	} else if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
		rsd_cursor_skip(c, 8 + u->offset_size);
	}
	return !c->err && (u->addr_size == 2 || u->addr_size == 4 || u->addr_size == 8);
}

int rsd_dwarf_scan(struct rsd_dwarf *d)
{
	struct rsd_cursor c = rsd_cursor_at(d->section[RSD_DW_INFO], 0, d->big);

	while (rsd_cursor_left(&c)) {
		struct rsd_unit u = { .offset = c.pos };
		bool is64;
		uint64_t len = rsd_cursor_initial_length(&c, &is64);

		if (c.err || len > rsd_cursor_left(&c))
			break;
		u.end = c.pos + len;
		u.offset_size = is64 ? 8 : 4;
		u.version = (uint16_t)rsd_cursor_uint(&c, 2);
		u.broken = !read_header(&c, &u);
		u.die = c.pos;
		if (u.die > u.end)
			break;
		if (RSD_GROW(d->unit, d->nr + 1, d->alloc))
			return RSD_ERR_NOMEM;
		d->unit[d->nr++] = u;
		c.err = false;
		c.pos = (size_t)u.end;
	}
	for (size_t i = 0; i < d->nr; i++)
		d->unit[i].dwarf = d;
	return 0;
}

int rsd_dwarf_init(struct rsd_dwarf *d, struct rsd_object *o, bool dwo)
{
	*d = (struct rsd_dwarf){ .object = o, .big = o->big, .dwo = dwo };
	for (size_t i = 0; i < RSD_DW_SECTIONS; i++)
		d->section[i] = rsd_object_section(o, section_name[i][dwo]);
	return rsd_dwarf_scan(d);
}

static void free_map(struct rsd_map *m, bool lines)
{
	for (size_t i = 0; i < m->alloc; i++) {
		void *p = m->slot[i].used ? (void *)(uintptr_t)m->slot[i].value : NULL;

		if (lines)
			rsd_lines_free(p);
		else
			rsd_abbrevs_free(p);
	}
	rsd_map_release(m);
}

void rsd_dwarf_release(struct rsd_dwarf *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		rsd_functions_free(d->unit[i].functions);
		rsd_scopes_free(d->unit[i].scopes);
	}
	free(d->unit);
	free_map(&d->abbrevs, false);
	free_map(&d->lines, true);
	*d = (struct rsd_dwarf){ .object = NULL };
}

bool rsd_dwarf_spend(struct rsd_dwarf *d, uint64_t len)
{
	uint64_t limit = SPEND_MIN;

	for (size_t i = 0; i < RSD_DW_SECTIONS; i++)
		limit += SPEND_FACTOR * (uint64_t)d->section[i].len;
	if (d->spent > limit || len > limit - d->spent)
		return false;
	d->spent += len;
	return true;
}

struct rsd_unit *rsd_dwarf_unit_at(struct rsd_dwarf *d, uint64_t offset)
{
	size_t a = 0, b = d->nr;

	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (d->unit[mid].offset <= offset)
			a = mid + 1;
		else
			b = mid;
	}
	return a && offset < d->unit[a - 1].end ? &d->unit[a - 1] : NULL;
}

static int find_abbrevs(struct rsd_unit *u)
{
	struct rsd_dwarf *d = u->dwarf;
	uint64_t key = u->abbrev_offset << 1 | (u->version == 2);
	uint64_t *at = rsd_map_find(&d->abbrevs, key);
	struct rsd_abbrevs *a = NULL;
	size_t end;
	int err;

	if (!at) {
		err = rsd_abbrevs_parse(
			&a, d->section[RSD_DW_ABBREV], u->abbrev_offset, u->version == 2, &end);
		if (!err && !rsd_dwarf_spend(d, end - u->abbrev_offset)) {
			rsd_abbrevs_free(a);
			return RSD_ERR_FORMAT;
		}
		if (!err)
			err = rsd_map_set(&d->abbrevs, key, (uintptr_t)a);
		if (err) {
			rsd_abbrevs_free(a);
			return err;
		}
		at = rsd_map_find(&d->abbrevs, key);
	}
	u->abbrevs = (const struct rsd_abbrevs *)(uintptr_t)*at;
	return 0;
}

/* Where the unit's parts of tables begin if its root does not say. */
static void default_bases(struct rsd_unit *u)
{
	bool is64 = u->offset_size == 8;

	if (u->version < 5)
		return;
	u->str_offsets_base = is64 ? 16 : 8;
	u->addr_base = is64 ? 16 : 8;
	u->rnglists_base = is64 ? 20 : 12;
}

struct root {
	struct rsd_value name, comp_dir, dwo_name;
	struct rsd_pc pc;
};

/* Attributes that are numbers; false where it is another one. */
static bool take_number(struct rsd_unit *u, uint16_t name, const struct rsd_value *v)
{
	switch (name) {
	case DW_AT_stmt_list:
		u->stmt = v->u;
		u->has_stmt = true;
		return true;
	case DW_AT_language:
		u->language = (uint16_t)v->u;
		return true;
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->u;
		return true;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->u;
		return true;
	case DW_AT_rnglists_base:
		u->rnglists_base = v->u;
		return true;
	case DW_AT_GNU_ranges_base:
		u->gnu_ranges_base = v->u;
		return true;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v->u;
		u->has_dwo_id = true;
		return true;
	default:
		return false;
	}
}

static void take_attribute(
	struct rsd_unit *u, struct root *r, uint16_t name, const struct rsd_value *v)
{
	if (take_number(u, name, v) || rsd_pc_take(&r->pc, name, v))
		return;
	if (name == DW_AT_name)
		r->name = *v;
	else if (name == DW_AT_comp_dir)
		r->comp_dir = *v;
	else if (name == DW_AT_dwo_name || name == DW_AT_GNU_dwo_name)
		r->dwo_name = *v;
}

static int read_root(struct rsd_unit *u)
{
	struct rsd_cursor c = rsd_cursor_at(
		rsd_bytes_part(u->dwarf->section[RSD_DW_INFO], 0, u->end), u->die, u->dwarf->big);
	const struct rsd_abbrev *a;
	struct rsd_value v;
	struct root r = { .name = { 0 } };
	int err = find_abbrevs(u);

	if (err)
		return err;
	a = rsd_die_begin(&c, u);
	if (!a)
		return RSD_ERR_FORMAT;
	u->tag = a->tag;
	default_bases(u);
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct rsd_attr_spec *spec = &u->abbrevs->spec[a->first + i];

		if (!rsd_value_read(&c, u, spec, &v))
			return RSD_ERR_FORMAT;
		take_attribute(u, &r, spec->name, &v);
	}
	u->name = rsd_value_string(u, &r.name);
	u->comp_dir = rsd_value_string(u, &r.comp_dir);
	u->dwo_name = rsd_value_string(u, &r.dwo_name);
	u->pc = r.pc;
	if (!r.pc.has_low || !rsd_value_address(u, &r.pc.low, &u->low))
		u->low = 0;
	return 0;
}

int rsd_unit_root(struct rsd_unit *u)
{
	int err;

	if (u->root_read)
		return 0;
	if (u->broken)
		return RSD_ERR_FORMAT;
	err = read_root(u);
	u->root_read = !err;
	u->broken = err == RSD_ERR_FORMAT;
	return err;
}
