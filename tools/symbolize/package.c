/* package.c - see package.h */
#include "package.h"

#include "util.h"

/* Columns of the index, by version. */
enum {
	COLUMN_INFO = 1,
	COLUMN_ABBREV = 3,
	COLUMN_LINE = 4,
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8
};

struct index {
	struct rsd_bytes b;
	bool big;
	uint32_t version, columns, units, slots;
	uint64_t ids, rows, header, offsets, sizes; /* where the tables begin */
};

static uint64_t number(const struct index *x, uint64_t at, unsigned int size)
{
	struct rsd_cursor c = rsd_cursor_at(x->b, at, x->big);

	return rsd_cursor_uint(&c, size);
}

static bool open_index(struct index *x, struct rsd_dwarf *d)
{
	struct rsd_cursor c;
	uint64_t cells;

	x->b = rsd_object_section(d->object, ".debug_cu_index");
	x->big = d->big;
	c = rsd_cursor_at(x->b, 0, d->big);
	/* Version 5 has 2 bytes of version and 2 of padding, version 2 has 4. */
	x->version = (uint32_t)rsd_cursor_uint(&c, 4);
	if (x->version != 2)
		x->version = (uint32_t)number(x, 0, 2);
	x->columns = (uint32_t)rsd_cursor_uint(&c, 4);
	x->units = (uint32_t)rsd_cursor_uint(&c, 4);
	x->slots = (uint32_t)rsd_cursor_uint(&c, 4);
	if (c.err || (x->version != 2 && x->version != 5))
		return false;
	cells = (uint64_t)x->columns * x->units;
	x->ids = c.pos;
	x->rows = x->ids + 8 * (uint64_t)x->slots;
	x->header = x->rows + 4 * (uint64_t)x->slots;
	x->offsets = x->header + 4 * (uint64_t)x->columns;
	if (!x->slots || x->columns > 64 || cells > x->b.len / 8)
		return false;
	x->sizes = x->offsets + 4 * cells;
	return x->sizes + 4 * cells <= x->b.len;
}

/* The row of a unit, from 1; 0 where it is not there. */
static uint32_t find_row(const struct index *x, uint64_t id)
{
	uint64_t slot = id % x->slots, step;

	if (x->slots & (x->slots - 1)) /* the hash is for powers of two only: search */
		slot = 0;
	step = x->slots & (x->slots - 1) ? 1 : ((id >> 32) & (x->slots - 1)) | 1;
	for (uint32_t i = 0; i < x->slots; i++) {
		uint32_t row = (uint32_t)number(x, x->rows + 4 * slot, 4);

		if (row && number(x, x->ids + 8 * slot, 8) == id)
			return row <= x->units ? row : 0;
		if (!row && step != 1)
			return 0;
		slot = (slot + step) % x->slots;
	}
	return 0;
}

static struct rsd_bytes *column(const struct index *x, struct rsd_dwarf *view, uint64_t kind)
{
	switch (kind) {
	case COLUMN_INFO:
		return &view->section[RSD_DW_INFO];
	case COLUMN_ABBREV:
		return &view->section[RSD_DW_ABBREV];
	case COLUMN_LINE:
		return &view->section[RSD_DW_LINE];
	case COLUMN_STR_OFFSETS:
		return &view->section[RSD_DW_STR_OFFSETS];
	case COLUMN_RNGLISTS: /* in version 2 this is .debug_macro */
		return x->version == 5 ? &view->section[RSD_DW_RNGLISTS] : NULL;
	default:
		return NULL;
	}
}

bool rsd_package_find(struct rsd_dwarf *d, uint64_t id, struct rsd_dwarf *view)
{
	struct index x;
	uint32_t row;

	if (!open_index(&x, d) || !(row = find_row(&x, id)))
		return false;
	*view = (struct rsd_dwarf){ .object = d->object, .big = d->big, .dwo = true };
	memcpy(view->section, d->section, sizeof(view->section));
	for (uint32_t i = 0; i < x.columns; i++) {
		uint64_t cell = 4 * ((uint64_t)(row - 1) * x.columns + i);
		struct rsd_bytes *b = column(&x, view, number(&x, x.header + 4 * (uint64_t)i, 4));

		if (b)
			*b = rsd_bytes_part(
				*b, number(&x, x.offsets + cell, 4), number(&x, x.sizes + cell, 4));
	}
	return true;
}
