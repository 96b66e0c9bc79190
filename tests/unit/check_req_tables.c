/*
 * req_tables: a request is found in the table of the thread that made it, by whichever thread looks.
 */
#include <check.h>
#include <stdlib.h>

#include "req_tables.h"

/* What there is of the runtime: no thread but this one. */
struct rsd_runtime rsd_rt;

bool rsd_lock_of(pthread_mutex_t *lock)
{
	return pthread_mutex_lock(lock) == 0;
}

bool rsd_lock(void)
{
	return false;
}

void rsd_unlock(bool locked)
{
	ck_assert(!locked);
}

static struct rsd_thread thread[2];
static int var[8];

static void setup(void)
{
	for (int i = 0; i < 2; i++) {
		rsd_requests_init(&thread[i].requests);
		thread[i].number = i;
		thread[i].nr_requests = 0;
		thread[i].next = i ? NULL : &thread[1];
	}
	rsd_rt.threads = &thread[0];
	rsd_rt.last = &thread[1];
}

static void teardown(void)
{
	for (int i = 0; i < 2; i++)
		rsd_requests_release(&thread[i].requests);
	rsd_rt.threads = rsd_rt.last = NULL;
}

static void make(int t, int64_t handle, int at)
{
	uint32_t index = rsd_add_offset_entry(
		&thread[t].requests, &thread[t].nr_requests, t, handle, &var[at], 0, false, false);

	ck_assert_uint_ne(index, RSD_NO_REQUEST);
}

/* The table in which thread t finds it; -1: in none. */
static int found_in(int t, int64_t handle, int at, int64_t offset)
{
	struct rsd_offset o = { .handle = handle };

	rsd_tables_look_up(&thread[t], &o, 1, 0, &var[at], sizeof(int));
	if (o.index == RSD_NO_REQUEST)
		return -1;
	ck_assert_int_eq(o.offset, offset);
	return o.in == &thread[1].requests;
}

START_TEST(another_threads_request_is_found)
{
	make(0, 7, 0);
	make(0, 8, 1);
	ck_assert_int_eq(found_in(0, 7, 0, 1), 0);
	ck_assert_int_eq(found_in(1, 7, 0, rsd_foreign(0, 0)), 0);
	ck_assert_int_eq(found_in(1, 8, 1, rsd_foreign(0, 1)), 0);
	ck_assert_int_eq(found_in(1, 9, 0, 0), -1);
}
END_TEST

START_TEST(what_is_not_counted_has_no_name_elsewhere)
{
	uint32_t index;

	make(0, 7, 0);
	index = rsd_add_offset_entry(&thread[0].requests, NULL, 0, 8, &var[1], 0, false, false);
	ck_assert_uint_ne(index, RSD_NO_REQUEST);
	make(0, 9, 2);
	ck_assert_int_eq(found_in(1, 8, 1, RSD_ABSENT), 0);
	ck_assert_int_eq(found_in(1, 9, 2, rsd_foreign(0, 1)), 0);
}
END_TEST

START_TEST(a_variable_says_whose_it_is_before_the_value_does)
{
	make(0, 7, 0);
	make(1, 7, 1);
	make(0, 7, 2);
	ck_assert_int_eq(found_in(1, 7, 0, rsd_foreign(0, 0)), 0);
	ck_assert_int_eq(found_in(1, 7, 1, 0), 1);
	ck_assert_int_eq(found_in(0, 7, 1, rsd_foreign(1, 0)), 1);
	ck_assert_int_eq(found_in(1, 7, 5, 0), 1);
}
END_TEST

START_TEST(a_request_that_has_moved_is_found_again_where_it_is)
{
	make(0, 7, 0);
	ck_assert_int_eq(found_in(1, 7, 3, rsd_foreign(0, 0)), 0);
	rsd_tables_move(7, &var[3], &var[4]);
	make(1, 7, 5);
	ck_assert_int_eq(found_in(1, 7, 4, rsd_foreign(0, 0)), 0);
}
END_TEST

START_TEST(a_persistent_one_has_its_slot)
{
	uint32_t index = rsd_add_offset_entry(
		&thread[1].requests, &thread[1].nr_requests, 1, 7, &var[0], 0, false, true);

	ck_assert_uint_ne(index, RSD_NO_REQUEST);
	ck_assert_int_eq(found_in(0, 7, 0, -1 - rsd_slot(1, 0)), 1);
}
END_TEST

START_TEST(by_value_a_threads_own_comes_first)
{
	struct rsd_offset o = { .handle = 7 };

	make(0, 7, 0);
	make(1, 7, 1);
	rsd_tables_look_up_used(&thread[1], &o);
	ck_assert_ptr_eq(o.in, &thread[1].requests);
	o.handle = 8;
	rsd_tables_look_up_used(&thread[1], &o);
	ck_assert_uint_eq(o.index, RSD_NO_REQUEST);
}
END_TEST

START_TEST(lists_are_of_several_tables_and_null_ones)
{
	struct rsd_offset o[4] = { { .handle = 7 }, { .handle = 0 }, { .handle = 8 },
		{ .handle = 9 } };

	make(0, 7, 0);
	make(1, 8, 2);
	make(0, 9, 3);
	rsd_tables_look_up(&thread[1], o, 4, 0, var, sizeof(int));
	ck_assert_ptr_eq(o[0].in, &thread[0].requests);
	ck_assert_uint_eq(o[1].index, RSD_NO_REQUEST);
	ck_assert_ptr_eq(o[2].in, &thread[1].requests);
	ck_assert_ptr_eq(o[3].in, &thread[0].requests);
	ck_assert_uint_eq(rsd_tables_most(), 2);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("req_tables");
	TCase *tc = tcase_create("core");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, another_threads_request_is_found);
	tcase_add_test(tc, what_is_not_counted_has_no_name_elsewhere);
	tcase_add_test(tc, a_variable_says_whose_it_is_before_the_value_does);
	tcase_add_test(tc, a_request_that_has_moved_is_found_again_where_it_is);
	tcase_add_test(tc, a_persistent_one_has_its_slot);
	tcase_add_test(tc, by_value_a_threads_own_comes_first);
	tcase_add_test(tc, lists_are_of_several_tables_and_null_ones);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
