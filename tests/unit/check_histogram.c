#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "util.h"

static uint64_t some_value(void)
{
	return ((uint64_t)rand() << 31 ^ (uint64_t)rand()) >> rand() % 62;
}

static void check_equal(const struct rsd_histogram *a, const struct rsd_histogram *b)
{
	ck_assert_uint_eq(a->nr, b->nr);
	ck_assert_uint_eq(a->sum, b->sum);
	ck_assert_uint_eq(a->min, b->min);
	ck_assert_uint_eq(a->max, b->max);
	ck_assert_int_eq(a->min_rank, b->min_rank);
	ck_assert_int_eq(a->max_rank, b->max_rank);
	if (a->nr)
		ck_assert_int_eq(memcmp(a->bin, b->bin, RSD_HISTOGRAM_BINS * sizeof(*a->bin)), 0);
}

START_TEST(bins_hold_what_their_bounds_say)
{
	struct rsd_histogram h;

	rsd_histogram_init(&h);
	srand(_i);
	for (int i = 0; i < 100; i++) {
		uint64_t v = some_value();
		int b = 0;

		while (b + 1 < RSD_HISTOGRAM_BINS && rsd_histogram_bound(b + 1) <= v)
			b++;
		ck_assert_int_eq(rsd_histogram_add(&h, v), 0);
		ck_assert_uint_gt(h.bin[b], 0);
		h.bin[b]--;
		for (int k = 0; k < RSD_HISTOGRAM_BINS; k++)
			if (h.bin[k])
				ck_abort_msg("bin %d, too", k);
	}
	rsd_histogram_release(&h);
}
END_TEST

START_TEST(merging_is_adding_all)
{
	struct rsd_histogram a, b, all;

	rsd_histogram_init(&a);
	rsd_histogram_init(&b);
	rsd_histogram_init(&all);
	srand(_i);
	for (int i = rand() % 40; i > 0; i--) {
		uint64_t v = some_value();

		ck_assert_int_eq(rsd_histogram_add(rand() % 2 ? &a : &b, v), 0);
		ck_assert_int_eq(rsd_histogram_add(&all, v), 0);
	}
	rsd_histogram_set_rank(&a, 3);
	rsd_histogram_set_rank(&b, 5);
	if (all.nr) { /* of equal extremes the lower rank's is kept */
		all.min_rank = a.nr && a.min == all.min ? 3 : 5;
		all.max_rank = a.nr && a.max == all.max ? 3 : 5;
	}
	ck_assert_int_eq(rsd_histogram_merge(&a, &b), 0);
	check_equal(&a, &all);
	rsd_histogram_release(&a);
	rsd_histogram_release(&b);
	rsd_histogram_release(&all);
}
END_TEST

START_TEST(bytes_come_back_and_damage_is_harmless)
{
	const struct rsd_histogram_hints k = { (unsigned)_i % 3, (unsigned)_i % 7, (unsigned)_i };
	struct rsd_histogram h, back;
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_reader in;

	rsd_histogram_init(&h);
	srand(_i);
	for (int i = rand() % 40; i > 0; i--)
		ck_assert_int_eq(rsd_histogram_add(&h, some_value()), 0);
	if (_i % 2)
		rsd_histogram_set_rank(&h, 1 << 20);
	rsd_histogram_encode(&h, &k, &b);
	rsd_reader_init(&in, b.data, b.len);
	ck_assert_int_eq(rsd_histogram_decode(&back, &k, &in), 0);
	ck_assert_uint_eq(in.pos, b.len);
	check_equal(&h, &back);
	rsd_histogram_release(&back);
	for (size_t i = 0; i < b.len; i++) {
		rsd_reader_init(&in, b.data, i);
		ck_assert_int_eq(rsd_histogram_decode(&back, &k, &in), RSD_ERR_FORMAT);
		b.data[i] ^= (unsigned char)(1 << rand() % 8);
		rsd_reader_init(&in, b.data, b.len);
		if (!rsd_histogram_decode(&back, &k, &in))
			rsd_histogram_release(&back);
	}
	rsd_histogram_release(&h);
	rsd_buf_release(&b);
}
END_TEST

/* The bounds that rounding promises, and that it is done once and for all. */
START_TEST(rounding_keeps_digits_and_bins)
{
	struct rsd_histogram h, r;
	double mean;

	rsd_histogram_init(&h);
	srand(_i);
	for (int i = rand() % 40 + 1; i > 0; i--)
		ck_assert_int_eq(rsd_histogram_add(&h, some_value()), 0);
	rsd_histogram_init(&r);
	ck_assert_int_eq(rsd_histogram_merge(&r, &h), 0);
	rsd_histogram_round(&r);
	ck_assert_uint_eq(r.nr, h.nr);
	ck_assert(r.min <= h.min && h.min - r.min <= h.min >> 11);
	ck_assert(r.max <= h.max && h.max - r.max <= h.max >> 11);
	ck_assert(r.sum <= h.sum && h.sum - r.sum <= h.sum >> 10);
	mean = (double)r.sum / (double)r.nr;
	ck_assert(mean >= (double)r.min && mean <= (double)r.max);
	ck_assert_int_eq(rsd_histogram_bin(r.min), rsd_histogram_bin(h.min));
	ck_assert_int_eq(rsd_histogram_bin(r.max), rsd_histogram_bin(h.max));
	ck_assert_int_eq(memcmp(r.bin, h.bin, sizeof(*r.bin) * RSD_HISTOGRAM_BINS), 0);
	rsd_histogram_release(&h);
	rsd_histogram_init(&h);
	ck_assert_int_eq(rsd_histogram_merge(&h, &r), 0);
	rsd_histogram_round(&h);
	check_equal(&h, &r);
	rsd_histogram_release(&h);
	rsd_histogram_release(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("histogram");
	TCase *tc = tcase_create("histogram");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, bins_hold_what_their_bounds_say, 0, 10);
	tcase_add_loop_test(tc, merging_is_adding_all, 0, 50);
	tcase_add_loop_test(tc, rounding_keeps_digits_and_bins, 0, 200);
	tcase_add_loop_test(tc, bytes_come_back_and_damage_is_harmless, 0, 50);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
