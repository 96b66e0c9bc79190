/* abbrev.c - see abbrev.h */
#include "abbrev.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "util.h"

static void count_size(struct rsd_abbrev *a, uint16_t form, bool dwarf2)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		a->fixed += 1;
		return;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		a->fixed += 2;
		return;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		a->fixed += 3;
		return;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		a->fixed += 4;
		return;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		a->fixed += 8;
		return;
	case DW_FORM_data16:
		a->fixed += 16;
		return;
	case DW_FORM_addr:
		a->nr_addr++;
		return;
	case DW_FORM_ref_addr:
		if (dwarf2)
			a->nr_addr++;
		else
			a->nr_offset++;
		return;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		a->nr_offset++;
		return;
	default:
		a->variable = true;
	}
}

static int parse_specs(
	struct rsd_abbrevs *t, struct rsd_abbrev *a, struct rsd_cursor *c, bool dwarf2)
{
	a->first = (uint32_t)t->nr_specs;
	for (;;) {
		uint64_t name = rsd_cursor_uleb(c), form = rsd_cursor_uleb(c);
		int64_t implicit = form == DW_FORM_implicit_const ? rsd_cursor_sleb(c) : 0;

		if (c->err || t->nr_specs >= UINT32_MAX)
			return RSD_ERR_FORMAT;
		if (!name && !form)
			return 0;
		/* Names that do not fit are some vendor's, and not of use here; forms must be known. */
		if (name > UINT16_MAX)
			name = 0;
		if (form > UINT16_MAX)
			return RSD_ERR_FORMAT;
		if (RSD_GROW(t->spec, t->nr_specs + 1, t->alloc_specs))
			return RSD_ERR_NOMEM;
		t->spec[t->nr_specs++] =
			(struct rsd_attr_spec){ (uint16_t)name, (uint16_t)form, implicit };
		count_size(a, (uint16_t)form, dwarf2);
		a->nr++;
	}
}

static int parse(struct rsd_abbrevs *t, struct rsd_cursor *c, bool dwarf2)
{
	uint64_t code;

	t->dense = true;
	while ((code = rsd_cursor_uleb(c)) != 0) {
		struct rsd_abbrev a = { .code = code };
		uint64_t tag = rsd_cursor_uleb(c);
		int err;

		a.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag;
		a.children = rsd_cursor_u8(c) != 0;
		err = parse_specs(t, &a, c, dwarf2);
		if (err)
			return err;
		if (RSD_GROW(t->abbrev, t->nr + 1, t->alloc))
			return RSD_ERR_NOMEM;
		t->dense = t->dense && code == t->nr + 1;
		t->abbrev[t->nr++] = a;
	}
	/* Some tables end with their section, without the closing 0. */
	return 0;
}

static int index_codes(struct rsd_abbrevs *t)
{
	int err = 0;

	for (size_t i = t->nr; i-- > 0 && !err;) /* of equal codes the first counts */
		err = rsd_map_set(&t->by_code, t->abbrev[i].code, i);
	return err;
}

int rsd_abbrevs_parse(struct rsd_abbrevs **out, struct rsd_bytes section, uint64_t offset,
	bool dwarf2, size_t *end)
{
	struct rsd_cursor c = rsd_cursor_at(section, offset, false);
	struct rsd_abbrevs *t = rsd_calloc(1, sizeof(*t));
	int err = !t ? RSD_ERR_NOMEM : c.err ? RSD_ERR_FORMAT : parse(t, &c, dwarf2);

	if (!err && !t->dense)
		err = index_codes(t);
	if (err) {
		rsd_abbrevs_free(t);
		return err;
	}
	*end = c.pos;
	*out = t;
	return 0;
}

void rsd_abbrevs_free(struct rsd_abbrevs *a)
{
	if (!a)
		return;
	free(a->abbrev);
	free(a->spec);
	rsd_map_release(&a->by_code);
	free(a);
}

const struct rsd_abbrev *rsd_abbrevs_find(const struct rsd_abbrevs *a, uint64_t code)
{
	const uint64_t *at;

	if (a->dense)
		return code && code <= a->nr ? &a->abbrev[code - 1] : NULL;
	at = rsd_map_find(&a->by_code, code);
	return at ? &a->abbrev[*at] : NULL;
}
