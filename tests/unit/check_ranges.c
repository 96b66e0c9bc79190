/* ranges: lists of both kinds, in plain and split units */
#include "dwarf_bytes.h"
#include "dwarf_const.h"
#include "ranges.h"
#include "util.h"

static struct rsd_dwarf dwarf, dwo;
static struct rsd_unit unit, split;
static struct rsd_buf b, addresses;
static struct rsd_ranges got;
static struct rsd_pc pc;

static void setup(void)
{
	dwarf = (struct rsd_dwarf){ .object = NULL };
	dwo = (struct rsd_dwarf){ .dwo = true };
	unit = (struct rsd_unit){
		.dwarf = &dwarf, .version = 4, .addr_size = 8, .offset_size = 4, .low = 0x1000
	};
	split = unit;
	split.dwarf = &dwo;
	split.skeleton = &unit;
	split.low = 0;
	b = RSD_BUF_INIT;
	addresses = RSD_BUF_INIT;
	got = RSD_SYM_RANGES_INIT;
	pc = (struct rsd_pc){ .has_ranges = true,
		.ranges = { .kind = RSD_VALUE_SEC, .form = DW_FORM_sec_offset } };
}

static void teardown(void)
{
	rsd_buf_release(&b);
	rsd_buf_release(&addresses);
	free(got.range);
}

static void pair(uint64_t lo, uint64_t hi)
{
	put(&b, lo, 8);
	put(&b, hi, 8);
}

static void has(size_t i, uint64_t lo, uint64_t hi)
{
	ck_assert_uint_lt(i, got.nr);
	ck_assert_uint_eq(got.range[i].lo, lo);
	ck_assert_uint_eq(got.range[i].hi, hi);
}

START_TEST(pairs_count_from_the_base)
{
	pair(0x10, 0x20);
	pair(UINT64_MAX, 0x8000);
	pair(1, 1);
	pair(1, 3);
	pair(0, 0);
	pair(5, 6);
	dwarf.section[RSD_DW_RANGES] = bytes_of(&b);
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	ck_assert_uint_eq(got.nr, 2);
	has(0, 0x1010, 0x1020);
	has(1, 0x8001, 0x8003);
}
END_TEST

START_TEST(a_leading_end_is_passed_over_where_allowed)
{
	bool leading;

	pair(0, 0);
	pair(0x10, 0x20);
	pair(0, 0);
	dwarf.section[RSD_DW_RANGES] = bytes_of(&b);
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, &leading, &got), 0);
	ck_assert(leading);
	has(0, 0x1010, 0x1020);
	got.nr = 0;
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	ck_assert_uint_eq(got.nr, 0);
	unit.low = 0;
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, &leading, &got), 0);
	ck_assert(!leading);
	ck_assert_uint_eq(got.nr, 0);
}
END_TEST

/* DW_AT_GNU_ranges_base is the skeleton's, but for the .dwo's DIEs. */
START_TEST(lists_of_a_version_4_dwo)
{
	pair(1, 2);
	pair(0, 0);
	pair(3, 4);
	pair(0, 0);
	dwarf.section[RSD_DW_RANGES] = bytes_of(&b);
	unit.gnu_ranges_base = 32;
	ck_assert_int_eq(rsd_pc_ranges(&split, &pc, NULL, &got), 0);
	has(0, 0x1003, 0x1004);
	got.nr = 0;
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	has(0, 0x1001, 0x1002);
}
END_TEST

static void all_entries(void)
{
	put_bytes(&b, "04 10 20"); /* offset_pair */
	put_bytes(&b, "01 01");	   /* base_addressx 1 */
	put_bytes(&b, "04 01 02");
	put_bytes(&b, "02 00 01"); /* startx_endx */
	put_bytes(&b, "03 01 08"); /* startx_length */
	put_bytes(&b, "05");	   /* base_address */
	put(&b, 0x7000, 8);
	put_bytes(&b, "04 03 04 06"); /* and start_end */
	put(&b, 0x7100, 8);
	put(&b, 0x7101, 8);
	put_bytes(&b, "07"); /* start_length */
	put(&b, 0x7200, 8);
	put_bytes(&b, "80 01 00");
}

START_TEST(entries_of_version_5)
{
	put(&addresses, 0, 8);
	put(&addresses, 0x5000, 8);
	put(&addresses, 0x6000, 8);
	all_entries();
	unit.version = split.version = 5;
	unit.addr_base = 8;
	dwarf.section[RSD_DW_ADDR] = bytes_of(&addresses);
	dwo.section[RSD_DW_RNGLISTS] = bytes_of(&b);
	ck_assert_int_eq(rsd_pc_ranges(&split, &pc, NULL, &got), 0);
	ck_assert_uint_eq(got.nr, 7);
	has(0, 0x1010, 0x1020);
	has(1, 0x6001, 0x6002);
	has(2, 0x5000, 0x6000);
	has(3, 0x6000, 0x6008);
	has(4, 0x7003, 0x7004);
	has(5, 0x7100, 0x7101);
	has(6, 0x7200, 0x7280);
}
END_TEST

START_TEST(lists_by_index)
{
	put(&b, 0, 8);
	put(&b, 0, 4); /* header: 12 bytes */
	put(&b, 8, 4);
	put(&b, 11, 4);
	put_bytes(&b, "04 01 02 04 03 04 00");
	unit.version = 5;
	unit.rnglists_base = 12;
	dwarf.section[RSD_DW_RNGLISTS] = bytes_of(&b);
	pc.ranges = (struct rsd_value){ .kind = RSD_VALUE_LISTX, .u = 1 };
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	ck_assert_uint_eq(got.nr, 1);
	has(0, 0x1003, 0x1004);
	pc.ranges.u = UINT64_MAX / 4;
	ck_assert_int_ne(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
}
END_TEST

START_TEST(high_pc_is_address_or_length)
{
	pc = (struct rsd_pc){ .has_low = true, .has_high = true };
	pc.low = (struct rsd_value){ .kind = RSD_VALUE_ADDR, .u = 0x100 };
	pc.high = (struct rsd_value){ .kind = RSD_VALUE_CONST, .u = 0x10 };
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	pc.high = (struct rsd_value){ .kind = RSD_VALUE_ADDR, .u = 0x180 };
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	pc.high = (struct rsd_value){ .kind = RSD_VALUE_CONST, .u = UINT64_MAX };
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	pc.high = (struct rsd_value){ .kind = RSD_VALUE_ADDR, .u = 0x100 };
	ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), 0);
	ck_assert_uint_eq(got.nr, 2);
	has(0, 0x100, 0x110);
	has(1, 0x100, 0x180);
}
END_TEST

/* Many DIEs may claim one long list: what is read of a file is limited all in all. */
START_TEST(lists_that_are_read_for_ever_come_to_an_end)
{
	int err = 0, rounds = 0;

	for (int i = 0; i < 1000; i++)
		pair(0x10, 0x20);
	pair(0, 0);
	dwarf.section[RSD_DW_RANGES] = bytes_of(&b);
	for (; !err && rounds < 100000; rounds++) {
		got.nr = 0;
		err = rsd_pc_ranges(&unit, &pc, NULL, &got);
	}
	ck_assert_int_lt(rounds, 1000);
}
END_TEST

START_TEST(cut_off_at_any_byte)
{
	put(&addresses, 0x5000, 8);
	all_entries();
	unit.version = 5;
	dwarf.section[RSD_DW_ADDR] = bytes_of(&addresses);
	for (size_t len = 0; len < b.len; len++) {
		struct rsd_bytes part = exact(b.data, len);

		dwarf.section[RSD_DW_RNGLISTS] = part;
		got.nr = 0;
		ck_assert_int_eq(rsd_pc_ranges(&unit, &pc, NULL, &got), RSD_ERR_FORMAT);
		free((void *)(uintptr_t)part.data);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ranges");
	TCase *tc = tcase_create("ranges");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, pairs_count_from_the_base);
	tcase_add_test(tc, a_leading_end_is_passed_over_where_allowed);
	tcase_add_test(tc, lists_of_a_version_4_dwo);
	tcase_add_test(tc, entries_of_version_5);
	tcase_add_test(tc, lists_by_index);
	tcase_add_test(tc, high_pc_is_address_or_length);
	tcase_add_test(tc, lists_that_are_read_for_ever_come_to_an_end);
	tcase_add_test(tc, cut_off_at_any_byte);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
