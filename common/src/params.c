/*
 * params.c - see params.h
 *
 * An encoding covers all ranks of a column or is absent from it, with one
 * exception: where two sides come together of which one has dropped ABS and the
 * other REL, each rank stays in the encoding it has ("mixed"). What joins a mixed column
 * has to choose an encoding first, so that no rank ever stands in a mixed column twice.
 */
#include "params.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "coder.h"
#include "util.h"

#define SMALL 16      /* up to this many variants are searched one by one */
#define FEW_NUMBERS 8 /* that many may always differ within a variant */

static void variant_release(struct rsd_variant *v)
{
	rsd_ranks_release(&v->ranks);
	rsd_column_free(v->col);
	for (size_t i = 0; i < v->nr_numbers; i++)
		rsd_column_free(v->number[i].over);
	free(v->number);
	memset(v, 0, sizeof(*v));
}

static void encoding_release(struct rsd_params *p, int e)
{
	for (size_t i = 0; i < p->enc[e].nr; i++)
		variant_release(&p->enc[e].variant[i]);
	free(p->enc[e].variant);
	memset(&p->enc[e], 0, sizeof(p->enc[e]));
}

void rsd_params_release(struct rsd_params *p)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++)
		encoding_release(p, e);
}

static int encoding_set(struct rsd_params *p, int e, int rank, struct rsd_column *col)
{
	struct rsd_variant *v;

	if (RSD_GROW(p->enc[e].variant, 1, p->enc[e].alloc)) {
		rsd_column_free(col);
		return RSD_ERR_NOMEM;
	}
	v = &p->enc[e].variant[0];
	*v = (struct rsd_variant){ .col = col };
	p->enc[e].nr = 1;
	return rsd_ranks_append(&v->ranks, rank);
}

int rsd_params_set(struct rsd_params *p, int rank, struct rsd_column *abs, struct rsd_column *rel)
{
	int err = encoding_set(p, RSD_E_ABS, rank, abs);

	if (!rel)
		return err;
	if (err) {
		rsd_column_free(rel);
		return err;
	}
	return encoding_set(p, RSD_E_REL, rank, rel);
}

/* ---- two variants of one skeleton ------------------------------------------------ */

/* Column 'over' of a number that has been 'v' for 'nr' ranks so far. */
static struct rsd_column *over_constant(int64_t v, uint64_t nr)
{
	struct rsd_column *c = rsd_column_new(false);

	if (c && rsd_column_append_run(c, v, nr)) {
		rsd_column_free(c);
		return NULL;
	}
	return c;
}

struct pairing { /* numbers of two variants side by side */
	const struct rsd_variant *a, *b;
	int64_t *na, *nb;
	size_t nr;
	size_t nr_a, nr_b; /* ranks */
};

/* Index into v->number if number 'i' differs there, given that those below *at are done. */
static bool differs(const struct rsd_variant *v, size_t i, size_t *at)
{
	while (*at < v->nr_numbers && v->number[*at].index < i)
		++*at;
	return *at < v->nr_numbers && v->number[*at].index == i;
}

static size_t count_differing(const struct pairing *p)
{
	size_t ka = 0, kb = 0, nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		nr += differs(p->a, i, &ka) || differs(p->b, i, &kb) || p->na[i] != p->nb[i];
	return nr;
}

static int append_side(struct rsd_column *over, const struct rsd_variant *v, bool own, size_t at,
	int64_t value, size_t nr)
{
	return own ? rsd_column_concat(over, v->number[at].over)
		   : rsd_column_append_run(over, value, nr);
}

/* The numbers that differ in a, in b or between them, each over the ranks of both. */
static int pair_numbers(
	const struct pairing *p, struct rsd_number **out, size_t *nr_out, size_t max)
{
	struct rsd_number *num = rsd_calloc(max ? max : 1, sizeof(*num));
	size_t ka = 0, kb = 0, n = 0;
	int err = num ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; i < p->nr && !err; i++) {
		bool in_a = differs(p->a, i, &ka), in_b = differs(p->b, i, &kb);
		struct rsd_column *over;

		if (!in_a && !in_b && p->na[i] == p->nb[i])
			continue;
		over = in_a ? rsd_column_copy(p->a->number[ka].over)
			    : over_constant(p->na[i], p->nr_a);
		if (!over) {
			err = RSD_ERR_NOMEM;
			break;
		}
		num[n++] = (struct rsd_number){ .index = (uint32_t)i, .over = over };
		err = append_side(over, p->b, in_b, kb, p->nb[i], p->nr_b);
	}
	*out = num;
	*nr_out = n;
	return err;
}

static void replace_numbers(struct rsd_variant *a, struct rsd_number *num, size_t nr)
{
	for (size_t i = 0; i < a->nr_numbers; i++)
		rsd_column_free(a->number[i].over);
	free(a->number);
	a->number = num;
	a->nr_numbers = nr;
}

/* Unites b with a, of the same skeleton, unless too much differs (*done stays false). */
static int unite(struct rsd_variant *a, const struct rsd_variant *b, bool *done)
{
	struct pairing p = { .a = a, .b = b, .nr = rsd_column_nr_numbers(a->col) };
	struct rsd_number *num = NULL;
	size_t nr = 0, max;
	int err;

	p.nr_a = rsd_ranks_count(&a->ranks);
	p.nr_b = rsd_ranks_count(&b->ranks);
	p.na = rsd_malloc((2 * p.nr + 1) * sizeof(*p.na));
	if (!p.na)
		return RSD_ERR_NOMEM;
	p.nb = p.na + p.nr;
	rsd_column_get_numbers(a->col, p.na);
	rsd_column_get_numbers(b->col, p.nb);

	max = count_differing(&p);
	if (max > FEW_NUMBERS && max > p.nr / 2) {
		free(p.na);
		return 0;
	}
	err = pair_numbers(&p, &num, &nr, max);
	if (!err)
		err = rsd_ranks_add(&a->ranks, &b->ranks);
	free(p.na);
	if (err) {
		for (size_t i = 0; i < nr; i++)
			rsd_column_free(num[i].over);
		free(num);
		return err;
	}
	replace_numbers(a, num, nr);
	*done = true;
	return 0;
}

/* ---- lists of variants ---------------------------------------------------------------- */

/* Only who merges asks for it: it is a pass over all of the column. */
static uint64_t skeleton(struct rsd_variant *v)
{
	if (!v->skeleton)
		v->skeleton = rsd_column_skeleton_hash(v->col);
	return v->skeleton;
}

static bool plainly_equal(struct rsd_variant *a, struct rsd_variant *b)
{
	return skeleton(a) == skeleton(b) && !a->nr_numbers && !b->nr_numbers &&
	       rsd_column_equal(a->col, b->col);
}

/* Ids of strings can't be numbers over ranks: they are exchanged when tables merge. */
static bool same_skeleton(struct rsd_variant *a, struct rsd_variant *b)
{
	return skeleton(a) == skeleton(b) && !rsd_column_is_symbolic(a->col) &&
	       !rsd_column_is_symbolic(b->col) && rsd_column_same_skeleton(a->col, b->col);
}

/* Finds where 'v' can go among the first 'nr' variants; 'index' leads from skeletons to them, or is empty. */
static int place_variant(struct rsd_variant *list, size_t nr, const struct rsd_map *index,
	struct rsd_variant *v, bool *done)
{
	size_t from = 0, to = nr;
	int err = 0;

	if (index->nr) {
		const uint64_t *at = rsd_map_find(index, skeleton(v));

		if (!at)
			return 0;
		from = (size_t)*at;
		to = from + 1;
	}
	for (size_t i = from; i < to; i++) {
		if (plainly_equal(&list[i], v)) {
			*done = true;
			return rsd_ranks_add(&list[i].ranks, &v->ranks);
		}
	}
	for (size_t i = from; i < to && !*done && !err; i++) {
		if (same_skeleton(&list[i], v))
			err = unite(&list[i], v, done);
	}
	return err;
}

/* Moves the variants of b's encoding into a's. */
static int merge_encoding(struct rsd_params *a, struct rsd_params *b, int e)
{
	size_t nr = a->enc[e].nr;
	struct rsd_map index = RSD_MAP_INIT;
	int err = 0;

	for (size_t i = 0; nr > SMALL && i < nr && !err; i++)
		err = rsd_map_set(&index, skeleton(&a->enc[e].variant[i]), i);
	for (size_t i = 0; i < b->enc[e].nr && !err; i++) {
		struct rsd_variant *v = &b->enc[e].variant[i];
		bool done = false;

		err = place_variant(a->enc[e].variant, nr, &index, v, &done);
		if (!err && !done)
			err = RSD_GROW(a->enc[e].variant, a->enc[e].nr + 1, a->enc[e].alloc);
		if (err)
			break;
		if (done) {
			variant_release(v);
		} else {
			a->enc[e].variant[a->enc[e].nr++] = *v;
			memset(v, 0, sizeof(*v));
		}
	}
	rsd_map_release(&index);
	return err;
}

/* ---- encodings ---------------------------------------------------------------------------- */

enum state { EMPTY, ONE_ABS, ONE_REL, BOTH, MIXED };

/*
 * The rank's variant, or NULL: one of those that begin at 'rank' or before. The last of them is the likeliest,
 * as most sets are runs of neighbours, or single ranks; where sets interleave the search goes on backwards.
 */
static const struct rsd_variant *find_variant(const struct rsd_params *p, int e, int rank)
{
	size_t lo = 0, hi = p->enc[e].nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rsd_ranks_first(&p->enc[e].variant[mid].ranks) <= rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo > 0) {
		const struct rsd_variant *v = &p->enc[e].variant[--lo];

		if (rsd_ranks_has(&v->ranks, rank))
			return v;
	}
	return NULL;
}

static enum state state_of(const struct rsd_params *p)
{
	if (!p->enc[RSD_E_REL].nr)
		return p->enc[RSD_E_ABS].nr ? ONE_ABS : EMPTY;
	if (!p->enc[RSD_E_ABS].nr)
		return ONE_REL;
	return find_variant(p, RSD_E_REL, rsd_ranks_first(&p->enc[RSD_E_ABS].variant[0].ranks))
		       ? BOTH
		       : MIXED;
}

static size_t ranks_size(const struct rsd_ranks *s)
{
	return 1 + 4 * s->nr;
}

static size_t encoding_size(const struct rsd_params *p, int e)
{
	size_t size = 1;

	for (size_t i = 0; i < p->enc[e].nr; i++) {
		const struct rsd_variant *v = &p->enc[e].variant[i];

		size += ranks_size(&v->ranks) + rsd_column_size(v->col) + 1;
		for (size_t k = 0; k < v->nr_numbers; k++)
			size += 1 + rsd_column_size(v->number[k].over);
	}
	return size;
}

void rsd_params_settle(struct rsd_params *p)
{
	if (state_of(p) == BOTH)
		encoding_release(p, encoding_size(p, RSD_E_REL) < encoding_size(p, RSD_E_ABS)
					    ? RSD_E_ABS
					    : RSD_E_REL);
}

/* Drops an encoding that is clearly larger than the other. */
static void drop_larger(struct rsd_params *p)
{
	size_t abs = encoding_size(p, RSD_E_ABS), rel = encoding_size(p, RSD_E_REL);

	if (abs > 2 * rel + 64)
		encoding_release(p, RSD_E_ABS);
	else if (rel > 2 * abs + 64)
		encoding_release(p, RSD_E_REL);
}

/* Makes two columns such that their encodings can be merged one by one. */
static void agree(struct rsd_params *p, enum state own, enum state other)
{
	if (own != BOTH || other == BOTH)
		return;
	if (other == ONE_ABS)
		encoding_release(p, RSD_E_REL);
	else if (other == ONE_REL)
		encoding_release(p, RSD_E_ABS);
	else
		rsd_params_settle(p);
}

int rsd_params_merge(struct rsd_params *a, struct rsd_params *b)
{
	enum state sa = state_of(a), sb = state_of(b);
	int err = 0;

	if (sb == EMPTY)
		return 0;
	if (sa == EMPTY) {
		rsd_params_release(a);
		*a = *b;
		*b = (struct rsd_params)RSD_PARAMS_INIT;
		return 0;
	}
	agree(a, sa, sb);
	agree(b, sb, sa);
	for (int e = 0; e < RSD_NR_ENCODINGS && !err; e++)
		err = merge_encoding(a, b, e);
	rsd_params_release(b);
	if (!err && sa == BOTH && sb == BOTH)
		drop_larger(a);
	return err;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int number_at(const struct rsd_column *over, size_t pos, int64_t *v)
{
	struct rsd_cursor *k = rsd_cursor_new(over);
	int err = k ? rsd_cursor_skip(k, pos) : RSD_ERR_NOMEM;

	if (!err)
		err = rsd_cursor_next(k, v);
	rsd_cursor_free(k);
	return err == RSD_ERR_END ? RSD_ERR_FORMAT : err;
}

static int variant_column(const struct rsd_variant *v, int rank, struct rsd_column **out)
{
	size_t pos, nr;
	int64_t *num;
	int err = 0;

	if (!v->nr_numbers) {
		*out = rsd_column_copy(v->col);
		return *out ? 0 : RSD_ERR_NOMEM;
	}
	pos = rsd_ranks_position(&v->ranks, rank);
	nr = rsd_column_nr_numbers(v->col);
	num = rsd_malloc((nr ? nr : 1) * sizeof(*num));
	if (!num)
		return RSD_ERR_NOMEM;
	rsd_column_get_numbers(v->col, num);
	for (size_t i = 0; i < v->nr_numbers && !err; i++)
		err = number_at(v->number[i].over, pos, &num[v->number[i].index]);
	if (!err) {
		*out = rsd_column_with_numbers(v->col, num);
		err = *out ? 0 : RSD_ERR_FORMAT;
	}
	free(num);
	return err;
}

int rsd_params_get(
	const struct rsd_params *p, int rank, enum rsd_encoding *enc, struct rsd_column **out)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		const struct rsd_variant *v = find_variant(p, e, rank);

		if (v) {
			*enc = (enum rsd_encoding)e;
			return variant_column(v, rank, out);
		}
	}
	return RSD_ERR_END;
}

int rsd_params_ranks(const struct rsd_params *p, struct rsd_ranks *out)
{
	int err = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr && !err; i++)
			err = rsd_ranks_add(out, &p->enc[e].variant[i].ranks);
	}
	return err;
}

static bool variant_equal(const struct rsd_variant *a, const struct rsd_variant *b)
{
	if (a->nr_numbers != b->nr_numbers || !rsd_ranks_equal(&a->ranks, &b->ranks) ||
		!rsd_column_equal(a->col, b->col))
		return false;
	for (size_t i = 0; i < a->nr_numbers; i++) {
		if (a->number[i].index != b->number[i].index ||
			!rsd_column_equal(a->number[i].over, b->number[i].over))
			return false;
	}
	return true;
}

bool rsd_params_equal(const struct rsd_params *a, const struct rsd_params *b)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		if (a->enc[e].nr != b->enc[e].nr)
			return false;
		for (size_t i = 0; i < a->enc[e].nr; i++) {
			if (!variant_equal(&a->enc[e].variant[i], &b->enc[e].variant[i]))
				return false;
		}
	}
	return true;
}

size_t rsd_params_size(const struct rsd_params *p)
{
	size_t abs = encoding_size(p, RSD_E_ABS), rel = encoding_size(p, RSD_E_REL);

	if (state_of(p) == BOTH)
		return 1 + (abs < rel ? abs : rel);
	return abs + rel;
}

/* ---- bytes --------------------------------------------------------------------------------------- */

void rsd_params_encode(const struct rsd_params *p, struct rsd_buf *out)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		rsd_buf_field(out, RSD_FIELD_VARIANTS, (unsigned)e);
		rsd_buf_put_uint(out, p->enc[e].nr);
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];

			rsd_ranks_encode(&v->ranks, out);
			rsd_column_encode(v->col, out);
			rsd_buf_field(out, RSD_FIELD_NUMBERS, 0);
			rsd_buf_put_uint(out, v->nr_numbers);
			for (size_t k = 0; k < v->nr_numbers; k++) {
				rsd_buf_field(out, RSD_FIELD_INDEX, 0);
				rsd_buf_put_uint(out, v->number[k].index);
				rsd_column_encode(v->number[k].over, out);
			}
		}
	}
}

static int decode_numbers(struct rsd_variant *v, struct rsd_reader *in)
{
	size_t nr, limit, nr_ranks = rsd_ranks_count(&v->ranks);

	rsd_reader_field(in, RSD_FIELD_NUMBERS, 0);
	nr = rsd_reader_count(in, 2);
	if (in->err || !nr)
		return in->err;
	limit = rsd_column_nr_numbers(v->col);
	if (nr > limit)
		return RSD_ERR_FORMAT;
	v->number = rsd_calloc(nr, sizeof(*v->number));
	if (!v->number)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t index;
		int err;

		rsd_reader_field(in, RSD_FIELD_INDEX, 0);
		index = rsd_reader_uint(in);
		if (in->err || index >= limit || (i && index <= v->number[i - 1].index))
			return RSD_ERR_FORMAT;
		err = rsd_column_decode(&v->number[i].over, in);
		if (err)
			return err;
		v->number[i].index = (uint32_t)index;
		v->nr_numbers = i + 1;
		err = rsd_column_index(v->number[i].over); /* ranks are asked for one by one */
		if (err)
			return err;
		if (rsd_column_length(v->number[i].over) != nr_ranks)
			return RSD_ERR_FORMAT;
	}
	return 0;
}

static int decode_variant(struct rsd_variant *v, struct rsd_reader *in, int limit)
{
	int err = rsd_ranks_decode(&v->ranks, in, limit);

	if (!err && rsd_ranks_is_empty(&v->ranks))
		err = RSD_ERR_FORMAT;
	if (!err)
		err = rsd_column_decode(&v->col, in);
	if (err)
		return err;
	return decode_numbers(v, in);
}

static int by_first_rank(const void *a, const void *b)
{
	const struct rsd_variant *x = a, *y = b;
	int i = rsd_ranks_first(&x->ranks), j = rsd_ranks_first(&y->ranks);

	return (i > j) - (i < j);
}

/*
 * RSD_ERR_FORMAT where two of the sets have a rank in common. Neighbours are united, then neighbours of
 * these, and so on, so that each set is copied a logarithmic number of times. The sets are used up.
 */
static int check_disjoint(struct rsd_ranks *set, size_t nr)
{
	int err = 0;

	for (size_t step = 1; step < nr; step *= 2) {
		for (size_t i = 0; i + step < nr && !err; i += 2 * step) {
			size_t both = rsd_ranks_count(&set[i]) + rsd_ranks_count(&set[i + step]);

			err = rsd_ranks_add(&set[i], &set[i + step]);
			rsd_ranks_release(&set[i + step]);
			if (!err && rsd_ranks_count(&set[i]) != both)
				err = RSD_ERR_FORMAT;
		}
	}
	return err;
}

/* The order that find_variant() needs; a file may have them in any. */
static int settle_variants(struct rsd_variant *v, size_t nr)
{
	struct rsd_ranks *set = rsd_calloc(nr, sizeof(*set));
	int err = set ? 0 : RSD_ERR_NOMEM;

	qsort(v, nr, sizeof(*v), by_first_rank);
	for (size_t i = 0; i < nr && !err; i++)
		err = rsd_ranks_copy(&set[i], &v[i].ranks);
	if (!err)
		err = check_disjoint(set, nr);
	for (size_t i = 0; i < nr && set; i++)
		rsd_ranks_release(&set[i]);
	free(set);
	return err;
}

static int decode_encoding(struct rsd_params *p, int e, struct rsd_reader *in, int limit)
{
	size_t nr;
	int err;

	rsd_reader_field(in, RSD_FIELD_VARIANTS, (unsigned)e);
	nr = rsd_reader_count(in, 3);
	err = in->err;
	if (!err && nr)
		err = RSD_GROW(p->enc[e].variant, nr, p->enc[e].alloc);
	for (size_t i = 0; i < nr && !err; i++) {
		struct rsd_variant *v = &p->enc[e].variant[i];

		memset(v, 0, sizeof(*v));
		p->enc[e].nr = i + 1;
		err = decode_variant(v, in, limit);
	}
	return !err && nr > 1 ? settle_variants(p->enc[e].variant, nr) : err;
}

int rsd_params_decode(struct rsd_params *p, struct rsd_reader *in, int limit)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		int err = decode_encoding(p, e, in, limit);

		if (err)
			return err;
	}
	return 0;
}
