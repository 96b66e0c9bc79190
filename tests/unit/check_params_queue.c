#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "params_queue.h"
#include "util.h"

/* Columns against plain arrays. */
#define MAX 4000

/* For what is claimed of every value: ck_assert writes to a file each time. */
#define require(c) ((c) ? (void)0 : ck_abort_msg("not so: %s", #c))

struct array {
	int64_t v[MAX];
	int nr;
};

static void add(struct array *a, int64_t v)
{
	if (a->nr < MAX)
		a->v[a->nr++] = v;
}

static int64_t some_value(void)
{
	switch (rand() % 12) {
	case 0:
		return RSD_CONST(rand() % 3);
	case 1:
		return INT64_MAX - rand() % 3;
	case 2:
		return INT64_MIN + RSD_CONST_MAX + rand() % 3;
	case 3:
		return (int64_t)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 10);
	default:
		return rand() % 7 - 2;
	}
}

/* Appends something with loops in it, nested up to 'depth'. */
static void add_part(struct array *a, int depth)
{
	int from = a->nr, len, rounds = 1 + rand() % 6;
	int64_t shift = rand() % 3 ? 0 : rand() % 21 - 10, v = some_value(), step = rand() % 5 - 2;
	int own = rand() % 3 ? 0 : 1 + rand() % 4; /* so many of the values advance by more */

	switch (depth > 0 ? rand() % 4 : rand() % 2) {
	case 0:
		for (int i = 0; i < rounds; i++)
			add(a, some_value());
		return;
	case 1:
		for (int i = 0; i < 2 * rounds; i++)
			add(a, rsd_is_const(v) || v > 99 || v < -99 ? v : v + i * step);
		return;
	default:
		for (int parts = 1 + rand() % 3; parts > 0; parts--)
			add_part(a, depth - 1);
		len = a->nr - from;
		for (int r = 1; r < rounds; r++)
			for (int i = 0; i < len && a->nr < MAX; i++) {
				int64_t more = own && i % own == 0 ? i % 7 - 3 : 0;

				v = a->v[a->nr - len];
				add(a, rsd_is_const(v) ? v
						       : (int64_t)((uint64_t)v + (uint64_t)shift +
								   (uint64_t)more));
			}
		if (rand() % 4 == 0 && a->nr > from)
			a->nr--;
	}
}

static void make(struct array *a, int seed)
{
	srand((unsigned)seed);
	a->nr = 0;
	for (int parts = 1 + rand() % 4; parts > 0; parts--)
		add_part(a, rand() % 5);
}

static struct rsd_column *column_of(const int64_t *v, int nr)
{
	struct rsd_column *c = rsd_column_new(false);

	for (int i = 0; i < nr; i++)
		require(rsd_column_append(c, v[i]) == 0);
	return c;
}

static void check_values(const struct rsd_column *c, const int64_t *v, int nr)
{
	struct rsd_cursor *k = rsd_cursor_new(c);
	int64_t got;

	ck_assert_uint_eq(rsd_column_length(c), (uint64_t)nr);
	for (int i = 0; i < nr; i++) {
		require(rsd_cursor_position(k) == (uint64_t)i);
		require(rsd_cursor_next(k, &got) == 0);
		if (got != v[i])
			ck_abort_msg(
				"value %d is %lld, not %lld", i, (long long)got, (long long)v[i]);
	}
	ck_assert_int_eq(rsd_cursor_next(k, &got), RSD_ERR_END);
	rsd_cursor_free(k);
}

START_TEST(gives_back_what_was_appended)
{
	struct rsd_column *c;
	struct array a;

	make(&a, _i);
	c = column_of(a.v, a.nr);
	check_values(c, a.v, a.nr);
	rsd_column_free(c);
}
END_TEST

/* Looking at a column, and appending in runs, changes nothing. */
START_TEST(form_is_a_function_of_the_sequence)
{
	struct rsd_column *c, *d = rsd_column_new(false);
	struct array a;

	make(&a, _i);
	c = column_of(a.v, a.nr);
	for (int i = 0; i < a.nr;) {
		int n = 1;

		while (i + n < a.nr && a.v[i + n] == a.v[i] && rand() % 8)
			n++;
		require(rsd_column_append_run(d, a.v[i], (uint64_t)n) == 0);
		i += n;
		if (rand() % 10 == 0)
			check_values(d, a.v, i);
	}
	ck_assert(rsd_column_equal(c, d));
	ck_assert_uint_eq(rsd_column_hash(c), rsd_column_hash(d));
	rsd_column_free(c);
	rsd_column_free(d);
}
END_TEST

START_TEST(bytes_and_text_come_back)
{
	struct rsd_buf bytes = RSD_BUF_INIT, text = RSD_BUF_INIT;
	struct rsd_column *c, *d = NULL, *e = NULL, *f;
	struct rsd_reader in;
	struct array a;
	size_t end;

	make(&a, _i);
	c = column_of(a.v, a.nr);
	rsd_column_encode(c, &bytes);
	ck_assert_uint_eq(bytes.len, rsd_column_size(c));
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_column_decode(&d, &in), 0);
	ck_assert_uint_eq(in.pos, bytes.len);
	ck_assert(rsd_column_equal(c, d));
	check_values(d, a.v, a.nr);
	rsd_column_print(c, &text);
	rsd_buf_put(&text, " rest", 5);
	ck_assert_int_eq(rsd_column_parse(&e, (char *)text.data, text.len, false, &end), 0);
	ck_assert_uint_eq(end, text.len - 5);
	ck_assert(rsd_column_equal(c, e));
	f = rsd_column_copy(c);
	ck_assert(rsd_column_equal(c, f));
	/* A copy and one that was read can be continued. */
	for (int i = 0; i < 50; i++) {
		int64_t v = a.v[rand() % a.nr];

		add(&a, v);
		if (a.nr == MAX)
			break;
		require(rsd_column_append(d, v) == 0);
		require(rsd_column_append(f, v) == 0);
		require(rsd_column_append(c, v) == 0);
		check_values(d, a.v, a.nr);
	}
	ck_assert(rsd_column_equal(d, f));
	ck_assert_uint_eq(rsd_column_length(c), rsd_column_length(d));
	rsd_column_free(c);
	rsd_column_free(d);
	rsd_column_free(e);
	rsd_column_free(f);
	rsd_buf_release(&bytes);
	rsd_buf_release(&text);
}
END_TEST

/* What can be read can be used: cursors, sums, appending. */
static void use(struct rsd_column *c)
{
	struct rsd_cursor *k = rsd_cursor_new(c);
	struct rsd_column_stats s;
	struct rsd_column *part, *rel;
	int64_t v;

	for (int i = 0; i < 100 && !rsd_cursor_next(k, &v); i++)
		;
	rsd_cursor_skip(k, (rsd_column_length(c) - rsd_cursor_position(k)) / 2);
	part = rsd_cursor_take(k, (rsd_column_length(c) - rsd_cursor_position(k)) / 2);
	rsd_column_stats(c, &s);
	rel = rsd_column_relative(c, 3, 1 << 20);
	rsd_column_append(c, 1);
	rsd_column_free(part);
	rsd_column_free(rel);
	rsd_cursor_free(k);
}

START_TEST(damaged_input_is_an_error_or_a_column)
{
	struct rsd_buf bytes = RSD_BUF_INIT, text = RSD_BUF_INIT;
	struct rsd_column *c, *d;
	struct rsd_reader in;
	struct array a;
	size_t end;

	make(&a, _i);
	c = column_of(a.v, a.nr > 300 ? 300 : a.nr);
	rsd_column_encode(c, &bytes);
	rsd_column_print(c, &text);
	for (int i = 0; i < 60; i++) {
		size_t at = (size_t)rand() % bytes.len;
		unsigned char old = bytes.data[at];

		bytes.data[at] ^= (unsigned char)(1 << rand() % 8);
		rsd_reader_init(&in, bytes.data, bytes.len - (size_t)(rand() % 3 == 0));
		if (!rsd_column_decode(&d, &in)) {
			use(d);
			rsd_column_free(d);
		}
		bytes.data[at] = old;
		at = (size_t)rand() % text.len;
		old = text.data[at];
		text.data[at] = (unsigned char)"0123456789-+x() c{},"[rand() % 20];
		if (!rsd_column_parse(&d, (char *)text.data, text.len, rand() % 2, &end)) {
			use(d);
			rsd_column_free(d);
		}
		text.data[at] = old;
	}
	rsd_column_free(c);
	rsd_buf_release(&bytes);
	rsd_buf_release(&text);
}
END_TEST

/* As it comes out of a file, with an index. */
static struct rsd_column *decoded(const struct rsd_column *c)
{
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_column *d = NULL;
	struct rsd_reader in;

	rsd_column_encode(c, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	ck_assert_int_eq(rsd_column_decode(&d, &in), 0);
	ck_assert_int_eq(rsd_column_index(d), 0);
	rsd_buf_release(&bytes);
	return d;
}

START_TEST(cursors_skip_and_take)
{
	struct rsd_column *c, *part;
	struct rsd_cursor *k;
	struct array a;
	int64_t v, got[MAX];
	int at = 0;

	make(&a, _i);
	c = column_of(a.v, a.nr);
	if (_i % 2) {
		part = c;
		c = decoded(part);
		rsd_column_free(part);
	}
	k = rsd_cursor_new(c);
	while (at < a.nr) {
		int n = rand() % (rand() % 2 ? 20 : a.nr + 2);

		if (n > a.nr - at) {
			ck_assert_ptr_null(rsd_cursor_take(k, (uint64_t)n));
			ck_assert_int_eq(rsd_cursor_skip(k, (uint64_t)n), RSD_ERR_END);
			n = a.nr - at;
		}
		switch (rand() % 4) {
		case 0:
			ck_assert_int_eq(rsd_cursor_skip(k, (uint64_t)n), 0);
			break;
		case 2:
			ck_assert_int_eq(rsd_cursor_read(k, got, (size_t)n), 0);
			require(!memcmp(got, a.v + at, (size_t)n * sizeof(*got)));
			break;
		case 1:
			part = rsd_cursor_take(k, (uint64_t)n);
			check_values(part, a.v + at, n);
			rsd_column_free(part);
			break;
		default:
			for (int i = 0; i < n; i++) {
				require(rsd_cursor_next(k, &v) == 0);
				require(v == a.v[at + i]);
			}
		}
		at += n;
		ck_assert_uint_eq(rsd_cursor_position(k), (uint64_t)at);
	}
	ck_assert_int_eq(rsd_cursor_next(k, &v), RSD_ERR_END);
	rsd_cursor_free(k);
	rsd_column_free(c);
}
END_TEST

/* Of many values without a rule: each is where it was, and what is appended comes after them. */
START_TEST(indexed_values_are_found)
{
	struct rsd_column *c, *d;
	struct array a;
	int64_t v;

	srand((unsigned)_i);
	a.nr = 0;
	while (a.nr < MAX / 2)
		add(&a, rand() % 4 ? rand() % 100000 : some_value());
	c = column_of(a.v, a.nr);
	d = decoded(c);
	for (int i = 0; i < 300; i++) {
		struct rsd_cursor *k = rsd_cursor_new(d);
		int at = rand() % a.nr, more = rand() % (a.nr - at);

		require(rsd_cursor_skip(k, (uint64_t)at) == 0 && rsd_cursor_next(k, &v) == 0);
		require(v == a.v[at]);
		require(rsd_cursor_skip(k, (uint64_t)(more ? more - 1 : 0)) == 0);
		require(rsd_cursor_next(k, &v) == 0 || at + (more ? more : 1) == a.nr);
		require(at + (more ? more : 1) == a.nr || v == a.v[at + (more ? more : 1)]);
		rsd_cursor_free(k);
	}
	add(&a, 5);
	ck_assert_int_eq(rsd_column_append(d, 5), 0);
	check_values(d, a.v, a.nr);
	rsd_column_free(c);
	rsd_column_free(d);
}
END_TEST

START_TEST(concat_is_both)
{
	struct rsd_column *c, *d, *e = NULL;
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;
	struct array a;
	int cut;

	make(&a, _i);
	cut = rand() % (a.nr + 1);
	c = column_of(a.v, cut);
	d = column_of(a.v + cut, a.nr - cut);
	if (rand() % 2) { /* as it comes out of a message */
		rsd_column_encode(c, &bytes);
		rsd_reader_init(&in, bytes.data, bytes.len);
		ck_assert_int_eq(rsd_column_decode(&e, &in), 0);
		rsd_column_free(c);
		c = e;
	}
	ck_assert_int_eq(rsd_column_concat(c, d), 0);
	check_values(c, a.v, a.nr);
	rsd_column_free(c);
	rsd_column_free(d);
	rsd_buf_release(&bytes);
}
END_TEST

static int64_t times_two(int64_t v, void *arg)
{
	++*(int *)arg;
	return 2 * v;
}

static int keep_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	struct array *a = arg;

	for (uint64_t i = 0; i < count; i++)
		add(a, (int64_t)((uint64_t)start + (uint64_t)stride * i));
	return 0;
}

struct extremes {
	int64_t min, max;
	int calls;
};

static int keep_extremes(int64_t min, int64_t max, void *arg)
{
	struct extremes *x = arg;

	x->min = !x->calls || min < x->min ? min : x->min;
	x->max = !x->calls || max > x->max ? max : x->max;
	x->calls++;
	return x->calls == 1000;
}

START_TEST(each_run_has_extremes)
{
	struct rsd_column *c = rsd_column_new(false);
	struct extremes x = { .calls = 0 };

	/* Two that stay, far apart, and one that advances in each round: three runs. */
	for (int i = 0; i < 100; i++) {
		rsd_column_append(c, 7);
		rsd_column_append(c, INT64_C(1) << 32);
		rsd_column_append(c, (INT64_C(1) << 33) + i);
		rsd_column_append(c, RSD_CONST(3));
	}
	ck_assert_int_eq(rsd_column_extremes(c, keep_extremes, &x), 0);
	ck_assert_int_eq(x.calls, 3);
	ck_assert_int_eq(x.min, 7);
	ck_assert_int_eq(x.max, (INT64_C(1) << 33) + 99);
	x.calls = 999;
	ck_assert_int_eq(rsd_column_extremes(c, keep_extremes, &x), 1);
	ck_assert_int_eq(x.calls, 1000);
	rsd_column_free(c);
}
END_TEST

START_TEST(sections_sums_and_numbers)
{
	struct rsd_column *c, *d;
	struct rsd_column_stats s;
	struct array a, b = { .nr = 0 };
	int64_t *number;
	uint64_t nr = 0, nr_consts = 0;
	int64_t min = INT64_MAX, max = INT64_MIN;
	double sum = 0, mag = 1;

	make(&a, _i);
	c = column_of(a.v, a.nr);
	ck_assert_int_eq(rsd_column_each(c, keep_section, &b), 0);
	ck_assert_int_eq(b.nr, a.nr);
	ck_assert_int_eq(memcmp(a.v, b.v, (size_t)a.nr * sizeof(*a.v)), 0);
	for (int i = 0; i < a.nr; i++) {
		if (rsd_is_const(a.v[i])) {
			nr_consts++;
			continue;
		}
		nr++;
		min = a.v[i] < min ? a.v[i] : min;
		max = a.v[i] > max ? a.v[i] : max;
		sum += (double)a.v[i];
		mag += a.v[i] < 0 ? -(double)a.v[i] : (double)a.v[i];
	}
	rsd_column_stats(c, &s);
	ck_assert_uint_eq(s.nr, nr);
	ck_assert_uint_eq(s.nr_consts, nr_consts);
	if (nr) {
		ck_assert_int_eq(s.min, min);
		ck_assert_int_eq(s.max, max);
		ck_assert(s.sum - sum <= mag * 1e-9 && sum - s.sum <= mag * 1e-9);
	}
	number = malloc((rsd_column_nr_numbers(c) + 1) * sizeof(*number));
	rsd_column_get_numbers(c, number);
	d = rsd_column_with_numbers(c, number);
	ck_assert(rsd_column_equal(c, d));
	ck_assert(rsd_column_same_skeleton(c, d));
	ck_assert_uint_eq(rsd_column_skeleton_hash(c), rsd_column_skeleton_hash(d));
	rsd_column_free(d);
	for (int i = 0; i < 20; i++) {
		size_t at = (size_t)rand() % rsd_column_nr_numbers(c);
		int64_t old = number[at];

		number[at] = some_value();
		d = rsd_column_with_numbers(c, number);
		if (d) {
			ck_assert(rsd_column_same_skeleton(c, d));
			use(d);
		}
		rsd_column_free(d);
		number[at] = old;
	}
	free(number);
	rsd_column_free(c);
}
END_TEST

START_TEST(symbolic_columns_have_neither_strides_nor_shifts)
{
	struct rsd_column *c = rsd_column_new(true), *d, *e = rsd_column_new(true);
	struct array a;
	int calls = 0;

	make(&a, _i);
	for (int i = 0; i < a.nr; i++) {
		if (!rsd_is_const(a.v[i]))
			a.v[i] &= 0xffff;
		require(rsd_column_append(c, a.v[i]) == 0);
	}
	check_values(c, a.v, a.nr);
	d = rsd_column_map(c, times_two, &calls);
	for (int i = 0; i < a.nr; i++) {
		if (!rsd_is_const(a.v[i]))
			a.v[i] *= 2;
		require(rsd_column_append(e, a.v[i]) == 0);
	}
	check_values(d, a.v, a.nr);
	ck_assert(rsd_column_is_symbolic(d));
	ck_assert(rsd_column_equal(d, e));
	rsd_column_free(c);
	rsd_column_free(d);
	rsd_column_free(e);
}
END_TEST

START_TEST(relative_is_modulo_the_size)
{
	struct rsd_column *c, *d, *e;
	struct array a;
	int64_t size, origin;

	make(&a, _i);
	size = 1 + rand() % 40;
	origin = rand() % size;
	for (int i = 0; i < a.nr; i++)
		if (!rsd_is_const(a.v[i]))
			a.v[i] = (int64_t)((uint64_t)a.v[i] % (uint64_t)size);
	c = column_of(a.v, a.nr);
	d = rsd_column_relative(c, origin, size);
	ck_assert_ptr_nonnull(d);
	for (int i = 0; i < a.nr; i++)
		if (!rsd_is_const(a.v[i]))
			a.v[i] = (a.v[i] - origin + size) % size;
	check_values(d, a.v, a.nr);
	e = column_of(a.v, a.nr);
	ck_assert(rsd_column_equal(d, e));
	rsd_column_free(d);
	rsd_column_free(e);
	require(rsd_column_append(c, size) == 0);
	ck_assert_ptr_null(rsd_column_relative(c, origin, size));
	rsd_column_free(c);
}
END_TEST

static void is_text(struct rsd_column *c, const char *want)
{
	struct rsd_buf text = RSD_BUF_INIT;

	rsd_column_print(c, &text);
	rsd_buf_put_byte(&text, 0);
	ck_assert_str_eq((char *)text.data, want);
	rsd_buf_release(&text);
	rsd_column_free(c);
}

START_TEST(regular_sequences_are_short)
{
	static const int64_t stencil[] = { -1, 1, -64, 64 };
	struct rsd_column *c = rsd_column_new(false);

	is_text(c, "-");
	c = rsd_column_new(false);
	for (int i = 0; i < 5000; i++)
		rsd_column_append(c, 7 - i % 8);
	is_text(c, "(7-1x8)x625");
	c = rsd_column_new(false);
	for (int i = 0; i < 2000; i++)
		rsd_column_append(c, stencil[i % 4]);
	is_text(c, "(-1 1 -64 64)x500");
	c = rsd_column_new(false);
	for (int i = 0; i < 1200; i++)
		rsd_column_append(c, i % 12 + 1);
	is_text(c, "(1+1x12)x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 300; i++)
		rsd_column_append(c, i == 100 ? 7 : 5);
	is_text(c, "5x100 7 5x199");
	c = rsd_column_new(false);
	for (int i = 0; i < 300; i++)
		rsd_column_append(c, i / 3 * 100 + i % 3 * 8);
	is_text(c, "(0+8x3)+100x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 300; i++)
		rsd_column_append(c, i % 3 ? RSD_CONST(i % 3) : 5);
	is_text(c, "(5 c1 c2)x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 2 * 3 * 5 * 7 * 11; i++)
		rsd_column_append(c, i % 7 * i % 7 + i / 7 % 5 * 100 + i / 35 % 11 * 5000);
	ck_assert_uint_lt(rsd_column_size(c), 80);
	rsd_column_free(c);
}
END_TEST

/* Constants stay, and what stands beside what advances may stay or advance by another step. */
START_TEST(values_may_advance_by_steps_of_their_own)
{
	struct rsd_column *c = rsd_column_new(false);

	for (int i = 0; i < 300; i++)
		rsd_column_append(c, i % 3 ? RSD_CONST(i % 3) : 5 + i);
	is_text(c, "(5 c1 c2)+3x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 100; i++)
		for (int k = 0; k < 4; k++)
			rsd_column_append(c, k < 2 ? 50 + i : RSD_CONST(1));
	is_text(c, "(50x2 c1x2)+1x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 200; i++)
		rsd_column_append(c, i % 2 ? 9 : 70 + i);
	is_text(c, "(70{+2} 9)x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 400; i++)
		rsd_column_append(c, i % 4 ? 10 * (i % 4) * (i % 4) + i / 4 * (i % 2 + 1) : 500);
	is_text(c, "(500 10{+2} 40{+1} 90{+2})x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 500; i++)
		rsd_column_append(c, i % 5 ? 10 * (i % 5) * (i % 5) + i / 5 : 500);
	is_text(c, "(500{-1} 10 40 90 160)+1x100");
	c = rsd_column_new(false);
	for (int i = 0; i < 70; i++)
		for (int k = 0; k < 9; k++) {
			rsd_column_append(c, 77);
			rsd_column_append(c, 800 + 5 * k + i * i);
		}
	ck_assert_uint_lt(rsd_column_size(c), 1000);
	rsd_column_free(c);
	c = rsd_column_new(false);
	for (int i = 0; i < 70; i++) {
		for (int k = 0; k < 9; k++) {
			rsd_column_append(c, 77);
			rsd_column_append(c, 800 + 5 * k + 3 * i);
		}
		rsd_column_append(c, 1);
	}
	is_text(c, "((77 800{+5,+3})x9 1)x70");
}
END_TEST

START_TEST(long_periods_are_found)
{
	struct rsd_column *c = rsd_column_new(false);
	static int64_t count[8000];
	int nr = 6000 + 2000 * (_i % 2);

	srand(_i);
	for (int i = 0; i < nr; i++)
		count[i] = _i < 2 ? rand() : rand() % 10;
	for (int r = 0; r < 40; r++)
		for (int i = 0; i < nr; i++)
			require(rsd_column_append(c, count[i]) == 0);
	ck_assert_uint_lt(rsd_column_size(c), _i < 2 ? 50000 : 20000);
	rsd_column_free(c);
}
END_TEST

/* Reps in reps that cannot be told to repeat when appended: what they unroll to is bounded. */
START_TEST(hostile_nesting_costs_little)
{
	struct rsd_buf text = RSD_BUF_INIT;
	struct rsd_column *c, *d = rsd_column_new(false);
	size_t end;

	for (int i = 0; i < 14; i++)
		rsd_buf_put_byte(&text, '(');
	rsd_buf_printf(&text, _i ? "1 5" : "4611686018427387000");
	for (int i = 0; i < 14; i++)
		rsd_buf_printf(&text, _i ? " 7 %d)+%dx9" : ")+%dx%d", i + 1, 8);
	ck_assert_int_eq(rsd_column_parse(&c, (char *)text.data, text.len, false, &end), 0);
	ck_assert_int_eq(rsd_column_concat(d, c), 0);
	ck_assert_uint_eq(rsd_column_length(c), rsd_column_length(d));
	ck_assert_uint_lt(rsd_column_memory(d), 1 << 24);
	rsd_column_free(c);
	rsd_column_free(d);
	rsd_buf_release(&text);
}
END_TEST

START_TEST(no_text_is_no_column)
{
	struct rsd_column *c;
	size_t end;

	ck_assert_int_eq(rsd_column_parse(&c, NULL, 0, false, &end), RSD_ERR_FORMAT);
	ck_assert_uint_eq(end, 0);
}
END_TEST

START_TEST(irregular_values_stay_small)
{
	struct rsd_column *c = rsd_column_new(false);
	int nr = 300000;

	srand(1);
	for (int i = 0; i < nr; i++)
		require(rsd_column_append(c, rand()) == 0);
	ck_assert_uint_lt(rsd_column_memory(c), 10 * (size_t)nr);
	rsd_column_free(c);
	c = rsd_column_new(false);
	for (int i = 0; i < nr; i++)
		rsd_column_append(c, 5);
	ck_assert_uint_le(rsd_column_memory(c), 160);
	rsd_column_free(c);
}
END_TEST

/* What repeats after a long time in which nothing did, is found as late as that. */
START_TEST(what_repeats_after_long_irregularity_is_found)
{
	static const int periods[] = { 2, 3, 7, 16, 40, 90, 700, 5000, 8000 };
	enum { EQUAL, SHIFTED, UNEVEN, KINDS };
	int p = periods[_i / KINDS], kind = _i % KINDS, from = 1000 + 777 * _i, nr = 0;
	int rounds = 5 + 400 / p;
	struct rsd_column *c = rsd_column_new(false);
	int64_t *v = rsd_calloc((size_t)(from + p * rounds), sizeof(*v));
	size_t before;

	if (kind == UNEVEN && p > 16)
		p = 16;
	if (kind == SHIFTED && p > 5000) /* three rounds have to be in the window */
		p = 5000;
	srand((unsigned)_i);
	while (nr < from)
		v[nr++] = rand();
	for (int i = 0; i < p; i++)
		v[nr++] = rand();
	for (int i = 0; i < p * (rounds - 1); i++, nr++)
		v[nr] = v[nr - p] + (kind == EQUAL ? 0 : kind == SHIFTED ? 7 : nr % p % 5);
	for (int i = 0; i < from; i++)
		require(rsd_column_append(c, v[i]) == 0);
	before = rsd_column_size(c);
	for (int i = from; i < nr; i++)
		require(rsd_column_append(c, v[i]) == 0);
	ck_assert_uint_lt(rsd_column_size(c), before + 8 * (size_t)p + 400);
	check_values(c, v, nr);
	free(v);
	rsd_column_free(c);
}
END_TEST

/* Numbers of few values repeat by chance, in short pieces: to write these as repetitions gains nothing. */
START_TEST(chance_is_no_repetition)
{
	for (int values = 2; values < 6; values++) {
		struct rsd_column *c = rsd_column_new(false);
		size_t memory;

		srand(3);
		for (int i = 0; i < 20000; i++)
			require(rsd_column_append(c, rand() % values) == 0);
		memory = rsd_column_memory(c);
		ck_assert_uint_lt(rsd_column_size(c), 22000);
		ck_assert_uint_lt(memory, 100000);
		rsd_column_free(c);
	}
}
END_TEST

enum { RANKS = 1 << 13 };

static int64_t over(int kind, int64_t rank, int64_t q)
{
	switch (kind) {
	case 0:
		return rank + 1;
	case 1:
		return rank % q;
	case 2:
		return rank / q;
	case 3:
		return rank == 0 ? RSD_CONST(1) : rank - 1;
	case 4:
		return rank % q == 0 ? RSD_CONST(1) : rank - 1;
	default:
		return rank % q + rank / q % q * 1000 + rank / q / q * 5;
	}
}

/* Values over the ranks, united as in a binomial tree: any group of ranks stays a few sections. */
START_TEST(vectors_over_ranks_stay_short)
{
	static struct rsd_column *c[RANKS];
	static const int64_t q[] = { 2, 3, 5, 8, 13, 64, 100 };
	int kind = _i % 6;
	int64_t size = q[_i / 6];
	size_t largest = 0;

	for (int64_t r = 0; r < RANKS; r++) {
		c[r] = rsd_column_new(false);
		require(rsd_column_append(c[r], over(kind, r, size)) == 0);
	}
	for (int step = 1; step < RANKS; step *= 2) {
		for (int r = 0; r + step < RANKS; r += 2 * step) {
			require(rsd_column_concat(c[r], c[r + step]) == 0);
			rsd_column_free(c[r + step]);
			if (rand() % 2) {
				struct rsd_buf b = RSD_BUF_INIT;
				struct rsd_reader in;

				rsd_column_encode(c[r], &b);
				rsd_reader_init(&in, b.data, b.len);
				rsd_column_free(c[r]);
				require(rsd_column_decode(&c[r], &in) == 0);
				rsd_buf_release(&b);
			}
			if (rsd_column_size(c[r]) > largest)
				largest = rsd_column_size(c[r]);
		}
	}
	for (int64_t r = 0; r < RANKS; r++) {
		static struct rsd_cursor *k;
		int64_t v;

		if (!r)
			k = rsd_cursor_new(c[0]);
		require(rsd_cursor_next(k, &v) == 0);
		require(v == over(kind, r, size));
		if (r == RANKS - 1)
			rsd_cursor_free(k);
	}
	ck_assert_msg(largest <= (kind == 4 ? 30000 : 100), "kind %d over %d: %zu bytes", kind,
		(int)size, largest);
	rsd_column_free(c[0]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("params_queue");
	TCase *tc = tcase_create("params_queue");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, gives_back_what_was_appended, 0, 1000);
	tcase_add_loop_test(tc, form_is_a_function_of_the_sequence, 0, 300);
	tcase_add_loop_test(tc, bytes_and_text_come_back, 0, 150);
	tcase_add_loop_test(tc, damaged_input_is_an_error_or_a_column, 0, 150);
	tcase_add_loop_test(tc, cursors_skip_and_take, 0, 500);
	tcase_add_loop_test(tc, indexed_values_are_found, 0, 8);
	tcase_add_loop_test(tc, concat_is_both, 0, 800);
	tcase_add_loop_test(tc, sections_sums_and_numbers, 0, 200);
	tcase_add_test(tc, each_run_has_extremes);
	tcase_add_loop_test(tc, symbolic_columns_have_neither_strides_nor_shifts, 0, 200);
	tcase_add_loop_test(tc, relative_is_modulo_the_size, 0, 400);
	tcase_add_test(tc, regular_sequences_are_short);
	tcase_add_test(tc, values_may_advance_by_steps_of_their_own);
	tcase_add_loop_test(tc, long_periods_are_found, 0, 4);
	tcase_add_loop_test(tc, hostile_nesting_costs_little, 0, 2);
	tcase_add_test(tc, no_text_is_no_column);
	tcase_add_test(tc, irregular_values_stay_small);
	tcase_add_loop_test(tc, what_repeats_after_long_irregularity_is_found, 0, 27);
	tcase_add_test(tc, chance_is_no_repetition);
	tcase_add_loop_test(tc, vectors_over_ranks_stay_short, 0, 42);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
