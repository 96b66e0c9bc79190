/* rust.c - see rust.h */
#include "rust.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "buf.h"
#include "util.h"

/* Names may refer back to themselves: depth, and all that is done, have bounds. */
#define DEPTH_MAX 200
#define WORK_MAX 20000
#define TEXT_MAX 65536

struct rust {
	const char *s; /* behind "_R", which references count from */
	size_t len, pos;
	struct rsd_buf out;
	uint64_t bound; /* lifetimes that the binders around name */
	int depth, work;
	bool failed;
};

struct ident {
	uint64_t number; /* tells identifiers of one name apart */
	const char *name;
	size_t len;
	bool punycode;
};

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);
static void constant(struct rust *r);

static void fail(struct rust *r)
{
	r->failed = true;
	r->pos = r->len;
}

static void put(struct rust *r, const char *text)
{
	rsd_buf_put(&r->out, text, strlen(text));
	if (r->out.len > TEXT_MAX)
		fail(r);
}

static char peek(const struct rust *r)
{
	return r->pos < r->len ? r->s[r->pos] : '\0';
}

static char next(struct rust *r)
{
	if (++r->work > WORK_MAX || r->pos >= r->len) {
		fail(r);
		return '\0';
	}
	return r->s[r->pos++];
}

static bool eat(struct rust *r, char c)
{
	bool there = peek(r) == c && c;

	r->pos += there;
	return there;
}

static bool enter(struct rust *r)
{
	if (++r->depth > DEPTH_MAX)
		fail(r);
	return !r->failed;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static uint64_t base62(struct rust *r)
{
	uint64_t v = 0;

	if (eat(r, '_'))
		return 0;
	while (!r->failed) {
		char c = next(r);
		unsigned int digit;

		if (c == '_')
			return v < UINT64_MAX ? v + 1 : v;
		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'z')
			digit = 10 + (unsigned int)(c - 'a');
		else if (c >= 'A' && c <= 'Z')
			digit = 36 + (unsigned int)(c - 'A');
		else
			break;
		if (v > (UINT64_MAX - digit) / 62)
			break;
		v = v * 62 + digit;
	}
	fail(r);
	return 0;
}

/* 0 where the tag is not there. */
static uint64_t tagged(struct rust *r, char tag)
{
	uint64_t v;

	if (!eat(r, tag))
		return 0;
	v = base62(r);
	return v < UINT64_MAX ? v + 1 : v;
}

static struct ident identifier(struct rust *r)
{
	struct ident id = { .number = tagged(r, 's') };

	id.punycode = eat(r, 'u');
	if (!isdigit((unsigned char)peek(r)))
		fail(r);
	if (!eat(r, '0')) {
		while (isdigit((unsigned char)peek(r)) && id.len <= r->len)
			id.len = id.len * 10 + (size_t)(next(r) - '0');
	}
	eat(r, '_');
	if (r->failed || id.len > r->len - r->pos) {
		fail(r);
		return (struct ident){ .name = "" };
	}
	id.name = r->s + r->pos;
	r->pos += id.len;
	return id;
}

static void put_ident(struct rust *r, const struct ident *id)
{
	if (id->punycode)
		put(r, "punycode{");
	rsd_buf_put(&r->out, id->name, id->len);
	if (id->punycode)
		put(r, "}");
}

/* Where a reference leads, always back; what stands there is read in its place, then goes on at *after. */
static void go_back(struct rust *r, size_t *after)
{
	size_t start = r->pos - 1;
	uint64_t to = base62(r);

	*after = r->pos;
	if (r->failed || to >= start)
		fail(r);
	else
		r->pos = (size_t)to;
}

static void return_from(struct rust *r, size_t after)
{
	if (!r->failed)
		r->pos = after;
}

static void lifetime(struct rust *r, uint64_t v)
{
	uint64_t k = r->bound - v;

	if (!v)
		put(r, "'_");
	else if (v > r->bound)
		fail(r);
	else if (k < 26)
		rsd_buf_printf(&r->out, "'%c", (char)('a' + k));
	else
		rsd_buf_printf(&r->out, "'_%llu", (unsigned long long)k);
}

/* Names the lifetimes of a binder, "for<'a> "; their number, to be taken off r->bound after what is bound. */
static uint64_t open_binder(struct rust *r)
{
	uint64_t nr = tagged(r, 'G');

	if (nr > 100)
		fail(r);
	for (uint64_t i = 0; i < nr && !r->failed; i++) {
		put(r, i ? ", " : "for<");
		r->bound++;
		lifetime(r, 1);
	}
	if (nr)
		put(r, "> ");
	return r->failed ? 0 : nr;
}

static void argument(struct rust *r)
{
	if (eat(r, 'L'))
		lifetime(r, base62(r));
	else if (eat(r, 'K'))
		constant(r);
	else
		type(r);
}

/* Up to the closing E; how many there were. */
static size_t list(struct rust *r, void (*one)(struct rust *r), const char *between)
{
	size_t nr = 0;

	while (!r->failed && !eat(r, 'E')) {
		if (nr++)
			put(r, between);
		one(r);
	}
	return nr;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void nested(struct rust *r, bool in_value)
{
	char space = next(r);
	struct ident id;

	path(r, in_value);
	id = identifier(r);
	if (!isalpha((unsigned char)space))
		fail(r);
	if (islower((unsigned char)space)) {
		put(r, id.len ? "::" : "");
		put_ident(r, &id);
		return;
	}
	put(r, "::{");
	if (space == 'C' || space == 'S')
		put(r, space == 'C' ? "closure" : "shim");
	else
		rsd_buf_put_byte(&r->out, (unsigned char)space);
	put(r, id.len ? ":" : "");
	put_ident(r, &id);
	rsd_buf_printf(&r->out, "#%llu}", (unsigned long long)id.number);
}

/* An implementation's own path says no more than its type. */
static void pass_by_impl(struct rust *r)
{
	size_t len = r->out.len;

	tagged(r, 's');
	path(r, false);
	r->out.len = len;
}

static void implementation(struct rust *r, char kind)
{
	if (kind != 'Y')
		pass_by_impl(r);
	put(r, "<");
	type(r);
	if (kind != 'M') {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

static void path(struct rust *r, bool in_value)
{
	struct ident id;
	size_t after;
	char c = next(r);

	if (!enter(r))
		return;
	if (c == 'C') {
		id = identifier(r);
		put_ident(r, &id);
	} else if (c == 'N') {
		nested(r, in_value);
	} else if (c == 'M' || c == 'X' || c == 'Y') {
		implementation(r, c);
	} else if (c == 'I') {
		path(r, in_value);
		put(r, in_value ? "::<" : "<");
		list(r, argument, ", ");
		put(r, ">");
	} else if (c == 'B') {
		go_back(r, &after);
		path(r, in_value);
		return_from(r, after);
	} else {
		fail(r);
	}
	r->depth--;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const char *basic(char c)
{
	static const char *const name[26] = { "i8", "bool", "char", "f64", "str", "f32", NULL, "u8",
		"isize", "usize", NULL, "i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16",
		"()", "...", NULL, "i64", "u64", "!" };

	return c >= 'a' && c <= 'z' ? name[c - 'a'] : NULL;
}

static void function_type(struct rust *r)
{
	uint64_t bound = open_binder(r);
	struct ident abi;

	if (eat(r, 'U'))
		put(r, "unsafe ");
	if (eat(r, 'K')) {
		put(r, "extern \"");
		if (eat(r, 'C')) {
			put(r, "C");
		} else {
			abi = identifier(r);
			for (size_t i = 0; i < abi.len; i++)
				rsd_buf_put_byte(&r->out,
					abi.name[i] == '_' ? '-' : (unsigned char)abi.name[i]);
		}
		put(r, "\" ");
	}
	put(r, "fn(");
	list(r, type, ", ");
	put(r, ")");
	if (!eat(r, 'u')) {
		put(r, " -> ");
		type(r);
	}
	r->bound -= bound;
}

/* A path whose generic arguments may get more behind them; are they open? */
static bool open_path(struct rust *r)
{
	bool open = false;
	size_t after;

	if (!enter(r))
		return false;
	if (eat(r, 'B')) {
		go_back(r, &after);
		open = open_path(r);
		return_from(r, after);
	} else if (eat(r, 'I')) {
		path(r, false);
		put(r, "<");
		list(r, argument, ", ");
		open = true;
	} else {
		path(r, false);
	}
	r->depth--;
	return open;
}

static void dyn_trait(struct rust *r)
{
	bool open = open_path(r);
	struct ident id;

	while (eat(r, 'p')) {
		put(r, open ? ", " : "<");
		open = true;
		id = identifier(r);
		put_ident(r, &id);
		put(r, " = ");
		type(r);
	}
	if (open)
		put(r, ">");
}

static void dyn_type(struct rust *r)
{
	uint64_t bound, v;

	put(r, "dyn ");
	bound = open_binder(r);
	list(r, dyn_trait, " + ");
	r->bound -= bound;
	if (!eat(r, 'L'))
		fail(r);
	v = base62(r);
	if (v) {
		put(r, " + ");
		lifetime(r, v);
	}
}

static void reference(struct rust *r, char kind)
{
	uint64_t v = eat(r, 'L') ? base62(r) : 0;

	put(r, "&");
	if (v) {
		lifetime(r, v);
		put(r, " ");
	}
	put(r, kind == 'Q' ? "mut " : "");
	type(r);
}

/* Of the types that begin with a capital; false where it is a path. */
static bool composed(struct rust *r, char c)
{
	size_t after;

	if (c == 'R' || c == 'Q') {
		reference(r, c);
	} else if (c == 'P' || c == 'O') {
		put(r, c == 'P' ? "*const " : "*mut ");
		type(r);
	} else if (c == 'A' || c == 'S') {
		put(r, "[");
		type(r);
		if (c == 'A') {
			put(r, "; ");
			constant(r);
		}
		put(r, "]");
	} else if (c == 'T') {
		put(r, "(");
		put(r, list(r, type, ", ") == 1 ? ",)" : ")");
	} else if (c == 'F') {
		function_type(r);
	} else if (c == 'D') {
		dyn_type(r);
	} else if (c == 'B') {
		go_back(r, &after);
		type(r);
		return_from(r, after);
	} else {
		return false;
	}
	return true;
}

static void type(struct rust *r)
{
	char c = next(r);
	const char *name = basic(c);

	if (!enter(r))
		return;
	if (name) {
		put(r, name);
	} else if (!composed(r, c) && !r->failed) {
		r->pos--;
		path(r, false);
	}
	r->depth--;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Hexadecimal digits up to '_': what they say, or, where that is too large, as they are. */
static bool hex(struct rust *r, uint64_t *v, const char **digits, size_t *len)
{
	*digits = r->s + r->pos;
	*v = 0;
	for (*len = 0; !eat(r, '_'); ++*len) {
		char c = next(r);

		if (!isxdigit((unsigned char)c) || isupper((unsigned char)c))
			fail(r);
		if (r->failed)
			return false;
		*v = *v << 4 | (uint64_t)(isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

static void put_char(struct rust *r, uint64_t v)
{
	if (v == '\'' || v == '\\')
		rsd_buf_printf(&r->out, "'\\%c'", (char)v);
	else if (v >= 0x20 && v < 0x7f)
		rsd_buf_printf(&r->out, "'%c'", (char)v);
	else
		rsd_buf_printf(&r->out, "'\\u{%llx}'", (unsigned long long)v);
}

static void number(struct rust *r, char kind)
{
	const char *digits;
	uint64_t v;
	size_t len;

	if (strchr("aslxni", kind) && eat(r, 'n'))
		put(r, "-");
	if (!hex(r, &v, &digits, &len))
		return;
	if (kind == 'b' && v > 1)
		fail(r);
	else if (kind == 'b')
		put(r, v ? "true" : "false");
	else if (kind == 'c')
		put_char(r, v);
	else if (len <= 16)
		rsd_buf_printf(&r->out, "%llu", (unsigned long long)v);
	else
		rsd_buf_printf(&r->out, "0x%.*s", (int)len, digits);
}

static void constant(struct rust *r)
{
	char c = next(r);
	size_t after;

	if (!enter(r))
		return;
	if (c == 'B') {
		go_back(r, &after);
		constant(r);
		return_from(r, after);
	} else if (c == 'p') {
		put(r, "_");
	} else if (strchr("htmyojaslxnibc", c)) {
		number(r, c);
	} else {
		fail(r); /* of types that are not stable yet */
	}
	r->depth--;
}

char *rsd_rust_demangle(const char *mangled)
{
	struct rust r = { .out = RSD_BUF_INIT };
	size_t len;

	if (strncmp(mangled, "_R", 2) != 0 || !isupper((unsigned char)mangled[2]))
		return NULL;
	r.s = mangled + 2;
	r.len = strcspn(r.s, ".$");
	path(&r, true);
	len = r.out.len;
	if (!r.failed && r.pos < r.len)
		path(&r, false); /* the crate that it was made for */
	r.out.len = r.failed ? 0 : len;
	rsd_buf_put_byte(&r.out, 0);
	if (!r.failed && r.pos == r.len && !r.out.err)
		return (char *)r.out.data;
	rsd_buf_release(&r.out);
	return NULL;
}
