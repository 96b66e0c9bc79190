/*
 * buf.h - byte buffer with varints; every read is bounds-checked
 *
 * Both directions keep a sticky error: a sequence of puts or gets is checked
 * once, at its end. After an error puts do nothing and gets return 0.
 */
#ifndef RSD_BUF_H
#define RSD_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rsd_buf { /* a growing buffer to write to; owns 'data' */
	unsigned char *data;
	size_t len, alloc;
	int err;	 /* 0 or RSD_ERR_NOMEM */
	size_t unfolded; /* runs of sets that were written in brackets (rank_sections.c), resets and all */
	struct rsd_coder *coder; /* what is put is coded, too (coder.h); borrowed; NULL mostly */
};
#define RSD_BUF_PLAIN SIZE_MAX /* as 'unfolded': no such brackets */
#define RSD_BUF_INIT ((struct rsd_buf){ NULL, 0, 0, 0, 0, NULL })

void rsd_buf_release(struct rsd_buf *b);
void rsd_buf_reset(struct rsd_buf *b); /* empty, memory kept, error cleared */
void rsd_buf_put_more(struct rsd_buf *b, const void *p, size_t len); /* rsd_buf_put, the long way */
/* Texts are made of many short pieces: what fits is copied here. */
static inline void rsd_buf_put(struct rsd_buf *b, const void *p, size_t len)
{
	if (b->err || b->coder || !len || len > b->alloc - b->len) {
		rsd_buf_put_more(b, p, len);
		return;
	}
	memcpy(b->data + b->len, p, len);
	b->len += len;
}
static inline void rsd_buf_put_byte(struct rsd_buf *b, unsigned char c)
{
	if (b->err || b->coder || b->len == b->alloc) {
		rsd_buf_put_more(b, &c, 1);
		return;
	}
	b->data[b->len++] = c;
}
void rsd_buf_put_uint(struct rsd_buf *b, uint64_t v);		    /* LEB128 */
void rsd_buf_put_int(struct rsd_buf *b, int64_t v);		    /* zigzag, then LEB128 */
void rsd_buf_put_str(struct rsd_buf *b, const char *s, size_t len); /* length, bytes */
/* As digits; what printf's %lld gives, several times as fast. */
void rsd_buf_put_decimal(struct rsd_buf *out, int64_t v);
/* The last 'nr' (1 to 10) digits, zeros in front. */
void rsd_buf_put_digits(struct rsd_buf *out, uint32_t v, int nr);
/* As seconds with nine decimals. The decimal point is one whatever the locale of the program is, other than printf's. */
void rsd_buf_put_seconds(struct rsd_buf *out, uint64_t ns);
void rsd_buf_printf(struct rsd_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct rsd_reader { /* a window to read from; borrows the bytes */
	const unsigned char *data;
	size_t len, pos;
	int err;     /* 0 or RSD_ERR_FORMAT */
	size_t room; /* how many runs of sets may still come out of brackets */
	/*
	 * Or NULL. With it (coder.h) what is got is decoded, and written to 'data', 'len' bytes of the caller's,
	 * as it is got: bytes that rsd_buf_put() and the like put with a model, to be got in the same way.
	 */
	struct rsd_coder *coder;
};
/* What 'room' is for so many bytes: a few of them can't ask for any amount of memory. */
static inline size_t rsd_reader_room(size_t len)
{
	return 65536 + 4 * len;
}

void rsd_reader_init(struct rsd_reader *r, const void *data, size_t len);
uint64_t rsd_reader_uint_more(struct rsd_reader *r); /* rsd_reader_uint, the long way */
/* Most numbers are a byte. */
static inline uint64_t rsd_reader_uint(struct rsd_reader *r)
{
	if (!r->coder && !r->err && r->pos < r->len && r->data[r->pos] < 0x80)
		return r->data[r->pos++];
	return rsd_reader_uint_more(r);
}
int64_t rsd_reader_int(struct rsd_reader *r);
unsigned char rsd_reader_byte(struct rsd_reader *r);
/* 'len' bytes in place, or NULL with the error set; borrowed from the reader's bytes. */
const unsigned char *rsd_reader_bytes(struct rsd_reader *r, size_t len);
/* A string as rsd_buf_put_str wrote it; not 0-terminated; borrowed. */
const char *rsd_reader_str(struct rsd_reader *r, size_t *len);
/* A string without zero bytes, as a C string (freed by the caller); NULL with the error set otherwise. */
char *rsd_reader_cstr(struct rsd_reader *r);
/*
 * A count of things that take at least 'min_len' bytes each: an error when the
 * rest of the bytes could not hold them, so that a hostile count allocates nothing.
 */
size_t rsd_reader_count(struct rsd_reader *r, size_t min_len);

#endif
