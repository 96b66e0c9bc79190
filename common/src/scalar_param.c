#include <stdlib.h>
#include <string.h>

#include "coder.h"
#include "hash.h"
#include "trace.h"
#include "util.h"

#define TRIES 64   /* groups that a group of another rank is tried with */
#define MIDDLES 16 /* bins between least and largest; each becomes one value or two */

void rsd_scalars_release(struct rsd_scalars *a)
{
	for (size_t i = 0; i < a->nr; i++)
		rsd_ranks_release(&a->s[i].ranks);
	free(a->s);
	*a = (struct rsd_scalars){ NULL, 0, 0 };
}

struct rsd_scalar *rsd_scalars_add(struct rsd_scalars *a, const struct rsd_scalar *s)
{
	if (RSD_GROW(a->s, a->nr + 1, a->alloc))
		return NULL;
	a->s[a->nr] = *s;
	a->s[a->nr].ranks = RSD_RANKS_INIT;
	return &a->s[a->nr++];
}

uint32_t rsd_scalar_error(double percent)
{
	return (uint32_t)(percent * (RSD_SCALAR_MAX_ERROR / 100) + 0.5);
}

int rsd_scalar_column(const struct rsd_func *f, int param)
{
	if (param < 0 || f->param[param].type != RSD_T_INT || f->param[param].role != RSD_R_INT)
		return -1;
	return rsd_func_first_column(f, param);
}

bool rsd_scalars_has(const struct rsd_scalars *a, int col)
{
	for (size_t i = 0; i < a->nr; i++)
		if (a->s[i].col == col)
			return true;
	return false;
}

bool rsd_scalar_within(uint32_t least, uint32_t largest, uint32_t error)
{
	return (uint64_t)largest * (RSD_SCALAR_MAX_ERROR - error) <=
	       (uint64_t)least * (RSD_SCALAR_MAX_ERROR + error);
}

/* ---- fewer values ------------------------------------------------------------------------- */

/* 'nr' values, 'above' more than nr * base together: so many of base + something, the rest one more. */
static size_t put_mean(uint32_t base, uint64_t above, uint64_t nr, struct rsd_scalar_bin *out)
{
	uint32_t mean = base + (uint32_t)(above / nr);
	uint64_t more = above % nr;
	size_t n = 0;

	if (nr - more)
		out[n++] = (struct rsd_scalar_bin){ mean, nr - more };
	if (more)
		out[n++] = (struct rsd_scalar_bin){ mean + 1, more };
	return n;
}

/* Neighbours may have come to the same value. */
static size_t join_equal(struct rsd_scalar_bin *bin, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (n && bin[n - 1].value == bin[i].value)
			bin[n - 1].nr += bin[i].nr;
		else
			bin[n++] = bin[i];
	}
	return n;
}

/*
 * The least and the largest value stay, one each; what is between goes into bins of one width. A bin's
 * values become its mean, rounded down for some and up for the others, so the sum stays.
 */
size_t rsd_scalar_reduce(const struct rsd_scalar_bin *in, size_t nr, struct rsd_scalar_bin *out)
{
	struct rsd_scalar_bin all[2 * MIDDLES + 2];
	uint64_t count[MIDDLES] = { 0 }, above[MIDDLES] = { 0 }, width;
	uint32_t least = in[0].value, largest = in[nr - 1].value;
	size_t n = 0;

	if (nr <= RSD_SCALAR_BINS) {
		memcpy(out, in, nr * sizeof(*in));
		return nr;
	}
	width = ((uint64_t)largest - least) / MIDDLES + 1;
	for (size_t i = 0; i < nr; i++) {
		uint64_t d = in[i].value - least, k = in[i].nr - (i == 0 || i == nr - 1);

		count[d / width] += k;
		above[d / width] += k * (d % width);
	}
	all[n++] = (struct rsd_scalar_bin){ least, 1 };
	for (size_t i = 0; i < MIDDLES; i++)
		if (count[i])
			n += put_mean(least + (uint32_t)(i * width), above[i], count[i], &all[n]);
	all[n++] = (struct rsd_scalar_bin){ largest, 1 };
	n = join_equal(all, n);
	memcpy(out, all, n * sizeof(*out));
	return n;
}

/* ---- merging ------------------------------------------------------------------------------- */

static uint64_t total_of(const struct rsd_scalar *s)
{
	return s->draws * rsd_ranks_count(&s->ranks);
}

static bool has_same_bins(const struct rsd_scalar *a, const struct rsd_scalar *b)
{
	size_t i = 0;

	while (i < a->nr_bins && i < b->nr_bins && a->bin[i].value == b->bin[i].value &&
		a->bin[i].nr == b->bin[i].nr)
		i++;
	return i == a->nr_bins && i == b->nr_bins;
}

static bool fit(const struct rsd_scalar *a, const struct rsd_scalar *b)
{
	uint32_t a_min = a->bin[0].value, a_max = a->bin[a->nr_bins - 1].value;
	uint32_t b_min = b->bin[0].value, b_max = b->bin[b->nr_bins - 1].value;

	if (a->col != b->col || a->id != b->id || a->error != b->error || a->draws != b->draws ||
		a->whole != b->whole)
		return false;
	if (a->whole)
		return has_same_bins(a, b);
	return total_of(a) + total_of(b) <= RSD_SCALAR_MAX_NR &&
	       rsd_scalar_within(
		       a_min < b_min ? a_min : b_min, a_max > b_max ? a_max : b_max, a->error);
}

static void join_bins(struct rsd_scalar *a, const struct rsd_scalar *b)
{
	struct rsd_scalar_bin all[2 * RSD_SCALAR_BINS];
	size_t i = 0, k = 0, n = 0;

	while (i < a->nr_bins || k < b->nr_bins) {
		if (k == b->nr_bins || (i < a->nr_bins && a->bin[i].value <= b->bin[k].value))
			all[n++] = a->bin[i++];
		else
			all[n++] = b->bin[k++];
	}
	n = join_equal(all, n);
	a->nr_bins = rsd_scalar_reduce(all, n, a->bin);
}

/* Of those that may fit each other. */
static uint64_t key_of(const struct rsd_scalar *s)
{
	uint64_t h = rsd_hash_mix((uint64_t)s->col << 8 | (uint64_t)s->id << 1 | s->whole);

	h = rsd_hash_mix(h ^ s->error) + s->draws;
	for (size_t i = 0; s->whole && i < s->nr_bins; i++)
		h = rsd_hash_mix(rsd_hash_mix(h) ^ s->bin[i].value) + s->bin[i].nr;
	return h;
}

/* The groups of one key are a list, oldest first. */
struct lists {
	struct rsd_map first;
	struct link {
		size_t next; /* or SIZE_MAX */
		size_t last; /* of the list that begins here */
	} * link;
	size_t alloc;
};

/* The group at 'at' is the newest. */
static int lists_add(struct lists *l, const struct rsd_scalar *s, size_t at)
{
	uint64_t key = key_of(s);
	const uint64_t *first = rsd_map_find(&l->first, key);

	if (RSD_GROW(l->link, at + 1, l->alloc))
		return RSD_ERR_NOMEM;
	l->link[at] = (struct link){ SIZE_MAX, at };
	if (!first)
		return rsd_map_set(&l->first, key, at);
	l->link[l->link[*first].last].next = at;
	l->link[*first].last = at;
	return 0;
}

static int merge_one(struct rsd_scalars *a, struct lists *l, struct rsd_scalar *s)
{
	const uint64_t *first = rsd_map_find(&l->first, key_of(s));
	struct rsd_scalar *to;
	size_t tries = 0;

	for (size_t i = first ? *first : SIZE_MAX; i != SIZE_MAX && tries < TRIES;
		i = l->link[i].next, tries++) {
		if (!fit(&a->s[i], s))
			continue;
		if (rsd_ranks_add(&a->s[i].ranks, &s->ranks))
			return RSD_ERR_NOMEM;
		if (!s->whole)
			join_bins(&a->s[i], s);
		return 0;
	}
	to = rsd_scalars_add(a, s);
	if (!to)
		return RSD_ERR_NOMEM;
	to->ranks = s->ranks;
	s->ranks = RSD_RANKS_INIT;
	return lists_add(l, to, a->nr - 1);
}

int rsd_scalars_merge(struct rsd_scalars *a, struct rsd_scalars *b)
{
	struct lists l = { .first = RSD_MAP_INIT };
	int err = 0;

	for (size_t i = 0; b->nr && i < a->nr && !err; i++)
		err = lists_add(&l, &a->s[i], i);
	for (size_t i = 0; i < b->nr && !err; i++)
		err = merge_one(a, &l, &b->s[i]);
	rsd_map_release(&l.first);
	free(l.link);
	return err;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

bool rsd_scalar_is_valid(const struct rsd_scalar *s, int nr_cols)
{
	uint64_t ranks = rsd_ranks_count(&s->ranks), total = 0;

	if (s->col < 0 || s->col >= nr_cols || s->id < 0 || s->id >= RSD_SCALAR_IDS ||
		s->error > RSD_SCALAR_MAX_ERROR || !s->nr_bins || s->nr_bins > RSD_SCALAR_BINS ||
		!ranks || !s->draws || s->draws > RSD_SCALAR_MAX_NR / ranks)
		return false;
	for (size_t i = 0; i < s->nr_bins; i++) {
		if (!s->bin[i].nr || s->bin[i].nr > RSD_SCALAR_MAX_NR ||
			s->bin[i].value > RSD_SCALAR_MAX_VALUE ||
			(i && s->bin[i].value <= s->bin[i - 1].value))
			return false;
		total += s->bin[i].nr;
	}
	return total == s->draws * (s->whole ? 1 : ranks) &&
	       rsd_scalar_within(s->bin[0].value, s->bin[s->nr_bins - 1].value, s->error);
}

void rsd_scalars_encode(const struct rsd_scalars *a, struct rsd_buf *out)
{
	rsd_buf_field(out, RSD_FIELD_COUNT, 2);
	rsd_buf_put_uint(out, a->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct rsd_scalar *s = &a->s[i];
		uint32_t before = 0;

		rsd_buf_field(out, RSD_FIELD_COUNT, 3);
		rsd_buf_put_uint(out, (uint64_t)s->col);
		rsd_buf_put_uint(out, (uint64_t)s->id + (s->whole ? RSD_SCALAR_IDS : 0));
		rsd_buf_put_uint(out, s->error);
		rsd_ranks_encode(&s->ranks, out);
		rsd_buf_field(out, RSD_FIELD_COUNT, 4);
		rsd_buf_put_uint(out, s->draws);
		rsd_buf_put_uint(out, s->nr_bins);
		for (size_t k = 0; k < s->nr_bins; k++) {
			rsd_buf_field(out, RSD_FIELD_COUNT, 5);
			rsd_buf_put_uint(out, s->bin[k].value - before);
			rsd_buf_field(out, RSD_FIELD_COUNT, 6);
			rsd_buf_put_uint(out, s->bin[k].nr);
			before = s->bin[k].value;
		}
	}
}

static int get_int(struct rsd_reader *in, int max)
{
	uint64_t v = rsd_reader_uint(in);

	return v > (uint64_t)max ? -1 : (int)v;
}

static int decode_bins(struct rsd_scalar *s, struct rsd_reader *in)
{
	uint64_t value = 0, nr;

	rsd_reader_field(in, RSD_FIELD_COUNT, 4);
	s->draws = rsd_reader_uint(in);
	nr = rsd_reader_uint(in);
	if (nr > RSD_SCALAR_BINS)
		return RSD_ERR_FORMAT;
	for (size_t k = 0; k < nr && !in->err; k++) {
		uint64_t step;

		rsd_reader_field(in, RSD_FIELD_COUNT, 5);
		step = rsd_reader_uint(in);
		if (step > RSD_SCALAR_MAX_VALUE - value)
			return RSD_ERR_FORMAT;
		value += step;
		rsd_reader_field(in, RSD_FIELD_COUNT, 6);
		s->bin[k] = (struct rsd_scalar_bin){ (uint32_t)value, rsd_reader_uint(in) };
	}
	s->nr_bins = (size_t)nr;
	return in->err;
}

static int decode_one(struct rsd_scalar *s, bool may_be_whole, struct rsd_reader *in, int limit)
{
	int error, err;

	rsd_reader_field(in, RSD_FIELD_COUNT, 3);
	s->col = get_int(in, INT32_MAX);
	s->id = get_int(in, 2 * RSD_SCALAR_IDS);
	s->whole = may_be_whole && s->id >= RSD_SCALAR_IDS;
	s->id -= s->whole ? RSD_SCALAR_IDS : 0;
	error = get_int(in, RSD_SCALAR_MAX_ERROR);
	s->error = (uint32_t)error;
	err = error < 0 ? RSD_ERR_FORMAT : rsd_ranks_decode(&s->ranks, in, limit);
	return err ? err : decode_bins(s, in);
}

int rsd_scalars_decode(
	struct rsd_scalars *a, int nr_cols, bool may_be_whole, struct rsd_reader *in, int limit)
{
	size_t nr;
	int err;

	rsd_reader_field(in, RSD_FIELD_COUNT, 2);
	nr = rsd_reader_count(in, 8);
	err = in->err;
	for (size_t i = 0; i < nr && !err; i++) {
		struct rsd_scalar *s = rsd_scalars_add(a, &(struct rsd_scalar){ .col = -1 });

		if (!s)
			return RSD_ERR_NOMEM;
		err = decode_one(s, may_be_whole, in, limit);
		if (!err && !rsd_scalar_is_valid(s, nr_cols))
			err = RSD_ERR_FORMAT;
	}
	return err;
}

/* ---- what a trace has -------------------------------------------------------------------------- */

/* Of places first, then of loops: calls fn until it returns true. */
static bool any_group(
	const struct rsd_trace *t, bool (*fn)(const struct rsd_scalar *s, void *arg), void *arg)
{
	for (size_t i = 0; i < t->nr_places; i++)
		for (size_t k = 0; k < t->place[i].scalars.nr; k++)
			if (fn(&t->place[i].scalars.s[k], arg))
				return true;
	for (size_t i = 0; i < t->nr_trees; i++)
		for (const struct rsd_node *n = t->tree[i].first; n; n = rsd_node_after(n, NULL))
			for (size_t k = 0; k < n->scalars.nr; k++)
				if (fn(&n->scalars.s[k], arg))
					return true;
	return false;
}

static bool is_any(const struct rsd_scalar *s, void *arg)
{
	(void)s;
	(void)arg;
	return true;
}

static bool is_whole(const struct rsd_scalar *s, void *arg)
{
	(void)arg;
	return s->whole;
}

bool rsd_trace_has_scalars(const struct rsd_trace *t)
{
	return !t->drawn && any_group(t, is_any, NULL);
}

bool rsd_trace_has_whole_scalars(const struct rsd_trace *t)
{
	return !t->drawn && any_group(t, is_whole, NULL);
}

/* Messages may have the size of any value of a group that is dealt out: ranks draw each their own. */
static bool widen(const struct rsd_scalar *s, void *arg)
{
	double *most = arg, least = s->bin[0].value, largest = s->bin[s->nr_bins - 1].value;

	if (!s->whole && least > 0 && largest / least > *most)
		*most = largest / least;
	return false;
}

double rsd_scalars_spread(const struct rsd_trace *t)
{
	double most = 1;

	any_group(t, widen, &most);
	return most;
}
