/* symtab: against a search through all symbols */
#include <check.h>
#include <stdlib.h>

#include "symtab.h"
#include "util.h"

static const char *const name[] = { "a", "b", "c", "d" };

/* The one that starts last; of these the best bound, then the shortest, then by name. */
static const struct rsd_sym_entry *oracle(const struct rsd_symtab *s, uint64_t addr)
{
	const struct rsd_sym_entry *best = NULL;

	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_sym_entry *y = &s->symbol[i];

		if (addr < y->lo || addr >= y->hi)
			continue;
		if (!best || y->lo > best->lo || (y->lo == best->lo && y->binding < best->binding))
			best = y;
	}
	return best;
}

static bool is_ambiguous(const struct rsd_symtab *s, uint64_t addr, uint64_t lo)
{
	const char *first = NULL;

	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_sym_entry *y = &s->symbol[i];

		if (y->lo != lo || addr >= y->hi || y->binding)
			continue;
		if (first && first != y->name)
			return true;
		first = y->name;
	}
	return false;
}

START_TEST(agrees_with_a_search)
{
	struct rsd_symtab s = { NULL, NULL, 0, 0 };
	const struct rsd_sym_entry *got, *want;
	bool ambiguous;

	srand((unsigned int)_i);
	for (int i = 0, nr = rand() % 30; i < nr; i++) {
		uint64_t lo = (uint64_t)rand() % 50;

		ck_assert_int_eq(RSD_GROW(s.symbol, s.nr + 1, s.alloc), 0);
		s.symbol[s.nr++] = (struct rsd_sym_entry){ lo, lo + 1 + (uint64_t)rand() % 20,
			name[rand() % 4], (unsigned char)(rand() % 3), NULL };
	}
	ck_assert_int_eq(rsd_symtab_sort(&s), 0);
	for (uint64_t addr = 0; addr < 80; addr++) {
		got = rsd_symtab_find(&s, addr, &ambiguous);
		want = oracle(&s, addr);
		ck_assert_int_eq(!got, !want);
		if (!got)
			continue;
		ck_assert_uint_eq(got->lo, want->lo);
		ck_assert_uint_eq(got->binding, want->binding);
		ck_assert_int_eq(ambiguous, is_ambiguous(&s, addr, got->lo));
	}
	rsd_symtab_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symtab");
	TCase *tc = tcase_create("symtab");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, agrees_with_a_search, 0, 500);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
