#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "util.h"

/* A map from small keys against an array; few keys, so that chains form, break and wrap. */
#define KEYS 200

START_TEST(map_agrees_with_an_array)
{
	struct rsd_map m = RSD_MAP_INIT;
	uint64_t value[KEYS];
	bool used[KEYS] = { false };
	size_t nr = 0;

	srand(_i);
	for (int i = 0; i < 3000; i++) {
		uint64_t key = (uint64_t)rand() % (i % 1000 < 500 ? KEYS : 20);

		if (rand() % 3) {
			nr += !used[key];
			used[key] = true;
			value[key] = (uint64_t)rand();
			if (rsd_map_set(&m, key, value[key]))
				ck_abort_msg("set fails");
		} else {
			if (rsd_map_delete(&m, key) != used[key])
				ck_abort_msg("delete of %d", (int)key);
			nr -= used[key];
			used[key] = false;
		}
		for (uint64_t k = 0; i % 50 == 0 && k < KEYS; k++) {
			const uint64_t *v = rsd_map_find(&m, k);

			if (!!v != used[k] || (v && *v != value[k]))
				ck_abort_msg("key %d after %d steps", (int)k, i);
		}
		if (m.nr != nr)
			ck_abort_msg("number of entries");
	}
	rsd_map_release(&m);
	ck_assert_ptr_null(rsd_map_find(&m, 1));
	ck_assert(!rsd_map_delete(&m, 1));
}
END_TEST

/* A table that breathes does not grow. */
START_TEST(setting_and_deleting_needs_no_room)
{
	struct rsd_map m = RSD_MAP_INIT;

	for (uint64_t k = 0; k < 100000; k++) {
		if (rsd_map_set(&m, k, k) || (k >= 3 && !rsd_map_delete(&m, k - 3)))
			ck_abort_msg("key %d", (int)k);
	}
	ck_assert_uint_le(m.alloc, 8);
	rsd_map_release(&m);
}
END_TEST

START_TEST(hash_depends_on_every_bit_length_and_seed)
{
	unsigned char s[33] = { 0 };

	srand(_i);
	for (size_t i = 0; i < sizeof(s); i++)
		s[i] = (unsigned char)rand();
	for (size_t len = 0; len <= 32; len++) {
		uint64_t h = rsd_hash_bytes(s, len, 0);

		if (h == rsd_hash_bytes(s, len + 1, 0) || h == rsd_hash_bytes(s, len, 1))
			ck_abort_msg("length %d", (int)len);
		for (size_t bit = 0; bit < 8 * len; bit++) {
			s[bit / 8] ^= (unsigned char)(1 << bit % 8);
			if (h == rsd_hash_bytes(s, len, 0))
				ck_abort_msg("bit %d", (int)bit);
			s[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hash");
	TCase *tc = tcase_create("hash");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, map_agrees_with_an_array, 0, 30);
	tcase_add_test(tc, setting_and_deleting_needs_no_room);
	tcase_add_loop_test(tc, hash_depends_on_every_bit_length_and_seed, 0, 5);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
