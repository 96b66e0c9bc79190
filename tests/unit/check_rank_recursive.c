#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "rank_recursive.h"
#include "util.h"

/* Sets of ranks below N against plain bitmaps. */
#define N 400

/* For what is claimed of every rank: ck_assert writes to a file each time. */
#define require(c) ((c) ? (void)0 : ck_abort_msg("not so: %s", #c))

static void from_bits(struct rsd_ranks *s, const bool *in)
{
	for (int r = 0; r < N; r++)
		if (in[r])
			require(rsd_ranks_append(s, r) == 0);
}

/* Regular and irregular sets of many kinds, by seed. */
static void make_bits(bool *in)
{
	int kind = rand() % 6, a = 1 + rand() % 9, b = 1 + rand() % 9, c = 1 + rand() % 4,
	    o = rand() % 20;

	memset(in, 0, N * sizeof(*in));
	for (int r = 0; r < N; r++) {
		int x = r % a, y = r / a % b, z = r / a / b;

		switch (kind) {
		case 0:
			in[r] = rand() % (1 + c) == 0;
			break;
		case 1:
			in[r] = x == 0 || y == 0 || x == a - 1 || y == b - 1 || z == 0;
			break;
		case 2:
			in[r] = x > 0 && x < a - 1 && y > 0 && y < b - 1;
			break;
		case 3:
			in[r] = r >= o && (r - o) % (a + b) < a && (r - o) / (a + b) % (c + 1) != 0;
			break;
		case 4:
			in[r] = (x < c) ^ (y < c) ^ (z % 3 == 0);
			break;
		default:
			in[r] = r % (a + 1) == 0 ? r % 7 != 3 : rand() % 40 == 0;
		}
	}
}

static void check_form(const struct rsd_ranks *s)
{
	int last = -1;

	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_run *r = &s->run[i];
		int extent = 0;

		require(r->first > last);
		for (int d = r->nr_dims - 1; d >= 0; d--) {
			require(r->dim[d].count > 1);
			require(r->dim[d].stride > extent);
			extent += (r->dim[d].count - 1) * r->dim[d].stride;
		}
		last = r->first + extent;
	}
	ck_assert_int_eq(rsd_ranks_last(s), last);
}

static void check_equals_bits(const struct rsd_ranks *s, const bool *in)
{
	struct rsd_ranks t = RSD_RANKS_INIT;
	size_t nr = 0;
	int next = -1;

	check_form(s);
	from_bits(&t, in);
	ck_assert(rsd_ranks_equal(s, &t));
	for (int r = 0; r < N; r++) {
		require(rsd_ranks_has(s, r) == in[r]);
		require(rsd_ranks_position(s, r) == nr);
		if (in[r]) {
			next = rsd_ranks_next(s, next);
			require(next == r);
			nr++;
		}
	}
	ck_assert_int_eq(rsd_ranks_next(s, next), -1);
	ck_assert_uint_eq(rsd_ranks_count(s), nr);
	rsd_ranks_release(&t);
}

START_TEST(agrees_with_a_bitmap)
{
	struct rsd_ranks s = RSD_RANKS_INIT;
	bool in[N];

	srand(_i);
	make_bits(in);
	from_bits(&s, in);
	check_equals_bits(&s, in);
	for (int r = 0; r < N + 5; r++) {
		int want = -1;

		for (int n = N - 1; n > r; n--)
			if (in[n])
				want = n;
		require(rsd_ranks_next(&s, r) == want);
	}
	rsd_ranks_release(&s);
}
END_TEST

START_TEST(ranges_give_the_same_form_as_single_ranks)
{
	struct rsd_ranks s = RSD_RANKS_INIT;
	bool in[N];
	int r = 0;

	srand(_i);
	make_bits(in);
	while (r < N) {
		int n = 0, max = 1 + rand() % 12;

		while (r + n < N && in[r + n] && n < max)
			n++;
		ck_assert_int_eq(rsd_ranks_append_range(&s, r, n), 0);
		r += n ? n : 1;
	}
	check_equals_bits(&s, in);
	rsd_ranks_release(&s);
}
END_TEST

START_TEST(unions_give_the_same_form_however_split)
{
	struct rsd_ranks part[4] = { RSD_RANKS_INIT, RSD_RANKS_INIT, RSD_RANKS_INIT,
		RSD_RANKS_INIT };
	struct rsd_ranks ab = RSD_RANKS_INIT, cd = RSD_RANKS_INIT, all = RSD_RANKS_INIT;
	bool in[N];

	srand(_i);
	make_bits(in);
	for (int i = 0, from = 0; i < 4; i++) {
		int to = i < 3 ? from + rand() % (N / 3) : N;

		for (int r = from; r < to && r < N; r++)
			if (in[r])
				require(rsd_ranks_append(&part[i], r) == 0);
		from = to < N ? to : N;
	}
	ck_assert_int_eq(rsd_ranks_union(&ab, &part[0], &part[1]), 0);
	ck_assert_int_eq(rsd_ranks_union(&cd, &part[2], &part[3]), 0);
	ck_assert_int_eq(rsd_ranks_union(&all, &ab, &cd), 0);
	check_equals_bits(&all, in);
	for (int i = 0; i < 4; i++)
		rsd_ranks_release(&part[i]);
	rsd_ranks_release(&ab);
	rsd_ranks_release(&cd);
	rsd_ranks_release(&all);
}
END_TEST

START_TEST(union_and_minus_of_any_overlap)
{
	struct rsd_ranks a = RSD_RANKS_INIT, b = RSD_RANKS_INIT, u = RSD_RANKS_INIT,
			 m = RSD_RANKS_INIT;
	bool x[N], y[N], both[N], less[N];

	srand(_i);
	make_bits(x);
	make_bits(y);
	from_bits(&a, x);
	from_bits(&b, y);
	for (int r = 0; r < N; r++) {
		both[r] = x[r] || y[r];
		less[r] = x[r] && !y[r];
	}
	ck_assert_int_eq(rsd_ranks_union(&u, &a, &b), 0);
	ck_assert_int_eq(rsd_ranks_minus(&m, &a, &b), 0);
	check_equals_bits(&u, both);
	check_equals_bits(&m, less);
	ck_assert_int_eq(rsd_ranks_copy(&m, &u), 0);
	ck_assert(rsd_ranks_equal(&m, &u));
	rsd_ranks_release(&a);
	rsd_ranks_release(&b);
	rsd_ranks_release(&u);
	rsd_ranks_release(&m);
}
END_TEST

START_TEST(intersections_are_members_of_both)
{
	struct rsd_ranks a = RSD_RANKS_INIT, b = RSD_RANKS_INIT, m = RSD_RANKS_INIT;
	bool x[N], y[N], both[N];
	int from, to;

	srand(_i);
	make_bits(x);
	make_bits(y);
	from = rand() % N;
	to = from + rand() % (N - from);
	for (int r = 0; r < N; r++) {
		if (_i % 3 == 0)
			y[r] = r >= from && r <= to;
		if (_i % 3 == 0 && _i % 2)
			x[r] = x[r] && y[r];
		both[r] = x[r] && y[r];
	}
	from_bits(&a, x);
	from_bits(&b, y);
	ck_assert_int_eq(rsd_ranks_intersect(&m, &a, &b), 0);
	check_equals_bits(&m, both);
	ck_assert_int_eq(rsd_ranks_intersect(&m, &b, &a), 0);
	check_equals_bits(&m, both);
	rsd_ranks_release(&a);
	rsd_ranks_release(&b);
	rsd_ranks_release(&m);
}
END_TEST

START_TEST(text_and_bytes_come_back)
{
	struct rsd_ranks s = RSD_RANKS_INIT, t = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT, bytes = RSD_BUF_INIT;
	struct rsd_reader in;
	bool bits[N];
	size_t room = SIZE_MAX;

	srand(_i);
	make_bits(bits);
	from_bits(&s, bits);
	rsd_ranks_print(&s, &text);
	ck_assert_int_eq(rsd_ranks_parse(&t, (char *)text.data, text.len, N, &room), 0);
	ck_assert(rsd_ranks_equal(&s, &t));
	if (s.nr)
		ck_assert_int_eq(
			rsd_ranks_parse(&t, (char *)text.data, text.len, rsd_ranks_last(&s), &room),
			RSD_ERR_FORMAT);
	rsd_ranks_encode(&s, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_ranks_decode(&t, &in, N), 0);
	ck_assert(rsd_ranks_equal(&s, &t));
	ck_assert_uint_eq(in.pos, bytes.len);
	for (int i = 0; i < 200; i++) {
		size_t at = (size_t)rand() % bytes.len;
		unsigned char old = bytes.data[at];

		bytes.data[at] ^= (unsigned char)(1 << rand() % 8);
		rsd_reader_init(&in, bytes.data, bytes.len - (size_t)rand() % 2);
		if (!rsd_ranks_decode(&t, &in, INT32_MAX))
			check_form(&t);
		bytes.data[at] = old;
		at = (size_t)rand() % text.len;
		old = text.data[at];
		text.data[at] = (unsigned char)"0123456789-,:()+* "[rand() % 18];
		room = 1000;
		if (!rsd_ranks_parse(&t, (char *)text.data, text.len, INT32_MAX, &room))
			check_form(&t);
		text.data[at] = old;
	}
	rsd_buf_release(&text);
	rsd_buf_release(&bytes);
	rsd_ranks_release(&s);
	rsd_ranks_release(&t);
}
END_TEST

static void text_is(const char *in, const char *want)
{
	struct rsd_ranks s = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT;
	size_t room = 1000;

	ck_assert_int_eq(rsd_ranks_parse(&s, in, strlen(in), 1 << 20, &room), 0);
	rsd_ranks_print(&s, &text);
	rsd_buf_put_byte(&text, 0);
	ck_assert_str_eq((char *)text.data, want);
	rsd_buf_release(&text);
	rsd_ranks_release(&s);
}

START_TEST(forms_are_what_the_header_shows)
{
	text_is("-", "-");
	text_is("7", "7");
	text_is("0,1,2,3,4", "0-4");
	text_is("0-3,8,10,12", "0-3,8-12:2");
	text_is("0-7,64-71,128-135", "(0-7)+64*3");
	text_is("(0-7)+8*8", "0-63");
	text_is("((0-7)+64*16)+4096*4", "((0-7)+64*16)+4096*4");
}
END_TEST

START_TEST(few_ranks_are_shown_as_people_write_them)
{
	static const char *const k[][2] = { { "-", "ranks -" }, { "3", "rank 3" },
		{ "0-2:2", "ranks 0,2" }, { "0-1", "ranks 0,1" }, { "0-4:2,5-7", "ranks 0,2,4-7" },
		{ "0-7", "ranks 0-7" }, { "0-8", "ranks 0-8" }, { "0-16:2", "ranks 0-16:2" } };
	struct rsd_ranks s = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT;
	size_t room = 1000;

	ck_assert_int_eq(rsd_ranks_parse(&s, k[_i][0], strlen(k[_i][0]), 1 << 20, &room), 0);
	rsd_ranks_show(&s, &text);
	rsd_buf_put_byte(&text, 0);
	ck_assert_str_eq((char *)text.data, k[_i][1]);
	rsd_buf_release(&text);
	rsd_ranks_release(&s);
}
END_TEST

static int parse(const char *in, int limit, size_t *room)
{
	struct rsd_ranks s = RSD_RANKS_INIT;
	int err = rsd_ranks_parse(&s, in, strlen(in), limit, room);

	rsd_ranks_release(&s);
	return err;
}

START_TEST(runs_that_repeat_stand_in_brackets)
{
	text_is("(1-3:2,4-5)+64*3", "(1-3:2,4-5)+64*3");
	text_is("1,3-5,65,67-69,129,131-133", "(1-3:2,4-5)+64*3");
	text_is("((1-3:2,4-5)+64*3)+1000*4,9000", "((1-3:2,4-5)+64*3)+1000*4,9000");
	text_is("((((0-1)+10*2)+100*2)+1000*2)+10000*4", "((((0-1)+10*2)+100*2)+1000*2)+10000*4");
}
END_TEST

START_TEST(brackets_are_checked)
{
	static const char *const bad[] = { "(1,3-5)+64*1", "(1,3-5)+0*2", "(1,3-5)+4*2",
		"(1,3-5)64*2", "(1,3-5", "(1,)+64*2", "()+64*2", "(1,3-5)+64*17000",
		"(1,3-5)+2147483647*2",
		("((((((((((1,3)+10*2)+100*2)+200*2)+400*2)+800*2)+1600*2)+3200*2)"
		 "+6400*2)+12800*2)+25600*2") };
	size_t room = 1000;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_int_eq(parse(bad[i], 1 << 20, &room), RSD_ERR_FORMAT);
	room = 6;
	ck_assert_int_eq(parse("(1,3-5)+64*3", 1000, &room), 0);
	ck_assert_uint_eq(room, 0);
	ck_assert_int_eq(parse("1,3-5,100", 1000, &room), 0);
	ck_assert_int_eq(parse("(1,3-5)+64*2", 1000, &room), RSD_ERR_FORMAT);
}
END_TEST

/* Blocks of any bits, again and again, with something before, between and behind. */
START_TEST(sets_that_repeat_come_back)
{
	enum { MANY = 20000 };
	struct rsd_ranks s = RSD_RANKS_INIT, t = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT, bytes = RSD_BUF_INIT;
	struct rsd_reader in;
	size_t room = SIZE_MAX;
	int at = 0;

	srand(_i);
	while (at < MANY / 2) {
		int len = 1 + rand() % 100, rounds = 1 + rand() % 30, block[100];

		for (int i = 0; i < len; i++)
			block[i] = rand() % 3;
		for (int k = 0; k < rounds; k++)
			for (int i = 0; i < len; i++, at++)
				if (block[i] == 0 || (block[i] == 1 && rand() % 500 == 0))
					require(rsd_ranks_append(&s, at) == 0);
	}
	rsd_ranks_print(&s, &text);
	ck_assert_int_eq(rsd_ranks_parse(&t, (char *)text.data, text.len, MANY, &room), 0);
	ck_assert(rsd_ranks_equal(&s, &t));
	rsd_ranks_encode(&s, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_ranks_decode(&t, &in, MANY), 0);
	ck_assert(rsd_ranks_equal(&s, &t));
	ck_assert_uint_eq(in.pos, bytes.len);
	for (int i = 0; i < 40; i++) {
		size_t pos = (size_t)rand() % bytes.len;
		unsigned char old = bytes.data[pos];

		bytes.data[pos] ^= (unsigned char)(1 << rand() % 8);
		rsd_reader_init(&in, bytes.data, bytes.len);
		in.room = 10000;
		if (!rsd_ranks_decode(&t, &in, INT32_MAX))
			check_form(&t);
		bytes.data[pos] = old;
	}
	rsd_buf_release(&text);
	rsd_buf_release(&bytes);
	rsd_ranks_release(&s);
	rsd_ranks_release(&t);
}
END_TEST

/* All that is written can be read, however many sets there are. */
START_TEST(brackets_stop_before_a_reader_refuses_them)
{
	struct rsd_ranks s = RSD_RANKS_INIT, t = RSD_RANKS_INIT;
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;
	const int sets = 200;

	for (int i = 0; i < 1000; i++) {
		require(rsd_ranks_append(&s, 10 * i) == 0);
		require(rsd_ranks_append(&s, 10 * i + 3) == 0);
		require(rsd_ranks_append(&s, 10 * i + 4) == 0);
	}
	for (int i = 0; i < sets; i++)
		rsd_ranks_encode(&s, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	for (int i = 0; i < sets; i++) {
		ck_assert_int_eq(rsd_ranks_decode(&t, &in, 10000), 0);
		ck_assert(rsd_ranks_equal(&s, &t));
	}
	rsd_buf_release(&bytes);
	rsd_ranks_release(&s);
	rsd_ranks_release(&t);
}
END_TEST

/* The set and itself further on, again and again, no two distances alike: as many levels as there may be runs. */
START_TEST(brackets_nest_no_deeper_than_a_reader_allows)
{
	for (int levels = 1; levels <= 13; levels++) {
		struct rsd_ranks s = RSD_RANKS_INIT, t = RSD_RANKS_INIT;
		struct rsd_buf text = RSD_BUF_INIT, bytes = RSD_BUF_INIT;
		int far[13] = { 5 }, limit = 1 << 26;
		struct rsd_reader in;
		size_t room = 65536;

		for (int k = 1; k < levels; k++)
			far[k] = 2 * far[k - 1] + 1 + k * k;
		for (int i = 0; i < 1 << levels; i++) {
			int first = 0;

			for (int k = 0; k < levels; k++)
				first += i >> k & 1 ? far[k] : 0;
			require(rsd_ranks_append(&s, first) == 0);
			require(rsd_ranks_append(&s, first + 1) == 0);
			require(rsd_ranks_append(&s, first + 3) == 0);
		}
		rsd_ranks_print(&s, &text);
		rsd_ranks_encode(&s, &bytes);
		ck_assert_int_eq(
			rsd_ranks_parse(&t, (const char *)text.data, text.len, limit, &room), 0);
		ck_assert(rsd_ranks_equal(&s, &t));
		rsd_reader_init(&in, bytes.data, bytes.len);
		ck_assert_int_eq(rsd_ranks_decode(&t, &in, limit), 0);
		ck_assert(rsd_ranks_equal(&s, &t));
		rsd_buf_release(&text);
		rsd_buf_release(&bytes);
		rsd_ranks_release(&s);
		rsd_ranks_release(&t);
	}
}
END_TEST

/* Ranks that lack exactly one neighbour: more runs for a larger grid, and no more text. */
static size_t length_of_faces(int dim)
{
	struct rsd_ranks s = RSD_RANKS_INIT;
	struct rsd_buf text = RSD_BUF_INIT;
	size_t len;

	for (int r = 0; r < dim * dim * dim; r++) {
		int at[] = { r % dim, r / dim % dim, r / dim / dim }, sides = 0;

		for (int i = 0; i < 3; i++)
			sides += at[i] == 0 || at[i] == dim - 1;
		if (sides == 1)
			require(rsd_ranks_append(&s, r) == 0);
	}
	rsd_ranks_print(&s, &text);
	len = text.len;
	rsd_buf_release(&text);
	rsd_ranks_release(&s);
	return len;
}

START_TEST(faces_of_a_grid_are_as_long_as_their_numbers)
{
	ck_assert_uint_le(length_of_faces(16), 120);
	ck_assert_uint_le(length_of_faces(96), 150);
}
END_TEST

/* The face, edge and interior sets of a grid, merged as in a binomial tree, stay a few runs. */
START_TEST(grids_of_many_ranks_merge_into_few_runs)
{
	enum { DIM = 32, RANKS = DIM * DIM * DIM };
	static struct rsd_ranks set[RANKS];

	for (int kind = 0; kind < 4; kind++) {
		for (int r = 0; r < RANKS; r++) {
			int x = r % DIM, y = r / DIM % DIM, z = r / DIM / DIM;
			bool in = kind == 0   ? x == 0
				  : kind == 1 ? y == DIM - 1
				  : kind == 2 ? z > 0 && y > 0 && x > 0 && x < DIM - 1 &&
							y < DIM - 1 && z < DIM - 1
					      : true;

			set[r] = (struct rsd_ranks)RSD_RANKS_INIT;
			if (in)
				require(rsd_ranks_append(&set[r], r) == 0);
		}
		for (int step = 1; step < RANKS; step *= 2) {
			for (int r = 0; r + step < RANKS; r += 2 * step) {
				struct rsd_ranks u = RSD_RANKS_INIT;

				require(rsd_ranks_union(&u, &set[r], &set[r + step]) == 0);
				rsd_ranks_release(&set[r]);
				rsd_ranks_release(&set[r + step]);
				set[r] = u;
			}
		}
		ck_assert_uint_eq(set[0].nr, 1);
		rsd_ranks_release(&set[0]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rank_recursive");
	TCase *tc = tcase_create("rank_recursive");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, agrees_with_a_bitmap, 0, 300);
	tcase_add_loop_test(tc, ranges_give_the_same_form_as_single_ranks, 0, 300);
	tcase_add_loop_test(tc, unions_give_the_same_form_however_split, 0, 500);
	tcase_add_loop_test(tc, union_and_minus_of_any_overlap, 0, 500);
	tcase_add_loop_test(tc, intersections_are_members_of_both, 0, 300);
	tcase_add_loop_test(tc, text_and_bytes_come_back, 0, 200);
	tcase_add_loop_test(tc, sets_that_repeat_come_back, 0, 10);
	tcase_add_test(tc, forms_are_what_the_header_shows);
	tcase_add_loop_test(tc, few_ranks_are_shown_as_people_write_them, 0, 8);
	tcase_add_test(tc, runs_that_repeat_stand_in_brackets);
	tcase_add_test(tc, brackets_are_checked);
	tcase_add_test(tc, brackets_stop_before_a_reader_refuses_them);
	tcase_add_test(tc, brackets_nest_no_deeper_than_a_reader_allows);
	tcase_add_test(tc, faces_of_a_grid_are_as_long_as_their_numbers);
	tcase_add_test(tc, grids_of_many_ranks_merge_into_few_runs);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
