/* function: functions and inlined calls out of DIEs, dead ones dropped */
#include "dwarf_bytes.h"
#include "dwarf_const.h"
#include "function.h"

enum { UNIT = 1, SUBPROGRAM, INLINED, DECLARATION, NAMESPACE, BLOCK, LEAF };

static struct rsd_dwarf dwarf;
static struct rsd_buf info, table;
static struct rsd_code code[] = { { 0x1000, 0x2000 }, { 0x3000, 0x3100 } };
static struct rsd_object object = { .code = code, .nr_code = 2 };
static struct rsd_functions *f;

static void put_table(void)
{
	static const uint16_t none[] = { 0 };
	static const uint16_t unit[] = { DW_AT_low_pc, DW_FORM_addr, 0 };
	static const uint16_t pc[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8,
		0 };
	static const uint16_t call[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8,
		DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data2, DW_AT_call_column,
		DW_FORM_data1, 0 };
	static const uint16_t declaration[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		DW_FORM_data8, DW_AT_declaration, DW_FORM_flag_present, 0 };

	put_abbrev(&table, UNIT, DW_TAG_compile_unit, 1, unit);
	put_abbrev(&table, SUBPROGRAM, DW_TAG_subprogram, 1, pc);
	put_abbrev(&table, INLINED, DW_TAG_inlined_subroutine, 1, call);
	put_abbrev(&table, DECLARATION, DW_TAG_subprogram, 0, declaration);
	put_abbrev(&table, NAMESPACE, DW_TAG_namespace, 1, none);
	put_abbrev(&table, BLOCK, 0x0b, 1, none);
	put_abbrev(&table, LEAF, DW_TAG_subprogram, 0, pc);
	put(&table, 0, 1);
}

static void setup(void)
{
	dwarf = (struct rsd_dwarf){ .object = NULL };
	info = table = RSD_BUF_INIT;
	f = NULL;
	put_table();
	put_unit(&info, 0);
	put(&info, UNIT, 1);
	put(&info, 0x1000, 8);
}

static void teardown(void)
{
	rsd_dwarf_release(&dwarf);
	rsd_buf_release(&info);
	rsd_buf_release(&table);
}

static void die(int kind, uint64_t lo, uint64_t hi)
{
	put(&info, (uint64_t)kind, 1);
	put(&info, lo, 8);
	put(&info, hi - lo, 8);
}

static void inlined(uint64_t lo, uint64_t hi, unsigned int line)
{
	die(INLINED, lo, hi);
	put(&info, 1, 1);
	put(&info, line, 2);
	put(&info, 9, 1);
}

static void bare(int kind)
{
	put(&info, (uint64_t)kind, 1);
}

static void up(void)
{
	put(&info, 0, 1);
}

static void finish(void)
{
	set_length(&info, 0);
	dwarf.section[RSD_DW_INFO] = bytes_of(&info);
	dwarf.section[RSD_DW_ABBREV] = bytes_of(&table);
	ck_assert_int_eq(rsd_dwarf_scan(&dwarf), 0);
	ck_assert_uint_eq(dwarf.nr, 1);
	f = rsd_unit_functions(&dwarf.unit[0], &object);
	ck_assert_ptr_nonnull(f);
}

static uint32_t find(uint64_t addr)
{
	uint64_t width;

	return rsd_functions_find(f, addr, &width);
}

START_TEST(calls_within_calls)
{
	die(SUBPROGRAM, 0x1000, 0x1100); /* 0 */
	inlined(0x1010, 0x1080, 20);	 /* 1 */
	bare(BLOCK);
	inlined(0x1020, 0x1030, 30); /* 2 */
	up();
	up();
	inlined(0x1040, 0x1050, 40); /* 3 */
	up();
	up();
	inlined(0x1090, 0x10a0, 50); /* 4, into 0 */
	up();
	up();
	die(LEAF, 0x1100, 0x1200); /* 5 */
	up();
	finish();
	ck_assert_uint_eq(f->nr, 6);
	ck_assert_uint_eq(f->function[0].end, 5);
	ck_assert_uint_eq(f->function[1].end, 4);
	ck_assert_uint_eq(find(0x1020), 0);
	ck_assert_uint_eq(rsd_functions_inlined(f, 0, 0x1020), 1);
	ck_assert_uint_eq(rsd_functions_inlined(f, 1, 0x1020), 2);
	ck_assert_uint_eq(rsd_functions_inlined(f, 2, 0x1020), RSD_NO_FUNCTION);
	ck_assert_uint_eq(rsd_functions_inlined(f, 1, 0x1045), 3);
	ck_assert_uint_eq(rsd_functions_inlined(f, 0, 0x1095), 4);
	ck_assert_uint_eq(rsd_functions_inlined(f, 0, 0x10a0), RSD_NO_FUNCTION);
	ck_assert_uint_eq(find(0x11ff), 5);
	ck_assert_uint_eq(find(0x1200), RSD_NO_FUNCTION);
	ck_assert_uint_eq(find(0xfff), RSD_NO_FUNCTION);
	ck_assert_uint_eq(f->function[2].call_line, 30);
	ck_assert_uint_eq(f->function[2].call_column, 9);
}
END_TEST

/* Tombstones of any value; a declaration; what reaches out of the code or across a gap; nothing at all. */
START_TEST(dead_ones_are_dropped_with_all_in_them)
{
	static const uint64_t dead[][2] = { { 0, 0x100 }, { UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX - 1, 0x50 }, { 0x1ff0, 0x2010 }, { 0x1f00, 0x3050 },
		{ 0x1500, 0x1500 }, { 0x2000, 0x2100 } };

	for (size_t i = 0; i < sizeof(dead) / sizeof(*dead); i++) {
		die(SUBPROGRAM, dead[i][0], dead[i][1]);
		inlined(0x1010, 0x1020, 1); /* though it may look alive */
		up();
		up();
	}
	die(DECLARATION, 0x1000, 0x1100);
	die(SUBPROGRAM, 0x3000, 0x3100);
	inlined(0x10, 0x20, 2);
	inlined(0x3010, 0x3020, 3); /* into a dead call: not known to be there */
	up();
	up();
	up();
	up();
	finish();
	ck_assert_uint_eq(f->nr, 1);
	ck_assert_uint_eq(f->nr_index, 1);
	ck_assert_uint_eq(find(0x1015), RSD_NO_FUNCTION);
	ck_assert_uint_eq(find(0x3010), 0);
	ck_assert_uint_eq(rsd_functions_inlined(f, 0, 0x3015), RSD_NO_FUNCTION);
}
END_TEST

START_TEST(the_narrowest_range_counts)
{
	uint64_t width;

	bare(NAMESPACE);
	die(LEAF, 0x1000, 0x1800); /* 0 */
	die(LEAF, 0x1100, 0x1200); /* 1 */
	die(LEAF, 0x1180, 0x1700); /* 2 */
	up();
	up();
	finish();
	ck_assert_uint_eq(rsd_functions_find(f, 0x1190, &width), 1);
	ck_assert_uint_eq(width, 0x100);
	ck_assert_uint_eq(rsd_functions_find(f, 0x1300, &width), 2);
	ck_assert_uint_eq(rsd_functions_find(f, 0x1750, &width), 0);
	ck_assert_uint_eq(width, 0x800);
}
END_TEST

/* Oracle: every range in turn. */
START_TEST(agrees_with_a_search)
{
	uint64_t range[40][2];

	srand((unsigned int)_i);
	for (int i = 0; i < 40; i++) {
		range[i][0] = 0x1000 + (uint64_t)(rand() % 0xf00);
		range[i][1] = range[i][0] + 1 + (uint64_t)(rand() % 0x100);
		die(LEAF, range[i][0], range[i][1]);
	}
	up();
	finish();
	for (uint64_t addr = 0xff0; addr < 0x2010; addr += 3) {
		uint64_t best = UINT64_MAX, width = UINT64_MAX;

		for (int i = 0; i < 40; i++) {
			if (range[i][0] <= addr && addr < range[i][1] &&
				range[i][1] - range[i][0] < best)
				best = range[i][1] - range[i][0];
		}
		ck_assert_int_eq(
			rsd_functions_find(f, addr, &width) != RSD_NO_FUNCTION, best != UINT64_MAX);
		ck_assert_uint_eq(width, best);
	}
}
END_TEST

/* What was read before the bytes end is as good as it is, and nothing is read past them. */
START_TEST(cut_off_at_any_byte)
{
	size_t first;

	die(SUBPROGRAM, 0x1000, 0x1100);
	first = info.len;
	inlined(0x1010, 0x1080, 20);
	die(LEAF, 0x1100, 0x1200);
	for (size_t len = info.len; len > 24; len--) {
		struct rsd_bytes cut;

		info.len = len;
		set_length(&info, 0);
		cut = exact(info.data, len);
		dwarf.section[RSD_DW_INFO] = cut;
		dwarf.section[RSD_DW_ABBREV] = bytes_of(&table);
		ck_assert_int_eq(rsd_dwarf_scan(&dwarf), 0);
		f = rsd_unit_functions(&dwarf.unit[0], &object);
		ck_assert_int_eq(f && f->nr > 0, len >= first);
		rsd_dwarf_release(&dwarf);
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("function");
	TCase *tc = tcase_create("function");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, calls_within_calls);
	tcase_add_test(tc, dead_ones_are_dropped_with_all_in_them);
	tcase_add_test(tc, the_narrowest_range_counts);
	tcase_add_loop_test(tc, agrees_with_a_search, 0, 20);
	tcase_add_test(tc, cut_off_at_any_byte);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
