#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "params_pile.h"
#include "trace.h"
#include "transfer.h"
#include "trace_text.h"
#include "util.h"

#define NR 800

static const struct rsd_param params[] = {
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "datatype", RSD_T_INT, RSD_R_DATATYPE, -1 },
	{ "dest", RSD_T_INT, RSD_R_INT, -1 },
};
static const struct rsd_func send = { "MPI_Send", params, 3, RSD_C_P2P, 0, 1, -1, -1 };

/* A rank that sent so much each time, to itself. */
static struct rsd_trace *trace_of(int rank, int nprocs, const int64_t *value, size_t nr)
{
	struct rsd_trace *t = rsd_trace_new(nprocs);
	struct rsd_column *c[4];
	int place;

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, rank), 0);
	t->complete = true;
	place = rsd_trace_place(t, 0, rsd_trace_func(t, &send), -1, 0);
	for (int i = 0; i < 4; i++) {
		c[i] = rsd_column_new(false);
		for (size_t k = 0; k < nr; k++)
			rsd_column_append(c[i], i == 0 ? value[k] : i == 2 ? rank : 0);
		ck_assert_int_eq(rsd_params_set(&t->place[place].col[i], rank, c[i], NULL), 0);
	}
	return t;
}

/* Nearly 1000, and now and then something else. */
static void make_values(int64_t value[NR])
{
	for (size_t i = 0; i < NR; i++)
		value[i] = rand() % 20 ? 970 + rand() % 61 : rand() % 2 ? 0 : 7;
}

static int64_t sum_of(const struct rsd_trace *t, int rank, int64_t *least, int64_t *largest)
{
	struct rsd_column *c;
	struct rsd_column_stats s;
	enum rsd_encoding enc;

	ck_assert_int_eq(rsd_params_get(&t->place[0].col[0], rank, &enc, &c), 0);
	rsd_column_stats(c, &s);
	ck_assert_uint_eq(s.nr, NR);
	ck_assert_uint_eq(s.nr_consts, 0);
	rsd_column_free(c);
	*least = s.min;
	*largest = s.max;
	return (int64_t)s.sum;
}

/* Through bytes and back: the same bytes again. */
static struct rsd_trace *through_bytes(struct rsd_trace *t)
{
	struct rsd_buf a = RSD_BUF_INIT, b = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *u;
	struct rsd_reader in;

	rsd_trace_encode(t, &a);
	rsd_reader_init(&in, a.data, a.len);
	ck_assert_int_eq(rsd_trace_decode(&u, &in, &why), 0);
	rsd_trace_encode(u, &b);
	ck_assert_uint_eq(a.len, b.len);
	ck_assert_int_eq(memcmp(a.data, b.data, a.len), 0);
	rsd_buf_release(&a);
	rsd_buf_release(&b);
	rsd_buf_release(&why);
	rsd_trace_free(t);
	return u;
}

static struct rsd_trace *through_text(struct rsd_trace *t)
{
	struct rsd_buf a = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_trace *u;
	size_t pos = 0;

	rsd_text_print(t, &a);
	ck_assert_int_eq(rsd_text_parse(&u, (const char *)a.data, a.len, &pos, &why), 0);
	rsd_buf_release(&a);
	rsd_buf_release(&why);
	rsd_trace_free(t);
	return u;
}

START_TEST(fewer_values_have_the_same_sum)
{
	struct rsd_scalar_bin in[500], out[RSD_SCALAR_BINS];
	uint64_t sum = 0, count = 0;
	uint32_t v = (uint32_t)rand() % 1000;
	size_t nr, n;

	srand(_i);
	nr = 1 + (size_t)rand() % 500;
	for (size_t i = 0; i < nr; i++) {
		v += 1 + (uint32_t)rand() % (_i % 2 ? 3 : 4000000);
		in[i] = (struct rsd_scalar_bin){ v, 1 + (uint64_t)rand() % 1000 };
		sum += in[i].nr * v;
		count += in[i].nr;
	}
	n = rsd_scalar_reduce(in, nr, out);
	ck_assert_uint_le(n, RSD_SCALAR_BINS);
	ck_assert_uint_eq(out[0].value, in[0].value);
	ck_assert_uint_eq(out[n - 1].value, in[nr - 1].value);
	for (size_t i = 0; i < n; i++) {
		ck_assert(!i || out[i].value > out[i - 1].value);
		sum -= out[i].nr * out[i].value;
		count -= out[i].nr;
	}
	ck_assert_uint_eq(sum, 0);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(what_is_drawn_has_sum_and_extremes_of_what_was_recorded)
{
	int ranks = 1 + _i % 4;
	int64_t value[NR], sum = 0, least, largest;
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *all = NULL;
	size_t exact = 0, lossy = 0;

	srand(_i);
	for (int r = 0; r < ranks; r++) {
		struct rsd_trace *t;

		make_values(value);
		value[0] = 970;
		value[1] = 1030;
		t = trace_of(r, ranks, value, NR);
		exact += rsd_params_size(&t->place[0].col[0]);
		ck_assert_int_eq(rsd_scalars_record(t, r, 5), 0);
		ck_assert(rsd_trace_has_scalars(t));
		for (size_t i = 0; i < NR; i++)
			sum += value[i];
		t = _i % 2 ? through_bytes(t) : through_text(t);
		if (all)
			ck_assert_int_eq(rsd_merge(all, t), 0);
		else
			all = t;
	}
	rsd_merge_settle(all);
	all = _i % 2 ? through_text(all) : through_bytes(all);
	lossy = rsd_params_size(&all->place[0].col[0]);
	ck_assert_uint_lt(lossy, exact);
	ck_assert_int_eq(rsd_scalars_draw(all, &why), 0);
	ck_assert(!rsd_trace_has_scalars(all));
	for (int r = 0; r < ranks; r++) {
		sum -= sum_of(all, r, &least, &largest);
		ck_assert_int_eq(least, 0);
		ck_assert_int_le(largest, 1030);
	}
	ck_assert_int_eq(sum, 0);
	rsd_buf_release(&why);
	rsd_trace_free(all);
}
END_TEST

START_TEST(ranks_that_do_alike_share_a_histogram)
{
	int64_t value[NR];
	struct rsd_trace *all = NULL;

	for (int r = 0; r < 16; r++) {
		struct rsd_trace *t;

		for (size_t i = 0; i < NR; i++)
			value[i] = 990 + rand() % 21;
		t = trace_of(r, 16, value, NR);
		ck_assert_int_eq(rsd_scalars_record(t, r, 5), 0);
		if (all)
			ck_assert_int_eq(rsd_merge(all, t), 0);
		else
			all = t;
	}
	ck_assert_uint_eq(all->place[0].scalars.nr, 1);
	ck_assert_uint_eq(rsd_ranks_count(&all->place[0].scalars.s[0].ranks), 16);
	ck_assert_uint_eq(all->place[0].col[0].enc[RSD_E_ABS].nr, 1);
	rsd_trace_free(all);
}
END_TEST

START_TEST(what_folds_or_is_far_apart_stays_exact)
{
	int64_t value[NR];
	struct rsd_trace *t;

	for (size_t i = 0; i < NR; i++)
		value[i] = 1000 + (int64_t)i % 2;
	t = trace_of(0, 1, value, NR);
	ck_assert_int_eq(rsd_scalars_record(t, 0, 5), 0);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_trace_free(t);
	for (size_t i = 0; i < NR; i++)
		value[i] = (int64_t)1 << rand() % 30;
	t = trace_of(0, 1, value, NR);
	ck_assert_int_eq(rsd_scalars_record(t, 0, 5), 0);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_trace_free(t);
}
END_TEST

/* The sum of the counts would not be that of the bytes. */
START_TEST(counts_of_several_types_stay_exact)
{
	struct rsd_column *types = rsd_column_new(false);
	struct rsd_params *p;
	int64_t value[NR];
	struct rsd_trace *t;

	make_values(value);
	t = trace_of(0, 1, value, NR);
	p = &t->place[0].col[1];
	for (int i = 0; i < NR; i++)
		rsd_column_append(types, i % 2);
	rsd_params_release(p);
	ck_assert_int_eq(rsd_params_set(p, 0, types, NULL), 0);
	ck_assert_int_eq(rsd_scalars_record(t, 0, 5), 0);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_trace_free(t);
}
END_TEST

/* Any byte may be another one: an error, or a trace that draws or refuses to. */
START_TEST(damage_is_told)
{
	int64_t value[NR];
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_trace *t;

	srand(_i);
	make_values(value);
	t = trace_of(0, 1, value, NR);
	rsd_scalars_record(t, 0, 5);
	rsd_trace_encode(t, &bytes);
	rsd_trace_free(t);
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char was = bytes.data[i];
		struct rsd_buf why = RSD_BUF_INIT;
		struct rsd_reader in;

		bytes.data[i] ^= (unsigned char)(1 << (_i + (int)i) % 8);
		rsd_reader_init(&in, bytes.data, bytes.len);
		if (!rsd_trace_decode(&t, &in, &why)) {
			if (i % 2)
				rsd_scalars_draw(t, &why);
			else
				rsd_scalars_show(t);
			rsd_trace_free(t);
		}
		rsd_buf_release(&why);
		bytes.data[i] = was;
	}
	rsd_buf_release(&bytes);
}
END_TEST

/* References without a group, or with one of another number of values. */
START_TEST(references_and_groups_have_to_agree)
{
	int64_t value[NR];
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;

	make_values(value);
	t = trace_of(0, 1, value, NR);
	rsd_scalars_record(t, 0, 5);
	ck_assert(t->place[0].scalars.nr >= 1);
	t->place[0].scalars.s[0].draws += _i ? 1 : -1;
	ck_assert_int_eq(rsd_scalars_draw(t, &why), RSD_ERR_FORMAT);
	ck_assert_uint_gt(why.len, 0);
	rsd_buf_release(&why);
	rsd_trace_free(t);
}
END_TEST

/* What each rank draws, readers draw of all ranks: of a million of them that is more than they do. */
START_TEST(what_readers_have_no_room_to_draw_stays_exact)
{
	int64_t value[NR];

	make_values(value);
	for (int nprocs = 64; nprocs <= 1 << 20; nprocs *= 128) {
		struct rsd_trace *t = trace_of(0, nprocs, value, NR);

		ck_assert_int_eq(rsd_scalars_record(t, 0, 5), 0);
		ck_assert_int_eq(rsd_trace_has_scalars(t), nprocs < 1 << 20);
		rsd_trace_free(t);
	}
}
END_TEST

#define MANY 70000

/* In a time that grows with the ranks: it took minutes, and was refused from 65,536 of them on. */
START_TEST(each_rank_may_have_groups_of_its_own)
{
	struct rsd_scalars half[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	struct rsd_trace *t = rsd_trace_new(MANY);
	struct rsd_params_pile pile = { .nr = 0 };
	struct rsd_buf why = RSD_BUF_INIT;

	rsd_trace_place(t, 0, rsd_trace_func(t, &send), -1, 0);
	for (int r = 0; r < MANY; r++) {
		struct rsd_scalar own = { .whole = true, .error = 5000, .draws = 2, .nr_bins = 1 };
		struct rsd_params one = RSD_PARAMS_INIT;
		struct rsd_column *c = rsd_column_new(false);

		own.bin[0] = (struct rsd_scalar_bin){ 1000 + (uint32_t)r, 2 };
		rsd_column_append_run(c, rsd_scalar_ref(0), 2);
		ck_assert_int_eq(rsd_params_set(&one, r, c, NULL), 0);
		ck_assert_int_eq(rsd_params_pile_add(&pile, &one), 0);
		rsd_ranks_append(&rsd_scalars_add(&half[r >= MANY / 2], &own)->ranks, r);
	}
	ck_assert_int_eq(rsd_params_pile_take(&pile, &t->place[0].col[0]), 0);
	ck_assert_int_eq(rsd_scalars_merge(&t->place[0].scalars, &half[0]), 0);
	ck_assert_int_eq(rsd_scalars_merge(&t->place[0].scalars, &half[1]), 0);
	ck_assert_uint_eq(t->place[0].scalars.nr, MANY);
	ck_assert_int_eq(rsd_scalars_draw(t, &why), 0);
	for (int r = 0; r < MANY; r += 1000) {
		enum rsd_encoding enc;
		struct rsd_column *c;
		int64_t v;

		ck_assert_int_eq(rsd_params_get(&t->place[0].col[0], r, &enc, &c), 0);
		ck_assert(rsd_column_is_constant(c, &v));
		ck_assert_int_eq(v, 1000 + r);
		rsd_column_free(c);
	}
	rsd_scalars_release(&half[0]);
	rsd_scalars_release(&half[1]);
	rsd_buf_release(&why);
	rsd_trace_free(t);
}
END_TEST

/* Puts a column of 'nr' equal values of one more rank to the others'. */
static void add_rank(struct rsd_params_pile *pile, int rank, int64_t value, uint64_t nr)
{
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *c = rsd_column_new(false);

	rsd_column_append_run(c, value, nr);
	ck_assert_int_eq(rsd_params_set(&one, rank, c, NULL), 0);
	ck_assert_int_eq(rsd_params_pile_add(pile, &one), 0);
}

/* A group of one rank, all of whose values are 'value'. */
static void add_group(struct rsd_scalars *a, int rank, uint32_t value, uint64_t nr)
{
	struct rsd_scalar own = { .error = 5000, .draws = nr, .nr_bins = 1 };

	own.bin[0] = (struct rsd_scalar_bin){ value, nr };
	rsd_ranks_append(&rsd_scalars_add(a, &own)->ranks, rank);
}

static int64_t only_value(const struct rsd_params *p, int rank, uint64_t nr)
{
	enum rsd_encoding enc;
	struct rsd_column *c;
	int64_t v;

	ck_assert_int_eq(rsd_params_get(p, rank, &enc, &c), 0);
	ck_assert_uint_eq(rsd_column_length(c), nr);
	ck_assert(rsd_column_is_constant(c, &v));
	rsd_column_free(c);
	return v;
}

#define SOME 1000

/* Ranks without a group cost nothing, however many, and stay as they are. */
START_TEST(only_ranks_with_groups_are_drawn)
{
	struct rsd_trace *t = rsd_trace_new(SOME);
	struct rsd_buf why = RSD_BUF_INIT;

	for (int i = 0; i < 300; i++) {
		int place = rsd_trace_place(t, 0, rsd_trace_func(t, &send), -1, i);
		struct rsd_params_pile pile = { .nr = 0 };

		for (int r = 0; r < SOME; r++)
			add_rank(&pile, r, r == i ? rsd_scalar_ref(3) : 5, 2);
		ck_assert_int_eq(rsd_params_pile_take(&pile, &t->place[place].col[0]), 0);
		add_group(&t->place[place].scalars, i, 1000, 2);
		t->place[place].scalars.s[0].id = 3;
	}
	ck_assert_int_eq(rsd_scalars_draw(t, &why), 0);
	for (int i = 0; i < 300; i++) {
		const struct rsd_params *p = &t->place[i].col[0];

		ck_assert_uint_eq(p->enc[RSD_E_ABS].nr, 2);
		for (int r = i; r < SOME; r += 97)
			ck_assert_int_eq(only_value(p, r, 2), r == i ? 1000 : 5);
	}
	rsd_buf_release(&why);
	rsd_trace_free(t);
}
END_TEST

/* Ranks whose values are numbers over the ranks, one of which is drawn; or another one has a reference and no group. */
START_TEST(joined_ranks_are_drawn_apart)
{
	struct rsd_trace *t = rsd_trace_new(16);
	struct rsd_params_pile pile = { .nr = 0 };
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_params *p;
	int drawn = _i / 2 * 5;

	rsd_trace_place(t, 0, rsd_trace_func(t, &send), -1, 0);
	p = &t->place[0].col[0];
	for (int r = 0; r < 16; r++)
		add_rank(&pile, r, r == drawn || (_i % 2 && r == 7) ? rsd_scalar_ref(0) : 7 * r, 2);
	ck_assert_int_eq(rsd_params_pile_take(&pile, p), 0);
	ck_assert_uint_eq(p->enc[RSD_E_ABS].nr, 1);
	add_group(&t->place[0].scalars, drawn, 1000, 2);
	ck_assert_int_eq(rsd_scalars_draw(t, &why), _i % 2 ? RSD_ERR_FORMAT : 0);
	for (int r = 0; r < 16 && _i % 2 == 0; r++)
		ck_assert_int_eq(only_value(p, r, 2), r == drawn ? 1000 : 7 * r);
	rsd_buf_release(&why);
	rsd_trace_free(t);
}
END_TEST

/* Also that of loops whose function was named before. */
START_TEST(the_largest_percentage_is_told)
{
	struct rsd_trace *t = rsd_trace_new(1);
	int place = rsd_trace_place(t, 0, rsd_trace_func(t, &send), -1, 0);
	struct rsd_buf text = RSD_BUF_INIT;

	for (uint32_t i = 1; i <= 2; i++) {
		struct rsd_scalar s = { .whole = true, .error = i * 5000 };
		struct rsd_node *loop = rsd_node_new(-1);

		rsd_node_append(rsd_trace_tree(t, 0), NULL, loop);
		rsd_node_append(rsd_trace_tree(t, 0), loop, rsd_node_new(place));
		ck_assert_ptr_nonnull(rsd_scalars_add(&loop->scalars, &s));
	}
	rsd_scalars_list(t, &text);
	rsd_buf_put_byte(&text, 0);
	ck_assert_str_eq((char *)text.data, "counts of loops at MPI_Send (within 10 %)");
	rsd_buf_release(&text);
	rsd_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scalar_param");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, fewer_values_have_the_same_sum, 0, 200);
	tcase_add_loop_test(tc, what_is_drawn_has_sum_and_extremes_of_what_was_recorded, 0, 16);
	tcase_add_test(tc, ranks_that_do_alike_share_a_histogram);
	tcase_add_test(tc, what_folds_or_is_far_apart_stays_exact);
	tcase_add_test(tc, counts_of_several_types_stay_exact);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, what_readers_have_no_room_to_draw_stays_exact);
	tcase_add_test(tc, each_rank_may_have_groups_of_its_own);
	tcase_add_test(tc, only_ranks_with_groups_are_drawn);
	tcase_add_loop_test(tc, joined_ranks_are_drawn_apart, 0, 6);
	tcase_add_test(tc, the_largest_percentage_is_told);
	tcase_add_loop_test(tc, damage_is_told, 0, 4);
	tcase_add_loop_test(tc, references_and_groups_have_to_agree, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
