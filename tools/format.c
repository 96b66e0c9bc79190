/* format.c - see format.h */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

struct text {
	size_t at, len;
}; /* a piece of rsd_format.bytes */

struct func_text {
	struct text call;   /* "call":"MPI_Send","args":{ */
	struct text *param; /* "count": */
};

struct rsd_format {
	const struct rsd_trace *t;
	struct rsd_buf bytes; /* all prepared texts */
	struct func_text *func;
	struct text *constant;	/* quoted names */
	struct text *site;	/* "site":{...}; empty where there is none */
	const char **module;	/* name to show; borrowed from the trace */
	struct rsd_buf matched; /* scratch: what wildcards matched in the event being written */
};

static void put(struct rsd_buf *out, const char *s)
{
	rsd_buf_put(out, s, strlen(s));
}

/* ---- numbers and strings -------------------------------------------------------- */

void rsd_format_int(int64_t v, struct rsd_buf *out)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		*--p = '-';
	rsd_buf_put(out, p, (size_t)(digits + sizeof(digits) - p));
}

void rsd_format_seconds(uint64_t ns, struct rsd_buf *out)
{
	char frac[10];
	uint64_t rest = ns % 1000000000;

	rsd_format_int((int64_t)(ns / 1000000000), out);
	frac[0] = '.';
	for (int i = 9; i > 0; i--) {
		frac[i] = (char)('0' + rest % 10);
		rest /= 10;
	}
	rsd_buf_put(out, frac, sizeof(frac));
}

/* Length of the valid UTF-8 sequence at 's' of more than one byte, or 0. No overlong forms, no
 * surrogates. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t len;
	uint32_t c, least;

	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2, c = s[0] & 0x1f, least = 0x80;
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

static struct text prepared(struct rsd_format *f, size_t from)
{
	return (struct text){from, f->bytes.len - from};
}

static void put_text(const struct rsd_format *f, struct text x, struct rsd_buf *out)
{
	rsd_buf_put(out, f->bytes.data + x.at, x.len);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Modules are shown by file name unless another one has it, too. */
static int name_modules(struct rsd_format *f)
{
	const struct rsd_sigs *s = &f->t->sigs;

	f->module = rsd_calloc(s->nr_modules + 1, sizeof(*f->module));
	if (!f->module)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < s->nr_modules; i++) {
		const char *name = base_name(s->module[i].path);

		f->module[i] = name;
		for (size_t j = 0; j < s->nr_modules; j++)
			if (j != i && strcmp(base_name(s->module[j].path), name) == 0)
				f->module[i] = s->module[i].path;
	}
	return 0;
}

static int prepare_funcs(struct rsd_format *f)
{
	f->func = rsd_calloc(f->t->nr_funcs + 1, sizeof(*f->func));
	if (!f->func)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < f->t->nr_funcs; i++) {
		const struct rsd_func *fn = &f->t->func[i];
		struct func_text *x = &f->func[i];
		size_t from = f->bytes.len;

		put(&f->bytes, "\"call\":");
		rsd_format_string(fn->name, strlen(fn->name), RSD_STYLE_JSON, &f->bytes);
		put(&f->bytes, ",\"args\":{");
		x->call = prepared(f, from);
		x->param = rsd_calloc((size_t)fn->nr_params + 1, sizeof(*x->param));
		if (!x->param)
			return RSD_ERR_NOMEM;
		for (int k = 0; k < fn->nr_params; k++) {
			const char *name = fn->param[k].name;

			from = f->bytes.len;
			rsd_format_string(name, strlen(name), RSD_STYLE_JSON, &f->bytes);
			rsd_buf_put_byte(&f->bytes, ':');
			x->param[k] = prepared(f, from);
		}
	}
	return 0;
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

struct rsd_format *rsd_format_new(const struct rsd_trace *t)
{
	struct rsd_format *f = rsd_calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->t = t;
	if (name_modules(f) || prepare_funcs(f) || prepare_constants(f) || prepare_sites(f) ||
		f->bytes.err) {
		rsd_format_free(f);
		return NULL;
	}
	return f;
}

void rsd_format_free(struct rsd_format *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->func && i < f->t->nr_funcs; i++)
		free(f->func[i].param);
	free(f->func);
	free(f->constant);
	free(f->site);
	free(f->module);
	rsd_buf_release(&f->bytes);
	rsd_buf_release(&f->matched);
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

static const char *const handle_word[RSD_NR_ROLES] = {
	[RSD_R_COMM] = "comm",
	[RSD_R_DATATYPE] = "type",
	[RSD_R_REQUEST] = "request-",
	[RSD_R_OP] = "op",
	[RSD_R_GROUP] = "group",
	[RSD_R_WIN] = "win",
	[RSD_R_FILE] = "file",
	[RSD_R_INFO] = "info",
	[RSD_R_ERRHANDLER] = "errhandler",
	[RSD_R_MESSAGE] = "message",
	[RSD_R_SESSION] = "session",
	[RSD_R_KEYVAL] = "keyval",
	[RSD_R_FUNCTION] = "function",
	[RSD_R_BUFFER] = "buffer",
};

static void put_handle(int role, int64_t v, enum rsd_style style, struct rsd_buf *out)
{
	const char *word = handle_word[role];

	if (role == RSD_R_REQUEST && v < 0) {
		word = "persistent";
		v = -1 - v;
	}
	if (style == RSD_STYLE_JSON)
		rsd_buf_put_byte(out, '"');
	put(out, word);
	rsd_format_int(v, out);
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
			put_text(f, f->constant[i], out);
		else
			put(out, "\"unknown\"");
	} else if (role == RSD_R_STRING) {
		const struct rsd_strings *s = &f->t->strings;

		if (v >= 0 && (uint64_t)v < s->nr)
			rsd_format_string(s->str[v].s, s->str[v].len, style, out);
		else
			put(out, style == RSD_STYLE_JSON ? "null" : "?");
	} else if (role >= 0 && role < RSD_NR_ROLES && handle_word[role]) {
		put_handle(role, v, style, out);
	} else {
		rsd_format_int(v, out);
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
		put(out, f->module[fr->module]);
	rsd_buf_printf(out, "+0x%" PRIx64, fr->offset);
}

bool rsd_format_site(const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out)
{
	size_t nr;
	const struct rsd_frame *fr = frames(f, sig, &nr);

	if (!nr)
		return false;
	if (style == RSD_STYLE_TEXT) {
		put_frame(f, fr, out);
		return true;
	}
	put(out, "{\"module\":");
	if (fr->module >= 0 && (size_t)fr->module < f->t->sigs.nr_modules)
		rsd_format_string(f->module[fr->module], strlen(f->module[fr->module]), style, out);
	else
		put(out, "null");
	rsd_buf_printf(out, ",\"offset\":\"0x%" PRIx64 "\"}", fr->offset);
	return true;
}

bool rsd_format_stack(
	const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out)
{
	struct rsd_buf one = RSD_BUF_INIT;
	size_t nr;
	const struct rsd_frame *fr = frames(f, sig, &nr);

	if (!nr)
		return false;
	if (style == RSD_STYLE_JSON)
		rsd_buf_put_byte(out, '[');
	for (size_t i = 0; i < nr; i++) {
		if (i)
			rsd_buf_put_byte(out, style == RSD_STYLE_JSON ? ',' : '_');
		rsd_buf_reset(&one);
		put_frame(f, &fr[i], &one);
		if (style == RSD_STYLE_JSON)
			rsd_format_string((const char *)one.data, one.len, style, out);
		else
			rsd_buf_put(out, one.data, one.len);
	}
	if (style == RSD_STYLE_JSON)
		rsd_buf_put_byte(out, ']');
	rsd_buf_release(&one);
	return true;
}

/* ---- events -------------------------------------------------------------------------------- */

struct vector { /* the event's values that are still to come */
	const int64_t *v;
	size_t left;
};

static int64_t take(struct vector *in)
{
	if (!in->left)
		return RSD_ABSENT;
	in->left--;
	return *in->v++;
}

/* How many elements follow; the walk has checked them, a damaged count must still not run away. */
static size_t take_length(struct vector *in, int64_t n)
{
	if (rsd_is_const(n) || n < 0)
		return 0;
	return (uint64_t)n > in->left ? in->left : (size_t)n;
}

/* A status that follows its kind: {"source":1,"tag":5}; what has no value is left out. */
static void put_status(
	const struct rsd_format *f, struct vector *in, enum rsd_style style, struct rsd_buf *out)
{
	static const struct {
		const char *name;
		int role;
	} field[] = {
		{"source", RSD_R_PEER},
		{"tag", RSD_R_TAG},
		{"error", RSD_R_ERROR},
	};
	bool first = true;

	rsd_buf_put_byte(out, '{');
	for (size_t i = 0; i < RSD_ARRAY_SIZE(field); i++) {
		int64_t v = take(in);

		if (v == RSD_ABSENT)
			continue;
		if (!first)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		first = false;
		if (style == RSD_STYLE_JSON)
			rsd_buf_printf(out, "\"%s\":", field[i].name);
		else
			rsd_buf_printf(out, "%s=", field[i].name);
		rsd_format_value(f, field[i].role, v, style, out);
	}
	rsd_buf_put_byte(out, '}');
}

static void put_quoted(const char *s, enum rsd_style style, struct rsd_buf *out)
{
	rsd_buf_printf(out, style == RSD_STYLE_JSON ? "\"%s\"" : "%s", s);
}

static void skip_status(struct vector *in, int64_t kind)
{
	if (kind == RSD_STATUS_KEPT || kind == RSD_STATUS_MATCHED)
		for (int i = 0; i < 3; i++)
			take(in);
}

/* The statuses of a call, 'n' of them, or (n < 0) a single one. Takes the vector up to their end.
 */
static void put_statuses(struct rsd_format *f, struct vector *in, int64_t n, enum rsd_style style,
	struct rsd_buf *out)
{
	struct vector look = *in;
	bool ignored = false, kept = false, matched = false;
	size_t nr = n < 0 ? 1 : take_length(in, n);

	for (size_t i = 0; i < nr; i++) {
		int64_t kind = take(&look);

		kept |= kind == RSD_STATUS_KEPT;
		matched |= kind == RSD_STATUS_MATCHED;
		ignored |= kind == RSD_STATUS_IGNORED || kind == RSD_STATUS_MATCHED;
		skip_status(&look, kind);
	}
	if (ignored && !kept)
		put_quoted(n < 0 ? "MPI_STATUS_IGNORE" : "MPI_STATUSES_IGNORE", style, out);
	else if (n >= 0)
		rsd_buf_put_byte(out, '[');
	if (matched && n >= 0)
		rsd_buf_put_byte(&f->matched, '[');
	for (size_t i = 0; i < nr; i++) {
		int64_t kind = take(in);

		if (i && kept)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		if (i && matched)
			put(&f->matched, style == RSD_STYLE_JSON ? "," : ", ");
		if (kind == RSD_STATUS_KEPT)
			put_status(f, in, style, out);
		else if (kept)
			put(out, style == RSD_STYLE_JSON ? "null" : "-");
		if (kind == RSD_STATUS_MATCHED)
			put_status(f, in, style, &f->matched);
		else if (matched)
			put(&f->matched, style == RSD_STYLE_JSON ? "null" : "-");
	}
	if (n >= 0 && (kept || !ignored))
		rsd_buf_put_byte(out, ']');
	if (matched && n >= 0)
		rsd_buf_put_byte(&f->matched, ']');
}

/* Is the parameter that begins at 'in' significant in this call? */
static bool is_present(const struct rsd_param *p, struct vector in)
{
	int64_t v = take(&in);

	if (p->type == RSD_T_STATUS)
		return v != RSD_STATUS_ABSENT;
	if (p->type == RSD_T_STATUSES && !rsd_is_const(v) && v > 0) {
		for (size_t n = take_length(&in, v); n > 0; n--)
			if (take(&in) != RSD_STATUS_ABSENT)
				return true;
		return false;
	}
	if (p->role == RSD_R_BUFFER && p->type == RSD_T_INT)
		return rsd_is_const(v) && v != RSD_ABSENT;
	return v != RSD_ABSENT;
}

static void skip_param(const struct rsd_param *p, struct vector *in)
{
	int64_t v = take(in);

	if (p->type == RSD_T_STATUSES)
		for (size_t n = take_length(in, v); n > 0; n--)
			skip_status(in, take(in));
}

static void put_array(struct rsd_format *f, const struct rsd_param *p, struct vector *in,
	enum rsd_style style, struct rsd_buf *out)
{
	int64_t n = take(in);

	if (rsd_is_const(n)) {
		rsd_format_value(f, RSD_R_INT, n, style, out);
		return;
	}
	rsd_buf_put_byte(out, '[');
	for (size_t i = take_length(in, n); i > 0; i--) {
		int64_t v = take(in);

		if (v == RSD_ABSENT)
			put(out, style == RSD_STYLE_JSON ? "null" : "-");
		else
			rsd_format_value(f, p->role, v, style, out);
		if (i > 1)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
	}
	rsd_buf_put_byte(out, ']');
}

static void put_param(struct rsd_format *f, const struct rsd_param *p, struct vector *in,
	enum rsd_style style, struct rsd_buf *out)
{
	int64_t n;

	switch ((enum rsd_type)p->type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		rsd_format_value(f, p->role, take(in), style, out);
		break;
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		put_array(f, p, in, style, out);
		break;
	case RSD_T_STATUS:
		put_statuses(f, in, -1, style, out);
		break;
	case RSD_T_STATUSES:
		n = take(in);
		if (rsd_is_const(n))
			rsd_format_value(f, RSD_R_INT, n, style, out);
		else
			put_statuses(f, in, n < 0 ? 0 : n, style, out);
		break;
	case RSD_NR_TYPES:
		break;
	}
}

static void put_params(struct rsd_format *f, const struct rsd_event *e, struct vector *in,
	enum rsd_style style, struct rsd_buf *out)
{
	const struct rsd_func *fn = &f->t->func[e->func];
	bool first = true;

	rsd_buf_reset(&f->matched);
	for (int i = 0; i < fn->nr_params; i++) {
		const struct rsd_param *p = &fn->param[i];

		if (!is_present(p, *in)) {
			skip_param(p, in);
			continue;
		}
		if (!first)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		first = false;
		if (style == RSD_STYLE_JSON)
			put_text(f, f->func[e->func].param[i], out);
		else
			rsd_buf_printf(out, "%s=", p->name);
		put_param(f, p, in, style, out);
	}
}

static uint64_t to_ns(double seconds)
{
	return seconds > 0 && seconds < 9e9 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

static void put_json_event(
	struct rsd_format *f, const struct rsd_event *e, bool stack, struct rsd_buf *out)
{
	struct vector in = {e->val, e->nr_val};
	int64_t error;

	put(out, "{\"rank\":");
	rsd_format_int(e->rank, out);
	put(out, ",\"thread\":");
	rsd_format_int(e->thread % RSD_AFTER, out);
	rsd_buf_put_byte(out, ',');
	put_text(f, f->func[e->func].call, out);
	put_params(f, e, &in, RSD_STYLE_JSON, out);
	rsd_buf_put_byte(out, '}');
	if (e->sig >= 0 && (size_t)e->sig < f->t->sigs.nr_sigs)
		put_text(f, f->site[e->sig], out);
	if (stack && e->sig >= 0 && f->site[e->sig].len) {
		put(out, ",\"stack\":");
		rsd_format_stack(f, e->sig, RSD_STYLE_JSON, out);
	}
	error = take(&in);
	if (error != 0 && error != RSD_ABSENT) {
		put(out, ",\"error\":");
		rsd_format_value(f, RSD_R_ERROR, error, RSD_STYLE_JSON, out);
	}
	if (e->nested)
		rsd_buf_printf(out, ",\"nested\":%d", e->nested);
	if (f->matched.len) {
		put(out, ",\"matched\":");
		rsd_buf_put(out, f->matched.data, f->matched.len);
	}
	if (e->has_time) {
		put(out, ",\"t\":");
		rsd_format_seconds(to_ns(e->t), out);
		put(out, ",\"dur\":");
		rsd_format_seconds(to_ns(e->dur), out);
	}
	rsd_buf_put_byte(out, '}');
}

static void put_text_event(
	struct rsd_format *f, const struct rsd_event *e, bool stack, struct rsd_buf *out)
{
	struct vector in = {e->val, e->nr_val};
	int64_t error;

	rsd_format_int(e->rank, out);
	if (e->thread % RSD_AFTER)
		rsd_buf_printf(out, ".%d", e->thread % RSD_AFTER);
	rsd_buf_printf(out, " %s(", f->t->func[e->func].name);
	put_params(f, e, &in, RSD_STYLE_TEXT, out);
	rsd_buf_put_byte(out, ')');
	error = take(&in);
	if (error != 0 && error != RSD_ABSENT) {
		put(out, " = ");
		rsd_format_value(f, RSD_R_ERROR, error, RSD_STYLE_TEXT, out);
	}
	if (f->matched.len) {
		put(out, " matched ");
		rsd_buf_put(out, f->matched.data, f->matched.len);
	}
	if (e->nested)
		rsd_buf_printf(out, " nested %d", e->nested);
	if (e->has_time) {
		put(out, " at ");
		rsd_format_seconds(to_ns(e->t), out);
		put(out, " for ");
		rsd_format_seconds(to_ns(e->dur), out);
	}
	if (e->sig >= 0 && (size_t)e->sig < f->t->sigs.nr_sigs && f->site[e->sig].len) {
		put(out, "  ");
		if (stack)
			rsd_format_stack(f, e->sig, RSD_STYLE_TEXT, out);
		else
			rsd_format_site(f, e->sig, RSD_STYLE_TEXT, out);
	}
}

void rsd_format_event(struct rsd_format *f, const struct rsd_event *e, enum rsd_style style,
	bool stack, struct rsd_buf *out)
{
	if (style == RSD_STYLE_JSON)
		put_json_event(f, e, stack, out);
	else
		put_text_event(f, e, stack, out);
}
