/*
 * emit_replay.c - the replay's calls, in the shape that tools/replay/play.h shows
 *
 * What the wrappers do to record an argument, replay undoes to make it again:
 * both come from the same roles. A parameter becomes a local with what was
 * recorded; where MPI takes a pointer to one value, the local's address is passed.
 */
#include "emit.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

struct play {
	struct model *m;
	struct out *o;
	const struct func *f;
};

static bool is_base(const struct param *p, const char *base)
{
	return !p->type.callback && !strcmp(p->type.base, base);
}

/* What is called "p" and "ret" in a generated function is the function's own. */
static const char *local(const struct play *w, const struct param *p)
{
	if (!strcmp(p->name, "p") || !strcmp(p->name, "ret"))
		return rsd_model_format(w->m, "%s_", p->name);
	return p->name;
}

static bool is_number(const struct play *w, const struct param *p)
{
	return rsd_type_number(&w->m->spec, &p->type) && !is_kind(p, "keyval");
}

/* "comm" of a communicator; NULL of what is no handle. */
static const char *handle_of(const struct play *w, const struct param *p)
{
	if (is_kind(p, "skip"))
		return NULL;
	return is_kind(p, "keyval") ? "keyval" : rsd_type_handle(&w->m->spec, &p->type);
}

static bool is_handle(const struct play *w, const struct param *p, const char *kind)
{
	const char *of = handle_of(w, p);

	return of && !strcmp(of, kind);
}

/* ---- what can be made again ------------------------------------------------------ */

static const char *why_not_skipped(const struct play *w, const struct param *p)
{
	int depth = p->type.depth;

	if (depth == 1 && (is_base(p, "void") || is_base(p, "MPI_Status")))
		return NULL;
	if ((depth < 2 && is_number(w, p)) || (depth > 1 && is_base(p, "char")))
		return NULL;
	return "is not recorded";
}

/* Why the argument can't be made from its role; NULL where it can. */
static const char *why_not(const struct play *w, const struct param *p)
{
	const struct role *r = p->role;

	if (is_kind(p, "skip"))
		return why_not_skipped(w, p);
	if (is_kind(p, "argv") || is_kind(p, "argvs") ||
		(is_kind(p, "string") && p->type.depth > 1))
		return "is a list of strings";
	if (is_kind(p, "function") && p->type.callback)
		return "is a function of a type without a name";
	if (is_kind(p, "buffer") && !r->args)
		return "is memory of an earlier call";
	if (handle_of(w, p) && r->len && !is_handle(w, p, "request") &&
		!is_handle(w, p, "datatype") && (r->verb || !is_handle(w, p, "info")))
		return "is an array of handles of this kind";
	return NULL;
}

/* Why the function has no replay, to be read behind its name; NULL where it has one. */
static const char *why_no_call(const struct play *w)
{
	if (w->f->flags & FLAG_UNPLAYED)
		return "not called in a replay";
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];
		const char *why = why_not(w, p);

		if (why)
			return rsd_model_format(w->m, "%s %s", p->name, why);
	}
	return NULL;
}

/* ---- how arguments are passed ------------------------------------------------------ */

enum pass {
	PASS_LOCAL,
	PASS_ADDRESS, /* the local is what the parameter points to */
	PASS_TARGET,  /* the local points to what is passed */
	PASS_NULL,    /* there is no local */
};

/* Are there arguments of the program among the function's? There are none to hand on. */
static bool has_program_args(const struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (is_kind(p, "skip") && is_base(p, "char") && p->type.depth > 1)
			return true;
	}
	return false;
}

/* What such a call fills, MPI may fill when the request completes: no local lives that long. */
static bool makes_request(const struct play *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];

		if (is_handle(w, p, "request") && p->role->verb == VERB_MADE)
			return true;
	}
	return false;
}

/* A handle that the call makes, in memory that outlives the function. */
static bool is_late(const struct play *w, const struct param *p)
{
	return handle_of(w, p) && !is_handle(w, p, "request") && p->role->verb == VERB_MADE &&
	       !p->role->len && makes_request(w);
}

static enum pass pass_of(const struct play *w, const struct param *p)
{
	bool pointer = p->type.depth == 1 && !p->role->len;

	if (is_kind(p, "skip")) {
		if (p->type.depth && !is_base(p, "void") && !is_base(p, "MPI_Status"))
			return has_program_args(w->f) ? PASS_NULL : PASS_ADDRESS;
		return PASS_LOCAL;
	}
	if (is_handle(w, p, "request"))
		return p->type.depth ? PASS_LOCAL : PASS_TARGET;
	if (pointer && (is_number(w, p) || handle_of(w, p)) && !is_late(w, p))
		return PASS_ADDRESS;
	return PASS_LOCAL;
}

/* ---- locals -------------------------------------------------------------------------- */

static void put_skipped(const struct play *w, const struct param *p)
{
	if (pass_of(w, p) == PASS_NULL)
		return;
	if (is_base(p, "void"))
		rsd_out(w->o, "\tvoid *%s = rsd_play_spare(p);\n", local(w, p));
	else if (is_base(p, "MPI_Status"))
		rsd_out(w->o, "\tMPI_Status *%s = rsd_play_asked_status(p);\n", local(w, p));
	else
		rsd_out(w->o, "\t%s %s = 0;\n", p->type.base, local(w, p));
}

/* A local that the call fills, or an array of them. */
static void put_room(const struct play *w, const struct param *p)
{
	rsd_out(w->o, "\t%s *%s = rsd_play_room(p, %d, sizeof(%s));\n", p->type.base, local(w, p),
		p->place, p->type.base);
}

/* What the call is given: where it changes that, the value from before. */
static int given_place(const struct param *p)
{
	return p->old_place >= 0 ? p->old_place : p->place;
}

static void put_numbers(const struct play *w, const struct param *p)
{
	const char *base = p->type.base, *name = local(w, p);

	if (p->type.inner > 1)
		rsd_out(w->o, "\t%s%s (*%s)[%d] = (%s%s (*)[%d])", p->type.is_const ? "const " : "",
			base, name, p->type.inner, p->type.is_const ? "const " : "", base,
			p->type.inner);
	else
		rsd_out(w->o, "\t%s *%s = (%s *)", base, name, base);
	rsd_out(w->o, "rsd_play_%ss(p, %d);\n", rsd_type_number(&w->m->spec, &p->type),
		given_place(p));
}

static void put_number(const struct play *w, const struct param *p)
{
	if (!p->role->len)
		rsd_out(w->o, "\t%s %s = (%s)rsd_play_number(p, %d);\n", p->type.base, local(w, p),
			p->type.base, given_place(p));
	else if (p->role->out && !p->role->inout)
		put_room(w, p);
	else
		put_numbers(w, p);
}

/* The first constant of a group is the null handle. */
static const char *null_of(const struct play *w, const char *kind)
{
	for (size_t i = 0; i < w->m->spec.constants.nr; i++) {
		const struct group *g = w->m->spec.constants.item[i];
		const struct pattern *first = g->names.item[0];

		if (!strcmp(g->name, kind) && rsd_model_has_constant(w->m, first->text))
			return first->text;
	}
	return "0";
}

static void put_made(const struct play *w, const struct param *p)
{
	const char *base = p->type.base, *null = null_of(w, handle_of(w, p));

	if (p->role->len)
		put_room(w, p);
	else if (is_late(w, p))
		rsd_out(w->o, "\t%s *%s = rsd_play_spare(p);\n", base, local(w, p));
	else
		rsd_out(w->o, "\t%s %s = %s;\n", base, local(w, p), null);
}

static void put_handle(const struct play *w, const struct param *p)
{
	const char *base = p->type.base, *kind = handle_of(w, p);

	if (p->role->verb == VERB_MADE)
		put_made(w, p);
	else if (p->role->len)
		rsd_out(w->o, "\t%s *%s = rsd_play_%ss(p, %d);\n", base, local(w, p), kind,
			p->place);
	else
		rsd_out(w->o, "\t%s %s = (%s)%srsd_play_%s(p, %d, RSD_G_%s);\n", base, local(w, p),
			base, is_kind(p, "keyval") ? "" : "(intptr_t)",
			p->role->verb == VERB_FREED ? "freeing" : "handle", p->place,
			rsd_upper(w->m, kind));
}

static void put_request(const struct play *w, const struct param *p)
{
	rsd_out(w->o, "\t%s *%s = rsd_play_%s(p, %d);\n", p->type.base, local(w, p),
		p->role->verb == VERB_MADE ? "new_request" : "requests", p->place);
}

static void put_string(const struct play *w, const struct param *p)
{
	if (p->role->out)
		put_room(w, p);
	else
		rsd_out(w->o, "\tchar *%s = rsd_play_string(p, %d);\n", local(w, p), p->place);
}

static void put_local(const struct play *w, const struct param *p)
{
	const char *base = p->type.base;

	if (is_kind(p, "skip"))
		put_skipped(w, p);
	else if (is_kind(p, "status") || is_kind(p, "statuses"))
		rsd_out(w->o, "\t%s *%s = rsd_play_%s(p, %d);\n", base, local(w, p), p->role->kind,
			p->place);
	else if (is_kind(p, "string"))
		put_string(w, p);
	else if (is_kind(p, "function"))
		rsd_out(w->o, "\t%s *%s = (%s *)rsd_play_function(p, %d, \"%s\");\n", base,
			local(w, p), base, p->place, base);
	else if (is_handle(w, p, "request"))
		put_request(w, p);
	else if (handle_of(w, p))
		put_handle(w, p);
	else
		put_number(w, p);
}

/* ---- buffers ---------------------------------------------------------------------------- */

/* A parameter is its local, a fact the replay's own. */
static void put_name(void *arg, const struct expr *e)
{
	const struct play *w = arg;
	const struct param *p = rsd_func_param(w->f, e->text);

	if (e->op == EX_CALL)
		rsd_out(w->o, "rsd_play_%s(p", e->text);
	else if (p)
		rsd_out(w->o, "%s%s", is_late(w, p) ? "*" : "", local(w, p));
	else
		rsd_out(w->o, "%s", e->text);
}

static void put_span(struct play *w, const struct param *p)
{
	const struct role *r = p->role;
	const struct expr *type = r->args->next, *displs = type ? type->next : NULL;
	const struct param *counts = rsd_extent_counts(w->f, r);

	if (counts) {
		rsd_out(w->o, "rsd_play_span_of(p, %d, %d, %d)", counts->place,
			displs ? rsd_func_param(w->f, displs->text)->place : -1,
			rsd_func_param(w->f, type->text)->place);
		return;
	}
	rsd_out(w->o, type ? "rsd_play_span(p, " : "rsd_play_bytes(p, ");
	rsd_out_expr(w->o, r->args, put_name, w);
	if (type) {
		rsd_out(w->o, ", ");
		rsd_out_expr(w->o, type, put_name, w);
	}
	rsd_out(w->o, ")");
}

static void put_buffer(struct play *w, const struct param *p)
{
	rsd_out(w->o, "\tvoid *%s = rsd_play_%s_buffer(p, %d, ", local(w, p),
		p->role->kept	   ? "own"
		: p->type.is_const ? "send"
				   : "recv",
		p->place);
	put_span(w, p);
	rsd_out(w->o, ");\n");
}

/* ---- the call ------------------------------------------------------------------------------ */

static void put_args(const struct play *w)
{
	static const char *const before[] = { "", "&", "*" };

	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];
		enum pass pass = pass_of(w, p);

		rsd_out(w->o, i ? ", " : "");
		if (pass == PASS_NULL)
			rsd_out(w->o, "NULL");
		else
			rsd_out(w->o, "%s%s", before[pass], local(w, p));
	}
}

static bool has_result(const struct param *p)
{
	return !is_kind(p, "skip") && (p->role->verb == VERB_MADE || p->role->verb == VERB_FREED);
}

/* What the call has made or freed is taken to be so from then on. */
static void put_result(const struct play *w, const struct param *p)
{
	const char *kind = handle_of(w, p);

	if (p->role->verb == VERB_FREED)
		rsd_out(w->o, "rsd_play_freed(p, %d, RSD_G_%s);\n", p->place,
			rsd_upper(w->m, kind));
	else if (is_handle(w, p, "request"))
		rsd_out(w->o, "rsd_play_made_request(p, %d, %s);\n", p->place,
			p->role->persistent ? "true" : "false");
	else if (p->role->len)
		rsd_out(w->o, "rsd_play_made_%ss(p, %d, %s);\n", kind, p->place, local(w, p));
	else
		rsd_out(w->o, "rsd_play_made(p, %d, RSD_G_%s, (int64_t)(intptr_t)%s%s);\n",
			p->place, rsd_upper(w->m, kind), is_late(w, p) ? "*" : "", local(w, p));
}

static void put_results(const struct play *w, const char *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->f->params.nr; i++)
		nr += has_result(w->f->params.item[i]);
	rsd_out(w->o, nr ? "\tif (rsd_play_leave(p, %s))%s\n" : "\trsd_play_leave(p, %s);\n", ret,
		nr > 1 ? " {" : "");
	for (size_t i = 0; i < w->f->params.nr; i++) {
		if (!has_result(w->f->params.item[i]))
			continue;
		rsd_out(w->o, "\t\t");
		put_result(w, w->f->params.item[i]);
	}
	if (nr > 1)
		rsd_out(w->o, "\t}\n");
}

static void put_function(struct play *w)
{
	const struct func *f = w->f;
	const char *ret = rsd_returns_error(f) ? "ret" : "MPI_SUCCESS";

	if (f->flags & FLAG_WEAK)
		rsd_out(w->o, "#pragma weak %s\n#pragma weak P%s\n", f->name, f->name);
	rsd_out(w->o, "static int play_%s(struct rsd_play *p)\n{\n", f->name);
	for (size_t i = 0; i < f->params.nr; i++)
		if (!is_kind(f->params.item[i], "buffer"))
			put_local(w, f->params.item[i]);
	for (size_t i = 0; i < f->params.nr; i++)
		if (is_kind(f->params.item[i], "buffer"))
			put_buffer(w, f->params.item[i]);
	rsd_out(w->o, rsd_returns_error(f) ? "\tint ret;\n\n" : f->params.nr ? "\n" : "");
	if (f->flags & FLAG_WEAK)
		rsd_out(w->o, "\tif (!%s || !P%s)\n\t\treturn %s;\n", f->name, f->name,
			f->weak_else->text);
	rsd_out(w->o, "\trsd_play_enter(p);\n\t%s(rsd_play_recorded ? %s : P%s)(",
		rsd_returns_error(f) ? "ret = " : "(void)", f->name, f->name);
	put_args(w);
	rsd_out(w->o, ");\n");
	put_results(w, ret);
	rsd_out(w->o, "\treturn %s;\n}\n\n", ret);
}

void rsd_emit_replay(struct model *m, struct out *o)
{
	struct play w = { m, o, NULL };

	rsd_out(o, "/*\n * Made by wrapper-engine: the calls of a replay.\n *\n * None for:\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		w.f = m->funcs.item[i];
		if (why_no_call(&w))
			rsd_out(o, " *\t%s: %s\n", w.f->name, why_no_call(&w));
	}
	rsd_out(o, " */\n#include <mpi.h>\n#include \"play.h\"\n#include \"optab.h\"\n\n");
	rsd_out(o, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		w.f = m->funcs.item[i];
		if (!why_no_call(&w))
			put_function(&w);
	}
	rsd_out(o, "int (*const rsd_play_calls[])(struct rsd_play *p) = {\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		w.f = m->funcs.item[i];
		if (!why_no_call(&w))
			rsd_out(o, "\t[RSD_F_%s] = play_%s,\n", w.f->name, w.f->name);
	}
	rsd_out(o, "\t[RSD_NR_FUNCS] = NULL\n};\n");
}
