/*
 * emit_replay.c - every parameter's role as a table, with lengths and conditions
 *
 * What the wrappers do to record an argument, replay undoes to make it again:
 * both come from the same roles.
 */
#include "emit.h"

static void put_text(struct out *o, const struct expr *e)
{
	switch (e->op) {
	case EX_CALL:
		rsd_out(o, "%s(", e->text);
		for (const struct expr *arg = e->kid[0]; arg; arg = arg->next) {
			put_text(o, arg);
			rsd_out(o, arg->next ? "," : "");
		}
		rsd_out(o, ")");
		break;
	case EX_INDEX:
		rsd_out(o, "%s[", e->text);
		put_text(o, e->kid[0]);
		rsd_out(o, "]");
		break;
	case EX_OLD:
		rsd_out(o, "old(%s)", e->text);
		break;
	case EX_NOT:
	case EX_PAREN:
		rsd_out(o, e->op == EX_NOT ? "!" : "(");
		put_text(o, e->kid[0]);
		rsd_out(o, e->op == EX_NOT ? "" : ")");
		break;
	case EX_BINARY:
		put_text(o, e->kid[0]);
		rsd_out(o, "%s", e->text);
		put_text(o, e->kid[1]);
		break;
	default:
		rsd_out(o, "%s", e->text);
	}
}

static void put_part(struct out *o, const char *name, const struct expr *e)
{
	if (e) {
		rsd_out(o, "\t%s=", name);
		put_text(o, e);
	}
}

void rsd_emit_replay(struct model *m, struct out *o)
{
	static const char *const verb[] = { "put", "made", "freed", "seen" };

	rsd_out(o, "# Made by wrapper-engine: func NAME CLASS, then a line a parameter:\n");
	rsd_out(o,
		"# place, name, C type, verb, kind, and what conditions and lengths there are.\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const struct func *f = m->funcs.item[i];

		rsd_out(o, "func\t%s\t%s\n", f->name, f->class);
		for (size_t k = 0; k < f->params.nr; k++) {
			const struct param *p = f->params.item[k];
			const struct role *r = p->role;

			rsd_out(o, "\t%d\t%s\t%s%s\t%s%s%s\t%s", p->place, p->name, p->type.before,
				p->type.after, r->out ? "out " : "", verb[r->verb],
				r->persistent ? " persistent" : "", rsd_param_role(m, p));
			if (r->arg)
				rsd_out(o, "\targ=%s", r->arg);
			put_part(o, "len", r->len);
			put_part(o, "if", r->cond);
			for (int g = 0; g < p->nr_guards; g++)
				put_part(o, "guard", p->guard[g]);
			put_part(o, "of", r->of);
			put_part(o, "like", r->like);
			put_part(o, "source", r->source);
			put_part(o, "tag", r->tag);
			rsd_out(o, "\n");
		}
	}
}
