/* unpack.c - see unpack.h */
#include "unpack.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include "util.h"

/* zlib's best is 1032 to 1. What beats this is no debug information. */
#define RATIO_MAX 1100
#define ROOM_MIN ((size_t)1 << 16)
#define XZ_MEMORY ((uint64_t)256 << 20)

struct output {
	unsigned char *data;
	size_t len, alloc, max;
};

static int init_output(struct output *o, struct rsd_bytes in, uint64_t size)
{
	size_t max =
		in.len > SIZE_MAX / RATIO_MAX - ROOM_MIN ? SIZE_MAX : in.len * RATIO_MAX + ROOM_MIN;

	*o = (struct output){ .max = max };
	if (size > max)
		return RSD_ERR_FORMAT;
	/* Honest files say their size; it need not be found out by growing. */
	return size ? RSD_GROW(o->data, (size_t)size + 1, o->alloc) : 0;
}

/* Makes sure that there is room for more. */
static int more_room(struct output *o)
{
	if (o->len < o->alloc)
		return 0;
	if (o->len >= o->max)
		return RSD_ERR_FORMAT;
	return RSD_GROW(o->data, o->len + ROOM_MIN, o->alloc);
}

static int unpack_zlib(struct rsd_bytes in, struct output *o)
{
	z_stream z = { .next_in = (z_const Bytef *)in.data };
	size_t left = in.len;
	int rc = inflateInit(&z), err = rc == Z_OK ? 0 : RSD_ERR_NOMEM;

	while (!err && rc != Z_STREAM_END && !(err = more_room(o))) {
		uInt in_room = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
		uInt room = o->alloc - o->len > UINT32_MAX ? UINT32_MAX : (uInt)(o->alloc - o->len);

		z.next_out = o->data + o->len;
		z.avail_out = room;
		z.avail_in = in_room;
		rc = inflate(&z, Z_NO_FLUSH);
		left -= in_room - z.avail_in;
		o->len += room - z.avail_out;
		if (rc != Z_OK && rc != Z_STREAM_END)
			err = rc == Z_MEM_ERROR ? RSD_ERR_NOMEM : RSD_ERR_FORMAT;
	}
	inflateEnd(&z);
	return err;
}

static int unpack_zstd(struct rsd_bytes in, struct output *o)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer from = { in.data, in.len, 0 };
	size_t rc = 1;
	int err = z ? 0 : RSD_ERR_NOMEM;

	while (!err && rc != 0 && !(err = more_room(o))) {
		ZSTD_outBuffer to = { o->data + o->len, o->alloc - o->len, 0 };
		size_t before = from.pos;

		rc = ZSTD_decompressStream(z, &to, &from);
		o->len += to.pos;
		if (ZSTD_isError(rc) || (rc && from.pos == before && !to.pos))
			err = RSD_ERR_FORMAT;
	}
	ZSTD_freeDStream(z);
	return err;
}

static int unpack_xz(struct rsd_bytes in, struct output *o)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&z, XZ_MEMORY, 0);
	int err = rc == LZMA_OK ? 0 : RSD_ERR_NOMEM;

	z.next_in = in.data;
	z.avail_in = in.len;
	while (!err && rc != LZMA_STREAM_END && !(err = more_room(o))) {
		z.next_out = o->data + o->len;
		z.avail_out = o->alloc - o->len;
		rc = lzma_code(&z, LZMA_FINISH);
		o->len = o->alloc - z.avail_out;
		if (rc != LZMA_OK && rc != LZMA_STREAM_END)
			err = rc == LZMA_MEM_ERROR ? RSD_ERR_NOMEM : RSD_ERR_FORMAT;
	}
	lzma_end(&z);
	return err;
}

int rsd_unpack(enum rsd_unpack_kind kind, struct rsd_bytes in, uint64_t size, unsigned char **out,
	size_t *len)
{
	struct output o;
	int err = init_output(&o, in, size);

	if (!err && kind == RSD_UNPACK_ZLIB)
		err = unpack_zlib(in, &o);
	else if (!err && kind == RSD_UNPACK_ZSTD)
		err = unpack_zstd(in, &o);
	else if (!err)
		err = unpack_xz(in, &o);
	if (!err && size && o.len != size)
		err = RSD_ERR_FORMAT;
	if (err) {
		free(o.data);
		return err;
	}
	*out = o.data;
	*len = o.len;
	return 0;
}
