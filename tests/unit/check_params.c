#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "params.h"
#include "util.h"

/*
 * One parameter over RANKS ranks, each with values of its own, united as ranks are in
 * MPI_Finalize. Oracle: the values that were appended.
 */
#define RANKS 64
#define VALUES 24

static int64_t values[RANKS][VALUES];
static int nr_values[RANKS];

/* What rank 'r' passes, by kind: like the others', shifted by rank, at the edge of a grid,
 * irregular. */
static void make_values(int kind, int r)
{
	int n = kind == 4 ? 1 + r % 5 : kind == 5 ? 1 + rand() % VALUES : 12;

	nr_values[r] = n;
	for (int i = 0; i < n; i++) {
		int64_t *v = &values[r][i];

		switch (kind) {
		case 0:
			*v = i % 3;
			break;
		case 1:
			*v = i % 2 ? (r + 1) % RANKS : (r + RANKS - 1) % RANKS;
			break;
		case 2:
			*v = i % 2 ? (r % 8 < 7 ? r + 1 : RSD_CONST(2))
				   : (r > 7 ? r - 8 : RSD_CONST(2));
			break;
		case 3:
			*v = r * 100 + i * 8;
			break;
		case 4:
			*v = r / 3 + i * i % 7;
			break;
		default:
			*v = rand() % RANKS;
		}
	}
}

static struct rsd_column *column_of(const int64_t *v, int nr)
{
	struct rsd_column *c = rsd_column_new(false);

	for (int i = 0; i < nr; i++)
		ck_assert_int_eq(rsd_column_append(c, v[i]), 0);
	return c;
}

static void set(struct rsd_params *p, int r, bool peer)
{
	struct rsd_column *abs = column_of(values[r], nr_values[r]);

	*p = (struct rsd_params)RSD_PARAMS_INIT;
	ck_assert_int_eq(
		rsd_params_set(p, r, abs, peer ? rsd_column_relative(abs, r, RANKS) : NULL), 0);
}

static void check_rank(const struct rsd_params *p, int r)
{
	enum rsd_encoding enc;
	struct rsd_column *c;
	struct rsd_cursor *k;
	int64_t v;

	ck_assert_int_eq(rsd_params_get(p, r, &enc, &c), 0);
	ck_assert_uint_eq(rsd_column_length(c), (uint64_t)nr_values[r]);
	k = rsd_cursor_new(c);
	for (int i = 0; i < nr_values[r]; i++) {
		ck_assert_int_eq(rsd_cursor_next(k, &v), 0);
		if (enc == RSD_E_REL && !rsd_is_const(v))
			v = (v + r) % RANKS;
		ck_assert_int_eq(v, values[r][i]);
	}
	rsd_cursor_free(k);
	rsd_column_free(c);
}

/* As through a message. */
static void send(struct rsd_params *p)
{
	struct rsd_params back = RSD_PARAMS_INIT;
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_reader in;

	rsd_params_encode(p, &b);
	rsd_reader_init(&in, b.data, b.len);
	ck_assert_int_eq(rsd_params_decode(&back, &in, RANKS), 0);
	ck_assert_uint_eq(in.pos, b.len);
	ck_assert(rsd_params_equal(p, &back));
	rsd_params_release(p);
	*p = back;
	rsd_buf_release(&b);
}

/* Ranks for which in[r] holds, united; the result in 'out'. */
static void unite(struct rsd_params *out, const bool *in, bool peer, bool by_message)
{
	static struct rsd_params p[RANKS];

	for (int r = 0; r < RANKS; r++) {
		p[r] = (struct rsd_params)RSD_PARAMS_INIT;
		if (in[r])
			set(&p[r], r, peer);
	}
	for (int step = 1; step < RANKS; step *= 2) {
		for (int r = 0; r + step < RANKS; r += 2 * step) {
			if (by_message && rand() % 2)
				send(&p[r + step]);
			ck_assert_int_eq(rsd_params_merge(&p[r], &p[r + step]), 0);
			rsd_params_release(&p[r + step]);
		}
	}
	*out = p[0];
}

START_TEST(each_rank_gets_its_values_back)
{
	struct rsd_params p;
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	bool in[RANKS], peer;
	int kind = _i % 7;

	srand(_i);
	peer = rand() % 2;
	for (int r = 0; r < RANKS; r++) {
		make_values(kind == 6 ? rand() % 6 : kind, r);
		for (int i = 0; i < nr_values[r]; i++) /* peers are ranks */
			if (peer && !rsd_is_const(values[r][i]))
				values[r][i] %= RANKS;
		in[r] = _i % 3 == 0 || rand() % 3;
	}
	in[0] = true;
	unite(&p, in, peer, true);
	if (rand() % 2)
		rsd_params_settle(&p);
	send(&p);
	ck_assert_int_eq(rsd_params_ranks(&p, &ranks), 0);
	for (int r = 0; r < RANKS; r++) {
		enum rsd_encoding enc;
		struct rsd_column *c;

		ck_assert_int_eq(rsd_ranks_has(&ranks, r), in[r]);
		if (in[r])
			check_rank(&p, r);
		else
			ck_assert_int_eq(rsd_params_get(&p, r, &enc, &c), RSD_ERR_END);
	}
	rsd_ranks_release(&ranks);
	rsd_params_release(&p);
}
END_TEST

/* Neighbours on a ring, edges of a grid, offsets that grow with the rank: no list of ranks. */
START_TEST(what_depends_on_the_rank_alone_is_short)
{
	struct rsd_params p;
	bool in[RANKS];

	memset(in, true, sizeof(in));
	for (int r = 0; r < RANKS; r++)
		make_values(_i, r);
	unite(&p, in, _i == 1 || _i == 2, false);
	rsd_params_settle(&p);
	ck_assert_uint_le(rsd_params_size(&p), _i == 2 ? 150 : 50);
	for (int r = 0; r < RANKS; r++)
		check_rank(&p, r);
	rsd_params_release(&p);
}
END_TEST

START_TEST(damaged_bytes_are_harmless)
{
	struct rsd_params p;
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_reader in;
	bool all[RANKS];

	srand(_i);
	memset(all, true, sizeof(all));
	for (int r = 0; r < RANKS; r++)
		make_values(_i % 6, r);
	unite(&p, all, false, false);
	rsd_params_encode(&p, &b);
	rsd_params_release(&p);
	for (int i = 0; i < 300; i++) {
		size_t at = (size_t)rand() % b.len;
		unsigned char bit = (unsigned char)(1 << rand() % 8);

		b.data[at] ^= bit;
		rsd_reader_init(&in, b.data, rand() % 4 ? b.len : at);
		p = (struct rsd_params)RSD_PARAMS_INIT;
		if (!rsd_params_decode(&p, &in, RANKS)) {
			for (int r = 0; r < RANKS; r++) {
				enum rsd_encoding enc;
				struct rsd_column *c;

				if (!rsd_params_get(&p, r, &enc, &c))
					rsd_column_free(c);
			}
		}
		rsd_params_release(&p);
		b.data[at] ^= bit;
	}
	rsd_buf_release(&b);
}
END_TEST

/* A variant of its own for each class of ranks modulo 'nr', the last one first; values tell which. */
static void in_classes(struct rsd_params *p, int nr, int ranks)
{
	*p = (struct rsd_params)RSD_PARAMS_INIT;
	ck_assert_int_eq(
		RSD_GROW(p->enc[RSD_E_ABS].variant, (size_t)nr, p->enc[RSD_E_ABS].alloc), 0);
	for (int k = nr - 1; k >= 0; k--) {
		struct rsd_variant *v = &p->enc[RSD_E_ABS].variant[p->enc[RSD_E_ABS].nr++];

		*v = (struct rsd_variant){ .col = rsd_column_new(false) };
		ck_assert_int_eq(rsd_column_append(v->col, k), 0);
		for (int r = k; r < ranks; r += nr)
			ck_assert_int_eq(rsd_ranks_append(&v->ranks, r), 0);
	}
}

static int recode(struct rsd_params *from, struct rsd_params *to, int limit)
{
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_reader in;
	int err;

	rsd_params_encode(from, &b);
	rsd_params_release(from);
	rsd_reader_init(&in, b.data, b.len);
	*to = (struct rsd_params)RSD_PARAMS_INIT;
	err = rsd_params_decode(to, &in, limit);
	rsd_buf_release(&b);
	return err;
}

static void classes_come_back(int nr, int ranks)
{
	struct rsd_params p, q;
	enum rsd_encoding enc;
	struct rsd_column *c;

	in_classes(&p, nr, ranks);
	ck_assert_int_eq(recode(&p, &q, ranks), 0);
	for (int r = 0; r < ranks; r++) {
		int64_t v;

		ck_assert_int_eq(rsd_params_get(&q, r, &enc, &c), 0);
		ck_assert(rsd_column_is_constant(c, &v));
		ck_assert_int_eq(v, r % nr);
		rsd_column_free(c);
	}
	ck_assert_int_eq(rsd_params_get(&q, ranks, &enc, &c), RSD_ERR_END);
	rsd_params_release(&q);
}

START_TEST(variants_may_interleave_and_come_in_any_order)
{
	for (int nr = 1; nr <= 100; nr++)
		classes_come_back(nr, 100);
}
END_TEST

/* In a time that grows with them: looking at each for each rank took minutes. */
START_TEST(ranks_may_all_have_variants_of_their_own)
{
	classes_come_back(200000, 200000);
}
END_TEST

START_TEST(a_rank_in_two_variants_is_refused)
{
	for (int k = 0; k < 10; k++) {
		struct rsd_params p, q;

		in_classes(&p, 10, 100);
		ck_assert_int_eq(rsd_ranks_append(&p.enc[RSD_E_ABS].variant[k].ranks, 100), 0);
		for (int i = 0; i < k; i++)
			ck_assert_int_eq(
				rsd_ranks_append(&p.enc[RSD_E_ABS].variant[i].ranks, 100 + i / 2),
				0);
		ck_assert_int_eq(recode(&p, &q, 200), k ? RSD_ERR_FORMAT : 0);
		rsd_params_release(&q);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("params");
	TCase *tc = tcase_create("params");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, each_rank_gets_its_values_back, 0, 70);
	tcase_add_loop_test(tc, what_depends_on_the_rank_alone_is_short, 0, 4);
	tcase_add_loop_test(tc, damaged_bytes_are_harmless, 0, 12);
	tcase_add_test(tc, variants_may_interleave_and_come_in_any_order);
	tcase_add_test(tc, ranks_may_all_have_variants_of_their_own);
	tcase_add_test(tc, a_rank_in_two_variants_is_refused);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
