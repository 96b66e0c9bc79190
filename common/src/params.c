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

#include "coder.h"
#include "params_join.h"
#include "util.h"

#define NO_RULE (2 * RSD_JOIN_AT) /* ranks */

static void encoding_release(struct rsd_params *p, int e)
{
	for (size_t i = 0; i < p->enc[e].nr; i++)
		rsd_variant_release(&p->enc[e].variant[i]);
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

static size_t encoding_size(const struct rsd_params *p, int e)
{
	size_t size = 1;

	for (size_t i = 0; i < p->enc[e].nr; i++)
		size += rsd_variant_size(&p->enc[e].variant[i]);
	return size;
}

/* Keeps the smaller encoding only. */
static void choose(struct rsd_params *p)
{
	if (state_of(p) == BOTH)
		encoding_release(p, encoding_size(p, RSD_E_REL) < encoding_size(p, RSD_E_ABS)
					    ? RSD_E_ABS
					    : RSD_E_REL);
}

void rsd_params_settle(struct rsd_params *p)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++)
		rsd_variants_settle(&p->enc[e]);
	choose(p);
}

/* Has none of that many ranks anything in common with another? */
static bool is_without_rule(const struct rsd_variants *v)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->nr; i++)
		nr += rsd_ranks_count(&v->variant[i].ranks);
	return nr >= NO_RULE && nr == v->nr;
}

/* Drops an encoding that is clearly larger than the other, or as good as it if both are not going to shrink. */
static void drop_larger(struct rsd_params *p)
{
	size_t abs = encoding_size(p, RSD_E_ABS), rel = encoding_size(p, RSD_E_REL);

	if (is_without_rule(&p->enc[RSD_E_ABS]) && is_without_rule(&p->enc[RSD_E_REL])) {
		encoding_release(p, rel + rel / 8 < abs ? RSD_E_ABS : RSD_E_REL);
		return;
	}
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
		choose(p);
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
		err = rsd_variants_merge(&a->enc[e], &b->enc[e]);
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

	rsd_variants_sort(v, nr);
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
