/* joint: against stepping through the columns, and within its steps. */
#include "joint.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "util.h"

/* Oracle: the values one by one. What comes is counted in a table of tuples. */
enum { COLUMNS = 3, TUPLES = 4096 };

struct table {
	struct {
		int64_t v[COLUMNS];
		uint64_t times;
	} row[TUPLES];
	size_t nr;
	uint64_t told; /* calls of note() */
};

static int note(const int64_t *v, uint64_t times, void *arg)
{
	struct table *t = arg;
	size_t i;

	t->told++;
	for (i = 0; i < t->nr; i++)
		if (!memcmp(t->row[i].v, v, sizeof(t->row[i].v)))
			break;
	if (i == t->nr) {
		if (t->nr == TUPLES)
			return RSD_ERR_NOMEM;
		memcpy(t->row[t->nr++].v, v, sizeof(t->row[i].v));
	}
	t->row[i].times += times;
	return 0;
}

static uint64_t times_of(const struct table *t, const int64_t *v)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!memcmp(t->row[i].v, v, sizeof(t->row[i].v)))
			return t->row[i].times;
	return 0;
}

/* Values that repeat, advance, or stay, in parts of any length. */
static struct rsd_column *some_column(size_t length)
{
	struct rsd_column *c = rsd_column_new(false);

	for (size_t n = 0; n < length;) {
		int kind = rand() % 4, period = 1 + rand() % 7;
		size_t part = 1 + (size_t)(rand() % 200);

		for (size_t i = 0; i < part && n < length; i++, n++) {
			int64_t v = kind == 0 ? 7 : (int64_t)i % period;

			if (kind == 2)
				v = (int64_t)i % period == 0 ? (int64_t)i : 3; /* a move */
			if (kind == 3)
				v = rand() % 3;
			rsd_column_append(c, v);
		}
	}
	return c;
}

START_TEST(tells_each_tuple_as_often_as_stepping_does)
{
	static struct table want, got;
	struct rsd_column *c[COLUMNS];
	struct rsd_cursor *k[COLUMNS];
	size_t length, wrong = 0;
	int64_t v[COLUMNS];

	srand((unsigned)_i);
	memset(&want, 0, sizeof(want));
	memset(&got, 0, sizeof(got));
	length = (size_t)(rand() % 1500);
	for (int i = 0; i < COLUMNS; i++) {
		c[i] = some_column(length);
		k[i] = rsd_cursor_new(c[i]);
	}
	for (size_t n = 0; n < length; n++) {
		for (int i = 0; i < COLUMNS; i++)
			rsd_cursor_next(k[i], &v[i]);
		note(v, 1, &want);
	}
	ck_assert_int_eq(
		report_joint((const struct rsd_column *const *)c, COLUMNS, 1 << 20, note, &got), 0);
	ck_assert_uint_eq(got.nr, want.nr);
	for (size_t i = 0; i < want.nr; i++)
		wrong += times_of(&got, want.row[i].v) != want.row[i].times;
	ck_assert_uint_eq(wrong, 0);
	for (int i = 0; i < COLUMNS; i++) {
		rsd_cursor_free(k[i]);
		rsd_column_free(c[i]);
	}
}
END_TEST

/* (1 -1)x10^9 beside (64 8 8)x...: six tuples, whatever the length. */
START_TEST(what_repeats_is_not_stepped_through)
{
	static struct table got;
	struct rsd_column *c[COLUMNS] = { NULL, NULL, NULL };
	const char *const text[] = { "(1 -1)x1000000000", "(64 8x2)x666666666", NULL };
	size_t end;

	memset(&got, 0, sizeof(got));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(rsd_column_parse(&c[i], text[i], strlen(text[i]), false, &end), 0);
	ck_assert_int_eq(
		report_joint((const struct rsd_column *const *)c, COLUMNS, 1000, note, &got), 0);
	ck_assert_uint_eq(got.nr, 4);
	ck_assert_uint_eq(times_of(&got, (int64_t[]){ 1, 64, RSD_ABSENT }), 333333333);
	ck_assert_uint_eq(times_of(&got, (int64_t[]){ -1, 8, RSD_ABSENT }), 666666666);
	rsd_column_free(c[0]);
	rsd_column_free(c[1]);
}
END_TEST

START_TEST(more_steps_than_allowed_are_an_error)
{
	static struct table got;
	struct rsd_column *c[COLUMNS] = { rsd_column_new(false), NULL, NULL };

	for (int i = 0; i < 100; i++)
		rsd_column_append(c[0], i % 3 * i % 7);
	memset(&got, 0, sizeof(got));
	ck_assert_int_eq(report_joint((const struct rsd_column *const *)c, COLUMNS, 10, note, &got),
		RSD_ERR_RANGE);
	rsd_column_free(c[0]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("joint");
	TCase *tc = tcase_create("joint");
	SRunner *r;
	int failed;

	tcase_add_loop_test(tc, tells_each_tuple_as_often_as_stepping_does, 0, 300);
	tcase_add_test(tc, what_repeats_is_not_stepped_through);
	tcase_add_test(tc, more_steps_than_allowed_are_an_error);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
