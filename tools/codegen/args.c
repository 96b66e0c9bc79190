/*
 * args.c - arguments out of columns: numbers, arrays, handles, requests, statuses
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROOM 8192 /* as in tools/replay/args.c: no result string is longer */

/* ---- numbers ------------------------------------------------------------------------------------ */

/* The communicator that a peer is a rank in. */
static const char *comm_of(const struct cg_call *c, int i)
{
	int of = c->f->param[c->p->param[i]].of;

	for (int k = 0; of >= 0 && k < c->p->proto->nr_params; k++) {
		if (c->p->param[k] == of && c->arg[k].text.len)
			return cg_text_of(&c->arg[k].text);
	}
	return NULL;
}

static struct cg_column_of value_column(struct cg_call *c, int i, int sub)
{
	struct cg_column_of col = cg_param_column(c, i, sub);
	int of = c->f->param[c->p->param[i]].of;

	for (int k = 0; col.role == RSD_R_PEER && k < c->p->proto->nr_params; k++) {
		if (of >= 0 && c->p->param[k] == of && !c->arg[k].pure)
			cg_make_variable(c, k);
	}
	if (col.role == RSD_R_PEER)
		col.comm = comm_of(c, i);
	return col;
}

/* The field of 'result' that a call's result goes to. */
void cg_put_result(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct rsd_buf field = RSD_BUF_INIT;

	rsd_buf_printf(&field, "\t%s %s%s%s;\n", q->type, q->name,
		strcmp(q->type, "int") ? "_" : "", strcmp(q->type, "int") ? q->type : "");
	cg_text_of(&field);
	rsd_buf_put_byte(&c->cg->what, '\0');
	c->cg->what.len--;
	if (!c->cg->what.len || !strstr((char *)c->cg->what.data, (char *)field.data))
		rsd_buf_put(&c->cg->what, field.data, field.len);
	rsd_buf_printf(&c->arg[i].text, "&result.%s%s%s", q->name,
		strcmp(q->type, "int") ? "_" : "", strcmp(q->type, "int") ? q->type : "");
	rsd_buf_release(&field);
}

double cg_stretch_of(const struct cg_call *c, int i)
{
	const struct rsd_func *f = c->f;

	return c->p->param[i] >= 0 && c->p->param[i] == f->recv_count && f->class == RSD_C_P2P &&
			       f->recv_count != f->sent_count
		       ? c->cg->stretch
		       : 1;
}

void cg_make_number(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_arg *a = &c->arg[i];
	struct cg_column_of col;

	if (q->depth && q->flags & RSD_P_OUT) {
		cg_put_result(c, i);
		return;
	}
	col = value_column(c, i, 0);
	if (q->depth)
		rsd_buf_printf(&a->text, "&(%s){ ", q->type);
	if (cg_stretch_of(c, i) > 1)
		rsd_buf_printf(&a->text, "enough(");
	a->pure = cg_expr(c->cg, &col, c->n, &a->text);
	if (cg_stretch_of(c, i) > 1) {
		cg_need(c->cg, CG_ENOUGH);
		rsd_buf_printf(&a->text, ", %.17g)", c->cg->stretch);
	}
	if (q->depth)
		rsd_buf_printf(&a->text, " }");
}

/* The largest of the numbers among the arguments: no array of results is longer. */
static int64_t most_results(const struct cg_call *c, int i)
{
	struct cg_column_of col = cg_param_column(c, i, 0);
	int64_t most = cg_largest(col.params);

	for (int k = 0; k < c->f->nr_params; k++) {
		int64_t v;

		if (c->f->param[k].type != RSD_T_INT || c->f->param[k].role != RSD_R_INT)
			continue;
		v = cg_largest(&c->cg->t->place[c->n->place].col[c->p->col[k]]);
		if (v > most)
			most = v;
	}
	return most > INT64_C(1) << 28 ? INT64_C(1) << 28 : most;
}

static const char *filler_of(struct cg *cg, const char *type)
{
	if (!strcmp(type, "MPI_Aint")) {
		cg_need(cg, CG_AINTS);
		return "aints";
	}
	if (!strcmp(type, "MPI_Count") || !strcmp(type, "MPI_Offset")) {
		cg_need(cg, CG_COUNTS);
		return "counts";
	}
	cg_need(cg, CG_INTS);
	return "ints";
}

/* "ints(n, &c17)" */
static void put_filler(struct cg_call *c, int i, const struct cg_column_of *each)
{
	struct cg_arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;

	cg_table(c->cg, each, &table);
	if (cg_handle(each->role)) {
		cg_need(c->cg, CG_HANDLES);
		rsd_buf_printf(&a->text, "(%s *)handles(%s, &%s, %s, sizeof(%s))", each->type,
			cg_text_of(&a->nr), cg_text_of(&table), cg_handle(each->role), each->type);
	} else if (each->role == RSD_R_PEER && each->params->enc[RSD_E_REL].nr) {
		cg_need(c->cg, CG_RELATIVE);
		rsd_buf_printf(&a->text, "peers_of(%s, &%s, %s)", cg_text_of(&a->nr),
			cg_text_of(&table), each->comm ? each->comm : "MPI_COMM_WORLD");
	} else {
		rsd_buf_printf(&a->text, "%s(%s, &%s)", filler_of(c->cg, each->type),
			cg_text_of(&a->nr), cg_text_of(&table));
	}
	a->pure = false;
	rsd_buf_release(&table);
}

static void put_kept(struct cg_call *c, struct cg_arg *a, const char *type)
{
	struct rsd_buf text = a->text;

	cg_need(c->cg, CG_KEPT);
	a->text = RSD_BUF_INIT;
	rsd_buf_printf(&a->text, "kept(%s, sizeof(%s) * (%s))", cg_text_of(&text), type,
		cg_text_of(&a->nr));
	rsd_buf_release(&text);
}

/* An array of results: room for all that MPI may write. */
static void make_results(struct cg_call *c, int i)
{
	int64_t bytes = most_results(c, i) * (int64_t)sizeof(int64_t) + TEXT_ROOM;

	if (c->cg->room < bytes)
		c->cg->room = bytes;
	if (c->cg->nr_results <= c->nr_results)
		c->cg->nr_results = c->nr_results + 1;
	rsd_buf_printf(
		&c->arg[i].text, "(%s *)results[%d]", c->p->proto->param[i].type, c->nr_results++);
}

static int64_t no_array(int64_t v)
{
	return v == RSD_ABSENT ? -1 : v;
}

/* Handles that the call makes: into the results, and from there to their variables. */
static void make_made_handles(struct cg_call *c, int i)
{
	struct cg_column_of n = cg_param_column(c, i, 0), each = cg_param_column(c, i, 1);
	struct rsd_buf table = RSD_BUF_INIT;
	struct cg_arg *a = &c->arg[i];

	make_results(c, i);
	n.role = RSD_R_INT;
	n.same = no_array;
	cg_expr(c->cg, &n, c->n, &a->nr);
	cg_table(c->cg, &each, &table);
	cg_need(c->cg, CG_TAKE);
	rsd_buf_printf(&c->after, "take_handles(%s, results[%d], %s, &%s, sizeof(%s));\n",
		cg_handle(each.role), c->nr_results - 1, cg_text_of(&a->nr), cg_text_of(&table),
		each.type);
	rsd_buf_release(&table);
}

/* Does a constant (MPI_UNWEIGHTED) stand in an array's place at some of the calls? */
static bool has_instead(const struct cg *cg, const struct rsd_params *lengths)
{
	int *index;
	size_t nr = cg_constants(cg, lengths, &index);

	free(index);
	return nr > 0;
}

/* "nr_weights == -9 ? MPI_UNWEIGHTED : " before the array */
static void put_instead(struct cg_call *c, struct cg_arg *a, const struct rsd_params *lengths)
{
	struct rsd_buf array = a->text;
	int *index;
	size_t nr = cg_constants(c->cg, lengths, &index);

	a->text = RSD_BUF_INIT;
	for (size_t k = 0; k < nr; k++) {
		rsd_buf_printf(&a->text, "%s == ", cg_text_of(&a->nr));
		rsd_buf_put_decimal(&a->text, cg_instead(RSD_CONST(index[k])));
		rsd_buf_printf(&a->text, " ? %s : ", c->cg->t->constant[index[k]]);
	}
	rsd_buf_printf(&a->text, "%s", cg_text_of(&array));
	free(index);
	rsd_buf_release(&array);
}

/* How many elements the array has, as what may stand more than once. */
static void put_length(struct cg_call *c, int i, struct cg_column_of *n)
{
	struct cg_arg *a = &c->arg[i];
	int64_t same;
	char name[80];

	n->same = no_array;
	if (cg_constant(c->cg, n, c->n, &same)) {
		rsd_buf_put_decimal(&a->nr, same);
		return;
	}
	if (cg_expr(c->cg, n, c->n, &a->nr) && a->pure && !has_instead(c->cg, n->params))
		return;
	snprintf(name, sizeof(name), "nr_%s", c->p->proto->param[i].name);
	rsd_buf_printf(&c->before, "long %s = %s;\n", name, cg_text_of(&a->nr));
	rsd_buf_reset(&a->nr);
	rsd_buf_printf(&a->nr, "%s", name);
}

void cg_make_array(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_arg *a = &c->arg[i];
	struct cg_column_of n = cg_param_column(c, i, 0), each;
	bool all_absent, known;
	int64_t len;

	n.type = "int";
	n.role = RSD_R_INT;
	known = cg_constant(c->cg, &n, c->n, &len);
	n.length = !known;
	if (q->flags & RSD_P_MADE) {
		make_made_handles(c, i);
		return;
	}
	if (q->flags & RSD_P_OUT && !(known && rsd_is_const(len) && len != RSD_ABSENT)) {
		make_results(c, i);
		if (!known && has_instead(c->cg, n.params)) {
			put_length(c, i, &n);
			put_instead(c, a, n.params);
		}
		return;
	}
	all_absent = known && len == RSD_ABSENT;
	if (all_absent || (known && rsd_is_const(len))) {
		if (all_absent)
			cg_arg_set(a, "NULL");
		else
			cg_value(c->cg, &n, false, len, &a->text);
		rsd_buf_printf(&a->nr, "0");
		return;
	}
	each = value_column(c, i, 1);
	if (known) {
		rsd_buf_put_decimal(&a->nr, len);
		if (cg_literal(c->cg, &each, c->n, len, &a->text))
			goto done;
		/* Where it is absent there are no elements. */
		rsd_buf_reset(&a->nr);
	}
	put_length(c, i, &n);
	put_filler(c, i, &each);
done:
	if (c->makes_request)
		put_kept(c, a, q->type);
	if (q->inner > 1) {
		struct rsd_buf text = a->text;

		a->text = RSD_BUF_INIT;
		rsd_buf_printf(&a->text, "(%s (*)[%d])%s", q->type, q->inner, cg_text_of(&text));
		rsd_buf_release(&text);
	}
	if (!known)
		put_instead(c, a, n.params);
}

/* ---- handles -------------------------------------------------------------------------------------- */

/*
 * Handles that may be held more than once: freeing one must not make the variable null. That of a message may be
 * MPI_MESSAGE_NO_PROC, which is received again and again.
 */
static bool may_be_shared(int role)
{
	return role == RSD_R_GROUP || role == RSD_R_ERRHANDLER || role == RSD_R_DATATYPE ||
	       role == RSD_R_MESSAGE;
}

void cg_make_handle(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = cg_param_column(c, i, 0);
	struct cg_arg *a = &c->arg[i];
	int64_t v;

	if (!q->depth) {
		a->pure = cg_expr(c->cg, &col, c->n, &a->text);
	} else if (q->flags & RSD_P_FREED && may_be_shared(q->role)) {
		rsd_buf_printf(&a->text, "&(%s){ ", q->type);
		a->pure = cg_expr(c->cg, &col, c->n, &a->text);
		rsd_buf_printf(&a->text, " }");
	} else if (q->flags & (RSD_P_MADE | RSD_P_FREED)) {
		col.index = true;
		if (q->flags & RSD_P_MADE && cg_constant(c->cg, &col, c->n, &v) &&
			rsd_is_const(v)) {
			rsd_buf_printf(&a->text, "&(%s){ %s }", q->type, cg_handle_null(q->role));
			return;
		}
		rsd_buf_printf(&a->text, "&%s[", cg_handle(q->role));
		a->pure = cg_expr(c->cg, &col, c->n, &a->text);
		rsd_buf_printf(&a->text, "]");
	} else {
		rsd_buf_printf(&a->text, "&(%s){ ", q->type);
		a->pure = cg_expr(c->cg, &col, c->n, &a->text);
		rsd_buf_printf(&a->text, " }");
	}
}

/* ---- requests ---------------------------------------------------------------------------------------- */

static struct cg_column_of request_column(const struct cg_call *c, int i, bool each)
{
	struct cg_column_of col = cg_param_column(c, i, each);
	const struct cg_request_columns *r = &c->p->request[c->p->param[i]];

	col.col = rsd_func_columns(c->f) + 2 * c->p->param[i] + each;
	col.params = each ? &r->each : &r->var;
	col.role = RSD_R_REQUEST;
	col.type = "int";
	return col;
}

/* MPI_Startall takes no null requests: 'count' is of those that the program has. */
static void make_present(struct cg_call *c)
{
	int i = cg_param_named(c, "count");
	struct cg_arg *a = i < 0 ? NULL : &c->arg[i];
	struct rsd_buf count;

	if (!a || !c->p->lacks_request || cg_takes_null(c->f->name))
		return;
	cg_need(c->cg, CG_PRESENT);
	count = a->text;
	a->text = RSD_BUF_INIT;
	rsd_buf_printf(&a->text, "present(%s)", cg_text_of(&count));
	a->pure = false;
	rsd_buf_release(&count);
}

/* An array that does not lie in a row is put together for the call. */
static void make_copied(struct cg_call *c, int i, struct cg_column_of *n)
{
	struct cg_column_of each = request_column(c, i, true);
	struct rsd_buf table = RSD_BUF_INIT;
	struct cg_arg *a = &c->arg[i];

	cg_need(c->cg, CG_REQUESTS);
	if (!cg_expr(c->cg, n, c->n, &a->nr)) {
		rsd_buf_printf(&c->before, "long nr_requests = %s;\n", cg_text_of(&a->nr));
		rsd_buf_reset(&a->nr);
		rsd_buf_printf(&a->nr, "nr_requests");
	}
	cg_table(c->cg, &each, &table);
	rsd_buf_printf(&c->before, "MPI_Request *requests = gather(%s, &%s);\n", cg_text_of(&a->nr),
		cg_text_of(&table));
	rsd_buf_printf(&c->after, "scatter(%s);\n", cg_text_of(&a->nr));
	cg_arg_set(a, "requests");
	make_present(c);
	rsd_buf_release(&table);
}

void cg_make_request(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = request_column(c, i, false), n;
	struct cg_arg *a = &c->arg[i];
	int64_t len;

	if (cg_trace_type(c, i) == RSD_T_INTS) {
		n = cg_param_column(c, i, 0);
		n.type = "int";
		n.role = RSD_R_INT;
		if (cg_constant(c->cg, &n, c->n, &len) && rsd_is_const(len)) {
			cg_arg_set(a, "NULL");
			return;
		}
		if (c->p->copied) {
			make_copied(c, i, &n);
			return;
		}
	}
	rsd_buf_printf(&a->text, q->depth ? "&request[" : "request[");
	a->pure = cg_expr(c->cg, &col, c->n, &a->text);
	rsd_buf_printf(&a->text, "]");
}

/* ---- statuses -------------------------------------------------------------------------------------------- */

/* Ignored or not is all that matters; where there is none, it may be either. */
static int64_t same_status(int64_t v)
{
	if (rsd_is_const(v))
		return v == RSD_ABSENT ? v : RSD_STATUS_IGNORED;
	if (v == RSD_STATUS_ABSENT)
		return RSD_ABSENT;
	return v == RSD_STATUS_MATCHED ? RSD_STATUS_IGNORED : v;
}

void cg_make_status(struct cg_call *c, int i)
{
	struct cg_column_of kind = cg_param_column(c, i, 0);
	struct cg_arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;
	int64_t v;

	kind.same = same_status;
	if (cg_constant(c->cg, &kind, c->n, &v)) {
		c->cg->uses_status |= v != RSD_STATUS_IGNORED;
		cg_arg_set(a, v == RSD_STATUS_IGNORED ? "MPI_STATUS_IGNORE" : "&status");
		return;
	}
	cg_need(c->cg, CG_STATUS);
	c->cg->uses_status = true;
	cg_table(c->cg, &kind, &table);
	rsd_buf_printf(&a->text, "status_or_not(next(&%s))", cg_text_of(&table));
	a->pure = false;
	rsd_buf_release(&table);
}

void cg_make_statuses(struct cg_call *c, int i)
{
	struct cg_column_of n = cg_param_column(c, i, 0), kind = cg_param_column(c, i, 1);
	struct cg_arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;
	int64_t v, len = cg_largest(n.params), most = most_results(c, i);

	kind.same = same_status;
	if (len < most)
		len = most;
	if ((cg_constant(c->cg, &n, c->n, &v) && rsd_is_const(v) && v != RSD_ABSENT) ||
		(cg_constant(c->cg, &kind, c->n, &v) &&
			(v == RSD_STATUS_IGNORED || v == RSD_ABSENT))) {
		cg_arg_set(a, "MPI_STATUSES_IGNORE");
		return;
	}
	if (c->cg->nr_statuses < len)
		c->cg->nr_statuses = len;
	if (cg_constant(c->cg, &kind, c->n, &v)) {
		cg_arg_set(a, "statuses");
		return;
	}
	cg_need(c->cg, CG_STATUSES);
	n.role = RSD_R_INT;
	n.same = no_array;
	cg_expr(c->cg, &n, c->n, &a->nr);
	cg_table(c->cg, &kind, &table);
	rsd_buf_printf(
		&a->text, "statuses_or_not(%s, &%s)", cg_text_of(&a->nr), cg_text_of(&table));
	a->pure = false;
	rsd_buf_release(&table);
}
