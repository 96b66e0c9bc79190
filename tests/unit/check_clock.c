#include <check.h>
#include <time.h>

#include "clock.h"

static void sleep_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

/* The loop index says whether the processor's counter may be used. */
START_TEST(spans_are_those_of_the_clock)
{
	rsd_clock_load();
	sleep_ms(2);
	rsd_clock_start(_i, false);
	if (!_i)
		ck_assert(!rsd_clock.counter);
	for (int i = 0; i < 5; i++) {
		uint64_t before = rsd_clock_ns(), from = rsd_clock_ticks(), least, most, span, to;

		least = rsd_clock_ns();
		sleep_ms(2);
		least = rsd_clock_ns() - least;
		to = rsd_clock_ticks();
		most = rsd_clock_ns() - before;
		span = rsd_clock_span(from, to);
		ck_assert_uint_ge(span + least / 100, least);
		ck_assert_uint_le(span, most + most / 100);
	}
	ck_assert(rsd_clock_agrees());
}
END_TEST

/* With and without a counter, which is looked at together with the clock ever less often. */
START_TEST(exact_readings_are_the_clocks)
{
	const uint64_t slack = 100000;

	rsd_clock_load();
	sleep_ms(2);
	rsd_clock_start(_i, true);
	ck_assert(!rsd_clock.counter && rsd_clock.exact);
	for (int i = 0; i < 20; i++) {
		uint64_t before = rsd_clock_ns(), now = rsd_clock_ticks(), after = rsd_clock_ns();

		ck_assert_uint_ge(now + slack, before);
		ck_assert_uint_le(now, after + slack);
		ck_assert_uint_eq(rsd_clock_span(now, now + 12345), 12345);
		sleep_ms(1);
	}
	ck_assert(rsd_clock_agrees());
}
END_TEST

START_TEST(time_that_went_back_is_none)
{
	rsd_clock_start(_i, false);
	ck_assert_uint_eq(rsd_clock_span(1000, 1000), 0);
	ck_assert_uint_eq(rsd_clock_span(1000, 999), 0);
}
END_TEST

START_TEST(a_counter_that_changes_its_rate_is_told_and_measured_anew)
{
	uint64_t from, span, ns;

	rsd_clock_load();
	sleep_ms(2);
	rsd_clock_start(true, false);
	if (!rsd_clock.counter)
		return;
	ck_assert(rsd_clock_agrees());
	/* What was measured is no longer so. */
	atomic_store(&rsd_clock.length, rsd_clock.length / 2);
	sleep_ms(2);
	ck_assert(!rsd_clock_agrees());
	sleep_ms(2);
	rsd_clock_measure();
	from = rsd_clock_ticks();
	ns = rsd_clock_ns();
	sleep_ms(2);
	ns = rsd_clock_ns() - ns;
	span = rsd_clock_span(from, rsd_clock_ticks());
	ck_assert_uint_ge(span + ns / 100, ns);
	ck_assert(!rsd_clock_agrees());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("clock");
	TCase *tc = tcase_create("clock");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, spans_are_those_of_the_clock, 0, 2);
	tcase_add_loop_test(tc, exact_readings_are_the_clocks, 0, 2);
	tcase_add_loop_test(tc, time_that_went_back_is_none, 0, 2);
	tcase_add_test(tc, a_counter_that_changes_its_rate_is_told_and_measured_anew);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
