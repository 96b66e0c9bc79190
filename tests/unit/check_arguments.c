/* arguments: words out of files */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arguments.h"
#include "util.h"

static char path[2][64];

static void write_file(int i, const char *text)
{
	FILE *f;

	snprintf(path[i], sizeof(path[i]), "arguments.%d.%ld", i, (long)getpid());
	f = fopen(path[i], "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void remove_files(void)
{
	remove(path[0]);
	remove(path[1]);
}

static int expand(struct rsd_arguments *a, char *word)
{
	char name[] = "addr2line", last[] = "9", *argv[] = { name, word, last };

	*a = RSD_ARGUMENTS_INIT;
	return rsd_arguments_expand(a, 3, argv);
}

START_TEST(words_of_a_file)
{
	static const char *const want[] = { "addr2line", "-f", "a b", "c\"d", "e f", "", "gh", "i",
		"9" };
	struct rsd_arguments a;
	char word[70];

	write_file(0, "-f 'a b'  c\\\"d\n\te\\ f \"\" g\"h\"\r\ni");
	snprintf(word, sizeof(word), "@%s", path[0]);
	ck_assert_int_eq(expand(&a, word), 0);
	ck_assert_uint_eq(a.nr, RSD_ARRAY_SIZE(want));
	for (size_t i = 0; i < a.nr; i++)
		ck_assert_str_eq(a.word[i], want[i]);
	ck_assert_ptr_null(a.word[a.nr]);
	rsd_arguments_release(&a);
}
END_TEST

START_TEST(files_in_files)
{
	struct rsd_arguments a;
	char word[70], text[160];

	write_file(0, "x");
	snprintf(text, sizeof(text), "1 @%s 2", path[0]);
	write_file(1, text);
	snprintf(word, sizeof(word), "@%s", path[1]);
	ck_assert_int_eq(expand(&a, word), 0);
	ck_assert_uint_eq(a.nr, 5);
	ck_assert_str_eq(a.word[2], "x");
	rsd_arguments_release(&a);
	snprintf(text, sizeof(text), "@%s @%s", path[1], path[1]);
	write_file(1, text);
	ck_assert_int_eq(expand(&a, word), RSD_ERR_RANGE);
	rsd_arguments_release(&a);
}
END_TEST

START_TEST(no_such_file_is_a_word)
{
	char absent[] = "@/nowhere/absent", at[] = "@";
	struct rsd_arguments a;

	ck_assert_int_eq(expand(&a, absent), 0);
	ck_assert_str_eq(a.word[1], absent);
	rsd_arguments_release(&a);
	ck_assert_int_eq(expand(&a, at), 0);
	ck_assert_str_eq(a.word[1], at);
	rsd_arguments_release(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("arguments");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, NULL, remove_files);
	tcase_add_test(tc, words_of_a_file);
	tcase_add_test(tc, files_in_files);
	tcase_add_test(tc, no_such_file_is_a_word);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
