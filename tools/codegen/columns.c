/*
 * columns.c - a column over ranks as a C expression
 *
 * Tried in this order, for the ranks that are at a node:
 *
 *	one value				5
 *	one a rank				rank == 0 ? 5 : 7		1 + 64 * rank
 *	one a rank, relative to it		(rank + 1) % size
 *	regular in the loops around		10 + 2 * i + j			(int[]){ -1, 1, -64, 64 }[j]
 *	anything else				next(&c17)
 *
 * A value that is absent on some ranks may be any other there: the call does not look at it. Only a place that
 * stands at a single node may be written in terms of its loops.
 */
#include "columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"
#include "util.h"

#define MAX_SPLIT 16 /* ranks that are looked at one by one */
#define MAX_CASES 4  /* values told apart by rank */

_Noreturn void cg_nomem(void)
{
	exit(rsd_tool_error("out of memory"));
}

void *cg_alloc(size_t nr, size_t size)
{
	void *p = rsd_calloc(nr ? nr : 1, size);

	if (!p)
		cg_nomem();
	return p;
}

/* ---- who is at a node -------------------------------------------------------------- */

/* A call's variants may be of both encodings: visits those that someone at 'n' has. */
int cg_each_variant(const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n,
	int (*fn)(const struct rsd_variant *v, bool relative, void *arg), void *arg)
{
	const struct rsd_ranks *here = rsd_node_ranks(cg->t, n);
	int stop = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS && !stop; e++) {
		for (size_t i = 0; i < c->params->enc[e].nr && !stop; i++) {
			const struct rsd_variant *v = &c->params->enc[e].variant[i];

			if (cg_overlap(v->ranks.nr ? &v->ranks : here, here))
				stop = fn(v, e == RSD_E_REL, arg);
		}
	}
	return stop;
}

/* The few ranks of a variant whose numbers differ, one by one, if they are of 'here'; nonzero where they are not few. */
static int each_rank(const struct cg_column_of *c, const struct rsd_variant *v,
	const struct rsd_ranks *here,
	int (*fn)(const struct rsd_variant *v, bool relative, void *arg), void *arg)
{
	int rank = rsd_ranks_first(&v->ranks), stop = 0;

	if (rsd_ranks_count(&v->ranks) > MAX_SPLIT)
		return 1;
	for (; rank >= 0 && !stop; rank = rsd_ranks_next(&v->ranks, rank)) {
		struct rsd_variant one = { .ranks = RSD_RANKS_INIT };
		enum rsd_encoding enc;

		if (here && !rsd_ranks_has(here, rank))
			continue;
		if (rsd_params_get(c->params, rank, &enc, &one.col) ||
			rsd_ranks_append(&one.ranks, rank))
			cg_nomem();
		stop = fn(&one, enc == RSD_E_REL, arg);
		rsd_column_free(one.col);
		rsd_ranks_release(&one.ranks);
	}
	return stop;
}

/* ---- one value ----------------------------------------------------------------------- */

/* Stops at a value that differs. */
int cg_same_value(const struct rsd_section *s, void *arg)
{
	struct cg_constant *k = arg;
	int64_t v = s->start;

	if (s->body)
		return s->step != 0;
	if (s->step && s->count > 1)
		return 1;
	if (k->c->same)
		v = k->c->same(v);
	if (v == RSD_ABSENT)
		return 0;
	if (k->found && k->v != v)
		return 1;
	k->found = true;
	k->v = v;
	return 0;
}

static int same_variant(const struct rsd_variant *v, bool relative, void *arg)
{
	struct cg_constant *k = arg;

	if (v->nr_numbers)
		return each_rank(k->c, v, NULL, same_variant, arg);
	return relative || rsd_column_sections(v->col, cg_same_value, arg);
}

bool cg_constant(
	const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, int64_t *v)
{
	struct cg_constant k = { c, false, RSD_ABSENT };

	if (cg_each_variant(cg, c, n, same_variant, &k))
		return false;
	*v = k.v;
	return true;
}

/* ---- a value a rank ------------------------------------------------------------------------------------------- */

/* Is the column of one value, but for numbers that differ between ranks? *at: the start's number, or NULL. */
static bool one_value(const struct rsd_variant *v, const struct rsd_number **at)
{
	struct cg_sections all = cg_sections_of(v->col);
	bool ok = all.nr == 1 && !all.s[0].body && !all.s[0].step;

	*at = NULL;
	for (size_t i = 0; i < v->nr_numbers && ok; i++) {
		if (v->number[i].index == 0)
			*at = &v->number[i];
		ok = v->number[i].index != 1;
	}
	free(all.s);
	return ok;
}

/* first + step * (rank - set's first) / stride */
static bool by_rank(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	const struct rsd_number *k, struct rsd_buf *out)
{
	struct cg_sections all = cg_sections_of(k->over);
	const struct rsd_run *run = &v->ranks.run[0];
	bool ok = all.nr == 1 && !all.s[0].body && !rsd_is_const(all.s[0].start) &&
		  v->ranks.nr == 1 && run->nr_dims == 1;
	const char *wrap = !c->index ? cg_handle(c->role) : NULL;
	int64_t base, coef;

	ok = ok && c->role != RSD_R_STRING && !c->own && all.s[0].step % run->dim[0].stride == 0;
	if (ok) {
		coef = all.s[0].step / run->dim[0].stride;
		base = all.s[0].start - coef * run->first;
		if (cg_handle(c->role))
			cg_need_slots(cg, c->role, cg_largest(c->params) + 1);
		if (wrap)
			rsd_buf_printf(out, "%s[", wrap);
		if (base)
			rsd_buf_printf(out, "%" PRId64 " %c ", base, coef < 0 ? '-' : '+');
		else if (coef < 0)
			rsd_buf_printf(out, "-");
		if (coef != 1 && coef != -1)
			rsd_buf_printf(
				out, "%" PRIu64 " * ", coef < 0 ? -(uint64_t)coef : (uint64_t)coef);
		rsd_buf_printf(out, wrap ? "rank]" : "rank");
	}
	free(all.s);
	return ok;
}

/* ---- cases by rank ---------------------------------------------------------------------------------------------- */

struct cases {
	struct cg *cg;
	const struct cg_column_of *c;
	const struct rsd_node *n;
	struct rsd_buf text[MAX_CASES];
	struct rsd_ranks ranks[MAX_CASES];
	size_t nr;
};

static const struct rsd_ranks *here_of(const struct cases *k)
{
	return rsd_node_ranks(k->cg->t, k->n);
}

static bool simple(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	bool relative, const struct rsd_node *n, struct rsd_buf *out)
{
	const struct rsd_number *k;

	if (v->nr_numbers)
		return !relative && one_value(v, &k) && k && by_rank(cg, c, v, k, out);
	return n && n->place >= 0 && cg->place[n->place].nr_nodes == 1 && c->place == n->place &&
	       cg_by_loops(cg, c, v, relative, n, out);
}

static bool same_text(const struct rsd_buf *a, const struct rsd_buf *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* The ranks have this text; takes it. False where there are too many texts by now. */
static bool add_text(struct cases *k, struct rsd_buf *text, const struct rsd_ranks *ranks)
{
	size_t i = 0;

	if (text->err)
		cg_nomem();
	while (i < k->nr && !same_text(&k->text[i], text))
		i++;
	if (i == MAX_CASES || i < k->nr) {
		rsd_buf_release(text);
	} else {
		k->text[k->nr] = *text;
		k->ranks[k->nr++] = RSD_RANKS_INIT;
	}
	if (i < MAX_CASES && rsd_ranks_add(&k->ranks[i], ranks))
		cg_nomem();
	return i < MAX_CASES;
}

static int add_case(const struct rsd_variant *v, bool relative, void *arg)
{
	struct cases *k = arg;
	struct cg_constant one = { k->c, false, RSD_ABSENT };
	struct rsd_buf text = RSD_BUF_INIT;

	if (!v->nr_numbers && !rsd_column_sections(v->col, cg_same_value, &one)) {
		if (!one.found)
			return 0;
		cg_value(k->cg, k->c, relative, one.v, &text);
	} else if (!simple(k->cg, k->c, v, relative, k->n, &text)) {
		rsd_buf_release(&text);
		return v->nr_numbers ? each_rank(k->c, v, here_of(k), add_case, arg) : 1;
	}
	return !add_text(k, &text, &v->ranks);
}

static void put_cases(struct cases *k, struct rsd_buf *out)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;

	if (!k->nr)
		cg_value(k->cg, k->c, false, RSD_ABSENT, out);
	if (rsd_ranks_copy(&rest, here_of(k)))
		cg_nomem();
	for (size_t i = 0; i < k->nr; i++) {
		struct rsd_ranks less = RSD_RANKS_INIT;

		if (i + 1 < k->nr) {
			cg_condition(k->cg, &k->ranks[i], &rest, out);
			rsd_buf_printf(out, " ? ");
		}
		rsd_buf_put(out, k->text[i].data, k->text[i].len);
		if (i + 1 < k->nr)
			rsd_buf_printf(out, " : ");
		if (rsd_ranks_minus(&less, &rest, &k->ranks[i]))
			cg_nomem();
		rsd_ranks_release(&rest);
		rest = less;
	}
	rsd_ranks_release(&rest);
}

static void release_cases(struct cases *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		rsd_buf_release(&k->text[i]);
		rsd_ranks_release(&k->ranks[i]);
	}
}

/* ---- all together ---------------------------------------------------------------------- */

bool cg_expr(
	struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, struct rsd_buf *out)
{
	struct cases k = { .cg = cg, .c = c, .n = n };
	bool pure = !cg_each_variant(cg, c, n, add_case, &k);

	if (pure)
		put_cases(&k, out);
	else
		cg_next(cg, c, out);
	release_cases(&k);
	return pure;
}

void cg_count(struct cg *cg, const struct rsd_node *loop, struct rsd_buf *out)
{
	struct cg_column_of c = {
		.place = -1, .params = &loop->count, .type = "long", .role = RSD_R_INT
	};
	struct cases k = { .cg = cg, .c = &c, .n = loop };
	char name[32];

	if (!cg_each_variant(cg, &c, loop, add_case, &k)) {
		put_cases(&k, out);
	} else {
		snprintf(name, sizeof(name), "times%d", cg->nr_tables++);
		rsd_buf_printf(&cg->tables, "\n/* a loop's iterations */\n");
		cg_put_table(cg, &c, name);
		rsd_buf_printf(out, "next(&%s)", name);
	}
	release_cases(&k);
}

struct literal {
	struct cases k;
	int64_t len;
};

/* The same 'len' values again and again. */
static int add_literal(const struct rsd_variant *v, bool relative, void *arg)
{
	struct literal *l = arg;
	struct cg_sections all;
	uint64_t total = rsd_column_length(v->col), len = (uint64_t)l->len;
	int64_t list[CG_MAX_LIST];
	struct rsd_buf text = RSD_BUF_INIT;
	bool ok;

	if (v->nr_numbers)
		return each_rank(l->k.c, v, here_of(&l->k), add_literal, arg);
	if (!total || len > CG_MAX_LIST)
		return total != 0;
	all = cg_sections_of(v->col);
	ok = total % len == 0 && cg_is_periodic(&all, len, list);
	free(all.s);
	if (!ok)
		return 1;
	rsd_buf_printf(&text, "(%s[]){ ", l->k.c->type);
	for (size_t i = 0; i < len; i++) {
		rsd_buf_printf(&text, i ? ", " : "");
		cg_value(l->k.cg, l->k.c, relative, list[i], &text);
	}
	rsd_buf_printf(&text, " }");
	return !add_text(&l->k, &text, &v->ranks);
}

bool cg_literal(struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, int64_t len,
	struct rsd_buf *out)
{
	struct literal l = { .k = { .cg = cg, .c = c, .n = n }, .len = len };
	bool ok;

	if (len == 0) {
		rsd_buf_printf(out, "(%s[]){ 0 }", c->type);
		return true;
	}
	ok = !cg_each_variant(cg, c, n, add_literal, &l) && l.k.nr;
	if (ok)
		put_cases(&l.k, out);
	release_cases(&l.k);
	return ok;
}
