/* check_clocks.c - times of ranks whose clocks differ in origin and rate */
#include <check.h>
#include <stdlib.h>

#include "clocks.h"
#include "merge.h"

#define LATEST (INT64_C(1) << 61)

static struct rsd_trace *t;
static struct rsd_clocks *c;

static void put(enum rsd_object_kind kind, int64_t id, int rank, const int64_t *v)
{
	struct rsd_object *o = rsd_trace_add_object(t, kind, id);

	ck_assert_ptr_nonnull(o);
	ck_assert_int_eq(rsd_object_set(o, rank, v), 0);
}

static void put_clock(int id, int rank, int64_t at, int64_t offset, int64_t error)
{
	const int64_t v[] = { at, offset, error };

	put(RSD_O_CLOCK, id, rank, v);
}

static void put_thread(int id, int rank, int64_t begin)
{
	put(RSD_O_THREAD, id, rank, &begin);
}

/* Objects of several ranks are of several traces. */
static void merge_ranks(int nr, void (*fill)(int rank))
{
	struct rsd_trace *all = NULL;

	for (int r = 0; r < nr; r++) {
		t = rsd_trace_new(nr);
		ck_assert_int_eq(rsd_ranks_append(&t->ranks, r), 0);
		fill(r);
		if (all)
			ck_assert_int_eq(rsd_merge(all, t), 0);
		else
			all = t;
	}
	t = all;
	ck_assert_int_eq(rsd_clocks_new(&c, t), 0);
}

static void teardown(void)
{
	rsd_clocks_free(c);
	rsd_trace_free(t);
	c = NULL;
	t = NULL;
}

static int64_t time_of(int rank, int thread, int64_t ns)
{
	return rsd_clocks_time(c, rank, thread, ns, LATEST);
}

/* Rank r's clock is ahead by r seconds, and goes faster by r in 1000; each begins a microsecond after the one before. */
#define SECOND INT64_C(1000000000)
static int64_t clock_of(int rank, int64_t ns)
{
	return ns + ns / 1000 * rank + rank * SECOND;
}

static void fill_drifting(int r)
{
	int64_t from = 5 * SECOND, to = 9 * SECOND;

	put_thread(0, r, clock_of(r, from + r * 1000));
	put_thread(3, r, clock_of(r, 6 * SECOND));
	put_clock(0, r, clock_of(r, from), from - clock_of(r, from), 10 * r);
	put_clock(1, r, clock_of(r, to), to - clock_of(r, to), 5);
}

START_TEST(times_go_along_the_line)
{
	int64_t error;

	merge_ranks(4, fill_drifting);
	ck_assert(rsd_clocks_cover(c, &error));
	ck_assert_int_eq(error, 30);
	for (int r = 0; r < 4; r++) {
		ck_assert_int_eq(time_of(r, 0, 0), r * 1000);
		ck_assert_int_eq(time_of(r, 3, 0), SECOND);
		for (int64_t ms = 0; ms <= 3000; ms += 100) {
			int64_t own =
				clock_of(r, 6 * SECOND + ms * 1000000) - clock_of(r, 6 * SECOND);

			ck_assert_int_le(llabs(time_of(r, 3, own) - SECOND - ms * 1000000), 1);
		}
	}
}
END_TEST

START_TEST(beyond_what_was_measured_the_offset_stays)
{
	int64_t own;

	merge_ranks(3, fill_drifting);
	own = clock_of(2, 9 * SECOND) - clock_of(2, 6 * SECOND);
	ck_assert_int_le(llabs(time_of(2, 3, own + SECOND) - 5 * SECOND), 1);
}
END_TEST

/* A run that was cut off has no end; a rank without a comparison has its threads on one clock. */
static void fill_in_part(int r)
{
	put_thread(0, r, 7 * SECOND + r * 100);
	put_thread(1, r, 7 * SECOND + r * 100 - 40);
	if (r < 2)
		put_clock(0, r, 7 * SECOND, -r * 100, 0);
}

START_TEST(what_is_missing_is_left_alone)
{
	int64_t error;

	merge_ranks(3, fill_in_part);
	ck_assert(!rsd_clocks_cover(c, &error));
	for (int r = 0; r < 3; r++) {
		ck_assert_int_eq(time_of(r, 0, 5), 45);
		ck_assert_int_eq(time_of(r, 1, 5), 5);
	}
	ck_assert_int_eq(time_of(1, 2, 5), 5);
	ck_assert_int_eq(rsd_clocks_time(NULL, 1, 2, 5, LATEST), 5);
}
END_TEST

static void fill_wildly(int r)
{
	static const int64_t odd[] = { INT64_MIN + (1 << 20), INT64_MAX, LATEST, -LATEST, 0 };

	put_thread(0, r, odd[r % 5]);
	put_clock(0, r, odd[(r / 5) % 5], odd[(r / 25) % 5], 0);
	put_clock(1, r, odd[(r / 125) % 5], odd[(r + 3) % 5], 0);
}

START_TEST(any_numbers_give_times_that_are_some)
{
	static const int64_t ns[] = { 0, 1, SECOND, LATEST };

	merge_ranks(625, fill_wildly);
	for (int r = 0; r < 625; r++)
		for (int i = 0; i < 4; i++) {
			int64_t time = time_of(r, 0, ns[i]);

			ck_assert(time >= 0 && time <= LATEST);
		}
}
END_TEST

static void fill_nothing(int r)
{
	(void)r;
}

START_TEST(without_any_there_are_none)
{
	merge_ranks(2, fill_nothing);
	ck_assert_ptr_null(c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("clocks");
	TCase *tc = tcase_create("clocks");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, times_go_along_the_line);
	tcase_add_test(tc, beyond_what_was_measured_the_offset_stays);
	tcase_add_test(tc, what_is_missing_is_left_alone);
	tcase_add_test(tc, any_numbers_give_times_that_are_some);
	tcase_add_test(tc, without_any_there_are_none);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
