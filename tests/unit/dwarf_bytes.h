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

#endif
