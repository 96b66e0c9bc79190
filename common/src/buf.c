#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "coder.h"
#include "util.h"

void rsd_buf_release(struct rsd_buf *b)
{
	free(b->data);
	*b = (struct rsd_buf)RSD_BUF_INIT;
}

void rsd_buf_reset(struct rsd_buf *b)
{
	b->len = 0;
	b->err = 0;
}

/* Room for 'len' more bytes? Sets the sticky error otherwise. */
static int reserve(struct rsd_buf *b, size_t len)
{
	if (b->err)
		return b->err;
	if (len <= b->alloc - b->len)
		return 0;
	if (len > RSD_ALLOC_MAX)
		b->err = RSD_ERR_NOMEM;
	else
		b->err = RSD_GROW(b->data, b->len + len, b->alloc);
	return b->err;
}

void rsd_buf_put_more(struct rsd_buf *b, const void *p, size_t len)
{
	if (!len || reserve(b, len))
		return;
	memcpy(b->data + b->len, p, len);
	b->len += len;
	for (size_t i = 0; b->coder && i < len; i++)
		rsd_coder_byte(b->coder, ((const unsigned char *)p)[i]);
}

void rsd_buf_put_uint(struct rsd_buf *b, uint64_t v)
{
	if (reserve(b, 10))
		return;
	if (b->coder)
		rsd_coder_number(b->coder, v);
	while (v >= 0x80) {
		b->data[b->len++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	b->data[b->len++] = (unsigned char)v;
}

void rsd_buf_put_int(struct rsd_buf *b, int64_t v)
{
	rsd_buf_put_uint(b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void rsd_buf_put_str(struct rsd_buf *b, const char *s, size_t len)
{
	rsd_buf_field(b, RSD_FIELD_TEXT_LEN, 0);
	rsd_buf_put_uint(b, len);
	rsd_buf_field(b, RSD_FIELD_TEXT, 0);
	rsd_buf_put(b, s, len);
}

/* Two digits at a time: most of what digits take is divisions. */
static const char pairs[] = "0001020304050607080910111213141516171819"
			    "2021222324252627282930313233343536373839"
			    "4041424344454647484950515253545556575859"
			    "6061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

void rsd_buf_put_decimal(struct rsd_buf *out, int64_t v)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (v >= 0 && v < 10) {
		rsd_buf_put_byte(out, (unsigned char)('0' + v));
		return;
	}
	for (; u >= 100; u /= 100)
		memcpy(p -= 2, &pairs[2 * (u % 100)], 2);
	if (u >= 10)
		memcpy(p -= 2, &pairs[2 * u], 2);
	else
		*--p = (char)('0' + u);
	if (v < 0)
		*--p = '-';
	rsd_buf_put(out, p, (size_t)(digits + sizeof(digits) - p));
}

void rsd_buf_put_digits(struct rsd_buf *out, uint32_t v, int nr)
{
	char digits[10];

	rsd_assert(nr > 0 && nr <= (int)sizeof(digits));
	for (int i = nr; i > 0; i -= 2, v /= 100) {
		if (i > 1)
			memcpy(&digits[i - 2], &pairs[2 * (v % 100)], 2);
		else
			digits[0] = (char)('0' + v % 10);
	}
	rsd_buf_put(out, digits, (size_t)nr);
}

void rsd_buf_put_seconds(struct rsd_buf *out, uint64_t ns)
{
	rsd_buf_put_decimal(out, (int64_t)(ns / 1000000000));
	rsd_buf_put_byte(out, '.');
	rsd_buf_put_digits(out, (uint32_t)(ns % 1000000000), 9);
}

void rsd_buf_printf(struct rsd_buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (reserve(b, 64))
		return;
	va_start(ap, fmt);
	len = vsnprintf((char *)b->data + b->len, b->alloc - b->len, fmt, ap);
	va_end(ap);
	if (len < 0 || reserve(b, (size_t)len + 1)) {
		b->err = RSD_ERR_NOMEM;
		return;
	}
	va_start(ap, fmt);
	vsnprintf((char *)b->data + b->len, b->alloc - b->len, fmt, ap);
	va_end(ap);
	b->len += (size_t)len;
}

void rsd_reader_init(struct rsd_reader *r, const void *data, size_t len)
{
	*r = (struct rsd_reader){ .data = data, .len = len, .room = rsd_reader_room(len) };
}

/* The number, or byte, that the model has next, as bytes where a reader finds them. */
static uint64_t decode(struct rsd_reader *r, bool byte)
{
	uint64_t v = byte ? rsd_coder_byte(r->coder, 0) : rsd_coder_number(r->coder, 0), rest = v;
	unsigned char *data = (unsigned char *)r->data;

	do {
		if (r->pos >= r->len) {
			r->err = RSD_ERR_FORMAT;
			return 0;
		}
		data[r->pos++] = (unsigned char)(byte || rest < 0x80 ? rest : rest | 0x80);
		rest >>= byte ? 8 : 7;
	} while (rest);
	return v;
}

unsigned char rsd_reader_byte(struct rsd_reader *r)
{
	if (r->err)
		return 0;
	if (r->coder)
		return (unsigned char)decode(r, true);
	if (r->pos >= r->len) {
		r->err = RSD_ERR_FORMAT;
		return 0;
	}
	return r->data[r->pos++];
}

uint64_t rsd_reader_uint_more(struct rsd_reader *r)
{
	const unsigned char *p = r->data + r->pos, *end = r->data + r->len;
	uint64_t v = 0;

	if (r->err)
		return 0;
	if (r->coder)
		return decode(r, false);
	for (int shift = 0; shift < 64 && p < end; shift += 7) {
		unsigned char c = *p++;

		if (shift == 63 && c > 1)
			break; /* more than 64 bits */
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			r->pos = (size_t)(p - r->data);
			return v;
		}
	}
	r->pos = (size_t)(p - r->data);
	r->err = RSD_ERR_FORMAT;
	return 0;
}

int64_t rsd_reader_int(struct rsd_reader *r)
{
	uint64_t v = rsd_reader_uint(r);

	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

const unsigned char *rsd_reader_bytes(struct rsd_reader *r, size_t len)
{
	const unsigned char *p;

	if (r->err)
		return NULL;
	if (len > r->len - r->pos) {
		r->err = RSD_ERR_FORMAT;
		return NULL;
	}
	p = r->data + r->pos;
	for (size_t i = 0; r->coder && i < len; i++)
		decode(r, true);
	r->pos += r->coder ? 0 : len;
	return p;
}

const char *rsd_reader_str(struct rsd_reader *r, size_t *len)
{
	const unsigned char *p;

	rsd_reader_field(r, RSD_FIELD_TEXT_LEN, 0);
	*len = rsd_reader_count(r, 1);
	rsd_reader_field(r, RSD_FIELD_TEXT, 0);
	p = rsd_reader_bytes(r, *len);
	return (const char *)p;
}

char *rsd_reader_cstr(struct rsd_reader *r)
{
	size_t len;
	const char *s = rsd_reader_str(r, &len);
	char *copy = NULL;

	if (!r->err && memchr(s, 0, len))
		r->err = RSD_ERR_FORMAT;
	if (!r->err && !(copy = rsd_strndup(s, len)))
		r->err = RSD_ERR_NOMEM;
	return copy;
}

size_t rsd_reader_count(struct rsd_reader *r, size_t min_len)
{
	uint64_t nr = rsd_reader_uint(r);

	if (r->err)
		return 0;
	if (nr > (r->len - r->pos) / (min_len ? min_len : 1)) {
		r->err = RSD_ERR_FORMAT;
		return 0;
	}
	return (size_t)nr;
}
