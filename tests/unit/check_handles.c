/* check_handles.c - what a replay has made for each slot */
#include "handles.h"

#include <check.h>
#include <stdlib.h>
#include "opstruct.h"

/* The generated tables, as far as the module asks them. */
struct rsd_constant rsd_constants[] = {
	{ "absent", RSD_G_NONE, 0, 0 },
	{ "MPI_COMM_WORLD", RSD_G_COMM, 5, 0 },
	{ "MPI_COMM_NULL", RSD_G_COMM, 6, 0 },
	{ "MPI_KEYVAL_INVALID", RSD_G_KEYVAL, 7, 0 },
};
const int rsd_nr_constants = 4;

static struct rsd_handles h;

static void clear(void)
{
	rsd_handles_release(&h);
}

START_TEST(only_what_was_made_is_found)
{
	int64_t v = 0;

	ck_assert(!rsd_handles_find(&h, RSD_G_COMM, 0, &v));
	ck_assert_int_eq(rsd_handles_set(&h, RSD_G_COMM, 5, 77), 0);
	ck_assert(rsd_handles_find(&h, RSD_G_COMM, 5, &v) && v == 77);
	for (int64_t slot = 0; slot < 5; slot++)
		ck_assert(!rsd_handles_find(&h, RSD_G_COMM, slot, &v));
	ck_assert(!rsd_handles_find(&h, RSD_G_COMM, 6, &v));
	ck_assert(!rsd_handles_find(&h, RSD_G_COMM, -1, &v));
	ck_assert(!rsd_handles_find(&h, RSD_G_DATATYPE, 5, &v));
}
END_TEST

START_TEST(a_slot_is_used_again)
{
	int64_t v = 0;

	ck_assert_int_eq(rsd_handles_set(&h, RSD_G_WIN, 0, 1), 0);
	ck_assert_int_eq(rsd_handles_set(&h, RSD_G_WIN, 0, 2), 0);
	ck_assert(rsd_handles_find(&h, RSD_G_WIN, 0, &v) && v == 2);
}
END_TEST

START_TEST(numbers_may_be_any_and_cost_nothing)
{
	int64_t v = 0;

	ck_assert_int_ne(rsd_handles_set(&h, RSD_G_COMM, -1, 1), 0);
	for (int thread = 0; thread < 50; thread++) {
		ck_assert_int_eq(rsd_handles_set(&h, RSD_G_COMM, rsd_slot(thread, 7), thread), 0);
		ck_assert_int_eq(rsd_handles_set(&h, RSD_G_COMM, INT64_MAX - thread, 1), 0);
	}
	ck_assert_uint_le(h.kind[RSD_G_COMM].alloc, 512);
	for (int thread = 0; thread < 50; thread++)
		ck_assert(rsd_handles_find(&h, RSD_G_COMM, rsd_slot(thread, 7), &v) && v == thread);
}
END_TEST

START_TEST(what_is_dropped_is_not_found)
{
	int64_t v = 0;

	ck_assert_int_eq(rsd_handles_set(&h, RSD_G_WIN, 3, 1), 0);
	rsd_handles_drop(&h, RSD_G_WIN, 2);
	ck_assert(rsd_handles_find(&h, RSD_G_WIN, 3, &v));
	rsd_handles_drop(&h, RSD_G_WIN, 3);
	ck_assert(!rsd_handles_find(&h, RSD_G_WIN, 3, &v));
}
END_TEST

START_TEST(null_handles_are_found_by_their_names)
{
	ck_assert_int_eq(rsd_handles_null(RSD_G_COMM), 6);
	ck_assert_int_eq(rsd_handles_null(RSD_G_KEYVAL), 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("handles");
	TCase *tc = tcase_create("handles");
	SRunner *r = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(tc, NULL, clear);
	tcase_add_test(tc, only_what_was_made_is_found);
	tcase_add_test(tc, a_slot_is_used_again);
	tcase_add_test(tc, numbers_may_be_any_and_cost_nothing);
	tcase_add_test(tc, what_is_dropped_is_not_found);
	tcase_add_test(tc, null_handles_are_found_by_their_names);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
