/*
 * Traces of every version of the format stay readable (tests/golden): they print as they did.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ascii.h"
#include "scan.h"
#include "trace_file.h"
#include "trace_text.h"

static const struct {
	const char *trace, *ascii;
} golden[] = {
	{ "v1-ring.rsd", "v1-ring.ascii" },
	{ "v1-ring.bin", "v1-ring.ascii" },
	{ "v1-ring.ascii", "v1-ring.ascii" },
	{ "v1-flat.rsd", "v1-ring.ascii" },
	{ "v1-later.rsd", "v1-later.ascii" },
	{ "v2-moves.rsd", "v2-moves.ascii" },
	{ "v2-moves.bin", "v2-moves.ascii" },
	{ "v2-moves.ascii", "v2-moves.ascii" },
	{ "v3-sources.rsd", "v3-sources.ascii" },
	{ "v3-sources.bin", "v3-sources.ascii" },
	{ "v3-sources.ascii", "v3-sources.ascii" },
	{ "v3-brackets.rsd", "v3-brackets.ascii" },
	{ "v3-brackets.bin", "v3-brackets.ascii" },
	{ "v3-brackets.ascii", "v3-brackets.ascii" },
	{ "v4-stencil.rsd", "v4-stencil.ascii" },
	{ "v4-stencil.bin", "v4-stencil.ascii" },
	{ "v4-stencil.ascii", "v4-stencil.ascii" },
	{ "v5-jitter.rsd", "v5-jitter.ascii" },
	{ "v5-jitter.bin", "v5-jitter.ascii" },
	{ "v5-jitter.ascii", "v5-jitter.ascii" },
	{ "v6-loops.rsd", "v6-loops.ascii" },
	{ "v6-loops.bin", "v6-loops.ascii" },
	{ "v6-loops.ascii", "v6-loops.ascii" },
	{ "v7-clocks.rsd", "v7-clocks.ascii" },
	{ "v7-clocks.bin", "v7-clocks.ascii" },
	{ "v7-clocks.ascii", "v7-clocks.ascii" },
	{ "v7-order.rsd", "v7-order.ascii" },
	{ "v7-order.bin", "v7-order.ascii" },
	{ "v7-order.ascii", "v7-order.ascii" },
	{ "v8-foreign.rsd", "v8-foreign.ascii" },
	{ "v8-foreign.bin", "v8-foreign.ascii" },
	{ "v8-foreign.ascii", "v8-foreign.ascii" },
	{ "v8-flat.rsd", "v8-foreign.ascii" },
};

static void get_file(const char *name, struct rsd_buf *out)
{
	char path[100], block[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	fd = open(path, O_RDONLY);
	ck_assert_msg(fd >= 0, "cannot open %s from here", path);
	while ((n = read(fd, block, sizeof(block))) > 0)
		rsd_buf_put(out, block, (size_t)n);
	close(fd);
}

static struct rsd_trace *read_golden(const char *name)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	char path[100];
	int err;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	err = rsd_trace_read(&t, path, &why);
	rsd_buf_put_byte(&why, 0);
	ck_assert_msg(!err, "%s", (char *)why.data);
	rsd_buf_release(&why);
	return t;
}

/* What is printed, with its end line, is the file. */
static void ck_is_file(struct rsd_buf *b, const char *name)
{
	struct rsd_buf expected = RSD_BUF_INIT;

	get_file(name, &expected);
	rsd_buf_put_byte(b, 0);
	rsd_buf_put_byte(&expected, 0);
	ck_assert_str_eq((char *)b->data, (char *)expected.data);
	rsd_buf_release(&expected);
}

START_TEST(a_golden_trace_prints_as_it_did)
{
	struct rsd_trace *t = read_golden(golden[_i].trace);
	struct rsd_buf b = RSD_BUF_INIT, why = RSD_BUF_INIT;
	int err = rsd_scalars_draw(t, &why);

	if (!err)
		err = rsd_ascii_print(t, &b, NULL, NULL, &why);
	ck_assert_msg(!err, "%.*s", (int)why.len, why.len ? (char *)why.data : "");
	rsd_text_end(rsd_sum(RSD_SUM_INIT, b.data, b.len), &b);
	ck_is_file(&b, golden[_i].ascii);
	rsd_trace_free(t);
	rsd_buf_release(&b);
	rsd_buf_release(&why);
}
END_TEST

START_TEST(each_version_is_written_as_it_was)
{
	static const char *const names[] = { "v3-sources.rsd", "v3-brackets.rsd", "v4-stencil.rsd",
		"v5-jitter.rsd", "v6-loops.rsd", "v7-clocks.rsd", "v7-order.rsd",
		"v8-foreign.rsd" };
	struct rsd_trace *t = read_golden(names[_i]);
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_text_print(t, &b);
	ck_is_file(&b, names[_i]);
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* Times, too, which ascii does not have. */
START_TEST(binary_holds_what_the_text_does)
{
	static const char *const names[][2] = { { "v4-stencil.bin", "v4-stencil.rsd" },
		{ "v5-jitter.bin", "v5-jitter.rsd" }, { "v6-loops.bin", "v6-loops.rsd" },
		{ "v7-clocks.bin", "v7-clocks.rsd" }, { "v7-order.bin", "v7-order.rsd" },
		{ "v8-foreign.bin", "v8-foreign.rsd" } };
	struct rsd_trace *t = read_golden(names[_i][0]);
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_text_print(t, &b);
	ck_is_file(&b, names[_i][1]);
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* But for the first line and the sum. */
START_TEST(older_versions_are_written_as_version_3)
{
	static const char *const names[] = { "v1-ring.rsd", "v1-flat.rsd", "v2-moves.rsd" };
	struct rsd_trace *t = read_golden(names[_i]);
	struct rsd_buf b = RSD_BUF_INIT, old = RSD_BUF_INIT;
	size_t end = sizeof("end 0123456789abcdef");

	get_file(names[_i], &old);
	rsd_text_print(t, &b);
	ck_assert_uint_eq(b.len, old.len);
	ck_assert_int_eq(memcmp(b.data, "rsd 3\n", 6), 0);
	ck_assert_int_eq(memcmp(b.data + 6, old.data + 6, b.len - 6 - end), 0);
	rsd_trace_free(t);
	rsd_buf_release(&b);
	rsd_buf_release(&old);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("golden");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(
		tc, a_golden_trace_prints_as_it_did, 0, sizeof(golden) / sizeof(golden[0]));
	tcase_add_loop_test(tc, each_version_is_written_as_it_was, 0, 8);
	tcase_add_loop_test(tc, older_versions_are_written_as_version_3, 0, 3);
	tcase_add_loop_test(tc, binary_holds_what_the_text_does, 0, 6);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
