#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "util.h"

static struct rsd_config c;
static struct rsd_buf problems;

static void setup(void)
{
	problems = (struct rsd_buf)RSD_BUF_INIT;
	ck_assert_int_eq(rsd_config_init(&c), 0);
}

static void teardown(void)
{
	rsd_config_release(&c);
	rsd_buf_release(&problems);
}

static int file(const char *text)
{
	return rsd_config_file(&c, "record.in", text, strlen(text), &problems);
}

/* 'arg' is a list NAME, value, ..., NULL. */
static const char *get(const char *name, void *arg)
{
	const char **list = arg;

	for (; *list; list += 2) {
		if (!strcmp(list[0], name))
			return list[1];
	}
	return NULL;
}

static void ck_problems_contain(const char *text)
{
	rsd_buf_put_byte(&problems, '\0');
	ck_assert_msg(strstr((char *)problems.data, text) != NULL, "'%s' is not in '%s'", text,
		(char *)problems.data);
}

START_TEST(no_file_gives_the_defaults)
{
	ck_assert_int_eq(rsd_config_file(&c, "record.in", NULL, 0, &problems), 0);
	ck_assert_int_eq(c.format, RSD_FORMAT_RSD);
	ck_assert_int_eq(c.window, -1);
	ck_assert_int_eq(c.requests, 4096);
	ck_assert_str_eq(c.file, "trace-%p.rsd");
	ck_assert_int_eq(c.origin[RSD_OPT_FILE].from, RSD_FROM_DEFAULT);
}
END_TEST

START_TEST(blanks_comments_and_line_ends_do_not_matter)
{
	ck_assert_int_eq(
		file("# mine\r\n\r\n\t binary \t# the format\r\n \n  100\n\n4\t\r\n  a b/t.rsd\t"),
		0);
	ck_assert_int_eq(c.format, RSD_FORMAT_BINARY);
	ck_assert_int_eq(c.window, 100);
	ck_assert_int_eq(c.requests, 4);
	ck_assert_str_eq(c.file, "a b/t.rsd");
	ck_assert_int_eq(c.origin[RSD_OPT_FORMAT].line, 3);
	ck_assert_int_eq(c.origin[RSD_OPT_WINDOW].line, 5);
	ck_assert_int_eq(c.origin[RSD_OPT_FILE].line, 8);
}
END_TEST

START_TEST(a_byte_order_mark_does_not_matter)
{
	ck_assert_int_eq(file("\xef\xbb\xbf"
			      "binary\n5"),
		0);
	ck_assert_int_eq(c.format, RSD_FORMAT_BINARY);
	ck_assert_int_eq(c.window, 5);
	ck_assert_int_eq(file("\xef\xbb\xbf"), 0);
}
END_TEST

static const struct {
	const char *text, *told;
} malformed[] = {
	{ "\xef\xbb", "record.in:1:" },
	{ "RSD", "record.in:1: 'RSD' is no output format; allowed: rsd, ascii, binary" },
	{ "xml", "record.in:1: 'xml'" },
	{ "rsd\nten", "record.in:2: 'ten' is no compression window" },
	{ "rsd\n-2", "record.in:2: '-2'" },
	{ "rsd\n-", "record.in:2: '-'" },
	{ "rsd\n999999999999999999999", "record.in:2: '999999999999999999999'" },
	{ "rsd\n2147483648", "record.in:2:" },
	{ "rsd\n1 2", "record.in:2: '1 2'" },
	{ "rsd\n-1\n0", "record.in:3: '0' is no size of the request table" },
	{ "rsd\n-1\n-1", "record.in:3:" },
	{ "rsd\n-1\n1\nx%q", "record.in:4: 'x%q' is no trace file" },
	{ "rsd\n-1\n1\nx%", "record.in:4:" },
	{ "rsd\n-1\n1\nx\ny", "record.in:5: 'y' is one line too many" },
	{ "\x01\x7f", "record.in:1: '\\x01\\x7f'" },
};

START_TEST(malformed_lines_are_named_and_leave_the_default)
{
	ck_assert_int_eq(file(malformed[_i].text), 1);
	ck_problems_contain(malformed[_i].told);
	ck_assert_int_eq(c.window, -1);
}
END_TEST

START_TEST(lines_that_are_missing_leave_the_default)
{
	ck_assert_int_eq(file("ascii\n"), 0);
	ck_assert_int_eq(c.format, RSD_FORMAT_ASCII);
	ck_assert_int_eq(c.requests, 4096);
	ck_assert_int_eq(file(""), 0);
}
END_TEST

START_TEST(the_environment_wins)
{
	const char *env[] = { "RECORD_FORMAT", "binary", "RECORD_WINDOW", "", "RECORD_STACK",
		"site", "RECORD_TIME", "full", "RECORD_HISTO", "2.5", "RECORD_SELFCHECK", "1",
		"RECORD_ON_ERROR", "warn", NULL };

	ck_assert_int_eq(file("rsd\n5"), 0);
	ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
	ck_assert_int_eq(c.format, RSD_FORMAT_BINARY);
	ck_assert_int_eq(c.origin[RSD_OPT_FORMAT].from, RSD_FROM_ENVIRONMENT);
	ck_assert_int_eq(c.window, 5);
	ck_assert_int_eq(c.origin[RSD_OPT_WINDOW].from, RSD_FROM_FILE);
	ck_assert_int_eq(c.stack, RSD_STACK_SITE);
	ck_assert_int_eq(c.time, RSD_TIME_FULL);
	ck_assert(c.histo == 2.5);
	ck_assert(c.selfcheck && c.warn && !c.verbose);
}
END_TEST

/* What one process hands on is what another one understands, digit for digit. */
START_TEST(a_percentage_is_handed_on_as_it_is)
{
	static const char *const percent[][2] = { { "000.00001", "0.00001" }, { "0", "0" },
		{ "100.0", "100" }, { "33.3333333333333", "33.333333333" }, { "10", "10" },
		{ ".5", "0.5" } };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(percent); i++) {
		const char *env[] = { "RECORD_HISTO", percent[i][0], NULL };
		struct rsd_buf value = RSD_BUF_INIT;
		double first;

		ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
		first = c.histo;
		rsd_config_value(&c, RSD_OPT_HISTO, &value);
		rsd_buf_put_byte(&value, 0);
		ck_assert_str_eq((const char *)value.data, percent[i][1]);
		env[1] = (const char *)value.data;
		ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
		ck_assert(c.histo == first);
		rsd_buf_release(&value);
	}
}
END_TEST

/* What is shown as the value of an option can be set. */
START_TEST(the_default_values_are_values)
{
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		struct rsd_buf value = RSD_BUF_INIT;
		const char *env[] = { rsd_config_variable((enum rsd_option)o), NULL, NULL };

		rsd_config_value(&c, (enum rsd_option)o, &value);
		rsd_buf_put_byte(&value, 0);
		env[1] = o == RSD_OPT_CALLS ? "-*,+MPI_Send" : (const char *)value.data;
		ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
		ck_assert_int_eq(c.origin[o].from, RSD_FROM_ENVIRONMENT);
		rsd_buf_release(&value);
	}
}
END_TEST

static const char *const bad_variables[][2] = {
	{ "RECORD_STACK", "deep" },
	{ "RECORD_TIME", "on" },
	{ "RECORD_CALLS", "MPI_Send" },
	{ "RECORD_CALLS", "+MPI_Send,,-x" },
	{ "RECORD_CALLS", "+" },
	{ "RECORD_CALLS", "+MPI_S?" },
	{ "RECORD_HISTO", "101" },
	{ "RECORD_HISTO", "1.2.3" },
	{ "RECORD_HISTO", "." },
	{ "RECORD_HISTO", "-1" },
	{ "RECORD_SELFCHECK", "yes" },
	{ "RECORD_VERBOSE", "2" },
	{ "RECORD_ON_ERROR", "ignore" },
	{ "RECORD_WINDOW", "0x10" },
	{ "RECORD_REQUESTS", "1e3" },
};

START_TEST(malformed_variables_are_named)
{
	const char *env[] = { bad_variables[_i][0], bad_variables[_i][1], NULL };

	ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 1);
	ck_problems_contain(bad_variables[_i][0]);
	ck_problems_contain("; allowed: ");
}
END_TEST

START_TEST(paths_are_filled_in)
{
	struct rsd_buf path = RSD_BUF_INIT;

	ck_assert_int_eq(file("rsd\n-1\n1\n/x/%p-%d.%j%%"), 0);
	rsd_config_path(&c, 64, "20240102-030405", "j7", &path);
	rsd_buf_put_byte(&path, '\0');
	ck_assert_str_eq((char *)path.data, "/x/64-20240102-030405.j7%");
	rsd_buf_release(&path);
}
END_TEST

START_TEST(choices_of_functions_apply_in_turn)
{
	const char *env[] = { "RECORD_CALLS", "-*,+MPI_*send*,-MPI_Isend", NULL },
		   *all[] = { "RECORD_CALLS", "all", NULL };

	ck_assert(rsd_config_wants(&c, "MPI_Send", false));
	ck_assert(!rsd_config_wants(&c, "MPI_Wtime", true));
	ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
	ck_assert(!rsd_config_wants(&c, "MPI_Send", false));
	ck_assert(rsd_config_wants(&c, "MPI_Ssend_init", false));
	ck_assert(rsd_config_wants(&c, "MPI_Irsend", false));
	ck_assert(!rsd_config_wants(&c, "MPI_Isend", false));
	ck_assert(!rsd_config_wants(&c, "MPI_Recv", false));
	ck_assert(!rsd_config_is_all(&c));
	ck_assert_int_eq(rsd_config_environment(&c, get, all, &problems), 0);
	ck_assert(rsd_config_is_all(&c) && rsd_config_wants(&c, "MPI_Wtime", true));
}
END_TEST

START_TEST(what_is_handed_on_arrives)
{
	const char *env[] = { "RECORD_CALLS", "-MPI_Test*", "RECORD_VERBOSE", "1", "RECORD_HISTO",
		"5", NULL };
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;
	struct rsd_config d;

	ck_assert_int_eq(file("ascii\n7\n8\nsome where"), 0);
	if (_i)
		ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
	rsd_config_encode(&c, &bytes);
	ck_assert_int_eq(rsd_config_init(&d), 0);
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_config_decode(&d, &in), 0);
	ck_assert_uint_eq(in.pos, bytes.len);
	for (int o = 0; o < RSD_NR_OPTIONS; o++) {
		struct rsd_buf a = RSD_BUF_INIT, b = RSD_BUF_INIT;

		rsd_config_value(&c, (enum rsd_option)o, &a);
		rsd_config_origin(&c, (enum rsd_option)o, "record.in", &a);
		rsd_config_value(&d, (enum rsd_option)o, &b);
		rsd_config_origin(&d, (enum rsd_option)o, "record.in", &b);
		ck_assert_uint_eq(a.len, b.len);
		ck_assert_int_eq(memcmp(a.data, b.data, a.len), 0);
		rsd_buf_release(&a);
		rsd_buf_release(&b);
	}
	/* Cut anywhere, it is refused. */
	for (size_t len = 0; len < bytes.len; len++) {
		rsd_reader_init(&in, bytes.data, len);
		ck_assert_int_ne(rsd_config_decode(&d, &in), 0);
	}
	rsd_config_release(&d);
	rsd_buf_release(&bytes);
}
END_TEST

START_TEST(any_bytes_are_taken_or_refused)
{
	static const char some[] = "rsd\n\r\t #-0123456789%pd binary\0x";
	char text[64];
	size_t len;

	srand((unsigned)_i);
	len = (size_t)rand() % sizeof(text);
	for (size_t i = 0; i < len; i++)
		text[i] = rand() % 9 ? some[(size_t)rand() % (sizeof(some) - 1)] : (char)rand();
	ck_assert_int_ge(rsd_config_file(&c, "record.in", text, len, &problems), 0);
}
END_TEST

static const char *function(int i, void *arg)
{
	static const char *const names[] = { "MPI_Send", "MPI_Recv", NULL };

	(void)arg;
	return names[i];
}

START_TEST(items_that_fit_no_function_are_named)
{
	const char *env[] = { "RECORD_CALLS", "all,-MPI_S*,+Foo,-MPI_Recv,-mpi_send", NULL };

	ck_assert_int_eq(rsd_config_check_calls(&c, function, NULL, &problems), 0);
	ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 0);
	ck_assert_int_eq(rsd_config_check_calls(&c, function, NULL, &problems), 2);
	ck_problems_contain("RECORD_CALLS: '+Foo' fits no function");
	ck_problems_contain("RECORD_CALLS: '-mpi_send' fits no function");
}
END_TEST

START_TEST(a_malformed_item_is_named_alone)
{
	const char *env[] = { "RECORD_CALLS", "all,-MPI_S*,MPI_Recv,+MPI_Send", NULL };

	ck_assert_int_eq(rsd_config_environment(&c, get, env, &problems), 1);
	ck_problems_contain("RECORD_CALLS: 'MPI_Recv' is no choice of functions");
}
END_TEST

static char unknown[][96] = {
	"RECORD_FROMAT=rsd",
	"RECORD_FROMAT: no such option; did you mean RECORD_FORMAT?\n",
	"RECORD_FILES=",
	"RECORD_FILES: no such option; did you mean RECORD_FILE?\n",
	"RECORD_SELF_CHECK=1",
	"RECORD_SELF_CHECK: no such option; did you mean RECORD_SELFCHECK?\n",
	"RECORD_CNFIG=x",
	"RECORD_CNFIG: no such option; did you mean RECORD_CONFIG?\n",
	"RECORD_OF_A_LONG_NAME_THAT_NOBODY_KNOWS=1",
	"RECORD_OF_A_LONG_NAME_THAT_NOBODY_KNOWS: no such option\n",
	"RECORD_=\033",
	"RECORD_: no such option\n",
	"RECORD_\033=1",
	"RECORD_\\x1b: no such option\n",
};

START_TEST(misspelt_variables_are_named)
{
	static char path[] = "PATH=/bin", format[] = "RECORD_FORMAT=rsd",
		    config[] = "RECORD_CONFIG=x", other[] = "RECORDER=1";
	char *environment[] = { path, format, unknown[2 * _i], config, other, NULL };

	ck_assert_int_eq(rsd_config_unknown(environment, &problems), 1);
	ck_assert_uint_eq(problems.len, strlen(unknown[2 * _i + 1]));
	ck_problems_contain(unknown[2 * _i + 1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, no_file_gives_the_defaults);
	tcase_add_test(tc, blanks_comments_and_line_ends_do_not_matter);
	tcase_add_test(tc, a_byte_order_mark_does_not_matter);
	tcase_add_loop_test(tc, malformed_lines_are_named_and_leave_the_default, 0,
		(int)(sizeof(malformed) / sizeof(malformed[0])));
	tcase_add_test(tc, lines_that_are_missing_leave_the_default);
	tcase_add_test(tc, the_environment_wins);
	tcase_add_test(tc, a_percentage_is_handed_on_as_it_is);
	tcase_add_test(tc, the_default_values_are_values);
	tcase_add_test(tc, items_that_fit_no_function_are_named);
	tcase_add_test(tc, a_malformed_item_is_named_alone);
	tcase_add_loop_test(tc, misspelt_variables_are_named, 0,
		(int)(sizeof(unknown) / sizeof(unknown[0]) / 2));
	tcase_add_loop_test(tc, malformed_variables_are_named, 0,
		(int)(sizeof(bad_variables) / sizeof(bad_variables[0])));
	tcase_add_test(tc, paths_are_filled_in);
	tcase_add_test(tc, choices_of_functions_apply_in_turn);
	tcase_add_loop_test(tc, what_is_handed_on_arrives, 0, 2);
	tcase_add_loop_test(tc, any_bytes_are_taken_or_refused, 0, 300);
	suite_add_tcase(suite, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
