/*
 * call.c - a place of the trace as a call of the program
 *
 * Arguments that are not simply expressions, and are needed twice (by a buffer's extent), or whether or not the call
 * is made (some failed), become variables of a block around the call.
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

#define LINE 96 /* a call is broken where it gets longer */
#define LONGEST_ARG 56

void cg_arg_set(struct cg_arg *a, const char *text)
{
	rsd_buf_reset(&a->text);
	rsd_buf_printf(&a->text, "%s", text);
}

const char *cg_text_of(struct rsd_buf *b)
{
	rsd_buf_put_byte(b, '\0');
	if (b->err)
		cg_nomem();
	b->len--;
	return (const char *)b->data;
}

int cg_param_named(const struct cg_call *c, const char *name)
{
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		if (!strcmp(c->p->proto->param[i].name, name))
			return i;
	}
	return -1;
}

struct cg_column_of cg_param_column(const struct cg_call *c, int i, int sub)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	int col = c->p->col[c->p->param[i]] + sub;

	return (struct cg_column_of){ .place = c->n->place,
		.col = col,
		.params = &c->cg->t->place[c->n->place].col[col],
		.type = q->role == RSD_R_STRING ? "const char *" : q->type,
		.role = q->role };
}

int cg_trace_type(const struct cg_call *c, int i)
{
	return c->f->param[c->p->param[i]].type;
}

/* ---- what is not recorded --------------------------------------------------------------------------------------- */

/* A status that is asked: made such that the answer is the recorded one. */
static void make_asked(struct cg_call *c, int i)
{
	int type = cg_param_named(c, "datatype"), count = cg_param_named(c, "count"),
	    flag = cg_param_named(c, "flag");
	struct rsd_buf nr = RSD_BUF_INIT;
	struct cg_column_of col;

	if (count < 0)
		count = cg_param_named(c, "elements");
	if (count < 0)
		count = flag;
	cg_need(c->cg, CG_COUNTED);
	rsd_buf_printf(&c->arg[i].text, "counted(");
	if (type >= 0 && !c->arg[type].pure)
		cg_make_variable(c, type);
	if (count >= 0) {
		col = cg_param_column(c, count, 0);
		c->arg[i].pure = cg_expr(c->cg, &col, c->n, &nr);
	} else {
		rsd_buf_printf(&nr, "0");
	}
	rsd_buf_printf(&c->arg[i].text, "%s, %s, %d)",
		type >= 0 ? cg_text_of(&c->arg[type].text) : "MPI_BYTE", cg_text_of(&nr), type < 0);
	rsd_buf_release(&nr);
}

static void make_skipped(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	if (!strncmp(c->f->name, "MPI_Init", 8) && !strcmp(q->name, "argc"))
		cg_arg_set(&c->arg[i], "&argc");
	else if (!strncmp(c->f->name, "MPI_Init", 8) && !strcmp(q->name, "argv"))
		cg_arg_set(&c->arg[i], "&argv");
	else if (!strcmp(q->type, "MPI_Status"))
		make_asked(c, i);
	else if (!strcmp(q->type, "void")) {
		c->cg->uses_spare = true;
		cg_arg_set(&c->arg[i], "spare");
	} else if (q->depth > 1)
		cg_arg_set(&c->arg[i], "NULL");
	else if (q->depth)
		cg_put_result(c, i);
	else
		cg_arg_set(&c->arg[i], "0");
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

void cg_make_variable(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_arg *a = &c->arg[i];
	char name[96];

	snprintf(name, sizeof(name), "%s%s", q->name, is_taken(q->name) ? "_" : "");
	if (q->role == RSD_R_STRING)
		rsd_buf_printf(&c->before, "const char *%s = %s;\n", name, cg_text_of(&a->text));
	else if (q->inner > 1)
		rsd_buf_printf(&c->before, "%s (*%s)[%d] = %s;\n", q->type, name, q->inner,
			cg_text_of(&a->text));
	else
		rsd_buf_printf(&c->before, "%s%s %s%s = %s;\n",
			q->flags & RSD_P_CONST ? "const " : "", q->type, q->depth ? "*" : "", name,
			cg_text_of(&a->text));
	cg_arg_set(a, name);
	a->pure = true;
}

static void make_string(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
	struct cg_column_of col = cg_param_column(c, i, 0);

	if (q->flags & RSD_P_OUT) {
		c->cg->uses_text = true;
		cg_arg_set(&c->arg[i], "text");
		return;
	}
	c->arg[i].pure = cg_expr(c->cg, &col, c->n, &c->arg[i].text);
	/* Of an older MPI, without const. */
	if (!(q->flags & RSD_P_CONST)) {
		struct rsd_buf text = c->arg[i].text;

		c->arg[i].text = RSD_BUF_INIT;
		rsd_buf_printf(&c->arg[i].text, "(char *)(%s)", cg_text_of(&text));
		rsd_buf_release(&text);
	}
}

static void make_arg(struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	if (q->flags & RSD_P_SKIPPED)
		make_skipped(c, i);
	else if (q->role == RSD_R_STATUS && cg_trace_type(c, i) == RSD_T_STATUSES)
		cg_make_statuses(c, i);
	else if (q->role == RSD_R_STATUS)
		cg_make_status(c, i);
	else if (q->role == RSD_R_REQUEST)
		cg_make_request(c, i);
	else if (q->role == RSD_R_STRING)
		make_string(c, i);
	else if (q->role == RSD_R_FUNCTION)
		cg_make_function(c, i);
	else if (cg_trace_type(c, i) == RSD_T_INTS)
		cg_make_array(c, i);
	else if (cg_handle(q->role))
		cg_make_handle(c, i);
	else
		cg_make_number(c, i);
}

/* Handles first, as peers refer to them; then all but buffers, which refer to those; asked statuses refer to types. */
static int turn_of(const struct rsd_prototype_param *q)
{
	if (!(q->flags & RSD_P_SKIPPED) && cg_handle(q->role) && !(q->flags & RSD_P_ARRAY))
		return 0;
	return !(q->flags & RSD_P_SKIPPED) && q->role == RSD_R_BUFFER ? 2 : 1;
}

/* Is the argument a value, and not the address of one? */
static bool can_be_variable(const struct cg_call *c, int i)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];

	return !q->depth && !(q->flags & (RSD_P_SKIPPED | RSD_P_CALLBACK)) &&
	       q->role != RSD_R_FUNCTION;
}

/* ---- calls that are not made ------------------------------------------------------------------------------------------ */

/* Did some of the place's calls fail? Which, is then in 'failed'. */
static bool put_failed(struct cg_call *c)
{
	int col = rsd_func_columns(c->f) - 1;
	struct cg_column_of ret = { .place = c->n->place,
		.col = col,
		.params = &c->cg->t->place[c->n->place].col[col],
		.type = "int",
		.role = RSD_R_ERROR };
	int64_t v;

	if (cg_constant(c->cg, &ret, c->n, &v) && v == 0)
		return false;
	rsd_buf_printf(&c->before, "int failed = ");
	cg_expr(c->cg, &ret, c->n, &c->before);
	rsd_buf_printf(&c->before, ";\n");
	return true;
}

/* The argument that may be a request which is not in the program, of a call that takes no such; -1. */
static int absent_request(const struct cg_call *c)
{
	for (int i = 0; c->p->lacks_request && i < c->p->proto->nr_params; i++) {
		const struct rsd_prototype_param *q = &c->p->proto->param[i];

		if (q->role == RSD_R_REQUEST && q->depth && cg_trace_type(c, i) != RSD_T_INTS &&
			!(q->flags & RSD_P_MADE) && !cg_takes_null(c->f->name))
			return i;
	}
	return -1;
}

/* Calls that are not made take their values all the same. */
static void put_guard(struct cg_call *c)
{
	int request = absent_request(c);
	size_t was = c->before.len;
	bool failed = put_failed(c);

	if (!failed && request < 0)
		return;
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		if (!c->arg[i].pure)
			cg_make_variable(c, i);
	}
	rsd_buf_printf(&c->before, "%s/* %s%s */\nif (%s%s", c->before.len > was ? "\n" : "",
		failed ? "failed in the traced run: left out"
		       : "of a request that is in the program",
		failed && request >= 0 ? "; of a request that is in the program" : "",
		failed ? "!failed" : "", failed && request >= 0 ? " && " : "");
	if (request >= 0) {
		const char *text = cg_text_of(&c->arg[request].text);

		rsd_buf_printf(&c->before, "%s%s != MPI_REQUEST_NULL", *text == '&' ? "" : "*",
			*text == '&' ? text + 1 : text);
	}
	rsd_buf_printf(&c->before, ")\n\t");
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

	for (cg_text_of(lines), s = (char *)lines->data; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if (end > s)
			cg_indent(cg);
		put_line(cg, s, end);
		if (*end)
			rsd_buf_put_byte(&cg->body, '\n');
	}
}

static void put_call(struct cg_call *c)
{
	struct rsd_buf *out = &c->cg->body;
	size_t line;
	bool hangs = c->before.len && c->before.data[c->before.len - 1] == '\t';

	if (!hangs)
		cg_indent(c->cg);
	line = out->len;
	rsd_buf_printf(out, "%s(", c->f->name);
	for (int i = 0; i < c->p->proto->nr_params; i++) {
		const char *text = cg_text_of(&c->arg[i].text);

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

static void write_call(struct cg_call *c)
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
	struct cg_call c = {
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
				cg_make_buffer(&c, i);
			else
				make_arg(&c, i);
		}
	}
	for (int i = 0; i < p->proto->nr_params; i++) {
		if (c.arg[i].text.len > LONGEST_ARG && can_be_variable(&c, i))
			cg_make_variable(&c, i);
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
