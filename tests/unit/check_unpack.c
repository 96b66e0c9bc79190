/* unpack: what was packed comes back; claims and bombs are refused */
#include <check.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "unpack.h"
#include "util.h"

#define LEN 300000

static unsigned char plain[LEN], packed[LEN + 1000];

static size_t pack(enum rsd_unpack_kind kind, size_t len)
{
	uLongf z = sizeof(packed);
	size_t pos = 0;

	switch (kind) {
	case RSD_UNPACK_ZLIB:
		ck_assert_int_eq(compress(packed, &z, plain, len), Z_OK);
		return z;
	case RSD_UNPACK_ZSTD:
		return ZSTD_compress(packed, sizeof(packed), plain, len, 3);
	case RSD_UNPACK_XZ:
		ck_assert_int_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, plain, len,
					 packed, &pos, sizeof(packed)),
			LZMA_OK);
		return pos;
	}
	return 0;
}

static int unpack(
	enum rsd_unpack_kind kind, size_t packed_len, uint64_t size, bool altered, size_t *len)
{
	unsigned char *out = NULL, *in = malloc(packed_len ? packed_len : 1);
	int err;

	memcpy(in, packed, packed_len);
	err = rsd_unpack(kind, (struct rsd_bytes){ in, packed_len }, size, &out, len);
	free(in);
	if (!err) {
		ck_assert_uint_le(*len, LEN);
		ck_assert(altered || memcmp(out, plain, *len) == 0);
		free(out);
	}
	return err;
}

START_TEST(comes_back)
{
	enum rsd_unpack_kind kind = (enum rsd_unpack_kind)(_i % 3);
	size_t len = _i < 3 ? LEN : 100, got = 0, n;

	for (size_t i = 0; i < LEN; i++)
		plain[i] = (unsigned char)(i * i >> 7);
	n = pack(kind, len);
	ck_assert_int_eq(unpack(kind, n, len, false, &got), 0);
	ck_assert_uint_eq(got, len);
	ck_assert_int_eq(unpack(kind, n, 0, false, &got), 0);
	ck_assert_int_eq(unpack(kind, n, len - 1, false, &got), RSD_ERR_FORMAT);
	ck_assert_int_eq(unpack(kind, n, len + 1, false, &got), RSD_ERR_FORMAT);
	ck_assert_int_eq(unpack(kind, n, (uint64_t)1 << 40, false, &got), RSD_ERR_FORMAT);
	for (size_t cut = 0; cut < n; cut += 1 + n / 50)
		ck_assert_int_ne(unpack(kind, cut, len, false, &got), 0);
	for (size_t i = 0; i < 20; i++) {
		packed[(size_t)rand() % n] ^= 1 << rand() % 8;
		unpack(kind, n, len, true, &got);
		n = pack(kind, len);
	}
}
END_TEST

/* zstd makes 128 KiB of 4 bytes: more than a section of debug information can be worth. */
START_TEST(a_bomb_is_refused)
{
	size_t len = 500u << 20, room = ZSTD_compressBound(1 << 20), n = 0, got;
	unsigned char *zero = calloc(1, 1 << 20), *small = malloc(room), *out;
	ZSTD_CStream *z = ZSTD_createCStream();
	ZSTD_outBuffer to = { small, room, 0 };

	ZSTD_initCStream(z, 1);
	for (; n < len; n += 1 << 20) {
		ZSTD_inBuffer from = { zero, 1 << 20, 0 };

		while (from.pos < from.size)
			ck_assert(!ZSTD_isError(ZSTD_compressStream(z, &to, &from)));
	}
	while (ZSTD_endStream(z, &to) > 0)
		;
	ZSTD_freeCStream(z);
	ck_assert_int_eq(
		rsd_unpack(RSD_UNPACK_ZSTD, (struct rsd_bytes){ small, to.pos }, len, &out, &got),
		RSD_ERR_FORMAT);
	ck_assert_int_eq(
		rsd_unpack(RSD_UNPACK_ZSTD, (struct rsd_bytes){ small, to.pos }, 0, &out, &got),
		RSD_ERR_FORMAT);
	free(zero);
	free(small);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("unpack");
	TCase *tc = tcase_create("unpack");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, comes_back, 0, 6);
	tcase_add_test(tc, a_bomb_is_refused);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
