/*
 * The split into runs is a layered greedy parse. Layer 1 cuts the ascending
 * members into maximal arithmetic rows: a row of one takes any next member, a
 * longer one only the member that continues its stride. Layer k+1 cuts the
 * sequence of layer k's results in the same way: equal shapes whose firsts are in
 * arithmetic progression become one run of one more dimension. A parse that
 * goes from left to right and never looks back is a function of the set alone.
 *
 * It also follows that a run of d dimensions was grouped in layers 1..d and in
 * no other: two neighbours of equal shape never stay apart.
 *
 * Adding at the end changes the last group of each layer only, so a whole
 * nested run is added in a few steps: see add_block().
 */
#include <stdlib.h>
#include <string.h>

#include "rank_recursive_impl.h"
#include "util.h"

/* More runs than one step can add while it takes groups apart. */
#define SPARE 24

void rsd_ranks_release(struct rsd_ranks *s)
{
	free(s->run);
	*s = (struct rsd_ranks)RSD_RANKS_INIT;
}

int rsd_ranks_copy(struct rsd_ranks *dst, const struct rsd_ranks *src)
{
	struct rsd_run *run = NULL;

	if (src->nr) {
		run = rsd_calloc(src->nr, sizeof(*run));
		if (!run)
			return RSD_ERR_NOMEM;
		memcpy(run, src->run, src->nr * sizeof(*run));
	}
	free(dst->run);
	*dst = (struct rsd_ranks){ run, src->nr, src->nr };
	return 0;
}

/* The d innermost dimensions of 'r' begin here. */
static int inner(const struct rsd_run *r, int d)
{
	return r->nr_dims - d;
}

static size_t run_count(const struct rsd_run *r)
{
	size_t nr = 1;

	for (int i = 0; i < r->nr_dims; i++)
		nr *= (size_t)r->dim[i].count;
	return nr;
}

/* Are the d innermost dimensions the same? */
static bool same_shape(const struct rsd_run *a, const struct rsd_run *b, int d)
{
	for (int i = 0; i < d; i++) {
		int p = inner(a, d) + i, q = inner(b, d) + i;

		if (a->dim[p].count != b->dim[q].count || a->dim[p].stride != b->dim[q].stride)
			return false;
	}
	return true;
}

static bool same_run(const struct rsd_run *a, const struct rsd_run *b)
{
	return a->first == b->first && a->nr_dims == b->nr_dims && same_shape(a, b, a->nr_dims);
}

/* The last block of d dimensions of 'r'. */
static struct rsd_run last_block(const struct rsd_run *r, int d)
{
	struct rsd_run b = { .first = r->first, .nr_dims = d };

	for (int i = 0; i < inner(r, d); i++)
		b.first += (r->dim[i].count - 1) * r->dim[i].stride;
	for (int i = 0; i < d; i++)
		b.dim[i] = r->dim[inner(r, d) + i];
	return b;
}

static struct rsd_run *last_run(const struct rsd_ranks *s)
{
	return s->nr ? &s->run[s->nr - 1] : NULL;
}

/* Does the last group of layer d+1 take 'e', a result of layer d? */
static bool group_takes(const struct rsd_ranks *s, const struct rsd_run *e, int d)
{
	const struct rsd_run *r = last_run(s);
	struct rsd_run g;

	if (!r || r->nr_dims < d || d >= RSD_RUN_DIMS)
		return false;
	if (r->nr_dims == d)
		return same_shape(r, e, d);
	g = last_block(r, d + 1);
	return same_shape(&g, e, d) &&
	       e->first - g.first == (int64_t)g.dim[0].count * g.dim[0].stride;
}

static void push(struct rsd_ranks *s, const struct rsd_run *e);

/* Takes the last group of layer d off the end; what was around it stays, parsed anew. */
static struct rsd_run split(struct rsd_ranks *s, int d)
{
	struct rsd_run r = s->run[--s->nr];

	while (r.nr_dims > d) {
		struct rsd_run block = last_block(&r, r.nr_dims - 1), rest = block;

		rest.first = r.first;
		rest = rsd_run_repeat(&rest, r.dim[0].count - 1, r.dim[0].stride);
		push(s, &rest);
		r = block;
	}
	return r;
}

/* Adds 'e', a group of layer e->nr_dims that is complete and new. */
static void push(struct rsd_ranks *s, const struct rsd_run *e)
{
	int d = e->nr_dims;
	struct rsd_run g;

	if (!group_takes(s, e, d)) {
		rsd_assert(s->nr < s->alloc);
		s->run[s->nr++] = *e;
		return;
	}
	if (last_run(s)->nr_dims == d) {
		g = s->run[--s->nr];
		g = rsd_run_repeat(&g, 2, e->first - g.first);
	} else {
		g = split(s, d + 1);
		g.dim[0].count++;
	}
	push(s, &g);
}

static int reserve(struct rsd_ranks *s)
{
	size_t spare = s->nr ? SPARE : 1; /* most sets have one run */

	return s->alloc - s->nr >= spare ? 0 : RSD_GROW(s->run, s->nr + spare, s->alloc);
}

/* Adds a row; layer 1's last row may take its first member, or all. */
static void add_row(struct rsd_ranks *s, int first, int count, int stride)
{
	struct rsd_run e = { .first = first }, row;

	if (group_takes(s, &e, 0)) {
		int take = 1, t;

		if (last_run(s)->nr_dims == 0) {
			row = s->run[--s->nr];
			t = first - row.first;
			row = rsd_run_repeat(&row, 2, t);
		} else {
			row = split(s, 1);
			t = row.dim[0].stride;
			row.dim[0].count++;
		}
		if (count > 1 && t == stride) {
			take = count;
			row.dim[0].count += count - 1;
		}
		push(s, &row);
		if (take == count)
			return;
		e.first += stride;
		count--;
	}
	row = rsd_run_repeat(&e, count, stride);
	push(s, &row);
}

/* Would any layer's last group take what 'e' begins with? */
static bool is_taken(const struct rsd_ranks *s, const struct rsd_run *e)
{
	for (int d = 0; d < e->nr_dims; d++)
		if (group_takes(s, e, d))
			return true;
	return false;
}

/*
 * Did adding one block, 'step' above the one before it, just lengthen the last
 * run by a round? Then each further block does the same.
 */
static bool in_step(const struct rsd_ranks *s, size_t nr, const struct rsd_run *before, int step)
{
	const struct rsd_run *r = last_run(s);

	return s->nr == nr && r->first == before->first && r->nr_dims == before->nr_dims &&
	       r->nr_dims > 0 && r->dim[0].stride == step && before->dim[0].count > 2 &&
	       r->dim[0].count == before->dim[0].count + 1 && same_shape(r, before, r->nr_dims - 1);
}

/*
 * Adds a nested run above all members. Where no group at the end takes
 * anything of it, it is a complete group and pushed whole; otherwise its blocks
 * are added one by one until they fall into step.
 */
static int add_block(struct rsd_ranks_build *b, const struct rsd_run *e)
{
	struct rsd_run block, before;
	int err, count, step;

	if (!b->budget)
		return RSD_ERR_FORMAT;
	b->budget--;
	err = reserve(b->s);
	if (err)
		return err;
	if (e->nr_dims <= 1) {
		add_row(b->s, e->first, e->nr_dims ? e->dim[0].count : 1,
			e->nr_dims ? e->dim[0].stride : 1);
		return 0;
	}
	if (!is_taken(b->s, e)) {
		push(b->s, e);
		return 0;
	}
	count = e->dim[0].count;
	step = e->dim[0].stride;
	block = last_block(e, e->nr_dims - 1);
	block.first = e->first;
	for (int i = 0; i < count; i++) {
		size_t nr = b->s->nr;

		before = *last_run(b->s);
		err = add_block(b, &block);
		if (err)
			return err;
		block.first += step;
		if (in_step(b->s, nr, &before, step)) {
			struct rsd_run r = b->s->run[--b->s->nr];

			r.dim[0].count += count - 1 - i;
			push(b->s, &r);
			break;
		}
	}
	return 0;
}

int rsd_ranks_append(struct rsd_ranks *s, int rank)
{
	return rsd_ranks_append_range(s, rank, 1);
}

int rsd_ranks_append_range(struct rsd_ranks *s, int first, int count)
{
	int err;

	if (count <= 0)
		return 0;
	rsd_assert(first > rsd_ranks_last(s));
	err = reserve(s);
	if (!err)
		add_row(s, first, count, 1);
	return err;
}

/* Reads a set in blocks: position within run[at], an index per dimension. */
struct reader {
	const struct rsd_ranks *s;
	size_t at;
	int idx[RSD_RUN_DIMS];
	int value; /* the member; INT32_MAX at the end */
};

static void reader_start(struct reader *k, const struct rsd_ranks *s, size_t at)
{
	*k = (struct reader){
		.s = s, .at = at, .value = at < s->nr ? s->run[at].first : INT32_MAX
	};
}

/*
 * The largest block from here on whose members are all below 'limit'; the
 * member itself at least. Moves past it.
 */
static struct rsd_run reader_take(struct reader *k, int limit)
{
	const struct rsd_run *r = &k->s->run[k->at];
	struct rsd_run best = { .first = k->value };
	int d, m = 1, dim = r->nr_dims - 1;

	for (d = 1; d <= r->nr_dims; d++) {
		int i = inner(r, d), extent = 0;
		struct rsd_run block = { .first = k->value, .nr_dims = d - 1 };

		for (int j = i + 1; j < r->nr_dims; j++) {
			extent += (r->dim[j].count - 1) * r->dim[j].stride;
			block.dim[j - i - 1] = r->dim[j];
		}
		if (k->value >= limit || extent >= limit - k->value)
			break;
		m = (limit - 1 - k->value - extent) / r->dim[i].stride + 1;
		if (m > r->dim[i].count - k->idx[i])
			m = r->dim[i].count - k->idx[i];
		best = rsd_run_repeat(&block, m, r->dim[i].stride);
		dim = i;
		if (m < r->dim[i].count)
			break; /* begins or ends inside this dimension */
	}
	for (; dim >= 0; dim--, m = 1) {
		if (k->idx[dim] + m < r->dim[dim].count) {
			k->idx[dim] += m;
			k->value += m * r->dim[dim].stride;
			return best;
		}
		k->value -= k->idx[dim] * r->dim[dim].stride;
		k->idx[dim] = 0;
	}
	reader_start(k, k->s, k->at + 1);
	return best;
}

int rsd_ranks_union(struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	struct rsd_ranks_build build = { out, SIZE_MAX };
	struct reader x, y;
	int err;

	if (a->nr && b->nr && rsd_ranks_last(b) < rsd_ranks_first(a)) {
		const struct rsd_ranks *t = a;

		a = b;
		b = t;
	}
	if (!a->nr || !b->nr || rsd_ranks_equal(a, b))
		return rsd_ranks_copy(out, a->nr ? a : b);
	reader_start(&x, a, 0);
	reader_start(&y, b, 0);
	out->nr = 0;
	err = 0;
	if (rsd_ranks_last(a) < rsd_ranks_first(b)) {
		err = rsd_ranks_copy(out, a);
		reader_start(&x, a, a->nr);
	}
	while (!err && (x.value != INT32_MAX || y.value != INT32_MAX)) {
		struct rsd_run block;

		if (x.value == y.value)
			reader_take(&y, y.value);
		block = x.value < y.value ? reader_take(&x, y.value) : reader_take(&y, x.value);
		err = add_block(&build, &block);
	}
	return err;
}

int rsd_ranks_add(struct rsd_ranks *s, const struct rsd_ranks *more)
{
	struct rsd_ranks both = RSD_RANKS_INIT;
	int err;

	/* A set is as cheap to copy as it is short, whatever the number of its members. */
	if (!s->nr || !more->nr)
		return s->nr ? 0 : rsd_ranks_copy(s, more);
	err = rsd_ranks_union(&both, s, more);
	if (err) {
		rsd_ranks_release(&both);
		return err;
	}
	rsd_ranks_release(s);
	*s = both;
	return 0;
}

int rsd_ranks_minus(struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	struct rsd_ranks_build build = { out, SIZE_MAX };
	struct reader x, y;
	int err = 0;

	out->nr = 0;
	if (rsd_ranks_equal(a, b))
		return 0;
	reader_start(&x, a, 0);
	reader_start(&y, b, 0);
	while (!err && x.value != INT32_MAX) {
		struct rsd_run block;

		if (y.value < x.value) {
			reader_take(&y, x.value);
		} else if (x.value == y.value) {
			reader_take(&x, x.value);
		} else {
			block = reader_take(&x, y.value);
			err = add_block(&build, &block);
		}
	}
	return err;
}

/* All ranks from the first to the last one. */
static bool is_range(const struct rsd_ranks *s)
{
	return s->nr == 1 && s->run[0].nr_dims == 1 && s->run[0].dim[0].stride == 1;
}

static bool lies_between(const struct rsd_ranks *s, const struct rsd_ranks *range)
{
	return rsd_ranks_first(s) >= rsd_ranks_first(range) &&
	       rsd_ranks_last(s) <= rsd_ranks_last(range);
}

int rsd_ranks_intersect(struct rsd_ranks *out, const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;
	int err;

	/* What a set has in common with all ranks costs no look at each. */
	if (!a->nr || !b->nr || (is_range(b) && lies_between(a, b)) || rsd_ranks_equal(a, b))
		return rsd_ranks_copy(out, b->nr ? a : b);
	if (is_range(a) && lies_between(b, a))
		return rsd_ranks_copy(out, b);
	/* a without (a without b) */
	err = rsd_ranks_minus(&rest, a, b);
	if (!err)
		err = rsd_ranks_minus(out, a, &rest);
	rsd_ranks_release(&rest);
	return err;
}

/* The run that holds 'rank' if any does: the last one with first <= rank, or -1. */
static ptrdiff_t run_of(const struct rsd_ranks *s, int rank)
{
	size_t lo = 0, hi = s->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->run[mid].first <= rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (ptrdiff_t)lo - 1;
}

/* How many members of 'r' are below 'rank'; *has: is 'rank' one itself? */
static size_t below(const struct rsd_run *r, int rank, bool *has)
{
	int64_t rest = (int64_t)rank - r->first;
	size_t nr = 0, size = run_count(r);

	*has = false;
	if (rest < 0)
		return 0;
	for (int i = 0; i < r->nr_dims; i++) {
		int64_t q = rest / r->dim[i].stride;

		if (q >= r->dim[i].count)
			q = r->dim[i].count - 1;
		size /= (size_t)r->dim[i].count;
		nr += (size_t)q * size;
		rest -= q * r->dim[i].stride;
		/* Past the end of this block: all of it is below, unless a deeper index says so
		 * anyway. */
	}
	*has = rest == 0;
	return nr + (rest > 0);
}

bool rsd_ranks_has(const struct rsd_ranks *s, int rank)
{
	ptrdiff_t i = run_of(s, rank);
	bool has = false;

	if (i >= 0)
		below(&s->run[i], rank, &has);
	return has;
}

bool rsd_ranks_equal(const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (!same_run(&a->run[i], &b->run[i]))
			return false;
	return true;
}

bool rsd_ranks_is_empty(const struct rsd_ranks *s)
{
	return s->nr == 0;
}

int rsd_ranks_first(const struct rsd_ranks *s)
{
	return s->nr ? s->run[0].first : -1;
}

int rsd_ranks_last(const struct rsd_ranks *s)
{
	return s->nr ? rsd_run_last(&s->run[s->nr - 1]) : -1;
}

size_t rsd_ranks_count(const struct rsd_ranks *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += run_count(&s->run[i]);
	return nr;
}

size_t rsd_ranks_position(const struct rsd_ranks *s, int rank)
{
	ptrdiff_t at = run_of(s, rank);
	size_t nr = 0;
	bool has;

	for (ptrdiff_t i = 0; i < at; i++)
		nr += run_count(&s->run[i]);
	return at >= 0 ? nr + below(&s->run[at], rank, &has) : 0;
}

/* The member of 'r' at position 'n'. */
static int member(const struct rsd_run *r, size_t n)
{
	int v = r->first;

	for (int i = r->nr_dims - 1; i >= 0; i--) {
		v += (int)(n % (size_t)r->dim[i].count) * r->dim[i].stride;
		n /= (size_t)r->dim[i].count;
	}
	return v;
}

int rsd_ranks_next(const struct rsd_ranks *s, int rank)
{
	ptrdiff_t i = run_of(s, rank);

	if (i >= 0) {
		bool has;
		size_t n = below(&s->run[i], rank, &has);

		n += has;
		if (n < run_count(&s->run[i]))
			return member(&s->run[i], n);
	}
	return (size_t)(i + 1) < s->nr ? s->run[i + 1].first : -1;
}

int rsd_ranks_add_checked(struct rsd_ranks_build *b, const struct rsd_run *e, int limit)
{
	struct rsd_run r = { .first = e->first };
	int64_t extent = 0;

	if (e->first <= rsd_ranks_last(b->s))
		return RSD_ERR_FORMAT;
	for (int i = e->nr_dims - 1; i >= 0; i--) {
		int count = e->dim[i].count, stride = e->dim[i].stride;

		if (count < 2 || stride <= extent)
			return RSD_ERR_FORMAT;
		extent += (int64_t)(count - 1) * stride;
		if (e->first + extent >= limit)
			return RSD_ERR_FORMAT;
		if (r.nr_dims && stride == (int64_t)r.dim[0].count * r.dim[0].stride)
			r.dim[0].count *= count;
		else
			r = rsd_run_repeat(&r, count, stride);
	}
	if (e->first >= limit)
		return RSD_ERR_FORMAT;
	return add_block(b, &r);
}
