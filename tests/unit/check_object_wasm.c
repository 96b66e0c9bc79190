/* object_wasm: a module put together by hand; cut off and altered ones */
#include "dwarf_bytes.h"
#include "object.h"
#include "util.h"

/* One imported function, two of its own, names for all, and a custom section. */
static const char module[] = "00 61 73 6d 01 00 00 00 "
			     "01 04 01 60 00 00 "
			     "02 09 01 03 65 6e 76 01 6d 00 00 "
			     "03 03 02 00 00 "
			     "0a 09 02 02 00 0b 04 00 01 01 0b "
			     "00 13 04 6e 61 6d 65 01 0c 03 00 03 69 6d 70 01 01 61 02 01 62 "
			     "00 07 03 2e 73 74 58 59 5a";

START_TEST(functions_names_and_sections)
{
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_object *o;
	struct rsd_sym_entry *symbol = NULL;
	struct rsd_bytes section;
	size_t nr = 0, alloc = 0;

	put_bytes(&b, module);
	ck_assert_int_eq(rsd_object_from_bytes(&o, "m.wasm", bytes_of(&b), NULL, NULL), 0);
	ck_assert_int_eq(o->kind, RSD_OBJECT_WASM);
	ck_assert_uint_eq(o->code_start, 32);
	ck_assert_uint_eq(o->nr_functions, 3);
	ck_assert_str_eq(o->function_name[0], "imp");
	ck_assert_int_eq(rsd_wasm_symbols(o, &symbol, &nr, &alloc), 0);
	ck_assert_uint_eq(nr, 2);
	ck_assert_str_eq(symbol[0].name, "a");
	ck_assert_uint_eq(symbol[1].lo, 4);
	ck_assert_uint_eq(symbol[1].hi, 9);
	ck_assert(rsd_object_is_code(o, 4, 9));
	ck_assert(!rsd_object_is_code(o, 3, 5)); /* across two functions */
	section = rsd_object_section(o, ".st");
	ck_assert_uint_eq(section.len, 3);
	ck_assert_int_eq(memcmp(section.data, "XYZ", 3), 0);
	free(symbol);
	rsd_object_free(o);
	rsd_buf_release(&b);
}
END_TEST

static void look(struct rsd_bytes b)
{
	struct rsd_sym_entry *symbol = NULL;
	size_t nr = 0, alloc = 0;
	struct rsd_object *o;

	if (rsd_object_from_bytes(&o, "m.wasm", b, NULL, NULL))
		return;
	rsd_wasm_symbols(o, &symbol, &nr, &alloc);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_le(symbol[i].hi, b.len);
	free(symbol);
	rsd_object_free(o);
}

START_TEST(cut_off_or_altered)
{
	struct rsd_buf b = RSD_BUF_INIT;

	put_bytes(&b, module);
	for (size_t len = 0; len <= b.len; len++) {
		struct rsd_bytes part = exact(b.data, len);

		look(part);
		free((void *)(uintptr_t)part.data);
	}
	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct rsd_bytes part = exact(b.data, b.len);
		unsigned char *p = (unsigned char *)(uintptr_t)part.data;

		for (int k = 0; k < 1 + i % 4; k++)
			p[8 + (size_t)rand() % (b.len - 8)] = (unsigned char)rand();
		look(part);
		free(p);
	}
	rsd_buf_release(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("object_wasm");
	TCase *tc = tcase_create("object_wasm");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, functions_names_and_sections);
	tcase_add_test(tc, cut_off_or_altered);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
