/*
 * emit_wrap.c - the wrappers, in the shape that libsrc/call.h describes
 */
#include "emit_body.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

static void put_twin(struct wrap *w, bool ours)
{
	const struct func *f = w->f;

	if (w->entry) {
		rsd_entry_twin(w, ours);
		return;
	}
	rsd_out(w->o, "P%s(", f->name);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		rsd_out(w->o, "%s%s%s", i ? ", " : "", p->name,
			ours && rsd_body_is_status(p) ? "_used" : "");
	}
	rsd_out(w->o, ")");
}

/* A subroutine of Fortran's has its error code among its arguments. */
static bool is_subroutine(const struct wrap *w)
{
	return w->entry && rsd_returns_error(w->f);
}

static void put_library(struct wrap *w, bool ours)
{
	rsd_out(w->o, is_subroutine(w) ? "\t" : "\tret = ");
	put_twin(w, ours);
	rsd_out(w->o, ";\n");
}

static void put_return(struct wrap *w)
{
	/* Of a function with a variable number of arguments (MPI_Pcontrol) it is not sure that it has one for the error. */
	if (is_subroutine(w))
		rsd_out(w->o, "%s\treturn;\n",
			w->f->variadic ? "" : "\tif (ierror)\n\t\t*ierror = ret;\n");
	else
		rsd_out(w->o, "\treturn ret;\n");
}

static void put_plain(struct wrap *w)
{
	rsd_body_code(w, &w->f->pre);
	put_library(w, false);
	rsd_body_code(w, &w->f->post);
	put_return(w);
}

/* Who begins: C's wrapper may be what an entry point has begun, an entry point never is. */
static const char *entry_or_call(const struct wrap *w)
{
	return w->entry ? "entry" : "call";
}

/* The event is complete before the call: what comes after it would be lost. */
static void put_early(struct wrap *w)
{
	rsd_out(w->o, "\tif (rsd_%s_begin(&call, RSD_F_%s)) {\n", entry_or_call(w), w->f->name);
	w->o->indent++;
	rsd_body_olds(w);
	rsd_out(w->o, "\trsd_call_enter(&call);\n\trsd_call_leave(&call, MPI_SUCCESS);\n");
	rsd_body_values(w);
	w->o->indent--;
	rsd_out(w->o, "\t}\n");
	put_plain(w);
}

static void put_unrecorded(struct wrap *w, const char *begin)
{
	rsd_out(w->o, "\tif (!rsd_%s_%s(&call, RSD_F_%s))", entry_or_call(w), begin, w->f->name);
	if (w->f->post.nr || w->entry) {
		rsd_out(w->o, " {\n");
		w->o->indent++;
		put_library(w, false);
		rsd_body_code(w, &w->f->post);
		put_return(w);
		w->o->indent--;
		rsd_out(w->o, "\t}\n");
	} else {
		rsd_out(w->o, "\n\t\treturn ");
		put_twin(w, false);
		rsd_out(w->o, ";\n");
	}
}

static void put_recorded(struct wrap *w)
{
	bool pre = rsd_body_has_pre(w);

	rsd_body_code(w, &w->f->pre);
	put_unrecorded(w, pre ? "begin" : "start");
	rsd_body_pre(w);
	if (pre)
		rsd_out(w->o, "\trsd_call_enter(&call);\n");
	if (w->through_c)
		rsd_out(w->o, "\trsd_entry_passes(&call, &way);\n");
	put_library(w, true);
	rsd_out(w->o, "\trsd_call_leave(&call, %s);\n",
		rsd_returns_error(w->f) ? "ret" : "MPI_SUCCESS");
	if (w->entry)
		rsd_entry_results(w);
	rsd_body_code(w, &w->f->post);
	rsd_body_values(w);
	if (w->entry)
		rsd_entry_restore(w);
	put_return(w);
}

void rsd_emit_body(struct wrap *w, bool record)
{
	const struct func *f = w->f;

	if (record)
		rsd_out(w->o, "\tstruct rsd_call call;\n");
	rsd_out(w->o, "\t%sret%s;\n", f->ret.before, is_subroutine(w) ? " = MPI_SUCCESS" : "");
	if (w->entry)
		rsd_entry_locals(w);
	if (record)
		rsd_body_locals(w);
	rsd_out(w->o, "\n");
	if (f->flags & FLAG_WEAK && !w->entry)
		rsd_out(w->o, "\tif (!P%s)\n\t\treturn %s;\n", f->name, f->weak_else->text);
	if (w->entry)
		rsd_entry_library(w);
	if (!record)
		put_plain(w);
	else if (f->flags & FLAG_EARLY)
		put_early(w);
	else
		put_recorded(w);
}

static void put_wrapper(struct model *m, struct out *o, const struct func *f, bool record)
{
	struct wrap w = { .m = m, .o = o, .f = f };

	if (f->flags & FLAG_WEAK)
		rsd_out(o, "\n#pragma weak P%s", f->name);
	rsd_out(o, "\n%s%s(", f->ret.before, f->name);
	rsd_out_params(o, f);
	rsd_out(o, ")\n{\n");
	rsd_emit_body(&w, record);
	rsd_out(o, "}\n");
}

void rsd_emit_wrap(struct model *m, struct out *o, bool record)
{
	rsd_out(o, "/* Made by wrapper-engine: a wrapper for each MPI function. */\n");
	rsd_out(o, "#include <mpi.h>\n");
	if (record)
		rsd_out(o, "#include \"call_inline.h\"\n#include \"optab.h\"\n");
	rsd_out(o, "\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
	for (size_t i = 0; i < m->spec.prologue.nr; i++) {
		const struct code *c = m->spec.prologue.item[i];

		rsd_out(o, "#line %d \"%s\"\n%s\n", c->loc.line, c->loc.file, c->text);
		rsd_out(o, "#line %d \"%s\"\n", o->line + 1, o->name);
	}
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const struct func *f = m->funcs.item[i];

		if (rsd_is_wrapped(f, record))
			put_wrapper(m, o, f, record);
	}
}
