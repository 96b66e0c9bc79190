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
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNvC1a1f.llvm.123", "a::f" },
	{ "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}" },
	{ "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9"
	  "rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
		"<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<"
		"core::slice::memchr::memrchr::{closure#1}>::{closure#0}" },
	{ "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
	  "ECs1iopQbuBiw2_3std",
		"alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>" },
	{ "_RINtC8arrayvec8ArrayVechKj7b_E", "arrayvec::ArrayVec::<u8, 123>" },
	{ "_RMC0INtC8arrayvec8ArrayVechKj7b_E", "<arrayvec::ArrayVec<u8, 123>>" },
	{ "_RNvXs0_NtC5mylib3abcNtB5_3FooNtNtC4core3fmt5Debug3fmt",
		"<mylib::abc::Foo as core::fmt::Debug>::fmt" },
	{ "_RNvYNtC1a1SNtC1b1T1m", "<a::S as b::T>::m" },
	{ "_RINvC1a1fAtj5_SxFG_RL0_hEuE", "a::f::<[u16; 5], [i64], for<'a> fn(&'a u8)>" },
	{ "_RINvC1a1fPeQhOaTscETlEFUKClEzE", "a::f::<*const str, &mut u8, *mut i8, (i16, char), "
					     "(i32,), unsafe extern \"C\" fn(i32) -> !>" },
	{ "_RINvC1a1fKb1_Kc41_Kin5_KhpE", "_RINvC1a1fKb1_Kc41_Kin5_KhpE" },
	{ "_RINvC1a1fKb1_Kc41_Kin5_KpE", "a::f::<true, 'A', -5, _>" },
	{ "_RNvC1a1", "_RNvC1a1" },
	{ "_RB_", "_RB_" },
	{ "_RIB_E", "_RIB_E" },
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

/* Nothing to compare with: the sanitizers, and an end, are the test. */
START_TEST(altered_names)
{
	size_t len = strlen(known[_i].linkage);
	char *name = rsd_strndup(known[_i].linkage, len);

	srand((unsigned int)_i);
	for (int k = 0; k < 300 && len; k++) {
		struct rsd_names n = { NULL, 0, 0, RSD_MAP_INIT };
		size_t at = (size_t)rand() % len;
		char was = name[at];

		name[at] = "_0129abEIRBNCKGTFDXszp.$"[rand() % 24];
		ck_assert_ptr_nonnull(rsd_demangle(&n, name));
		rsd_names_release(&n);
		if (rand() % 3)
			name[at] = was;
	}
	free(name);
}
END_TEST

/* A name whose generic arguments are each the pair of the one before. */
static char *rust_doubling(int parts)
{
	static const char digit[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct rsd_buf b = RSD_BUF_INIT;
	size_t last = 8; /* where the pair stands, counted from behind "_R" */

	rsd_buf_printf(&b, "_RINvC1a1fTuuE");
	for (int i = 0; i < parts; i++) {
		size_t v = last - 1;

		last = b.len - 2;
		rsd_buf_printf(&b, "T");
		for (int k = 0; k < 2; k++) {
			rsd_buf_printf(&b, "B");
			if (v >= 62)
				rsd_buf_put_byte(&b, (unsigned char)digit[v / 62]);
			rsd_buf_printf(&b, "%c_", digit[v % 62]);
		}
		rsd_buf_printf(&b, "E");
	}
	rsd_buf_printf(&b, "E");
	rsd_buf_put_byte(&b, 0);
	ck_assert_int_eq(b.err, 0);
	return (char *)b.data;
}

START_TEST(rust_names_that_unfold_without_bound_stay_mangled)
{
	struct rsd_names n = { NULL, 0, 0, RSD_MAP_INIT };
	char *few = rust_doubling(2), *many = rust_doubling(40);

	ck_assert_str_eq(rsd_demangle(&n, few), "a::f::<((), ()), (((), ()), ((), ())), ((((), "
						"()), ((), ())), (((), ()), ((), ())))>");
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
	tcase_add_test(tc, rust_names_that_unfold_without_bound_stay_mangled);
	tcase_add_loop_test(tc, altered_names, 0, RSD_ARRAY_SIZE(known));
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
