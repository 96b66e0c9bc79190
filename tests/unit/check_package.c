/* package: indices of both versions, found by id; altered ones */
#include "dwarf_bytes.h"
#include "package.h"

static struct rsd_buf index_bytes;
static struct rsd_section section;
static struct rsd_object object;
static struct rsd_dwarf dwarf, view;
static unsigned char contents[1000];

/* Two units, ids 5 and 9 + 2^32, in an index of 4 slots with the columns given. */
static void make(int version, const uint32_t *column, uint32_t columns)
{
	index_bytes = RSD_BUF_INIT;
	put(&index_bytes, (uint64_t)version, version == 5 ? 2 : 4);
	if (version == 5)
		put(&index_bytes, 0, 2);
	put(&index_bytes, columns, 4);
	put(&index_bytes, 2, 4);
	put(&index_bytes, 4, 4);
	/* 9 + 2^32 is at slot 1 of 4, which 5 takes; its step is 1 | 1. */
	put(&index_bytes, 0, 8);
	put(&index_bytes, 5, 8);
	put(&index_bytes, 9 + ((uint64_t)1 << 32), 8);
	put(&index_bytes, 0, 8);
	put_bytes(&index_bytes, "00000000 01000000 02000000 00000000");
	for (uint32_t i = 0; i < columns; i++)
		put(&index_bytes, column[i], 4);
	for (uint32_t i = 0; i < 2 * columns; i++)
		put(&index_bytes, 100 * i, 4);
	for (uint32_t i = 0; i < 2 * columns; i++)
		put(&index_bytes, 10 + i, 4);
	section = (struct rsd_section){ .name = ".debug_cu_index", .raw = bytes_of(&index_bytes) };
	object = (struct rsd_object){ .section = &section, .nr_sections = 1 };
	dwarf = (struct rsd_dwarf){ .object = &object, .dwo = true };
	for (size_t i = 0; i < RSD_DW_SECTIONS; i++)
		dwarf.section[i] = (struct rsd_bytes){ contents, sizeof(contents) };
}

static void part_is(enum rsd_dwarf_section kind, size_t offset, size_t len)
{
	ck_assert_ptr_eq(view.section[kind].data, contents + offset);
	ck_assert_uint_eq(view.section[kind].len, len);
}

START_TEST(version_2)
{
	static const uint32_t column[] = { 1, 3, 6, 8 }; /* info, abbrev, str_offsets, macro */

	make(2, column, 4);
	ck_assert(rsd_package_find(&dwarf, 5, &view));
	part_is(RSD_DW_INFO, 0, 10);
	part_is(RSD_DW_ABBREV, 100, 11);
	part_is(RSD_DW_STR_OFFSETS, 200, 12);
	part_is(RSD_DW_RNGLISTS, 0, sizeof(contents));
	part_is(RSD_DW_STR, 0, sizeof(contents));
	ck_assert(rsd_package_find(&dwarf, 9 + ((uint64_t)1 << 32), &view));
	part_is(RSD_DW_INFO, 400, 14);
	ck_assert(!rsd_package_find(&dwarf, 6, &view));
	ck_assert(!rsd_package_find(&dwarf, 9, &view));
	rsd_buf_release(&index_bytes);
}
END_TEST

START_TEST(version_5)
{
	static const uint32_t column[] = { 8, 1, 3 };

	make(5, column, 3);
	ck_assert(rsd_package_find(&dwarf, 9 + ((uint64_t)1 << 32), &view));
	part_is(RSD_DW_RNGLISTS, 300, 13);
	part_is(RSD_DW_INFO, 400, 14);
	rsd_buf_release(&index_bytes);
}
END_TEST

/* A part may lie outside its section: then it is empty, or what there is of it. */
START_TEST(altered_or_cut_off)
{
	static const uint32_t column[] = { 1, 3, 6, 8 };

	make(_i % 2 ? 2 : 5, column, 4);
	srand((unsigned int)_i);
	for (int k = 0; k < 200; k++) {
		size_t len = rand() % 3 ? index_bytes.len : (size_t)rand() % index_bytes.len;
		struct rsd_bytes b = exact(index_bytes.data, len);
		unsigned char *p = (unsigned char *)(uintptr_t)b.data;

		for (int i = 0; i < 3 && len; i++)
			p[(size_t)rand() % len] = (unsigned char)(rand() % 3 ? rand() % 9 : 255);
		section = (struct rsd_section){ .name = ".debug_cu_index", .raw = b };
		if (rsd_package_find(&dwarf, 5, &view)) {
			for (size_t i = 0; i < RSD_DW_SECTIONS; i++)
				ck_assert(!view.section[i].len ||
					  (view.section[i].data >= contents &&
						  view.section[i].data + view.section[i].len <=
							  contents + sizeof(contents)));
		}
		free(p);
	}
	rsd_buf_release(&index_bytes);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("package");
	TCase *tc = tcase_create("package");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, version_2);
	tcase_add_test(tc, version_5);
	tcase_add_loop_test(tc, altered_or_cut_off, 0, 20);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
