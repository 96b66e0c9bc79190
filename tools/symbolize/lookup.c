/* lookup.c - from an address to frames; see symbolize.h */
#include "symbolizer.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "util.h"

/* ---- which units claim an address ---------------------------------------------------------------- */
static int add_claim(struct rsd_symbolizer *s, struct rsd_unit *u, uint64_t lo, uint64_t hi)
{
	if (!rsd_object_is_code(s->code, lo, hi))
		return 0;
	if (RSD_GROW(s->index, s->nr_index + 1, s->alloc_index))
		return RSD_ERR_NOMEM;
	s->index[s->nr_index++] = (struct rsd_unit_range){ lo, hi, hi, u };
	return 0;
}

/* A unit that does not say where its code is (strict DWARF 2): its functions do. */
static int add_functions(struct rsd_symbolizer *s, struct rsd_unit *u)
{
	const struct rsd_functions *f = rsd_unit_functions(u, s->code);
	int err = 0;

	for (size_t i = 0; f && i < f->nr_index && !err; i++)
		err = add_claim(s, u, f->index[i].lo, f->index[i].hi);
	return err;
}

static int add_unit(struct rsd_symbolizer *s, struct rsd_unit *u, struct rsd_ranges *ranges)
{
	int err = 0;

	if (u->type != DW_UT_compile && u->type != DW_UT_skeleton)
		return 0;
	ranges->nr = 0;
	err = rsd_unit_ranges(u, ranges);
	if (err == RSD_ERR_FORMAT)
		err = 0; /* the other units are none the worse */
	if (u->broken || u->tag == DW_TAG_partial_unit)
		return err;
	if (!err && !u->pc.has_ranges && !(u->pc.has_low && u->pc.has_high) &&
		!rsd_unit_is_skeleton(u))
		err = add_functions(s, u);
	for (size_t i = 0; i < ranges->nr && !err; i++)
		err = add_claim(s, u, ranges->range[i].lo, ranges->range[i].hi);
	return err;
}

static int by_lo(const void *a, const void *b)
{
	const struct rsd_unit_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static int make_index(struct rsd_symbolizer *s)
{
	struct rsd_ranges ranges = RSD_SYM_RANGES_INIT;
	int err = 0;

	for (size_t i = 0; i < s->dwarf.nr && !err; i++)
		err = add_unit(s, &s->dwarf.unit[i], &ranges);
	free(ranges.range);
	if (err) {
		s->nr_index = 0;
		return err;
	}
	if (s->nr_index)
		qsort(s->index, s->nr_index, sizeof(*s->index), by_lo);
	for (size_t i = 1; i < s->nr_index; i++) {
		if (s->index[i - 1].max_hi > s->index[i].max_hi)
			s->index[i].max_hi = s->index[i - 1].max_hi;
	}
	s->indexed = true;
	return 0;
}

static int add_candidate(struct rsd_symbolizer *s, struct rsd_unit *u, uint64_t width)
{
	size_t i = 0;

	while (i < s->nr_candidates && s->candidate[i].unit != u)
		i++;
	if (i == s->nr_candidates) {
		if (RSD_GROW(s->candidate, i + 1, s->alloc_candidates))
			return RSD_ERR_NOMEM;
		s->nr_candidates++;
	} else if (s->candidate[i].width <= width) {
		return 0;
	}
	for (; i > 0 && s->candidate[i - 1].width > width; i--)
		s->candidate[i] = s->candidate[i - 1];
	s->candidate[i] = (struct rsd_candidate){ u, width };
	return 0;
}

static int find_candidates(struct rsd_symbolizer *s, uint64_t addr)
{
	size_t a = 0, b;
	int err = s->indexed ? 0 : make_index(s);

	s->nr_candidates = 0;
	b = s->nr_index;
	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (s->index[mid].lo <= addr)
			a = mid + 1;
		else
			b = mid;
	}
	for (; a > 0 && s->index[a - 1].max_hi > addr && !err; a--) {
		const struct rsd_unit_range *r = &s->index[a - 1];

		if (addr < r->hi)
			err = add_candidate(s, r->unit, r->hi - r->lo);
	}
	return err;
}

/* ---- offsets -------------------------------------------------------------------------------------- */
/* The address that the debug information has for an offset; false where offsets mean nothing. */
static bool address_of(const struct rsd_symbolizer *s, uint64_t offset, uint64_t *addr)
{
	const struct rsd_object *o = s->module;

	*addr = offset;
	if (o->kind != RSD_OBJECT_WASM || s->mode == RSD_SYM_AOT)
		return true;
	/* The interpreter's ip is past the opcode; 0 is a trap at the function's entry. */
	if (s->mode == RSD_SYM_FAST_INTERP || offset <= o->code_start)
		return false;
	*addr = offset - o->code_start - 1;
	return true;
}

int rsd_symbolizer_candidates(struct rsd_symbolizer *s, uint64_t offset)
{
	uint64_t addr;

	s->nr_candidates = 0;
	return address_of(s, offset, &addr) ? find_candidates(s, addr) : 0;
}

/* ---- frames --------------------------------------------------------------------------------------- */
static int read_symbols(struct rsd_symbolizer *s)
{
	int err = 0;

	if (s->symbols_read)
		return 0;
	if (s->debug)
		err = rsd_symtab_add(&s->symbols, s->debug);
	if (!err && !s->symbols.nr) {
		err = rsd_symtab_add(&s->symbols, s->module);
		s->minidebug = rsd_locate_minidebug(s->module);
		if (!err && s->minidebug)
			err = rsd_symtab_add(&s->symbols, s->minidebug);
	}
	if (!err)
		err = rsd_symtab_sort(&s->symbols);
	s->symbols_read = !err;
	if (err)
		s->symbols.nr = 0;
	return err;
}

/* A claim looked into: the unit, the one that has its DIEs, and the function there. */
struct place {
	struct rsd_unit *unit, *body;
	struct rsd_functions *functions;
	uint32_t function; /* or RSD_NO_FUNCTION */
	const char *missing;
};

static int look_into(struct rsd_symbolizer *s, struct rsd_unit *u, uint64_t addr, struct place *p)
{
	uint64_t width;
	int err;

	*p = (struct place){ u, u, NULL, RSD_NO_FUNCTION, NULL };
	if (rsd_unit_is_skeleton(u)) {
		err = rsd_split_unit(&s->splits, u, &p->body);
		if (err)
			return err;
		if (!p->body) {
			p->missing = u->split->missing;
			p->body = u; /* which may have inlined calls, with -fsplit-dwarf-inlining */
		}
	}
	p->functions = rsd_unit_functions(p->body, s->code);
	if (p->functions)
		p->function = rsd_functions_find(p->functions, addr, &width);
	return 0;
}

static int add_frame(struct rsd_symbolizer *s, struct rsd_sym_result *r, struct rsd_sym_frame f)
{
	if (RSD_GROW(s->frame, r->nr + 1, s->alloc_frames))
		return RSD_ERR_NOMEM;
	s->frame[r->nr++] = f;
	r->frame = s->frame;
	return 0;
}

/* File, line and column of the address itself. */
static const struct rsd_line_row *put_line(
	struct rsd_symbolizer *s, struct rsd_unit *u, uint64_t addr, struct rsd_sym_frame *f)
{
	struct rsd_lines *l = rsd_unit_lines(u, s->code);
	const struct rsd_line_row *row = l ? rsd_lines_find(l, addr) : NULL;

	if (!row)
		return NULL;
	f->file = rsd_lines_path(l, u, row->file);
	f->line = row->line;
	f->column = row->column;
	f->discriminator = row->discriminator;
	return row;
}

/* Names the frame by a symbol. 0 or RSD_ERR_NOMEM. */
static int name_frame(struct rsd_symbolizer *s, const char *linkage, struct rsd_sym_frame *f)
{
	f->linkage = linkage;
	f->function = rsd_demangle(&s->names, linkage);
	return f->function ? 0 : RSD_ERR_NOMEM;
}

/*
 * The name of a subprogram whose DIE, or what its DIE refers to, does not tell it (as with gcc's LTO
 * of split DWARF): the symbol's, if there is no other at this place.
 */
static int name_by_symbol(struct rsd_symbolizer *s, uint64_t addr, struct rsd_sym_frame *f)
{
	const struct rsd_sym_entry *y;
	bool ambiguous;
	int err = read_symbols(s);

	if (err)
		return err;
	y = rsd_symtab_find(&s->symbols, addr, &ambiguous);
	return y && !ambiguous ? name_frame(s, y->name, f) : 0;
}

/* The frame of function 'k' at 'addr', the place in the source being in 'f' already. */
static int add_function(struct rsd_symbolizer *s, const struct place *p, uint32_t k, uint64_t addr,
	struct rsd_sym_frame f, struct rsd_sym_result *r)
{
	struct rsd_function *fn = &p->functions->function[k];
	int err = rsd_function_names(&s->names, p->body, fn);

	f.function = fn->name;
	f.linkage = fn->linkage;
	if (!err && !f.function && !f.linkage && !fn->inlined)
		err = name_by_symbol(s, addr, &f);
	return err ? err : add_frame(s, r, f);
}

static int put_chain(
	struct rsd_symbolizer *s, const struct place *p, uint64_t addr, struct rsd_sym_result *r)
{
	struct rsd_lines *calls = rsd_unit_lines(p->body, s->code);
	struct rsd_sym_frame f = { .line = 0 };
	size_t nr = 0;
	int err = 0;

	for (uint32_t k = p->function; k != RSD_NO_FUNCTION && !err;
		k = rsd_functions_inlined(p->functions, k, addr)) {
		err = RSD_GROW(s->chain, nr + 1, s->alloc_chain);
		if (!err)
			s->chain[nr++] = k;
	}
	put_line(s, p->unit, addr, &f);
	while (nr-- > 0 && !err) {
		const struct rsd_function *fn = &p->functions->function[s->chain[nr]];

		err = add_function(s, p, s->chain[nr], addr, f, r);
		f = (struct rsd_sym_frame){ .line = fn->call_line, .column = fn->call_column };
		if (calls)
			f.file = rsd_lines_path(calls, p->body, fn->call_file);
	}
	r->origin = RSD_SYM_FUNCTION;
	return err;
}

/*
 * No function is known: the symbol, and the line if there is one. A row that starts before the
 * symbol is another function's (of assembly there are no rows).
 */
static int put_symbol(struct rsd_symbolizer *s, uint64_t addr, struct rsd_sym_result *r)
{
	struct rsd_sym_frame f = { .line = 0 };
	const struct rsd_sym_entry *y;
	const struct rsd_line_row *row = NULL;
	bool ambiguous;
	int err = read_symbols(s);

	if (err)
		return err;
	y = rsd_symtab_find(&s->symbols, addr, &ambiguous);
	for (size_t i = 0; i < s->nr_candidates && !row; i++) {
		row = put_line(s, s->candidate[i].unit, addr, &f);
		if (row && y && row->addr < y->lo) {
			row = NULL;
			f = (struct rsd_sym_frame){ .line = 0 };
		}
	}
	if (y && !(row && ambiguous)) {
		if (!row)
			f.file = y->file;
		if (name_frame(s, y->name, &f))
			return RSD_ERR_NOMEM;
	}
	if (!row && !f.function)
		return 0;
	r->origin = row ? RSD_SYM_LINE : RSD_SYM_SYMBOL;
	return add_frame(s, r, f);
}

int rsd_symbolizer_lookup(struct rsd_symbolizer *s, uint64_t offset, struct rsd_sym_result *out)
{
	struct place p = { .function = RSD_NO_FUNCTION };
	uint64_t addr;
	int err;

	*out = (struct rsd_sym_result){ NULL, 0, RSD_SYM_NOTHING, NULL };
	if (!address_of(s, offset, &addr))
		return 0;
	err = find_candidates(s, addr);
	for (size_t i = 0; i < s->nr_candidates && !err; i++) {
		err = look_into(s, s->candidate[i].unit, addr, &p);
		if (p.missing && !out->missing)
			out->missing = p.missing;
		if (!err && p.function != RSD_NO_FUNCTION) {
			out->missing = p.missing;
			return put_chain(s, &p, addr, out);
		}
	}
	return err ? err : put_symbol(s, addr, out);
}

int rsd_symbolizer_by_index(struct rsd_symbolizer *s, uint64_t index, struct rsd_sym_result *out)
{
	const struct rsd_object *o = s->module;
	struct rsd_sym_frame f = { .line = 0 };

	*out = (struct rsd_sym_result){ NULL, 0, RSD_SYM_NOTHING, NULL };
	if (index >= o->nr_functions || !o->function_name[index])
		return 0;
	if (name_frame(s, o->function_name[index], &f))
		return RSD_ERR_NOMEM;
	out->origin = RSD_SYM_SYMBOL;
	return add_frame(s, out, f);
}
