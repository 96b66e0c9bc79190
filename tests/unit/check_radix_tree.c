#include <check.h>
#include <stdlib.h>

#include "radix_tree.h"

START_TEST(every_rank_is_its_parents_child)
{
	int nprocs = _i;

	ck_assert_int_eq(rsd_radix_parent(0), -1);
	for (int r = 1; r < nprocs; r++) {
		int parent = rsd_radix_parent(r), found = 0;

		ck_assert(parent >= 0 && parent < r);
		for (int k = 0, c; (c = rsd_radix_child(parent, nprocs, k)) >= 0; k++)
			found += c == r;
		ck_assert_int_eq(found, 1);
	}
}
END_TEST

/* What a rank has after each child is contiguous, and the next child lies right above it. */
START_TEST(subtrees_are_contiguous_and_ascend)
{
	int nprocs = _i;

	for (int r = 0; r < nprocs; r++) {
		int end = r + 1, c;

		for (int k = 0; (c = rsd_radix_child(r, nprocs, k)) >= 0; k++) {
			ck_assert_int_eq(c, end);
			end = rsd_radix_end(c, nprocs);
		}
		ck_assert_int_eq(end, rsd_radix_end(r, nprocs));
	}
}
END_TEST

START_TEST(the_largest_worlds_do_not_overflow)
{
	int nprocs = 2147483647, k = 0;

	while (rsd_radix_child(0, nprocs, k) >= 0)
		k++;
	ck_assert_int_eq(k, 31);
	ck_assert_int_eq(rsd_radix_end(0, nprocs), nprocs);
	ck_assert_int_eq(rsd_radix_end(1 << 30, nprocs), nprocs);
	ck_assert_int_eq(rsd_radix_child(1 << 30, nprocs, 29), (1 << 30) + (1 << 29));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("radix_tree");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, every_rank_is_its_parents_child, 1, 140);
	tcase_add_loop_test(tc, subtrees_are_contiguous_and_ascend, 1, 140);
	tcase_add_test(tc, the_largest_worlds_do_not_overflow);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
