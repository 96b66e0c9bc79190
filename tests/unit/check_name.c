/* name: what names are for people */
#include <check.h>

#include "name.h"
#include "util.h"

static const struct {
	const char *linkage, *text;
} known[] = {
	{ "main", "main" },
	{ "", "" },
	{ "_Z", "_Z" },
	{ "_ZN2ns5drive", "_ZN2ns5drive" },
	{ "_ZN2ns5driveEv", "ns::drive()" },
	{ "_ZN3BoxIiE4pokeEi", "Box<int>::poke(int)" },
	{ "_ZN2rs4deep4leaf17h0123456789abcdefE", "rs::deep::leaf" },
	{ "_ZN2rs5outer28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
		"rs::outer::{{closure}}" },
	{ "_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$"
	  "3fmt17h0123456789abcdefE",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt" },
	{ "_ZN2rs4deep4leaf17h0123456789abcdeXE", "rs::deep::leaf::h0123456789abcdeX" },
	{ "__fm_MOD_fproc", "fm::fproc" },
	{ "___MOD_", "___MOD_" },
	{ "__MOD_x", "__MOD_x" },
	{ "_ZN2rs1x17h0123456789abcdef$u7bE", "_ZN2rs1x17h0123456789abcdef$u7bE" },
};

START_TEST(names_for_people)
{
	struct rsd_names n = { NULL, 0, 0, RSD_MAP_INIT };
	const char *text = rsd_demangle(&n, known[_i].linkage);

	ck_assert_str_eq(text, known[_i].text);
	/* Kept: the same again. */
	ck_assert_ptr_eq(rsd_demangle(&n, known[_i].linkage), text);
	rsd_names_release(&n);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("name");
	TCase *tc = tcase_create("name");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, names_for_people, 0, RSD_ARRAY_SIZE(known));
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
