/* check_requests.c - a replay's live requests, by their distance from the head */
#include "requests.h"

#include <check.h>
#include <stdlib.h>
#include "opstruct.h"

static struct rsd_request_table t;

static void clear(void)
{
	rsd_request_table_release(&t);
}

static struct rsd_live *make(int64_t slot)
{
	struct rsd_live *l = rsd_request_new(&t);

	ck_assert_ptr_nonnull(l);
	ck_assert_int_eq(rsd_request_made(&t, l, slot), 0);
	return l;
}

START_TEST(the_newest_is_at_distance_0)
{
	struct rsd_live *a = make(-1), *b = make(-1), *c = make(-1);

	ck_assert_ptr_eq(rsd_request_find(&t, 0), c);
	ck_assert_ptr_eq(rsd_request_find(&t, 1), b);
	ck_assert_ptr_eq(rsd_request_find(&t, 2), a);
	ck_assert_ptr_null(rsd_request_find(&t, 3));
	rsd_request_drop(b);
	ck_assert_ptr_null(rsd_request_find(&t, 1));
	ck_assert_ptr_eq(rsd_request_find(&t, 2), a);
}
END_TEST

START_TEST(persistent_requests_have_slots_and_do_not_move_the_head)
{
	struct rsd_live *a = make(-1), *p = make(3), *q = make(0);

	ck_assert_ptr_eq(rsd_request_find(&t, 0), a);
	ck_assert_ptr_eq(rsd_request_find(&t, -4), p);
	ck_assert_ptr_eq(rsd_request_find(&t, -1), q);
	ck_assert_ptr_null(rsd_request_find(&t, -2));
	ck_assert_ptr_null(rsd_request_find(&t, INT64_MIN + 1));
	rsd_request_drop(p);
	ck_assert_ptr_null(rsd_request_find(&t, -4));
}
END_TEST

START_TEST(a_request_that_was_never_made_can_be_dropped)
{
	struct rsd_live *l = rsd_request_new(&t);

	rsd_request_drop(l);
	ck_assert_ptr_eq(rsd_request_new(&t), l);
	rsd_request_drop(l);
	ck_assert_uint_eq(t.live, 0);
}
END_TEST

START_TEST(other_threads_name_it_by_its_number)
{
	struct rsd_live *a = make(-1), *b = make(-1);

	ck_assert_ptr_eq(rsd_request_find(&t, rsd_foreign(0, 0)), a);
	ck_assert_ptr_eq(rsd_request_find(&t, rsd_foreign(0, 1)), b);
	ck_assert(!rsd_request_was_made(&t, rsd_foreign(0, 2)));
	rsd_request_drop(b);
	ck_assert_ptr_null(rsd_request_find(&t, rsd_foreign(0, 1)));
	ck_assert(rsd_request_was_made(&t, rsd_foreign(0, 1)));
	ck_assert(!rsd_request_was_made(&t, -1));
}
END_TEST

START_TEST(the_entry_stays_while_another_thread_has_it)
{
	struct rsd_live *a = make(-1);

	rsd_request_hold(a, false);
	rsd_request_hold(a, true);
	ck_assert_int_eq(a->users, 1);
	rsd_request_drop(a);
	ck_assert(rsd_request_new(&t) != a);
	rsd_request_let_go(a, false);
	ck_assert(rsd_request_new(&t) != a);
	rsd_request_let_go(a, true);
	ck_assert_ptr_eq(rsd_request_new(&t), a);
}
END_TEST

START_TEST(a_closed_table_is_gone_with_its_last_request)
{
	struct rsd_live *a = make(-1), *b = make(4);

	rsd_request_table_close(&t);
	rsd_request_hold(b, true);
	rsd_request_drop(a);
	rsd_request_drop(b);
	ck_assert_ptr_nonnull(t.blocks);
	rsd_request_let_go(b, true);
	ck_assert_ptr_null(t.blocks);
	ck_assert(rsd_request_was_made(&t, rsd_foreign(0, 0)));
	ck_assert(!rsd_request_was_made(&t, rsd_foreign(0, 1)));
}
END_TEST

START_TEST(slots_may_have_any_number_and_cost_nothing)
{
	struct rsd_live *l = make(INT64_MAX);

	ck_assert_ptr_eq(rsd_request_find(&t, -1 - INT64_MAX), l);
	ck_assert_ptr_null(rsd_request_find(&t, -1));
	ck_assert_uint_le(t.by_slot.alloc, 64);
	rsd_request_drop(l);
	ck_assert_ptr_null(rsd_request_find(&t, -1 - INT64_MAX));
}
END_TEST

/* Oracle: a plain list of all requests ever made. */
START_TEST(finding_agrees_with_a_list)
{
	static struct rsd_live *made[2000];
	int nr = 0;

	srand(_i);
	for (int step = 0; step < 2000; step++) {
		int at = nr ? rand() % nr : 0;

		if (!nr || rand() % 3) {
			made[nr++] = make(-1);
		} else if (made[at]) {
			rsd_request_drop(made[at]);
			made[at] = NULL;
		}
		at = rand() % nr;
		ck_assert_ptr_eq(rsd_request_find(&t, nr - 1 - at), made[at]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("requests");
	TCase *tc = tcase_create("requests");
	SRunner *r = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(tc, NULL, clear);
	tcase_add_test(tc, the_entry_stays_while_another_thread_has_it);
	tcase_add_test(tc, a_closed_table_is_gone_with_its_last_request);
	tcase_add_test(tc, the_newest_is_at_distance_0);
	tcase_add_test(tc, persistent_requests_have_slots_and_do_not_move_the_head);
	tcase_add_test(tc, a_request_that_was_never_made_can_be_dropped);
	tcase_add_test(tc, other_threads_name_it_by_its_number);
	tcase_add_test(tc, slots_may_have_any_number_and_cost_nothing);
	tcase_add_loop_test(tc, finding_agrees_with_a_list, 0, 20);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
