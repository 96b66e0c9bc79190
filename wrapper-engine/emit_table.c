/*
 * emit_table.c - what the runtime knows about functions and constants: optab.c, optab.h
 */
#include "emit.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

/* Groups that the runtime numbers itself (enum rsd_constant_group in optable.h). */
static const char *const fixed_groups[] = {
	"comm",
	"datatype",
	"op",
	"group",
	"win",
	"file",
	"info",
	"errhandler",
	"keyval",
	"request",
	"message",
	"session",
	"buffer",
	"function",
	"peer",
	"tag",
	"int",
	"array",
	"error",
};

static bool is_fixed(const char *name)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(fixed_groups); i++)
		if (!strcmp(fixed_groups[i], name))
			return true;
	return false;
}

/* A name that is none of MPI's, as NULL, needs no macro in the header. */
static bool exists(const struct model *m, const char *name)
{
	return strncmp(name, "MPI", 3) || rsd_model_has_constant(m, name);
}

/* Is the constant listed in a group before 'g', too? */
static bool is_repeated(const struct model *m, const struct group *g, const char *name)
{
	for (size_t i = 0; i < m->spec.constants.nr && m->spec.constants.item[i] != g; i++) {
		const struct group *other = m->spec.constants.item[i];

		for (size_t k = 0; k < other->names.nr; k++)
			if (!strcmp(((struct pattern *)other->names.item[k])->text, name))
				return true;
	}
	return false;
}

/* The enumerator of a constant: of one in several groups, the first has the plain name. */
static const char *enumerator(struct model *m, const struct group *g, const char *name)
{
	if (!is_repeated(m, g, name))
		return rsd_model_format(m, "RSD_K_%s", name);
	return rsd_model_format(m, "RSD_K_%s_%s", name, g->name);
}

/* Calls 'fn' for each constant that this MPI has, in the spec's order. */
static void each_constant(struct model *m,
	void (*fn)(struct model *m, struct out *o, const struct group *g, const char *name),
	struct out *o)
{
	for (size_t i = 0; i < m->spec.constants.nr; i++) {
		const struct group *g = m->spec.constants.item[i];

		for (size_t k = 0; k < g->names.nr; k++) {
			const struct pattern *p = g->names.item[k];

			if (exists(m, p->text))
				fn(m, o, g, p->text);
		}
	}
}

static void put_index(struct model *m, struct out *o, const struct group *g, const char *name)
{
	rsd_out(o, "\t%s,\n", enumerator(m, g, name));
}

static void put_groups(struct model *m, struct out *o)
{
	bool first = true;

	rsd_out(o, "enum {\n");
	for (size_t i = 0; i < m->spec.constants.nr; i++) {
		const struct group *g = m->spec.constants.item[i];
		bool seen = is_fixed(g->name);

		for (size_t k = 0; k < i; k++)
			seen |= !strcmp(((struct group *)m->spec.constants.item[k])->name, g->name);
		if (seen)
			continue;
		rsd_out(o, "\tRSD_G_%s%s,\n", rsd_upper(m, g->name), first ? " = RSD_G_NAMED" : "");
		first = false;
	}
	rsd_out(o, "\tRSD_NR_GROUPS%s\n};\n\n", first ? " = RSD_G_NAMED" : "");
}

void rsd_emit_table_header(struct model *m, struct out *o)
{
	rsd_out(o, "/* Made by wrapper-engine: numbers of functions, groups and constants. */\n");
	rsd_out(o, "#ifndef RSD_OPTAB_H\n#define RSD_OPTAB_H\n\n#include \"optable.h\"\n\n");
	rsd_out(o,
		"/* Does mpi.h know Fortran's integers and handles? */\n#define RSD_HAS_FORTRAN "
		"%d\n\n",
		rsd_model_knows_fortran(m));
	rsd_out(o, "/* Indices into rsd_funcs. */\nenum {\n");
	for (size_t i = 0; i < m->funcs.nr; i++)
		rsd_out(o, "\tRSD_F_%s,\n", ((struct func *)m->funcs.item[i])->name);
	rsd_out(o, "\tRSD_NR_FUNCS\n};\n\n/* Groups of named numbers. */\n");
	put_groups(m, o);
	rsd_out(o,
		"/* Indices into rsd_constants, of the constants that this MPI has. */\nenum {\n");
	rsd_out(o, "\tRSD_K_ABSENT,\n");
	each_constant(m, put_index, o);
	rsd_out(o, "\tRSD_NR_CONSTANTS\n};\n\n#endif\n");
}

/* The place of the communicator that a peer is a rank in. */
static int place_of(const struct func *f, const struct expr *e)
{
	const struct param *p = e && e->op == EX_NAME ? rsd_func_param(f, e->text) : NULL;

	return p ? p->place : -1;
}

static int place_named(const struct func *f, const char *name)
{
	const struct param *p = name ? rsd_func_param(f, name) : NULL;

	return p ? p->place : -1;
}

static void put_one_param(struct model *m, struct out *o, const struct func *f,
	const struct param *p, const char *prefix)
{
	rsd_out(o, "\t{ \"%s%s\", RSD_T_%s, RSD_R_%s, %d },\n", prefix, p->name, rsd_param_type(p),
		rsd_param_role(m, p),
		strcmp(p->role->kind, "peer") ? -1 : place_of(f, p->role->of));
}

static void put_params(struct model *m, struct out *o, const struct func *f)
{
	if (!f->nr_places)
		return;
	rsd_out(o, "static const struct rsd_param p_%s[] = {\n", f->name);
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (p->old_place >= 0)
			put_one_param(m, o, f, p, "old_");
	}
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];

		if (p->place >= 0)
			put_one_param(m, o, f, p, "");
	}
	rsd_out(o, "};\n");
}

static void put_func(struct model *m, struct out *o, const struct func *f)
{
	int sent = place_named(f, f->sent[0]), recv = place_named(f, f->recv[0]);

	rsd_out(o, "\t{ \"%s\", ", f->name);
	if (f->nr_places)
		rsd_out(o, "p_%s", f->name);
	else
		rsd_out(o, "NULL");
	rsd_out(o, ", %d, RSD_C_%s, %d, %d, %d, %d },\n", f->nr_places, rsd_upper(m, f->class),
		sent, sent < 0 ? -1 : place_named(f, f->sent[1]), recv,
		recv < 0 ? -1 : place_named(f, f->recv[1]));
}

static void put_constant(struct model *m, struct out *o, const struct group *g, const char *name)
{
	rsd_out(o, "\t{ \"%s\", RSD_G_%s, 0, %s },\n", name, rsd_upper(m, g->name),
		is_repeated(m, g, name) ? rsd_model_format(m, "RSD_K_%s", name) : "0");
}

static void put_value(struct model *m, struct out *o, const struct group *g, const char *name)
{
	rsd_out(o, "\trsd_constants[%s].value = (int64_t)(intptr_t)(%s);\n", enumerator(m, g, name),
		name);
}

void rsd_emit_table(struct model *m, struct out *o)
{
	rsd_out(o, "/* Made by wrapper-engine: the tables that optable.h declares. */\n");
	rsd_out(o, "#include <mpi.h>\n#include \"optab.h\"\n\n");
	rsd_out(o, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n");
	for (size_t i = 0; i < m->funcs.nr; i++)
		put_params(m, o, m->funcs.item[i]);
	rsd_out(o, "\nconst struct rsd_func rsd_funcs[] = {\n");
	for (size_t i = 0; i < m->funcs.nr; i++)
		put_func(m, o, m->funcs.item[i]);
	rsd_out(o, "\t{ NULL, NULL, 0, 0, -1, -1, -1, -1 }\n};\nconst int rsd_nr_funcs = "
		   "RSD_NR_FUNCS;\n\n");
	rsd_out(o,
		"struct rsd_constant rsd_constants[] = {\n\t{ \"absent\", RSD_G_NONE, 0, 0 },\n");
	each_constant(m, put_constant, o);
	rsd_out(o, "};\nconst int rsd_nr_constants = RSD_NR_CONSTANTS;\n\n");
	rsd_out(o, "void rsd_constants_init(void)\n{\n");
	each_constant(m, put_value, o);
	rsd_out(o, "}\n");
}
