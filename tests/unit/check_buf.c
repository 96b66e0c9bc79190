#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "util.h"

/* Numbers of every magnitude, by seed. */
static uint64_t some_number(void)
{
	uint64_t v = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	return rand() % 10 ? v >> rand() % 64 : UINT64_MAX;
}

START_TEST(numbers_and_strings_come_back)
{
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_reader r;
	size_t len;

	srand(_i);
	for (int i = 0; i < 50; i++) {
		rsd_buf_put_uint(&b, some_number());
		rsd_buf_put_int(&b, (int64_t)some_number());
		rsd_buf_put_str(&b, "string", (size_t)rand() % 7);
		rsd_buf_put_byte(&b, (unsigned char)rand());
	}
	rsd_buf_put_int(&b, INT64_MIN);
	ck_assert_int_eq(b.err, 0);
	srand(_i);
	rsd_reader_init(&r, b.data, b.len);
	for (int i = 0; i < 50; i++) {
		size_t want;

		ck_assert_uint_eq(rsd_reader_uint(&r), some_number());
		ck_assert_int_eq(rsd_reader_int(&r), (int64_t)some_number());
		want = (size_t)rand() % 7;
		ck_assert_int_eq(memcmp(rsd_reader_str(&r, &len), "string", want), 0);
		ck_assert_uint_eq(len, want);
		ck_assert_int_eq(rsd_reader_byte(&r), (unsigned char)rand());
	}
	ck_assert_int_eq(rsd_reader_int(&r), INT64_MIN);
	ck_assert_int_eq(r.err, 0);
	ck_assert_uint_eq(r.pos, b.len);
	rsd_buf_release(&b);
}
END_TEST

START_TEST(reading_past_the_end_is_a_sticky_error)
{
	struct rsd_reader r;
	size_t len;

	rsd_reader_init(&r, "\x80\x80", 2);
	ck_assert_uint_eq(rsd_reader_uint(&r), 0);
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
	ck_assert_int_eq(rsd_reader_byte(&r), 0);
	ck_assert_ptr_null(rsd_reader_bytes(&r, 0));
	rsd_reader_init(&r,
		"\x05"
		"abc",
		4);
	ck_assert_ptr_null(rsd_reader_str(&r, &len));
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
	rsd_reader_init(&r, "abc", 3);
	ck_assert_ptr_null(rsd_reader_bytes(&r, SIZE_MAX));
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
	rsd_reader_init(&r, NULL, 0);
	ck_assert_int_eq(rsd_reader_int(&r), 0);
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
}
END_TEST

START_TEST(numbers_longer_than_64_bits_are_errors)
{
	struct rsd_reader r;

	rsd_reader_init(&r, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	ck_assert_uint_eq(rsd_reader_uint(&r), UINT64_MAX);
	ck_assert_int_eq(r.err, 0);
	rsd_reader_init(&r, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
	rsd_reader_uint(&r);
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
	rsd_reader_init(&r, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11);
	rsd_reader_uint(&r);
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
}
END_TEST

START_TEST(a_count_must_fit_into_what_is_left)
{
	struct rsd_reader r;

	rsd_reader_init(&r,
		"\x02"
		"abcd",
		5);
	ck_assert_uint_eq(rsd_reader_count(&r, 2), 2);
	rsd_reader_init(&r,
		"\x03"
		"abcd",
		5);
	ck_assert_uint_eq(rsd_reader_count(&r, 2), 0);
	ck_assert_int_eq(r.err, RSD_ERR_FORMAT);
}
END_TEST

START_TEST(text_of_any_length_is_printed)
{
	struct rsd_buf b = RSD_BUF_INIT;
	char text[500];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rsd_buf_printf(&b, "%d ", 42);
	rsd_buf_printf(&b, "%s|", text);
	ck_assert_uint_eq(b.len, 3 + sizeof(text));
	ck_assert_int_eq(memcmp(b.data, "42 xxx", 6), 0);
	ck_assert_int_eq(b.data[b.len - 1], '|');
	rsd_buf_release(&b);
}
END_TEST

START_TEST(a_failed_put_is_remembered_until_reset)
{
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_buf_put(&b, "abc", 3);
	rsd_buf_put_more(&b, "x", RSD_ALLOC_MAX + 1);
	ck_assert_int_eq(b.err, RSD_ERR_NOMEM);
	rsd_buf_put_uint(&b, 7);
	ck_assert_uint_eq(b.len, 3);
	rsd_buf_reset(&b);
	rsd_buf_put_uint(&b, 7);
	ck_assert_int_eq(b.err, 0);
	ck_assert_uint_eq(b.len, 1);
	rsd_buf_release(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("buf");
	TCase *tc = tcase_create("buf");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, numbers_and_strings_come_back, 0, 50);
	tcase_add_test(tc, reading_past_the_end_is_a_sticky_error);
	tcase_add_test(tc, numbers_longer_than_64_bits_are_errors);
	tcase_add_test(tc, a_count_must_fit_into_what_is_left);
	tcase_add_test(tc, text_of_any_length_is_printed);
	tcase_add_test(tc, a_failed_put_is_remembered_until_reset);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
