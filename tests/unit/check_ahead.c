#include <check.h>
#include <stdlib.h>

#include "ahead.h"

/* Oracle: the same values appended to other columns one by one. */
#define COLS 4

static struct rsd_ahead a;
static struct rsd_column *col[COLS], *plain[COLS];

static void setup(void)
{
	a = (struct rsd_ahead){ .nr = 0 };
	for (int i = 0; i < COLS; i++) {
		col[i] = rsd_column_new(i == 3);
		plain[i] = rsd_column_new(i == 3);
	}
}

static void teardown(void)
{
	rsd_ahead_release(&a);
	for (int i = 0; i < COLS; i++) {
		rsd_column_free(col[i]);
		rsd_column_free(plain[i]);
	}
}

/* The event's values belong to columns 0 1 ... in turn, but for 'again' more ones of column 1, whose number column 0 tells. */
static uint32_t column_of(size_t i, size_t again)
{
	return (uint32_t)(i <= 1 ? i : i <= 1 + again ? 1 : i - again);
}

static void append(const int64_t *val, size_t nr, size_t again)
{
	const bool lays_out[COLS] = { true, false, false, false };
	uint32_t *column;
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		ck_assert_int_eq(rsd_column_append(plain[column_of(i, again)], val[i]), 0);
	if (rsd_ahead_take(&a, val, nr) || rsd_ahead_take_told(&a, col, val, nr, &err)) {
		ck_assert_int_eq(err, 0);
		return;
	}
	rsd_ahead_stop(&a, col, val, nr);
	column = rsd_ahead_plan(&a, nr, COLS);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_int_eq(rsd_column_append(col[column_of(i, again)], val[i]), 0);
		if (column)
			column[i] = column_of(i, again);
	}
	if (column)
		rsd_ahead_start(&a, col, lays_out);
}

static void compare(void)
{
	rsd_ahead_settle(&a, col);
	for (int i = 0; i < COLS; i++) {
		ck_assert_uint_eq(rsd_column_length(col[i]), rsd_column_length(plain[i]));
		ck_assert(rsd_column_equal(col[i], plain[i]));
	}
}

START_TEST(what_repeats_is_counted_only)
{
	const int64_t val[COLS] = { 0, 7, -1, 3 };

	for (int i = 0; i < 1000; i++)
		append(val, COLS, 0);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 990);
	ck_assert_uint_eq(a.nr_told, 0);
	compare();
	append(val, COLS, 0);
	compare();
}
END_TEST

START_TEST(what_advances_is_counted_too)
{
	for (int i = 0; i < 1000; i++)
		append((int64_t[]){ 0, 3 * i, -i, 3 }, COLS, 0);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 900);
	ck_assert_uint_eq(a.nr_told, 0);
	compare();
}
END_TEST

/* Rounds of 2, 3 and 2, which do not end together; one value of the second advances. */
START_TEST(what_goes_in_rounds_is_counted_too)
{
	for (int i = 0; i < 1000; i++)
		append((int64_t[]){ 0, i % 2 ? 1 : -1, i % 3 ? i % 3 : i, i % 2 }, COLS, 0);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 900);
	ck_assert_uint_eq(a.nr_told, 0);
	compare();
}
END_TEST

START_TEST(rounds_of_arrays_are_counted)
{
	for (int i = 0; i < 1000; i++)
		append((int64_t[]){ 2, 9, 8, 7, i % 3, 3 }, 6, 2);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 500);
	ck_assert_uint_eq(a.nr_told, 0);
	for (int i = 0; i < 999; i++) /* 3 values an event of a round of 4 */
		append((int64_t[]){ 2, 3 * i % 4, (3 * i + 1) % 4, (3 * i + 2) % 4, i % 3, 3 }, 6,
			2);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 500);
	compare();
}
END_TEST

START_TEST(a_long_round_leaves_the_others)
{
	for (int i = 0; i < 1000; i++)
		append((int64_t[]){ 0, i * i % 19, 5, 3 }, COLS, 0);
	ck_assert_uint_gt(a.room, 8);
	ck_assert_uint_eq(a.nr_told, 1);
	compare();
}
END_TEST

START_TEST(one_without_any_rule_leaves_the_others)
{
	uint64_t counted = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		append((int64_t[]){ 0, rand(), 5, 3 }, COLS, 0);
		counted += rsd_ahead_taken(&a) > 0;
	}
	ck_assert_uint_ge(counted, 18000);
	compare();
}
END_TEST

START_TEST(arrays_are_counted)
{
	const int64_t val[] = { 4, 9, 9, 9, 9, 5, 3 };

	for (int i = 0; i < 1000; i++)
		append(val, 7, 3);
	ck_assert_uint_ge(rsd_ahead_taken(&a), 900);
	compare();
}
END_TEST

/* Phases, in each of which every column follows a rule of its own, if any; arrays of changing length. */
START_TEST(columns_are_as_if_appended_one_by_one)
{
	int64_t val[COLS + 8], next[COLS] = { 0 };

	srand(_i);
	for (int phase = 0; phase < 40; phase++) {
		int rule[COLS], length = 1 + rand() % 200;

		for (int c = 0; c < COLS; c++)
			rule[c] = rand() % 7;
		for (int e = 0; e < length; e++) {
			size_t again = rule[0] == 0 ? (size_t)rand() % 4 : (size_t)rule[0],
			       nr = COLS + again;

			val[0] = (int64_t)again;
			for (size_t i = 1; i < nr; i++) {
				uint32_t c = column_of(i, again);

				switch (rule[c]) {
				case 0:
					next[c] = rand() % 100;
					break;
				case 1:
					next[c] += 3;
					break;
				case 2:
					next[c] = e % 2 ? 1 : -1;
					break;
				case 3:
					next[c] = e % 20 < 19 ? 5 : 6;
					break;
				case 4:
					next[c] = e % 3 == 2 ? e : 7;
					break;
				case 5:
					next[c] = e / 2 % 2 * 2 + 3 * (e / 4);
					break;
				}
				val[i] = c == 3 && next[c] < 0 ? 0 : next[c];
			}
			append(val, nr, again);
		}
		if (rand() % 4 == 0)
			compare();
	}
	compare();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ahead");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_repeats_is_counted_only);
	tcase_add_test(tc, what_advances_is_counted_too);
	tcase_add_test(tc, what_goes_in_rounds_is_counted_too);
	tcase_add_test(tc, rounds_of_arrays_are_counted);
	tcase_add_test(tc, a_long_round_leaves_the_others);
	tcase_add_test(tc, one_without_any_rule_leaves_the_others);
	tcase_add_test(tc, arrays_are_counted);
	tcase_add_loop_test(tc, columns_are_as_if_appended_one_by_one, 0, 40);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
