/* split: which extra files a skeleton wants, and what becomes of it with them and without */
#include "dwarf_bytes.h"
#include "dwarf_const.h"
#include "split.h"
#include "util.h"

static struct rsd_dwarf dwarf;
static struct rsd_unit unit[3];
static struct rsd_splits splits;
static size_t *wanted, nr_wanted, alloc_wanted;
static struct rsd_buf file;

static void setup(void)
{
	dwarf = (struct rsd_dwarf){ .object = NULL };
	for (size_t i = 0; i < 3; i++)
		unit[i] = (struct rsd_unit){ .dwarf = &dwarf,
			.version = 4,
			.addr_size = 8,
			.offset_size = 4,
			.has_dwo_id = true,
			.dwo_id = 70 + i,
			.dwo_name = i < 2 ? "a.dwo" : "sub/b.dwo",
			.comp_dir = i < 2 ? "/nowhere/build" : "relative",
			.root_read = true };
	ck_assert_int_eq(
		rsd_splits_init(&splits, "/nowhere/bin/app", "/nowhere/debug/app.debug", true), 0);
	wanted = NULL;
	nr_wanted = alloc_wanted = 0;
	file = RSD_BUF_INIT;
}

static void teardown(void)
{
	rsd_splits_release(&splits);
	rsd_buf_release(&file);
	free(wanted);
}

/* A .dwo whose only unit, of version 4, has this id. */
static void make_dwo(uint64_t id)
{
	static const uint16_t root[] = { DW_AT_GNU_dwo_id, DW_FORM_data8, 0 };
	struct rsd_buf info = RSD_BUF_INIT, table = RSD_BUF_INIT;

	put_abbrev(&table, 1, DW_TAG_compile_unit, 0, root);
	put(&table, 0, 1);
	put_unit(&info, 0);
	put(&info, 1, 1);
	put(&info, id, 8);
	set_length(&info, 0);
	rsd_buf_reset(&file);
	put_wasm(&file);
	put_custom(&file, ".debug_info.dwo", info.data, info.len);
	put_custom(&file, ".debug_abbrev.dwo", table.data, table.len);
	rsd_buf_release(&info);
	rsd_buf_release(&table);
}

static void want(size_t i)
{
	ck_assert_int_eq(rsd_split_wants(&splits, &unit[i], &wanted, &nr_wanted, &alloc_wanted), 0);
}

static void want_only(size_t i, size_t id)
{
	nr_wanted = 0;
	want(i);
	ck_assert_uint_eq(nr_wanted, 1);
	ck_assert_uint_eq(wanted[0], id);
}

static struct rsd_unit *split_of(size_t i)
{
	struct rsd_unit *out = &unit[0];

	ck_assert_int_eq(rsd_split_unit(&splits, &unit[i], &out), 0);
	return out;
}

static void provide(size_t id, const struct rsd_buf *b)
{
	ck_assert_int_eq(
		rsd_split_provide(&splits, id, b ? bytes_of(b) : (struct rsd_bytes){ NULL, 0 }), 0);
}

static void has_path(size_t id, const char *path)
{
	for (size_t i = 0; i < splits.file[id]->nr_paths; i++) {
		if (strcmp(splits.file[id]->path[i], path) == 0)
			return;
	}
	ck_abort_msg("no path %s", path);
}

START_TEST(what_is_a_skeleton)
{
	struct rsd_dwarf dwo = { .dwo = true };

	ck_assert(rsd_unit_is_skeleton(&unit[0]));
	unit[0].dwarf = &dwo;
	ck_assert(!rsd_unit_is_skeleton(&unit[0]));
	unit[1].dwo_name = NULL;
	ck_assert(!rsd_unit_is_skeleton(&unit[1]));
	unit[2].has_dwo_id = false;
	ck_assert(!rsd_unit_is_skeleton(&unit[2]));
}
END_TEST

START_TEST(packages_first_then_each_file_once)
{
	want(0);
	want(1);
	ck_assert_uint_eq(nr_wanted, 2);
	ck_assert_uint_eq(wanted[0], 0);
	ck_assert_uint_eq(wanted[1], 1);
	has_path(0, "/nowhere/bin/app.dwp");
	has_path(0, "/nowhere/debug/app.debug.dwp");
	provide(0, NULL);
	want_only(0, 1);
	want(1); /* the same file */
	ck_assert_uint_eq(nr_wanted, 1);
	want(2);
	ck_assert_uint_eq(nr_wanted, 2);
	ck_assert_str_eq(splits.file[wanted[0]]->path[0], "/nowhere/build/a.dwo");
	has_path(wanted[0], "/nowhere/debug/a.dwo");
	has_path(wanted[1], "/nowhere/debug/relative/sub/b.dwo");
	has_path(wanted[1], "/nowhere/debug/sub/b.dwo");
	has_path(wanted[1], "/nowhere/debug/b.dwo");
}
END_TEST

START_TEST(not_loaded_then_there)
{
	struct rsd_unit *u;

	ck_assert_ptr_null(split_of(0));
	ck_assert_str_eq(unit[0].split->missing, "a.dwo: not loaded");
	provide(0, NULL);
	ck_assert_ptr_null(split_of(0));
	want_only(0, 1);
	make_dwo(70);
	provide(1, &file);
	u = split_of(0);
	ck_assert_ptr_nonnull(u);
	ck_assert_uint_eq(u->dwo_id, 70);
	ck_assert_ptr_eq(u->skeleton, &unit[0]);
	nr_wanted = 0;
	want(0);
	ck_assert_uint_eq(nr_wanted, 0);
	/* The other unit that names the file is not in it. */
	ck_assert_ptr_null(split_of(1));
	ck_assert_str_eq(unit[1].split->missing, "a.dwo: of another build");
}
END_TEST

START_TEST(not_there)
{
	provide(0, NULL);
	want_only(2, 1);
	provide(1, NULL);
	ck_assert_ptr_null(split_of(2));
	ck_assert_str_eq(unit[2].split->missing, "sub/b.dwo: not there");
	make_dwo(72);
	provide(1, &file); /* said to be not there before: that stays */
	ck_assert_ptr_null(split_of(2));
}
END_TEST

START_TEST(of_another_build)
{
	provide(0, NULL);
	want_only(0, 1);
	make_dwo(7);
	provide(1, &file);
	ck_assert_ptr_null(split_of(0));
	ck_assert_str_eq(unit[0].split->missing, "a.dwo: of another build");
}
END_TEST

/* What is no object file, or lacks the sections, is not there; so are bytes cut off anywhere. */
START_TEST(damaged_files)
{
	make_dwo(70);
	for (size_t len = 1; len < file.len; len++) {
		struct rsd_bytes cut = exact(file.data, len);

		provide(0, NULL);
		want_only(0, 1);
		ck_assert_int_eq(rsd_split_provide(&splits, 1, cut), 0);
		split_of(0);
		rsd_splits_release(&splits);
		unit[0].split = NULL;
		ck_assert_int_eq(rsd_splits_init(&splits, "/nowhere/bin/app", NULL, true), 0);
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

START_TEST(numbers_of_no_file)
{
	struct rsd_bytes none = { NULL, 0 };

	ck_assert_int_eq(rsd_split_provide(&splits, 1, none), RSD_ERR_RANGE);
	ck_assert_int_eq(rsd_split_provide(&splits, SIZE_MAX, none), RSD_ERR_RANGE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("split");
	TCase *tc = tcase_create("split");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_a_skeleton);
	tcase_add_test(tc, packages_first_then_each_file_once);
	tcase_add_test(tc, not_loaded_then_there);
	tcase_add_test(tc, not_there);
	tcase_add_test(tc, of_another_build);
	tcase_add_test(tc, damaged_files);
	tcase_add_test(tc, numbers_of_no_file);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
