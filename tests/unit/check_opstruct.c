#include <check.h>
#include <stdlib.h>

#include "opstruct.h"
#include "util.h"

static const struct rsd_param params[] = {
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "displs", RSD_T_INTS, RSD_R_INT, -1 },
	{ "status", RSD_T_STATUS, RSD_R_STATUS, -1 },
	{ "argv", RSD_T_STRINGS, RSD_R_STRING, -1 },
	{ "array_of_statuses", RSD_T_STATUSES, RSD_R_STATUS, -1 },
	{ "port", RSD_T_STRING, RSD_R_STRING, -1 },
};
static const struct rsd_func func = { .name = "MPI_Everything", .param = params, .nr_params = 6 };

/* Columns: 0; 1 2; 3 4 5 6; 7 8; 9 10 11 12 13; 14; the error 15. */
static void steps(const int64_t *v, const int *col, int nr)
{
	struct rsd_layout l;

	rsd_layout_init(&l, &func);
	for (int i = 0; i < nr; i++) {
		ck_assert_int_eq(rsd_layout_column(&l), col[i]);
		ck_assert_int_eq(rsd_layout_step(&l, v[i]), 0);
	}
	ck_assert_int_eq(rsd_layout_column(&l), -1);
}

START_TEST(values_go_to_their_columns)
{
	static const int64_t full[] = { 5, 2, 10, 20, RSD_STATUS_KEPT, 1, 2, 3, 1, 99, 3,
		RSD_STATUS_ABSENT, RSD_STATUS_MATCHED, 7, 8, 9, RSD_STATUS_IGNORED, 4, 0 };
	static const int full_col[] = { 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 10, 14,
		15 };
	static const int64_t bare[] = { RSD_ABSENT, RSD_CONST(3), RSD_STATUS_IGNORED, 0, RSD_ABSENT,
		1, RSD_CONST(9) };
	static const int bare_col[] = { 0, 1, 3, 7, 9, 14, 15 };

	ck_assert_int_eq(rsd_func_columns(&func), 16);
	steps(full, full_col, RSD_ARRAY_SIZE(full));
	steps(bare, bare_col, RSD_ARRAY_SIZE(bare));
}
END_TEST

START_TEST(impossible_values_are_errors)
{
	struct rsd_layout l;

	rsd_layout_init(&l, &func);
	ck_assert_int_eq(rsd_layout_step(&l, -1), 0);
	ck_assert_int_eq(rsd_layout_step(&l, -1), RSD_ERR_FORMAT);
	ck_assert_int_eq(rsd_layout_step(&l, INT64_MAX), RSD_ERR_FORMAT);
	ck_assert_int_eq(rsd_layout_step(&l, 0), 0);
	ck_assert_int_eq(rsd_layout_step(&l, 4), RSD_ERR_FORMAT);
	ck_assert_int_eq(rsd_layout_step(&l, RSD_ABSENT), RSD_ERR_FORMAT);
}
END_TEST

START_TEST(constants_are_below_all_numbers)
{
	ck_assert(rsd_is_const(RSD_ABSENT));
	ck_assert(rsd_is_const(RSD_CONST(RSD_CONST_MAX - 1)));
	ck_assert(!rsd_is_const(RSD_CONST(RSD_CONST_MAX)));
	ck_assert(!rsd_is_const(-1));
	ck_assert_int_eq(rsd_const_index(RSD_CONST(77)), 77);
}
END_TEST

START_TEST(values_from_before_the_call_come_first)
{
	const struct rsd_param both[] = { { .name = "old_position" }, { .name = "old_dims" },
		{ .name = "dims" }, { .name = "position" }, { .name = "old_dims" } };
	const struct rsd_param none[] = { { .name = "old_type" }, { .name = "type" },
		{ .name = "old_" } };
	struct rsd_func f = { .param = both, .nr_params = 5 };

	ck_assert_int_eq(rsd_func_nr_old(&f), 2);
	f.nr_params = 3;
	ck_assert_int_eq(rsd_func_nr_old(&f), 0);
	f.param = none + 1;
	f.nr_params = 2;
	ck_assert_int_eq(rsd_func_nr_old(&f), 0);
	f.nr_params = 0;
	ck_assert_int_eq(rsd_func_nr_old(&f), 0);
}
END_TEST

START_TEST(a_parameter_is_as_long_as_its_values)
{
	const int64_t statuses[] = { 3, RSD_STATUS_KEPT, 1, 2, 0, RSD_STATUS_IGNORED,
		RSD_STATUS_MATCHED, 4, 5, 0 };
	const int64_t ints[] = { 2, 7, 8 }, ignored = RSD_CONST(5),
		      kept[] = { RSD_STATUS_KEPT, 0, 1, 0 };

	ck_assert_uint_eq(rsd_param_length(RSD_T_INT, ints), 1);
	ck_assert_uint_eq(rsd_param_length(RSD_T_STRING, ints), 1);
	ck_assert_uint_eq(rsd_param_length(RSD_T_INTS, ints), 3);
	ck_assert_uint_eq(rsd_param_length(RSD_T_STRINGS, ints), 3);
	ck_assert_uint_eq(rsd_param_length(RSD_T_INTS, &ignored), 1);
	ck_assert_uint_eq(rsd_param_length(RSD_T_STATUS, kept), 4);
	ck_assert_uint_eq(rsd_param_length(RSD_T_STATUS, &statuses[5]), 1);
	ck_assert_uint_eq(rsd_param_length(RSD_T_STATUSES, statuses), RSD_ARRAY_SIZE(statuses));
	ck_assert_uint_eq(rsd_param_length(RSD_T_STATUSES, &ignored), 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("opstruct");
	TCase *tc = tcase_create("opstruct");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, values_go_to_their_columns);
	tcase_add_test(tc, a_parameter_is_as_long_as_its_values);
	tcase_add_test(tc, impossible_values_are_errors);
	tcase_add_test(tc, constants_are_below_all_numbers);
	tcase_add_test(tc, values_from_before_the_call_come_first);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
