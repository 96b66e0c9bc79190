/*
 * emit_prototypes.c - functions with all their parameters, as a table that needs no mpi.h (prototype.h)
 */
#include "emit.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

static void put_flag(struct out *o, bool set, const char *name)
{
	if (set)
		rsd_out(o, " | RSD_P_%s", name);
}

static void put_flags(struct out *o, const struct param *p)
{
	const struct role *r = p->role;

	rsd_out(o, "0");
	put_flag(o, p->place < 0, "SKIPPED");
	put_flag(o, r->out && !r->inout, "OUT");
	put_flag(o, r->inout, "INOUT");
	put_flag(o, r->verb == VERB_MADE, "MADE");
	put_flag(o, r->verb == VERB_FREED, "FREED");
	put_flag(o, r->len != NULL, "ARRAY");
	put_flag(o, p->type.is_const, "CONST");
	put_flag(o, r->kept, "KEPT");
	put_flag(o, p->type.callback, "CALLBACK");
}

static void put_name(void *arg, const struct expr *e)
{
	rsd_out(arg, "%s", e->text);
}

/* Facts are asked about one parameter. */
static void put_product(struct out *o, const struct expr *e)
{
	if (e->op == EX_BINARY) {
		put_product(o, e->kid[0]);
		rsd_out(o, " %s ", e->text);
		put_product(o, e->kid[1]);
	} else if (e->op == EX_CALL) {
		rsd_out(o, "%s(%s)", e->text, e->kid[0] ? e->kid[0]->text : "");
	} else {
		rsd_out_expr(o, e, put_name, o);
	}
}

static void put_extent(struct out *o, const struct param *p)
{
	const struct expr *e = is_kind(p, "buffer") ? p->role->args : NULL;

	for (int i = 0; i < 3; i++) {
		rsd_out(o, e ? ", \"" : ", NULL");
		if (!e)
			continue;
		put_product(o, e);
		rsd_out(o, "\"");
		e = e->next;
	}
}

static void put_params(struct model *m, struct out *o, const struct func *f)
{
	if (!f->params.nr)
		return;
	rsd_out(o, "static const struct rsd_prototype_param p_%s[] = {\n", f->name);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		rsd_out(o, "\t{ \"%s\", \"%s\", %d, %d, RSD_R_%s, ", p->name,
			p->type.callback ? "" : p->type.base, p->type.depth, p->type.inner,
			p->place < 0 ? "INT" : rsd_param_role(m, p));
		put_flags(o, p);
		put_extent(o, p);
		rsd_out(o, " },\n");
	}
	rsd_out(o, "};\n");
}

void rsd_emit_prototypes(struct model *m, struct out *o)
{
	rsd_out(o, "/* Made by wrapper-engine: the table that prototype.h declares. */\n");
	rsd_out(o, "#include <stddef.h>\n#include \"prototype.h\"\n\n");
	for (size_t i = 0; i < m->funcs.nr; i++)
		put_params(m, o, m->funcs.item[i]);
	rsd_out(o, "const struct rsd_prototype rsd_prototypes[] = {\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const struct func *f = m->funcs.item[i];

		rsd_out(o, "\t{ \"%s\", ", f->name);
		rsd_out(o, f->params.nr ? "p_%s" : "NULL", f->name);
		rsd_out(o, ", %zu, %d },\n", f->params.nr, f->flags & FLAG_UNPLAYED ? 1 : 0);
	}
	rsd_out(o, "\t{ NULL, NULL, 0, 0 }\n};\n");
}
