#include <check.h>
#include <stdlib.h>

#include "opstruct.h"
#include "slot.h"

static struct rsd_slots s;
static const struct rsd_shape none;

static struct rsd_shape shape(int64_t a)
{
	return (struct rsd_shape){ true, { a, 0, 0, 0 } };
}

static void setup(void)
{
	s = (struct rsd_slots)RSD_SLOTS_INIT;
}

static void teardown(void)
{
	rsd_slots_release(&s);
}

START_TEST(a_loop_that_makes_and_frees_gets_one_slot)
{
	for (int i = 0; i < 1000; i++) {
		struct rsd_held *h = rsd_slots_made(&s, 77 + i % 3, 0, &none);

		ck_assert_int_eq(h->id, 0);
		rsd_slots_freed(&s, h->value, h->serial);
	}
	ck_assert_uint_eq(s.pool[0].nr_slots, 1);
}
END_TEST

START_TEST(a_slot_is_reused_only_by_the_same_shape)
{
	struct rsd_shape a = shape(4), b = shape(8);
	struct rsd_held *h = rsd_slots_made(&s, 1, 0, &a);

	rsd_slots_freed(&s, 1, h->serial);
	ck_assert_int_eq(rsd_slots_made(&s, 1, 0, &b)->id, 1);
	ck_assert_int_eq(rsd_slots_made(&s, 2, 0, &a)->id, 0);
	ck_assert_int_eq(rsd_slots_shape(&s, 1)->attr[0], 8);
	ck_assert_ptr_null(rsd_slots_shape(&s, 2));
}
END_TEST

START_TEST(a_value_made_twice_is_held_twice)
{
	struct rsd_held *h = rsd_slots_made(&s, 5, 0, &none);
	uint64_t serial = h->serial;

	ck_assert_int_eq(rsd_slots_made(&s, 5, 0, &none)->id, 0);
	rsd_slots_freed(&s, 5, serial);
	ck_assert_ptr_nonnull(rsd_slots_find(&s, 5, 0));
	rsd_slots_freed(&s, 5, serial);
	ck_assert_ptr_null(rsd_slots_find(&s, 5, 0));
}
END_TEST

START_TEST(a_value_of_another_shape_is_another_object)
{
	struct rsd_shape a = shape(4), b = shape(8);

	ck_assert_int_eq(rsd_slots_made(&s, 5, 0, &a)->id, 0);
	ck_assert_int_eq(rsd_slots_made(&s, 5, 0, &b)->id, 1);
	ck_assert_int_eq(rsd_slots_find(&s, 5, 0)->refs, 1);
}
END_TEST

/* Another thread was given the value while the call that frees it had not returned yet. */
START_TEST(a_value_made_while_it_is_freed_is_new)
{
	struct rsd_held *h = rsd_slots_made(&s, 5, 0, &none);
	uint64_t serial = h->serial, serial_2;
	int64_t id;

	h->freeing = true;
	h = rsd_slots_made(&s, 5, 0, &none);
	serial_2 = h->serial;
	id = h->id;
	ck_assert_uint_ne(serial_2, serial);
	rsd_slots_freed(&s, 5, serial);
	ck_assert_int_eq(rsd_slots_find(&s, 5, 0)->id, id);
	rsd_slots_freed(&s, 5, serial_2);
	ck_assert_ptr_null(rsd_slots_find(&s, 5, 0));
}
END_TEST

START_TEST(constants_are_never_freed)
{
	struct rsd_held *h;

	ck_assert_int_eq(rsd_slots_add_constant(&s, 9, RSD_CONST(3)), 0);
	ck_assert_int_eq(rsd_slots_add_constant(&s, 9, RSD_CONST(4)), 0);
	h = rsd_slots_made(&s, 9, 0, &none);
	ck_assert_int_eq(h->id, RSD_CONST(3));
	rsd_slots_freed(&s, 9, h->serial);
	ck_assert_int_eq(rsd_slots_find(&s, 9, 0)->id, RSD_CONST(3));
}
END_TEST

/* Oracle: for each of a few values, its slot and shape; the lowest free slot found by search. */
START_TEST(agrees_with_a_search)
{
	enum { VALUES = 40, SLOTS = 400 };
	int64_t slot_of[VALUES], shape_of_slot[SLOTS];
	bool busy[SLOTS] = { false };
	int nr_slots = 0;

	srand((unsigned)_i);
	for (int v = 0; v < VALUES; v++)
		slot_of[v] = -1;
	for (int step = 0; step < 600; step++) {
		int v = rand() % VALUES, k = rand() % 3;
		struct rsd_shape sh = shape(k);
		struct rsd_held *h;
		int want = 0;

		if (slot_of[v] >= 0) {
			h = rsd_slots_find(&s, v, 0);
			ck_assert_int_eq(h->id, slot_of[v]);
			rsd_slots_freed(&s, v, h->serial);
			busy[slot_of[v]] = false;
			slot_of[v] = -1;
			continue;
		}
		while (want < nr_slots && (busy[want] || shape_of_slot[want] != k))
			want++;
		if (want == nr_slots)
			shape_of_slot[nr_slots++] = k;
		h = rsd_slots_made(&s, v, 0, &sh);
		ck_assert_int_eq(h->id, want);
		slot_of[v] = want;
		busy[want] = true;
	}
}
END_TEST

/* Oracle: the slots of each thread alone. What others make meanwhile does not count. */
START_TEST(threads_do_not_count_each_other)
{
	enum { THREADS = 4, EACH = 20 };
	struct rsd_slots alone[THREADS];
	bool there[THREADS][EACH] = { { false } };

	for (int t = 0; t < THREADS; t++)
		alone[t] = RSD_SLOTS_INIT;
	srand((unsigned)_i);
	for (int step = 0; step < 2000; step++) {
		int t = rand() % THREADS, v = rand() % EACH;
		int64_t value = t * EACH + v;
		struct rsd_shape sh = shape(v % 3);
		struct rsd_held *h, *a;

		if (there[t][v]) {
			h = rsd_slots_find(&s, value, rand() % THREADS);
			a = rsd_slots_find(&alone[t], value, t);
			ck_assert_int_eq(h->id, a->id);
			rsd_slots_freed(&s, value, h->serial);
			rsd_slots_freed(&alone[t], value, a->serial);
		} else {
			h = rsd_slots_made(&s, value, t, &sh);
			a = rsd_slots_made(&alone[t], value, t, &sh);
			ck_assert_int_eq(h->id, a->id);
			ck_assert_int_eq(rsd_slot_owner(h->id), t);
			ck_assert_int_eq(rsd_slots_shape(&s, h->id)->attr[0], v % 3);
		}
		there[t][v] = !there[t][v];
	}
	for (int t = 0; t < THREADS; t++)
		rsd_slots_release(&alone[t]);
}
END_TEST

START_TEST(an_object_that_several_threads_got_is_held_by_each)
{
	struct rsd_held *h = rsd_slots_made(&s, 5, 2, &none);
	uint64_t of_2 = h->serial, of_1, of_0;

	of_1 = rsd_slots_made(&s, 5, 1, &none)->serial;
	of_0 = rsd_slots_made(&s, 5, 0, &none)->serial;
	ck_assert_int_eq(rsd_slots_made(&s, 5, 1, &none)->refs, 2);
	ck_assert_int_eq(rsd_slots_find(&s, 5, 2)->id, rsd_slot(2, 0));
	ck_assert_int_eq(rsd_slots_find(&s, 5, 1)->id, rsd_slot(1, 0));
	ck_assert_int_eq(rsd_slots_find(&s, 5, 0)->id, 0);
	/* To one that did not get it itself it is the first one's. */
	ck_assert_int_eq(rsd_slots_find(&s, 5, 3)->id, 0);
	ck_assert_ptr_null(rsd_slots_find_own(&s, 5, 3));
	rsd_slots_freed(&s, 5, of_0);
	ck_assert_int_eq(rsd_slots_find(&s, 5, 3)->id, rsd_slot(1, 0));
	rsd_slots_freed(&s, 5, of_1);
	rsd_slots_find(&s, 5, 1)->freeing = true;
	ck_assert_int_eq(rsd_slots_find(&s, 5, 3)->id, rsd_slot(2, 0));
	rsd_slots_freed(&s, 5, of_1);
	rsd_slots_freed(&s, 5, of_2);
	ck_assert_ptr_null(rsd_slots_find(&s, 5, 0));
}
END_TEST

START_TEST(who_held_the_value_in_another_shape_has_lost_it)
{
	struct rsd_shape a = shape(4), b = shape(8);
	uint64_t freed = rsd_slots_made(&s, 5, 1, &a)->serial;

	rsd_slots_made(&s, 5, 2, &a);
	rsd_slots_holder(&s, 5, freed)->freeing = true;
	ck_assert_int_eq(rsd_slots_made(&s, 5, 3, &b)->id, rsd_slot(3, 0));
	ck_assert_ptr_null(rsd_slots_find_own(&s, 5, 2));
	ck_assert_ptr_nonnull(rsd_slots_holder(&s, 5, freed));
	ck_assert_int_eq(rsd_slots_find(&s, 5, 0)->id, rsd_slot(3, 0));
	rsd_slots_freed(&s, 5, freed);
	ck_assert_int_eq(rsd_slots_made(&s, 6, 1, &a)->id, rsd_slot(1, 0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slot");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_loop_that_makes_and_frees_gets_one_slot);
	tcase_add_test(tc, a_slot_is_reused_only_by_the_same_shape);
	tcase_add_test(tc, a_value_made_twice_is_held_twice);
	tcase_add_test(tc, a_value_of_another_shape_is_another_object);
	tcase_add_test(tc, a_value_made_while_it_is_freed_is_new);
	tcase_add_test(tc, constants_are_never_freed);
	tcase_add_loop_test(tc, agrees_with_a_search, 0, 50);
	tcase_add_loop_test(tc, threads_do_not_count_each_other, 0, 20);
	tcase_add_test(tc, an_object_that_several_threads_got_is_held_by_each);
	tcase_add_test(tc, who_held_the_value_in_another_shape_has_lost_it);
	suite_add_tcase(suite, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
