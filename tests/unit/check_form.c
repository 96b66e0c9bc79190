/* form: a value of every form, read and passed by; strings, addresses and references found */
#include "dwarf_bytes.h"
#include "dwarf_const.h"
#include "form.h"
#include "util.h"

static struct rsd_dwarf dwarf, sup;
static struct rsd_unit unit;
static struct rsd_buf b;

static void setup(void)
{
	dwarf = sup = (struct rsd_dwarf){ .object = NULL };
	unit = (struct rsd_unit){ .dwarf = &dwarf,
		.offset = 0x100,
		.end = 0x200,
		.version = 5,
		.addr_size = 8,
		.offset_size = 4 };
	b = RSD_BUF_INIT;
}

static void teardown(void)
{
	rsd_buf_release(&b);
}

/* What bytes of a form are, in a unit at 0x100 with addresses of 8 bytes and offsets of 4. */
static const struct {
	uint16_t form;
	const char *bytes;
	enum rsd_value_kind kind;
	uint64_t u; /* of a block: its length */
} known[] = {
	{ DW_FORM_addr, "0102030405060708", RSD_VALUE_ADDR, 0x0807060504030201 },
	{ DW_FORM_data1, "fe", RSD_VALUE_CONST, 0xfe },
	{ DW_FORM_data2, "fe01", RSD_VALUE_CONST, 0x1fe },
	{ DW_FORM_data4, "01000080", RSD_VALUE_CONST, 0x80000001 },
	{ DW_FORM_data8, "0100000000000080", RSD_VALUE_CONST, 0x8000000000000001 },
	{ DW_FORM_data16, "000102030405060708090a0b0c0d0e0f", RSD_VALUE_BLOCK, 16 },
	{ DW_FORM_sdata, "7f", RSD_VALUE_CONST, UINT64_MAX },
	{ DW_FORM_udata, "ff01", RSD_VALUE_CONST, 255 },
	{ DW_FORM_flag, "01", RSD_VALUE_CONST, 1 },
	{ DW_FORM_flag_present, "", RSD_VALUE_CONST, 1 },
	{ DW_FORM_implicit_const, "", RSD_VALUE_CONST, (uint64_t)-5 },
	{ DW_FORM_string, "616200", RSD_VALUE_STRING, 3 },
	{ DW_FORM_strp, "10000000", RSD_VALUE_STRP, 0x10 },
	{ DW_FORM_line_strp, "11000000", RSD_VALUE_LINE_STRP, 0x11 },
	{ DW_FORM_strp_sup, "12000000", RSD_VALUE_STRP_SUP, 0x12 },
	{ DW_FORM_GNU_strp_alt, "12000000", RSD_VALUE_STRP_SUP, 0x12 },
	{ DW_FORM_strx, "8101", RSD_VALUE_STRX, 129 },
	{ DW_FORM_GNU_str_index, "8101", RSD_VALUE_STRX, 129 },
	{ DW_FORM_strx1, "03", RSD_VALUE_STRX, 3 },
	{ DW_FORM_strx2, "0301", RSD_VALUE_STRX, 0x103 },
	{ DW_FORM_strx3, "030100", RSD_VALUE_STRX, 0x103 },
	{ DW_FORM_strx4, "03010000", RSD_VALUE_STRX, 0x103 },
	{ DW_FORM_addrx, "8101", RSD_VALUE_ADDRX, 129 },
	{ DW_FORM_GNU_addr_index, "8101", RSD_VALUE_ADDRX, 129 },
	{ DW_FORM_addrx1, "04", RSD_VALUE_ADDRX, 4 },
	{ DW_FORM_addrx2, "0401", RSD_VALUE_ADDRX, 0x104 },
	{ DW_FORM_addrx3, "040102", RSD_VALUE_ADDRX, 0x20104 },
	{ DW_FORM_addrx4, "04010200", RSD_VALUE_ADDRX, 0x20104 },
	{ DW_FORM_ref1, "07", RSD_VALUE_REF, 0x107 },
	{ DW_FORM_ref2, "0701", RSD_VALUE_REF, 0x207 },
	{ DW_FORM_ref4, "07010000", RSD_VALUE_REF, 0x207 },
	{ DW_FORM_ref8, "0701000000000000", RSD_VALUE_REF, 0x207 },
	{ DW_FORM_ref_udata, "8701", RSD_VALUE_REF, 0x187 },
	{ DW_FORM_ref_addr, "07000000", RSD_VALUE_REF, 7 },
	{ DW_FORM_ref_sup4, "07000000", RSD_VALUE_REF_SUP, 7 },
	{ DW_FORM_ref_sup8, "0700000000000000", RSD_VALUE_REF_SUP, 7 },
	{ DW_FORM_GNU_ref_alt, "07000000", RSD_VALUE_REF_SUP, 7 },
	{ DW_FORM_ref_sig8, "0700000000000000", RSD_VALUE_SIG, 7 },
	{ DW_FORM_sec_offset, "07000000", RSD_VALUE_SEC, 7 },
	{ DW_FORM_loclistx, "8101", RSD_VALUE_LISTX, 129 },
	{ DW_FORM_rnglistx, "8101", RSD_VALUE_LISTX, 129 },
	{ DW_FORM_block, "03010203", RSD_VALUE_BLOCK, 3 },
	{ DW_FORM_exprloc, "03010203", RSD_VALUE_BLOCK, 3 },
	{ DW_FORM_block1, "03010203", RSD_VALUE_BLOCK, 3 },
	{ DW_FORM_block2, "0300010203", RSD_VALUE_BLOCK, 3 },
	{ DW_FORM_block4, "03000000010203", RSD_VALUE_BLOCK, 3 },
	{ DW_FORM_indirect, "0bfe", RSD_VALUE_CONST, 0xfe },
	{ DW_FORM_indirect, "0f8101", RSD_VALUE_CONST, 129 },
};

static struct rsd_cursor cursor(struct rsd_bytes bytes)
{
	return rsd_cursor_at(bytes, 0, false);
}

START_TEST(every_form_is_read)
{
	struct rsd_attr_spec spec = { DW_AT_name, known[_i].form, -5 };
	struct rsd_cursor c;
	struct rsd_value v;

	put_bytes(&b, known[_i].bytes);
	put(&b, 0xffff, 2); /* what comes next */
	c = cursor(bytes_of(&b));
	ck_assert(rsd_value_read(&c, &unit, &spec, &v));
	ck_assert_int_eq(v.kind, known[_i].kind);
	ck_assert_uint_eq(
		v.kind == RSD_VALUE_BLOCK || v.kind == RSD_VALUE_STRING ? v.block.len : v.u,
		known[_i].u);
	ck_assert_uint_eq(rsd_cursor_left(&c), 2);
}
END_TEST

/* Passing by ends where reading does, by itself and by the size that the abbreviation tells. */
START_TEST(every_form_is_passed_by)
{
	struct rsd_buf table = RSD_BUF_INIT;
	struct rsd_abbrevs *a;
	struct rsd_cursor c;
	size_t end;

	put_bytes(&table, "01 2e 00 03");
	put_uleb(&table, known[_i].form);
	put_bytes(&table, known[_i].form == DW_FORM_implicit_const ? "7b 00 00 00" : "00 00 00");
	ck_assert_int_eq(rsd_abbrevs_parse(&a, bytes_of(&table), 0, false, &end), 0);
	put_bytes(&b, known[_i].bytes);
	put(&b, 0xffff, 2);
	unit.abbrevs = a;
	c = cursor(bytes_of(&b));
	ck_assert(rsd_die_skip(&c, &unit, &a->abbrev[0]));
	ck_assert_uint_eq(rsd_cursor_left(&c), 2);
	a->abbrev[0].variable = true; /* value by value */
	c = cursor(bytes_of(&b));
	ck_assert(rsd_die_skip(&c, &unit, &a->abbrev[0]));
	ck_assert_uint_eq(rsd_cursor_left(&c), 2);
	rsd_abbrevs_free(a);
	rsd_buf_release(&table);
}
END_TEST

START_TEST(every_form_cut_off_is_an_error)
{
	struct rsd_attr_spec spec = { DW_AT_name, known[_i].form, 0 };
	struct rsd_value v;

	put_bytes(&b, known[_i].bytes);
	for (size_t len = 0; len < b.len; len++) {
		struct rsd_bytes cut = exact(b.data, len);
		struct rsd_cursor c = cursor(cut);

		ck_assert(!rsd_value_read(&c, &unit, &spec, &v));
		ck_assert_uint_eq(rsd_cursor_left(&c), 0);
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

START_TEST(forms_that_are_none)
{
	static const struct {
		uint16_t form;
		const char *bytes;
	} bad[] = { { 0x7e, "00" }, { DW_FORM_indirect, "16 0b 00" }, { DW_FORM_indirect, "21 00" },
		{ 0, "00" } };
	struct rsd_attr_spec spec = { DW_AT_name, bad[_i].form, 0 };
	struct rsd_cursor c;
	struct rsd_value v;

	put_bytes(&b, bad[_i].bytes);
	c = cursor(bytes_of(&b));
	ck_assert(!rsd_value_read(&c, &unit, &spec, &v));
}
END_TEST

/* Of 64-bit DWARF and of version 2, where a reference is as long as an address; and the other byte order. */
START_TEST(sizes_and_byte_order)
{
	struct rsd_attr_spec spec = { DW_AT_name, DW_FORM_strp, 0 };
	struct rsd_cursor c;
	struct rsd_value v;

	put_bytes(&b, "0102030405060708 090a0b0c");
	unit.offset_size = 8;
	c = cursor(bytes_of(&b));
	ck_assert(rsd_value_read(&c, &unit, &spec, &v));
	ck_assert_uint_eq(v.u, 0x0807060504030201);
	unit.offset_size = 4;
	unit.version = 2;
	spec.form = DW_FORM_ref_addr;
	c = rsd_cursor_at(bytes_of(&b), 0, true);
	ck_assert(rsd_value_read(&c, &unit, &spec, &v));
	ck_assert_uint_eq(v.u, 0x0102030405060708);
	spec.form = DW_FORM_strx3;
	ck_assert(rsd_value_read(&c, &unit, &spec, &v));
	ck_assert_uint_eq(v.u, 0x090a0b);
}
END_TEST

static struct rsd_value value(enum rsd_value_kind kind, uint64_t u)
{
	return (struct rsd_value){ .kind = kind, .u = u };
}

START_TEST(strings_are_found)
{
	struct rsd_value v = value(RSD_VALUE_STRP, 3);

	put_bytes(&b, "616200 6364 00 65"); /* "ab" "cd", and "e" without an end */
	dwarf.section[RSD_DW_STR] = bytes_of(&b);
	ck_assert_str_eq(rsd_value_string(&unit, &v), "cd");
	v.u = 6;
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	v.u = UINT64_MAX;
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	v = value(RSD_VALUE_STRP_SUP, 1);
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	dwarf.sup = &sup;
	sup.section[RSD_DW_STR] = bytes_of(&b);
	ck_assert_str_eq(rsd_value_string(&unit, &v), "b");
	v = value(RSD_VALUE_CONST, 0);
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
}
END_TEST

START_TEST(strings_by_index)
{
	struct rsd_buf offsets = RSD_BUF_INIT;
	struct rsd_value v = value(RSD_VALUE_STRX, 1);

	put_bytes(&b, "616200 636400");
	put(&offsets, 0, 8); /* before the unit's part */
	put(&offsets, 3, 4);
	put(&offsets, 1, 4);
	put(&offsets, 0, 3);
	dwarf.section[RSD_DW_STR] = bytes_of(&b);
	dwarf.section[RSD_DW_STR_OFFSETS] = bytes_of(&offsets);
	unit.str_offsets_base = 8;
	ck_assert_str_eq(rsd_value_string(&unit, &v), "b");
	v.u = 2; /* only 3 bytes of it */
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	v.u = UINT64_MAX / 4;
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	unit.str_offsets_base = UINT64_MAX;
	v.u = 1;
	ck_assert_ptr_null(rsd_value_string(&unit, &v));
	rsd_buf_release(&offsets);
}
END_TEST

/* Those of a split unit are in its skeleton's table. */
START_TEST(addresses_by_index)
{
	struct rsd_dwarf dwo = { .dwo = true };
	struct rsd_unit split = { .dwarf = &dwo, .version = 5, .addr_size = 8, .skeleton = &unit };
	struct rsd_value v = value(RSD_VALUE_ADDRX, 1);
	uint64_t address = 0;

	put(&b, 0, 8);
	put(&b, 0x1000, 8);
	put(&b, 0x2000, 8);
	dwarf.section[RSD_DW_ADDR] = bytes_of(&b);
	unit.addr_base = 8;
	ck_assert(rsd_value_address(&split, &v, &address));
	ck_assert_uint_eq(address, 0x2000);
	v.u = 2;
	ck_assert(!rsd_value_address(&split, &v, &address));
	v = value(RSD_VALUE_ADDR, 5);
	ck_assert(rsd_value_address(&split, &v, &address));
	ck_assert_uint_eq(address, 5);
	v = value(RSD_VALUE_CONST, 5);
	ck_assert(!rsd_value_address(&split, &v, &address));
}
END_TEST

START_TEST(references_are_followed_into_units_only)
{
	struct rsd_buf info = RSD_BUF_INIT;
	struct rsd_value v = value(RSD_VALUE_REF, 0);
	struct rsd_unit *u;
	uint64_t die;

	put_abbrev(&b, 1, DW_TAG_compile_unit, 0, (const uint16_t[]){ 0 });
	put(&b, 0, 1);
	for (int i = 0; i < 2; i++) { /* two units of 12 and a byte more */
		put(&info, 9, 4);
		put(&info, 4, 2);
		put(&info, 0, 4);
		put(&info, 8, 1);
		put(&info, 1, 1);
		put(&info, 0, 1);
	}
	dwarf.section[RSD_DW_INFO] = bytes_of(&info);
	dwarf.section[RSD_DW_ABBREV] = bytes_of(&b);
	ck_assert_int_eq(rsd_dwarf_scan(&dwarf), 0);
	ck_assert_uint_eq(dwarf.nr, 2);
	v.u = 13 + 11;
	u = rsd_value_ref(&dwarf.unit[0], &v, &die);
	ck_assert_ptr_eq(u, &dwarf.unit[1]);
	ck_assert_uint_eq(die, 24);
	v.u = 13 + 3; /* in the head of a unit */
	ck_assert_ptr_null(rsd_value_ref(&dwarf.unit[0], &v, &die));
	v.u = 26;
	ck_assert_ptr_null(rsd_value_ref(&dwarf.unit[0], &v, &die));
	v = value(RSD_VALUE_REF_SUP, 11);
	ck_assert_ptr_null(rsd_value_ref(&dwarf.unit[0], &v, &die));
	v = value(RSD_VALUE_SIG, 11);
	ck_assert_ptr_null(rsd_value_ref(&dwarf.unit[0], &v, &die));
	rsd_dwarf_release(&dwarf);
	rsd_buf_release(&info);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("form");
	TCase *tc = tcase_create("form");
	SRunner *sr;
	int failed, nr = (int)RSD_ARRAY_SIZE(known);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_form_is_read, 0, nr);
	tcase_add_loop_test(tc, every_form_is_passed_by, 0, nr);
	tcase_add_loop_test(tc, every_form_cut_off_is_an_error, 0, nr);
	tcase_add_loop_test(tc, forms_that_are_none, 0, 4);
	tcase_add_test(tc, sizes_and_byte_order);
	tcase_add_test(tc, strings_are_found);
	tcase_add_test(tc, strings_by_index);
	tcase_add_test(tc, addresses_by_index);
	tcase_add_test(tc, references_are_followed_into_units_only);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
