/* form.c - see form.h */
#include "form.h"

#include "dwarf_const.h"

/* Reads the value of a fixed-size form; false where 'form' is none of them. */
static bool read_fixed(struct rsd_cursor *c, const struct rsd_unit *u, struct rsd_value *v)
{
	static const struct {
		uint16_t form;
		uint8_t size, kind;
	} fixed[] = {
		{ DW_FORM_data1, 1, RSD_VALUE_CONST },
		{ DW_FORM_data2, 2, RSD_VALUE_CONST },
		{ DW_FORM_data4, 4, RSD_VALUE_CONST },
		{ DW_FORM_data8, 8, RSD_VALUE_CONST },
		{ DW_FORM_flag, 1, RSD_VALUE_CONST },
		{ DW_FORM_ref1, 1, RSD_VALUE_REF },
		{ DW_FORM_ref2, 2, RSD_VALUE_REF },
		{ DW_FORM_ref4, 4, RSD_VALUE_REF },
		{ DW_FORM_ref8, 8, RSD_VALUE_REF },
		{ DW_FORM_strx1, 1, RSD_VALUE_STRX },
		{ DW_FORM_strx2, 2, RSD_VALUE_STRX },
		{ DW_FORM_strx3, 3, RSD_VALUE_STRX },
		{ DW_FORM_strx4, 4, RSD_VALUE_STRX },
		{ DW_FORM_addrx1, 1, RSD_VALUE_ADDRX },
		{ DW_FORM_addrx2, 2, RSD_VALUE_ADDRX },
		{ DW_FORM_addrx3, 3, RSD_VALUE_ADDRX },
		{ DW_FORM_addrx4, 4, RSD_VALUE_ADDRX },
		{ DW_FORM_ref_sup4, 4, RSD_VALUE_REF_SUP },
		{ DW_FORM_ref_sup8, 8, RSD_VALUE_REF_SUP },
		{ DW_FORM_ref_sig8, 8, RSD_VALUE_SIG },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (fixed[i].form != v->form)
			continue;
		v->kind = (enum rsd_value_kind)fixed[i].kind;
		v->u = rsd_cursor_uint(c, fixed[i].size);
		if (v->kind == RSD_VALUE_REF)
			v->u += u->offset;
		return true;
	}
	return false;
}

/* Numbers of the unit's offset size, and LEB128 ones; false where 'form' is none of these. */
static bool read_number(struct rsd_cursor *c, const struct rsd_unit *u, struct rsd_value *v)
{
	enum rsd_value_kind kind;

	switch (v->form) {
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		v->u = rsd_cursor_uleb(c);
		kind = v->form == DW_FORM_udata	      ? RSD_VALUE_CONST
		       : v->form == DW_FORM_ref_udata ? RSD_VALUE_REF
		       : v->form == DW_FORM_strx || v->form == DW_FORM_GNU_str_index
			       ? RSD_VALUE_STRX
		       : v->form == DW_FORM_addrx || v->form == DW_FORM_GNU_addr_index
			       ? RSD_VALUE_ADDRX
			       : RSD_VALUE_LISTX;
		if (kind == RSD_VALUE_REF)
			v->u += u->offset;
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
		v->u = rsd_cursor_uint(c, u->offset_size);
		kind = v->form == DW_FORM_strp		? RSD_VALUE_STRP
		       : v->form == DW_FORM_line_strp	? RSD_VALUE_LINE_STRP
		       : v->form == DW_FORM_sec_offset	? RSD_VALUE_SEC
		       : v->form == DW_FORM_GNU_ref_alt ? RSD_VALUE_REF_SUP
							: RSD_VALUE_STRP_SUP;
		break;
	case DW_FORM_ref_addr:
		v->u = rsd_cursor_uint(c, u->version == 2 ? u->addr_size : u->offset_size);
		kind = RSD_VALUE_REF;
		break;
	case DW_FORM_addr:
		v->u = rsd_cursor_uint(c, u->addr_size);
		kind = RSD_VALUE_ADDR;
		break;
	case DW_FORM_sdata:
		v->u = (uint64_t)rsd_cursor_sleb(c);
		kind = RSD_VALUE_CONST;
		break;
	default:
		return false;
	}
	v->kind = kind;
	return true;
}

bool rsd_value_read(struct rsd_cursor *c, const struct rsd_unit *u,
	const struct rsd_attr_spec *spec, struct rsd_value *v)
{
	const unsigned char *start;

	*v = (struct rsd_value){ RSD_VALUE_NONE, spec->form, 0, { NULL, 0 } };
	if (v->form == DW_FORM_indirect) {
		v->form = (uint16_t)rsd_cursor_uleb(c);
		/* One that leads to itself, or to a value that stands elsewhere, is nonsense. */
		if (v->form == DW_FORM_indirect || v->form == DW_FORM_implicit_const)
			rsd_cursor_fail(c);
	}
	if (read_fixed(c, u, v) || read_number(c, u, v))
		return !c->err;
	v->kind = RSD_VALUE_BLOCK;
	switch (v->form) {
	case DW_FORM_flag_present:
		v->kind = RSD_VALUE_CONST;
		v->u = 1;
		break;
	case DW_FORM_implicit_const:
		v->kind = RSD_VALUE_CONST;
		v->u = (uint64_t)spec->implicit;
		break;
	case DW_FORM_string:
		start = c->data + c->pos;
		v->kind = RSD_VALUE_STRING;
		v->block.len = rsd_cursor_str(c) ? (size_t)(c->data + c->pos - start) : 0;
		v->block.data = start;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		v->block = rsd_cursor_bytes(c, rsd_cursor_uleb(c));
		break;
	case DW_FORM_block1:
		v->block = rsd_cursor_bytes(c, rsd_cursor_u8(c));
		break;
	case DW_FORM_block2:
		v->block = rsd_cursor_bytes(c, rsd_cursor_uint(c, 2));
		break;
	case DW_FORM_block4:
		v->block = rsd_cursor_bytes(c, rsd_cursor_uint(c, 4));
		break;
	case DW_FORM_data16:
		v->block = rsd_cursor_bytes(c, 16);
		break;
	default:
		rsd_cursor_fail(c);
	}
	if (c->err)
		v->kind = RSD_VALUE_NONE;
	return !c->err;
}

/* The forms of variable length that are frequent; the rest is read. */
static void skip_value(
	struct rsd_cursor *c, const struct rsd_unit *u, const struct rsd_attr_spec *s)
{
	struct rsd_value v;

	switch (s->form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
		rsd_cursor_skip(c, rsd_cursor_uleb(c));
		break;
	case DW_FORM_block1:
		rsd_cursor_skip(c, rsd_cursor_u8(c));
		break;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_ref_udata:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		rsd_cursor_skip_leb(c);
		break;
	case DW_FORM_string:
		rsd_cursor_str(c);
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		rsd_cursor_skip(c, 1);
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
		rsd_cursor_skip(c, 2);
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
		rsd_cursor_skip(c, 4);
		break;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_line_strp:
		rsd_cursor_skip(c, u->offset_size);
		break;
	case DW_FORM_addr:
		rsd_cursor_skip(c, u->addr_size);
		break;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		break;
	default:
		rsd_value_read(c, u, s, &v);
	}
}

bool rsd_die_skip(struct rsd_cursor *c, const struct rsd_unit *u, const struct rsd_abbrev *a)
{
	if (!a->variable) {
		rsd_cursor_skip(c, a->fixed + (uint64_t)a->nr_addr * u->addr_size +
					   (uint64_t)a->nr_offset * u->offset_size);
		return !c->err;
	}
	for (uint32_t i = 0; i < a->nr; i++)
		skip_value(c, u, &u->abbrevs->spec[a->first + i]);
	return !c->err;
}

const struct rsd_abbrev *rsd_die_begin(struct rsd_cursor *c, const struct rsd_unit *u)
{
	uint64_t code = rsd_cursor_uleb(c);
	const struct rsd_abbrev *a = code ? rsd_abbrevs_find(u->abbrevs, code) : NULL;

	if (code && !a)
		rsd_cursor_fail(c);
	return a;
}

/* Entry 'index' of a table of numbers of 'size' bytes that begins at 'base'. */
static bool entry(struct rsd_bytes b, uint64_t base, uint64_t index, unsigned int size, bool big,
	uint64_t *out)
{
	struct rsd_cursor c;

	if (!size || base > b.len || index >= (b.len - base) / size)
		return false;
	c = rsd_cursor_at(b, base + index * size, big);
	*out = rsd_cursor_uint(&c, size);
	return true;
}

const char *rsd_value_string(const struct rsd_unit *u, const struct rsd_value *v)
{
	const struct rsd_dwarf *d = u->dwarf;
	uint64_t offset;

	switch (v->kind) {
	case RSD_VALUE_STRING:
		return v->block.len ? (const char *)v->block.data : NULL;
	case RSD_VALUE_STRP:
		return rsd_bytes_str(d->section[RSD_DW_STR], v->u);
	case RSD_VALUE_LINE_STRP:
		return rsd_bytes_str(d->section[RSD_DW_LINE_STR], v->u);
	case RSD_VALUE_STRP_SUP:
		return d->sup ? rsd_bytes_str(d->sup->section[RSD_DW_STR], v->u) : NULL;
	case RSD_VALUE_STRX:
		if (!entry(d->section[RSD_DW_STR_OFFSETS], u->str_offsets_base, v->u,
			    u->offset_size, d->big, &offset))
			return NULL;
		return rsd_bytes_str(d->section[RSD_DW_STR], offset);
	default:
		return NULL;
	}
}

bool rsd_unit_addrx(const struct rsd_unit *u, uint64_t index, uint64_t *address)
{
	const struct rsd_unit *at = u->skeleton ? u->skeleton : u;

	return entry(at->dwarf->section[RSD_DW_ADDR], at->addr_base, index, at->addr_size,
		at->dwarf->big, address);
}

bool rsd_value_address(const struct rsd_unit *u, const struct rsd_value *v, uint64_t *address)
{
	if (v->kind == RSD_VALUE_ADDRX)
		return rsd_unit_addrx(u, v->u, address);
	*address = v->u;
	return v->kind == RSD_VALUE_ADDR;
}

struct rsd_unit *rsd_value_ref(struct rsd_unit *u, const struct rsd_value *v, uint64_t *die)
{
	struct rsd_unit *to = NULL;

	if (v->kind == RSD_VALUE_REF && v->u >= u->offset && v->u < u->end)
		to = u;
	else if (v->kind == RSD_VALUE_REF)
		to = rsd_dwarf_unit_at(u->dwarf, v->u);
	else if (v->kind == RSD_VALUE_REF_SUP && u->dwarf->sup)
		to = rsd_dwarf_unit_at(u->dwarf->sup, v->u);
	if (!to || v->u < to->die || rsd_unit_root(to))
		return NULL;
	*die = v->u;
	return to;
}
