/* line: programs of all versions, put together by hand */
#include "dwarf_bytes.h"
#include "line.h"

static struct rsd_code text[] = { { 0x1000, 0x2000 }, { 0x3000, 0x3100 } };
static struct rsd_object object;
static struct rsd_dwarf dwarf;
static struct rsd_unit unit;
static struct rsd_buf b, strings;

static void setup(void)
{
	object = (struct rsd_object){ .addr_size = 8, .code = text, .nr_code = 2 };
	dwarf = (struct rsd_dwarf){ .object = &object };
	unit = (struct rsd_unit){ .dwarf = &dwarf,
		.version = 4,
		.addr_size = 8,
		.offset_size = 4,
		.has_stmt = true,
		.comp_dir = "/home/me" };
	b = RSD_BUF_INIT;
	strings = RSD_BUF_INIT;
}

static void teardown(void)
{
	dwarf.unit = NULL;
	dwarf.nr = 0;
	rsd_dwarf_release(&dwarf);
	rsd_buf_release(&b);
	rsd_buf_release(&strings);
}

/* Header up to and with the lengths of standard opcodes; the header's length is left at *at. */
static void begin(int version, size_t *at)
{
	put(&b, 0, 4);
	put(&b, (uint64_t)version, 2);
	if (version == 5)
		put_bytes(&b, "08 00");
	*at = b.len;
	put(&b, 0, 4);
	put_bytes(&b, version >= 4 ? "01 01 01 fb 0e 0d" : "01 01 fb 0e 0d");
	put_bytes(&b, "00 01 01 01 01 00 00 00 01 00 00 01");
}

static void put_address(uint64_t address)
{
	put_bytes(&b, "00 09 02");
	put(&b, address, 8);
}

/* Line 10 at 'start', 12 four bytes later, end eight later. */
static void sequence(uint64_t start)
{
	put_address(start);
	put_bytes(&b, "03 09 01"); /* advance_line 9, copy */
	put_bytes(&b, "4c");	   /* special: 4 bytes, 2 lines: 13 + (2 + 5) + 14 * 4 */
	put_bytes(&b, "02 04 00 01 01");
}

static struct rsd_lines *parse(void)
{
	set_length(&b, 0);
	dwarf.section[RSD_DW_LINE] = bytes_of(&b);
	dwarf.section[RSD_DW_LINE_STR] = bytes_of(&strings);
	return rsd_unit_lines(&unit, &object);
}

static void old_program(int version)
{
	size_t at;

	begin(version, &at);
	put_text(&b, "inc");
	put_text(&b, "/abs");
	put_text(&b, "");
	put_text(&b, "main.c");
	put_bytes(&b, "00 00 00");
	put_text(&b, "in.h");
	put_bytes(&b, "01 00 00");
	put_text(&b, "abs.h");
	put_bytes(&b, "02 00 00");
	put_text(&b, "");
	set_length(&b, at);
}

START_TEST(rows_of_versions_2_to_4)
{
	struct rsd_lines *l;

	old_program(_i);
	sequence(0x1800);
	sequence(0x1100);
	l = parse();
	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(l->nr_sequences, 2);
	ck_assert_ptr_null(rsd_lines_find(l, 0x10ff));
	ck_assert_uint_eq(rsd_lines_find(l, 0x1100)->line, 10);
	ck_assert_uint_eq(rsd_lines_find(l, 0x1103)->line, 10);
	ck_assert_uint_eq(rsd_lines_find(l, 0x1104)->line, 12);
	ck_assert_uint_eq(rsd_lines_find(l, 0x1107)->line, 12);
	ck_assert_ptr_null(rsd_lines_find(l, 0x1108));
	ck_assert_uint_eq(rsd_lines_find(l, 0x1804)->file, 1);
	ck_assert_str_eq(rsd_lines_path(l, &unit, 1), "/home/me/main.c");
	ck_assert_str_eq(rsd_lines_path(l, &unit, 2), "/home/me/inc/in.h");
	ck_assert_str_eq(rsd_lines_path(l, &unit, 3), "/abs/abs.h");
	ck_assert_ptr_null(rsd_lines_path(l, &unit, 0));
	ck_assert_ptr_null(rsd_lines_path(l, &unit, 4));
	ck_assert_ptr_eq(rsd_unit_lines(&unit, &object), l);
}
END_TEST

/* Version 5 counts files from 0, but its file register starts at 1. */
START_TEST(rows_of_version_5)
{
	struct rsd_lines *l;
	size_t at;

	unit.version = 5;
	put_text(&strings, "/build");
	put_text(&strings, "lib");
	begin(5, &at);
	put_bytes(&b, "01 01 1f 02"); /* one format: path as line_strp; two folders */
	put(&b, 0, 4);
	put(&b, 7, 4);
	put_bytes(&b, "02 01 08 02 0b 02"); /* path as string, folder as data1; two files */
	put_text(&b, "zero.c");
	put_bytes(&b, "00");
	put_text(&b, "one.h");
	put_bytes(&b, "01");
	set_length(&b, at);
	sequence(0x1000);
	l = parse();
	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(rsd_lines_find(l, 0x1000)->file, 1);
	ck_assert_str_eq(rsd_lines_path(l, &unit, 0), "/build/zero.c");
	ck_assert_str_eq(rsd_lines_path(l, &unit, 1), "/build/lib/one.h");
}
END_TEST

/* gcc's entry 1 is the compilation's folder again; mapped to a relative one it is still the same. */
START_TEST(a_relative_folder_twice_is_one)
{
	struct rsd_lines *l;
	size_t at;

	unit.version = 5;
	unit.comp_dir = "./elf";
	put_text(&strings, "./elf");
	put_text(&strings, "../include");
	begin(5, &at);
	put_bytes(&b, "01 01 1f 03");
	put(&b, 0, 4);
	put(&b, 0, 4);
	put(&b, 6, 4);
	put_bytes(&b, "02 01 08 02 0b 02");
	put_text(&b, "dl.c");
	put_bytes(&b, "01");
	put_text(&b, "dl.h");
	put_bytes(&b, "02");
	set_length(&b, at);
	sequence(0x1000);
	l = parse();
	ck_assert_ptr_nonnull(l);
	ck_assert_str_eq(rsd_lines_path(l, &unit, 0), "./elf/dl.c");
	ck_assert_str_eq(rsd_lines_path(l, &unit, 1), "./elf/../include/dl.h");
}
END_TEST

START_TEST(dead_sequences_are_dropped)
{
	static const uint64_t dead[] = { 0, 0xffc, 0x1ffc, UINT64_MAX, UINT64_MAX - 1, 0x2ffe,
		0x5000 };
	struct rsd_lines *l;

	old_program(4);
	for (size_t i = 0; i < sizeof(dead) / sizeof(dead[0]); i++)
		sequence(dead[i]);
	sequence(0x1ff8);
	l = parse();
	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(l->nr_sequences, 1);
	ck_assert_uint_eq(l->sequence[0].lo, 0x1ff8);
}
END_TEST

START_TEST(a_sequence_without_end_is_none)
{
	struct rsd_lines *l;

	old_program(3);
	put_address(0x1000);
	put_bytes(&b, "01 4c");
	l = parse();
	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(l->nr_rows, 0);
	ck_assert_ptr_null(rsd_lines_find(l, 0x1000));
}
END_TEST

START_TEST(rows_out_of_order_are_sorted)
{
	struct rsd_lines *l;

	old_program(4);
	put_address(0x1010);
	put_bytes(&b, "03 13 01"); /* line 20 */
	put_address(0x1000);
	put_bytes(&b, "03 76 01"); /* line 10 */
	put_address(0x1020);
	put_bytes(&b, "00 01 01");
	l = parse();
	ck_assert_uint_eq(rsd_lines_find(l, 0x1005)->line, 10);
	ck_assert_uint_eq(rsd_lines_find(l, 0x1015)->line, 20);
}
END_TEST

START_TEST(cut_off_at_any_byte)
{
	struct rsd_bytes whole, part;

	old_program(4);
	sequence(0x1000);
	sequence(0x3000);
	set_length(&b, 0);
	for (size_t len = 0; len <= b.len; len++) {
		for (int fixed = 0; fixed < 2; fixed++) {
			whole = bytes_of(&b);
			part = exact(whole.data, len);
			if (fixed && len >= 4) { /* the length agrees with what is left */
				unsigned char *p = (unsigned char *)(uintptr_t)part.data;

				p[0] = (unsigned char)(len - 4);
				p[1] = (unsigned char)((len - 4) >> 8);
			}
			dwarf.section[RSD_DW_LINE] = part;
			rsd_unit_lines(&unit, &object);
			rsd_dwarf_release(&dwarf);
			dwarf.object = &object;
			free((void *)(uintptr_t)part.data);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("line");
	TCase *tc = tcase_create("line");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, rows_of_versions_2_to_4, 2, 5);
	tcase_add_test(tc, rows_of_version_5);
	tcase_add_test(tc, a_relative_folder_twice_is_one);
	tcase_add_test(tc, dead_sequences_are_dropped);
	tcase_add_test(tc, a_sequence_without_end_is_none);
	tcase_add_test(tc, rows_out_of_order_are_sorted);
	tcase_add_test(tc, cut_off_at_any_byte);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
