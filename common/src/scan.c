#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"
#include "util.h"

void rsd_scan_init(
	struct rsd_scan *s, const char *text, size_t len, size_t start, struct rsd_buf *why)
{
	*s = (struct rsd_scan){ .text = text,
		.len = len,
		.line = start,
		.end = start,
		.pos = start,
		.next = start,
		.why = why };
}

/* Of where reading stands, from 1 on. */
static size_t line_number(const struct rsd_scan *s)
{
	size_t nr = 1;

	for (size_t i = 0; i < s->pos && i < s->len; i++)
		nr += s->text[i] == '\n';
	return nr;
}

int rsd_scan_fail(struct rsd_scan *s, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (s->err)
		return s->err;
	s->err = RSD_ERR_FORMAT;
	if (s->why) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		rsd_buf_printf(s->why, "offset %zu: line %zu: %s", s->pos, line_number(s), text);
	}
	return s->err;
}

int rsd_scan_error(struct rsd_scan *s, int err)
{
	if (!s->err && err) {
		rsd_scan_fail(s, "%s", rsd_strerror(err));
		s->err = err;
	}
	return s->err;
}

bool rsd_scan_line(struct rsd_scan *s)
{
	const char *nl;

	if (s->err || s->next >= s->len)
		return false;
	s->line = s->pos = s->next;
	nl = memchr(s->text + s->line, '\n', s->len - s->line);
	if (!nl) {
		rsd_scan_fail(s, "the text is cut off: its last line has no end");
		return false;
	}
	s->end = (size_t)(nl - s->text);
	s->next = s->end + 1;
	while (s->pos < s->end && s->text[s->pos] == '\t')
		s->pos++;
	return true;
}

bool rsd_scan_indented(const struct rsd_scan *s, int tabs)
{
	if (s->err || s->len - s->next < (size_t)tabs)
		return false;
	for (int i = 0; i < tabs; i++)
		if (s->text[s->next + (size_t)i] != '\t')
			return false;
	return true;
}

bool rsd_scan_next_is(const struct rsd_scan *s, const char *word)
{
	size_t i = s->next, len = strlen(word);

	while (i < s->len && s->text[i] == '\t')
		i++;
	return !s->err && s->len - i > len && !memcmp(s->text + i, word, len) &&
	       (s->text[i + len] == ' ' || s->text[i + len] == '\n');
}

bool rsd_scan_at_end(struct rsd_scan *s)
{
	if (s->err)
		return true;
	while (s->pos < s->end && s->text[s->pos] == ' ')
		s->pos++;
	return s->pos >= s->end;
}

void rsd_scan_done(struct rsd_scan *s)
{
	if (!rsd_scan_at_end(s))
		rsd_scan_fail(s, "more on the line than expected");
}

/* The next word without reading it. */
static const char *peek(struct rsd_scan *s, size_t *len)
{
	size_t i;

	*len = 0;
	if (rsd_scan_at_end(s))
		return NULL;
	for (i = s->pos; i < s->end && s->text[i] != ' '; i++)
		;
	*len = i - s->pos;
	return s->text + s->pos;
}

const char *rsd_scan_word(struct rsd_scan *s, size_t *len)
{
	const char *w = peek(s, len);

	if (!w)
		rsd_scan_fail(s, "the line ends too early");
	else
		s->pos += *len;
	return w;
}

bool rsd_scan_take(struct rsd_scan *s, const char *word)
{
	size_t len;
	const char *w = peek(s, &len);

	if (!w || len != strlen(word) || memcmp(w, word, len))
		return false;
	s->pos += len;
	return true;
}

void rsd_scan_expect(struct rsd_scan *s, const char *word)
{
	if (!rsd_scan_take(s, word))
		rsd_scan_fail(s, "'%s' expected", word);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 99;
}

bool rsd_scan_parse_uint(const char *p, size_t len, int base, uint64_t *v)
{
	uint64_t n = 0, b = (uint64_t)base;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		uint64_t d = (uint64_t)digit(p[i]);

		if (d >= b || n > (UINT64_MAX - d) / b)
			return false;
		n = n * b + d;
	}
	*v = n;
	return true;
}

bool rsd_scan_parse_int(const char *p, size_t len, int64_t *v)
{
	bool neg = len && p[0] == '-';
	uint64_t n;

	if (!rsd_scan_parse_uint(p + neg, len - neg, 10, &n) || n > (uint64_t)INT64_MAX + neg)
		return false;
	*v = neg ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

int64_t rsd_scan_int(struct rsd_scan *s, int64_t min, int64_t max)
{
	size_t len;
	const char *w = rsd_scan_word(s, &len);
	int64_t v;

	if (!w)
		return 0;
	if (!rsd_scan_parse_int(w, len, &v) || v < min || v > max) {
		s->pos -= len;
		rsd_scan_fail(
			s, "a number of %lld to %lld expected", (long long)min, (long long)max);
		return 0;
	}
	return v;
}

static uint64_t scan_unsigned(struct rsd_scan *s, int base)
{
	size_t len;
	const char *w = rsd_scan_word(s, &len);
	uint64_t v;

	if (!w)
		return 0;
	if (!rsd_scan_parse_uint(w, len, base, &v)) {
		s->pos -= len;
		rsd_scan_fail(s, "a%s number expected", base == 16 ? " hexadecimal" : "");
		return 0;
	}
	return v;
}

uint64_t rsd_scan_uint(struct rsd_scan *s)
{
	return scan_unsigned(s, 10);
}

uint64_t rsd_scan_hex(struct rsd_scan *s)
{
	return scan_unsigned(s, 16);
}

/* The byte after a backslash at s->pos - 1; -1 in error. */
static int unescape(struct rsd_scan *s)
{
	char c = s->pos < s->end ? s->text[s->pos++] : 0;
	uint64_t v;

	switch (c) {
	case '\\':
	case '"':
		return c;
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
		if (s->end - s->pos >= 2 && rsd_scan_parse_uint(s->text + s->pos, 2, 16, &v)) {
			s->pos += 2;
			return (int)v;
		}
	}
	rsd_scan_fail(s, "unknown escape in a string");
	return -1;
}

void rsd_scan_string(struct rsd_scan *s, struct rsd_buf *out)
{
	rsd_buf_reset(out);
	if (rsd_scan_at_end(s) || s->text[s->pos] != '"') {
		rsd_scan_fail(s, "a quoted string expected");
		return;
	}
	s->pos++;
	while (s->pos < s->end && s->text[s->pos] != '"') {
		int c = (unsigned char)s->text[s->pos++];

		if (c == '\\')
			c = unescape(s);
		if (c < 0)
			return;
		rsd_buf_put_byte(out, (unsigned char)c);
	}
	if (s->pos >= s->end)
		rsd_scan_fail(s, "a string without its closing quote");
	else
		s->pos++;
	rsd_scan_error(s, out->err);
}

char *rsd_scan_cstr(struct rsd_scan *s)
{
	struct rsd_buf b = RSD_BUF_INIT;
	char *copy = NULL;

	rsd_scan_string(s, &b);
	if (!s->err && b.len && memchr(b.data, 0, b.len))
		rsd_scan_fail(s, "a zero byte where none may be");
	if (!s->err) {
		copy = rsd_strndup(b.len ? (char *)b.data : "", b.len);
		if (!copy)
			rsd_scan_error(s, RSD_ERR_NOMEM);
	}
	rsd_buf_release(&b);
	return copy;
}

bool rsd_scan_is_name(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool letter =
			(p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_';

		if (!letter && !(i && p[i] >= '0' && p[i] <= '9'))
			return false;
	}
	return len > 0;
}

/*
 * Length of the valid UTF-8 sequence at p, of at most 'len' bytes; 0 where it is none, or one of the
 * control characters U+0080 to U+009F: terminals obey them.
 */
static size_t utf8_sequence(const unsigned char *p, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0xa0, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	uint32_t c;

	if (n <= 1)
		return n;
	if (n > len || p[0] > 0xf4)
		return 0;
	c = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

static void put_escaped(struct rsd_buf *out, const char *s, size_t len, bool quoted)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_sequence(p + i, len - i);
		if (quoted && (p[i] == '"' || p[i] == '\\'))
			rsd_buf_printf(out, "\\%c", p[i]);
		else if (p[i] == '\n' || p[i] == '\t')
			rsd_buf_put(out, p[i] == '\n' ? "\\n" : "\\t", 2);
		else if (!n || p[i] < 0x20 || p[i] == 0x7f)
			rsd_buf_printf(out, "\\x%02x", p[i]);
		else
			rsd_buf_put(out, p + i, n);
	}
}

void rsd_scan_put_string(struct rsd_buf *out, const char *s, size_t len)
{
	rsd_buf_put_byte(out, '"');
	put_escaped(out, s, len, true);
	rsd_buf_put_byte(out, '"');
}

void rsd_scan_put_shown(struct rsd_buf *out, const char *s)
{
	put_escaped(out, s, strlen(s), false);
}
