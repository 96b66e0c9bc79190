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

/* ---- columns of many numbers ------------------------------------------------------------ */

#define MANY 400

enum rule { NONE, BY_RANK, IN_ROWS, LATE, TWICE };

/* The i-th value of rank r. None of the rules can be seen in one rank's values. */
static int64_t value_by(enum rule rule, int r, int i)
{
	int64_t any = (int64_t)((unsigned)i * 2654435761u >> 20), own;

	r = rule == TWICE && r == 4 ? 0
				    : r; /* so two ranks have what is then not apart from others' */
	own = (int64_t)(((unsigned)i * 40503u + (unsigned)r * 69069u) * 2654435761u >> 20);
	if (rule == NONE || (rule == LATE && r < 11))
		return own;
	return rule == IN_ROWS ? any + r / 8 * 1000 + r % 8 : any + r * 7;
}

/* All ranks that 'every' divides have 'nr' values by the rule. Returns how many bytes it takes if each is for itself. */
static size_t unite_many(struct rsd_params *out, enum rule rule, int ranks, int every, int nr)
{
	static struct rsd_params p[RANKS];
	size_t apart = 0;

	for (int r = 0; r < ranks; r++) {
		struct rsd_column *c = rsd_column_new(false);

		p[r] = (struct rsd_params)RSD_PARAMS_INIT;
		for (int i = 0; i < nr; i++)
			ck_assert_int_eq(rsd_column_append(c, value_by(rule, r, i)), 0);
		if (r % every) {
			rsd_column_free(c);
			continue;
		}
		apart += rsd_column_size(c);
		ck_assert_int_eq(rsd_params_set(&p[r], r, c, NULL), 0);
	}
	for (int step = 1; step < ranks; step *= 2) {
		for (int r = 0; r + step < ranks; r += 2 * step) {
			send(&p[r + step]);
			ck_assert_int_eq(rsd_params_merge(&p[r], &p[r + step]), 0);
			rsd_params_release(&p[r + step]);
		}
	}
	*out = p[0];
	return apart;
}

static void check_many(const struct rsd_params *p, enum rule rule, int ranks, int every, int nr)
{
	for (int r = 0; r < ranks; r += every) {
		enum rsd_encoding enc;
		struct rsd_column *c;
		struct rsd_cursor *k;
		int64_t v;

		ck_assert_int_eq(rsd_params_get(p, r, &enc, &c), 0);
		ck_assert_uint_eq(rsd_column_length(c), (uint64_t)nr);
		k = rsd_cursor_new(c);
		for (int i = 0; i < nr && !rsd_cursor_next(k, &v); i++)
			ck_assert_int_eq(v, value_by(rule, r, i));
		rsd_cursor_free(k);
		rsd_column_free(c);
	}
}

static size_t memory(const struct rsd_params *p)
{
	size_t bytes = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];

			bytes += sizeof(*v) + rsd_column_memory(v->col);
			for (size_t k = 0; k < v->nr_numbers; k++)
				bytes += sizeof(*v->number) + rsd_column_memory(v->number[k].over);
		}
	}
	return bytes;
}

/* A column over ranks for each number would be longer, and much more memory, than what each rank has. */
START_TEST(what_follows_no_rule_stays_as_each_rank_has_it)
{
	struct rsd_params p;
	size_t apart = unite_many(&p, NONE, RANKS, 1, MANY);

	ck_assert_uint_le(memory(&p), 2 * apart);
	rsd_params_settle(&p);
	ck_assert_uint_le(rsd_params_size(&p), apart + 8 * RANKS);
	check_many(&p, NONE, RANKS, 1, MANY);
	rsd_params_release(&p);
}
END_TEST

/* However many numbers differ, and from whichever ranks on a rule holds. */
START_TEST(what_follows_a_rule_is_joined)
{
	static const struct {
		enum rule rule;
		int ranks, every, nr;
		size_t bytes; /* a number */
	} cases[] = { { BY_RANK, RANKS, 1, MANY, 13 }, { BY_RANK, RANKS, 5, MANY, 13 },
		{ BY_RANK, RANKS, 1, 20, 13 }, { IN_ROWS, RANKS, 1, MANY, 21 },
		{ LATE, RANKS, 1, 100, 24 + 2 * 11 + 3 }, { BY_RANK, 6, 1, MANY, 13 },
		{ TWICE, 8, 1, MANY, 14 }, { TWICE, RANKS, 1, MANY, 22 } };
	struct rsd_params p;

	unite_many(&p, cases[_i].rule, cases[_i].ranks, cases[_i].every, cases[_i].nr);
	rsd_params_settle(&p);
	ck_assert_uint_le(rsd_params_size(&p), 100 + cases[_i].bytes * (size_t)cases[_i].nr);
	check_many(&p, cases[_i].rule, cases[_i].ranks, cases[_i].every, cases[_i].nr);
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
	tcase_add_test(tc, what_follows_no_rule_stays_as_each_rank_has_it);
	tcase_add_loop_test(tc, what_follows_a_rule_is_joined, 0, 8);
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
