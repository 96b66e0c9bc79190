/* scope: what is around a DIE, by its place */
#include <stdio.h>

#include "dwarf_bytes.h"
#include "dwarf_const.h"
#include "scope.h"

enum { UNIT = 1, NAMESPACE, CLASS, SUBPROGRAM, VARIABLE, BLOCK, UNNAMED };

static struct rsd_dwarf dwarf;
static struct rsd_buf info, table;
static const struct rsd_scopes *scopes;

static void setup(void)
{
	static const uint16_t none[] = { 0 };
	static const uint16_t named[] = { DW_AT_name, DW_FORM_string, 0 };

	dwarf = (struct rsd_dwarf){ .object = NULL };
	info = table = RSD_BUF_INIT;
	scopes = NULL;
	put_abbrev(&table, UNIT, DW_TAG_compile_unit, 1, none);
	put_abbrev(&table, NAMESPACE, DW_TAG_namespace, 1, named);
	put_abbrev(&table, CLASS, DW_TAG_class_type, 1, named);
	put_abbrev(&table, SUBPROGRAM, DW_TAG_subprogram, 1, named);
	put_abbrev(&table, VARIABLE, 0x34, 0, named);
	put_abbrev(&table, BLOCK, 0x0b, 1, none);
	put_abbrev(&table, UNNAMED, DW_TAG_namespace, 1, none);
	put(&table, 0, 1);
	put_unit(&info, 0);
	put(&info, UNIT, 1);
}

static void teardown(void)
{
	rsd_dwarf_release(&dwarf);
	rsd_buf_release(&info);
	rsd_buf_release(&table);
}

/* The DIE's place. */
static uint64_t die(int kind, const char *name)
{
	uint64_t at = info.len;

	put(&info, (uint64_t)kind, 1);
	if (name)
		put_text(&info, name);
	return at;
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
	scopes = rsd_unit_scopes(&dwarf.unit[0]);
	ck_assert_ptr_nonnull(scopes);
}

/* The scopes around a DIE, "a::b"; of a function its place, of one without a name a "?". */
static void is_in(uint64_t at, const char *want)
{
	char got[200] = "", before[200];
	size_t k = rsd_scopes_around(scopes, at);

	for (; k != RSD_NO_SCOPE; k = scopes->scope[k].outer) {
		const struct rsd_scope *s = &scopes->scope[k];
		const char *name = s->tag == DW_TAG_subprogram ? "f()" : s->name ? s->name : "?";

		memcpy(before, got, sizeof(got));
		snprintf(got, sizeof(got), "%s%s%.150s", name, before[0] ? "::" : "", before);
	}
	ck_assert_str_eq(got, want);
}

START_TEST(scopes_around_dies)
{
	uint64_t a, b, v, in_b, after_b, g, local, in_local, hidden, top;

	a = die(NAMESPACE, "a");
	b = die(CLASS, "b");
	v = die(VARIABLE, "v");
	die(BLOCK, NULL); /* no scope of names */
	in_b = die(VARIABLE, "w");
	up();
	up();
	after_b = die(VARIABLE, "x");
	up();
	g = die(SUBPROGRAM, "g");
	local = die(CLASS, "local");
	in_local = die(VARIABLE, "y");
	up();
	up();
	die(UNNAMED, NULL);
	hidden = die(VARIABLE, "z");
	up();
	top = die(VARIABLE, "t");
	up();
	finish();
	is_in(a, "");
	is_in(b, "a");
	is_in(v, "a::b");
	is_in(in_b, "a::b");
	is_in(after_b, "a");
	is_in(g, "");
	is_in(local, "f()");
	is_in(in_local, "f()::local");
	is_in(hidden, "?");
	is_in(top, "");
	ck_assert_ptr_eq(rsd_unit_scopes(&dwarf.unit[0]), scopes); /* kept */
}
END_TEST

START_TEST(nested_deep)
{
	uint64_t at;

	for (int i = 0; i < 5000; i++)
		die(UNNAMED, NULL);
	at = die(VARIABLE, "v");
	finish();
	ck_assert_uint_eq(scopes->nr, 5000);
	ck_assert_uint_eq(rsd_scopes_around(scopes, at), 4999);
}
END_TEST

START_TEST(cut_off_at_any_byte)
{
	size_t whole;

	die(NAMESPACE, "a");
	die(CLASS, "b");
	die(VARIABLE, "v");
	up();
	up();
	whole = info.len;
	for (size_t len = 13; len <= whole; len++) {
		struct rsd_bytes cut;

		info.len = len;
		set_length(&info, 0);
		cut = exact(info.data, len);
		dwarf.section[RSD_DW_INFO] = cut;
		dwarf.section[RSD_DW_ABBREV] = bytes_of(&table);
		ck_assert_int_eq(rsd_dwarf_scan(&dwarf), 0);
		scopes = rsd_unit_scopes(&dwarf.unit[0]);
		if (scopes)
			rsd_scopes_around(scopes, len);
		rsd_dwarf_release(&dwarf);
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scope");
	TCase *tc = tcase_create("scope");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, scopes_around_dies);
	tcase_add_test(tc, nested_deep);
	tcase_add_test(tc, cut_off_at_any_byte);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
