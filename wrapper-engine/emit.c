#include "emit.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "resolve.h"
#include "util.h"

void rsd_out_init(struct out *o, const char *name)
{
	*o = (struct out){ .name = name, .line = 1 };
}

static void put_char(struct out *o, char c)
{
	if (RSD_GROW(o->text, o->len + 1, o->alloc))
		rsd_fatal("out of memory");
	o->text[o->len++] = c;
	o->line += c == '\n';
}

/* Lines of the preprocessor and empty ones stay where they are. */
static void indent(struct out *o, char next)
{
	bool start = !o->len || o->text[o->len - 1] == '\n';

	for (int i = 0; start && next != '\n' && next != '#' && i < o->indent; i++)
		put_char(o, '\t');
}

void rsd_out(struct out *o, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = rsd_malloc((size_t)len + 1);
	if (!text)
		rsd_fatal("out of memory");
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	for (int i = 0; i < len; i++) {
		indent(o, text[i]);
		put_char(o, text[i]);
	}
	free(text);
}

void rsd_out_code(struct out *o, const struct code *c)
{
	rsd_out(o, "#line %d \"%s\"\n\t{%s}\n", c->loc.line, c->loc.file, c->text);
	rsd_out(o, "#line %d \"%s\"\n", o->line + 1, o->name);
}

static bool is_unchanged(const struct out *o, const char *path)
{
	FILE *in = fopen(path, "r");
	char *old = rsd_malloc(o->len + 1);
	bool same;

	if (!old)
		rsd_fatal("out of memory");
	same = in && fread(old, 1, o->len + 1, in) == o->len && !memcmp(old, o->text, o->len);
	if (in)
		fclose(in);
	free(old);
	return same;
}

void rsd_out_write(struct out *o, const char *dir)
{
	size_t len = strlen(dir) + strlen(o->name) + sizeof("/.new");
	char *path = rsd_malloc(len), *side = rsd_malloc(len);
	FILE *out;

	if (!path || !side)
		rsd_fatal("out of memory");
	snprintf(path, len, "%s/%s", dir, o->name);
	snprintf(side, len, "%s/%s.new", dir, o->name);
	if (!is_unchanged(o, path)) {
		out = fopen(side, "w");
		if (!out)
			rsd_fatal("cannot write '%s': %s", side, strerror(errno));
		if ((fwrite(o->text, 1, o->len, out) != o->len) | fclose(out) || rename(side, path))
			rsd_fatal("cannot write '%s': %s", path, strerror(errno));
	}
	free(path);
	free(side);
	free(o->text);
	o->text = NULL;
}

void rsd_out_params(struct out *o, const struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		rsd_out(o, "%s%s%s%s", i ? ", " : "", p->type.before, p->name, p->type.after);
	}
	rsd_out(o, "%s", f->variadic ? ", ..." : f->params.nr ? "" : "void");
}

void rsd_out_expr(struct out *o, const struct expr *e,
	void (*put_name)(void *arg, const struct expr *e), void *arg)
{
	switch (e->op) {
	case EX_NUMBER:
		rsd_out(o, "%s", e->text);
		break;
	case EX_NAME:
	case EX_OLD:
		put_name(arg, e);
		break;
	case EX_INDEX:
		put_name(arg, e);
		rsd_out(o, "[");
		rsd_out_expr(o, e->kid[0], put_name, arg);
		rsd_out(o, "]");
		break;
	case EX_CALL:
		put_name(arg, e);
		for (const struct expr *kid = e->kid[0]; kid; kid = kid->next) {
			rsd_out(o, ", ");
			rsd_out_expr(o, kid, put_name, arg);
		}
		rsd_out(o, ")");
		break;
	case EX_NOT:
	case EX_PAREN:
		rsd_out(o, e->op == EX_NOT ? "!" : "(");
		rsd_out_expr(o, e->kid[0], put_name, arg);
		rsd_out(o, e->op == EX_NOT ? "" : ")");
		break;
	case EX_BINARY:
		rsd_out_expr(o, e->kid[0], put_name, arg);
		rsd_out(o, " %s ", e->text);
		rsd_out_expr(o, e->kid[1], put_name, arg);
		break;
	}
}

const char *rsd_lower(struct model *m, const char *s)
{
	char *copy = rsd_model_alloc(m, strlen(s) + 1);

	for (size_t i = 0; s[i]; i++)
		copy[i] = (char)tolower((unsigned char)s[i]);
	return copy;
}

const char *rsd_upper(struct model *m, const char *s)
{
	char *copy = rsd_model_alloc(m, strlen(s) + 1);

	for (size_t i = 0; s[i]; i++)
		copy[i] = (char)toupper((unsigned char)s[i]);
	return copy;
}

bool rsd_is_wrapped(const struct func *f, bool record)
{
	return record || f->pre.nr || f->post.nr;
}

bool rsd_returns_error(const struct func *f)
{
	return !strcmp(f->ret.base, "int") && !f->ret.depth;
}

const char *rsd_param_type(const struct param *p)
{
	const char *kind = p->role->kind;

	if (!strcmp(kind, "status"))
		return "STATUS";
	if (!strcmp(kind, "statuses"))
		return "STATUSES";
	if (!strcmp(kind, "argv") || !strcmp(kind, "argvs"))
		return "STRINGS";
	if (!strcmp(kind, "string"))
		return p->type.depth > 1 ? "STRINGS" : "STRING";
	return p->role->len ? "INTS" : "INT";
}

const char *rsd_param_role(struct model *m, const struct param *p)
{
	static const struct {
		const char *kind, *role;
	} other[] = {
		{ "index", "INT" },
		{ "argv", "STRING" },
		{ "argvs", "STRING" },
		{ "statuses", "STATUS" },
	};
	const char *kind = p->role->kind;

	if (!strcmp(kind, "handle"))
		kind = rsd_type_handle(&m->spec, &p->type);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(other); i++)
		if (!strcmp(kind, other[i].kind))
			return other[i].role;
	return rsd_upper(m, kind);
}
