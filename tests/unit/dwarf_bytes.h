/*
 * dwarf_bytes.h - puts sections of debug information together, for the tests of tools/symbolize
 */
#ifndef RSD_TESTS_DWARF_BYTES_H
#define RSD_TESTS_DWARF_BYTES_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "dwarf.h"

/* A number of 'size' bytes, little-endian. */
static inline void put(struct rsd_buf *b, uint64_t v, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		rsd_buf_put_byte(b, (unsigned char)(v >> 8 * i));
}

static inline void put_bytes(struct rsd_buf *b, const char *hex)
{
	for (; hex[0] && hex[1]; hex += hex[2] == ' ' ? 3 : 2) {
		char two[3] = { hex[0], hex[1], 0 };

		rsd_buf_put_byte(b, (unsigned char)strtoul(two, NULL, 16));
	}
}

static inline void put_text(struct rsd_buf *b, const char *s)
{
	rsd_buf_put(b, s, strlen(s) + 1);
}

/* Writes the number of bytes after the 4 at 'at' into these. */
static inline void set_length(struct rsd_buf *b, size_t at)
{
	size_t len = b->len - at - 4;

	for (int i = 0; i < 4; i++)
		b->data[at + (size_t)i] = (unsigned char)(len >> 8 * i);
}

static inline struct rsd_bytes bytes_of(const struct rsd_buf *b)
{
	return (struct rsd_bytes){ b->data, b->len };
}

/* An exact copy on the heap, so that a sanitizer sees a read past its end. */
static inline struct rsd_bytes exact(const unsigned char *data, size_t len)
{
	unsigned char *p = malloc(len ? len : 1);

	ck_assert_ptr_nonnull(p);
	memcpy(p, data, len);
	return (struct rsd_bytes){ p, len };
}

static inline void put_uleb(struct rsd_buf *b, uint64_t v)
{
	rsd_buf_put_uint(b, v);
}

/* An abbreviation: code, tag, children; then its attributes, each a name and a form, until 0. */
static inline void put_abbrev(
	struct rsd_buf *b, uint64_t code, uint64_t tag, int children, const uint16_t *spec)
{
	put_uleb(b, code);
	put_uleb(b, tag);
	put(b, (uint64_t)children, 1);
	for (; *spec; spec += 2) {
		put_uleb(b, spec[0]);
		put_uleb(b, spec[1]);
	}
	put(b, 0, 2);
}

/* The head of a unit of version 4 with addresses of 8 bytes; its length is set by set_length(b, 0). */
static inline void put_unit(struct rsd_buf *b, uint64_t abbrev)
{
	put(b, 0, 4);
	put(b, 4, 2);
	put(b, abbrev, 4);
	put(b, 8, 1);
}

/* A wasm module, the plainest of object files: its head, then sections of any name. */
static inline void put_wasm(struct rsd_buf *b)
{
	put_bytes(b, "00 61 73 6d 01 00 00 00");
}

static inline void put_custom(struct rsd_buf *b, const char *name, const void *data, size_t len)
{
	size_t name_len = strlen(name);

	put(b, 0, 1);
	put_uleb(b, 1 + name_len + len);
	put(b, name_len, 1);
	rsd_buf_put(b, name, name_len);
	rsd_buf_put(b, data, len);
}

#endif
