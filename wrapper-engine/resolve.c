#include "resolve.h"

#include <stdio.h>
#include <string.h>
#include "util.h"

/* ---- types ------------------------------------------------------------------ */

const char *rsd_type_handle(const struct spec *s, const struct type *t)
{
	return t->callback ? NULL : rsd_words_find(&s->handles, t->base);
}

const char *rsd_type_number(const struct spec *s, const struct type *t)
{
	return t->callback ? NULL : rsd_words_find(&s->numbers, t->base);
}

bool rsd_type_callback(const struct spec *s, const struct type *t)
{
	if (t->callback)
		return true;
	for (size_t i = 0; i < s->callbacks.nr; i++)
		if (t->depth <= 1 && rsd_glob(((struct word *)s->callbacks.item[i])->from, t->base))
			return true;
	return false;
}

static bool type_fits(const struct spec *s, const struct type_pattern *want, const struct type *t)
{
	if (!strcmp(want->base, "callback"))
		return rsd_type_callback(s, t);
	if (want->depth != t->depth || t->callback || (want->is_const && !t->is_const))
		return false;
	if (!strcmp(want->base, "handle"))
		return rsd_type_handle(s, t) != NULL;
	if (!strcmp(want->base, "number"))
		return rsd_type_number(s, t) != NULL;
	return rsd_glob(want->base, t->base);
}

bool rsd_role_is_array(const struct role *r)
{
	return r->len && strcmp(r->kind, "string");
}

/* ---- names in expressions ----------------------------------------------------- */

static const struct expr *unknown_in(
	const struct model *m, const struct func *f, const struct expr *e);

static const struct expr *unknown_in_list(
	const struct model *m, const struct func *f, const struct expr *e)
{
	const struct expr *bad = NULL;

	for (; e && !bad; e = e->next)
		bad = unknown_in(m, f, e);
	return bad;
}

/* The first part of 'e' that names nothing of 'f' or of the header; NULL where all is known. */
static const struct expr *unknown_in(
	const struct model *m, const struct func *f, const struct expr *e)
{
	const struct expr *bad;

	if (!e)
		return NULL;
	switch (e->op) {
	case EX_NAME:
		return rsd_func_param(f, e->text) || rsd_model_has_constant(m, e->text) ? NULL : e;
	case EX_INDEX:
	case EX_OLD:
		if (!rsd_func_param(f, e->text))
			return e;
		break;
	case EX_CALL:
		if (!rsd_words_find(&m->spec.facts, e->text))
			return e;
		return unknown_in_list(m, f, e->kid[0]);
	default:
		break;
	}
	bad = unknown_in(m, f, e->kid[0]);
	return bad ? bad : unknown_in(m, f, e->kid[1]);
}

static const struct expr *unknown_in_role(
	const struct model *m, const struct func *f, const struct role *r)
{
	const struct expr *part[] = { r->len, r->cond, r->of, r->like, r->wild, r->source, r->tag };
	const struct expr *bad = NULL;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(part) && !bad; i++)
		bad = unknown_in(m, f, part[i]);
	return bad || strcmp(r->kind, "buffer") ? bad : unknown_in_list(m, f, r->args);
}

/* ---- parameters get their standard names ------------------------------------- */

static bool is_named(const struct func *f, const char *name)
{
	return rsd_func_param(f, name) != NULL;
}

/*
 * The names line for a function. Variants with a suffix have other parameters
 * now and then; the line is not about these.
 */
static const struct names *find_names(struct model *m, const struct func *f)
{
	for (size_t i = 0; i < m->spec.names.nr; i++) {
		const struct names *n = m->spec.names.item[i];

		for (size_t k = 0; k < n->funcs.nr; k++) {
			struct pattern *p = n->funcs.item[k];

			if (!rsd_glob_func(&m->spec, p->text, f->name))
				continue;
			p->used = true;
			if (n->params.nr == f->params.nr)
				return n;
			if (rsd_glob(p->text, f->name))
				rsd_error(m, n->loc, "%zu names for %s, which has %zu parameters",
					n->params.nr, f->name, f->params.nr);
		}
	}
	return NULL;
}

static void name_params(struct model *m, struct func *f)
{
	const struct names *given = find_names(m, f);

	for (size_t i = 0; i < f->params.nr; i++)
		((struct param *)f->params.item[i])->name = "";
	for (size_t i = 0; i < f->params.nr; i++) {
		struct param *p = f->params.item[i];
		const char *alias =
			p->spelled ? rsd_words_find(&m->spec.aliases, p->spelled) : NULL;

		if (given)
			p->name = given->params.item[i];
		else if (alias && !is_named(f, alias))
			p->name = alias;
		else if (p->spelled && !is_named(f, p->spelled))
			p->name = p->spelled;
		else
			p->name = rsd_model_format(m, "arg%zu", i + 1);
		p->unnamed = !given && !p->spelled;
	}
}

/* ---- function lines ------------------------------------------------------------- */

static bool names_func(const struct model *m, const struct list *patterns, const struct func *f)
{
	bool found = false;

	for (size_t i = 0; i < patterns->nr; i++) {
		struct pattern *p = patterns->item[i];

		if (rsd_glob_func(&m->spec, p->text, f->name)) {
			p->used = true;
			found = true;
		}
	}
	return found;
}

static void find_class(struct model *m, struct func *f)
{
	f->class = "other";
	for (size_t i = 0; i < m->spec.classes.nr; i++) {
		const struct group *g = m->spec.classes.item[i];

		if (names_func(m, &g->names, f)) {
			f->class = g->name;
			f->known = true;
			return;
		}
	}
}

static void add_guard(
	struct model *m, const struct func *f, struct param *p, const struct expr *cond)
{
	if ((size_t)p->nr_guards < RSD_ARRAY_SIZE(p->guard))
		p->guard[p->nr_guards++] = cond;
	else
		rsd_error(m, cond->loc, "too many conditions for %s of %s", p->name, f->name);
}

static void say_unknown(struct model *m, const struct func *f, const struct expr *e)
{
	rsd_error(m, e->loc, "%s: '%s' is no parameter, no constant of this MPI, and no fact",
		f->name, e->text);
}

static void take_role(struct model *m, struct func *f, struct param *p, const struct role *role)
{
	const struct expr *bad = unknown_in_role(m, f, role);

	if (p->role)
		return;
	p->role = role;
	if (bad)
		say_unknown(m, f, bad);
}

static void take_setting(
	struct model *m, struct func *f, const struct setting *s, struct pattern *name)
{
	const struct expr *bad = unknown_in(m, f, s->cond);

	for (size_t i = 0; i < f->params.nr; i++) {
		struct param *p = f->params.item[i];

		if (!rsd_glob(name->text, p->name))
			continue;
		name->used = true;
		if (s->in_fortran == FROM_1)
			p->from_1 = true;
		else if (s->in_fortran == INTEGER)
			p->integer = true;
		else if (s->role)
			take_role(m, f, p, s->role);
		else if (bad)
			say_unknown(m, f, bad);
		else
			add_guard(m, f, p, s->cond);
	}
}

static void take_line(struct model *m, struct func *f, struct line *l)
{
	if (l->pre)
		rsd_list_add(&f->pre, l->pre);
	if (l->post)
		rsd_list_add(&f->post, l->post);
	f->flags |= l->flags;
	if (l->weak_else)
		f->weak_else = l->weak_else;
	for (int i = 0; i < 2; i++) {
		if (l->sent[i] && !f->sent[i])
			f->sent[i] = l->sent[i];
		if (l->recv[i] && !f->recv[i])
			f->recv[i] = l->recv[i];
	}
	for (size_t i = 0; i < l->settings.nr; i++) {
		const struct setting *s = l->settings.item[i];

		for (size_t k = 0; k < s->names.nr; k++)
			take_setting(m, f, s, s->names.item[k]);
	}
}

/* ---- rules ------------------------------------------------------------------------ */

static bool fits_name(const struct list *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (rsd_glob(names->item[i], name))
			return true;
	return false;
}

static void find_rule(struct model *m, const struct func *f, struct param *p)
{
	for (size_t i = 0; i < m->spec.rules.nr; i++) {
		struct rule *rule = m->spec.rules.item[i];

		if (!fits_name(&rule->names, p->name) ||
			!type_fits(&m->spec, &rule->type, &p->type) ||
			unknown_in_role(m, f, rule->role))
			continue;
		rule->used = true;
		p->role = rule->role;
		return;
	}
}

static void find_guards(struct model *m, const struct func *f, struct param *p)
{
	for (size_t i = 0; i < m->spec.guards.nr; i++) {
		struct guard *g = m->spec.guards.item[i];

		if (!fits_name(&g->names, p->name) || unknown_in(m, f, g->cond))
			continue;
		g->used = true;
		add_guard(m, f, p, g->cond);
	}
}

/* ---- checks --------------------------------------------------------------------- */

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

static const char *type_text(struct model *m, const struct type *t)
{
	size_t len = strlen(t->before);

	while (!*t->after && len && t->before[len - 1] == ' ')
		len--;
	return rsd_model_format(m, "%.*s%s", (int)len, t->before, t->after);
}

static void check_param(struct model *m, const struct func *f, struct param *p)
{
	static const struct role skip = { .kind = "skip" };
	const char *why = p->role ? misfit(m, p) : "fits no rule", *type;

	if (!why)
		return;
	type = type_text(m, &p->type);
	/* A function the spec has never heard of must not keep a newer header from being used. */
	if (!f->known)
		rsd_warning(m, f->loc, "%s: parameter %s (%s) %s: not recorded", f->name, p->name,
			type, why);
	else
		rsd_error(m, p->role ? p->role->loc : f->loc, "%s: parameter %s (%s) %s", f->name,
			p->name, type, why);
	p->role = &skip;
}

/* ---- extents of buffers ------------------------------------------------------------ */

static const struct param *param_in(const struct func *f, const struct expr *e)
{
	return e && e->op == EX_NAME ? rsd_func_param(f, e->text) : NULL;
}

const struct param *rsd_extent_counts(const struct func *f, const struct role *r)
{
	const struct param *p = param_in(f, r->args);

	return p && rsd_role_is_array(p->role) ? p : NULL;
}

static bool is_array(const struct param *p)
{
	return p && rsd_role_is_array(p->role);
}

/* Why the extent has none of the forms in spec/README; NULL where it does. */
static const char *misfit_extent(const struct model *m, const struct func *f, const struct role *r)
{
	const struct expr *type = r->args ? r->args->next : NULL;
	const struct expr *displs = type ? type->next : NULL;
	const struct param *p = param_in(f, type);

	if (rsd_extent_counts(f, r)) {
		if (!p || !rsd_type_handle(&m->spec, &p->type))
			return "counts in an array, but its second part is no parameter that is a "
			       "datatype";
		if (displs && (!is_array(param_in(f, displs)) || displs->next))
			return "something behind the datatype that is no array of displacements";
		return NULL;
	}
	if (displs)
		return "displacements, but its counts are in no array";
	return is_array(p) ? "datatypes in an array, but counts in none" : NULL;
}

/* To be called once all parameters have their roles. */
static void check_extents(struct model *m, const struct func *f)
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

/* Values from before the call come first: they are put before it. */
static void give_places(struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		struct param *p = f->params.item[i];

		p->old_place = p->role->inout ? f->nr_places++ : -1;
	}
	for (size_t i = 0; i < f->params.nr; i++) {
		struct param *p = f->params.item[i];

		p->place = strcmp(p->role->kind, "skip") ? f->nr_places++ : -1;
	}
}

static bool is_logical(const struct model *m, const struct param *p)
{
	const char *number = rsd_type_number(&m->spec, &p->type);

	for (size_t i = 0; number && !strcmp(number, "int") && i < m->spec.logicals.nr; i++)
		if (!strcmp(m->spec.logicals.item[i], p->name))
			return true;
	return false;
}

/* Rules go by names: without one a rank would pass for any number. */
static void check_name(struct model *m, const struct func *f, const struct param *p, size_t nr)
{
	if (p->unnamed && strcmp(f->class, "other"))
		rsd_error(m, f->loc,
			"parameter %zu of %s has no name here: a 'names' line has to give it", nr,
			f->name);
}

static void resolve_func(struct model *m, struct func *f)
{
	for (size_t i = 0; i < f->params.nr; i++) {
		struct param *p = f->params.item[i];

		if (!p->role) {
			find_rule(m, f, p);
			check_name(m, f, p, i + 1);
		}
		find_guards(m, f, p);
		check_param(m, f, p);
		p->logical = is_logical(m, p);
	}
	check_extents(m, f);
	give_places(f);
	if (!f->known)
		rsd_warning(m, f->loc, "%s is not in the spec; roles by type and name", f->name);
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

void rsd_resolve(struct model *m, bool record)
{
	for (size_t i = 0; i < m->funcs.nr; i++) {
		struct func *f = m->funcs.item[i];

		name_params(m, f);
		find_class(m, f);
		for (size_t k = 0; k < m->spec.lines.nr; k++) {
			struct line *l = m->spec.lines.item[k];

			if (names_func(m, &l->funcs, f))
				take_line(m, f, l);
		}
		names_func(m, &m->spec.fortran, f);
		if (record)
			resolve_func(m, f);
	}
	for (size_t i = 0; i < m->spec.lines.nr; i++)
		check_patterns(m, &((struct line *)m->spec.lines.item[i])->funcs);
	for (size_t i = 0; i < m->spec.names.nr; i++)
		check_patterns(m, &((struct names *)m->spec.names.item[i])->funcs);
	check_patterns(m, &m->spec.fortran);
	if (record && is_complete(m))
		check_unused(m);
}
