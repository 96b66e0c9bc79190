#include "resolve_check.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

/* ---- roles and types -------------------------------------------------------------- */

static bool is_handle_kind(const struct spec *s, const char *kind)
{
	for (size_t i = 0; i < s->handles.nr; i++)
		if (!strcmp(((struct word *)s->handles.item[i])->to, kind))
			return true;
	return !strcmp(kind, "handle");
}

/* The same for roles of numbers and handles. */
static const char *misfit_value(const struct model *m, const struct param *p, bool number)
{
	const struct role *r = p->role;
	const char *handle = rsd_type_handle(&m->spec, &p->type);
	int depth = p->type.depth;

	if (r->inout && (!number || r->verb != VERB_PUT || depth != 1))
		return "is no number that a call takes and changes";
	if (number && (!rsd_type_number(&m->spec, &p->type) || depth > 2))
		return "is no number";
	if (!number && (!handle || (strcmp(r->kind, "handle") && strcmp(r->kind, handle))))
		return "is no handle of that kind";
	if (r->verb == VERB_SEEN && depth == 0)
		return NULL;
	if (r->verb != VERB_PUT && depth != 1)
		return "is no pointer to a handle";
	if (r->verb == VERB_PUT && depth && !r->len && p->type.is_const)
		return "is an array without a length";
	return r->len && !depth ? "is no array" : NULL;
}

/* Why the role does not suit the parameter's type; NULL where it does. */
static const char *misfit(const struct model *m, const struct param *p)
{
	static const char *const numbers[] = { "int", "index", "peer", "tag", "named", "error",
		"keyval" };
	const struct role *r = p->role;
	int depth = p->type.depth;
	bool number = false;

	if (!strcmp(r->kind, "skip"))
		return NULL;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(numbers); i++)
		number |= !strcmp(r->kind, numbers[i]);
	if (number || is_handle_kind(&m->spec, r->kind))
		return misfit_value(m, p, number);
	if (r->inout)
		return "is no number that a call takes and changes";
	if (!strcmp(r->kind, "statuses"))
		return depth != 1 ? "is no array" : r->len ? NULL : "is an array without a length";
	if (!strcmp(r->kind, "status"))
		return depth != 1 ? "is no pointer" : NULL;
	if (!strcmp(r->kind, "string") && (depth < 1 || strcmp(p->type.base, "char")))
		return "is no string";
	if (!strcmp(r->kind, "string"))
		return depth > 1 && !r->len ? "is an array without a length" : NULL;
	if (!strcmp(r->kind, "argv"))
		return depth != 2 ? "is no list of strings" : NULL;
	if (!strcmp(r->kind, "argvs"))
		return depth != 3 ? "is no list of lists"
		       : r->len	  ? NULL
				  : "is an array without a length";
	if (!strcmp(r->kind, "buffer"))
		return depth < 1     ? "is no pointer"
		       : r->has_args ? NULL
				     : "is a buffer without an extent";
	if (!strcmp(r->kind, "function"))
		return rsd_type_callback(&m->spec, &p->type) ? NULL : "is no function";
	return "has a role of no known kind";
}

/* The same for what is said of its form in Fortran. */
static const char *misfit_in_fortran(const struct model *m, const struct param *p)
{
	const char *number = rsd_type_number(&m->spec, &p->type);
	const struct role *r = p->role;
	bool is_int = number && !strcmp(number, "int");
	bool place = p->type.depth == 1 && p->type.inner == 1;

	if (p->integer && (!number || strcmp(number, "aint") || (p->type.depth && !place)))
		return "is no address that could be an INTEGER in Fortran";
	if (p->from_1 && (!is_int || !place || !r->out || r->inout))
		return "is no result that could count from 1 in Fortran";
	if (p->without_0 && (!is_int || !place || !r->inout || r->len))
		return "is no length that a call takes and changes";
	return NULL;
}

static const char *type_text(struct model *m, const struct type *t)
{
	size_t len = strlen(t->before);

	while (!*t->after && len && t->before[len - 1] == ' ')
		len--;
	return rsd_model_format(m, "%.*s%s", (int)len, t->before, t->after);
}

void rsd_check_param(struct model *m, const struct func *f, struct param *p)
{
	static const struct role skip = { .kind = "skip" };
	const char *why = p->role ? misfit(m, p) : "fits no rule", *type;
	struct loc at = p->role ? p->role->loc : f->loc;

	if (!why) {
		why = misfit_in_fortran(m, p);
		at = p->fortran_at;
	}
	if (!why)
		return;
	type = type_text(m, &p->type);
	/* A function the spec has never heard of must not keep a newer header from being used. */
	if (!f->known)
		rsd_warning(m, f->loc, "%s: parameter %s (%s) %s: not recorded", f->name, p->name,
			type, why);
	else
		rsd_error(m, at, "%s: parameter %s (%s) %s", f->name, p->name, type, why);
	p->role = &skip;
	p->from_1 = p->integer = p->without_0 = false;
}

/* ---- extents of buffers ------------------------------------------------------------ */

static bool is_array(const struct param *p)
{
	return p && rsd_role_is_array(p->role);
}

/* Why the extent has none of the forms in spec/README; NULL where it does. */
static const char *misfit_extent(const struct model *m, const struct func *f, const struct role *r)
{
	const struct expr *type = r->args ? r->args->next : NULL;
	const struct expr *displs = type ? type->next : NULL;
	const struct param *p = rsd_extent_param(f, type);

	if (rsd_extent_counts(f, r)) {
		if (!p || !rsd_type_handle(&m->spec, &p->type))
			return "counts in an array, but its second part is no parameter that is a "
			       "datatype";
		if (displs && (!is_array(rsd_extent_param(f, displs)) || displs->next))
			return "something behind the datatype that is no array of displacements";
		return NULL;
	}
	if (displs)
		return "displacements, but its counts are in no array";
	return is_array(p) ? "datatypes in an array, but counts in none" : NULL;
}

void rsd_check_extents(struct model *m, const struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		const struct param *p = f->params.item[i];
		const char *why;

		if (strcmp(p->role->kind, "buffer"))
			continue;
		why = misfit_extent(m, f, p->role);
		if (why)
			rsd_error(m, p->role->loc, "%s: the extent of %s has %s", f->name, p->name,
				why);
	}
}

/* ---- leftovers -------------------------------------------------------------------- */

/* Is the function known to exist in some MPI, if not in this one? */
static bool in_classes(const struct spec *s, const char *pattern)
{
	for (size_t i = 0; i < s->classes.nr; i++) {
		const struct group *g = s->classes.item[i];

		for (size_t k = 0; k < g->names.nr; k++) {
			const struct pattern *p = g->names.item[k];

			if (!strcmp(p->text, pattern) || rsd_glob_func(s, pattern, p->text) ||
				rsd_glob_func(s, p->text, pattern))
				return true;
		}
	}
	return false;
}

static void check_patterns(struct model *m, const struct list *patterns)
{
	for (size_t i = 0; i < patterns->nr; i++) {
		const struct pattern *p = patterns->item[i];

		if (!p->used && !in_classes(&m->spec, p->text))
			rsd_error(m, p->loc, "no function is named %s", p->text);
	}
}

/* Does this header have every function that the spec knows? Only then can a rule be called unused.
 */
static bool is_complete(const struct model *m)
{
	for (size_t i = 0; i < m->spec.classes.nr; i++) {
		const struct group *g = m->spec.classes.item[i];

		for (size_t k = 0; !g->later && k < g->names.nr; k++) {
			const struct pattern *p = g->names.item[k];

			if (!p->used && !rsd_model_has_macro(m, p->text))
				return false;
		}
	}
	return true;
}

/* What a function line names must be there. */
static void check_settings(struct model *m, const struct line *l)
{
	for (size_t i = 0; i < l->settings.nr; i++) {
		const struct setting *s = l->settings.item[i];

		for (size_t k = 0; k < s->names.nr; k++) {
			const struct pattern *name = s->names.item[k];

			if (!name->used)
				rsd_error(m, name->loc,
					"no function of this line has a parameter %s", name->text);
		}
	}
}

/* False where the line is about functions that are macros here, or that only other MPIs have. */
static bool is_used(const struct line *l)
{
	for (size_t i = 0; i < l->funcs.nr; i++)
		if (((struct pattern *)l->funcs.item[i])->used)
			return true;
	return false;
}

static void check_unused(struct model *m)
{
	for (size_t i = 0; i < m->spec.lines.nr; i++)
		if (is_used(m->spec.lines.item[i]))
			check_settings(m, m->spec.lines.item[i]);
	for (size_t i = 0; i < m->spec.rules.nr; i++) {
		const struct rule *r = m->spec.rules.item[i];

		/* That none takes a buffer without an extent is what such a rule is there for. */
		if (!r->used && (strcmp(r->role->kind, "buffer") || r->role->has_args))
			rsd_error(m, r->loc, "no parameter takes its role from this rule");
	}
	for (size_t i = 0; i < m->spec.guards.nr; i++) {
		const struct guard *g = m->spec.guards.item[i];

		if (!g->used)
			rsd_error(m, g->loc, "no parameter is guarded by this");
	}
}

void rsd_check_spec(struct model *m, bool record)
{
	for (size_t i = 0; i < m->spec.lines.nr; i++)
		check_patterns(m, &((struct line *)m->spec.lines.item[i])->funcs);
	for (size_t i = 0; i < m->spec.names.nr; i++)
		check_patterns(m, &((struct names *)m->spec.names.item[i])->funcs);
	check_patterns(m, &m->spec.fortran);
	if (record && is_complete(m))
		check_unused(m);
}
