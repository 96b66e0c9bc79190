/*
 * cursor.h - reads numbers and strings of either byte order out of a window of bytes
 *
 * Every read is checked. The error is sticky: after the first read past the end all give 0, and
 * nothing is left, so that loops until the end stop.
 */
#ifndef RSD_SYMBOLIZE_CURSOR_H
#define RSD_SYMBOLIZE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rsd_bytes {
	const unsigned char *data; /* borrowed */
	size_t len;
};

struct rsd_cursor {
	const unsigned char *data;
	size_t len, pos;
	bool big, err;
};

/* Over 'b', standing at 'pos'; in error where that is past the end. */
static inline struct rsd_cursor rsd_cursor_at(struct rsd_bytes b, uint64_t pos, bool big)
{
	static const unsigned char nothing[1];
	bool err = pos > b.len;

	return (struct rsd_cursor){ b.data ? b.data : nothing, b.len, err ? b.len : (size_t)pos,
		big, err };
}

static inline size_t rsd_cursor_left(const struct rsd_cursor *c)
{
	return c->len - c->pos;
}

static inline void rsd_cursor_fail(struct rsd_cursor *c)
{
	c->err = true;
	c->pos = c->len;
}

static inline void rsd_cursor_skip(struct rsd_cursor *c, uint64_t len)
{
	if (len > rsd_cursor_left(c))
		rsd_cursor_fail(c);
	else
		c->pos += (size_t)len;
}

/* The part of 'b' that begins at 'start' and has 'len' bytes, cut off at the end of 'b'. */
static inline struct rsd_bytes rsd_bytes_part(struct rsd_bytes b, uint64_t start, uint64_t len)
{
	if (!b.data || start > b.len)
		return (struct rsd_bytes){ NULL, 0 };
	if (len > b.len - start)
		len = b.len - start;
	return (struct rsd_bytes){ b.data + start, (size_t)len };
}

static inline uint8_t rsd_cursor_u8(struct rsd_cursor *c)
{
	if (c->pos < c->len)
		return c->data[c->pos++];
	c->err = true;
	return 0;
}

/* A number of 'size' bytes, 0 to 8. */
static inline uint64_t rsd_cursor_uint(struct rsd_cursor *c, unsigned int size)
{
	const unsigned char *p = c->data + c->pos;
	uint64_t v = 0;

	if (size > 8 || size > rsd_cursor_left(c)) {
		rsd_cursor_fail(c);
		return 0;
	}
	c->pos += size;
	if (c->big) {
		for (unsigned int i = 0; i < size; i++)
			v = v << 8 | p[i];
	} else {
		for (unsigned int i = size; i-- > 0;)
			v = v << 8 | p[i];
	}
	return v;
}

/* LEB128; bits beyond 64 are dropped. */
static inline uint64_t rsd_cursor_uleb(struct rsd_cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; c->pos < c->len; shift += 7) {
		unsigned char b = c->data[c->pos++];

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
	c->err = true;
	return 0;
}

static inline int64_t rsd_cursor_sleb(struct rsd_cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; c->pos < c->len;) {
		unsigned char b = c->data[c->pos++];

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (b < 0x80) {
			if (b & 0x40 && shift < 64)
				v |= ~(uint64_t)0 << shift;
			return (int64_t)v;
		}
	}
	c->err = true;
	return 0;
}

static inline void rsd_cursor_skip_leb(struct rsd_cursor *c)
{
	while (c->pos < c->len) {
		if (c->data[c->pos++] < 0x80)
			return;
	}
	c->err = true;
}

/* A 0-terminated string in place; NULL, in error, where it has no end. */
static inline const char *rsd_cursor_str(struct rsd_cursor *c)
{
	const unsigned char *s = c->data + c->pos;
	const unsigned char *end = rsd_cursor_left(c) ? memchr(s, 0, rsd_cursor_left(c)) : NULL;

	if (!end) {
		rsd_cursor_fail(c);
		return NULL;
	}
	c->pos += (size_t)(end - s) + 1;
	return (const char *)s;
}

/* 'len' bytes in place; none, in error, where there are fewer. */
static inline struct rsd_bytes rsd_cursor_bytes(struct rsd_cursor *c, uint64_t len)
{
	struct rsd_bytes b = { c->data + c->pos, (size_t)len };

	if (len > rsd_cursor_left(c)) {
		rsd_cursor_fail(c);
		return (struct rsd_bytes){ NULL, 0 };
	}
	c->pos += (size_t)len;
	return b;
}

/*
 * DWARF's initial length: leaves the unit's length in bytes from here, and whether its offsets have
 * 8 bytes.
 */
static inline uint64_t rsd_cursor_initial_length(struct rsd_cursor *c, bool *is64)
{
	uint64_t len = rsd_cursor_uint(c, 4);

	*is64 = len == 0xffffffff;
	if (*is64)
		return rsd_cursor_uint(c, 8);
	if (len >= 0xfffffff0)
		rsd_cursor_fail(c);
	return len;
}

/* The string at 'offset' of a string section; NULL where there is none. */
static inline const char *rsd_bytes_str(struct rsd_bytes b, uint64_t offset)
{
	struct rsd_cursor c = rsd_cursor_at(b, offset, false);

	return c.err ? NULL : rsd_cursor_str(&c);
}

#endif
