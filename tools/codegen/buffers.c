/*
 * buffers.c - the memory that a call may read or write, from the extents of the spec
 */
#include "call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

#define LONG_TEXT 24 /* what would be written twice becomes a variable from here on */

/* ---- buffers -------------------------------------------------------------------------------------------------------- */

/* A parameter's text as a factor; what moves a cursor becomes a variable. */
static void put_factor(struct cg_call *c, int i, struct rsd_buf *out)
{
	const char *text;

	if (!c->arg[i].pure || c->arg[i].text.len > LONG_TEXT)
		cg_make_variable(c, i);
	text = cg_text_of(&c->arg[i].text);
	rsd_buf_printf(out, strchr(text, ' ') ? "(%s)" : "%s", text);
}

static const char *const facts[][2] = {
	{ "peers", "peers(" },
	{ "size", "local_size(" },
	{ "in_degree", "degree(0, " },
	{ "out_degree", "degree(1, " },
};

/* A product of the spec's, in the program's words. */
static void put_product(struct cg_call *c, const char *s, struct rsd_buf *out)
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
		i = cg_param_named(c, word);
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

/* As the program's enough() has it (prelude.c). */
static int64_t stretched(int64_t v, double stretch)
{
	double most = (double)v * stretch;

	if (v >= INT32_MAX)
		return v;
	return most < INT32_MAX - 1 ? (int64_t)most + 1 : INT32_MAX;
}

/* An upper bound of a product over all calls and ranks; -1: none is known before the program runs. */
static int64_t product_bound(const struct cg_call *c, const char *s)
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
		i = cg_param_named(c, word);
		if (s[len] == '(' && (!strcmp(word, "peers") || !strcmp(word, "size"))) {
			v = c->cg->t->nprocs;
			len = strcspn(s, ")") + 1;
		} else if (i >= 0 && c->p->param[i] >= 0 && cg_trace_type(c, i) == RSD_T_INT) {
			v = cg_largest(cg_param_column(c, i, 0).params);
			if (cg_stretch_of(c, i) > 1 && v > 0)
				v = stretched(v, c->cg->stretch);
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
static int64_t type_bound(const struct cg_call *c, int i)
{
	struct cg_column_of col = cg_param_column(c, i, 0);
	struct widest w = { c->cg, 0 };

	for (size_t k = 0; k < col.params->enc[RSD_E_ABS].nr && w.bytes >= 0; k++) {
		if (col.params->enc[RSD_E_ABS].variant[k].nr_numbers)
			return -1;
		rsd_column_sections(col.params->enc[RSD_E_ABS].variant[k].col, widen, &w);
	}
	return w.bytes < 0 ? -1 : 2 * w.bytes;
}

static bool is_array(const struct cg_call *c, const char *name)
{
	int i = cg_param_named(c, name);

	return i >= 0 && c->p->param[i] >= 0 && cg_trace_type(c, i) == RSD_T_INTS;
}

static void put_vector(struct cg_call *c, const struct rsd_prototype_param *q, struct rsd_buf *out)
{
	int counts = cg_param_named(c, q->extent), types = cg_param_named(c, q->extent_type);
	int displs = q->extent_displs ? cg_param_named(c, q->extent_displs) : -1;
	bool each = is_array(c, q->extent_type);

	if (!c->arg[counts].pure)
		cg_make_variable(c, counts);
	if (displs >= 0 && !c->arg[displs].pure)
		cg_make_variable(c, displs);
	if (!c->arg[types].pure)
		cg_make_variable(c, types);
	cg_need(c->cg, each ? CG_SPANS_OF_TYPES : CG_SPANS);
	rsd_buf_printf(out, "%s(&%s, %s, %s, %s, %s, %zu)", each ? "spans_of_types" : "spans",
		q->flags & RSD_P_CONST ? "sendbuf" : "recvbuf", cg_text_of(&c->arg[counts].nr),
		cg_text_of(&c->arg[counts].text),
		displs < 0 ? "NULL" : cg_text_of(&c->arg[displs].text),
		cg_text_of(&c->arg[types].text),
		!strcmp(c->p->proto->param[counts].type, "int") ? sizeof(int) : sizeof(int64_t));
}

/*
 * Does no call at the node send or receive what is in the buffer? Whose it is are the next peers behind it, as in
 * tools/replay/spans.c.
 */
static bool is_nowhere(const struct cg_call *c, int i)
{
	const struct rsd_prototype *proto = c->p->proto;
	bool found = false;

	for (int k = i + 1; k < proto->nr_params; k++) {
		const struct rsd_prototype_param *q = &proto->param[k];
		struct cg_column_of col;
		int64_t v;

		if (q->flags & RSD_P_SKIPPED || c->p->param[k] < 0)
			continue;
		if (q->role == RSD_R_BUFFER && found)
			break;
		if (q->role != RSD_R_PEER)
			continue;
		col = cg_param_column(c, k, 0);
		if (!cg_constant(c->cg, &col, c->n, &v) || !rsd_is_const(v) || v == RSD_ABSENT ||
			strcmp(c->cg->t->constant[rsd_const_index(v)], "MPI_PROC_NULL"))
			return false;
		found = true;
	}
	return found;
}

/* Where the call may read or write. */
static void put_own(struct cg_call *c, int i, struct rsd_buf *out)
{
	const struct rsd_prototype_param *q = &c->p->proto->param[i];
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
	bound = is_nowhere(c, i) ? 0 : product_bound(c, q->extent);
	if (!q->extent_type || bound == 0)
		bytes = 1;
	else if (!is_array(c, q->extent_type))
		bytes = type_bound(c, cg_param_named(c, q->extent_type));
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
		put_factor(c, cg_param_named(c, q->extent_type), out);
	else
		rsd_buf_printf(out, "MPI_BYTE");
	rsd_buf_printf(out, ")");
}

void cg_make_buffer(struct cg_call *c, int i)
{
	struct cg_column_of col = cg_param_column(c, i, 0);
	struct rsd_buf own = RSD_BUF_INIT;
	int64_t v = 0;

	if (cg_constant(c->cg, &col, c->n, &v) && rsd_is_const(v) && v != RSD_ABSENT) {
		cg_value(c->cg, &col, false, v, &c->arg[i].text);
		return;
	}
	put_own(c, i, &own);
	col.own = cg_text_of(&own);
	c->arg[i].pure = cg_expr(c->cg, &col, c->n, &c->arg[i].text);
	rsd_buf_release(&own);
}
