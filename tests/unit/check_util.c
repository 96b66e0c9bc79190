#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

START_TEST(absurd_sizes_are_refused)
{
	ck_assert_ptr_null(rsd_malloc(RSD_ALLOC_MAX + 1));
	ck_assert_ptr_null(rsd_calloc(SIZE_MAX / 2, 4));
	ck_assert_ptr_null(rsd_realloc(NULL, SIZE_MAX));
	ck_assert_ptr_null(rsd_strndup("x", SIZE_MAX));
}
END_TEST

START_TEST(empty_allocations_are_no_failures)
{
	void *p[] = { rsd_malloc(0), rsd_calloc(0, 8), rsd_calloc(8, 0), rsd_strndup(NULL, 0) };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(p); i++) {
		ck_assert_ptr_nonnull(p[i]);
		free(p[i]);
	}
}
END_TEST

START_TEST(grow_keeps_contents_and_leaves_them_on_failure)
{
	int *a = NULL, *before;
	size_t alloc = 0, grown = 0;

	for (int i = 0; i < 1000; i++) {
		size_t old = alloc;

		ck_assert_int_eq(RSD_GROW(a, (size_t)i + 1, alloc), 0);
		grown += alloc != old;
		a[i] = i;
	}
	ck_assert_uint_lt(grown, 20);
	for (int i = 0; i < 1000; i++)
		if (a[i] != i)
			ck_abort_msg("element %d is %d", i, a[i]);
	before = a;
	grown = alloc;
	ck_assert_int_eq(RSD_GROW(a, RSD_ALLOC_MAX, alloc), RSD_ERR_NOMEM);
	ck_assert_ptr_eq(a, before);
	ck_assert_uint_eq(alloc, grown);
	free(a);
}
END_TEST

/* Many arrays keep what they begin with. */
START_TEST(an_array_begins_as_large_as_asked_for)
{
	for (size_t nr = 1; nr <= 5; nr++) {
		int64_t *a = NULL;
		size_t alloc = 0;

		ck_assert_int_eq(RSD_GROW(a, nr, alloc), 0);
		ck_assert_uint_eq(alloc, nr);
		ck_assert_int_eq(RSD_GROW(a, nr + 1, alloc), 0);
		ck_assert_uint_ge(alloc, 4);
		free(a);
	}
}
END_TEST

START_TEST(copies_are_terminated)
{
	char *s = rsd_strndup("abcdef", 3);

	ck_assert_str_eq(s, "abc");
	free(s);
}
END_TEST

START_TEST(every_error_has_a_text)
{
	for (int err = RSD_ERR_END; err <= 0; err++) {
		ck_assert_ptr_nonnull(rsd_strerror(err));
		ck_assert_str_ne(rsd_strerror(err), rsd_strerror(1));
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("util");
	TCase *tc = tcase_create("util");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, absurd_sizes_are_refused);
	tcase_add_test(tc, empty_allocations_are_no_failures);
	tcase_add_test(tc, grow_keeps_contents_and_leaves_them_on_failure);
	tcase_add_test(tc, an_array_begins_as_large_as_asked_for);
	tcase_add_test(tc, copies_are_terminated);
	tcase_add_test(tc, every_error_has_a_text);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
