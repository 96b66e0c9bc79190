/*
 * loops.c - a column in terms of the loops around its place: 10 + 2 * i, (int[]){ -1, 1, -64, 64 }[j]
 */
#include "columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMS 16 /* loops that an expression may depend on */

struct dims { /* loops around a node, outermost first */
	uint64_t count[MAX_DIMS];
	int depth[MAX_DIMS]; /* of its variable; -1: not to be told */
	int nr;
};

static int only_count(const struct rsd_variant *v, bool relative, void *arg)
{
	struct cg_constant *k = arg;

	(void)relative;
	if (v->nr_numbers)
		return 1;
	return rsd_column_sections(v->col, cg_same_value, k);
}

static bool fixed_count(const struct cg *cg, const struct rsd_node *loop, uint64_t *count)
{
	struct cg_column_of c = { .params = &loop->count, .type = "long", .role = RSD_R_INT };
	struct cg_constant k = { &c, false, 0 };

	if (cg_each_variant(cg, &c, loop, only_count, &k) || !k.found || k.v <= 0)
		return false;
	*count = (uint64_t)k.v;
	return true;
}

static int depth_of(const struct rsd_node *n)
{
	int depth = 0;

	for (n = n->parent; n; n = n->parent)
		depth++;
	return depth;
}

/* The innermost loops, as far as their counts are fixed; then what is around them, as one of 'total' / their product. */
static bool find_dims(const struct cg *cg, const struct rsd_node *n, uint64_t total, struct dims *d)
{
	uint64_t product = 1, count;
	const struct rsd_node *l = n->parent;

	d->nr = 0;
	for (; l && d->nr < MAX_DIMS - 1 && fixed_count(cg, l, &count); l = l->parent) {
		if (__builtin_mul_overflow(product, count, &product))
			return false;
		memmove(&d->count[1], d->count, (size_t)d->nr * sizeof(d->count[0]));
		memmove(&d->depth[1], d->depth, (size_t)d->nr * sizeof(d->depth[0]));
		d->count[0] = count;
		d->depth[0] = depth_of(l);
		d->nr++;
	}
	if (!l)
		return product == total;
	if (total % product)
		return false;
	memmove(&d->count[1], d->count, (size_t)d->nr * sizeof(d->count[0]));
	memmove(&d->depth[1], d->depth, (size_t)d->nr * sizeof(d->depth[0]));
	d->count[0] = total / product;
	d->depth[0] = -1;
	d->nr++;
	return true;
}

struct affine { /* base + sum of coef * loop variable, base from a list by the loops from 'inner' on */
	int64_t base, coef[MAX_DIMS];
	int64_t list[CG_MAX_LIST];
	size_t nr_list;
	int inner;
};

static uint64_t product_from(const struct dims *d, int from)
{
	uint64_t p = 1;

	for (int i = from; i < d->nr; i++)
		p *= d->count[i];
	return p;
}

/* 'step' for each of the values that the loops from..to count through, 'inner' of them at a time. */
static void add_steps(struct affine *a, const struct dims *d, int from, int to, int64_t step)
{
	uint64_t stride = 1;

	for (int i = to - 1; i >= from; i--) {
		a->coef[i] += (int64_t)((uint64_t)step * stride);
		stride *= d->count[i];
	}
}

static bool take_list(const struct cg_sections *all, size_t at, size_t end, const struct dims *d,
	int from, struct affine *a)
{
	size_t nr = cg_expand(all, at, end, CG_MAX_LIST, 0, a->list);

	a->inner = from;
	a->nr_list = nr;
	return nr <= CG_MAX_LIST && nr == product_from(d, from);
}

/* Sections at..end against the loops from 'from' on. */
static bool match(const struct cg_sections *all, size_t at, size_t end, const struct dims *d,
	int from, struct affine *a)
{
	const struct rsd_section *s = &all->s[at];
	uint64_t count = 1;
	int to = from;

	if (at + 1 + s->body < end)
		return take_list(all, at, end, d, from, a);
	if (!s->body) {
		if (s->count != product_from(d, from))
			return false;
		a->base = s->start;
		add_steps(a, d, from, d->nr, s->step);
		return true;
	}
	while (to < d->nr && count < s->count)
		count *= d->count[to++];
	if (count != s->count || to == from)
		return take_list(all, at, end, d, from, a);
	add_steps(a, d, from, to, s->step);
	return match(all, at + 1, end, d, to, a);
}

/* A pattern that the innermost loops count through. */
static bool match_pattern(const struct cg_sections *all, const struct dims *d, struct affine *a)
{
	memset(a, 0, sizeof(*a));
	for (a->inner = d->nr - 1; a->inner >= 0; a->inner--) {
		uint64_t period = product_from(d, a->inner);

		if (period > CG_MAX_LIST || d->depth[a->inner] < 0)
			return false;
		a->nr_list = (size_t)period;
		if (cg_is_periodic(all, period, a->list))
			return true;
	}
	return false;
}

void cg_loop_name(int depth, struct rsd_buf *out)
{
	if (depth < 6)
		rsd_buf_put_byte(out, (unsigned char)('i' + depth));
	else
		rsd_buf_printf(out, "i%d", depth);
}

/* How many calls the loops from 'from' on have made, in the present round of those around. */
static void put_linear(const struct dims *d, int from, struct rsd_buf *out)
{
	for (int i = from; i < d->nr; i++) {
		uint64_t stride = product_from(d, i + 1);

		rsd_buf_printf(out, i > from ? " + " : "");
		if (stride > 1)
			rsd_buf_printf(out, "%" PRIu64 " * ", stride);
		cg_loop_name(d->depth[i], out);
	}
}

static bool is_told(const struct affine *a, const struct dims *d)
{
	for (int i = 0; i < d->nr; i++) {
		if (d->depth[i] < 0 && (a->coef[i] || (a->nr_list && i >= a->inner)))
			return false;
	}
	return true;
}

static bool has_coef(const struct affine *a, const struct dims *d)
{
	for (int i = 0; i < d->nr; i++) {
		if (a->coef[i])
			return true;
	}
	return false;
}

static void put_list(struct cg *cg, const struct cg_column_of *c, bool relative,
	const struct affine *a, const struct dims *d, struct rsd_buf *out)
{
	rsd_buf_printf(out, "(%s[]){ ", c->index ? "int" : c->type);
	for (size_t i = 0; i < a->nr_list; i++) {
		rsd_buf_printf(out, i ? ", " : "");
		cg_value(cg, c, relative, a->list[i], out);
	}
	rsd_buf_printf(out, " }[");
	put_linear(d, a->inner, out);
	rsd_buf_printf(out, "]");
}

static void put_affine(struct cg *cg, const struct cg_column_of *c, bool relative,
	const struct affine *a, const struct dims *d, struct rsd_buf *out)
{
	bool some = a->nr_list || a->base || !has_coef(a, d);

	if (a->nr_list)
		put_list(cg, c, relative, a, d, out);
	else if (some)
		rsd_buf_put_decimal(out, a->base);
	for (int i = 0; i < d->nr; i++) {
		int64_t coef = a->coef[i];

		if (!coef)
			continue;
		rsd_buf_printf(out, "%s", coef < 0 ? (some ? " - " : "-") : some ? " + " : "");
		some = true;
		if (coef != 1 && coef != -1)
			rsd_buf_printf(
				out, "%" PRIu64 " * ", coef < 0 ? -(uint64_t)coef : (uint64_t)coef);
		cg_loop_name(d->depth[i], out);
	}
}

/* Is it a list of loops' own numbers in a role whose values can be counted with? */
static bool counts(const struct cg_column_of *c, bool relative)
{
	if (c->own || c->same || relative || c->role == RSD_R_STRING || c->role == RSD_R_FUNCTION)
		return false;
	return true;
}

bool cg_by_loops(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	bool relative, const struct rsd_node *n, struct rsd_buf *out)
{
	struct cg_sections all = cg_sections_of(v->col);
	struct affine a = { 0, { 0 }, { 0 }, 0, 0 };
	const char *wrap = !c->index && c->role != RSD_R_REQUEST ? cg_handle(c->role) : NULL;
	struct dims d;
	bool ok = all.nr && find_dims(cg, n, rsd_column_length(v->col), &d);

	if (ok && !(match(&all, 0, all.nr, &d, 0, &a) && is_told(&a, &d)))
		ok = match_pattern(&all, &d, &a);

	if (ok && has_coef(&a, &d))
		ok = counts(c, relative) && !rsd_is_const(a.base) && !(wrap && a.nr_list);
	for (size_t i = 0; ok && has_coef(&a, &d) && i < a.nr_list; i++)
		ok = !rsd_is_const(a.list[i]);
	if (ok && c->own)
		ok = false;
	if (ok && wrap && !a.nr_list) {
		cg_need_slots(cg, c->role, cg_largest(c->params) + 1);
		rsd_buf_printf(out, "%s[", wrap);
		put_affine(cg, c, relative, &a, &d, out);
		rsd_buf_printf(out, "]");
	} else if (ok) {
		if (c->index && c->role != RSD_R_REQUEST)
			cg_need_slots(cg, c->role, cg_largest(c->params) + 1);
		put_affine(cg, c, relative, &a, &d, out);
	}
	free(all.s);
	return ok;
}
