/*
 * transfer, trace_text: what is encoded or printed reads back as the same trace, and
 * what is damaged is refused.
 */
#include <check.h>
#include <stdio.h>

#include "random_trace.h"
#include "scan.h"
#include "trace_text.h"
#include "transfer.h"

#define SEEDS 30

static void encode(const struct rsd_trace *t, struct rsd_buf *out)
{
	rsd_buf_reset(out);
	rsd_trace_encode(t, out);
	ck_assert_int_eq(out->err, 0);
}

/* Same bytes, same trace: the encoding leaves nothing out. */
static void ck_same(const struct rsd_trace *a, const struct rsd_trace *b)
{
	struct rsd_buf x = RSD_BUF_INIT, y = RSD_BUF_INIT;

	encode(a, &x);
	encode(b, &y);
	ck_assert_uint_eq(x.len, y.len);
	ck_assert_mem_eq(x.data, y.data, x.len);
	rsd_buf_release(&x);
	rsd_buf_release(&y);
}

static const char *text(struct rsd_buf *b)
{
	rsd_buf_put_byte(b, 0);
	return (char *)b->data;
}

static struct rsd_trace *decode(const struct rsd_buf *bytes)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_reader in;
	struct rsd_trace *t;
	int err;

	rsd_reader_init(&in, bytes->data, bytes->len);
	err = rsd_trace_decode(&t, &in, &why);
	ck_assert_msg(!err, "%s", text(&why));
	ck_assert_uint_eq(in.pos, in.len);
	rsd_buf_release(&why);
	return t;
}

static struct rsd_trace *parse(const struct rsd_buf *b)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	size_t pos = 0;
	int err = rsd_text_parse(&t, (char *)b->data, b->len, &pos, &why);

	ck_assert_msg(!err, "%s\n%.*s", text(&why), (int)b->len, (char *)b->data);
	ck_assert_uint_eq(pos, b->len);
	rsd_buf_release(&why);
	return t;
}

/* The calls of a trace as logs, beside what it has. */
static void add_logs(struct rsd_trace *t, unsigned seed)
{
	struct random_options o = { .nprocs = t->nprocs, .times = seed % 2 };
	struct random_rank r;

	random_init(&r, &o, t->nprocs - 1, seed);
	r.flat_only = true;
	random_run(&r, &o, seed);
	for (size_t i = t->strings.nr; i < r.strings.nr; i++) {
		char s[20];

		ck_assert_int_ge(rsd_strings_intern(
					 &t->strings, s, (size_t)snprintf(s, sizeof(s), "+%zu", i)),
			0);
	}
	for (int k = 0; k < RANDOM_THREADS; k++) {
		struct rsd_flat_reader in;
		struct rsd_flat_event e;
		struct rsd_log *l;

		l = rsd_trace_add_log(t, t->nprocs - 1, k);
		ck_assert_ptr_nonnull(l);
		rsd_flat_reader_init(&in, r.log[k].data, r.log[k].len);
		while (!rsd_flat_next(&in, &e)) {
			const struct rsd_stream_place *p = &r.stream[k].place[e.place];
			int func = rsd_trace_func(t, &random_funcs[p->func]);
			int sig = p->sig < 0 ? -1 : rsd_sigs_import(&t->sigs, &r.sigs, p->sig);

			rsd_flat_put(&l->bytes, rsd_trace_place(t, k, func, sig, p->nested), e.val,
				e.nr_val, e.before_ns, e.dur_ns);
		}
		rsd_flat_reader_release(&in);
	}
	random_release(&r);
}

START_TEST(bytes_decode_to_the_same_trace)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2), *u;
	struct rsd_buf b = RSD_BUF_INIT;

	if (_i % 4 == 3)
		add_logs(t, (unsigned)_i);
	encode(t, &b);
	u = decode(&b);
	ck_same(t, u);
	rsd_trace_free(t);
	rsd_trace_free(u);
	rsd_buf_release(&b);
}
END_TEST

/* A rank that has opened files without a name, as far as it knew, and then others with one. */
static struct rsd_trace *opened(int unnamed, int named)
{
	struct random_options o = { .nprocs = 1 };
	struct random_rank r;
	struct rsd_trace *t;

	random_init(&r, &o, 0, 0);
	for (int i = 0; i < unnamed + named; i++) {
		r.nr = 0;
		random_put(
			&r, i < unnamed ? RSD_ABSENT : rsd_strings_intern(&r.strings, "file", 4));
		random_put(&r, 0);
		random_put(&r, 0);
		rsd_stream_append(&r.stream[0], rsd_stream_place(&r.stream[0], 4, -1, 0), r.val,
			r.nr, RSD_TIME_OFF, 0, 0);
	}
	t = random_rank_trace(&r);
	random_release(&r);
	return t;
}

START_TEST(a_trace_without_any_string_is_sound)
{
	struct rsd_trace *t = opened(_i, 0);
	struct rsd_buf why = RSD_BUF_INIT;

	ck_assert_uint_eq(t->strings.nr, 0);
	ck_assert_int_eq(rsd_trace_verify(t, &why), 0);
	rsd_trace_free(t);
	rsd_buf_release(&why);
}
END_TEST

START_TEST(strings_that_are_not_there_are_refused)
{
	struct rsd_trace *t = opened(_i, 1);
	struct rsd_buf why = RSD_BUF_INIT;
	size_t nr = t->strings.nr;

	ck_assert_int_eq(rsd_trace_verify(t, &why), 0);
	t->strings.nr = 0;
	ck_assert_int_eq(rsd_trace_verify(t, &why), RSD_ERR_FORMAT);
	t->strings.nr = nr;
	rsd_trace_free(t);
	rsd_buf_release(&why);
}
END_TEST

START_TEST(text_parses_to_the_same_trace)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2), *u;
	struct rsd_buf b = RSD_BUF_INIT, again = RSD_BUF_INIT;

	if (_i % 4 == 3)
		add_logs(t, (unsigned)_i);
	if (_i % 3 == 0) {
		t->complete = false;
		if (_i % 2)
			t->incomplete_why = rsd_strndup("rank 3 \"died\"", 13);
	}
	rsd_text_print(t, &b);
	ck_assert_int_eq(b.err, 0);
	u = parse(&b);
	ck_same(t, u);
	rsd_text_print(u, &again);
	ck_assert_uint_eq(b.len, again.len);
	ck_assert_mem_eq(b.data, again.data, b.len);
	rsd_trace_free(t);
	rsd_trace_free(u);
	rsd_buf_release(&b);
	rsd_buf_release(&again);
}
END_TEST

/* What one format takes, every format can hold. */
static void check_reads_back(const struct rsd_trace *t)
{
	struct rsd_buf text = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *u;
	size_t pos = 0;
	int err;

	rsd_text_print(t, &text);
	err = rsd_text_parse(&u, (char *)text.data, text.len, &pos, &why);
	ck_assert_msg(!err, "%.*s", (int)why.len, (char *)why.data);
	rsd_trace_free(u);
	rsd_buf_release(&text);
	rsd_buf_release(&why);
}

/* Damaged bytes either give an error with a text, or a trace that can be encoded again. */
static bool try_bytes(const unsigned char *p, size_t len)
{
	unsigned char *copy =
		rsd_malloc(len ? len : 1); /* of just this size, for the sanitizer to see */
	struct rsd_buf why = RSD_BUF_INIT, b = RSD_BUF_INIT;
	struct rsd_reader in;
	struct rsd_trace *t;
	int err;

	memcpy(copy, p, len);
	rsd_reader_init(&in, copy, len);
	err = rsd_trace_decode(&t, &in, &why);
	free(copy);
	if (err) {
		ck_assert_ptr_null(t);
		ck_assert_uint_gt(why.len, 0);
	} else {
		encode(t, &b);
		check_reads_back(t);
		rsd_trace_free(t);
	}
	rsd_buf_release(&why);
	rsd_buf_release(&b);
	return !err;
}

START_TEST(truncated_bytes_are_refused)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT;

	if (_i % 2)
		add_logs(t, (unsigned)_i);
	encode(t, &b);
	for (size_t len = 0; len < b.len; len += 1 + b.len / 200)
		ck_assert(!try_bytes(b.data, len));
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

START_TEST(flipped_bits_in_bytes_do_no_harm)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT;

	if (_i % 2)
		add_logs(t, (unsigned)_i);
	encode(t, &b);
	for (size_t i = 0; i < b.len; i += 1 + b.len / 150) {
		unsigned char was = b.data[i];

		for (int bit = 0; bit < 8; bit += 1 + rand() % 4) {
			b.data[i] = was ^ (unsigned char)(1 << bit);
			try_bytes(b.data, b.len);
		}
		b.data[i] = 0xff;
		try_bytes(b.data, b.len);
		b.data[i] = was;
	}
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

static bool try_text(const char *p, size_t len)
{
	char *copy = rsd_malloc(len ? len : 1);
	struct rsd_buf why = RSD_BUF_INIT, b = RSD_BUF_INIT;
	struct rsd_trace *t;
	size_t pos = 0;
	int err;

	memcpy(copy, p, len);
	err = rsd_text_parse(&t, copy, len, &pos, &why);
	free(copy);
	if (err) {
		ck_assert_ptr_null(t);
		ck_assert_uint_gt(why.len, 0);
	} else {
		encode(t, &b);
		rsd_trace_free(t);
	}
	rsd_buf_release(&why);
	rsd_buf_release(&b);
	return !err;
}

START_TEST(truncated_text_is_refused)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT;

	if (_i % 2)
		add_logs(t, (unsigned)_i);
	rsd_text_print(t, &b);
	for (size_t len = 0; len < b.len; len += 1 + b.len / 200)
		ck_assert(!try_text((char *)b.data, len));
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* Puts the right checksum on an altered text, so that reading goes on to what was altered. */
static void sign(struct rsd_buf *b, size_t end)
{
	b->len = end;
	rsd_text_end(rsd_sum(RSD_SUM_INIT, b->data, end), b);
}

START_TEST(altered_text_is_refused_or_harmless)
{
	static const char bytes[] = "\n\t \"\\;:*-+x()<>$@#09az\xff";
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT;
	size_t end;

	if (_i % 2)
		add_logs(t, (unsigned)_i);
	rsd_text_print(t, &b);
	end = b.len - 21;
	ck_assert_mem_eq(b.data + end, "end ", 4);
	for (size_t i = 0; i < end; i += 1 + end / 200) {
		unsigned char was = b.data[i],
			      now = (unsigned char)bytes[rand() % (int)(sizeof(bytes) - 1)];

		b.data[i] = now;
		ck_assert(now == was || !try_text((char *)b.data, b.len));
		sign(&b, end);
		try_text((char *)b.data, b.len);
		b.data[i] = was;
		sign(&b, end);
	}
	ck_assert(try_text((char *)b.data, b.len));
	rsd_trace_free(t);
	rsd_buf_release(&b);
}
END_TEST

/* Lines left out, doubled or exchanged: what parsers that trust a writer's order trip over. */
START_TEST(shuffled_lines_are_refused_or_harmless)
{
	struct rsd_trace *t = random_trace((unsigned)_i, _i % 2);
	struct rsd_buf b = RSD_BUF_INIT, c = RSD_BUF_INIT;
	size_t line[4000], nr = 0;

	if (_i % 2)
		add_logs(t, (unsigned)_i);
	rsd_text_print(t, &b);
	for (size_t i = 0; i < b.len && nr < RSD_ARRAY_SIZE(line); i++)
		if (!i || b.data[i - 1] == '\n')
			line[nr++] = i;
	for (int round = 0; round < 80 && nr > 4; round++) {
		size_t at = (size_t)rand() % (nr - 3), from = (size_t)rand() % (nr - 3);

		rsd_buf_reset(&c);
		rsd_buf_put(&c, b.data, line[at]);
		if (round % 3)
			rsd_buf_put(&c, b.data + line[from], line[from + 1] - line[from]);
		rsd_buf_put(&c, b.data + line[at + round % 2], line[nr - 1] - line[at + round % 2]);
		sign(&c, c.len);
		try_text((char *)c.data, c.len);
	}
	rsd_trace_free(t);
	rsd_buf_release(&b);
	rsd_buf_release(&c);
}
END_TEST

/* A name must tell which constant is meant. */
START_TEST(names_of_two_constants_are_refused)
{
	static const char *const text[] = {
		"rsd 1\nnprocs 2\nranks 0-1\ncomplete\nconstant 3 MPI_INT\nconstant 4 MPI_INT\n",
		"rsd 1\nnprocs 2\nranks 0-1\ncomplete\nconstant 3 absent\n",
		"rsd 1\nnprocs 2\nranks 0-1\ncomplete\nconstant 3 MPI_INT\nconstant 4 MPI_CHAR\n",
	};
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_buf_put(&b, text[_i], strlen(text[_i]));
	sign(&b, b.len);
	ck_assert_int_eq(try_text((char *)b.data, b.len), _i == 2);
	rsd_buf_release(&b);
}
END_TEST

START_TEST(trees_that_are_too_deep_are_refused)
{
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_buf_printf(&b,
		"rsd 2\nnprocs 1\nranks 0\ncomplete\n"
		"function 0 MPI_Barrier coll -1 -1 -1 -1 comm:int:comm\n"
		"place 0 MPI_Barrier thread 0 function 0 signature - nested 0\ntree 0\n");
	for (int i = 0; i < RSD_TREE_DEPTH + _i; i++)
		rsd_buf_printf(&b, "\tloop\n");
	rsd_buf_printf(&b, "\tcall 0 MPI_Barrier\n");
	for (int i = 0; i < RSD_TREE_DEPTH + _i; i++)
		rsd_buf_printf(&b, "\tend\n");
	sign(&b, b.len);
	ck_assert_int_eq(try_text((char *)b.data, b.len), _i == 0);
	rsd_buf_release(&b);
}
END_TEST

START_TEST(strings_are_escaped_as_utf8)
{
	static const struct {
		const char *s;
		size_t len;
		const char *quoted;
	} cases[] = {
		{ "", 0, "\"\"" },
		{ "a\"b\\c", 5, "\"a\\\"b\\\\c\"" },
		{ "\n\t\r\0\x7f", 5, "\"\\n\\t\\x0d\\x00\\x7f\"" },
		{ "\xc3\xa4", 2, "\"\xc3\xa4\"" },
		{ "\xc3", 1, "\"\\xc3\"" },
		{ "\xc0\x80", 2, "\"\\xc0\\x80\"" },		       /* overlong */
		{ "\xed\xa0\x80", 3, "\"\\xed\\xa0\\x80\"" },	       /* a surrogate */
		{ "\xf4\x90\x80\x80", 4, "\"\\xf4\\x90\\x80\\x80\"" }, /* above U+10FFFF */
		{ "\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"" },
	};
	struct rsd_buf b = RSD_BUF_INIT, back = RSD_BUF_INIT;
	struct rsd_scan s;

	rsd_scan_put_string(&b, cases[_i].s, cases[_i].len);
	ck_assert_uint_eq(b.len, strlen(cases[_i].quoted));
	ck_assert_mem_eq(b.data, cases[_i].quoted, b.len);
	rsd_buf_put_byte(&b, '\n');
	rsd_scan_init(&s, (char *)b.data, b.len, 0, NULL);
	ck_assert(rsd_scan_line(&s));
	rsd_scan_string(&s, &back);
	rsd_scan_done(&s);
	ck_assert_int_eq(s.err, 0);
	ck_assert_uint_eq(back.len, cases[_i].len);
	if (back.len)
		ck_assert_mem_eq(back.data, cases[_i].s, back.len);
	rsd_buf_release(&b);
	rsd_buf_release(&back);
}
END_TEST

START_TEST(numbers_at_the_edges_are_read)
{
	static const int64_t edges[] = { 0, 7, -1, 10, INT64_MAX, INT64_MIN };
	struct rsd_buf b = RSD_BUF_INIT;
	int64_t v;
	uint64_t u;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(edges); i++) {
		rsd_buf_reset(&b);
		rsd_buf_put_decimal(&b, edges[i]);
		ck_assert(rsd_scan_parse_int((char *)b.data, b.len, &v) && v == edges[i]);
	}
	rsd_buf_release(&b);

	ck_assert(rsd_scan_parse_int("-9223372036854775808", 20, &v) && v == INT64_MIN);
	ck_assert(rsd_scan_parse_int("9223372036854775807", 19, &v) && v == INT64_MAX);
	ck_assert(!rsd_scan_parse_int("9223372036854775808", 19, &v));
	ck_assert(!rsd_scan_parse_int("-", 1, &v));
	ck_assert(!rsd_scan_parse_int("+1", 2, &v));
	ck_assert(rsd_scan_parse_uint("ffffffffffffffff", 16, 16, &u) && u == UINT64_MAX);
	ck_assert(!rsd_scan_parse_uint("10000000000000000", 17, 16, &u));
	ck_assert(!rsd_scan_parse_uint("", 0, 10, &u));
	ck_assert(!rsd_scan_parse_uint("1a", 2, 10, &u));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("transfer");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, bytes_decode_to_the_same_trace, 0, SEEDS);
	tcase_add_loop_test(tc, a_trace_without_any_string_is_sound, 1, 4);
	tcase_add_loop_test(tc, strings_that_are_not_there_are_refused, 0, 4);
	tcase_add_loop_test(tc, text_parses_to_the_same_trace, 0, SEEDS);
	tcase_add_loop_test(tc, truncated_bytes_are_refused, 0, 4);
	tcase_add_loop_test(tc, flipped_bits_in_bytes_do_no_harm, 0, 4);
	tcase_add_loop_test(tc, truncated_text_is_refused, 0, 4);
	tcase_add_loop_test(tc, altered_text_is_refused_or_harmless, 0, 4);
	tcase_add_loop_test(tc, shuffled_lines_are_refused_or_harmless, 0, 12);
	tcase_add_loop_test(tc, names_of_two_constants_are_refused, 0, 3);
	tcase_add_loop_test(tc, trees_that_are_too_deep_are_refused, 0, 2);
	tcase_add_loop_test(tc, strings_are_escaped_as_utf8, 0, 9);
	tcase_add_test(tc, numbers_at_the_edges_are_read);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
