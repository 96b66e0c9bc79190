/* source_table: source lines in a trace, in every format, and merged */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "merge.h"
#include "scan.h"
#include "source_table.h"
#include "trace_file.h"
#include "trace_text.h"
#include "util.h"

static struct rsd_source_frame inlined[] = { { "leaf", "/src/a.c", 7, 3 },
	{ "ns::f(int)", "b b.c", 8, 0 } };
static struct rsd_source_frame partly[] = { { NULL, "/src/c.c", 12, 0 }, { "g", NULL, 0, 0 } };

static void fill(struct rsd_source_table *t)
{
	ck_assert_int_eq(rsd_source_table_add(t, 1, 0x1000, inlined, 2, NULL), 0);
	ck_assert_int_eq(rsd_source_table_add(t, 0, 0x1000, partly, 2, NULL), 0);
	ck_assert_int_eq(rsd_source_table_add(t, 0, UINT64_MAX, NULL, 0, NULL), 0);
}

static void ck_text(const char *a, const char *b)
{
	ck_assert_int_eq(!a, !b);
	if (a)
		ck_assert_str_eq(a, b);
}

static void ck_source(const struct rsd_source *s, const struct rsd_source_frame *frame, size_t nr)
{
	ck_assert_ptr_nonnull(s);
	ck_assert_uint_eq(s->nr, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_text(s->frame[i].function, frame[i].function);
		ck_text(s->frame[i].file, frame[i].file);
		ck_assert_uint_eq(s->frame[i].line, frame[i].line);
		ck_assert_uint_eq(s->frame[i].column, frame[i].column);
	}
}

static void ck_filled(const struct rsd_source_table *t)
{
	ck_assert_uint_eq(t->nr, 3);
	ck_source(rsd_source_table_find(t, 1, 0x1000), inlined, 2);
	ck_source(rsd_source_table_find(t, 0, 0x1000), partly, 2);
	ck_source(rsd_source_table_find(t, 0, UINT64_MAX), NULL, 0);
	ck_assert_ptr_null(rsd_source_table_find(t, 2, 0x1000));
	ck_assert_ptr_null(rsd_source_table_find(t, 0, 0x1001));
}

START_TEST(what_is_added_is_found)
{
	struct rsd_source_table t = { 0 };
	bool known;

	fill(&t);
	ck_filled(&t);
	ck_assert_int_eq(rsd_source_table_add(&t, 1, 0x1000, partly, 2, &known), 0);
	ck_assert(known);
	ck_filled(&t); /* the first one stays */
	rsd_source_table_release(&t);
	ck_assert_ptr_null(rsd_source_table_find(&t, 1, 0x1000));
}
END_TEST

START_TEST(an_empty_text_is_unknown)
{
	struct rsd_source_frame f = { "", "", 1, 1 };
	struct rsd_source_table t = { 0 };

	ck_assert_int_eq(rsd_source_table_add(&t, 0, 0, &f, 1, NULL), 0);
	ck_assert_ptr_null(t.entry[0].frame[0].function);
	ck_assert_ptr_null(t.entry[0].frame[0].file);
	rsd_source_table_release(&t);
}
END_TEST

START_TEST(many_are_found)
{
	struct rsd_source_table t = { 0 };

	for (int i = 0; i < 3000; i++) {
		struct rsd_source_frame f = { "f", "x.c", (uint32_t)i, 0 };

		ck_assert_int_eq(
			rsd_source_table_add(&t, i % 3, (uint64_t)i / 3 * 16, &f, 1, NULL), 0);
	}
	ck_assert_uint_eq(t.nr, 3000);
	for (int i = 0; i < 3000; i++)
		ck_assert_uint_eq(
			rsd_source_table_find(&t, i % 3, (uint64_t)i / 3 * 16)->frame[0].line,
			(uint32_t)i);
	rsd_source_table_release(&t);
}
END_TEST

START_TEST(import_matches_modules_by_content)
{
	struct rsd_source_table a = { 0 }, b = { 0 };
	struct rsd_sigs to, from;

	rsd_sigs_init(&to);
	rsd_sigs_init(&from);
	rsd_sigs_module(&to, "/lib/y", "02");
	rsd_sigs_module(&to, "/lib/x", "01");
	rsd_sigs_module(&from, "/lib/x", "01");
	rsd_sigs_module(&from, "/lib/z", "");
	fill(&b);
	ck_assert_int_eq(rsd_source_table_add(&a, 1, 0x1000, inlined, 1, NULL), 0);
	ck_assert_int_eq(rsd_source_table_import(&a, &to, &b, &from), 0);
	ck_assert_uint_eq(to.nr_modules, 3);
	ck_source(rsd_source_table_find(&a, 1, 0x1000), inlined, 1);
	ck_source(rsd_source_table_find(&a, 2, 0x1000), inlined, 2);
	ck_source(rsd_source_table_find(&a, 1, UINT64_MAX), NULL, 0);
	ck_assert_uint_eq(a.nr, 3);
	rsd_source_table_release(&a);
	rsd_source_table_release(&b);
	rsd_sigs_release(&to);
	rsd_sigs_release(&from);
}
END_TEST

START_TEST(decode_gives_what_was_encoded)
{
	struct rsd_source_table a = { 0 }, b = { 0 };
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;

	fill(&a);
	rsd_source_table_encode(&a, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_source_table_decode(&b, 2, &in), 0);
	ck_assert_uint_eq(in.pos, bytes.len);
	ck_filled(&b);
	rsd_source_table_release(&b);
	/* A module that is not in the table, every cut. */
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_source_table_decode(&b, 1, &in), RSD_ERR_FORMAT);
	for (size_t len = 0; len < bytes.len; len++) {
		rsd_reader_init(&in, bytes.data, len);
		ck_assert_int_eq(rsd_source_table_decode(&b, 2, &in), RSD_ERR_FORMAT);
		ck_assert_uint_eq(b.nr, 0);
	}
	rsd_source_table_release(&a);
	rsd_buf_release(&bytes);
}
END_TEST

/* Refused, or another table, which is as good as its bytes. */
START_TEST(altered_bytes)
{
	struct rsd_source_table a = { 0 };
	struct rsd_buf bytes = RSD_BUF_INIT;

	srand((unsigned int)_i);
	fill(&a);
	rsd_source_table_encode(&a, &bytes);
	for (int k = 0; k < 100; k++) {
		struct rsd_source_table b = { 0 }, c = { 0 };
		struct rsd_buf again = RSD_BUF_INIT;
		struct rsd_reader in;

		bytes.data[(size_t)rand() % bytes.len] =
			(unsigned char)(rand() % 3 ? rand() % 12 : rand());
		rsd_reader_init(&in, bytes.data, bytes.len);
		if (!rsd_source_table_decode(&b, 2, &in)) {
			rsd_source_table_encode(&b, &again);
			rsd_reader_init(&in, again.data, again.len);
			ck_assert_int_eq(rsd_source_table_decode(&c, 2, &in), 0);
			ck_assert_uint_eq(c.nr, b.nr);
		}
		rsd_source_table_release(&b);
		rsd_source_table_release(&c);
		rsd_buf_release(&again);
	}
	rsd_source_table_release(&a);
	rsd_buf_release(&bytes);
}
END_TEST

START_TEST(a_place_given_twice_is_refused)
{
	static const unsigned char twice[] = { 2, 0, 5, 0, 0, 5, 0 };
	struct rsd_source_table t = { 0 };
	struct rsd_reader in;

	rsd_reader_init(&in, twice, sizeof(twice));
	ck_assert_int_eq(rsd_source_table_decode(&t, 1, &in), RSD_ERR_FORMAT);
}
END_TEST

/* ---- as part of a trace ------------------------------------------------------------------ */

static struct rsd_trace *make_trace(int rank)
{
	struct rsd_trace *t = rsd_trace_new(2);

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, rank), 0);
	rsd_trace_set_constant(t, 0, "absent");
	rsd_sigs_module(&t->sigs, rank ? "/bin/app" : "/lib/x \"y\"", "00ff");
	rsd_sigs_module(&t->sigs, rank ? "/lib/x \"y\"" : "/bin/app", "00ff");
	t->complete = true;
	return t;
}

START_TEST(every_format_keeps_them)
{
	static const char *const path = "source_table.tmp";
	struct rsd_trace *t = make_trace(0), *again;
	struct rsd_buf why = RSD_BUF_INIT;

	fill(&t->sources);
	ck_assert_int_eq(rsd_trace_write(t, path, (enum rsd_format)_i, &why), 0);
	ck_assert_int_eq(rsd_trace_read(&again, path, &why), 0);
	ck_filled(&again->sources);
	rsd_trace_free(again);
	rsd_trace_free(t);
	rsd_buf_release(&why);
	remove(path);
}
END_TEST

static void ck_refused(const char *line)
{
	struct rsd_buf b = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *t;

	rsd_buf_printf(&b,
		"rsd 3\nnprocs 1\nranks 0\ncomplete\nmodule 0 \"m\" \"\"\nsource 0+4\n%s\n", line);
	rsd_text_end(rsd_sum(RSD_SUM_INIT, b.data, b.len), &b);
	ck_assert_int_eq(rsd_trace_read_bytes(&t, b.data, b.len, &why), RSD_ERR_FORMAT);
	rsd_buf_release(&b);
	rsd_buf_release(&why);
}

START_TEST(lines_that_make_no_sense_are_refused)
{
	ck_refused("source 0+4");
	ck_refused("source 1+8");
	ck_refused("source -+8");
	ck_refused("source 0+8 \"f\" \"x.c\" 1");
	ck_refused("source 0+8 \"f\" \"x.c\" 4294967296 0");
	ck_refused("source 0+8 \"f\" \"x.c\" -1 0");
	ck_refused("source 0+8 \"f\"");
}
END_TEST

START_TEST(merging_keeps_those_of_both)
{
	struct rsd_trace *a = make_trace(0), *b = make_trace(1);
	struct rsd_source_frame f = { "h", "h.c", 1, 2 };

	fill(&a->sources);
	ck_assert_int_eq(rsd_source_table_add(&b->sources, 0, 0x1000, partly, 2, NULL), 0);
	ck_assert_int_eq(rsd_source_table_add(&b->sources, 1, 0x20, &f, 1, NULL), 0);
	ck_assert_int_eq(rsd_merge(a, b), 0);
	ck_assert_uint_eq(a->sources.nr, 4);
	ck_source(rsd_source_table_find(&a->sources, 1, 0x1000), inlined, 2);
	ck_source(rsd_source_table_find(&a->sources, 0, 0x20), &f, 1);
	rsd_trace_free(a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_table");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, what_is_added_is_found);
	tcase_add_test(tc, an_empty_text_is_unknown);
	tcase_add_test(tc, many_are_found);
	tcase_add_test(tc, import_matches_modules_by_content);
	tcase_add_test(tc, decode_gives_what_was_encoded);
	tcase_add_loop_test(tc, altered_bytes, 0, 100);
	tcase_add_test(tc, a_place_given_twice_is_refused);
	tcase_add_loop_test(tc, every_format_keeps_them, 0, 3);
	tcase_add_test(tc, lines_that_make_no_sense_are_refused);
	tcase_add_test(tc, merging_keeps_those_of_both);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
