/* lcs: against dynamic programming, and within its account. */
#include <check.h>
#include <stdlib.h>

#include "lcs.h"
#include "util.h"

#define MAX 40

static int first[20000], second[20000];
static size_t ident[20000], pair[20000];

static bool equal(size_t i, size_t j, void *arg)
{
	++*(long *)arg;
	return first[i] == second[j];
}

/* Values within 1: no equivalence. */
static bool near(size_t i, size_t j, void *arg)
{
	++*(long *)arg;
	return abs(first[i] - second[j]) <= 1;
}

static size_t find(size_t n, size_t m, bool (*match)(size_t, size_t, void *), int64_t *work)
{
	long calls = 0;
	struct rsd_lcs l = { .match = match,
		.arg = &calls,
		.work = work,
		.a = ident,
		.b = ident,
		.nr_a = n,
		.nr_b = m,
		.pair = pair };
	size_t nr = 0, next = 0;

	for (size_t i = 0; i < n; i++)
		pair[i] = SIZE_MAX;
	ck_assert_int_eq(rsd_lcs_find(&l), 0);
	for (size_t i = 0; i < n; i++) {
		if (pair[i] == SIZE_MAX)
			continue;
		ck_assert_uint_ge(pair[i], next);
		ck_assert_uint_lt(pair[i], m);
		ck_assert(match(i, pair[i], &calls));
		next = pair[i] + 1;
		nr++;
	}
	return nr;
}

static void fill(int *v, size_t n, int values)
{
	for (size_t i = 0; i < n; i++)
		v[i] = rand() % values;
}

static size_t oracle(size_t n, size_t m, bool (*match)(size_t, size_t, void *))
{
	static size_t best[MAX + 1][MAX + 1];
	long calls = 0;

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			size_t b = 0;

			if (i && j && match(i - 1, j - 1, &calls))
				b = best[i - 1][j - 1] + 1;
			if (i && best[i - 1][j] > b)
				b = best[i - 1][j];
			if (j && best[i][j - 1] > b)
				b = best[i][j - 1];
			best[i][j] = b;
		}
	}
	return best[n][m];
}

static void setup(void)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(ident); i++)
		ident[i] = i;
}

START_TEST(as_long_as_dynamic_programming_finds)
{
	size_t n, m;
	int64_t work = 1 << 20;

	srand((unsigned)_i);
	n = (size_t)rand() % MAX;
	m = (size_t)rand() % MAX;
	fill(first, n, 1 + _i % 12);
	fill(second, m, 1 + _i % 12);
	ck_assert_uint_eq(find(n, m, equal, &work), oracle(n, m, equal));
	ck_assert_int_gt(work, 0);
	ck_assert_uint_eq(find(n, m, near, &work), oracle(n, m, near));
}
END_TEST

START_TEST(an_empty_account_leaves_a_partial_alignment)
{
	srand((unsigned)_i);
	fill(first, 2000, 50);
	fill(second, 2000, 50);
	for (int64_t w = 1; w < 1000000; w *= 10) {
		int64_t work = w;

		find(2000, 2000, equal, &work);
		ck_assert_int_gt(work, -20000);
	}
}
END_TEST

START_TEST(cost_is_linear_for_like_sequences)
{
	int64_t work = 1 << 20;

	fill(first, 20000, 1000000);
	for (size_t i = 0; i < 20000; i++)
		second[i] = first[i];
	second[3] = second[10000] = second[19990] = -1;
	ck_assert_uint_eq(find(20000, 20000, equal, &work), 19997);
	ck_assert_int_gt(work, (1 << 20) - 400000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lcs");
	TCase *tc = tcase_create("lcs");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, as_long_as_dynamic_programming_finds, 0, 1000);
	tcase_add_loop_test(tc, an_empty_account_leaves_a_partial_alignment, 0, 3);
	tcase_add_test(tc, cost_is_linear_for_like_sequences);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
