/* line.c - see line.h */
#include "line.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "form.h"
#include "locate.h"
#include "util.h"

/* What the header of a program says to the machine that runs it. */
struct program {
	struct rsd_cursor c; /* stands at the opcodes, ends at the program's end */
	uint8_t min_inst, max_ops, line_range, opcode_base, addr_size;
	int8_t line_base;
	struct rsd_bytes operands; /* how many each standard opcode has */
};

struct state {
	uint64_t addr, op_index, file, column, discriminator;
	uint64_t line; /* modulo 2^64, as advances may be negative */
};

void rsd_lines_free(struct rsd_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr_files; i++)
		free(l->file[i].path);
	free(l->dir);
	free(l->file);
	free(l->row);
	free(l->sequence);
	free(l);
}

static int add_dir(struct rsd_lines *l, const char *name)
{
	if (RSD_GROW(l->dir, l->nr_dirs + 1, l->alloc_dirs))
		return RSD_ERR_NOMEM;
	l->dir[l->nr_dirs++] = name;
	return 0;
}

static int add_file(struct rsd_lines *l, const char *name, uint64_t dir)
{
	if (RSD_GROW(l->file, l->nr_files + 1, l->alloc_files))
		return RSD_ERR_NOMEM;
	l->file[l->nr_files++] = (struct rsd_line_file){ name, dir, NULL };
	return 0;
}

/* Folders and files before version 5: strings, an empty one at the end. */
static int old_tables(struct rsd_lines *l, struct rsd_cursor *c)
{
	const char *s;
	int err = 0;

	while (!err && (s = rsd_cursor_str(c)) != NULL && *s)
		err = add_dir(l, s);
	while (!err && (s = rsd_cursor_str(c)) != NULL && *s) {
		uint64_t dir = rsd_cursor_uleb(c);

		rsd_cursor_skip_leb(c);
		rsd_cursor_skip_leb(c);
		err = add_file(l, s, dir);
	}
	return err ? err : c->err ? RSD_ERR_FORMAT : 0;
}

/* One table of version 5: a description of its entries, then these. */
static int new_table(
	struct rsd_lines *l, const struct rsd_unit *u, struct rsd_cursor *c, bool files)
{
	size_t nr_formats = rsd_cursor_u8(c);
	struct rsd_cursor formats = *c;
	uint64_t nr;
	int err = 0;

	for (size_t i = 0; i < 2 * nr_formats; i++)
		rsd_cursor_skip_leb(c);
	nr = rsd_cursor_uleb(c);
	/* Entries of no bytes could be any number. */
	if (c->err || nr > rsd_cursor_left(c))
		return RSD_ERR_FORMAT;
	for (uint64_t k = 0; k < nr && !err; k++) {
		struct rsd_cursor f = formats;
		const char *name = NULL;
		uint64_t dir = 0;

		for (size_t i = 0; i < nr_formats; i++) {
			uint64_t content = rsd_cursor_uleb(&f), form = rsd_cursor_uleb(&f);
			struct rsd_attr_spec spec = { 0, form > UINT16_MAX ? 0 : (uint16_t)form,
				0 };
			struct rsd_value v;

			if (!rsd_value_read(c, u, &spec, &v))
				return RSD_ERR_FORMAT;
			if (content == DW_LNCT_path)
				name = rsd_value_string(u, &v);
			else if (content == DW_LNCT_directory_index)
				dir = v.u;
		}
		err = files ? add_file(l, name, dir) : add_dir(l, name);
	}
	return err;
}

/* Leaves 'p' at the program. The unit given is only for the forms of version 5's tables. */
static int read_header(
	struct rsd_lines *l, const struct rsd_unit *u, uint64_t at, struct program *p)
{
	struct rsd_bytes section = u->dwarf->section[RSD_DW_LINE];
	struct rsd_cursor c = rsd_cursor_at(section, at, u->dwarf->big);
	struct rsd_unit forms = *u;
	bool is64;
	uint64_t len = rsd_cursor_initial_length(&c, &is64), header_len, start;
	int err;

	if (c.err || len > rsd_cursor_left(&c))
		return RSD_ERR_FORMAT;
	c.len = c.pos + (size_t)len;
	l->version = (uint16_t)rsd_cursor_uint(&c, 2);
	if (l->version < 2 || l->version > 5)
		return RSD_ERR_FORMAT;
	p->addr_size = u->addr_size;
	if (l->version == 5) {
		p->addr_size = rsd_cursor_u8(&c);
		rsd_cursor_u8(&c); /* of segment selectors */
	}
	forms.offset_size = is64 ? 8 : 4;
	forms.addr_size = p->addr_size;
	header_len = rsd_cursor_uint(&c, forms.offset_size);
	if (header_len > rsd_cursor_left(&c))
		return RSD_ERR_FORMAT;
	start = c.pos + header_len;
	p->min_inst = rsd_cursor_u8(&c);
	p->max_ops = l->version >= 4 ? rsd_cursor_u8(&c) : 1;
	rsd_cursor_u8(&c); /* default_is_stmt */
	p->line_base = (int8_t)rsd_cursor_u8(&c);
	p->line_range = rsd_cursor_u8(&c);
	p->opcode_base = rsd_cursor_u8(&c);
	p->operands = rsd_cursor_bytes(&c, p->opcode_base ? p->opcode_base - 1u : 0);
	if (c.err)
		return RSD_ERR_FORMAT;
	err = l->version < 5 ? old_tables(l, &c) : new_table(l, &forms, &c, false);
	if (!err && l->version == 5)
		err = new_table(l, &forms, &c, true);
	p->c = c;
	p->c.pos = (size_t)start;
	p->c.err = false;
	return err;
}

static void advance(const struct program *p, struct state *s, uint64_t ops)
{
	if (p->max_ops <= 1) {
		s->addr += p->min_inst * ops;
		return;
	}
	s->addr += p->min_inst * ((s->op_index + ops) / p->max_ops);
	s->op_index = (s->op_index + ops) % p->max_ops;
}

static int add_row(struct rsd_lines *l, struct state *s)
{
	struct rsd_line_row row = { s->addr, s->file > UINT32_MAX ? 0 : (uint32_t)s->file,
		s->line > UINT32_MAX ? 0 : (uint32_t)s->line,
		s->column > UINT16_MAX ? 0 : (uint16_t)s->column,
		s->discriminator > UINT16_MAX ? 0 : (uint16_t)s->discriminator };

	s->discriminator = 0;
	if (RSD_GROW(l->row, l->nr_rows + 1, l->alloc_rows))
		return RSD_ERR_NOMEM;
	l->row[l->nr_rows++] = row;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct rsd_line_row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The rows from 'first' on are a sequence that ends at 'hi': kept where it is code. */
static int end_sequence(
	struct rsd_lines *l, size_t first, uint64_t hi, const struct rsd_object *code)
{
	bool sorted = true;

	for (size_t i = first + 1; i < l->nr_rows && sorted; i++)
		sorted = l->row[i].addr >= l->row[i - 1].addr;
	if (!sorted)
		qsort(l->row + first, l->nr_rows - first, sizeof(*l->row), by_addr);
	if (l->nr_rows == first || l->row[l->nr_rows - 1].addr > hi ||
		!rsd_object_is_code(code, l->row[first].addr, hi)) {
		l->nr_rows = first;
		return 0;
	}
	if (RSD_GROW(l->sequence, l->nr_sequences + 1, l->alloc_sequences))
		return RSD_ERR_NOMEM;
	l->sequence[l->nr_sequences++] =
		(struct rsd_line_sequence){ l->row[first].addr, hi, hi, first, l->nr_rows - first };
	return 0;
}

static void reset(struct state *s)
{
	/* The file starts at 1 in version 5, too, though that counts from 0. */
	*s = (struct state){ .file = 1, .line = 1 };
}

static int extended(struct rsd_lines *l, struct program *p, struct state *s, size_t *first,
	const struct rsd_object *code)
{
	uint64_t len = rsd_cursor_uleb(&p->c), dir;
	size_t start = p->c.pos;
	const char *name;
	int err = 0;

	if (!len || len > rsd_cursor_left(&p->c)) {
		rsd_cursor_fail(&p->c);
		return 0;
	}
	switch (rsd_cursor_u8(&p->c)) {
	case DW_LNE_end_sequence:
		err = end_sequence(l, *first, s->addr, code);
		*first = l->nr_rows;
		reset(s);
		break;
	case DW_LNE_set_address:
		s->addr = rsd_cursor_uint(&p->c, len - 1 > 8 ? 0 : (unsigned int)len - 1);
		s->op_index = 0;
		break;
	case DW_LNE_define_file:
		name = rsd_cursor_str(&p->c);
		dir = rsd_cursor_uleb(&p->c);
		if (name && !p->c.err)
			err = add_file(l, name, dir);
		break;
	case DW_LNE_set_discriminator:
		s->discriminator = rsd_cursor_uleb(&p->c);
		break;
	default:
		break;
	}
	if (!p->c.err)
		p->c.pos = start + (size_t)len;
	return err;
}

static int standard(struct rsd_lines *l, struct program *p, struct state *s, uint8_t op)
{
	switch (op) {
	case DW_LNS_copy:
		return add_row(l, s);
	case DW_LNS_advance_pc:
		advance(p, s, rsd_cursor_uleb(&p->c));
		return 0;
	case DW_LNS_advance_line:
		s->line = (uint64_t)((int64_t)(s->line + (uint64_t)rsd_cursor_sleb(&p->c)));
		return 0;
	case DW_LNS_set_file:
		s->file = rsd_cursor_uleb(&p->c);
		return 0;
	case DW_LNS_set_column:
		s->column = rsd_cursor_uleb(&p->c);
		return 0;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
		return 0;
	case DW_LNS_const_add_pc:
		if (p->line_range)
			advance(p, s, (255u - p->opcode_base) / p->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		s->addr += rsd_cursor_uint(&p->c, 2);
		s->op_index = 0;
		return 0;
	default:
		for (uint8_t i = 0; i < p->operands.data[op - 1]; i++)
			rsd_cursor_skip_leb(&p->c);
		return 0;
	}
}

static int run(struct rsd_lines *l, struct program *p, const struct rsd_object *code)
{
	struct state s;
	size_t first = 0;
	int err = 0;

	reset(&s);
	while (!err && rsd_cursor_left(&p->c)) {
		uint8_t op = rsd_cursor_u8(&p->c);

		if (op == 0) {
			err = extended(l, p, &s, &first, code);
		} else if (op < p->opcode_base) {
			err = standard(l, p, &s, op);
		} else if (p->line_range) {
			uint8_t adjusted = (uint8_t)(op - p->opcode_base);

			advance(p, &s, adjusted / p->line_range);
			s.line += (uint64_t)(int64_t)(p->line_base + adjusted % p->line_range);
			err = add_row(l, &s);
		} else {
			break;
		}
	}
	l->nr_rows = first; /* a sequence without an end */
	return err;
}

static int by_sequence(const void *a, const void *b)
{
	const struct rsd_line_sequence *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->hi < y->hi ? -1 : x->hi > y->hi;
}

static int parse(
	struct rsd_lines **out, struct rsd_unit *u, uint64_t at, const struct rsd_object *code)
{
	struct program p = { .min_inst = 0 };
	struct rsd_lines *l = rsd_calloc(1, sizeof(*l));
	int err = l ? read_header(l, u, at, &p) : RSD_ERR_NOMEM;

	if (!err && !rsd_dwarf_spend(u->dwarf, p.c.len - at))
		err = RSD_ERR_FORMAT;
	if (!err)
		err = run(l, &p, code);
	if (err) {
		rsd_lines_free(l);
		return err;
	}
	if (l->nr_sequences)
		qsort(l->sequence, l->nr_sequences, sizeof(*l->sequence), by_sequence);
	for (size_t i = 1; i < l->nr_sequences; i++) {
		if (l->sequence[i - 1].max_hi > l->sequence[i].max_hi)
			l->sequence[i].max_hi = l->sequence[i - 1].max_hi;
	}
	*out = l;
	return 0;
}

struct rsd_lines *rsd_unit_lines(struct rsd_unit *u, const struct rsd_object *code)
{
	struct rsd_lines *l = NULL;
	uint64_t *at;

	if (!u->has_stmt)
		return u->skeleton ? rsd_unit_lines(u->skeleton, code) : NULL;
	at = rsd_map_find(&u->dwarf->lines, u->stmt);
	if (at)
		return (struct rsd_lines *)(uintptr_t)*at;
	if (parse(&l, u, u->stmt, code))
		l = NULL; /* which is remembered, too */
	if (rsd_map_set(&u->dwarf->lines, u->stmt, (uintptr_t)l)) {
		rsd_lines_free(l);
		return NULL;
	}
	return l;
}

static const struct rsd_line_row *find_row(
	const struct rsd_lines *l, const struct rsd_line_sequence *s, uint64_t addr)
{
	const struct rsd_line_row *row = l->row + s->first;
	size_t a = 0, b = s->nr;

	while (a < b) { /* the first row after addr */
		size_t mid = a + (b - a) / 2;

		if (row[mid].addr <= addr)
			a = mid + 1;
		else
			b = mid;
	}
	return a ? &row[a - 1] : NULL;
}

const struct rsd_line_row *rsd_lines_find(const struct rsd_lines *l, uint64_t addr)
{
	const struct rsd_line_sequence *best = NULL;
	size_t a = 0, b = l->nr_sequences;

	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (l->sequence[mid].lo <= addr)
			a = mid + 1;
		else
			b = mid;
	}
	for (; a > 0 && l->sequence[a - 1].max_hi > addr; a--) {
		const struct rsd_line_sequence *s = &l->sequence[a - 1];

		if (addr < s->hi && (!best || s->hi - s->lo < best->hi - best->lo))
			best = s;
	}
	return best ? find_row(l, best, addr) : NULL;
}

static char *put_together(
	const struct rsd_lines *l, const struct rsd_unit *u, struct rsd_line_file *f)
{
	const char *comp_dir = u->comp_dir ? u->comp_dir : "";
	uint64_t k = l->version < 5 ? f->dir - 1 : f->dir;
	const char *dir = k < l->nr_dirs ? l->dir[k] : NULL;
	char *whole, *path;

	if (l->version < 5 && !f->dir)
		dir = comp_dir;
	if (!dir)
		return rsd_strndup(f->name, strlen(f->name));
	if (l->version >= 5 && f->dir && l->nr_dirs && l->dir[0])
		comp_dir = l->dir[0];
	if (l->version >= 5 && !f->dir)
		comp_dir = "";
	/* gcc gives the compilation's folder again as entry 1: where that is relative (mapped by
	 * -ffile-prefix-map), it is not in itself. */
	whole = strcmp(dir, comp_dir) == 0 ? rsd_strndup(dir, strlen(dir))
					   : rsd_path_join(comp_dir, dir);
	path = whole ? rsd_path_join(whole, f->name) : NULL;
	free(whole);
	return path;
}

const char *rsd_lines_path(struct rsd_lines *l, const struct rsd_unit *u, uint64_t file)
{
	uint64_t k = l->version < 5 ? file - 1 : file;
	struct rsd_line_file *f = k < l->nr_files ? &l->file[k] : NULL;

	if (!f || !f->name)
		return NULL;
	if (!f->path)
		f->path = put_together(l, u->skeleton ? u->skeleton : u, f);
	return f->path;
}
