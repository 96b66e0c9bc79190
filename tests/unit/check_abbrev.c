/* abbrev: tables with codes in order and not, sizes of DIEs, cut off at any byte */
#include "abbrev.h"
#include "dwarf_bytes.h"
#include "dwarf_const.h"

static struct rsd_buf b;
static struct rsd_abbrevs *table;
static size_t end;

static void setup(void)
{
	b = RSD_BUF_INIT;
	table = NULL;
}

static void teardown(void)
{
	rsd_abbrevs_free(table);
	rsd_buf_release(&b);
}

static const uint16_t named[] = { DW_AT_name, DW_FORM_string, 0 };
static const uint16_t fixed[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
	DW_AT_name, DW_FORM_strp, DW_AT_declaration, DW_FORM_flag_present, DW_AT_specification,
	DW_FORM_ref_addr, 0 };
static const uint16_t none[] = { 0 };

static void parse(bool dwarf2)
{
	ck_assert_int_eq(rsd_abbrevs_parse(&table, bytes_of(&b), 0, dwarf2, &end), 0);
}

START_TEST(codes_in_order)
{
	put_abbrev(&b, 1, DW_TAG_compile_unit, 1, named);
	put_abbrev(&b, 2, DW_TAG_subprogram, 0, fixed);
	put(&b, 0, 1);
	put_bytes(&b, "07");
	parse(false);
	ck_assert_uint_eq(end, b.len - 1);
	ck_assert(table->dense);
	ck_assert_uint_eq(rsd_abbrevs_find(table, 1)->tag, DW_TAG_compile_unit);
	ck_assert(rsd_abbrevs_find(table, 1)->children && rsd_abbrevs_find(table, 1)->variable);
	ck_assert_uint_eq(rsd_abbrevs_find(table, 2)->nr, 5);
	ck_assert_ptr_null(rsd_abbrevs_find(table, 0));
	ck_assert_ptr_null(rsd_abbrevs_find(table, 3));
}
END_TEST

START_TEST(codes_of_any_order)
{
	put_abbrev(&b, 70, DW_TAG_namespace, 1, none);
	put_abbrev(&b, UINT64_MAX, DW_TAG_module, 0, none);
	put_abbrev(&b, 2, DW_TAG_subprogram, 0, named);
	put_abbrev(&b, 70, DW_TAG_class_type, 0, none); /* the first one counts */
	put(&b, 0, 1);
	parse(false);
	ck_assert(!table->dense);
	ck_assert_uint_eq(rsd_abbrevs_find(table, 70)->tag, DW_TAG_namespace);
	ck_assert_uint_eq(rsd_abbrevs_find(table, UINT64_MAX)->tag, DW_TAG_module);
	ck_assert_uint_eq(rsd_abbrevs_find(table, 2)->tag, DW_TAG_subprogram);
	ck_assert_ptr_null(rsd_abbrevs_find(table, 1));
}
END_TEST

START_TEST(sizes_of_dies)
{
	const struct rsd_abbrev *a;

	put_abbrev(&b, 1, DW_TAG_subprogram, 0, fixed);
	put(&b, 0, 1);
	parse(_i == 2);
	a = rsd_abbrevs_find(table, 1);
	ck_assert(!a->variable);
	ck_assert_uint_eq(a->fixed, 4);
	/* A reference into another unit is as long as an address in version 2. */
	ck_assert_uint_eq(a->nr_addr, _i == 2 ? 2 : 1);
	ck_assert_uint_eq(a->nr_offset, _i == 2 ? 1 : 2);
}
END_TEST

START_TEST(a_constant_of_the_table)
{
	put_bytes(&b, "01 2e 00 59 21 7f 00 00 00");
	parse(false);
	ck_assert_int_eq(table->spec[0].implicit, -1);
	ck_assert_uint_eq(rsd_abbrevs_find(table, 1)->fixed, 0);
}
END_TEST

START_TEST(names_of_vendors_and_unknown_forms)
{
	put_bytes(&b, "01 2e 00 80 80 04 0b 00 00 00"); /* name 0x10000 */
	parse(false);
	ck_assert_uint_eq(table->spec[0].name, 0);
	rsd_buf_reset(&b);
	put_bytes(&b, "01 2e 00 03 80 80 04 00 00 00"); /* form 0x10000 */
	rsd_abbrevs_free(table);
	table = NULL;
	ck_assert_int_ne(rsd_abbrevs_parse(&table, bytes_of(&b), 0, false, &end), 0);
	ck_assert_int_ne(rsd_abbrevs_parse(&table, bytes_of(&b), b.len + 1, false, &end), 0);
}
END_TEST

/* A table may end with its section; nothing is read past that. */
START_TEST(cut_off_at_any_byte)
{
	put_abbrev(&b, 1, DW_TAG_compile_unit, 1, named);
	put_abbrev(&b, 300, DW_TAG_subprogram, 0, fixed);
	put(&b, 0, 1);
	for (size_t len = 0; len <= b.len; len++) {
		struct rsd_bytes cut = exact(b.data, len);

		if (!rsd_abbrevs_parse(&table, cut, 0, false, &end)) {
			ck_assert_uint_le(end, len);
			rsd_abbrevs_free(table);
		}
		table = NULL;
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("abbrev");
	TCase *tc = tcase_create("abbrev");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, codes_in_order);
	tcase_add_test(tc, codes_of_any_order);
	tcase_add_loop_test(tc, sizes_of_dies, 2, 4);
	tcase_add_test(tc, a_constant_of_the_table);
	tcase_add_test(tc, names_of_vendors_and_unknown_forms);
	tcase_add_test(tc, cut_off_at_any_byte);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
