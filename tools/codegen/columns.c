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
#include "codegen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"
#include "util.h"

#define MAX_LIST 16  /* values of a literal */
#define MAX_SPLIT 16 /* ranks that are looked at one by one */
#define MOST_LOOKED_AT 8192
#define MAX_CASES 4 /* values told apart by rank */
#define MAX_DIMS 16 /* loops that an expression may depend on */

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

/* ---- a column's sections, unpacked --------------------------------------------------------- */

struct sections {
	struct rsd_section *s;
	size_t nr, alloc;
};

static int add_section(const struct rsd_section *s, void *arg)
{
	struct sections *all = arg;

	if (RSD_GROW(all->s, all->nr + 1, all->alloc))
		cg_nomem();
	all->s[all->nr++] = *s;
	return 0;
}

static struct sections sections_of(const struct rsd_column *c)
{
	struct sections all = { NULL, 0, 0 };

	rsd_column_sections(c, add_section, &all);
	return all;
}

/* The first values, up to 'max', of the sections from 'at' to 'end'; how many there are, or max + 1. */
static size_t expand(
	const struct sections *all, size_t at, size_t end, size_t max, int64_t add, int64_t *out)
{
	size_t nr = 0;

	while (at < end && nr <= max) {
		const struct rsd_section *s = &all->s[at];

		for (uint64_t i = 0; i < s->count && nr <= max; i++) {
			if (s->body)
				nr += expand(all, at + 1, at + 1 + s->body, max - nr,
					(int64_t)((uint64_t)add + i * (uint64_t)s->step),
					out ? out + nr : NULL);
			else if (nr++ < max && out)
				out[nr - 1] =
					rsd_is_const(s->start)
						? s->start
						: (int64_t)((uint64_t)s->start +
							    i * (uint64_t)s->step + (uint64_t)add);
		}
		at += 1 + s->body;
	}
	return nr > max ? max + 1 : nr;
}

/*
 * Are the values a pattern of 'period' of them, again and again? Whatever the form: folding may have begun in the
 * middle of a pattern. Long repetitions are looked at in part, in step with the period.
 */
static bool is_periodic(const struct sections *all, uint64_t period, int64_t *pattern)
{
	struct sections few = { cg_alloc(all->nr, sizeof(*all->s)), all->nr, 0 };
	int64_t *v = cg_alloc(MOST_LOOKED_AT + 1, sizeof(*v));
	size_t nr;
	bool ok;

	memcpy(few.s, all->s, all->nr * sizeof(*all->s));
	for (size_t i = 0; i < few.nr; i += 1 + few.s[i].body) {
		struct rsd_section *s = &few.s[i];

		if (!s->step && s->count > 4 * period)
			s->count = s->count % period + 3 * period;
	}
	nr = expand(&few, 0, few.nr, MOST_LOOKED_AT, 0, v);
	ok = nr >= period && nr <= MOST_LOOKED_AT;
	for (size_t i = period; ok && i < nr; i++)
		ok = v[i] == v[i % period];
	for (size_t i = 0; ok && i < period; i++)
		pattern[i] = v[i];
	free(few.s);
	free(v);
	return ok;
}

/* ---- values ----------------------------------------------------------------------------------- */

static const struct {
	int role;
	const char *name, *type, *null;
} handles[] = {
	{ RSD_R_COMM, "comm", "MPI_Comm", "MPI_COMM_NULL" },
	{ RSD_R_DATATYPE, "type", "MPI_Datatype", "MPI_DATATYPE_NULL" },
	{ RSD_R_OP, "op", "MPI_Op", "MPI_OP_NULL" },
	{ RSD_R_GROUP, "group", "MPI_Group", "MPI_GROUP_NULL" },
	{ RSD_R_WIN, "win", "MPI_Win", "MPI_WIN_NULL" },
	{ RSD_R_FILE, "file", "MPI_File", "MPI_FILE_NULL" },
	{ RSD_R_INFO, "info", "MPI_Info", "MPI_INFO_NULL" },
	{ RSD_R_ERRHANDLER, "errhandler", "MPI_Errhandler", "MPI_ERRHANDLER_NULL" },
	{ RSD_R_MESSAGE, "message", "MPI_Message", "MPI_MESSAGE_NULL" },
	{ RSD_R_SESSION, "session", "MPI_Session", "MPI_SESSION_NULL" },
	{ RSD_R_KEYVAL, "keyval", "int", "MPI_KEYVAL_INVALID" },
};

static int handle_index(int role)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(handles); i++) {
		if (handles[i].role == role)
			return (int)i;
	}
	return -1;
}

const char *cg_handle(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].name;
}

const char *cg_handle_type(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].type;
}

const char *cg_handle_null(int role)
{
	return handle_index(role) < 0 ? NULL : handles[handle_index(role)].null;
}

void cg_string(const char *s, size_t len, struct rsd_buf *out)
{
	rsd_buf_put_byte(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* Three octal digits end there, whatever comes next; a '?' could begin a trigraph. */
		if (c < 32 || c > 126)
			rsd_buf_printf(out, "\\%03o", c);
		else if (c == '"' || c == '\\' || c == '?')
			rsd_buf_printf(out, "\\%c", c);
		else
			rsd_buf_put_byte(out, c);
	}
	rsd_buf_put_byte(out, '"');
}

void cg_comment(const char *s, struct rsd_buf *out)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		rsd_buf_put_byte(out, c < 32 || c > 126 || c == '?' || c == '\\' ||
						      (c == '/' && (s[1] == '*' || s[1] == '/')) ||
						      (c == '*' && s[1] == '/')
					      ? '_'
					      : c);
	}
}

static const char *constant_name(const struct cg *cg, int64_t v)
{
	int i = rsd_const_index(v);

	return (size_t)i < cg->t->nr_constants && cg->t->constant[i] ? cg->t->constant[i] : "0";
}

/* What is not significant: anything that is harmless. */
static const char *absent_value(const struct cg_column_of *c)
{
	if (c->role == RSD_R_DATATYPE)
		return "MPI_BYTE";
	return c->role == RSD_R_STRING	 ? "\"\""
	       : c->own			 ? c->own
	       : cg_handle_null(c->role) ? cg_handle_null(c->role)
					 : "0";
}

static void need_slots(struct cg *cg, int role, int64_t nr)
{
	if (cg->slots[role] < nr)
		cg->slots[role] = nr;
}

/* Of a variable's number, or of a handle in a table. */
static void put_index(struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	if (c->role == RSD_R_REQUEST) {
		if (rsd_is_const(v))
			rsd_buf_printf(out, "NO_REQUEST");
		else
			rsd_buf_put_decimal(out, v);
		return;
	}
	if (!rsd_is_const(v)) {
		need_slots(cg, c->role, v + 1);
		rsd_buf_put_decimal(out, v);
		return;
	}
	cg->named[rsd_const_index(v) * RSD_NR_ROLES + c->role] = true;
	need_slots(cg, c->role, 1);
	rsd_buf_printf(out, "AT_%s%s", v == RSD_ABSENT ? "NO_" : "",
		v == RSD_ABSENT ? cg_handle(c->role) : constant_name(cg, v));
}

static void put_string_value(const struct cg *cg, int64_t v, struct rsd_buf *out)
{
	if (v < 0 || (uint64_t)v >= cg->t->strings.nr)
		rsd_buf_printf(out, "\"\"");
	else
		cg_string(cg->t->strings.str[v].s, cg->t->strings.str[v].len, out);
}

static void put_relative(
	struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	if (c->comm && strcmp(c->comm, "MPI_COMM_WORLD")) {
		cg_need(cg, CG_PEER);
		rsd_buf_printf(out, "peer(%s, %" PRId64 ")", c->comm, v);
	} else if (v == 0) {
		rsd_buf_printf(out, "rank");
	} else if (v == cg->t->nprocs - 1) {
		rsd_buf_printf(out, "(rank + size - 1) %% size");
	} else {
		rsd_buf_printf(out, "(rank + %" PRId64 ") %% size", v);
	}
}

void cg_value(
	struct cg *cg, const struct cg_column_of *c, bool relative, int64_t v, struct rsd_buf *out)
{
	if (c->index || c->role == RSD_R_REQUEST) {
		put_index(cg, c, v, out);
	} else if (c->own && !rsd_is_const(v)) {
		rsd_buf_printf(out, "%s", c->own);
	} else if (v == RSD_ABSENT) {
		rsd_buf_printf(out, "%s", absent_value(c));
	} else if (rsd_is_const(v)) {
		rsd_buf_printf(out, "%s", constant_name(cg, v));
	} else if (cg_handle(c->role)) {
		need_slots(cg, c->role, v + 1);
		rsd_buf_printf(out, "%s[%" PRId64 "]", cg_handle(c->role), v);
	} else if (c->role == RSD_R_STRING) {
		put_string_value(cg, v, out);
	} else if (relative) {
		put_relative(cg, c, v, out);
	} else {
		rsd_buf_put_decimal(out, v);
	}
}

/* ---- who is at a node ------------------------------------------------------------------------------ */

static const struct rsd_ranks *ranks_at(const struct cg *cg, const struct rsd_node *n)
{
	for (; n; n = n->parent) {
		if (n->ranks)
			return n->ranks;
	}
	return &cg->t->ranks;
}

/* A call's variants may be of both encodings: visits those that someone at 'n' has. */
static int each_variant(const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n,
	int (*fn)(const struct rsd_variant *v, bool relative, void *arg), void *arg)
{
	const struct rsd_ranks *here = n ? ranks_at(cg, n) : &cg->t->ranks;
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

/* The few ranks of a variant whose numbers differ, one by one; nonzero where they are not few. */
static int each_rank(const struct cg_column_of *c, const struct rsd_variant *v,
	int (*fn)(const struct rsd_variant *v, bool relative, void *arg), void *arg)
{
	int rank = rsd_ranks_first(&v->ranks), stop = 0;

	if (rsd_ranks_count(&v->ranks) > MAX_SPLIT)
		return 1;
	for (; rank >= 0 && !stop; rank = rsd_ranks_next(&v->ranks, rank)) {
		struct rsd_variant one = { .ranks = RSD_RANKS_INIT };
		enum rsd_encoding enc;

		if (rsd_params_get(c->params, rank, &enc, &one.col) ||
			rsd_ranks_append(&one.ranks, rank))
			cg_nomem();
		stop = fn(&one, enc == RSD_E_REL, arg);
		rsd_column_free(one.col);
		rsd_ranks_release(&one.ranks);
	}
	return stop;
}

/* ---- one value ---------------------------------------------------------------------------------------- */

struct constant {
	const struct cg_column_of *c;
	bool found;
	int64_t v;
};

/* Stops at a value that differs. */
static int same_value(const struct rsd_section *s, void *arg)
{
	struct constant *k = arg;
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
	struct constant *k = arg;

	if (v->nr_numbers)
		return each_rank(k->c, v, same_variant, arg);
	return relative || rsd_column_sections(v->col, same_value, arg);
}

bool cg_constant(
	const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, int64_t *v)
{
	struct constant k = { c, false, RSD_ABSENT };

	if (each_variant(cg, c, n, same_variant, &k))
		return false;
	*v = k.v;
	return true;
}

/* ---- in terms of the loops around -------------------------------------------------------------------------- */

struct dims { /* loops around a node, outermost first */
	uint64_t count[MAX_DIMS];
	int depth[MAX_DIMS]; /* of its variable; -1: not to be told */
	int nr;
};

static int only_count(const struct rsd_variant *v, bool relative, void *arg)
{
	struct constant *k = arg;

	(void)relative;
	if (v->nr_numbers)
		return 1;
	return rsd_column_sections(v->col, same_value, k);
}

static bool fixed_count(const struct cg *cg, const struct rsd_node *loop, uint64_t *count)
{
	struct cg_column_of c = { .params = &loop->count, .type = "long", .role = RSD_R_INT };
	struct constant k = { &c, false, 0 };

	if (each_variant(cg, &c, loop, only_count, &k) || !k.found || k.v <= 0)
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
	int64_t list[MAX_LIST];
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

static bool take_list(const struct sections *all, size_t at, size_t end, const struct dims *d,
	int from, struct affine *a)
{
	size_t nr = expand(all, at, end, MAX_LIST, 0, a->list);

	a->inner = from;
	a->nr_list = nr;
	return nr <= MAX_LIST && nr == product_from(d, from);
}

/* Sections at..end against the loops from 'from' on. */
static bool match(const struct sections *all, size_t at, size_t end, const struct dims *d, int from,
	struct affine *a)
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
static bool match_pattern(const struct sections *all, const struct dims *d, struct affine *a)
{
	memset(a, 0, sizeof(*a));
	for (a->inner = d->nr - 1; a->inner >= 0; a->inner--) {
		uint64_t period = product_from(d, a->inner);

		if (period > MAX_LIST || d->depth[a->inner] < 0)
			return false;
		a->nr_list = (size_t)period;
		if (is_periodic(all, period, a->list))
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
	rsd_buf_printf(out, "(%s[]){ ", c->type);
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

static bool by_loops(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	bool relative, const struct rsd_node *n, struct rsd_buf *out)
{
	struct sections all = sections_of(v->col);
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
		need_slots(cg, c->role, cg_largest(c->params) + 1);
		rsd_buf_printf(out, "%s[", wrap);
		put_affine(cg, c, relative, &a, &d, out);
		rsd_buf_printf(out, "]");
	} else if (ok) {
		if (c->index && c->role != RSD_R_REQUEST)
			need_slots(cg, c->role, cg_largest(c->params) + 1);
		put_affine(cg, c, relative, &a, &d, out);
	}
	free(all.s);
	return ok;
}

/* ---- a value a rank ------------------------------------------------------------------------------------------- */

/* Is the column of one value, but for numbers that differ between ranks? *at: the start's number, or NULL. */
static bool one_value(const struct rsd_variant *v, const struct rsd_number **at)
{
	struct sections all = sections_of(v->col);
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
	struct sections all = sections_of(k->over);
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
			need_slots(cg, c->role, cg_largest(c->params) + 1);
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

static bool simple(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	bool relative, const struct rsd_node *n, struct rsd_buf *out)
{
	const struct rsd_number *k;

	if (v->nr_numbers)
		return !relative && one_value(v, &k) && k && by_rank(cg, c, v, k, out);
	return n && n->place >= 0 && cg->place[n->place].nr_nodes == 1 && c->place == n->place &&
	       by_loops(cg, c, v, relative, n, out);
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
	struct constant one = { k->c, false, RSD_ABSENT };
	struct rsd_buf text = RSD_BUF_INIT;

	if (!v->nr_numbers && !rsd_column_sections(v->col, same_value, &one)) {
		if (!one.found)
			return 0;
		cg_value(k->cg, k->c, relative, one.v, &text);
	} else if (!simple(k->cg, k->c, v, relative, k->n, &text)) {
		rsd_buf_release(&text);
		return v->nr_numbers ? each_rank(k->c, v, add_case, arg) : 1;
	}
	return !add_text(k, &text, &v->ranks);
}

static void put_cases(struct cases *k, struct rsd_buf *out)
{
	const struct rsd_ranks *here = k->n ? ranks_at(k->cg, k->n) : &k->cg->t->ranks;
	struct rsd_ranks rest = RSD_RANKS_INIT;

	if (!k->nr)
		cg_value(k->cg, k->c, false, RSD_ABSENT, out);
	if (rsd_ranks_copy(&rest, here))
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

/* ---- tables --------------------------------------------------------------------------------------------------------- */

int64_t cg_largest(const struct rsd_params *p)
{
	int64_t most = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];
			int rank = v->nr_numbers ? rsd_ranks_first(&v->ranks) : -1;
			struct rsd_column_stats s;

			rsd_column_stats(v->col, &s);
			if (rank < 0 && s.nr > s.nr_consts && s.max > most)
				most = s.max;
			for (; rank >= 0; rank = rsd_ranks_next(&v->ranks, rank)) {
				enum rsd_encoding enc;
				struct rsd_column *c;

				if (rsd_params_get(p, rank, &enc, &c))
					cg_nomem();
				rsd_column_stats(c, &s);
				rsd_column_free(c);
				if (s.nr > s.nr_consts && s.max > most)
					most = s.max;
			}
		}
	}
	return most;
}

/* A value in a table is a number: of handles and strings, that of the variable. */
static void put_number(struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	struct cg_column_of plain = *c;

	plain.index = cg_handle(c->role) != NULL;
	plain.same = NULL;
	if (c->role == RSD_R_STRING || c->role == RSD_R_STATUS)
		rsd_buf_put_decimal(out, v == RSD_ABSENT ? 0 : rsd_is_const(v) ? 1 : v);
	else if (c->role == RSD_R_BUFFER)
		rsd_buf_printf(out, "%s",
			!rsd_is_const(v) || v == RSD_ABSENT		? "0"
			: !strcmp(constant_name(cg, v), "MPI_IN_PLACE") ? "1"
			: !strcmp(constant_name(cg, v), "MPI_BOTTOM")	? "2"
									: "3");
	else
		cg_value(cg, &plain, false, v, out);
}

static void put_sections(struct cg *cg, const struct cg_column_of *c, const struct rsd_column *col,
	const char *name, bool constant)
{
	struct sections all = sections_of(col);
	struct rsd_buf *out = &cg->tables;
	size_t at = out->len;

	rsd_buf_printf(out, "static %sstruct section %s[] = {", constant ? "const " : "", name);
	for (size_t i = 0; i < all.nr; i++) {
		const struct rsd_section *s = &all.s[i];

		if (out->len - at > 90) {
			rsd_buf_printf(out, "\n\t");
			at = out->len;
		}
		rsd_buf_printf(
			out, "%s{ ", all.nr > 0 && out->data[out->len - 1] == '\t' ? "" : " ");
		if (s->body)
			rsd_buf_printf(out, "0");
		else
			put_number(cg, c, s->start, out);
		rsd_buf_printf(out, ", %" PRId64 ", %" PRIu64 ", %" PRIu64 " }%s", s->step,
			s->count, s->body, i + 1 < all.nr ? "," : "");
	}
	rsd_buf_printf(out, " };\n");
	free(all.s);
}

/* Is the number one of the column's values, and not a step or a count? */
static bool is_start(const struct rsd_column *c, uint32_t index)
{
	struct sections all = sections_of(c);
	bool yes = false;

	for (size_t i = 0; i < all.nr; i++) {
		uint32_t nr = all.s[i].body ? 2 : 3;

		if (index < nr) {
			yes = !index && !all.s[i].body;
			break;
		}
		index -= nr;
	}
	free(all.s);
	return yes;
}

/* A variant's numbers by rank: their tables, and the list of them; how many. */
static void put_numbers(
	struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v, const char *name)
{
	struct cg_column_of plain = { .type = "long", .role = RSD_R_INT };
	char over[128];

	if (!v->nr_numbers)
		return;
	for (size_t i = 0; i < v->nr_numbers; i++) {
		snprintf(over, sizeof(over), "%s_%zu", name, i);
		put_sections(cg, is_start(v->col, v->number[i].index) ? c : &plain,
			v->number[i].over, over, true);
	}
	rsd_buf_printf(&cg->tables, "static const struct number %s_numbers[] = {", name);
	for (size_t i = 0; i < v->nr_numbers; i++) {
		struct sections all = sections_of(v->number[i].over);

		rsd_buf_printf(&cg->tables, "%s { %u, %s_%zu, %zu }", i ? "," : "",
			v->number[i].index, name, i, all.nr);
		free(all.s);
	}
	rsd_buf_printf(&cg->tables, " };\n");
}

struct variants {
	struct cg *cg;
	const struct cg_column_of *c;
	const char *name;
	int nr;
	struct rsd_buf list;
};

static int put_variant(const struct rsd_variant *v, bool relative, void *arg)
{
	struct variants *w = arg;
	struct sections all = sections_of(v->col);
	struct rsd_buf set = RSD_BUF_INIT;
	char name[64];

	snprintf(name, sizeof(name), "%s_%d", w->name, w->nr);
	cg_set(w->cg, &v->ranks, &set);
	put_sections(w->cg, w->c, v->col, name, !v->nr_numbers);
	put_numbers(w->cg, w->c, v, name);
	rsd_buf_printf(&w->list, "%s\n\t{ %.*s, %s%s, %zu, ", w->nr ? "," : "", (int)set.len,
		(char *)set.data, v->nr_numbers ? "" : "(struct section *)", name, all.nr);
	if (v->nr_numbers)
		rsd_buf_printf(&w->list, "%s_numbers, %zu", name, v->nr_numbers);
	else
		rsd_buf_printf(&w->list, "NULL, 0");
	rsd_buf_printf(&w->list, ", %d }", relative);
	w->nr++;
	free(all.s);
	rsd_buf_release(&set);
	return 0;
}

static void put_table(struct cg *cg, const struct cg_column_of *c, const char *name)
{
	struct variants w = { cg, c, name, 0, RSD_BUF_INIT };

	if (cg_handle(c->role))
		need_slots(cg, c->role, cg_largest(c->params) + 1);
	cg_need(cg, CG_NEXT);
	each_variant(cg, c, NULL, put_variant, &w);
	rsd_buf_printf(&cg->tables, "static const struct variant %s_by_rank[] = {%.*s\n};\n", name,
		(int)w.list.len, w.list.data ? (char *)w.list.data : "");
	rsd_buf_printf(
		&cg->tables, "static struct column %s = { %s_by_rank, %d };\n", name, name, w.nr);
	rsd_buf_release(&w.list);
}

void cg_table(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out)
{
	int id = cg->first_col[c->place] + c->col;
	const struct rsd_place *p = &cg->t->place[c->place];
	char name[32];

	snprintf(name, sizeof(name), "c%d", id);
	rsd_buf_printf(out, "%s", name);
	if (cg->tabled[id])
		return;
	cg->tabled[id] = true;
	rsd_buf_printf(&cg->tables, "\n/* ");
	cg_comment(cg->t->func[p->func].name, &cg->tables);
	rsd_buf_printf(&cg->tables, " */\n");
	put_table(cg, c, name);
}

static void put_next(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out)
{
	struct rsd_buf name = RSD_BUF_INIT;
	const char *before = "", *after = "";
	char text[64];

	cg_table(cg, c, &name);
	snprintf(text, sizeof(text), "&%.*s", (int)name.len, (char *)name.data);
	rsd_buf_release(&name);
	if (c->own) {
		cg_need(cg, CG_WHERE);
		rsd_buf_printf(out, "where(next(%s), %s)", text, c->own);
		return;
	}
	if (c->role == RSD_R_PEER && c->params->enc[RSD_E_REL].nr) {
		cg_need(cg, CG_PEERS);
		rsd_buf_printf(
			out, "next_peer(%s, %s)", text, c->comm ? c->comm : "MPI_COMM_WORLD");
		return;
	}
	if (c->role == RSD_R_STRING) {
		cg->uses_texts = true;
		before = "texts[", after = "]";
	} else if (!c->index && cg_handle(c->role)) {
		rsd_buf_printf(out, "%s[", cg_handle(c->role));
		after = "]";
	}
	rsd_buf_printf(out, "%snext(%s)%s", before, text, after);
}

/* ---- all together ------------------------------------------------------------------------------------------------------- */

bool cg_expr(
	struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, struct rsd_buf *out)
{
	struct cases k = { .cg = cg, .c = c, .n = n };
	bool pure = !each_variant(cg, c, n, add_case, &k);

	if (pure)
		put_cases(&k, out);
	else
		put_next(cg, c, out);
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

	if (!each_variant(cg, &c, loop, add_case, &k)) {
		put_cases(&k, out);
	} else {
		snprintf(name, sizeof(name), "times%d", cg->nr_tables++);
		rsd_buf_printf(&cg->tables, "\n/* a loop's iterations */\n");
		put_table(cg, &c, name);
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
	struct sections all;
	uint64_t total = rsd_column_length(v->col), len = (uint64_t)l->len;
	int64_t list[MAX_LIST];
	struct rsd_buf text = RSD_BUF_INIT;
	bool ok;

	if (v->nr_numbers)
		return each_rank(l->k.c, v, add_literal, arg);
	if (!total || len > MAX_LIST)
		return total != 0;
	all = sections_of(v->col);
	ok = total % len == 0 && is_periodic(&all, len, list);
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
	ok = !each_variant(cg, c, n, add_literal, &l) && l.k.nr;
	if (ok)
		put_cases(&l.k, out);
	release_cases(&l.k);
	return ok;
}
