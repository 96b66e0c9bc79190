#include "resolve.h"

#include <string.h>
#include "resolve_check.h"
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

const struct param *rsd_extent_param(const struct func *f, const struct expr *e)
{
	return e && e->op == EX_NAME ? rsd_func_param(f, e->text) : NULL;
}

const struct param *rsd_extent_counts(const struct func *f, const struct role *r)
{
	const struct param *p = rsd_extent_param(f, r->args);

	return p && rsd_role_is_array(p->role) ? p : NULL;
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

static void take_length(struct param *p, const struct expr *string_if)
{
	p->without_0 = true;
	p->string_if = string_if;
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
		if (s->in_fortran != AS_IN_C)
			p->fortran_at = name->loc;
		if (s->in_fortran == FROM_1)
			p->from_1 = true;
		else if (s->in_fortran == INTEGER)
			p->integer = true;
		else if (s->role)
			take_role(m, f, p, s->role);
		else if (bad)
			say_unknown(m, f, bad);
		else if (s->in_fortran == WITHOUT_0)
			take_length(p, s->cond);
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

/* ---- the whole of a function --------------------------------------------------- */

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
		rsd_check_param(m, f, p);
		p->logical = is_logical(m, p);
	}
	rsd_check_extents(m, f);
	give_places(f);
	if (!f->known)
		rsd_warning(m, f->loc, "%s is not in the spec; roles by type and name", f->name);
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
	rsd_check_spec(m, record);
}
