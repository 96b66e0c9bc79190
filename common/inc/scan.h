/*
 * scan.h - reads the line-oriented text of trace files, word by word
 *
 * A text is lines that end in '\n'. Words are separated by single or several
 * spaces; tabs at the start of a line are indentation. A quoted string
 * may hold any byte, escaped as rsd_scan_put_string writes it.
 *
 * The error is sticky: after the first one, which leaves "offset N: line L: what is
 * wrong" in 'why', everything reads as empty or 0 and there are no further lines.
 */
#ifndef RSD_SCAN_H
#define RSD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

struct rsd_scan {
	const char *text; /* borrowed, not 0-terminated */
	size_t len;
	size_t line, end; /* the current line, [line, end), without its '\n' */
	size_t pos;	  /* where reading stands in it */
	size_t next;	  /* start of the line after it */
	int err;
	struct rsd_buf *why; /* may be NULL */
};

/* Stands before the line at 'start', which rsd_scan_line then reads. */
void rsd_scan_init(
	struct rsd_scan *s, const char *text, size_t len, size_t start, struct rsd_buf *why);
/* The first error: 'fmt' goes to why, after the offset and line of the current position. Returns
 * RSD_ERR_FORMAT. */
int rsd_scan_fail(struct rsd_scan *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An error that is not the text's: RSD_ERR_NOMEM, or as it is. Returns s->err. */
int rsd_scan_error(struct rsd_scan *s, int err);

/* On to the next line; false at the end of the text, or in error (a last line without '\n' is one).
 */
bool rsd_scan_line(struct rsd_scan *s);
/* Does the line after this one start with at least 'tabs' tabs? */
bool rsd_scan_indented(const struct rsd_scan *s, int tabs);
/* Does it start, after its tabs, with 'word' and a space or its end? */
bool rsd_scan_next_is(const struct rsd_scan *s, const char *word);
/* True where the line has nothing more. */
bool rsd_scan_at_end(struct rsd_scan *s);
/* An error if it has. */
void rsd_scan_done(struct rsd_scan *s);

/* The next word and its length; NULL (and an error) where there is none. Borrowed. */
const char *rsd_scan_word(struct rsd_scan *s, size_t *len);
/* Reads 'word' if it is the next one. */
bool rsd_scan_take(struct rsd_scan *s, const char *word);
void rsd_scan_expect(struct rsd_scan *s, const char *word);
int64_t rsd_scan_int(struct rsd_scan *s, int64_t min, int64_t max);
uint64_t rsd_scan_uint(struct rsd_scan *s);
uint64_t rsd_scan_hex(struct rsd_scan *s);
/* A quoted string; 'out' is reset and filled. */
void rsd_scan_string(struct rsd_scan *s, struct rsd_buf *out);
/* A quoted string without 0 bytes as a C string, which the caller frees; NULL in error. */
char *rsd_scan_cstr(struct rsd_scan *s);

/* Whole-word number in p[0..len): true with *v set. Decimal, with '-' where signed. */
bool rsd_scan_parse_int(const char *p, size_t len, int64_t *v);
bool rsd_scan_parse_uint(const char *p, size_t len, int base, uint64_t *v);
/* Is it a name as C has them: letters, digits and '_', not starting with a digit? */
bool rsd_scan_is_name(const char *p, size_t len);

/*
 * Writes a quoted string: valid UTF-8 stands as it is, but for " and \ (with a
 * backslash before them), newline (\n), tab (\t), other control characters and stray bytes (\xHH).
 */
void rsd_scan_put_string(struct rsd_buf *out, const char *s, size_t len);
/* A text of a trace for people: without quotes, and with nothing in it that a terminal would obey. */
void rsd_scan_put_shown(struct rsd_buf *out, const char *s);

/* FNV-1a of 64 bits, the checksum of trace files: h starts as RSD_SUM_INIT. */
#define RSD_SUM_INIT 0xcbf29ce484222325u
static inline uint64_t rsd_sum(uint64_t h, const void *p, size_t len)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * 0x100000001b3u;
	return h;
}

#endif
