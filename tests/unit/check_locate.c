/* locate: files that belong to a module are used only where they are the right ones */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "dwarf_bytes.h"
#include "locate.h"

static char dir[] = "/tmp/check_locate.XXXXXX", module_path[100];
static char *root_list[1];
static struct rsd_roots roots = { root_list, 1, 1 };
static struct rsd_section section[2];
static struct rsd_object module;
static struct rsd_buf link_bytes;

static const unsigned char id[] = { 0xab, 0xcd, 0xef }, other_id[] = { 0xab, 0xcd, 0xee };

static void path_of(char *out, size_t len, const char *name)
{
	snprintf(out, len, "%s/%s", dir, name);
}

static void make_folder(const char *name)
{
	char path[200];

	path_of(path, sizeof(path), name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void setup(void)
{
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	root_list[0] = dir;
	path_of(module_path, sizeof(module_path), "module");
	module = (struct rsd_object){ .path = module_path, .section = section };
	link_bytes = RSD_BUF_INIT;
}

static void teardown(void)
{
	char command[100];

	rsd_buf_release(&link_bytes);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

/* A file with that build id (NULL: none); its checksum. */
static uint32_t make_file(const char *name, const unsigned char *build_id)
{
	struct rsd_buf b = RSD_BUF_INIT;
	unsigned char with_length[1 + sizeof(id)] = { sizeof(id) };
	char path[200];
	uint32_t crc;
	FILE *f;

	put_wasm(&b);
	if (build_id) {
		memcpy(with_length + 1, build_id, sizeof(id));
		put_custom(&b, "build_id", with_length, sizeof(with_length));
	}
	put_custom(&b, name, name, strlen(name)); /* no two files are alike */
	path_of(path, sizeof(path), name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b.data, 1, b.len, f), b.len);
	fclose(f);
	crc = (uint32_t)crc32(crc32(0, NULL, 0), b.data, (uInt)b.len);
	rsd_buf_release(&b);
	return crc;
}

static void set_section(const char *name)
{
	section[0] = (struct rsd_section){ .name = name, .raw = bytes_of(&link_bytes) };
	module.nr_sections = 1;
}

static void set_debuglink(const char *name, uint32_t crc)
{
	rsd_buf_reset(&link_bytes);
	put_text(&link_bytes, name);
	while (link_bytes.len % 4)
		put(&link_bytes, 0, 1);
	put(&link_bytes, crc, 4);
	set_section(".gnu_debuglink");
}

static void finds(const char *name)
{
	struct rsd_object *o = rsd_locate_debug(&roots, &module);
	char path[200];

	if (!name) {
		ck_assert_ptr_null(o);
		return;
	}
	path_of(path, sizeof(path), name);
	ck_assert_ptr_nonnull(o);
	ck_assert_str_eq(o->path, path);
	rsd_object_free(o);
}

static void joins(const char *a, const char *b, const char *want)
{
	char *path = rsd_path_join(a, b);

	ck_assert_str_eq(path, want);
	free(path);
}

static void folder_is(const char *path, const char *want)
{
	char *folder = rsd_path_dir(path);

	ck_assert_str_eq(folder, want);
	free(folder);
}

START_TEST(paths)
{
	joins("/a", "b", "/a/b");
	joins("/a/", "b/c", "/a/b/c");
	joins("/a", "/b", "/b");
	joins("", "b", "b");
	joins("a", "", "a/");
	folder_is("/a/b", "/a");
	folder_is("/a", "/");
	folder_is("a", ".");
	folder_is("a/b/c", "a/b");
}
END_TEST

START_TEST(by_build_id)
{
	module.build_id = (struct rsd_bytes){ id, sizeof(id) };
	finds(NULL);
	make_folder(".build-id");
	make_folder(".build-id/ab");
	make_file(".build-id/ab/cdef.debug", id);
	finds(".build-id/ab/cdef.debug");
	make_file(".build-id/ab/cdef.debug", other_id);
	finds(NULL);
	make_file(".build-id/ab/cdef.debug", NULL);
	finds(NULL);
	module.build_id.len = 1; /* names no file */
	finds(NULL);
}
END_TEST

START_TEST(by_debug_link)
{
	uint32_t crc = make_file("module.debug", id);

	set_debuglink("module.debug", crc);
	finds("module.debug");
	set_debuglink("module.debug", crc + 1);
	finds(NULL);
	module.build_id = (struct rsd_bytes){ other_id, sizeof(id) };
	set_debuglink("module.debug", crc);
	finds(NULL);
	module.build_id = (struct rsd_bytes){ id, sizeof(id) };
	finds("module.debug");
	set_debuglink("absent.debug", crc);
	finds(NULL);
	make_folder(".debug");
	set_debuglink("x", make_file(".debug/x", NULL));
	finds(".debug/x");
}
END_TEST

/* A link that is cut off, at any byte, leads nowhere. */
START_TEST(damaged_debug_link)
{
	size_t whole;

	set_debuglink("module.debug", make_file("module.debug", NULL));
	whole = link_bytes.len;
	for (size_t len = 0; len < whole; len++) {
		struct rsd_bytes cut = exact(link_bytes.data, len);

		section[0] = (struct rsd_section){ .name = ".gnu_debuglink", .raw = cut };
		finds(NULL);
		free((void *)(uintptr_t)cut.data);
	}
}
END_TEST

static void finds_sup(const char *name)
{
	struct rsd_object *o = rsd_locate_sup(&roots, &module);

	section[0].ready = false;
	ck_assert_int_eq(o != NULL, name != NULL);
	if (o)
		ck_assert_str_eq(strrchr(o->path, '/') + 1, name);
	rsd_object_free(o);
}

START_TEST(supplementary_files)
{
	finds_sup(NULL);
	put_text(&link_bytes, "common");
	rsd_buf_put(&link_bytes, id, sizeof(id));
	set_section(".gnu_debugaltlink");
	finds_sup(NULL);
	make_file("common", id);
	finds_sup("common");
	make_file("common", other_id);
	finds_sup(NULL);
	/* Elsewhere, by its build id. */
	make_folder(".build-id");
	make_folder(".build-id/ab");
	make_file(".build-id/ab/cdef.debug", id);
	finds_sup("cdef.debug");
	/* DWARF 5's reference: version, 0, name, id. */
	rsd_buf_reset(&link_bytes);
	put(&link_bytes, 5, 2);
	put(&link_bytes, 0, 1);
	put_text(&link_bytes, "common");
	put(&link_bytes, sizeof(id), 1);
	rsd_buf_put(&link_bytes, id, sizeof(id));
	set_section(".debug_sup");
	make_file("common", id);
	finds_sup("common");
	link_bytes.data[2] = 1; /* a supplementary file itself */
	finds_sup(NULL);
}
END_TEST

START_TEST(damaged_debug_data)
{
	rsd_buf_put(&link_bytes, "\3757zXZ\0no more", 13);
	set_section(".gnu_debugdata");
	ck_assert_ptr_null(rsd_locate_minidebug(&module));
	module.nr_sections = 0;
	ck_assert_ptr_null(rsd_locate_minidebug(&module));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locate");
	TCase *tc = tcase_create("locate");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, paths);
	tcase_add_test(tc, by_build_id);
	tcase_add_test(tc, by_debug_link);
	tcase_add_test(tc, damaged_debug_link);
	tcase_add_test(tc, supplementary_files);
	tcase_add_test(tc, damaged_debug_data);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
