/* check_buffers.c - memory of replayed calls, and scratch */
#include "buffers.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct rsd_buffers b;
static struct rsd_scratch s;

static void clear(void)
{
	rsd_buffers_release(&b);
	rsd_scratch_release(&s);
}

START_TEST(a_buffer_is_shared_until_a_larger_one_is_needed)
{
	int grown;
	char *first = rsd_buffers_shared(&b, RSD_ARENA_SEND, 1000, &grown), *second;

	ck_assert(first && grown);
	ck_assert(rsd_buffers_shared(&b, RSD_ARENA_SEND, 10, &grown) == first && !grown);
	second = rsd_buffers_shared(&b, RSD_ARENA_SEND, 100000, &grown);
	ck_assert(second && second != first && grown);
	/* A request may be using the old one still. */
	memset(first, 1, 1000);
	memset(second, 2, 100000);
	ck_assert_int_eq(first[999], 1);
}
END_TEST

START_TEST(what_is_sent_and_what_is_received_are_apart)
{
	int grown;
	char *out = rsd_buffers_shared(&b, RSD_ARENA_SEND, 5000, &grown);
	char *in = rsd_buffers_shared(&b, RSD_ARENA_RECV, 5000, &grown);

	ck_assert(out + 5000 <= in || in + 5000 <= out);
}
END_TEST

START_TEST(growing_step_by_step_maps_no_more_than_a_few_times_the_largest)
{
	int grown;

	for (size_t len = 1; len <= 1 << 22; len += 4096)
		ck_assert_ptr_nonnull(rsd_buffers_shared(&b, RSD_ARENA_RECV, len, &grown));
	ck_assert_uint_lt(b.mapped, (uint64_t)5 << 22);
}
END_TEST

START_TEST(memory_beyond_all_bounds_is_refused)
{
	int grown;

	ck_assert_ptr_null(rsd_buffers_shared(&b, RSD_ARENA_SEND, SIZE_MAX / 2, &grown));
	ck_assert_ptr_null(rsd_buffers_own(&b, SIZE_MAX / 2));
}
END_TEST

START_TEST(owned_memory_is_given_back)
{
	char *p[3];
	uint64_t before = b.mapped;

	for (int i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(p[i] = rsd_buffers_own(&b, 10000));
	p[0][9999] = p[1][9999] = p[2][9999] = 1;
	rsd_buffers_disown(&b, p[1]);
	rsd_buffers_disown(&b, p[0]);
	rsd_buffers_disown(&b, &before); /* none of its own: nothing happens */
	p[2][0] = 1;
	rsd_buffers_disown(&b, p[2]);
	ck_assert_uint_eq(b.mapped, before);
}
END_TEST

static bool is_filled(const unsigned char *p, size_t len, int with)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] != with)
			return false;
	}
	return true;
}

/* Oracle: every piece is filled with a number of its own, and has it still when it is given back. */
START_TEST(scratch_pieces_do_not_overlap)
{
	struct rsd_scratch_block *kept[20] = { NULL };
	unsigned char *piece[20][8];
	size_t len[20][8];

	srand(_i);
	for (int call = 0; call < 200; call++) {
		int k = rand() % 20;

		if (kept[k]) {
			for (int i = 0; i < 8; i++)
				ck_assert(is_filled(piece[k][i], len[k][i], k * 8 + i));
			rsd_scratch_give_back(&s, kept[k]);
			kept[k] = NULL;
		}
		for (int i = 0; i < 8; i++) {
			len[k][i] = (size_t)(rand() % 3000);
			piece[k][i] = rsd_scratch_take(&s, len[k][i] + 1);
			ck_assert_ptr_nonnull(piece[k][i]);
			ck_assert_uint_eq((uintptr_t)piece[k][i] % 16, 0);
			memset(piece[k][i], k * 8 + i, len[k][i]);
		}
		if (rand() % 2)
			kept[k] = rsd_scratch_keep(&s);
		rsd_scratch_reset(&s);
	}
	for (int k = 0; k < 20; k++)
		rsd_scratch_give_back(&s, kept[k]);
}
END_TEST

START_TEST(nothing_taken_is_nothing_kept)
{
	ck_assert_ptr_null(rsd_scratch_keep(&s));
	ck_assert_ptr_nonnull(rsd_scratch_take(&s, 10));
	rsd_scratch_reset(&s);
	ck_assert_ptr_null(rsd_scratch_keep(&s));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buffers");
	TCase *tc = tcase_create("buffers");
	SRunner *r = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(tc, NULL, clear);
	tcase_add_test(tc, a_buffer_is_shared_until_a_larger_one_is_needed);
	tcase_add_test(tc, what_is_sent_and_what_is_received_are_apart);
	tcase_add_test(tc, growing_step_by_step_maps_no_more_than_a_few_times_the_largest);
	tcase_add_test(tc, memory_beyond_all_bounds_is_refused);
	tcase_add_test(tc, owned_memory_is_given_back);
	tcase_add_loop_test(tc, scratch_pieces_do_not_overlap, 0, 30);
	tcase_add_test(tc, nothing_taken_is_nothing_kept);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
