/* ranges.c - see ranges.h */
#include "ranges.h"

#include "dwarf_const.h"
#include "util.h"

bool rsd_pc_take(struct rsd_pc *pc, uint16_t name, const struct rsd_value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		pc->low = *v;
		pc->has_low = true;
		return true;
	case DW_AT_high_pc:
		pc->high = *v;
		pc->has_high = true;
		return true;
	case DW_AT_ranges:
		pc->ranges = *v;
		pc->has_ranges = true;
		return true;
	default:
		return false;
	}
}

static int add(struct rsd_ranges *out, uint64_t lo, uint64_t hi)
{
	if (lo >= hi)
		return 0;
	if (RSD_GROW(out->range, out->nr + 1, out->alloc))
		return RSD_ERR_NOMEM;
	out->range[out->nr++] = (struct rsd_range){ lo, hi };
	return 0;
}

static int add_length(struct rsd_ranges *out, uint64_t lo, uint64_t len)
{
	return add(out, lo, len > UINT64_MAX - lo ? 0 : lo + len);
}

/* Base address of the lists of the unit's DIEs. */
static uint64_t base_of(const struct rsd_unit *u)
{
	return u->skeleton ? u->skeleton->low : u->low;
}

/* .debug_ranges, versions 2 to 4: pairs relative to the base; (max, x) sets the base; (0,0) ends. */
static int old_list(
	struct rsd_dwarf *d, struct rsd_unit *u, uint64_t at, bool *leading, struct rsd_ranges *out)
{
	struct rsd_cursor c = rsd_cursor_at(d->section[RSD_DW_RANGES], at, d->big);
	uint64_t base = base_of(u), max = u->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
	bool first = true, end = c.err;
	int err = 0;

	while (!end && !err) {
		uint64_t lo = rsd_cursor_uint(&c, u->addr_size);
		uint64_t hi = rsd_cursor_uint(&c, u->addr_size);

		if (c.err || !rsd_dwarf_spend(d, 2 * (uint64_t)u->addr_size))
			return RSD_ERR_FORMAT;
		if (!lo && !hi && leading && first && base)
			*leading = true;
		else if (!lo && !hi)
			end = true;
		else if (lo == max)
			base = hi;
		else
			err = add(out, (base + lo) & max, (base + hi) & max);
		first = false;
	}
	return err;
}

static bool indexed(const struct rsd_unit *u, struct rsd_cursor *c, uint64_t *address)
{
	return rsd_unit_addrx(u, rsd_cursor_uleb(c), address) && !c->err;
}

/*
 * One entry of .debug_rnglists. An index that leads nowhere spoils its own entry only. Sets *end at
 * the end of the list, and where an entry is not known.
 */
static int new_entry(const struct rsd_unit *u, struct rsd_cursor *c, uint64_t *base, bool *end,
	struct rsd_ranges *out)
{
	uint8_t kind = rsd_cursor_u8(c);
	uint64_t lo = 0, hi = 0;
	bool ok = true;

	switch (kind) {
	case DW_RLE_base_addressx:
		if (!indexed(u, c, base))
			*base = 0;
		return 0;
	case DW_RLE_base_address:
		*base = rsd_cursor_uint(c, u->addr_size);
		return 0;
	case DW_RLE_startx_endx:
		ok = indexed(u, c, &lo);
		return indexed(u, c, &hi) && ok ? add(out, lo, hi) : 0;
	case DW_RLE_startx_length:
		ok = indexed(u, c, &lo);
		hi = rsd_cursor_uleb(c);
		return ok && !c->err ? add_length(out, lo, hi) : 0;
	case DW_RLE_offset_pair:
		lo = rsd_cursor_uleb(c);
		hi = rsd_cursor_uleb(c);
		return c->err ? 0 : add(out, *base + lo, *base + hi);
	case DW_RLE_start_end:
		lo = rsd_cursor_uint(c, u->addr_size);
		hi = rsd_cursor_uint(c, u->addr_size);
		return c->err ? 0 : add(out, lo, hi);
	case DW_RLE_start_length:
		lo = rsd_cursor_uint(c, u->addr_size);
		hi = rsd_cursor_uleb(c);
		return c->err ? 0 : add_length(out, lo, hi);
	default:
		*end = true;
		return kind == DW_RLE_end_of_list ? 0 : RSD_ERR_FORMAT;
	}
}

static int new_list(struct rsd_unit *u, uint64_t at, struct rsd_ranges *out)
{
	struct rsd_dwarf *d = u->dwarf;
	struct rsd_cursor c = rsd_cursor_at(d->section[RSD_DW_RNGLISTS], at, d->big);
	uint64_t base = base_of(u);
	bool end = false;
	int err = 0;

	while (!end && !err) {
		size_t before = c.pos;

		err = new_entry(u, &c, &base, &end, out);
		if (!err && (c.err || !rsd_dwarf_spend(d, c.pos - before)))
			err = RSD_ERR_FORMAT;
	}
	return err;
}

/* Where list number 'index' begins: the table at the unit's base has offsets from that base. */
static bool list_offset(const struct rsd_unit *u, uint64_t index, uint64_t *at)
{
	struct rsd_bytes b = u->dwarf->section[RSD_DW_RNGLISTS];
	struct rsd_cursor c = rsd_cursor_at(b, u->rnglists_base, u->dwarf->big);

	if (c.err || index >= rsd_cursor_left(&c) / u->offset_size)
		return false;
	rsd_cursor_skip(&c, index * u->offset_size);
	*at = u->rnglists_base + rsd_cursor_uint(&c, u->offset_size);
	return !c.err;
}

static int list_ranges(
	struct rsd_unit *u, const struct rsd_value *v, bool *leading, struct rsd_ranges *out)
{
	uint64_t at = v->u;

	if (v->kind == RSD_VALUE_LISTX)
		return list_offset(u, v->u, &at) ? new_list(u, at, out) : RSD_ERR_FORMAT;
	if (v->kind != RSD_VALUE_SEC && v->kind != RSD_VALUE_CONST)
		return RSD_ERR_FORMAT;
	if (u->version >= 5)
		return new_list(u, at, out);
	/* The lists of a version 4 .dwo are in the main file, at offsets from the skeleton's base. */
	if (u->skeleton)
		return old_list(
			u->skeleton->dwarf, u, at + u->skeleton->gnu_ranges_base, leading, out);
	return old_list(u->dwarf, u, at, leading, out);
}

int rsd_pc_ranges(
	struct rsd_unit *u, const struct rsd_pc *pc, bool *leading, struct rsd_ranges *out)
{
	uint64_t lo, hi;

	if (leading)
		*leading = false;
	if (pc->has_ranges)
		return list_ranges(u, &pc->ranges, leading, out);
	if (!pc->has_low || !pc->has_high || !rsd_value_address(u, &pc->low, &lo))
		return 0;
	if (rsd_value_address(u, &pc->high, &hi))
		return add(out, lo, hi);
	return pc->high.kind == RSD_VALUE_CONST ? add_length(out, lo, pc->high.u) : 0;
}

int rsd_unit_ranges(struct rsd_unit *u, struct rsd_ranges *out)
{
	int err = rsd_unit_root(u);

	return err ? err : rsd_pc_ranges(u, &u->pc, NULL, out);
}
