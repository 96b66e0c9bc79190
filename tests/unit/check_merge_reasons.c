/* check_merge_reasons.c - reasons of ranks are put together where they say the same, and nothing else is lost */
#include "merge_reasons.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

static const struct {
	const char *a, *b, *both;
} sum[] = {
	{ "rank 0: killed", "rank 1: killed", "ranks 0,1: killed" },
	{ "ranks 0,2: killed", "rank 1: in MPI_Recv; rank 3: killed",
		"ranks 0,2,3: killed; rank 1: in MPI_Recv" },
	{ "rank 1: killed", "rank 1: killed", "rank 1: killed" },
	/* A reason may have parts of its own. */
	{ "rank 0: ended; checkpoint of 10:00", "rank 1: ended; checkpoint of 10:00",
		"ranks 0,1: ended; checkpoint of 10:00" },
	{ "rank 0: ended; checkpoint of 10:00; rank 1: killed", "rank 2: killed",
		"rank 0: ended; checkpoint of 10:00; ranks 1,2: killed" },
	/* What is of another form. */
	{ "killed", "killed", "killed" },
	{ "killed", "rank 3: killed", "killed; rank 3: killed" },
	{ "rank 3 missing", "rank x: what", "rank 3 missing; rank x: what" },
	{ "rank : what", "ranks -: what", "rank : what; ranks -: what" },
	{ "", "rank 0: killed", "rank 0: killed" },
	{ "rank 0: ", "rank 1: ", "ranks 0,1: " },
	{ "rank 0: killed; and more", "rank 1: killed", "rank 0: killed; and more" },
};

START_TEST(equal_reasons_are_one)
{
	char *both;

	ck_assert_int_eq(rsd_merge_reasons(sum[_i].a, sum[_i].b, &both), 0);
	ck_assert_str_eq(both, sum[_i].both);
	free(both);
}
END_TEST

/* One of a thousand ranks waits for another thing. */
START_TEST(the_odd_one_is_seen)
{
	char *all = rsd_strndup("rank 0: in MPI_Barrier", 22), *both, one[64];

	for (int r = 1; r < 1000; r++) {
		snprintf(one, sizeof(one), "rank %d: in MPI_%s", r, r == 500 ? "Recv" : "Barrier");
		ck_assert_int_eq(rsd_merge_reasons(all, one, &both), 0);
		free(all);
		all = both;
	}
	ck_assert_str_eq(all, "ranks 0-499,501-999: in MPI_Barrier; rank 500: in MPI_Recv");
	free(all);
}
END_TEST

START_TEST(too_many_are_cut)
{
	char *all = rsd_strndup("rank 0: number 0", 16), *both, one[64];

	for (int r = 1; r < 200; r++) {
		snprintf(one, sizeof(one), "rank %d: number %d", r, r);
		ck_assert_int_eq(rsd_merge_reasons(all, one, &both), 0);
		free(all);
		all = both;
	}
	ck_assert_uint_le(strlen(all), 1000 + strlen("; and more"));
	ck_assert_ptr_nonnull(strstr(all, "; and more"));
	free(all);
}
END_TEST

START_TEST(a_text_that_somebody_made_is_not_gone_through)
{
	size_t len = (size_t)1 << 20;
	char *long_one = rsd_malloc(len + 1), *both;

	ck_assert_ptr_nonnull(long_one);
	for (size_t i = 0; i < len; i++)
		long_one[i] = "; rank "[i % 7];
	long_one[len] = 0;
	ck_assert_int_eq(rsd_merge_reasons(long_one, "rank 1: killed", &both), 0);
	ck_assert_uint_eq(strlen(both), len + strlen("; and more"));
	free(both);
	free(long_one);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("merge_reasons");
	TCase *tc = tcase_create("merge_reasons");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, equal_reasons_are_one, 0, RSD_ARRAY_SIZE(sum));
	tcase_add_test(tc, the_odd_one_is_seen);
	tcase_add_test(tc, too_many_are_cut);
	tcase_add_test(tc, a_text_that_somebody_made_is_not_gone_through);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
