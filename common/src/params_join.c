#include "params_join.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "util.h"

#define SMALL 16      /* up to this many variants are searched one by one */
#define FEW_NUMBERS 8 /* that many may always differ within a variant */
#define BLOCK 1024    /* columns that are made at a time, at least; */
#define PASSES 16     /* about so often all of a variant is looked at for them */
#define SAMPLE 64     /* numbers that tell whether it is worth it to look at all */

void rsd_variant_release(struct rsd_variant *v)
{
	rsd_ranks_release(&v->ranks);
	rsd_column_free(v->col);
	for (size_t i = 0; i < v->nr_numbers; i++)
		rsd_column_free(v->number[i].over);
	free(v->number);
	memset(v, 0, sizeof(*v));
}

static size_t ranks_size(const struct rsd_ranks *s)
{
	return 1 + 4 * s->nr;
}

static size_t number_size(const struct rsd_number *n)
{
	return 1 + (n->index >= 1 << 7) + (n->index >= 1 << 14) + rsd_column_size(n->over);
}

static size_t numbers_size(const struct rsd_number *n, size_t nr)
{
	size_t size = 0;

	for (size_t i = 0; i < nr; i++)
		size += number_size(&n[i]);
	return size;
}

size_t rsd_variant_size(const struct rsd_variant *v)
{
	return ranks_size(&v->ranks) + rsd_column_size(v->col) + 1 +
	       numbers_size(v->number, v->nr_numbers);
}

static int by_first_rank(const void *a, const void *b)
{
	const struct rsd_variant *x = a, *y = b;
	int i = rsd_ranks_first(&x->ranks), j = rsd_ranks_first(&y->ranks);

	return (i > j) - (i < j);
}

void rsd_variants_sort(struct rsd_variant *v, size_t nr)
{
	if (nr)
		qsort(v, nr, sizeof(*v), by_first_rank);
}

/* ---- variants of one skeleton as one ------------------------------------------------ */

struct joint {
	struct rsd_variant *const *v; /* the ranks of each are above those of the one before */
	size_t nr;
	size_t nr_numbers; /* of the skeleton; */
	bool *differs;	   /* which of them do, between variants or within one */
	size_t nr_differ;
	int64_t *num; /* of one variant */
};

static void joint_release(struct joint *j)
{
	free(j->differs);
	free(j->num);
}

/* Finds out which numbers differ, until they are more than 'most'. */
static int joint_init(struct joint *j, struct rsd_variant *const *v, size_t nr, size_t most)
{
	int64_t *first;

	*j = (struct joint){ .v = v, .nr = nr, .nr_numbers = rsd_column_nr_numbers(v[0]->col) };
	j->differs = rsd_calloc(j->nr_numbers, sizeof(*j->differs));
	j->num = rsd_malloc(j->nr_numbers * sizeof(*j->num));
	first = rsd_malloc(j->nr_numbers * sizeof(*first));
	if (!j->differs || !j->num || !first) {
		free(first);
		joint_release(j);
		return RSD_ERR_NOMEM;
	}
	rsd_column_get_numbers(v[0]->col, first);
	for (size_t k = 0; k < nr && j->nr_differ <= most; k++) {
		rsd_column_get_numbers(v[k]->col, j->num);
		for (size_t i = 0; i < v[k]->nr_numbers; i++) {
			j->nr_differ += !j->differs[v[k]->number[i].index];
			j->differs[v[k]->number[i].index] = true;
		}
		for (size_t i = 0; k && i < j->nr_numbers && j->nr_differ <= most; i++) {
			if (j->num[i] == first[i] || j->differs[i])
				continue;
			j->differs[i] = true;
			j->nr_differ++;
		}
	}
	free(first);
	return 0;
}

/* Some of the numbers that differ: every 'step'th from the 'first' on, 'nr' at most. */
struct part {
	size_t first, step, nr;
};

/* The values of the variant's ranks go to the end of 'over'. */
static int append_side(struct rsd_column *over, const struct rsd_variant *v,
	const struct rsd_number *own, int64_t value)
{
	return own ? rsd_column_concat(over, own->over)
		   : rsd_column_append_run(over, value, rsd_ranks_count(&v->ranks));
}

/* Appends the part's numbers as they are in variant k. */
static int append_variant(
	struct joint *j, size_t k, const struct part *part, struct rsd_number *out, size_t *nr_out)
{
	const struct rsd_variant *v = j->v[k];
	size_t own = 0, ordinal = 0, n = 0;
	int err = 0;

	rsd_column_get_numbers(v->col, j->num);
	for (size_t i = 0; i < j->nr_numbers && n < part->nr && !err; i++) {
		bool has;

		if (!j->differs[i])
			continue;
		while (own < v->nr_numbers && v->number[own].index < i)
			own++;
		has = own < v->nr_numbers && v->number[own].index == i;
		if (ordinal++ != part->first + n * part->step)
			continue;
		if (k == 0)
			out[n] = (struct rsd_number){ (uint32_t)i, rsd_column_new(false) };
		err = out[n].over
			      ? append_side(out[n].over, v, has ? &v->number[own] : NULL, j->num[i])
			      : RSD_ERR_NOMEM;
		n++;
		if (k == 0)
			*nr_out = n;
	}
	return err;
}

/* Makes the part's columns over the ranks of all. On error those that were made are freed. */
static int make_part(
	struct joint *j, const struct part *part, struct rsd_number *out, size_t *nr_out)
{
	int err = 0;

	*nr_out = 0;
	for (size_t k = 0; k < j->nr && !err; k++)
		err = append_variant(j, k, part, out, nr_out);
	for (size_t i = 0; i < *nr_out && !err; i++)
		err = rsd_column_freeze(out[i].over);
	for (size_t i = 0; i < *nr_out && err; i++)
		rsd_column_free(out[i].over);
	return err;
}

/* Do a few of the numbers tell that joining takes more than 'most' bytes? */
static int looks_longer(struct joint *j, size_t most, bool *yes)
{
	const struct part part = { 0, j->nr_differ / SAMPLE, SAMPLE };
	struct rsd_number num[SAMPLE];
	size_t nr;
	int err;

	*yes = false;
	if (j->nr_differ < 4 * SAMPLE)
		return 0;
	err = make_part(j, &part, num, &nr);
	if (err)
		return err;
	*yes = numbers_size(num, nr) * part.step > most + most / 4;
	for (size_t i = 0; i < nr; i++)
		rsd_column_free(num[i].over);
	return 0;
}

/* All columns over ranks; or fewer, and *fits is false, if they take more than 'most' bytes. */
static int make_numbers(
	struct joint *j, size_t most, struct rsd_number *num, size_t *nr_out, bool *fits)
{
	size_t block = j->nr_differ / PASSES > BLOCK ? j->nr_differ / PASSES : BLOCK;
	struct part part = { 0, 1, block };
	size_t size = 0, nr;
	int err = 0;

	*nr_out = 0;
	for (; part.first < j->nr_differ && size <= most && !err; part.first += block) {
		err = make_part(j, &part, num + part.first, &nr);
		if (!err) {
			*nr_out += nr;
			size += numbers_size(num + part.first, nr);
		}
	}
	*fits = size <= most;
	return err;
}

/* The bytes that columns over ranks may take if variants are to become one that is shorter. */
static size_t bytes_left(const struct joint *j, const struct rsd_ranks *all)
{
	size_t size = 0, rest = ranks_size(all) + rsd_column_size(j->v[0]->col) + 1;

	for (size_t k = 0; k < j->nr; k++)
		size += rsd_variant_size(j->v[k]);
	return size > rest ? size - rest - 1 : 0;
}

static void free_numbers(struct rsd_number *num, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		rsd_column_free(num[i].over);
	free(num);
}

static int unite_ranks(struct rsd_ranks *all, const struct joint *j)
{
	int err = rsd_ranks_copy(all, &j->v[0]->ranks);

	for (size_t k = 1; k < j->nr && !err; k++)
		err = rsd_ranks_add(all, &j->v[k]->ranks);
	return err;
}

/* The first variant takes the others' ranks; with 'force' even if that is not shorter. */
static int joint_unite(struct joint *j, bool force, bool *done)
{
	struct rsd_ranks all = RSD_RANKS_INIT;
	struct rsd_variant *v = j->v[0];
	struct rsd_number *num = NULL;
	size_t nr = 0, most = SIZE_MAX;
	bool fits = true, longer = false;
	int err = unite_ranks(&all, j);

	if (!err && !force) {
		most = bytes_left(j, &all);
		err = looks_longer(j, most, &longer);
	}
	if (!err && !longer) {
		num = rsd_calloc(j->nr_differ, sizeof(*num));
		err = num ? make_numbers(j, most, num, &nr, &fits) : RSD_ERR_NOMEM;
	}
	if (err || longer || !fits) {
		free_numbers(num, nr);
		rsd_ranks_release(&all);
		return err;
	}
	free_numbers(v->number, v->nr_numbers);
	v->number = num;
	v->nr_numbers = nr;
	rsd_ranks_release(&v->ranks);
	v->ranks = all;
	*done = true;
	return 0;
}

/* ---- one more variant ------------------------------------------------------------------ */

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

/* Are all ranks of b above those of a? */
static bool are_apart(const struct rsd_variant *a, const struct rsd_variant *b)
{
	return rsd_ranks_last(&a->ranks) < rsd_ranks_first(&b->ranks);
}

/*
 * Unites b with a, of the same skeleton, where that is no question, or a rule is known that b may follow. Without memory for it
 * both stay as they are.
 */
static int unite(struct rsd_variant *a, struct rsd_variant *b, bool *done)
{
	struct rsd_variant *const both[] = { a, b };
	bool known = a->nr_numbers || b->nr_numbers;
	struct joint j;
	int err = joint_init(&j, both, 2, known ? SIZE_MAX : FEW_NUMBERS);

	if (!err) {
		if (known || j.nr_differ <= FEW_NUMBERS)
			err = joint_unite(&j, j.nr_differ <= FEW_NUMBERS, done);
		joint_release(&j);
	}
	return err == RSD_ERR_NOMEM ? 0 : err;
}

/* Where to look among many variants. */
struct index {
	struct rsd_map equal;	 /* columns without numbers, by hash */
	struct rsd_map skeleton; /* one of each; one with numbers, if there is any */
};

static void index_release(struct index *x)
{
	rsd_map_release(&x->equal);
	rsd_map_release(&x->skeleton);
}

static int index_init(struct index *x, const struct rsd_variants *a)
{
	int err = 0;

	*x = (struct index){ RSD_MAP_INIT, RSD_MAP_INIT };
	for (size_t i = 0; a->nr > SMALL && i < a->nr && !err; i++) {
		struct rsd_variant *v = &a->variant[i];

		if (!v->nr_numbers)
			err = rsd_map_set(&x->equal, rsd_column_hash(v->col), i);
		if (!err && (v->nr_numbers || !rsd_map_find(&x->skeleton, skeleton(v))))
			err = rsd_map_set(&x->skeleton, skeleton(v), i);
	}
	return err;
}

/* The variants [*from, *to) of the first 'nr' are to be looked at. */
static void look_up(const struct rsd_map *map, uint64_t key, size_t nr, size_t *from, size_t *to)
{
	const uint64_t *at = nr > SMALL ? rsd_map_find(map, key) : NULL;

	*from = at ? (size_t)*at : 0;
	*to = at ? *from + 1 : nr > SMALL ? 0 : nr;
}

/* Finds where 'v' can go among the first 'nr' variants. */
static int place_variant(struct rsd_variant *list, size_t nr, const struct index *x,
	struct rsd_variant *v, bool *done)
{
	size_t from, to;
	int err = 0;

	look_up(&x->equal, nr > SMALL ? rsd_column_hash(v->col) : 0, nr, &from, &to);
	for (size_t i = from; i < to; i++) {
		if (plainly_equal(&list[i], v)) {
			*done = true;
			return rsd_ranks_add(&list[i].ranks, &v->ranks);
		}
	}
	look_up(&x->skeleton, skeleton(v), nr, &from, &to);
	for (size_t i = from; i < to && !*done && !err; i++) {
		/* It may have got ranks of the side of 'v' before. */
		if (are_apart(&list[i], v) && same_skeleton(&list[i], v))
			err = unite(&list[i], v, done);
	}
	return err;
}

/* ---- many variants --------------------------------------------------------------------- */

struct member {
	uint64_t skeleton;
	size_t at;
};

static int by_skeleton(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->skeleton != y->skeleton)
		return x->skeleton < y->skeleton ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int by_last(const void *a, const void *b)
{
	const struct rsd_variant *x = *(struct rsd_variant *const *)a,
				 *y = *(struct rsd_variant *const *)b;
	int i = rsd_ranks_last(&x->ranks), k = rsd_ranks_last(&y->ranks);

	return (i > k) - (i < k);
}

/*
 * Leaves the most variants that are each apart from the one before, and returns how many. Taking always the one that ends
 * first leaves the most to the others; one that ranks far away have, too, is not in the way of those between.
 */
static size_t leave_apart(struct rsd_variant **v, size_t nr)
{
	size_t n = 0;

	qsort(v, nr, sizeof(struct rsd_variant *), by_last);
	for (size_t i = 0; i < nr; i++)
		if (!n || (are_apart(v[n - 1], v[i]) && same_skeleton(v[0], v[i])))
			v[n++] = v[i];
	return n;
}

/* Joins variants of one skeleton, as far as they are apart, if that is shorter. The others are then without a column. */
static int join_class(struct rsd_variants *a, const struct member *m, size_t nr)
{
	struct rsd_variant **v = rsd_malloc(nr * sizeof(struct rsd_variant *));
	bool done = false;
	struct joint j;
	int err = v ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; i < nr && v; i++)
		v[i] = &a->variant[m[i].at];
	nr = v ? leave_apart(v, nr) : 0;
	if (nr > 1) {
		err = joint_init(&j, v, nr, SIZE_MAX);
		if (!err) {
			err = joint_unite(&j, false, &done);
			joint_release(&j);
		}
	}
	for (size_t i = 1; i < nr && done; i++)
		rsd_variant_release(v[i]);
	free(v);
	return err == RSD_ERR_NOMEM ? 0 : err;
}

/* Is it time to look at a class that had 'old' variants and has 'nr' now? */
static bool is_time(size_t old, size_t nr)
{
	size_t at = RSD_JOIN_AT;

	while (at <= nr / 2)
		at *= 2;
	return old < at && nr >= at;
}

static void drop_joined(struct rsd_variants *a)
{
	size_t nr = 0;

	for (size_t i = 0; i < a->nr; i++)
		if (a->variant[i].col)
			a->variant[nr++] = a->variant[i];
	a->nr = nr;
}

/*
 * Looks at each class, of variants the first 'old' of which were there before; at the 'end' at all of them. Variants
 * that there is no memory to join stay as they are.
 */
static int join_classes(struct rsd_variants *a, size_t old, bool end)
{
	struct member *m;
	int err = 0;

	if (a->nr < 2 || (!end && a->nr < RSD_JOIN_AT))
		return 0;
	m = rsd_malloc(a->nr * sizeof(*m));
	if (!m)
		return 0;
	for (size_t i = 0; i < a->nr; i++)
		m[i] = (struct member){ skeleton(&a->variant[i]), i };
	qsort(m, a->nr, sizeof(*m), by_skeleton);
	for (size_t i = 0, next; i < a->nr && !err; i = next) {
		size_t before = 0;

		for (next = i; next < a->nr && m[next].skeleton == m[i].skeleton; next++)
			before += m[next].at < old;
		if (next - i > 1 && (end || is_time(before, next - i)))
			err = join_class(a, &m[i], next - i);
	}
	free(m);
	drop_joined(a);
	return err;
}

int rsd_variants_merge(struct rsd_variants *a, struct rsd_variants *b)
{
	size_t old = a->nr;
	struct index x;
	int err = index_init(&x, a);

	for (size_t i = 0; i < b->nr && !err; i++) {
		struct rsd_variant *v = &b->variant[i];
		bool done = false;

		err = place_variant(a->variant, old, &x, v, &done);
		if (!err && !done)
			err = RSD_GROW(a->variant, a->nr + 1, a->alloc);
		if (err)
			break;
		if (done) {
			rsd_variant_release(v);
		} else {
			a->variant[a->nr++] = *v;
			memset(v, 0, sizeof(*v));
		}
	}
	index_release(&x);
	return err ? err : join_classes(a, old, false);
}

void rsd_variants_settle(struct rsd_variants *a)
{
	(void)join_classes(a, 0, true);
}
