/* format.c - see format.h */
#include "format_texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ascii.h"
#include "scan.h"
#include "util.h"

static void put(struct rsd_buf *out, const char *s)
{
	rsd_buf_put(out, s, strlen(s));
}

/* ---- numbers and strings -------------------------------------------------------- */

/* Length of the valid UTF-8 sequence at 's' of more than one byte, or 0. No overlong forms, no
 * surrogates, and not the control characters U+0080 to U+009F, which terminals obey. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t len;
	uint32_t c, least;

	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2, c = s[0] & 0x1f, least = 0xa0;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3, c = s[0] & 0x0f, least = 0x800;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4, c = s[0] & 0x07, least = 0x10000;
	else
		return 0;
	if (left < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c >= least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? len : 0;
}

static void put_escaped(unsigned char c, enum rsd_style style, struct rsd_buf *out)
{
	static const char short_form[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (const char *p = short_form; *p; p += 2) {
		if ((unsigned char)*p == c) {
			rsd_buf_put_byte(out, '\\');
			rsd_buf_put_byte(out, (unsigned char)p[1]);
			return;
		}
	}
	if (style == RSD_STYLE_TEXT)
		rsd_buf_printf(out, "\\x%02x", c);
	else
		rsd_buf_printf(out, "\\u%s%02x", c >= 0x80 ? "dc" : "00", c);
}

void rsd_format_string(const char *s, size_t len, enum rsd_style style, struct rsd_buf *out)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i = 0;

	rsd_buf_put_byte(out, '"');
	while (i < len) {
		size_t from = i, more;

		while (i < len && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
			i++;
		while (i < len && (more = utf8_length(p + i, len - i)) > 0)
			i += more;
		if (i > from)
			rsd_buf_put(out, p + from, i - from);
		else
			put_escaped(p[i++], style, out);
	}
	rsd_buf_put_byte(out, '"');
}

/* ---- what is prepared ------------------------------------------------------------- */

static struct rsd_text prepared(struct rsd_format *f, size_t from)
{
	return (struct rsd_text){ from, f->bytes.len - from };
}

/* Modules are shown by file name unless another one has it, too. */
static int name_modules(struct rsd_format *f)
{
	const struct rsd_sigs *s = &f->t->sigs;

	struct rsd_strings names = { .str = NULL };
	size_t *nr = rsd_calloc(s->nr_modules + 1, sizeof(*nr)); /* of modules, by name */
	int id, err = 0;

	f->module = rsd_calloc(s->nr_modules + 1, sizeof(*f->module));
	if (!f->module || !nr)
		err = RSD_ERR_NOMEM;
	for (size_t i = 0; i < s->nr_modules && !err; i++) {
		f->module[i] = rsd_base_name(s->module[i].path);
		id = rsd_strings_intern(&names, f->module[i], strlen(f->module[i]));
		if (id < 0)
			err = id;
		else
			nr[id]++;
	}
	for (size_t i = 0; i < s->nr_modules && !err; i++) {
		id = rsd_strings_intern(&names, f->module[i], strlen(f->module[i]));
		if (nr[id] > 1)
			f->module[i] = s->module[i].path;
	}
	rsd_strings_release(&names);
	free(nr);
	return err;
}

static int prepare_funcs(struct rsd_format *f)
{
	f->func = rsd_calloc(f->t->nr_funcs + 1, sizeof(*f->func));
	if (!f->func)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < f->t->nr_funcs; i++) {
		const struct rsd_func *fn = &f->t->func[i];
		struct rsd_func_text *x = &f->func[i];
		size_t from = f->bytes.len;

		put(&f->bytes, "\"call\":");
		rsd_format_string(fn->name, strlen(fn->name), RSD_STYLE_JSON, &f->bytes);
		put(&f->bytes, ",\"args\":{");
		x->call = prepared(f, from);
		x->param = rsd_calloc((size_t)fn->nr_params + 1, sizeof(*x->param));
		if (!x->param)
			return RSD_ERR_NOMEM;
		x->nr_old = rsd_func_nr_old(fn);
		for (int k = 0; k < fn->nr_params; k++) {
			const char *name =
				fn->param[k].name + (k < x->nr_old ? strlen(RSD_OLD) : 0);

			from = f->bytes.len;
			rsd_format_string(name, strlen(name), RSD_STYLE_JSON, &f->bytes);
			rsd_buf_put_byte(&f->bytes, ':');
			x->param[k] = prepared(f, from);
		}
	}
	return 0;
}

/* What values of this role are numbers of, or NULL: handles as in the ascii format, and two that it leaves bare. */
static const char *handle_word(enum rsd_role role)
{
	if (role == RSD_R_FUNCTION)
		return "function";
	return role == RSD_R_BUFFER ? "buffer" : rsd_ascii_handle(role);
}

static void prepare_words(struct rsd_format *f)
{
	for (int role = 0; role < RSD_NR_ROLES; role++) {
		const char *word = handle_word((enum rsd_role)role);
		size_t from = f->bytes.len;

		if (!word)
			continue;
		rsd_buf_put_byte(&f->bytes, '"');
		put(&f->bytes, word);
		f->word[role] = prepared(f, from);
	}
}

static int prepare_constants(struct rsd_format *f)
{
	f->constant = rsd_calloc(f->t->nr_constants + 1, sizeof(*f->constant));
	if (!f->constant)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < f->t->nr_constants; i++) {
		const char *name = rsd_format_constant(f->t, RSD_CONST(i));
		size_t from = f->bytes.len;

		rsd_format_string(name, strlen(name), RSD_STYLE_JSON, &f->bytes);
		f->constant[i] = prepared(f, from);
	}
	return 0;
}

static int prepare_sites(struct rsd_format *f)
{
	free(f->site);
	f->site = rsd_calloc(f->t->sigs.nr_sigs + 1, sizeof(*f->site));
	if (!f->site)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < f->t->sigs.nr_sigs; i++) {
		size_t from = f->bytes.len;

		if (f->t->sigs.sig[i].nr == 0)
			continue;
		put(&f->bytes, ",\"site\":");
		rsd_format_site(f, (int)i, RSD_STYLE_JSON, &f->bytes);
		f->site[i] = prepared(f, from);
	}
	return 0;
}

static void forget_said(struct rsd_format *f)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(f->said); i++)
		f->said[i].func = -1;
}

struct rsd_format *rsd_format_new(const struct rsd_trace *t)
{
	struct rsd_format *f = rsd_calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->t = t;
	forget_said(f);
	prepare_words(f);
	if (name_modules(f) || prepare_funcs(f) || prepare_constants(f) || prepare_sites(f) ||
		f->bytes.err) {
		rsd_format_free(f);
		return NULL;
	}
	return f;
}

int rsd_format_set_sources(struct rsd_format *f, const struct rsd_sources *s)
{
	f->sources = s;
	forget_said(f);
	return prepare_sites(f) || f->bytes.err ? RSD_ERR_NOMEM : 0;
}

struct rsd_format *rsd_format_open(
	const struct rsd_trace *t, const struct rsd_source_options *o, struct rsd_sources **sources)
{
	struct rsd_format *f = rsd_format_new(t);

	*sources = NULL;
	if (!f || !o->wanted)
		return f;
	*sources = rsd_sources_new(t, o);
	if (*sources && !rsd_format_set_sources(f, *sources))
		return f;
	rsd_format_free(f);
	rsd_sources_free(*sources);
	*sources = NULL;
	return NULL;
}

void rsd_format_free(struct rsd_format *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->func && i < f->t->nr_funcs; i++)
		free(f->func[i].param);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(f->said); i++) {
		free(f->said[i].val);
		free(f->said[i].piece);
		rsd_buf_release(&f->said[i].text);
	}
	free(f->func);
	free(f->constant);
	free(f->site);
	free(f->module);
	rsd_buf_release(&f->bytes);
	rsd_buf_release(&f->matched);
	rsd_buf_release(&f->before);
	free(f);
}

/* ---- single values ------------------------------------------------------------------ */

const char *rsd_format_constant(const struct rsd_trace *t, int64_t v)
{
	size_t i = (size_t)rsd_const_index(v);

	if (i == 0)
		return "absent";
	return i < t->nr_constants && t->constant[i] ? t->constant[i] : "unknown";
}

static void put_handle(
	const struct rsd_format *f, int role, int64_t v, enum rsd_style style, struct rsd_buf *out)
{
	struct rsd_text word = f->word[role];
	size_t skip = style == RSD_STYLE_JSON ? 0 : 1; /* the quotation mark */
	bool slot = role != RSD_R_REQUEST && role != RSD_R_BUFFER;
	bool foreign = role == RSD_R_REQUEST && rsd_is_foreign(v);

	if (role == RSD_R_REQUEST && v < 0) {
		put(out, &"\"persistent"[skip]);
		v = -1 - v;
		slot = true;
	} else {
		/* Another thread's has no sign. */
		rsd_buf_put(out, f->bytes.data + word.at + skip, word.len - skip - foreign);
	}
	if (foreign)
		rsd_ascii_foreign(v, out);
	else if (slot && v >= 0)
		rsd_ascii_slot(v, out);
	else
		rsd_buf_put_decimal(out, v);
	if (style == RSD_STYLE_JSON)
		rsd_buf_put_byte(out, '"');
}

void rsd_format_value(
	const struct rsd_format *f, int role, int64_t v, enum rsd_style style, struct rsd_buf *out)
{
	if (rsd_is_const(v)) {
		size_t i = (size_t)rsd_const_index(v);

		if (style == RSD_STYLE_TEXT)
			put(out, rsd_format_constant(f->t, v));
		else if (i < f->t->nr_constants)
			rsd_text_put(f, f->constant[i], out);
		else
			put(out, "\"unknown\"");
	} else if (role == RSD_R_STRING) {
		const struct rsd_strings *s = &f->t->strings;

		if (v >= 0 && (uint64_t)v < s->nr)
			rsd_format_string(s->str[v].s, s->str[v].len, style, out);
		else
			put(out, style == RSD_STYLE_JSON ? "null" : "?");
	} else if (rsd_format_is_handle(f, role)) {
		put_handle(f, role, v, style, out);
	} else {
		rsd_buf_put_decimal(out, v);
	}
}

/* ---- call sites ------------------------------------------------------------------------ */

static const struct rsd_frame *frames(const struct rsd_format *f, int sig, size_t *nr)
{
	const struct rsd_sigs *s = &f->t->sigs;

	*nr = 0;
	if (sig < 0 || (size_t)sig >= s->nr_sigs)
		return NULL;
	*nr = s->sig[sig].nr;
	return s->frame + s->sig[sig].first;
}

static void put_frame(const struct rsd_format *f, const struct rsd_frame *fr, struct rsd_buf *out)
{
	if (fr->module >= 0 && (size_t)fr->module < f->t->sigs.nr_modules)
		rsd_scan_put_shown(out, f->module[fr->module]);
	rsd_buf_printf(out, "+0x%" PRIx64, fr->offset);
}

/* FILE:LINE in FUNCTION; where there is no line, MODULE+OFFSET in FUNCTION. */
static void put_text_source(const struct rsd_format *format, const struct rsd_frame *at,
	const struct rsd_source *s, struct rsd_buf *out)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_source_frame *f = &s->frame[i];
		const char *function = f->function ? f->function : "?";

		if (i) {
			put(out, " <- ");
			rsd_scan_put_shown(out, function);
			rsd_buf_put_byte(out, ' ');
		}
		if (!i && !f->line) {
			put_frame(format, at, out);
		} else {
			rsd_scan_put_shown(out, f->file ? rsd_base_name(f->file) : "?");
			rsd_buf_printf(out, ":%" PRIu32, f->line);
		}
		if (!i) {
			put(out, " in ");
			rsd_scan_put_shown(out, function);
		}
	}
}

static void put_json_text(const char *key, const char *s, struct rsd_buf *out)
{
	rsd_buf_printf(out, "\"%s\":", key);
	if (s)
		rsd_format_string(s, strlen(s), RSD_STYLE_JSON, out);
	else
		put(out, "null");
}

static void put_json_source(const struct rsd_source_frame *f, struct rsd_buf *out)
{
	put_json_text("file", f->file, out);
	rsd_buf_printf(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32 ",", f->line, f->column);
	put_json_text("function", f->function, out);
}

/* Without a line there is the function alone. */
static void put_json_sources(const struct rsd_source *s, struct rsd_buf *out)
{
	rsd_buf_put_byte(out, ',');
	if (!s->frame[0].line) {
		put_json_text("function", s->frame[0].function, out);
		return;
	}
	put_json_source(&s->frame[0], out);
	put(out, ",\"inlined\":[");
	for (size_t i = 1; i < s->nr; i++) {
		put(out, i > 1 ? ",{" : "{");
		put_json_source(&s->frame[i], out);
		rsd_buf_put_byte(out, '}');
	}
	rsd_buf_put_byte(out, ']');
}

/* A frame as text, or as an object; its source line where that is known. */
static void put_place(const struct rsd_format *f, const struct rsd_frame *fr, enum rsd_style style,
	struct rsd_buf *out)
{
	const struct rsd_source *source = rsd_sources_frame(f->sources, fr);

	if (style == RSD_STYLE_TEXT) {
		if (source)
			put_text_source(f, fr, source, out);
		else
			put_frame(f, fr, out);
		return;
	}
	put(out, "{\"module\":");
	if (fr->module >= 0 && (size_t)fr->module < f->t->sigs.nr_modules)
		rsd_format_string(f->module[fr->module], strlen(f->module[fr->module]), style, out);
	else
		put(out, "null");
	rsd_buf_printf(out, ",\"offset\":\"0x%" PRIx64 "\"", fr->offset);
	if (source)
		put_json_sources(source, out);
	rsd_buf_put_byte(out, '}');
}

bool rsd_format_site(const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out)
{
	size_t nr;
	const struct rsd_frame *fr = frames(f, sig, &nr);

	if (nr)
		put_place(f, fr, style, out);
	return nr > 0;
}

void rsd_format_frame(
	const struct rsd_format *f, const struct rsd_frame *frame, struct rsd_buf *out)
{
	put_frame(f, frame, out);
}

bool rsd_format_stack(
	const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out)
{
	struct rsd_buf one = RSD_BUF_INIT;
	bool json = style == RSD_STYLE_JSON;
	size_t nr;
	const struct rsd_frame *fr = frames(f, sig, &nr);

	if (!nr)
		return false;
	put(out, json ? "[" : "");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			put(out, json ? "," : f->sources ? " < " : "_");
		if (f->sources || !json) {
			put_place(f, &fr[i], style, out);
			continue;
		}
		rsd_buf_reset(&one);
		put_frame(f, &fr[i], &one);
		rsd_format_string((const char *)one.data, one.len, style, out);
	}
	put(out, json ? "]" : "");
	rsd_buf_release(&one);
	return true;
}
