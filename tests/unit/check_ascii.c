/* check_ascii.c - how single calls are written; tests of trace_file read them back */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "scan.h"
#include "trace_text.h"
#include "util.h"

static const struct rsd_param params[] = {
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "array_of_requests", RSD_T_INTS, RSD_R_REQUEST, -1 },
	{ "array_of_statuses", RSD_T_STATUSES, RSD_R_STATUS, -1 },
};
static const struct rsd_func waitall = {
	.name = "MPI_Waitall",
	.param = params,
	.nr_params = 3,
	.sent_count = -1,
	.sent_type = -1,
	.recv_count = -1,
	.recv_type = -1,
};

static void check_call(const int64_t *val, size_t nr, const char *wanted)
{
	struct rsd_trace *t = rsd_trace_new(1);
	struct rsd_buf out = RSD_BUF_INIT;

	ck_assert_ptr_nonnull(t);
	rsd_ascii_call(t, &waitall, val, nr, &out);
	rsd_buf_put_byte(&out, 0);
	ck_assert_str_eq((const char *)out.data, wanted);
	rsd_buf_release(&out);
	rsd_trace_free(t);
}

START_TEST(an_array_of_ignored_statuses_is_called_what_was_passed)
{
	const int64_t plain[] = { 2, 2, 1, 0, 2, RSD_STATUS_IGNORED, RSD_STATUS_IGNORED, 0 };
	const int64_t wild[] = { 2, 2, 1, 0, 2, RSD_STATUS_IGNORED, RSD_STATUS_MATCHED, 3, 9,
		RSD_ABSENT, 0 };

	check_call(plain, RSD_ARRAY_SIZE(plain),
		"MPI_Waitall(count=2, array_of_requests=[request-1, request-0], "
		"array_of_statuses=MPI_STATUSES_IGNORE[2])");
	check_call(wild, RSD_ARRAY_SIZE(wild),
		"MPI_Waitall(count=2, array_of_requests=[request-1, request-0], "
		"array_of_statuses=MPI_STATUSES_IGNORE[-, {source=3, tag=9, error=absent}])");
}
END_TEST

START_TEST(other_arrays_of_statuses_are_lists)
{
	const int64_t kept[] = { 2, 2, 1, 0, 2, RSD_STATUS_KEPT, 1, 5, RSD_ABSENT,
		RSD_STATUS_ABSENT, 0 };
	const int64_t none[] = { 0, 0, 0, 0 };
	/* More of them than values before could not be read back as a number. */
	const int64_t many[] = { 2, 0, 3, RSD_STATUS_IGNORED, RSD_STATUS_IGNORED,
		RSD_STATUS_IGNORED, 0 };

	check_call(kept, RSD_ARRAY_SIZE(kept),
		"MPI_Waitall(count=2, array_of_requests=[request-1, request-0], "
		"array_of_statuses=[{source=1, tag=5, error=absent}, absent])");
	check_call(none, RSD_ARRAY_SIZE(none),
		"MPI_Waitall(count=0, array_of_requests=[], array_of_statuses=[])");
	check_call(many, RSD_ARRAY_SIZE(many),
		"MPI_Waitall(count=2, array_of_requests=[], array_of_statuses=[MPI_STATUS_IGNORE, "
		"MPI_STATUS_IGNORE, MPI_STATUS_IGNORE])");
}
END_TEST

static const char head[] = "ascii 1\nnprocs 1\nranks 0\nconstant 0 absent\n"
			   "function 0 MPI_Wait completion -1 -1 -1 -1 comm:int:comm "
			   "request:int:request fn:int:function\n";

/* A number alone is of the calling thread, or of thread 0: what is another thread's is written so, or it would be printed as another name. */
START_TEST(numbers_alone_are_no_other_threads)
{
	static const char *const value[] = { "request=request-4398046511103",
		"request=request-4398046511104", "comm=comm4294967295", "comm=comm4294967296",
		"request=persistent4294967295", "request=persistent4294967296",
		"request=persistent1.0", "request=persistent2147483647.4294967295" };
	struct rsd_buf text = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	size_t pos = 0;

	rsd_buf_printf(&text, "%s0 0 MPI_Wait(%s)\nincomplete\n", head, value[_i]);
	rsd_text_end(rsd_sum(RSD_SUM_INIT, text.data, text.len), &text);
	ck_assert_int_eq(
		rsd_ascii_parse(&t, (char *)text.data, text.len, &pos, &why) == 0, _i % 2 == 0);
	rsd_trace_free(t);
	rsd_buf_release(&text);
	rsd_buf_release(&why);
}
END_TEST

/*
 * Reading is the reverse of writing; of thread 0 it is the number alone. What no thread can have made is a distance. Requests of
 * other threads are read from any version, and written as the one that tells of them.
 */
START_TEST(slots_have_their_thread)
{
	static const char *const line[] = {
		"0 0 MPI_Wait(comm=comm3, request=request-3, fn=3)\n",
		"0 0 MPI_Wait(comm=comm1.0, request=persistent1.0, fn=1.0)\n",
		"0 0 MPI_Wait(comm=comm2147483647.4294967295, request=persistent12.34, fn=12.34)\n",
		"0 0 MPI_Wait(comm=comm0, request=request0.7, fn=0)\n",
		"0 0 MPI_Wait(comm=comm0, request=request1048575.4398046511103, fn=0)\n",
		"0 0 MPI_Wait(comm=comm0, request=request-4611690416473899008, fn=0)\n",
		"0 0 MPI_Wait(comm=comm0, request=request-9223372036854775807, fn=0)\n",
		"incomplete\n",
	};
	struct rsd_buf text = RSD_BUF_INIT, out = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	size_t pos = 0;

	rsd_buf_put(&text, head, strlen(head));
	for (size_t i = 0; i < RSD_ARRAY_SIZE(line); i++)
		rsd_buf_put(&text, line[i], strlen(line[i]));
	rsd_text_end(rsd_sum(RSD_SUM_INIT, text.data, text.len), &text);
	ck_assert_int_eq(rsd_ascii_parse(&t, (char *)text.data, text.len, &pos, &why), 0);
	ck_assert_int_eq(rsd_ascii_print(t, &out, NULL, NULL, &why), 0);
	text.len -= sizeof("end 0123456789abcdef");
	text.data[strlen("ascii ")] = '4';
	rsd_buf_put_byte(&text, 0);
	rsd_buf_put_byte(&out, 0);
	ck_assert_str_eq((char *)out.data, (char *)text.data);
	rsd_trace_free(t);
	rsd_buf_release(&text);
	rsd_buf_release(&out);
	rsd_buf_release(&why);
}
END_TEST

/* It may go up on the way, as far as the reader knows. */
START_TEST(a_version_goes_up_only)
{
	static const struct {
		const char *lines;
		bool good;
	} k[] = {
		{ "version 1\n", true },
		{ "version 2\nversion 4\n", true },
		{ "version 2\nversion 1\n", false },
		{ "version 5\n", false },
		{ "version\n", false },
		{ "version 4 4\n", false },
	};
	struct rsd_buf text = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *t = NULL;
	size_t pos = 0;

	rsd_buf_printf(&text, "%s%sincomplete\n", head, k[_i].lines);
	rsd_text_end(rsd_sum(RSD_SUM_INIT, text.data, text.len), &text);
	ck_assert_int_eq(
		rsd_ascii_parse(&t, (char *)text.data, text.len, &pos, &why) == 0, k[_i].good);
	rsd_trace_free(t);
	rsd_buf_release(&text);
	rsd_buf_release(&why);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ascii");
	TCase *tc = tcase_create("ascii");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, an_array_of_ignored_statuses_is_called_what_was_passed);
	tcase_add_test(tc, other_arrays_of_statuses_are_lists);
	tcase_add_loop_test(tc, numbers_alone_are_no_other_threads, 0, 8);
	tcase_add_test(tc, slots_have_their_thread);
	tcase_add_loop_test(tc, a_version_goes_up_only, 0, 6);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
