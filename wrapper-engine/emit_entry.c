/*
 * emit_entry.c - Fortran entry points that record: for what Fortran does not reach by way of C's functions
 *
 * The library's own routine is called, under its profiling name, with the program's arguments. Around
 * that it is a wrapper like C's: each argument also becomes a C variable, of which the values are
 * taken (fortran.h has what converts them).
 */
#include "emit_body.h"

#include <ctype.h>
#include <string.h>
#include "resolve.h"
#include "util.h"

/* The program's arguments, which Fortran's MPI_Init has not. */
bool rsd_body_in_fortran(const struct param *p)
{
	return !is_kind(p, "skip") || (strcmp(p->name, "argc") && strcmp(p->name, "argv"));
}

/* Its length follows behind all arguments. */
static bool is_text(const struct param *p)
{
	return !strcmp(p->type.base, "char") && p->type.depth > 0 && rsd_body_in_fortran(p);
}

static bool is_callback(const struct wrap *w, const struct param *p)
{
	return rsd_type_callback(&w->m->spec, &p->type);
}

/* ---- the signature, and the call of the library's routine ---------------------------- */

static void put_signature(struct wrap *w, const char *name)
{
	const struct func *f = w->f;
	bool subroutine = rsd_returns_error(f);
	const char *comma = "";

	rsd_out(w->o, "%s%s(", subroutine ? "void " : f->ret.before, name);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (!rsd_body_in_fortran(p))
			continue;
		rsd_out(w->o, is_callback(w, p) ? "%svoid (*%s_f)(void)" : "%svoid *%s_f", comma,
			p->name);
		comma = ", ";
	}
	if (subroutine)
		rsd_out(w->o, "%sMPI_Fint *ierror", comma);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (is_text(p))
			rsd_out(w->o, ", size_t %s_chars", p->name);
	}
	rsd_out(w->o, subroutine || *comma ? ")" : "void)");
}

void rsd_entry_twin(struct wrap *w, bool ours)
{
	const struct func *f = w->f;
	const char *comma = "";

	rsd_out(w->o, "library(");
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (!rsd_body_in_fortran(p))
			continue;
		if (ours && rsd_body_is_status(p))
			rsd_out(w->o, "%s%s_used == %s ? %s_f : (void *)%s_used", comma, p->name,
				p->name, p->name, p->name);
		else
			rsd_out(w->o, "%s%s_f", comma, p->name);
		comma = ", ";
	}
	if (rsd_returns_error(f))
		rsd_out(w->o, f->variadic ? "%sierror" : "%s&ret", comma);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (is_text(p))
			rsd_out(w->o, ", %s_chars", p->name);
	}
	rsd_out(w->o, ")");
}

/* ---- arguments as C's variables -------------------------------------------------------- */

static bool is_handle(const struct wrap *w, const struct param *p)
{
	return rsd_type_handle(&w->m->spec, &p->type) != NULL;
}

/* Arrays of handles are read in the program's memory, and so are requests, which are known by where they are. */
bool rsd_entry_in_place(const struct wrap *w, const struct param *p)
{
	return is_handle(w, p) &&
	       (rsd_role_is_array(p->role) || p->role->verb == VERB_SEEN ||
		       (p->type.depth && !strcmp(rsd_body_kind(w, p), "request")));
}

/* Any other handle that the call makes, changes or frees, in a variable of the program's. */
static bool is_handle_place(const struct wrap *w, const struct param *p)
{
	return is_handle(w, p) && p->type.depth == 1 && !rsd_entry_in_place(w, p);
}

/* A buffer, or what else may be any variable: void * in C. */
static bool is_choice(const struct param *p)
{
	return !strcmp(p->type.base, "void") && p->type.depth == 1;
}

static void put_handle(struct wrap *w, const struct param *p)
{
	const char *kind = rsd_type_handle(&w->m->spec, &p->type);

	if (!p->type.depth)
		rsd_out(w->o, "\t%s %s = rsd_f_%s(%s_f);\n", p->type.base, p->name, kind, p->name);
	else
		rsd_out(w->o, "\t%s %s_own, *%s = rsd_f_%s_at(%s_f, &%s_own, %s);\n", p->type.base,
			p->name, p->name, kind, p->name, p->name,
			p->role->verb == VERB_MADE ? "false" : "true");
}

static void put_local(struct wrap *w, const struct param *p)
{
	const struct type *t = &p->type;
	const char *base = p->integer ? "MPI_Fint" : t->base;

	if (!rsd_body_in_fortran(p))
		rsd_out(w->o, "\t%s %.*s%s = 0;\n", t->base, t->depth, "***", p->name);
	else if (is_callback(w, p))
		rsd_out(w->o, "\t%s%s%s = (%s%s)%s_f;\n", t->before, p->name, t->after, t->before,
			t->after, p->name);
	else if (rsd_entry_in_place(w, p))
		return;
	else if (is_handle(w, p))
		put_handle(w, p);
	else if (rsd_body_is_status(p))
		rsd_out(w->o, "\tMPI_Status *%s = rsd_f_status(%s_f);\n", p->name, p->name);
	else if (w->described && is_choice(p))
		rsd_out(w->o, "\tvoid *%s = rsd_f_buffer(rsd_f_described(%s_f));\n", p->name,
			p->name);
	else if (is_kind(p, "buffer"))
		rsd_out(w->o, "\t%s *%s = rsd_f_buffer(%s_f);\n", t->base, p->name, p->name);
	else if (is_text(p) && t->depth > 1)
		return;
	else if (t->inner > 1)
		rsd_out(w->o, "\t%s (*%s)[%d] = %s_f;\n", t->base, p->name, t->inner, p->name);
	else if (!t->depth && is_kind(p, "keyval"))
		rsd_out(w->o, "\tint %s = rsd_f_keyval(%s_f);\n", p->name, p->name);
	else if (!t->depth && p->logical)
		rsd_out(w->o, "\tint %s = *(const MPI_Fint *)%s_f != 0;\n", p->name, p->name);
	else if (p->without_0)
		rsd_out(w->o, "\t%s %s_own = rsd_f_room(%s_f), *%s = &%s_own;\n", base, p->name,
			p->name, p->name, p->name);
	else if (!t->depth)
		rsd_out(w->o, "\t%s %s = *(const %s *)%s_f;\n", base, p->name, base, p->name);
	else if (rsd_role_is_array(p->role))
		rsd_out(w->o, "\t%s *%s = rsd_f_array(%s_f);\n", base, p->name, p->name);
	else
		rsd_out(w->o, "\t%s *%s = %s_f;\n", base, p->name, p->name);
}

void rsd_entry_locals(struct wrap *w)
{
	rsd_out(w->o, "\tstatic __typeof__(&%s) known;\n", w->twin);
	rsd_out(w->o, "\t__typeof__(&%s) library = known;\n", w->twin);
	if (w->through_c)
		rsd_out(w->o, "\tstatic struct rsd_way way = { .func = RSD_F_%s };\n", w->f->name);
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];

		put_local(w, p);
		if (p->from_1 && !p->role->len)
			rsd_out(w->o, "\t%s %s_kept = 0;\n", p->type.base, p->name);
	}
}

void rsd_entry_library(struct wrap *w)
{
	rsd_out(w->o,
		"\tif (!library)\n\t\tknown = library = (__typeof__(library))rsd_f_routine("
		"(void (*)(void))%s, \"%s\");\n",
		w->twin, w->twin);
}

/* ---- after the call --------------------------------------------------------------------- */

/*
 * A result that counts from 1 is brought to C's form where it is, in the program's memory, and back once
 * its value is taken. A single one is kept: of an index that is MPI_UNDEFINED, some libraries return the next number.
 */
static void put_shift(struct wrap *w, const struct param *p, const char *function)
{
	rsd_out(w->o, "\t\t%s(%s, ", function, p->name);
	rsd_body_expr(w, p->role->len);
	rsd_out(w->o, ");\n");
}

/* Where there is no string, its length stays as it was. */
static void put_length(struct wrap *w, const struct param *p)
{
	rsd_out(w->o, "\tif (call.results");
	if (p->string_if) {
		rsd_out(w->o, " && (");
		rsd_body_expr(w, p->string_if);
		rsd_out(w->o, ")");
	}
	rsd_out(w->o, ")\n\t\t%s_own = rsd_f_length(%s_f);\n", p->name, p->name);
}

void rsd_entry_results(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];

		if (is_handle_place(w, p))
			rsd_out(w->o, "\tif (call.results)\n\t\trsd_f_%s_back(%s_f, %s);\n",
				rsd_type_handle(&w->m->spec, &p->type), p->name, p->name);
		if (p->without_0)
			put_length(w, p);
		if (!p->from_1)
			continue;
		rsd_out(w->o, "\tif (call.results)\n");
		if (p->role->len)
			put_shift(w, p, "rsd_f_from_1");
		else
			rsd_out(w->o, "\t\t%s_kept = rsd_f_from_1_kept(%s);\n", p->name, p->name);
	}
}

void rsd_entry_restore(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];

		if (!p->from_1)
			continue;
		rsd_out(w->o, "\tif (call.results)\n");
		if (p->role->len)
			put_shift(w, p, "rsd_f_to_1");
		else
			rsd_out(w->o, "\t\t*%s = %s_kept;\n", p->name, p->name);
	}
}

/* ---- which there are ----------------------------------------------------------------------- */

static void put_entry(struct wrap *w)
{
	rsd_out(w->o, "\nextern ");
	put_signature(w, w->twin);
	rsd_out(w->o, " __attribute__((weak));\n");
	put_signature(w, w->entry);
	rsd_out(w->o, ";\n");
	put_signature(w, w->entry);
	rsd_out(w->o, "\n{\n");
	rsd_emit_body(w, true);
	rsd_out(w->o, "}\n");
}

static bool in_library(const struct wrap *w)
{
	return rsd_model_has_fortran(w->m, w->entry) && rsd_model_has_fortran(w->m, w->twin);
}

/* Is MPIX_Name there as MPI_Name, too? */
static bool has_standard(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const char *other = ((const struct func *)m->funcs.item[i])->name;

		if (!strncmp(other, "MPI_", 4) && !strcmp(other + 4, name + 5))
			return true;
	}
	return false;
}

/*
 * May the library's routine come to C's wrapper? Names do not tell which routine it is that calls MPI_Name, mpif.h's or this
 * one, or whether another library is between them; so where it may, it is looked at when it is there (rsd_entry_passes).
 * That one without buffers, which Fortran leaves as they are, calls what C's function calls, where its library knows PMPI_Name.
 */
static bool may_come_to_c(struct wrap *w)
{
	const char *inner = rsd_model_format(w->m, "P%s", w->f->name);

	return rsd_model_fortran_mentions(w->m, w->f->name) &&
	       (w->described || !rsd_model_fortran_refers(w->m, w->twin, inner));
}

/*
 * "MPI_Get_count_c" is mpi_get_count_f08_large_ in Fortran, "MPI_Send" mpi_send_f08ts_ where buffers come as descriptors.
 * MPIX_ is what MPI_ is to be.
 */
static void put_f08(struct wrap *w)
{
	static const char *const forms[] = { "f08", "f08ts" };
	const char *name = rsd_lower(w->m, w->f->name);
	size_t len = strlen(name);
	bool large = len > 2 && !strcmp(name + len - 2, "_c");
	const char *stem = strchr(name, '_');

	if (!stem || (!strncmp(name, "mpix_", 5) && has_standard(w->m, w->f->name)))
		return;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(forms); i++) {
		const char *rest = rsd_model_format(w->m, "%.*s_%s_%s",
			(int)(len - (size_t)(stem - name) - (large ? 2 : 0)), stem, forms[i],
			large ? "large_" : "");

		w->described = i > 0;
		w->entry = rsd_model_format(w->m, "mpi%s", rest);
		w->twin = rsd_model_format(w->m, "pmpir%s", rest);
		if (!in_library(w))
			w->twin = rsd_model_format(w->m, "pmpi%s", rest);
		w->through_c = may_come_to_c(w);
		if (in_library(w))
			put_entry(w);
	}
	w->described = w->through_c = false;
}

/* Whether mpif.h's routine leads to C's function shows in what the library that it is in lacks. */
bool rsd_entry_past(struct model *m, const struct func *f)
{
	const char *name = rsd_lower(m, f->name);

	return rsd_model_has_fortran(m, rsd_model_format(m, "%s_", name)) &&
	       rsd_model_has_fortran(m, rsd_model_format(m, "p%s_", name)) &&
	       !rsd_model_fortran_refers(m, rsd_model_format(m, "%s_", name), f->name);
}

/* Where memory is made, `use mpi` has a routine more, for a pointer. */
static void put_past(struct wrap *w)
{
	static const char *const variants[] = { "", "_cptr" };

	for (size_t v = 0; v < RSD_ARRAY_SIZE(variants); v++) {
		const char *name =
			rsd_model_format(w->m, "%s%s", rsd_lower(w->m, w->f->name), variants[v]);
		const char *other[] = { name, rsd_model_format(w->m, "%s__", name),
			rsd_upper(w->m, name) };

		w->entry = rsd_model_format(w->m, "%s_", name);
		w->twin = rsd_model_format(w->m, "p%s_", name);
		w->through_c = may_come_to_c(w);
		if (!in_library(w))
			continue;
		put_entry(w);
		for (size_t i = 0; i < RSD_ARRAY_SIZE(other); i++) {
			put_signature(w, other[i]);
			rsd_out(w->o, " __attribute__((alias(\"%s\")));\n", w->entry);
		}
	}
}

void rsd_emit_entries(struct model *m, struct out *o)
{
	if (!m->fortran.nr)
		return;
	rsd_out(o, "#include \"call_inline.h\"\n#include \"fortran.h\"\n#include \"optab.h\"\n\n"
		   "RSD_F_NUMBERS_FIT;\n"
		   "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n"
		   "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		struct func *f = m->funcs.item[i];
		struct wrap w = { .m = m, .o = o, .f = f };

		put_f08(&w);
		if (rsd_entry_past(m, f))
			put_past(&w);
	}
}
