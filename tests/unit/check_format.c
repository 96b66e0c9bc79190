/* check_format.c - values, strings and events as text and JSON */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "util.h"

static struct rsd_buf out;

static void setup(void)
{
	out = (struct rsd_buf)RSD_BUF_INIT;
}

static void teardown(void)
{
	rsd_buf_release(&out);
}

static const char *text(void)
{
	rsd_buf_put_byte(&out, 0);
	out.len--;
	return (const char *)out.data;
}

static const char *json(const char *bytes, size_t len)
{
	rsd_buf_reset(&out);
	rsd_format_string(bytes, len, RSD_STYLE_JSON, &out);
	return text();
}

START_TEST(strings_are_escaped)
{
	ck_assert_str_eq(json("a\"b\\c\n\t\x01", 8), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
	ck_assert_str_eq(json("a\0b", 3), "\"a\\u0000b\"");
	ck_assert_str_eq(json("", 0), "\"\"");
	ck_assert_str_eq(json("\x7f", 1), "\"\\u007f\"");
	ck_assert_str_eq(json("\xc2\x9b\xc2\xa0", 4), "\"\\udcc2\\udc9b\xc2\xa0\"");
}
END_TEST

START_TEST(utf8_stays_and_stray_bytes_are_told_apart)
{
	ck_assert_str_eq(json("\xc3\xa9", 2), "\"\xc3\xa9\"");
	ck_assert_str_eq(
		json("\xe2\x82\xac\xf0\x9f\x98\x80", 7), "\"\xe2\x82\xac\xf0\x9f\x98\x80\"");
	ck_assert_str_eq(json("\xe9", 1), "\"\\udce9\"");
	ck_assert_str_eq(json("x\xc3", 2), "\"x\\udcc3\"");
	/* overlong, surrogate, above U+10FFFF */
	ck_assert_str_eq(json("\xc0\x80", 2), "\"\\udcc0\\udc80\"");
	ck_assert_str_eq(json("\xed\xb3\xa9", 3), "\"\\udced\\udcb3\\udca9\"");
	ck_assert_str_eq(json("\xf4\x90\x80\x80", 4), "\"\\udcf4\\udc90\\udc80\\udc80\"");
}
END_TEST

/* Oracle: a reader of what was written gives back the bytes, whatever they were. */
static size_t unescape(const char *s, unsigned char *to)
{
	size_t n = 0;

	for (s++; *s != '"' || s[1]; s++) {
		static const char from[] = "bfnrt\"\\", real[] = "\b\f\n\r\t\"\\";
		const char *p;

		if (*s != '\\') {
			to[n++] = (unsigned char)*s;
		} else if (*++s == 'u') {
			char hex[5] = { s[1], s[2], s[3], s[4], 0 };

			to[n++] = (unsigned char)(strtol(hex, NULL, 16) & 0xff);
			s += 4;
		} else {
			p = strchr(from, *s);
			ck_assert_ptr_nonnull(p);
			to[n++] = (unsigned char)real[p - from];
		}
	}
	return n;
}

START_TEST(any_bytes_come_back)
{
	unsigned char bytes[64], back[64];
	size_t len;

	srand((unsigned)_i);
	len = (size_t)rand() % sizeof(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)(rand() % 3 ? rand() : 0x80 + rand() % 0x80);
	ck_assert_uint_eq(unescape(json((char *)bytes, len), back), len);
	ck_assert_mem_eq(back, bytes, len);
}
END_TEST

START_TEST(numbers_and_seconds)
{
	rsd_buf_put_decimal(&out, INT64_MIN);
	rsd_buf_put_byte(&out, ' ');
	rsd_buf_put_decimal(&out, INT64_MAX);
	rsd_buf_put_byte(&out, ' ');
	rsd_buf_put_decimal(&out, 0);
	rsd_buf_put_byte(&out, ' ');
	rsd_buf_put_seconds(&out, 1000000250);
	ck_assert_str_eq(text(), "-9223372036854775808 9223372036854775807 0 1.000000250");
}
END_TEST

START_TEST(slots_of_threads)
{
	static const struct {
		int role;
		int64_t v;
		const char *wanted;
	} value[] = {
		{ RSD_R_COMM, 12, "comm12" },
		{ RSD_R_DATATYPE, (INT64_C(1) << 32) + 0, "type1.0" },
		{ RSD_R_FUNCTION, (INT64_C(7) << 32) + 5, "function7.5" },
		{ RSD_R_REQUEST, -1 - (INT64_C(3) << 32) - 2, "persistent3.2" },
		{ RSD_R_REQUEST, (INT64_C(1) << 32) + 1, "request-4294967297" }, /* a distance */
		{ RSD_R_REQUEST, (INT64_C(4) << 42) + 5, "request3.5" },
		{ RSD_R_WIN, INT64_MAX, "win2147483647.4294967295" },
	};
	struct rsd_trace *t = rsd_trace_new(1);
	struct rsd_format *f = rsd_format_new(t);

	for (size_t i = 0; i < RSD_ARRAY_SIZE(value); i++) {
		rsd_buf_reset(&out);
		rsd_format_value(f, value[i].role, value[i].v, RSD_STYLE_TEXT, &out);
		ck_assert_str_eq(text(), value[i].wanted);
	}
	rsd_format_free(f);
	rsd_trace_free(t);
}
END_TEST

/* ---- events --------------------------------------------------------------------------- */

enum { C_COMM_WORLD = 1, C_IN_PLACE, C_REQUEST_NULL, C_ERR_RANK };

static const struct rsd_param all_params[] = {
	{ "buf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 3 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "name", RSD_T_STRING, RSD_R_STRING, -1 },
	{ "requests", RSD_T_INTS, RSD_R_REQUEST, -1 },
	{ "status", RSD_T_STATUS, RSD_R_STATUS, -1 },
	{ "statuses", RSD_T_STATUSES, RSD_R_STATUS, -1 },
};
static const struct rsd_func all = {
	.name = "MPI_All",
	.param = all_params,
	.nr_params = RSD_ARRAY_SIZE(all_params),
	.sent_count = -1,
	.sent_type = -1,
	.recv_count = -1,
	.recv_type = -1,
};

static struct rsd_trace *new_trace(void)
{
	struct rsd_trace *t = rsd_trace_new(4);
	const struct rsd_frame frame = { 0, 0x1a3f };

	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(rsd_trace_func(t, &all), 0);
	ck_assert_int_eq(rsd_trace_set_constant(t, C_COMM_WORLD, "MPI_COMM_WORLD"), 0);
	ck_assert_int_eq(rsd_trace_set_constant(t, C_IN_PLACE, "MPI_IN_PLACE"), 0);
	ck_assert_int_eq(rsd_trace_set_constant(t, C_REQUEST_NULL, "MPI_REQUEST_NULL"), 0);
	ck_assert_int_eq(rsd_trace_set_constant(t, C_ERR_RANK, "MPI_ERR_RANK"), 0);
	ck_assert_int_eq(rsd_strings_intern(&t->strings, "a\xff", 2), 0);
	ck_assert_int_eq(rsd_sigs_module(&t->sigs, "/home/x/app", ""), 0);
	ck_assert_int_eq(rsd_sigs_intern(&t->sigs, &frame, 1), 0);
	return t;
}

static void check_event(const struct rsd_event *e, enum rsd_style style, const char *wanted)
{
	struct rsd_trace *t = new_trace();
	struct rsd_format *f = rsd_format_new(t);

	ck_assert_ptr_nonnull(f);
	rsd_format_event(f, e, style, false, &out);
	ck_assert_str_eq(text(), wanted);
	rsd_format_free(f);
	rsd_trace_free(t);
}

START_TEST(an_event_with_everything)
{
	const int64_t val[] = { RSD_CONST(C_IN_PLACE), 4, 1, RSD_CONST(C_COMM_WORLD), 0, 3, 2, -1,
		RSD_CONST(C_REQUEST_NULL), RSD_STATUS_KEPT, 1, 5, RSD_ABSENT, 2, RSD_STATUS_KEPT, 0,
		7, 0, RSD_STATUS_ABSENT, RSD_CONST(C_ERR_RANK) };
	const struct rsd_event e = { .rank = 2,
		.thread = 1,
		.sig = 0,
		.nested = 1,
		.val = val,
		.nr_val = RSD_ARRAY_SIZE(val),
		.has_time = true,
		.begin_ns = 1500000000,
		.dur_ns = 250000000 };

	check_event(&e, RSD_STYLE_JSON,
		"{\"rank\":2,\"thread\":1,\"call\":\"MPI_All\",\"args\":{\"buf\":\"MPI_IN_PLACE\","
		"\"count\":4,\"dest\":1,\"comm\":\"MPI_COMM_WORLD\",\"name\":\"a\\udcff\","
		"\"requests\":[\"request-2\",\"persistent0\",\"MPI_REQUEST_NULL\"],"
		"\"status\":{\"source\":1,\"tag\":5},"
		"\"statuses\":[{\"source\":0,\"tag\":7,\"error\":0},null]},"
		"\"site\":{\"module\":\"app\",\"offset\":\"0x1a3f\"},\"error\":\"MPI_ERR_RANK\","
		"\"nested\":1,\"t\":1.500000000,\"dur\":0.250000000}");
}
END_TEST

START_TEST(what_is_not_significant_is_left_out)
{
	const int64_t val[] = { 0, RSD_ABSENT, 1, 2, RSD_ABSENT, RSD_ABSENT, RSD_STATUS_ABSENT, 2,
		RSD_STATUS_ABSENT, RSD_STATUS_ABSENT, 0 };
	const struct rsd_event e = { .sig = -1, .val = val, .nr_val = RSD_ARRAY_SIZE(val) };

	check_event(&e, RSD_STYLE_JSON,
		"{\"rank\":0,\"thread\":0,\"call\":\"MPI_All\","
		"\"args\":{\"dest\":1,\"comm\":\"comm2\"}}");
}
END_TEST

START_TEST(ignored_statuses_and_what_wildcards_matched)
{
	const int64_t val[] = { 0, 1, 0, 2, RSD_ABSENT, 0, RSD_STATUS_MATCHED, 3, 9, RSD_ABSENT, 2,
		RSD_STATUS_IGNORED, RSD_STATUS_IGNORED, 0 };
	const int64_t both[] = { 0, 1, 0, 2, RSD_ABSENT, 0, RSD_STATUS_IGNORED, 2,
		RSD_STATUS_IGNORED, RSD_STATUS_MATCHED, 3, 9, RSD_ABSENT, 0 };
	struct rsd_event e = { .sig = -1, .val = val, .nr_val = RSD_ARRAY_SIZE(val) };

	check_event(&e, RSD_STYLE_JSON,
		"{\"rank\":0,\"thread\":0,\"call\":\"MPI_All\","
		"\"args\":{\"count\":1,\"dest\":0,\"comm\":\"comm2\",\"requests\":[],"
		"\"status\":\"MPI_STATUS_IGNORE\",\"statuses\":\"MPI_STATUSES_IGNORE\"},"
		"\"matched\":{\"source\":3,\"tag\":9}}");
	rsd_buf_reset(&out);
	e.val = both;
	e.nr_val = RSD_ARRAY_SIZE(both);
	check_event(&e, RSD_STYLE_TEXT,
		"0 MPI_All(count=1, dest=0, comm=comm2, requests=[], "
		"status=MPI_STATUS_IGNORE, statuses=MPI_STATUSES_IGNORE) "
		"matched [-, {source=3, tag=9}]");
}
END_TEST

/* Whatever the values are, nothing is read outside the vector. */
START_TEST(a_damaged_vector_is_harmless)
{
	int64_t val[24];
	struct rsd_event e = { .sig = -1, .val = val };
	struct rsd_trace *t = new_trace();
	struct rsd_format *f = rsd_format_new(t);
	int64_t *copy;

	srand((unsigned)_i);
	e.nr_val = (size_t)rand() % RSD_ARRAY_SIZE(val);
	for (size_t i = 0; i < e.nr_val; i++)
		val[i] = rand() % 4   ? rand() % 5
			 : rand() % 2 ? RSD_CONST(rand() % 9)
				      : INT64_MAX - rand();
	copy = malloc((e.nr_val + 1) * sizeof(*copy));
	memcpy(copy, val, e.nr_val * sizeof(*copy));
	e.val = copy;
	rsd_format_event(f, &e, _i % 2 ? RSD_STYLE_JSON : RSD_STYLE_TEXT, true, &out);
	ck_assert_uint_gt(out.len, 0);
	free(copy);
	rsd_format_free(f);
	rsd_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("format");
	TCase *tc = tcase_create("format");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, strings_are_escaped);
	tcase_add_test(tc, utf8_stays_and_stray_bytes_are_told_apart);
	tcase_add_loop_test(tc, any_bytes_come_back, 0, 500);
	tcase_add_test(tc, numbers_and_seconds);
	tcase_add_test(tc, slots_of_threads);
	tcase_add_test(tc, an_event_with_everything);
	tcase_add_test(tc, what_is_not_significant_is_left_out);
	tcase_add_test(tc, ignored_statuses_and_what_wildcards_matched);
	tcase_add_loop_test(tc, a_damaged_vector_is_harmless, 0, 500);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
