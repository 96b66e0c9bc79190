#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "coder.h"
#include "primer.h"
#include "util.h"

enum { NR = 3000 };

/* What is put and got: a field, and numbers that are regular, noise, or both. */
struct step {
	unsigned field;
	uint64_t hint, at, range, v;
	int zeros;
	bool scope;
};
static struct step step[NR];

static uint64_t some_number(void)
{
	return ((uint64_t)rand() << 31 ^ (uint64_t)rand() << 62 ^ (uint64_t)rand()) >> rand() % 64;
}

static void make_steps(bool regular)
{
	memset(step, 0, sizeof(step));
	for (int i = 0; i < NR; i++) {
		struct step *s = &step[i];

		s->field = (unsigned)(regular ? i % 7 : rand()) % RSD_NR_FIELDS;
		s->hint = (unsigned)(regular ? i % 3 : rand() % 4);
		s->at = (unsigned)rand() % 2;
		s->scope = rand() % 8 == 0;
		s->v = regular ? (unsigned)i / 100 % 5 : some_number();
		if (regular || rand() % 4)
			continue;
		s->zeros = rand() % 3 * 5;
		s->range = some_number();
		if (rand() % 2)
			s->v = (s->range ? s->v % s->range : 0) >> s->zeros << s->zeros;
	}
}

static void say(struct rsd_coder *c, const struct step *s)
{
	if (s->scope)
		rsd_coder_scope(c, s->hint, s->at);
	rsd_coder_field(c, s->field, s->hint, s->at);
	rsd_coder_range(c, s->range, s->zeros);
}

static void encode(struct rsd_buf *coded, struct rsd_buf *plain)
{
	struct rsd_coder *c = rsd_coder_new(NR);

	ck_assert_ptr_nonnull(c);
	rsd_coder_encode(c, coded);
	plain->coder = c;
	for (int i = 0; i < NR; i++) {
		say(c, &step[i]);
		rsd_buf_put_uint(plain, step[i].v);
		if (step[i].scope)
			rsd_buf_put_byte(plain, (unsigned char)step[i].v);
		if (i % 100 == 0)
			rsd_buf_put_str(plain, "some text", 9);
	}
	rsd_coder_end(c);
	ck_assert_int_eq(plain->err, 0);
	rsd_coder_free(c);
	plain->coder = NULL;
}

/* How many steps came back as they were; reading goes on after a wrong one, as a reader of a hostile file does. */
static int decode(const struct rsd_buf *coded, size_t len, unsigned char *data)
{
	struct rsd_coder *c = rsd_coder_new(NR);
	struct rsd_reader in;
	int right = 0;

	ck_assert_ptr_nonnull(c);
	rsd_coder_decode(c, coded->data, coded->len);
	rsd_reader_init(&in, data, len);
	in.coder = c;
	for (int i = 0; i < NR && !in.err; i++) {
		bool good;
		size_t n;

		say(c, &step[i]);
		good = rsd_reader_uint(&in) == step[i].v;
		if (step[i].scope)
			good = rsd_reader_byte(&in) == (unsigned char)step[i].v && good;
		if (i % 100 == 0) {
			const char *s = rsd_reader_str(&in, &n);

			good = good && s && n == 9 && !memcmp(s, "some text", 9);
		}
		right += good && !in.err;
	}
	ck_assert_uint_le(in.pos, len);
	rsd_coder_free(c);
	return right;
}

START_TEST(numbers_and_bytes_come_back)
{
	struct rsd_buf coded = RSD_BUF_INIT, plain = RSD_BUF_INIT;
	unsigned char *data;

	srand(_i);
	make_steps(_i % 2);
	encode(&coded, &plain);
	data = rsd_malloc(plain.len);
	ck_assert_int_eq(decode(&coded, plain.len, data), NR);
	ck_assert_int_eq(memcmp(data, plain.data, plain.len), 0);
	if (_i % 2)
		ck_assert_uint_lt(coded.len, plain.len / 2);
	free(data);
	rsd_buf_release(&coded);
	rsd_buf_release(&plain);
}
END_TEST

START_TEST(damage_is_harmless)
{
	struct rsd_buf coded = RSD_BUF_INIT, plain = RSD_BUF_INIT;
	unsigned char *data;

	srand(_i);
	make_steps(_i % 2);
	encode(&coded, &plain);
	data = rsd_malloc(plain.len);
	ck_assert_int_lt(decode(&coded, plain.len / 2, data), NR);
	coded.data[(size_t)rand() % coded.len] ^= (unsigned char)(1 << rand() % 8);
	coded.len -= (size_t)rand() % 3;
	decode(&coded, plain.len, data);
	for (size_t i = 0; i < coded.len; i++)
		coded.data[i] = (unsigned char)rand();
	decode(&coded, plain.len, data);
	free(data);
	rsd_buf_release(&coded);
	rsd_buf_release(&plain);
}
END_TEST

/* The primer can be read, and is worth it. */
START_TEST(a_primed_coder_knows_names)
{
	static const char name[] = "MPI_Allreduce";
	/* Not primed; primed; primed, and kept; like the one that was kept. */
	size_t len[4];

	for (int k = 0; k < 4; k++) {
		struct rsd_buf coded = RSD_BUF_INIT, plain = RSD_BUF_INIT;
		struct rsd_coder *c = k ? rsd_coder_new_primed(100, k > 1) : rsd_coder_new(100);

		rsd_coder_encode(c, &coded);
		plain.coder = c;
		rsd_buf_put_str(&plain, name, strlen(name));
		rsd_coder_end(c);
		len[k] = coded.len;
		rsd_coder_free(c);
		rsd_buf_release(&coded);
		rsd_buf_release(&plain);
	}
	ck_assert_uint_lt(len[1] * 2, len[0]);
	ck_assert_uint_eq(len[2], len[1]);
	ck_assert_uint_eq(len[3], len[1]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("coder");
	TCase *tc = tcase_create("coder");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, numbers_and_bytes_come_back, 0, 20);
	tcase_add_loop_test(tc, damage_is_harmless, 0, 20);
	tcase_add_test(tc, a_primed_coder_knows_names);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
