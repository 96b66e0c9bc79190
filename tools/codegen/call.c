/*
 * call.c - a place of the trace as a call of the program
 *
 * Arguments that are not simply expressions, and are needed twice (by a buffer's extent), or whether or not the call
 * is made (some failed), become variables of a block around the call.
 */
#include "codegen.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

#define LINE 96	     /* a call is broken where it gets longer */
#define LONG_TEXT 24 /* what would be written twice becomes a variable from here on */
#define LONGEST_ARG 56
#define TEXT_ROOM 8192 /* as in tools/replay/args.c: no result string is longer */

struct arg {
	struct rsd_buf text;
	struct rsd_buf nr; /* arrays: how many elements */
	char type[64];	   /* as a variable's */
	bool pure;
};

struct call {
	struct cg *cg;
	const struct rsd_node *n;
	const struct rsd_func *f;
	const struct cg_place *p;
	struct arg *arg;
	struct rsd_buf before, after; /* lines around the call */
	bool makes_request;
	int nr_results; /* arrays of results so far */
};

static void set(struct arg *a, const char *text)
{
	rsd_buf_reset(&a->text);
	rsd_buf_printf(&a->text, "%s", text);
}

static const char *text_of(struct rsd_buf *b)
{
	rsd_buf_put_byte(b, '\0');
	if (b->err)
		cg_nomem();
	b->len--;
	return (const char *)b->data;
}

static int param_named(const struct call *c, const char *name)
{
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		if (!strcmp(c->p->proto->param[i].name, name))
			return i;
	}
	return -1;
}

static struct cg_column_of column_of(const struct call *c, int i, int sub)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	int col = c->p->col[c->p->param[i]] + sub;

	return (struct cg_column_of){ .place = c->n->place,
		.col = col,
		.params = &c->cg->t->place[c->n->place].col[col],
		.type = q->type,
		.role = q->role };
}

static int trace_type(const struct call *c, int i)
{
	return c->f->param[c->p->param[i]].type;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* The communicator that a peer is a rank in. */
static const char *comm_of(const struct call *c, int i)
{
	int of = c->f->param[c->p->param[i]].of;

	for (int k = 0; of >= 0 && k < c->p->proto->nr_params; k++) {
		if (c->p->param[k] == of && c->arg[k].text.len)
			return text_of(&c->arg[k].text);
	}
	return NULL;
}

static void make_variable(struct call *c, int i);

static struct cg_column_of value_column(struct call *c, int i, int sub)
{
	struct cg_column_of col = column_of(c, i, sub);
	int of = c->f->param[c->p->param[i]].of;

	for (int k = 0; col.role == RSD_R_PEER && k < c->p->proto->nr_params; k++) {
		if (of >= 0 && c->p->param[k] == of && !c->arg[k].pure)
			make_variable(c, k);
	}
	if (col.role == RSD_R_PEER)
		col.comm = comm_of(c, i);
	return col;
}

/* The field of 'result' that a call's result goes to. */
static void put_result(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct rsd_buf field = RSD_BUF_INIT;

	rsd_buf_printf(&field, "\t%s %s%s%s;\n", q->type, q->name,
		strcmp(q->type, "int") ? "_" : "", strcmp(q->type, "int") ? q->type : "");
	text_of(&field);
	rsd_buf_put_byte(&c->cg->what, '\0');
	c->cg->what.len--;
	if (!c->cg->what.len || !strstr((char *)c->cg->what.data, (char *)field.data))
		rsd_buf_put(&c->cg->what, field.data, field.len);
	rsd_buf_printf(&c->arg[i].text, "&result.%s%s%s", q->name,
		strcmp(q->type, "int") ? "_" : "", strcmp(q->type, "int") ? q->type : "");
	rsd_buf_release(&field);
}

static void make_number(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct arg *a = &c->arg[i];
	struct cg_column_of col;

	if (q->depth && q->flags & RSD_P_OUT) {
		put_result(c, i);
		return;
	}
	col = value_column(c, i, 0);
	if (q->depth)
		rsd_buf_printf(&a->text, "&(%s){ ", q->type);
	a->pure = cg_expr(c->cg, &col, c->n, &a->text);
	if (q->depth)
		rsd_buf_printf(&a->text, " }");
}

/* The largest of the numbers among the arguments: no array of results is longer. */
static int64_t most_results(const struct call *c, int i)
{
	struct cg_column_of col = column_of(c, i, 0);
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
static void put_filler(struct call *c, int i, const struct cg_column_of *each)
{
	struct arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;

	cg_table(c->cg, each, &table);
	if (cg_handle(each->role)) {
		cg_need(c->cg, CG_HANDLES);
		rsd_buf_printf(&a->text, "(%s *)handles(%s, &%s, %s, sizeof(%s))", each->type,
			text_of(&a->nr), text_of(&table), cg_handle(each->role), each->type);
	} else if (each->role == RSD_R_PEER && each->params->enc[RSD_E_REL].nr) {
		cg_need(c->cg, CG_RELATIVE);
		rsd_buf_printf(&a->text, "peers_of(%s, &%s, %s)", text_of(&a->nr), text_of(&table),
			each->comm ? each->comm : "MPI_COMM_WORLD");
	} else {
		rsd_buf_printf(&a->text, "%s(%s, &%s)", filler_of(c->cg, each->type),
			text_of(&a->nr), text_of(&table));
	}
	a->pure = false;
	rsd_buf_release(&table);
}

static void put_kept(struct call *c, struct arg *a, const char *type)
{
	struct rsd_buf text = a->text;

	cg_need(c->cg, CG_KEPT);
	a->text = RSD_BUF_INIT;
	rsd_buf_printf(
		&a->text, "kept(%s, sizeof(%s) * (%s))", text_of(&text), type, text_of(&a->nr));
	rsd_buf_release(&text);
}

/* An array of results: room for all that MPI may write. */
static void make_results(struct call *c, int i)
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
static void make_made_handles(struct call *c, int i)
{
	struct cg_column_of n = column_of(c, i, 0), each = column_of(c, i, 1);
	struct rsd_buf table = RSD_BUF_INIT;
	struct arg *a = &c->arg[i];

	make_results(c, i);
	n.role = RSD_R_INT;
	n.same = no_array;
	cg_expr(c->cg, &n, c->n, &a->nr);
	cg_table(c->cg, &each, &table);
	cg_need(c->cg, CG_TAKE);
	rsd_buf_printf(&c->after, "take_handles(%s, results[%d], %s, &%s, sizeof(%s));\n",
		cg_handle(each.role), c->nr_results - 1, text_of(&a->nr), text_of(&table),
		each.type);
	rsd_buf_release(&table);
}

static void make_array(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct arg *a = &c->arg[i];
	struct cg_column_of n = column_of(c, i, 0), each;
	bool all_absent, known;
	int64_t len, same;

	n.type = "int";
	n.role = RSD_R_INT;
	known = cg_constant(c->cg, &n, c->n, &len);
	if (q->flags & RSD_P_MADE) {
		make_made_handles(c, i);
		return;
	}
	if (q->flags & RSD_P_OUT && !(known && rsd_is_const(len) && len != RSD_ABSENT)) {
		make_results(c, i);
		return;
	}
	all_absent = known && len == RSD_ABSENT;
	if (all_absent || (known && rsd_is_const(len))) {
		if (all_absent)
			set(a, "NULL");
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
	n.same = no_array;
	if (cg_constant(c->cg, &n, c->n, &same))
		rsd_buf_put_decimal(&a->nr, same);
	else if (!cg_expr(c->cg, &n, c->n, &a->nr))
		a->pure = false;
	if (!a->pure) {
		char name[80];

		snprintf(name, sizeof(name), "nr_%s", q->name);
		rsd_buf_printf(&c->before, "long %s = %s;\n", name, text_of(&a->nr));
		rsd_buf_reset(&a->nr);
		rsd_buf_printf(&a->nr, "%s", name);
	}
	put_filler(c, i, &each);
done:
	if (c->makes_request)
		put_kept(c, a, q->type);
	if (q->inner > 1) {
		struct rsd_buf text = a->text;

		a->text = RSD_BUF_INIT;
		rsd_buf_printf(&a->text, "(%s (*)[%d])%s", q->type, q->inner, text_of(&text));
		rsd_buf_release(&text);
	}
}

/* ---- handles -------------------------------------------------------------------------------------- */

/* Handles that may be held more than once: freeing one must not make the variable null. */
static bool may_be_shared(int role)
{
	return role == RSD_R_GROUP || role == RSD_R_ERRHANDLER || role == RSD_R_DATATYPE;
}

static void make_handle(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = column_of(c, i, 0);
	struct arg *a = &c->arg[i];
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

static struct cg_column_of request_column(const struct call *c, int i, bool each)
{
	struct cg_column_of col = column_of(c, i, each);
	const struct cg_request_columns *r = &c->p->request[c->p->param[i]];

	col.col = rsd_func_columns(c->f) + 2 * c->p->param[i] + each;
	col.params = each ? &r->each : &r->var;
	col.role = RSD_R_REQUEST;
	col.type = "int";
	return col;
}

/* An array that does not lie in a row is put together for the call. */
static void make_copied(struct call *c, int i, struct cg_column_of *n)
{
	struct cg_column_of each = request_column(c, i, true);
	struct rsd_buf table = RSD_BUF_INIT;
	struct arg *a = &c->arg[i];

	cg_need(c->cg, CG_REQUESTS);
	if (!cg_expr(c->cg, n, c->n, &a->nr)) {
		rsd_buf_printf(&c->before, "long nr_requests = %s;\n", text_of(&a->nr));
		rsd_buf_reset(&a->nr);
		rsd_buf_printf(&a->nr, "nr_requests");
	}
	cg_table(c->cg, &each, &table);
	rsd_buf_printf(&c->before, "MPI_Request *requests = gather(%s, &%s);\n", text_of(&a->nr),
		text_of(&table));
	rsd_buf_printf(&c->after, "scatter(%s);\n", text_of(&a->nr));
	set(a, "requests");
	rsd_buf_release(&table);
}

static void make_request(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = request_column(c, i, false), n;
	struct arg *a = &c->arg[i];
	int64_t len;

	if (trace_type(c, i) == RSD_T_INTS) {
		n = column_of(c, i, 0);
		n.type = "int";
		n.role = RSD_R_INT;
		if (cg_constant(c->cg, &n, c->n, &len) && rsd_is_const(len)) {
			set(a, "NULL");
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

static void make_status(struct call *c, int i)
{
	struct cg_column_of kind = column_of(c, i, 0);
	struct arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;
	int64_t v;

	kind.same = same_status;
	if (cg_constant(c->cg, &kind, c->n, &v)) {
		c->cg->uses_status |= v != RSD_STATUS_IGNORED;
		set(a, v == RSD_STATUS_IGNORED ? "MPI_STATUS_IGNORE" : "&status");
		return;
	}
	cg_need(c->cg, CG_STATUS);
	c->cg->uses_status = true;
	cg_table(c->cg, &kind, &table);
	rsd_buf_printf(&a->text, "status_or_not(next(&%s))", text_of(&table));
	a->pure = false;
	rsd_buf_release(&table);
}

static void make_statuses(struct call *c, int i)
{
	struct cg_column_of n = column_of(c, i, 0), kind = column_of(c, i, 1);
	struct arg *a = &c->arg[i];
	struct rsd_buf table = RSD_BUF_INIT;
	int64_t v, len = cg_largest(n.params), most = most_results(c, i);

	kind.same = same_status;
	if (len < most)
		len = most;
	if ((cg_constant(c->cg, &n, c->n, &v) && rsd_is_const(v) && v != RSD_ABSENT) ||
		(cg_constant(c->cg, &kind, c->n, &v) &&
			(v == RSD_STATUS_IGNORED || v == RSD_ABSENT))) {
		set(a, "MPI_STATUSES_IGNORE");
		return;
	}
	if (c->cg->nr_statuses < len)
		c->cg->nr_statuses = len;
	if (cg_constant(c->cg, &kind, c->n, &v)) {
		set(a, "statuses");
		return;
	}
	cg_need(c->cg, CG_STATUSES);
	n.role = RSD_R_INT;
	n.same = no_array;
	cg_expr(c->cg, &n, c->n, &a->nr);
	cg_table(c->cg, &kind, &table);
	rsd_buf_printf(&a->text, "statuses_or_not(%s, &%s)", text_of(&a->nr), text_of(&table));
	a->pure = false;
	rsd_buf_release(&table);
}

/* ---- callbacks ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *type, *ret, *params, *body;
} stand_in[] = {
	{ "MPI_User_function", "void", "void *in, void *inout, int *len, MPI_Datatype *type", "" },
	{ "MPI_Comm_copy_attr_function", "int",
		"MPI_Comm c, int key, void *extra, void *from, void *to, int *flag",
		"\t*(void **)to = from;\n\t*flag = 1;\n\treturn MPI_SUCCESS;\n" },
	{ "MPI_Comm_delete_attr_function", "int", "MPI_Comm c, int key, void *value, void *extra",
		"\treturn MPI_SUCCESS;\n" },
	{ "MPI_Type_copy_attr_function", "int",
		"MPI_Datatype t, int key, void *extra, void *from, void *to, int *flag",
		"\t*(void **)to = from;\n\t*flag = 1;\n\treturn MPI_SUCCESS;\n" },
	{ "MPI_Type_delete_attr_function", "int",
		"MPI_Datatype t, int key, void *value, void *extra", "\treturn MPI_SUCCESS;\n" },
	{ "MPI_Comm_errhandler_function", "void", "MPI_Comm *c, int *code, ...", "" },
};

static int find_stand_in(const char *type)
{
	static const char *const older[][2] = {
		{ "MPI_Copy_function", "MPI_Comm_copy_attr_function" },
		{ "MPI_Delete_function", "MPI_Comm_delete_attr_function" },
		{ "MPI_Handler_function", "MPI_Comm_errhandler_function" },
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(older); i++) {
		if (!strcmp(older[i][0], type))
			type = older[i][1];
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(stand_in); i++) {
		if (!strcmp(stand_in[i].type, type))
			return (int)i;
	}
	return -1;
}

bool cg_has_stand_in(const char *type)
{
	return find_stand_in(type) >= 0;
}

static void make_function(struct call *c, int i)
{
	struct cg_column_of col = column_of(c, i, 0);
	struct rsd_buf *names = &c->cg->function_names;
	int k = find_stand_in(c->p->proto->param[i].type);
	char name[96];
	int64_t v = 0;

	cg_constant(c->cg, &col, c->n, &v);
	if (rsd_is_const(v)) {
		cg_value(c->cg, &col, false, v, &c->arg[i].text);
		return;
	}
	snprintf(name, sizeof(name), "callback_%d_%" PRId64, k, v);
	set(&c->arg[i], name);
	rsd_buf_printf(names, " ");
	if (strstr(text_of(names), name))
		return;
	rsd_buf_printf(names, "%s ", name);
	/* Equal functions may be given one address, by which a tracer tells them apart. */
	rsd_buf_printf(&c->cg->functions,
		"static %s %s(%s)\n{\n\tstatic volatile int called;\n\n\tcalled = %d * 1000 + "
		"(int)%" PRId64 ";\n\t(void)called;\n%s}\n\n",
		stand_in[k].ret, name, stand_in[k].params, k, v, stand_in[k].body);
}

/* ---- what is not recorded --------------------------------------------------------------------------------------- */

/* A status that is asked: made such that the answer is the recorded one. */
static void make_asked(struct call *c, int i)
{
	int type = param_named(c, "datatype"), count = param_named(c, "count"),
	    flag = param_named(c, "flag");
	struct rsd_buf nr = RSD_BUF_INIT;
	struct cg_column_of col;

	if (count < 0)
		count = param_named(c, "elements");
	if (count < 0)
		count = flag;
	cg_need(c->cg, CG_COUNTED);
	rsd_buf_printf(&c->arg[i].text, "counted(");
	if (type >= 0 && !c->arg[type].pure)
		make_variable(c, type);
	if (count >= 0) {
		col = column_of(c, count, 0);
		c->arg[i].pure = cg_expr(c->cg, &col, c->n, &nr);
	} else {
		rsd_buf_printf(&nr, "0");
	}
	rsd_buf_printf(&c->arg[i].text, "%s, %s, %d)",
		type >= 0 ? text_of(&c->arg[type].text) : "MPI_BYTE", text_of(&nr), type < 0);
	rsd_buf_release(&nr);
}

static void make_skipped(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	if (!strncmp(c->f->name, "MPI_Init", 8) && !strcmp(q->name, "argc"))
		set(&c->arg[i], "&argc");
	else if (!strncmp(c->f->name, "MPI_Init", 8) && !strcmp(q->name, "argv"))
		set(&c->arg[i], "&argv");
	else if (!strcmp(q->type, "MPI_Status"))
		make_asked(c, i);
	else if (!strcmp(q->type, "void")) {
		c->cg->uses_spare = true;
		set(&c->arg[i], "spare");
	} else if (q->depth > 1)
		set(&c->arg[i], "NULL");
	else if (q->depth)
		put_result(c, i);
	else
		set(&c->arg[i], "0");
}

/* ---- buffers -------------------------------------------------------------------------------------------------------- */

/* A parameter's text as a factor; what moves a cursor becomes a variable. */
static void put_factor(struct call *c, int i, struct rsd_buf *out)
{
	const char *text;

	if (!c->arg[i].pure || c->arg[i].text.len > LONG_TEXT)
		make_variable(c, i);
	text = text_of(&c->arg[i].text);
	rsd_buf_printf(out, strchr(text, ' ') ? "(%s)" : "%s", text);
}

static const char *const facts[][2] = {
	{ "peers", "peers(" },
	{ "size", "local_size(" },
	{ "in_degree", "degree(0, " },
	{ "out_degree", "degree(1, " },
};

/* A product of the spec's, in the program's words. */
static void put_product(struct call *c, const char *s, struct rsd_buf *out)
{
	while (*s) {
		size_t len = 0;
		char word[64];
		int i;

		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		if (!len || len >= sizeof(word)) {
			rsd_buf_put_byte(out, (unsigned char)*s++);
			continue;
		}
		memcpy(word, s, len);
		word[len] = '\0';
		s += len;
		i = param_named(c, word);
		if (*s == '(') {
			for (size_t k = 0; k < RSD_ARRAY_SIZE(facts); k++)
				rsd_buf_printf(
					out, "%s", strcmp(facts[k][0], word) ? "" : facts[k][1]);
			cg_need(c->cg, !strcmp(word, "peers")  ? CG_PEER
				       : !strcmp(word, "size") ? CG_LOCAL_SIZE
							       : CG_DEGREES);
			s++;
		} else if (i >= 0) {
			put_factor(c, i, out);
		} else {
			rsd_buf_printf(out, "%s", word);
		}
	}
}

/* An upper bound of a product over all calls and ranks; -1: none is known before the program runs. */
static int64_t product_bound(const struct call *c, const char *s)
{
	int64_t bound = 1;

	while (*s) {
		size_t len = strcspn(s, " *(");
		char word[64];
		int64_t v = -1;
		int i;

		if (!len || len >= sizeof(word))
			return -1;
		memcpy(word, s, len);
		word[len] = '\0';
		i = param_named(c, word);
		if (s[len] == '(' && (!strcmp(word, "peers") || !strcmp(word, "size"))) {
			v = c->cg->t->nprocs;
			len = strcspn(s, ")") + 1;
		} else if (i >= 0 && c->p->param[i] >= 0 && trace_type(c, i) == RSD_T_INT) {
			v = cg_largest(column_of(c, i, 0).params);
		} else if (isdigit((unsigned char)*word)) {
			v = strtoll(word, NULL, 10);
		}
		if (v < 0 || __builtin_mul_overflow(bound, v, &bound))
			return -1;
		s += len;
		s += strspn(s, " *");
	}
	return bound;
}

struct widest {
	const struct cg *cg;
	int64_t bytes; /* -1: not known */
};

static int widen(const struct rsd_section *s, void *arg)
{
	struct widest *w = arg;
	const struct rsd_object *o;

	if (s->body || s->start == RSD_ABSENT)
		return 0;
	o = rsd_is_const(s->start) ? rsd_trace_find_object(w->cg->t, RSD_O_DATATYPE, s->start)
				   : NULL;
	if (!o) {
		w->bytes = -1;
		return 1;
	}
	if (cg_largest(&o->attr[0]) > w->bytes)
		w->bytes = cg_largest(&o->attr[0]);
	return 0;
}

/* The largest predefined type; with room for what their extents have beyond their sizes. */
static int64_t type_bound(const struct call *c, int i)
{
	struct cg_column_of col = column_of(c, i, 0);
	struct widest w = { c->cg, 0 };

	for (size_t k = 0; k < col.params->enc[RSD_E_ABS].nr && w.bytes >= 0; k++) {
		if (col.params->enc[RSD_E_ABS].variant[k].nr_numbers)
			return -1;
		rsd_column_sections(col.params->enc[RSD_E_ABS].variant[k].col, widen, &w);
	}
	return w.bytes < 0 ? -1 : 2 * w.bytes;
}

static bool is_array(const struct call *c, const char *name)
{
	int i = param_named(c, name);

	return i >= 0 && c->p->param[i] >= 0 && trace_type(c, i) == RSD_T_INTS;
}

static void put_vector(struct call *c, const struct rsd_prototype_param *q, struct rsd_buf *out)
{
	int counts = param_named(c, q->extent), types = param_named(c, q->extent_type);
	int displs = q->extent_displs ? param_named(c, q->extent_displs) : -1;
	bool each = is_array(c, q->extent_type);

	if (!c->arg[counts].pure)
		make_variable(c, counts);
	if (displs >= 0 && !c->arg[displs].pure)
		make_variable(c, displs);
	if (!c->arg[types].pure)
		make_variable(c, types);
	cg_need(c->cg, each ? CG_SPANS_OF_TYPES : CG_SPANS);
	rsd_buf_printf(out, "%s(&%s, %s, %s, %s, %s, %zu)", each ? "spans_of_types" : "spans",
		q->flags & RSD_P_CONST ? "sendbuf" : "recvbuf", text_of(&c->arg[counts].nr),
		text_of(&c->arg[counts].text), displs < 0 ? "NULL" : text_of(&c->arg[displs].text),
		text_of(&c->arg[types].text),
		!strcmp(c->p->proto->param[counts].type, "int") ? sizeof(int) : sizeof(int64_t));
}

/* Where the call may read or write. */
static void put_own(struct call *c, const struct rsd_prototype_param *q, struct rsd_buf *out)
{
	const char *name = q->flags & RSD_P_CONST ? "sendbuf" : "recvbuf";
	int64_t *len = q->flags & RSD_P_CONST ? &c->cg->send_len : &c->cg->recv_len, bytes = -1,
		bound;

	*(q->flags & RSD_P_CONST ? &c->cg->uses_send : &c->cg->uses_recv) = true;
	if (q->flags & RSD_P_KEPT) {
		cg_need(c->cg, CG_OWN);
		rsd_buf_printf(out, "own(");
		put_product(c, q->extent, out);
		rsd_buf_printf(out, ")");
		return;
	}
	if (q->extent_type && is_array(c, q->extent)) {
		put_vector(c, q, out);
		return;
	}
	bound = product_bound(c, q->extent);
	if (!q->extent_type)
		bytes = 1;
	else if (!is_array(c, q->extent_type))
		bytes = type_bound(c, param_named(c, q->extent_type));
	if (bound >= 0 && bytes >= 0 && !__builtin_mul_overflow(bound, bytes, &bytes) &&
		bytes < INT64_C(1) << 40) {
		if (*len < bytes)
			*len = bytes;
		rsd_buf_printf(out, "%s", name);
		return;
	}
	cg_need(c->cg, CG_SPAN);
	rsd_buf_printf(out, "span(&%s, ", name);
	put_product(c, q->extent, out);
	rsd_buf_printf(out, ", ");
	if (q->extent_type)
		put_factor(c, param_named(c, q->extent_type), out);
	else
		rsd_buf_printf(out, "MPI_BYTE");
	rsd_buf_printf(out, ")");
}

static void make_buffer(struct call *c, int i)
{
	struct cg_column_of col = column_of(c, i, 0);
	struct rsd_buf own = RSD_BUF_INIT;
	int64_t v = 0;

	if (cg_constant(c->cg, &col, c->n, &v) && rsd_is_const(v) && v != RSD_ABSENT) {
		cg_value(c->cg, &col, false, v, &c->arg[i].text);
		return;
	}
	put_own(c, &c->p->proto->param[i], &own);
	col.own = text_of(&own);
	c->arg[i].pure = cg_expr(c->cg, &col, c->n, &c->arg[i].text);
	rsd_buf_release(&own);
}

/* ---- the call ---------------------------------------------------------------------------------------------------------- */

/* Names of the program's own, which a block's variable must not hide. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = { "comm", "type", "op", "group", "win", "file", "info",
		"errhandler", "message", "session", "keyval", "request", "status", "statuses",
		"rank", "size", "text", "texts", "result", "results", "spare", "sendbuf", "recvbuf",
		"peers", "peer", "next", "span", "spans", "own", "kept", "ints", "aints", "counts",
		"handles", "degree", "position", "failed", "requests" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(taken); i++) {
		if (!strcmp(taken[i], name))
			return true;
	}
	return false;
}

static void make_variable(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct arg *a = &c->arg[i];
	char name[96];

	snprintf(name, sizeof(name), "%s%s", q->name, is_taken(q->name) ? "_" : "");
	if (q->role == RSD_R_STRING)
		rsd_buf_printf(&c->before, "const char *%s = %s;\n", name, text_of(&a->text));
	else if (q->inner > 1)
		rsd_buf_printf(&c->before, "%s (*%s)[%d] = %s;\n", q->type, name, q->inner,
			text_of(&a->text));
	else
		rsd_buf_printf(&c->before, "%s%s %s%s = %s;\n",
			q->flags & RSD_P_CONST ? "const " : "", q->type, q->depth ? "*" : "", name,
			text_of(&a->text));
	set(a, name);
	a->pure = true;
}

static void make_string(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = column_of(c, i, 0);

	if (q->flags & RSD_P_OUT) {
		c->cg->uses_text = true;
		set(&c->arg[i], "text");
		return;
	}
	c->arg[i].pure = cg_expr(c->cg, &col, c->n, &c->arg[i].text);
	/* Of an older MPI, without const. */
	if (!(q->flags & RSD_P_CONST)) {
		struct rsd_buf text = c->arg[i].text;

		c->arg[i].text = RSD_BUF_INIT;
		rsd_buf_printf(&c->arg[i].text, "(char *)(%s)", text_of(&text));
		rsd_buf_release(&text);
	}
}

static void make_arg(struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	if (q->flags & RSD_P_SKIPPED)
		make_skipped(c, i);
	else if (q->role == RSD_R_STATUS && trace_type(c, i) == RSD_T_STATUSES)
		make_statuses(c, i);
	else if (q->role == RSD_R_STATUS)
		make_status(c, i);
	else if (q->role == RSD_R_REQUEST)
		make_request(c, i);
	else if (q->role == RSD_R_STRING)
		make_string(c, i);
	else if (q->role == RSD_R_FUNCTION)
		make_function(c, i);
	else if (trace_type(c, i) == RSD_T_INTS)
		make_array(c, i);
	else if (cg_handle(q->role))
		make_handle(c, i);
	else
		make_number(c, i);
}

/* Handles first, as peers refer to them; then all but buffers, which refer to those; asked statuses refer to types. */
static int turn_of(const struct rsd_prototype_param *q)
{
	if (!(q->flags & RSD_P_SKIPPED) && cg_handle(q->role) && !(q->flags & RSD_P_ARRAY))
		return 0;
	return !(q->flags & RSD_P_SKIPPED) && q->role == RSD_R_BUFFER ? 2 : 1;
}

/* Is the argument a value, and not the address of one? */
static bool can_be_variable(const struct call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	return !q->depth && !(q->flags & (RSD_P_SKIPPED | RSD_P_CALLBACK)) &&
	       q->role != RSD_R_FUNCTION;
}

/* ---- failed calls ----------------------------------------------------------------------------------------------------- */

/* Some of the place's calls failed: these are not made, but take their values. */
static void put_guard(struct call *c)
{
	int col = rsd_func_columns(c->f) - 1;
	struct cg_column_of ret = { .place = c->n->place,
		.col = col,
		.params = &c->cg->t->place[c->n->place].col[col],
		.type = "int",
		.role = RSD_R_ERROR };
	int64_t v;

	if (cg_constant(c->cg, &ret, c->n, &v) && v == 0)
		return;
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		if (!c->arg[i].pure)
			make_variable(c, i);
	}
	rsd_buf_printf(&c->before, "int failed = ");
	cg_expr(c->cg, &ret, c->n, &c->before);
	rsd_buf_printf(
		&c->before, ";\n\n/* failed in the traced run: left out */\nif (!failed)\n\t");
}

/* ---- writing -------------------------------------------------------------------------------------------------------------- */

/* A line, broken behind a case where it gets long; not inside a string. */
static void put_line(struct cg *cg, const char *s, const char *end)
{
	size_t from = cg->body.len;
	bool quoted = false;

	for (; s < end; s++) {
		rsd_buf_put_byte(&cg->body, (unsigned char)*s);
		if (*s == '\\' && quoted && s + 1 < end)
			rsd_buf_put_byte(&cg->body, (unsigned char)*++s);
		else if (*s == '"')
			quoted = !quoted;
		else if (*s == ':' && !quoted && cg->body.len - from > LINE / 2) {
			rsd_buf_printf(&cg->body, "\n\t");
			cg_indent(cg);
			from = cg->body.len;
			s += s + 1 < end && s[1] == ' ';
		}
	}
}

static void put_lines(struct cg *cg, struct rsd_buf *lines)
{
	char *s = (char *)lines->data, *end;

	for (text_of(lines), s = (char *)lines->data; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if (end > s)
			cg_indent(cg);
		put_line(cg, s, end);
		if (*end)
			rsd_buf_put_byte(&cg->body, '\n');
	}
}

static void put_call(struct call *c)
{
	struct rsd_buf *out = &c->cg->body;
	size_t line;
	bool hangs = c->before.len && c->before.data[c->before.len - 1] == '\t';

	if (!hangs)
		cg_indent(c->cg);
	line = out->len;
	rsd_buf_printf(out, "%s(", c->f->name);
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		const char *text = text_of(&c->arg[i].text);

		if (i)
			rsd_buf_printf(out, ",");
		if (i && out->len - line + strlen(text) + 8 * (size_t)c->cg->depth > LINE) {
			rsd_buf_printf(out, "\n\t");
			cg_indent(c->cg);
			line = out->len;
		} else if (i) {
			rsd_buf_printf(out, " ");
		}
		rsd_buf_printf(out, "%s", text);
	}
	rsd_buf_printf(out, ");\n");
}

static void write_call(struct call *c)
{
	bool block = c->before.len || c->after.len;

	if (block) {
		cg_indent(c->cg);
		rsd_buf_printf(&c->cg->body, "{\n");
		c->cg->depth++;
		put_lines(c->cg, &c->before);
		if (c->before.len && c->before.data[c->before.len - 1] != '\t')
			rsd_buf_printf(&c->cg->body, "\n");
	}
	put_call(c);
	if (block) {
		put_lines(c->cg, &c->after);
		c->cg->depth--;
		cg_indent(c->cg);
		rsd_buf_printf(&c->cg->body, "}\n");
	}
}

void cg_call(struct cg *cg, const struct rsd_node *n)
{
	struct cg_place *p = &cg->place[n->place];
	struct call c = {
		.cg = cg, .n = n, .f = &cg->t->func[cg->t->place[n->place].func], .p = p
	};

	c.arg = cg_alloc((size_t)p->proto->nr_params, sizeof(*c.arg));
	for (int i = 0; i < p->proto->nr_params; i++) {
		c.arg[i].pure = true;
		c.makes_request |= p->proto->param[i].role == RSD_R_REQUEST &&
				   p->proto->param[i].flags & RSD_P_MADE;
	}
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < p->proto->nr_params; i++) {
			if (turn_of(&p->proto->param[i]) != turn)
				continue;
			if (turn == 2)
				make_buffer(&c, i);
			else
				make_arg(&c, i);
		}
	}
	for (int i = 0; i < p->proto->nr_params; i++) {
		if (c.arg[i].text.len > LONGEST_ARG && can_be_variable(&c, i))
			make_variable(&c, i);
	}
	put_guard(&c);
	write_call(&c);
	for (int i = 0; i < p->proto->nr_params; i++) {
		rsd_buf_release(&c.arg[i].text);
		rsd_buf_release(&c.arg[i].nr);
	}
	rsd_buf_release(&c.before);
	rsd_buf_release(&c.after);
	free(c.arg);
}
