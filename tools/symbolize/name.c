/* name.c - see name.h */
#include "name.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include "dwarf_const.h"
#include "rust.h"
#include "scope.h"
#include "util.h"

/* How far names are followed: from a copy to its origin to its declaration, and outwards through
 * functions that classes are local to. */
#define HOPS_MAX 16
#define DEPTH_MAX 8
/*
 * Longer names are left mangled, and those that unfold to more: a name of n bytes may stand for one of
 * 2^n, as each part of it may be twice the part before.
 */
#define MANGLED_MAX 4096
#define TEXT_MAX 65536

/*
 * The C++ runtime's demangler, given out piece by piece; it keeps all it needs on the stack and
 * bounds its own recursion. Its better known form, __cxa_demangle, takes memory without bound. 0: failed.
 */
extern int __gcclibcxx_demangle_callback(const char *mangled,
	void (*put)(const char *piece, size_t len, void *opaque), void *opaque);

void rsd_names_release(struct rsd_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->text[i]);
	free(n->text);
	rsd_map_release(&n->demangled);
}

/* Keeps 'text', which is malloced, also on failure freed. */
static const char *keep(struct rsd_names *n, char *text)
{
	if (!text)
		return NULL;
	if (RSD_GROW(n->text, n->nr + 1, n->alloc)) {
		free(text);
		return NULL;
	}
	n->text[n->nr++] = text;
	return text;
}

/* Rust's hash, 17 characters "h" and hex digits, is the last part of its older form's names. */
static bool ends_with_hash(const char *s, size_t len)
{
	if (len < 20 || strncmp(s + len - 19, "::h", 3) != 0)
		return false;
	for (size_t i = len - 16; i < len; i++) {
		if (!isxdigit((unsigned char)s[i]) || isupper((unsigned char)s[i]))
			return false;
	}
	return true;
}

/* Reads "$LT$" and the like at 's'; its length, or 0 where there is none. Puts what it means. */
static size_t rust_escape(const char *s, struct rsd_buf *out)
{
	static const struct {
		const char *escape, *text;
	} known[] = {
		{ "$SP$", "@" },
		{ "$BP$", "*" },
		{ "$RF$", "&" },
		{ "$LT$", "<" },
		{ "$GT$", ">" },
		{ "$LP$", "(" },
		{ "$RP$", ")" },
		{ "$C$", "," },
	};
	char *end;
	unsigned long c;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(known); i++) {
		size_t len = strlen(known[i].escape);

		if (strncmp(s, known[i].escape, len) != 0)
			continue;
		rsd_buf_put(out, known[i].text, strlen(known[i].text));
		return len;
	}
	if (s[0] != '$' || s[1] != 'u' || !isxdigit((unsigned char)s[2]))
		return 0;
	c = strtoul(s + 2, &end, 16);
	if (*end != '$' || c < 0x20 || c > 0x7e)
		return 0;
	rsd_buf_put_byte(out, (unsigned char)c);
	return (size_t)(end - s) + 1;
}

/* A name of Rust's older form, demangled as C++: without its hash, escapes undone. */
static char *rust_text(const char *s, size_t len)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool start = true;

	len -= 19;
	for (size_t i = 0; i < len;) {
		size_t used;

		/* An escape at the start of a part has an underscore before it. */
		if (start && s[i] == '_' && s[i + 1] == '$')
			i++;
		used = rust_escape(s + i, &out);
		start = i >= 1 && s[i] == ':' && s[i - 1] == ':';
		if (used) {
			i += used;
		} else if (s[i] == '.' && s[i + 1] == '.' && i + 1 < len) {
			rsd_buf_put(&out, "::", 2);
			i += 2;
		} else {
			rsd_buf_put_byte(&out, (unsigned char)s[i++]);
		}
	}
	rsd_buf_put_byte(&out, 0);
	if (out.err)
		rsd_buf_release(&out);
	return (char *)out.data;
}

/* gfortran's name of a module's procedure, __module_MOD_name; NULL where it is none. */
static char *fortran_text(const char *s)
{
	struct rsd_buf out = RSD_BUF_INIT;
	const char *mod = strncmp(s, "__", 2) == 0 ? strstr(s + 2, "_MOD_") : NULL;

	if (!mod || mod == s + 2 || !mod[5])
		return NULL;
	rsd_buf_printf(&out, "%.*s::%s", (int)(mod - s - 2), s + 2, mod + 5);
	rsd_buf_put_byte(&out, 0);
	if (out.err)
		rsd_buf_release(&out);
	return (char *)out.data;
}

struct unfolding {
	struct rsd_buf text;
	jmp_buf enough;
};

/* The demangler can't be told to stop; as it owns nothing, it can be left. */
static void put_piece(const char *piece, size_t len, void *opaque)
{
	struct unfolding *u = opaque;

	rsd_buf_put(&u->text, piece, len);
	if (u->text.err || u->text.len > TEXT_MAX)
		longjmp(u->enough, 1);
}

/* NULL where it is no mangled name, or stands for too long a one. */
static char *cxx_text(const char *s)
{
	struct unfolding u = { .text = RSD_BUF_INIT };

	if (strncmp(s, "_Z", 2) != 0 || strnlen(s, MANGLED_MAX) == MANGLED_MAX)
		return NULL;
	if (setjmp(u.enough) == 0 && __gcclibcxx_demangle_callback(s, put_piece, &u) == 0)
		rsd_buf_put_byte(&u.text, 0);
	else
		rsd_buf_release(&u.text);
	if (u.text.err)
		rsd_buf_release(&u.text);
	return (char *)u.text.data;
}

static char *demangle(const char *s)
{
	char *text = cxx_text(s), *rust;

	if (text && ends_with_hash(text, strlen(text))) {
		rust = rust_text(text, strlen(text));
		free(text);
		return rust;
	}
	if (!text)
		text = rsd_rust_demangle(s);
	return text ? text : fortran_text(s);
}

const char *rsd_demangle(struct rsd_names *n, const char *linkage)
{
	uint64_t *at = rsd_map_find(&n->demangled, (uintptr_t)linkage);
	const char *text;

	if (at)
		return (const char *)(uintptr_t)*at;
	text = keep(n, demangle(linkage));
	if (!text)
		text = linkage;
	if (rsd_map_set(&n->demangled, (uintptr_t)linkage, (uintptr_t)text))
		return NULL;
	return text;
}

/* ---- names from DIEs -------------------------------------------------------------------------- */
struct found {
	const char *name, *linkage;
	struct rsd_unit *unit; /* of the last DIE, whose place says what qualifies the name */
	uint64_t die;
};

/* Reads the names at one DIE; leaves the next one in *f, or returns false. */
static bool read_names(struct found *f)
{
	struct rsd_unit *u = f->unit, *to = NULL;
	struct rsd_cursor c = rsd_cursor_at(
		rsd_bytes_part(u->dwarf->section[RSD_DW_INFO], 0, u->end), f->die, u->dwarf->big);
	const struct rsd_abbrev *a = rsd_die_begin(&c, u);
	uint64_t die = 0;

	for (uint32_t i = 0; a && i < a->nr; i++) {
		const struct rsd_attr_spec *spec = &u->abbrevs->spec[a->first + i];
		struct rsd_value v;

		if (!rsd_value_read(&c, u, spec, &v))
			break;
		if (spec->name == DW_AT_name && !f->name)
			f->name = rsd_value_string(u, &v);
		else if ((spec->name == DW_AT_linkage_name ||
				 spec->name == DW_AT_MIPS_linkage_name) &&
			 !f->linkage)
			f->linkage = rsd_value_string(u, &v);
		else if (spec->name == DW_AT_abstract_origin || spec->name == DW_AT_specification)
			to = rsd_value_ref(u, &v, &die);
	}
	if (!to)
		return false;
	f->unit = to;
	f->die = die;
	return true;
}

static bool is_fortran(uint16_t language)
{
	return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
	       language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
	       language == DW_LANG_Fortran08 || language == DW_LANG_Fortran18;
}

static bool is_qualified(uint16_t language)
{
	return is_fortran(language) || language == DW_LANG_Rust ||
	       language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
	       language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
	       language == DW_LANG_C_plus_plus_17 || language == DW_LANG_C_plus_plus_20;
}

static int full_name(struct rsd_names *n, struct rsd_unit *u, uint64_t die, uint16_t language,
	int depth, struct rsd_buf *out);

/* What stands before the name of DIE 'die': the scopes around it, outermost first. */
static int put_scopes(struct rsd_names *n, struct rsd_unit *u, uint64_t die, uint16_t language,
	int depth, struct rsd_buf *out)
{
	const struct rsd_scope *scope[DEPTH_MAX * 4];
	const struct rsd_scopes *s = rsd_unit_scopes(u);
	size_t nr = 0, at = s ? rsd_scopes_around(s, die) : RSD_NO_SCOPE;
	int err = 0;

	while (at != RSD_NO_SCOPE && nr < RSD_ARRAY_SIZE(scope)) {
		scope[nr++] = &s->scope[at];
		at = s->scope[at].tag == DW_TAG_subprogram ? RSD_NO_SCOPE : s->scope[at].outer;
	}
	while (nr-- > 0 && !err) {
		const struct rsd_scope *sc = scope[nr];
		const char *name = sc->name;

		if (sc->tag == DW_TAG_subprogram) {
			err = full_name(n, u, sc->die, language, depth + 1, out);
			name = NULL;
		} else if (!name) {
			name = sc->tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
		}
		if (name)
			rsd_buf_put(out, name, strlen(name));
		rsd_buf_put(out, "::", 2);
	}
	return err;
}

/* Follows the DIE to its origins. */
static void find_names(struct found *f)
{
	for (int i = 0; i < HOPS_MAX && read_names(f); i++) {}
}

/* Appends the name for people of the function at 'die'; nothing where it has none. */
static int full_name(struct rsd_names *n, struct rsd_unit *u, uint64_t die, uint16_t language,
	int depth, struct rsd_buf *out)
{
	struct found f = { NULL, NULL, u, die };
	const char *text;
	bool rust_v0;

	find_names(&f);
	if (f.unit->language)
		language = f.unit->language;
	rust_v0 = f.linkage && strncmp(f.linkage, "_R", 2) == 0;
	if (f.linkage && !rust_v0 && !is_fortran(language) &&
		(!f.name || strncmp(f.linkage, "_Z", 2) == 0)) {
		text = rsd_demangle(n, f.linkage);
		if (!text)
			return RSD_ERR_NOMEM;
		rsd_buf_put(out, text, strlen(text));
		return 0;
	}
	if (!f.name)
		return 0;
	if (is_qualified(language) && depth < DEPTH_MAX &&
		put_scopes(n, f.unit, f.die, language, depth, out))
		return RSD_ERR_NOMEM;
	rsd_buf_put(out, f.name, strlen(f.name));
	return 0;
}

int rsd_function_names(struct rsd_names *n, struct rsd_unit *u, struct rsd_function *function)
{
	struct found f = { NULL, NULL, u, function->die };
	struct rsd_buf out = RSD_BUF_INIT;
	int err;

	if (function->named)
		return 0;
	find_names(&f);
	err = full_name(n, u, function->die, u->language, 0, &out);
	if (!err && out.len) {
		rsd_buf_put_byte(&out, 0);
		if (!out.err)
			function->name = keep(n, (char *)out.data);
		else
			rsd_buf_release(&out);
		err = function->name ? 0 : RSD_ERR_NOMEM;
	} else {
		rsd_buf_release(&out);
	}
	function->linkage = f.linkage ? f.linkage : f.name;
	function->named = !err;
	return err;
}
