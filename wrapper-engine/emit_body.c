/*
 * emit_body.c - what a wrapper does with the parameters: before the call, and after it
 *
 * A role decides which rsd_pre_, rsd_put_ or rsd_made_ function a parameter
 * goes to: the function's name is the verb and the kind, with an s for arrays.
 * So a new kind of handle is a line of the spec and a function of the runtime.
 */
#include "emit_body.h"

#include <string.h>
#include "resolve.h"
#include "util.h"

/* ---- expressions ------------------------------------------------------------ */

/* Does a bare name stand for what the parameter points to? */
static bool is_result(const struct wrap *w, const struct param *p)
{
	const struct type *t = &p->type;

	return t->depth == 1 && !rsd_role_is_array(p->role) &&
	       (rsd_type_number(&w->m->spec, t) || rsd_type_handle(&w->m->spec, t));
}

/* True where the expression is only defined once the call has succeeded. */
static bool needs_results(const struct wrap *w, const struct expr *e)
{
	const struct param *p;

	if (!e || e->op == EX_OLD)
		return false;
	p = e->op == EX_NAME ? rsd_func_param(w->f, e->text) : NULL;
	return (p && is_result(w, p)) || needs_results(w, e->kid[0]) ||
	       needs_results(w, e->kid[1]) || needs_results(w, e->next);
}

static void put_name(void *arg, const struct expr *e)
{
	const struct wrap *w = arg;
	const struct param *p = rsd_func_param(w->f, e->text);

	if (e->op == EX_CALL)
		rsd_out(w->o, "%s(&call", rsd_words_find(&w->m->spec.facts, e->text));
	else if (e->op == EX_OLD)
		rsd_out(w->o, "%s_old", e->text);
	else if (e->op == EX_NAME && p && is_result(w, p))
		rsd_out(w->o, "*%s", e->text);
	else
		rsd_out(w->o, "%s", e->text);
}

void rsd_body_expr(struct wrap *w, const struct expr *e)
{
	rsd_out_expr(w->o, e, put_name, w);
}

/* One more condition of a conjunction. */
static void put_and(struct wrap *w, const struct expr *e, bool *any)
{
	bool paren = e->op == EX_BINARY && !strcmp(e->text, "||");

	rsd_out(w->o, "%s%s", *any ? " && " : "", paren ? "(" : "");
	rsd_body_expr(w, e);
	rsd_out(w->o, "%s", paren ? ")" : "");
	*any = true;
}

/* What makes a parameter significant; false where nothing was written. */
static bool put_condition(struct wrap *w, const struct param *p, bool results)
{
	const struct role *r = p->role;
	bool any = false;

	if (results || needs_results(w, r->cond) || needs_results(w, r->len)) {
		rsd_out(w->o, "call.results");
		any = true;
	}
	for (int i = 0; i < p->nr_guards; i++)
		put_and(w, p->guard[i], &any);
	if (r->cond)
		put_and(w, r->cond, &any);
	return any;
}

static bool has_condition(const struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;

	return r->out || r->cond || p->nr_guards || needs_results(w, r->len);
}

/* ---- values that are needed before the call ---------------------------------- */

static bool has_old(const struct expr *e, const char *name)
{
	if (!e)
		return false;
	if (e->op == EX_OLD && !strcmp(e->text, name))
		return true;
	return has_old(e->kid[0], name) || has_old(e->kid[1], name) || has_old(e->next, name);
}

static void put_olds(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];
		bool wanted = false;

		for (size_t k = 0; k < w->f->params.nr; k++) {
			const struct param *q = w->f->params.item[k];

			wanted |= has_old(q->role->cond, p->name) || has_old(q->role->len, p->name);
		}
		if (wanted)
			rsd_out(w->o, "\t%s %s_old = %s ? *%s : 0;\n", p->type.base, p->name,
				p->name, p->name);
	}
}

bool rsd_body_is_status(const struct param *p)
{
	return is_kind(p, "status") || is_kind(p, "statuses");
}

static void put_status_locals(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		const struct param *p = w->f->params.item[i];

		if (rsd_body_is_status(p))
			rsd_out(w->o, "\t%s *%s_used;\n", p->type.base, p->name);
	}
}

static void put_pre_status(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;

	rsd_out(w->o, "\t%s_used = rsd_pre_%s(&call, %s, ", p->name, r->kind, p->name);
	if (r->len)
		rsd_body_expr(w, r->len);
	else if (r->wild)
		rsd_body_expr(w, r->wild);
	else
		rsd_out(w->o, "false");
	rsd_out(w->o, ");\n");
}

/* In a Fortran entry point, what is read where it is: "f_" of rsd_put_f_requests, "_f" of the argument's name. */
static const char *in_place(const struct wrap *w, const struct param *p, const char *mark)
{
	return w->entry && rsd_entry_in_place(w, p) ? mark : "";
}

const char *rsd_body_kind(const struct wrap *w, const struct param *p)
{
	return is_kind(p, "handle") ? rsd_type_handle(&w->m->spec, &p->type) : p->role->kind;
}

static void put_pre(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;

	if (rsd_body_is_status(p)) {
		put_pre_status(w, p);
	} else if (r->verb == VERB_FREED) {
		rsd_out(w->o, "\trsd_pre_%s(&call, %s);\n", rsd_body_kind(w, p), p->name);
	} else if (r->verb == VERB_SEEN) {
		rsd_out(w->o, "\trsd_pre_%s%ss(&call, %s%s%s, ", in_place(w, p, "f_"),
			rsd_body_kind(w, p), p->type.depth || w->entry ? "" : "&", p->name,
			in_place(w, p, "_f"));
		if (r->len)
			rsd_body_expr(w, r->len);
		else
			rsd_out(w->o, "1");
		rsd_out(w->o, ");\n");
	}
}

static bool has_pre(const struct param *p)
{
	return rsd_body_is_status(p) || p->role->verb == VERB_FREED || p->role->verb == VERB_SEEN ||
	       p->role->inout;
}

bool rsd_body_has_pre(const struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++)
		if (has_pre(w->f->params.item[i]))
			return true;
	return false;
}

/* ---- values after the call ------------------------------------------------------ */

static void put_status(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;
	bool conditional = has_condition(w, p) || needs_results(w, r->of);

	rsd_out(w->o, "\trsd_put_%s(&call, %s, %s_used, ", r->kind, p->name, p->name);
	if (conditional) {
		put_condition(w, p,
			needs_results(w, r->of) || needs_results(w, r->of ? r->of->kid[0] : NULL));
		rsd_out(w->o, " ? ");
	}
	if (is_kind(p, "statuses"))
		rsd_body_expr(w, r->of && r->of->op == EX_INDEX ? r->of->kid[0] : r->len);
	else if (r->of)
		rsd_body_expr(w, r->of);
	else
		rsd_out(w->o, "-1");
	if (conditional)
		rsd_out(w->o, is_kind(p, "statuses") ? " : -1" : " : -2");
	if (is_kind(p, "statuses"))
		rsd_out(w->o, ", %s", r->of ? r->of->text : "NULL");
	rsd_out(w->o, ");\n");
}

/* Such as where a datatype begins. */
static bool may_be_address(const struct wrap *w, const struct param *p, const char *number)
{
	return is_result(w, p) && p->type.depth == 1 &&
	       (!strcmp(number, "aint") || !strcmp(number, "count"));
}

/* The last part of the function's name: rsd_put_ints, rsd_put_comm. */
static void put_suffix(struct wrap *w, const struct param *p)
{
	const char *kind = rsd_body_kind(w, p);

	if (!strcmp(kind, "int") || !strcmp(kind, "index")) {
		const char *number =
			w->entry && p->integer ? "int" : rsd_type_number(&w->m->spec, &p->type);

		if (p->role->len)
			rsd_out(w->o, "_%ss", number);
		else if (may_be_address(w, p, number))
			rsd_out(w->o, "_place");
		else
			rsd_out(w->o, !strcmp(kind, "int") ? "" : "_int");
		return;
	}
	if (!strcmp(kind, "string") && p->type.depth == 1) {
		rsd_out(w->o, p->role->len ? "_string_len" : "_string");
		return;
	}
	if (!strcmp(kind, "argv"))
		kind = "string";
	else if (!strcmp(kind, "argvs"))
		kind = "argv";
	rsd_out(w->o, "_%s%s%s", in_place(w, p, "f_"), kind,
		p->role->len || is_kind(p, "argv") ? "s" : "");
}

static void put_value(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;
	bool plain = r->verb == VERB_PUT && !r->len && is_result(w, p) && p->type.depth == 1;

	if (is_kind(p, "named") || (is_kind(p, "function") && r->arg))
		rsd_out(w->o, ", RSD_G_%s", rsd_upper(w->m, r->arg));
	else if (is_kind(p, "function"))
		rsd_out(w->o, ", RSD_G_FUNCTION");
	rsd_out(w->o, ", %s%s%s%s", is_kind(p, "function") ? "(void (*)(void))" : "",
		p->type.inner > 1 ? "(const int *)"
		: plain		  ? "*"
				  : "",
		p->name, in_place(w, p, "_f"));
	if (is_kind(p, "argv"))
		rsd_out(w->o, ", -1");
	if (r->len) {
		rsd_out(w->o, is_kind(p, "string") && p->type.depth == 1 ? ", (size_t)" : ", ");
		rsd_body_expr(w, r->len);
	}
}

static void put_made_request(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;

	rsd_out(w->o, ", %s%s, RSD_Q_%s%s, ", p->name, in_place(w, p, "_f"),
		rsd_upper(w->m, r->arg ? r->arg : "other"),
		r->persistent ? " | RSD_Q_PERSISTENT" : "");
	if (r->source)
		rsd_body_expr(w, r->source);
	else
		rsd_out(w->o, "0");
	rsd_out(w->o, ", ");
	if (r->tag)
		rsd_body_expr(w, r->tag);
	else
		rsd_out(w->o, "0");
}

/*
 * What Fortran has in another form than C, with a length that the program does not see: strings, and
 * logicals, of which any number but 0 may be the true one. False where it is nothing of these.
 */
static bool put_of_fortran(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;
	bool list = is_kind(p, "argv") || is_kind(p, "argvs");

	if (list || (is_kind(p, "string") && p->type.depth > 1)) {
		rsd_out(w->o, "rsd_put_f_%s(&call, %s_f, %s_chars, ",
			is_kind(p, "argvs") ? "argvs" : "strings", p->name, p->name);
		if (r->len)
			rsd_body_expr(w, r->len);
		else
			rsd_out(w->o, "-1");
	} else if (is_kind(p, "string") && !r->len) {
		rsd_out(w->o, "rsd_put_f_string(&call, %s, %s_chars, %s", p->name, p->name,
			r->out ? "true" : "false");
	} else if (p->logical) {
		rsd_out(w->o, "rsd_put%s(&call, %s%s", r->len ? "_logicals" : "",
			!r->len && p->type.depth ? "*" : "", p->name);
		if (r->len) {
			rsd_out(w->o, ", ");
			rsd_body_expr(w, r->len);
		} else {
			rsd_out(w->o, " != 0");
		}
	} else {
		return false;
	}
	rsd_out(w->o, ");\n");
	return true;
}

static void put_call(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;
	const char *kind = rsd_body_kind(w, p);

	if (w->entry && put_of_fortran(w, p))
		return;
	if (r->verb == VERB_MADE) {
		rsd_out(w->o, "rsd_made_%s%s%s(&call", in_place(w, p, "f_"), kind,
			r->len	  ? "s"
			: r->like ? "_like"
				  : "");
		if (!strcmp(kind, "request"))
			put_made_request(w, p);
		else
			put_value(w, p);
		if (r->like) {
			rsd_out(w->o, ", ");
			rsd_body_expr(w, r->like);
		}
	} else {
		rsd_out(w->o, "rsd_put");
		put_suffix(w, p);
		rsd_out(w->o, "(&call");
		put_value(w, p);
	}
	rsd_out(w->o, ");\n");
}

/* Results are read through pointers that the MPI library let pass: they may be null. */
static bool may_be_null(const struct wrap *w, const struct param *p)
{
	return p->role->verb == VERB_PUT && !p->role->len && is_result(w, p);
}

/*
 * Is the parameter one value, which is known without asking for room? Then its value is an expression. Those of
 * a row of such parameters are written side by side.
 */
static bool is_simple(const struct wrap *w, const struct param *p)
{
	static const char *const kinds[] = { "int", "peer", "tag", "buffer", "comm", "datatype",
		"op", "group", "win", "file", "info" };
	const struct role *r = p->role;

	if (is_kind(p, "skip") || rsd_body_is_status(p) || r->verb != VERB_PUT || r->len ||
		r->out || needs_results(w, r->cond) || may_be_null(w, p) || p->type.inner > 1 ||
		(w->entry && p->logical))
		return false;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(kinds); i++)
		if (!strcmp(rsd_body_kind(w, p), kinds[i]))
			return true;
	return false;
}

static void put_simple(struct wrap *w, const struct param *p)
{
	const char *kind = rsd_body_kind(w, p);

	if (has_condition(w, p)) {
		put_condition(w, p, false);
		rsd_out(w->o, " ? ");
	}
	if (!strcmp(kind, "int"))
		rsd_out(w->o, "%s", p->name);
	else
		rsd_out(w->o, "rsd_value_%s(&call, %s)", kind, p->name);
	rsd_out(w->o, has_condition(w, p) ? " : RSD_ABSENT;\n" : ";\n");
}

/* The simple parameters from the first one on; how many. */
static size_t put_row(struct wrap *w, size_t first)
{
	size_t nr = 0;

	while (first + nr < w->f->params.nr && is_simple(w, w->f->params.item[first + nr]))
		nr++;
	if (!nr)
		return 0;
	rsd_out(w->o, "\troom = rsd_room(&call, %zu);\n\tif (room) {\n", nr);
	for (size_t i = 0; i < nr; i++) {
		rsd_out(w->o, "\t\troom[%zu] = ", i);
		put_simple(w, w->f->params.item[first + i]);
	}
	rsd_out(w->o, "\t}\n");
	return nr;
}

static void put_param(struct wrap *w, const struct param *p)
{
	const struct role *r = p->role;

	if (is_kind(p, "skip"))
		return;
	if (rsd_body_is_status(p)) {
		put_status(w, p);
		return;
	}
	if (r->verb == VERB_FREED) {
		rsd_out(w->o, "\trsd_put_freed(&call);\n");
		return;
	}
	if (r->verb == VERB_SEEN) {
		rsd_out(w->o, "\trsd_put_%srequest%s(&call, %s%s%s", in_place(w, p, "f_"),
			r->len ? "s" : "", p->type.depth || w->entry ? "" : "&", p->name,
			in_place(w, p, "_f"));
		if (r->len) {
			rsd_out(w->o, ", ");
			rsd_body_expr(w, r->len);
		}
		rsd_out(w->o, ");\n");
		return;
	}
	if (has_condition(w, p) || may_be_null(w, p)) {
		bool any;

		rsd_out(w->o, "\tif (");
		any = put_condition(w, p, r->out);
		if (may_be_null(w, p))
			rsd_out(w->o, "%s%s", any ? " && " : "", p->name);
		rsd_out(w->o, ")\n\t\t");
		put_call(w, p);
		rsd_out(w->o, "\telse\n\t\trsd_put_absent(&call);\n");
		return;
	}
	rsd_out(w->o, "\t");
	put_call(w, p);
}

/* What the call is going to change: its value before comes ahead of all others of the event. */
static void put_before(struct wrap *w, const struct param *p)
{
	if (!p->role->inout)
		return;
	if (may_be_null(w, p))
		rsd_out(w->o, "\tif (%s)\n\t\t", p->name);
	else
		rsd_out(w->o, "\t");
	put_call(w, p);
	if (may_be_null(w, p))
		rsd_out(w->o, "\telse\n\t\trsd_put_absent(&call);\n");
}

void rsd_body_locals(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++) {
		if (is_simple(w, w->f->params.item[i])) {
			rsd_out(w->o, "\tint64_t *room;\n");
			break;
		}
	}
	put_status_locals(w);
	put_olds(w);
}

void rsd_body_olds(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++)
		put_before(w, w->f->params.item[i]);
}

void rsd_body_pre(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr; i++)
		put_pre(w, w->f->params.item[i]);
	rsd_body_olds(w);
}

void rsd_body_values(struct wrap *w)
{
	for (size_t i = 0; i < w->f->params.nr;) {
		size_t nr = put_row(w, i);

		if (!nr)
			put_param(w, w->f->params.item[i++]);
		i += nr;
	}
	rsd_out(w->o, "\trsd_call_end(&call);\n");
}

void rsd_body_code(struct wrap *w, const struct list *blocks)
{
	for (size_t i = 0; i < blocks->nr; i++)
		rsd_out_code(w->o, blocks->item[i]);
}
