#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "stack_sig.h"
#include "util.h"

static int intern(struct rsd_sigs *t, const char *letters)
{
	struct rsd_frame f[100];
	size_t nr = strlen(letters);

	for (size_t i = 0; i < nr; i++)
		f[i] = (struct rsd_frame){ letters[i] == '?' ? -1 : letters[i] & 1,
			(uint64_t)letters[i] * 1000 };
	return rsd_sigs_intern(t, f, nr);
}

static void init(struct rsd_sigs *t)
{
	rsd_sigs_init(t);
	ck_assert_int_eq(rsd_sigs_module(t, "/bin/app", "00ff"), 0);
	ck_assert_int_eq(rsd_sigs_module(t, "/lib/libx.so", ""), 1);
}

START_TEST(equal_content_has_equal_ids)
{
	struct rsd_sigs t;

	init(&t);
	ck_assert_int_eq(rsd_sigs_module(&t, "/bin/app", "00ff"), 0);
	ck_assert_int_eq(rsd_sigs_module(&t, "/bin/app", "00fe"), 2);
	ck_assert_int_eq(intern(&t, "abc"), 0);
	ck_assert_int_eq(intern(&t, "ab"), 1);
	ck_assert_int_eq(intern(&t, ""), 2);
	ck_assert_int_eq(intern(&t, "abc"), 0);
	ck_assert_int_eq(intern(&t, ""), 2);
	ck_assert_uint_eq(t.nr_frames, 5);
	rsd_sigs_release(&t);
}
END_TEST

START_TEST(recursion_is_folded)
{
	struct rsd_sigs t;

	init(&t);
	ck_assert_int_eq(intern(&t, "xabm"), 0);
	ck_assert_int_eq(intern(&t, "xababm"), 0);
	ck_assert_int_eq(intern(&t, "xababababababm"), 0);
	ck_assert_int_eq(intern(&t, "xaababbm"), 0);
	ck_assert_int_eq(intern(&t, "xm"), 1);
	ck_assert_int_eq(intern(&t, "xxxxxxm"), 1);
	ck_assert_int_eq(intern(&t, "xcdefcdefm"), intern(&t, "xcdefm"));
	rsd_sigs_release(&t);
}
END_TEST

START_TEST(import_matches_modules_by_content)
{
	struct rsd_sigs a, b;

	init(&a);
	rsd_sigs_init(&b);
	ck_assert_int_eq(rsd_sigs_module(&b, "/lib/libx.so", ""), 0);
	intern(&a, "zz");
	ck_assert_int_eq(intern(&a, "ab?"), 1);
	ck_assert_int_eq(rsd_sigs_import(&b, &a, 1), 0);
	ck_assert_int_eq(rsd_sigs_import(&b, &a, 1), 0);
	ck_assert_uint_eq(b.sig[0].nr, 3);
	ck_assert_str_eq(b.module[b.frame[0].module].path, "/lib/libx.so");
	ck_assert_str_eq(b.module[b.frame[1].module].path, "/bin/app");
	ck_assert_int_eq(b.frame[2].module, -1);
	ck_assert_int_eq(rsd_sigs_import(&b, &a, 2), RSD_ERR_RANGE);
	ck_assert_int_eq(rsd_sigs_import(&b, &a, -1), RSD_ERR_RANGE);
	rsd_sigs_release(&a);
	rsd_sigs_release(&b);
}
END_TEST

START_TEST(bytes_come_back_and_damage_is_harmless)
{
	struct rsd_sigs t, back;
	struct rsd_buf b = RSD_BUF_INIT, again = RSD_BUF_INIT;
	struct rsd_reader in;

	init(&t);
	srand(_i);
	for (int i = 0; i < 20; i++) {
		char s[12] = { 0 };

		for (int k = rand() % 11; k > 0; k--)
			s[k - 1] = (char)"abcdefgh?"[rand() % 9];
		ck_assert_int_ge(intern(&t, s), 0);
	}
	rsd_sigs_encode(&t, &b);
	rsd_reader_init(&in, b.data, b.len);
	ck_assert_int_eq(rsd_sigs_decode(&back, &in), 0);
	ck_assert_uint_eq(in.pos, b.len);
	rsd_sigs_encode(&back, &again);
	ck_assert_uint_eq(again.len, b.len);
	ck_assert_int_eq(memcmp(again.data, b.data, b.len), 0);
	rsd_sigs_release(&back);
	for (size_t i = 0; i < b.len; i++) {
		rsd_reader_init(&in, b.data, i);
		ck_assert_int_ne(rsd_sigs_decode(&back, &in), 0);
		b.data[i] ^= (unsigned char)(1 << rand() % 8);
		rsd_reader_init(&in, b.data, b.len);
		if (!rsd_sigs_decode(&back, &in))
			rsd_sigs_release(&back);
	}
	rsd_sigs_release(&t);
	rsd_buf_release(&b);
	rsd_buf_release(&again);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stack_sig");
	TCase *tc = tcase_create("stack_sig");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, equal_content_has_equal_ids);
	tcase_add_test(tc, recursion_is_folded);
	tcase_add_test(tc, import_matches_modules_by_content);
	tcase_add_loop_test(tc, bytes_come_back_and_damage_is_harmless, 0, 30);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
