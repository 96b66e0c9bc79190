#include <check.h>
#include <stdlib.h>

#include "opstruct.h"
#include "req_handler.h"

static struct rsd_requests q;
static uint64_t head;
static int var[1 << 12];

static void setup(void)
{
	rsd_requests_init(&q);
	head = 0;
}

static void teardown(void)
{
	rsd_requests_release(&q);
}

static uint32_t add(int64_t handle, const void *at)
{
	return rsd_add_offset_entry(&q, &head, 0, handle, at, 0, false, false);
}

START_TEST(the_offset_is_the_distance_from_the_head)
{
	uint32_t a = add(10, &var[0]), b = add(11, &var[1]), c = add(12, &var[2]);

	ck_assert_int_eq(rsd_lookup_offset(&q, a), 2);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), 1);
	ck_assert_int_eq(rsd_lookup_offset(&q, c), 0);
	rsd_remove_request(&q, c);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), 2);
	ck_assert_uint_eq(rsd_find_request(&q, 12, &var[2]), RSD_NO_REQUEST);
}
END_TEST

START_TEST(what_is_not_counted_has_no_offset_and_shifts_none)
{
	uint32_t a = add(10, &var[0]), b, c;

	b = rsd_add_offset_entry(&q, NULL, 0, 11, &var[1], 0, false, false);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), 0);
	c = add(12, &var[2]);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), 1);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), RSD_ABSENT);
	ck_assert_int_eq(rsd_lookup_offset(&q, c), 0);
	ck_assert_uint_eq(rsd_find_request(&q, 11, &var[1]), b);
	rsd_remove_request(&q, b);
	b = rsd_add_offset_entry(&q, NULL, 0, 11, &var[1], 0, false, true);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), RSD_ABSENT);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), 1);
	b = rsd_add_offset_entry(&q, &head, 0, 13, &var[3], 0, false, true);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), -1);
}
END_TEST

START_TEST(requests_of_one_value_are_told_apart_by_variable)
{
	uint32_t r[8];

	for (int i = 0; i < 8; i++)
		r[i] = add(7, &var[i]);
	for (int i = 7; i >= 0; i -= 2)
		ck_assert_uint_eq(rsd_find_request(&q, 7, &var[i]), r[i]);
}
END_TEST

/* The program copied its array: the oldest comes first, and each is found only once. */
START_TEST(moved_requests_are_found_in_order)
{
	uint32_t r[8];

	for (int i = 0; i < 8; i++)
		r[i] = add(7, &var[i]);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(rsd_find_request(&q, 7, &var[100 + i]), r[i]);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(rsd_find_request(&q, 7, &var[100 + i]), r[i]);
	/* By value: the oldest, and it stays where it is. */
	ck_assert_uint_eq(rsd_find_request(&q, 7, NULL), r[0]);
	ck_assert_uint_eq(rsd_find_request(&q, 7, NULL), r[0]);
}
END_TEST

START_TEST(a_variable_holds_the_latest_request)
{
	uint32_t a = add(7, &var[0]), b = add(7, &var[0]);

	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[0]), b);
	rsd_remove_request(&q, b);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[1]), a);
}
END_TEST

/* As a program swaps two variables. */
static void swap_vars(int64_t handle, const void *a, const void *b)
{
	static int aside;

	rsd_move_request(&q, handle, a, &aside);
	rsd_move_request(&q, handle, b, a);
	rsd_move_request(&q, handle, &aside, b);
}

START_TEST(requests_are_found_where_they_were_moved)
{
	uint32_t a = add(7, &var[0]), b = add(7, &var[1]), c = add(7, &var[2]),
		 other = add(8, &var[2]);
	uint32_t p = rsd_add_offset_entry(&q, &head, 0, 9, &var[3], 0, false, true);
	uint32_t r = rsd_add_offset_entry(&q, &head, 0, 9, &var[4], 0, false, true);

	swap_vars(7, &var[0], &var[2]);
	swap_vars(9, &var[3], &var[4]);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[0]), c);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[1]), b);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[2]), a);
	ck_assert_uint_eq(rsd_find_request(&q, 8, &var[2]), other);
	ck_assert_uint_eq(rsd_find_request(&q, 9, &var[3]), r);
	ck_assert_uint_eq(rsd_find_request(&q, 9, &var[4]), p);
	/* By value it is the oldest still. */
	ck_assert_uint_eq(rsd_find_request(&q, 7, NULL), a);
	rsd_remove_request(&q, a);
	rsd_remove_request(&q, c);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[0]), b);
}
END_TEST

START_TEST(a_move_from_nowhere_changes_nothing)
{
	uint32_t a = add(7, &var[0]), b = add(7, &var[1]);

	rsd_move_request(&q, 7, &var[5], &var[0]);
	rsd_move_request(&q, 8, &var[0], &var[1]);
	rsd_move_request(&q, 7, NULL, &var[1]);
	rsd_move_request(&q, 7, &var[0], NULL);
	rsd_move_request(&q, 7, &var[0], &var[0]);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[0]), a);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[1]), b);
	rsd_remove_request(&q, a);
	rsd_move_request(&q, 7, &var[0], &var[1]);
	ck_assert_uint_eq(rsd_find_request(&q, 7, &var[1]), b);
}
END_TEST

START_TEST(persistent_requests_have_slots)
{
	uint32_t a = rsd_add_offset_entry(&q, &head, 0, 1, &var[0], 0, false, true);
	uint32_t b = rsd_add_offset_entry(&q, &head, 0, 2, &var[1], 0, false, true);
	uint32_t c = add(3, &var[2]);

	ck_assert_int_eq(rsd_lookup_offset(&q, a), -1);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), -2);
	ck_assert_int_eq(rsd_lookup_offset(&q, c), 0);
	rsd_remove_request(&q, a);
	a = rsd_add_offset_entry(&q, &head, 0, 4, &var[3], 0, false, true);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), -1);
	ck_assert_int_eq(rsd_lookup_offset(&q, b), -2);
}
END_TEST

START_TEST(each_thread_has_slots_of_its_own)
{
	uint64_t other_head = 0;
	uint32_t a = rsd_add_offset_entry(&q, &other_head, 3, 1, &var[0], 0, false, true);
	uint32_t b = rsd_add_offset_entry(&q, &head, 0, 2, &var[1], 0, false, true);
	uint32_t c = rsd_add_offset_entry(&q, &other_head, 3, 3, &var[2], 0, false, true);

	ck_assert_int_eq(rsd_lookup_offset(&q, a), -1 - rsd_slot(3, 0));
	ck_assert_int_eq(rsd_lookup_offset(&q, b), -1);
	ck_assert_int_eq(rsd_lookup_offset(&q, c), -1 - rsd_slot(3, 1));
	rsd_remove_request(&q, a);
	rsd_remove_request(&q, b);
	a = rsd_add_offset_entry(&q, &other_head, 3, 4, &var[3], 0, false, true);
	ck_assert_int_eq(rsd_lookup_offset(&q, a), -1 - rsd_slot(3, 0));
}
END_TEST

START_TEST(a_list_skips_what_is_no_request)
{
	struct rsd_offset list[4] = {
		{ .handle = 7, .offset = 55 },
		{ .handle = -9, .offset = 55 },
		{ .handle = 8, .offset = 55 },
		{ .handle = 99, .offset = 55 },
	};
	uint32_t a = add(7, &var[0]), b = add(8, &var[2]);

	rsd_lookup_offsetlist(&q, list, 4, -9, var, sizeof(*var));
	ck_assert_uint_eq(list[0].index, a);
	ck_assert_uint_eq(list[1].index, RSD_NO_REQUEST);
	ck_assert_uint_eq(list[2].index, b);
	ck_assert_uint_eq(list[3].index, RSD_NO_REQUEST);
	ck_assert_int_eq(list[0].offset, 1);
	ck_assert_int_eq(list[1].offset, 55);
	ck_assert_int_eq(list[2].offset, 0);
	ck_assert_int_eq(list[3].offset, 55);
	rsd_remove_request(&q, a);
	add(7, &var[0]);
	ck_assert(!rsd_request_is_live(&q, &list[0]) && !rsd_request_is_live(&q, &list[1]));
	ck_assert(rsd_request_is_live(&q, &list[2]));
}
END_TEST

/* Oracle: a plain array of live requests, in order of creation. */
START_TEST(agrees_with_a_plain_list)
{
	struct {
		int64_t handle;
		int at;
		uint32_t index;
		uint64_t serial;
	} live[512];
	uint64_t made = 0;
	int nr = 0;

	srand((unsigned)_i);
	for (int step = 0; step < 2000; step++) {
		if (nr && rand() % 8 == 0) {
			int i = rand() % nr, to = 600 + step;

			rsd_move_request(&q, live[i].handle, &var[live[i].at], &var[to]);
			live[i].at = to;
		} else if (nr < 500 && rand() % 5 < 3) {
			int at = rand() % 600;
			bool taken = false;

			for (int i = 0; i < nr; i++)
				taken = taken || live[i].at == at;
			if (taken)
				continue;
			live[nr].handle = rand() % 4;
			live[nr].at = at;
			live[nr].index = add(live[nr].handle, &var[at]);
			live[nr].serial = ++made;
			nr++;
		} else if (nr) {
			int i = rand() % nr;
			uint32_t found = rsd_find_request(&q, live[i].handle, &var[live[i].at]);

			ck_assert_uint_eq(found, live[i].index);
			ck_assert_int_eq(
				rsd_lookup_offset(&q, found), (int64_t)(made - live[i].serial));
			rsd_remove_request(&q, found);
			for (nr--; i < nr; i++)
				live[i] = live[i + 1];
		}
		ck_assert_uint_eq(q.live, (size_t)nr);
	}
}
END_TEST

/*
 * Oracle: a plain array again, but variables are overwritten, and requests looked for in
 * variables that they are not known to be in, or in none. Each is an int's, or a long way from it.
 */
struct plain {
	int64_t handle;
	const void *at;
	uint32_t index;
} plain[64];

static int plain_find(int nr, int64_t handle, const void *at, bool by_value)
{
	for (int i = 0; i < nr; i++) {
		if (plain[i].handle == handle && (by_value || plain[i].at == at))
			return i;
	}
	return -1;
}

static void plain_remove(int *nr, int i)
{
	for (--*nr; i < *nr; i++)
		plain[i] = plain[i + 1];
}

/* The index of the request, which is in the variable from then on. */
static uint32_t plain_look_up(int nr, int64_t handle, const void *at)
{
	int i = at ? plain_find(nr, handle, at, false) : -1;
	struct plain found;

	if (i >= 0)
		return plain[i].index;
	i = plain_find(nr, handle, NULL, true);
	if (i < 0)
		return RSD_NO_REQUEST;
	found = plain[i];
	if (at) {
		found.at = at;
		plain_remove(&nr, i);
		plain[nr] = found;
	}
	return found.index;
}

START_TEST(what_moved_agrees_with_a_plain_list)
{
	int nr = 0;

	srand((unsigned)_i);
	for (int step = 0; step < 3000; step++) {
		int64_t handle = rand() % 3;
		const void *at = &var[rand() % 12 + 256 * (rand() % 3)];
		int what = rand() % 6;

		if (what < 3 && nr < 64) {
			int lost = plain_find(nr, handle, at, false);

			if (lost >= 0)
				plain[lost].at = NULL;
			plain[nr++] = (struct plain){ handle, at, add(handle, at) };
		} else if (what < 5 && nr) {
			int i = rand() % nr;

			rsd_remove_request(&q, plain[i].index);
			plain_remove(&nr, i);
		} else {
			if (rand() % 8 == 0)
				at = NULL;
			ck_assert_uint_eq(
				rsd_find_request(&q, handle, at), plain_look_up(nr, handle, at));
		}
	}
}
END_TEST

START_TEST(a_million_live_requests_take_no_time)
{
	enum { N = 1000000 };
	char *at = malloc(N);

	for (int i = 0; i < N; i++)
		add(7, &at[i]);
	ck_assert_uint_eq(q.most, N);
	for (int i = N - 1; i >= 0; i--)
		rsd_remove_request(&q, rsd_find_request(&q, 7, &at[i]));
	ck_assert_uint_eq(q.live, 0);
	free(at);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("req_handler");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_offset_is_the_distance_from_the_head);
	tcase_add_test(tc, what_is_not_counted_has_no_offset_and_shifts_none);
	tcase_add_test(tc, requests_of_one_value_are_told_apart_by_variable);
	tcase_add_test(tc, moved_requests_are_found_in_order);
	tcase_add_test(tc, a_variable_holds_the_latest_request);
	tcase_add_test(tc, requests_are_found_where_they_were_moved);
	tcase_add_test(tc, a_move_from_nowhere_changes_nothing);
	tcase_add_test(tc, persistent_requests_have_slots);
	tcase_add_test(tc, each_thread_has_slots_of_its_own);
	tcase_add_test(tc, a_list_skips_what_is_no_request);
	tcase_add_loop_test(tc, agrees_with_a_plain_list, 0, 40);
	tcase_add_loop_test(tc, what_moved_agrees_with_a_plain_list, 0, 200);
	tcase_add_test(tc, a_million_live_requests_take_no_time);
	suite_add_tcase(suite, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
