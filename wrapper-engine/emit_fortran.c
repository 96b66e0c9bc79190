/*
 * emit_fortran.c - Fortran entry points
 *
 * A Fortran program refers to mpi_init_, not MPI_Init, and so would not draw our
 * objects out of an archive. These entry points do. Where the MPI library has a
 * Fortran entry point of its own under its profiling name, that one is called: it
 * initialises what Fortran needs and then calls MPI_Init, which is our wrapper. It is
 * called last, with no variable of ours in memory, and so jumped to: no frame of ours is then
 * among the program's when the wrapper looks for the call site.
 */
#include "emit_body.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

static void put_params(struct out *o, const struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (rsd_body_in_fortran(p))
			rsd_out(o, "MPI_Fint *%s, ", p->name);
	}
	rsd_out(o, "MPI_Fint *ierr)");
}

static void put_arguments(struct out *o, const struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (rsd_body_in_fortran(p))
			rsd_out(o, "%s, ", p->name);
	}
	rsd_out(o, "ierr);\n");
}

/* By C's function, where the library has no routine of its own. */
static void put_c(struct out *o, const struct func *f, const char *name)
{
	rsd_out(o, "static __attribute__((noinline)) void c_%s(", name);
	put_params(o, f);
	rsd_out(o, "\n{\n");
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (rsd_body_in_fortran(p) && p->type.depth)
			rsd_out(o, "\t%s c_%s = 0;\n", p->type.base, p->name);
	}
	rsd_out(o, "\n\t*ierr = %s(", f->name);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		rsd_out(o, "%s%s%s", i ? ", " : "",
			!rsd_body_in_fortran(p) ? "0"
			: p->type.depth		? "&c_"
						: "*",
			rsd_body_in_fortran(p) ? p->name : "");
	}
	rsd_out(o, ");\n");
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (rsd_body_in_fortran(p) && p->type.depth)
			rsd_out(o, "\t*%s = c_%s;\n", p->name, p->name);
	}
	rsd_out(o, "}\n");
}

static void put_entry(struct model *m, struct out *o, const struct func *f)
{
	const char *name = rsd_lower(m, f->name);
	const char *other[] = { name, rsd_model_format(m, "%s__", name), rsd_upper(m, name) };

	rsd_out(o, "\nextern void p%s_(", name);
	put_params(o, f);
	rsd_out(o, " __attribute__((weak));\nvoid %s_(", name);
	put_params(o, f);
	rsd_out(o, ";\n");
	put_c(o, f, name);
	rsd_out(o, "void %s_(", name);
	put_params(o, f);
	rsd_out(o, "\n{\n\tif (p%s_)\n\t\tp%s_(", name, name);
	put_arguments(o, f);
	rsd_out(o, "\telse\n\t\tc_%s(", name);
	put_arguments(o, f);
	rsd_out(o, "}\n");
	for (size_t i = 0; i < RSD_ARRAY_SIZE(other); i++) {
		rsd_out(o, "void %s(", other[i]);
		put_params(o, f);
		rsd_out(o, " __attribute__((alias(\"%s_\")));\n", name);
	}
}

void rsd_emit_fortran(struct model *m, struct out *o)
{
	rsd_out(o, "/* Made by wrapper-engine: Fortran entry points, in the spellings that "
		   "compilers use. */\n");
	rsd_out(o, "#include <mpi.h>\n");
	if (!rsd_model_knows_fortran(m))
		rsd_out(o, "typedef int MPI_Fint;\n");
	for (size_t i = 0; i < m->funcs.nr; i++) {
		const struct func *f = m->funcs.item[i];

		for (size_t k = 0; k < m->spec.fortran.nr; k++)
			if (!strcmp(((struct pattern *)m->spec.fortran.item[k])->text, f->name) &&
				!rsd_entry_past(m, f))
				put_entry(m, o, f);
	}
	rsd_emit_entries(m, o);
}
