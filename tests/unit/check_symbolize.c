/* symbolize: this very program, as it is, cut off, and altered at random */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <check.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize.h"
#include "util.h"

static unsigned char *image;
static size_t image_len;

static void setup(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	size_t done = 0;
	ssize_t n;

	ck_assert_int_eq(fstat(fd, &st), 0);
	image_len = (size_t)st.st_size;
	image = malloc(image_len);
	while (done < image_len && (n = read(fd, image + done, image_len - done)) > 0)
		done += (size_t)n;
	close(fd);
}

static void teardown(void)
{
	free(image);
}

/* The first one is the program itself. */
static int take_slide(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uintptr_t *)arg = info->dlpi_addr;
	return 1;
}

static uint64_t offset_of(const void *address)
{
	uintptr_t slide = 0;

	dl_iterate_phdr(take_slide, &slide);
	return (uintptr_t)address - slide;
}

static inline __attribute__((always_inline)) void *here(void)
{
	void *pc;

	__asm__ volatile("lea (%%rip), %0" : "=r"(pc));
	return pc;
}

START_TEST(finds_itself)
{
	struct rsd_symbolizer *s;
	struct rsd_sym_result r;
	void *pc = here(); /* on this line */
	unsigned int line = __LINE__ - 1;

	ck_assert_int_eq(
		rsd_symbolizer_open_bytes(&s, "/proc/self/exe", image, image_len, NULL, NULL), 0);
	ck_assert_int_eq(rsd_symbolizer_lookup(s, offset_of(pc) - 1, &r), 0);
	ck_assert_int_eq(r.origin, RSD_SYM_FUNCTION);
	ck_assert_uint_eq(r.nr, 2);
	ck_assert_str_eq(r.frame[0].function, "here");
	ck_assert_str_eq(r.frame[1].function, "finds_itself_fn");
	ck_assert_ptr_nonnull(strstr(r.frame[0].file, "check_symbolize.c"));
	ck_assert_uint_eq(r.frame[1].line, line);
	ck_assert_int_eq(rsd_symbolizer_lookup(s, 1, &r), 0);
	ck_assert_uint_eq(r.nr, 0);
	rsd_symbolizer_free(s);
}
END_TEST

static void look_around(const unsigned char *data, size_t len)
{
	struct rsd_symbolizer *s;
	struct rsd_sym_result r;
	uint64_t start = offset_of((const void *)(uintptr_t)look_around);

	if (rsd_symbolizer_open_bytes(&s, "/nowhere/module", data, len, NULL, NULL))
		return;
	for (uint64_t i = 0; i < 3000; i += 101)
		ck_assert_int_eq(rsd_symbolizer_lookup(s, start - 1000 + i, &r), 0);
	rsd_symbolizer_free(s);
}

START_TEST(cut_off)
{
	size_t len = image_len / 12 * (size_t)_i + (size_t)_i * 7;
	unsigned char *part = malloc(len + 1);

	memcpy(part, image, len);
	look_around(part, len);
	free(part);
}
END_TEST

START_TEST(altered)
{
	srand((unsigned int)_i);
	for (int i = 0, nr = 1 << _i % 12; i < nr; i++)
		image[64 + (size_t)rand() % (image_len - 64)] = (unsigned char)rand();
	look_around(image, image_len);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbolize");
	TCase *tc = tcase_create("symbolize");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
#ifdef __x86_64__
	tcase_add_test(tc, finds_itself);
#endif
	tcase_add_loop_test(tc, cut_off, 0, 12);
	tcase_add_loop_test(tc, altered, 0, 48);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
