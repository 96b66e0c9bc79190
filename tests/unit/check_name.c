/* name: what names are for people */
#include <check.h>
#include <stdlib.h>

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

/* Each part is a pair of the part before: the text doubles with every three bytes. */
static char *doubling(int parts)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_buf_printf(&b, "_Z1fSt4pairIiiE");
	for (int i = 0; i < parts; i++)
		rsd_buf_printf(&b, "S_IS%c_S%c_E", digit[i], digit[i]);
	rsd_buf_put_byte(&b, 0);
	ck_assert_int_eq(b.err, 0);
	return (char *)b.data;
}

START_TEST(names_that_unfold_without_bound_stay_mangled)
{
	struct rsd_names n = { NULL, 0, 0, RSD_MAP_INIT };
	char *few = doubling(8), *many = doubling(30);
	const char *text = rsd_demangle(&n, few);

	ck_assert_int_eq(strncmp(text, "f(std::pair<int, int>, std::pair<", 33), 0);
	ck_assert_uint_gt(strlen(text), 5000);
	ck_assert_str_eq(rsd_demangle(&n, many), many);
	rsd_names_release(&n);
	free(few);
	free(many);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("name");
	TCase *tc = tcase_create("name");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, names_for_people, 0, RSD_ARRAY_SIZE(known));
	tcase_add_test(tc, names_that_unfold_without_bound_stay_mangled);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
