/*
 * check_flat.c - a flat log gives back the events put; damage is an error
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "hash.h"
#include "util.h"

static const int64_t corner[] = {
	0,
	1,
	-1,
	127,
	-128,
	INT64_MAX,
	INT64_MAX - 1,
	INT64_MIN + RSD_CONST_MAX,
	RSD_CONST(0),
	RSD_CONST(1),
	RSD_CONST(RSD_CONST_MAX - 1),
	INT64_MAX / 2,
	INT64_MIN / 2,
	INT64_MAX / 2 + 1,
	INT64_MIN / 2 - 1,
};

static void put_events(struct rsd_buf *log)
{
	for (size_t i = 0; i <= RSD_ARRAY_SIZE(corner); i++)
		rsd_flat_put(log, (int)i * 1000, corner, i, i * 5, UINT64_MAX - i);
	ck_assert_int_eq(log->err, 0);
}

START_TEST(events_come_back)
{
	struct rsd_buf log = RSD_BUF_INIT;
	struct rsd_flat_reader r;
	struct rsd_flat_event e;

	put_events(&log);
	rsd_flat_reader_init(&r, log.data, log.len);
	for (size_t i = 0; i <= RSD_ARRAY_SIZE(corner); i++) {
		ck_assert_int_eq(rsd_flat_next(&r, &e), 0);
		ck_assert_int_eq(e.place, (int)i * 1000);
		ck_assert_uint_eq(e.before_ns, i * 5);
		ck_assert_uint_eq(e.dur_ns, UINT64_MAX - i);
		ck_assert_uint_eq(e.nr_val, i);
		for (size_t k = 0; k < i; k++)
			ck_assert_int_eq(e.val[k], corner[k]);
	}
	ck_assert_int_eq(rsd_flat_next(&r, &e), RSD_ERR_END);
	rsd_flat_reader_release(&r);
	rsd_buf_release(&log);
}
END_TEST

START_TEST(every_truncation_ends)
{
	struct rsd_buf log = RSD_BUF_INIT;
	int whole = 0;

	put_events(&log);
	for (size_t len = 0; len <= log.len; len++) {
		unsigned char *copy = rsd_malloc(len + 1);
		struct rsd_flat_reader r;
		struct rsd_flat_event e;
		int err;

		memcpy(copy, log.data, len);
		rsd_flat_reader_init(&r, copy, len);
		while (!(err = rsd_flat_next(&r, &e)))
			;
		whole += err == RSD_ERR_END;
		if (err != RSD_ERR_END && err != RSD_ERR_FORMAT)
			ck_abort_msg("%zu bytes: %d", len, err);
		rsd_flat_reader_release(&r);
		free(copy);
	}
	ck_assert_int_eq(
		whole, (int)RSD_ARRAY_SIZE(corner) + 2); /* only those cut between events */
	rsd_buf_release(&log);
}
END_TEST

START_TEST(random_bytes_end)
{
	unsigned char bytes[64];

	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct rsd_flat_reader r;
		struct rsd_flat_event e;
		int err;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)rsd_hash_mix(seed * 64 + i + 1);
		rsd_flat_reader_init(&r, bytes, sizeof(bytes));
		while (!(err = rsd_flat_next(&r, &e)))
			;
		if (err != RSD_ERR_END && err != RSD_ERR_FORMAT)
			ck_abort_msg("seed %d: %d", (int)seed, err);
		rsd_flat_reader_release(&r);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flat");
	TCase *tc = tcase_create("flat");
	SRunner *r;
	int failed;

	tcase_add_test(tc, events_come_back);
	tcase_add_test(tc, every_truncation_ends);
	tcase_add_test(tc, random_bytes_end);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
