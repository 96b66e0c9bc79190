#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "params_cut.h"
#include "params_pile.h"
#include "scalar_agree.h"
#include "util.h"

#define ROUNDS 4
#define SEED 0x9e3779b97f4a7c15u /* part of the format: every reader draws the same */

/* ---- drawing ---------------------------------------------------------------------------- */

/*
 * A permutation of 0..n-1 that needs no memory: a Feistel network over the next power of 4, gone through again while the
 * result is outside (Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002).
 */
static uint64_t permuted(uint64_t i, uint64_t n)
{
	int half = 1;

	while ((uint64_t)1 << 2 * half < n)
		half++;
	do {
		uint64_t mask = ((uint64_t)1 << half) - 1, l = i >> half, r = i & mask;

		for (uint64_t k = 1; k <= ROUNDS; k++) {
			uint64_t next = l ^ (rsd_hash_mix(SEED * k + r) & mask);

			l = r;
			r = next;
		}
		i = l << half | r;
	} while (i >= n);
	return i;
}

static uint32_t value_at(const struct rsd_scalar *s, uint64_t position)
{
	size_t i = 0;

	while (i + 1 < s->nr_bins && position >= s->bin[i].nr)
		position -= s->bin[i++].nr;
	return s->bin[i].value;
}

struct source { /* a group, as one rank draws from it */
	const struct rsd_scalar *s;
	uint64_t first, step; /* the rank's of the sorted values */
	uint64_t drawn;
};

struct columns { /* a place's, or a loop's counts */
	struct rsd_params *params;
	const struct rsd_scalars *groups;
	int col; /* which of theirs 'params' is */
};

struct share { /* what the next rank of a group has in it */
	int rank;
	uint32_t group;
	uint64_t position; /* among the ranks that have */
};

struct shares { /* one of each group: a heap, the lowest rank first, then the lowest group */
	struct share *s;
	size_t nr;
};

static int by_rank(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Fills in who draws first from which group. More than every rank from every group can't be: RSD_ERR_FORMAT. */
static int find_shares(const struct columns *k, size_t nr_ranks, struct shares *out)
{
	uint64_t nr = 0, groups = 0;

	for (size_t i = 0; i < k->groups->nr; i++) {
		bool is = k->groups->s[i].col == k->col;

		groups += is;
		nr += is ? rsd_ranks_count(&k->groups->s[i].ranks) : 0;
	}
	if (nr > nr_ranks * (uint64_t)RSD_SCALAR_IDS)
		return RSD_ERR_FORMAT;
	*out = (struct shares){ rsd_calloc(groups, sizeof(*out->s)), 0 };
	if (!out->s)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < k->groups->nr; i++)
		if (k->groups->s[i].col == k->col)
			out->s[out->nr++] = (struct share){ rsd_ranks_first(&k->groups->s[i].ranks),
				(uint32_t)i, 0 };
	if (out->nr)
		qsort(out->s, out->nr, sizeof(*out->s), by_rank);
	return 0;
}

/* The first is over: the group's next rank, or none, takes its place. */
static void next_share(const struct columns *k, struct shares *h)
{
	struct share s = h->s[0];

	s.rank = rsd_ranks_next(&k->groups->s[s.group].ranks, s.rank);
	s.position++;
	if (s.rank < 0)
		s = h->s[--h->nr];
	for (size_t at = 0, down; h->nr; at = down) {
		down = 2 * at + 1;
		if (down + 1 < h->nr && by_rank(&h->s[down + 1], &h->s[down]) < 0)
			down++;
		if (down >= h->nr || by_rank(&s, &h->s[down]) <= 0) {
			h->s[at] = s;
			return;
		}
		h->s[at] = h->s[down];
	}
}

/* The groups of the rank's column; by number. Ranks ascend from call to call. */
static void find_sources(const struct columns *k, struct shares *shares, int rank,
	struct source source[RSD_SCALAR_IDS])
{
	memset(source, 0, RSD_SCALAR_IDS * sizeof(*source));
	for (; shares->nr && shares->s[0].rank <= rank; next_share(k, shares)) {
		const struct share *share = &shares->s[0];
		const struct rsd_scalar *s = &k->groups->s[share->group];

		if (share->rank < rank || source[s->id].s)
			continue;
		source[s->id] = (struct source){ s, 0, 1, 0 };
		if (s->whole)
			continue;
		source[s->id].first = share->position;
		source[s->id].step = rsd_ranks_count(&s->ranks);
	}
}

static int draw(struct source *from, int64_t *v)
{
	int id = rsd_scalar_id(*v);
	struct source *f = id < 0 ? NULL : &from[id];

	if (!f)
		return 0;
	if (!f->s || f->drawn >= f->s->draws)
		return RSD_ERR_FORMAT;
	*v = value_at(f->s, f->first + f->step * permuted(f->drawn++, f->s->draws));
	return 0;
}

static int draw_column(struct source *from, const struct rsd_column *c, struct rsd_column *to)
{
	struct rsd_cursor *k = rsd_cursor_new(c);
	int err = k ? 0 : RSD_ERR_NOMEM;
	int64_t v;

	while (!err && !rsd_cursor_next(k, &v)) {
		err = draw(from, &v);
		if (!err)
			err = rsd_column_append(to, v);
	}
	rsd_cursor_free(k);
	for (int i = 0; i < RSD_SCALAR_IDS && !err; i++)
		if (from[i].s && from[i].drawn != from[i].s->draws)
			err = RSD_ERR_FORMAT;
	return err;
}

/* A column as the rank draws it; takes 'c'. */
static int draw_one(const struct columns *k, struct shares *shares, int rank, struct rsd_column *c,
	uint64_t *room, struct rsd_column **out)
{
	struct source from[RSD_SCALAR_IDS];
	uint64_t cost = RSD_SCALAR_RANK_COST + rsd_column_length(c);
	int err = cost > *room ? RSD_ERR_RANGE : 0;

	*out = NULL;
	if (!err) {
		*room -= cost;
		find_sources(k, shares, rank, from);
		*out = rsd_column_new(false);
		err = *out ? draw_column(from, c, *out) : RSD_ERR_NOMEM;
	}
	rsd_column_free(c);
	if (!err)
		return 0;
	rsd_column_free(*out);
	*out = NULL;
	return err;
}

/* Appends the rank's column, drawn, to 'out'. */
static int draw_rank(const struct columns *k, struct shares *shares, int rank, uint64_t *room,
	struct rsd_params_pile *out)
{
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *c, *to;
	enum rsd_encoding enc;
	int err = rsd_params_get(k->params, rank, &enc, &c);

	if (!err)
		err = draw_one(k, shares, rank, c, room, &to);
	if (!err)
		err = rsd_params_set(&one, rank, to, NULL);
	if (!err)
		err = rsd_params_pile_add(out, &one);
	rsd_params_release(&one);
	return err;
}

bool rsd_scalars_drawn_once(const struct rsd_params *p, const struct rsd_scalars *groups, int col)
{
	const struct rsd_variant *v = p->enc[RSD_E_ABS].variant;

	if (p->enc[RSD_E_ABS].nr != 1 || p->enc[RSD_E_REL].nr || v->nr_numbers)
		return false;
	for (size_t i = 0; i < groups->nr; i++) {
		const struct rsd_scalar *s = &groups->s[i];

		if (s->col == col && (!s->whole || !rsd_ranks_equal(&s->ranks, &v->ranks)))
			return false;
	}
	return true;
}

static int draw_shared(const struct columns *k, uint64_t *room)
{
	struct rsd_variant *v = k->params->enc[RSD_E_ABS].variant;
	struct share share[RSD_SCALAR_IDS];
	struct shares shares = { share, 0 };
	struct rsd_column *c, *to;
	int rank = rsd_ranks_first(&v->ranks), err;

	for (size_t i = 0; i < k->groups->nr && shares.nr < RSD_SCALAR_IDS; i++)
		if (k->groups->s[i].col == k->col)
			share[shares.nr++] = (struct share){ rank, (uint32_t)i, 0 };
	c = rsd_column_copy(v->col);
	err = c ? draw_one(k, &shares, rank, c, room, &to) : RSD_ERR_NOMEM;
	if (err)
		return err;
	rsd_column_free(v->col);
	v->col = to;
	v->skeleton = 0;
	return 0;
}

/* Each rank by itself. */
static int draw_ranks(const struct columns *k, const struct rsd_ranks *ranks, uint64_t *room,
	struct rsd_params *out)
{
	struct rsd_params_pile pile = { .nr = 0 };
	struct shares shares = { NULL, 0 };
	uint64_t nr = rsd_ranks_count(ranks);
	int err = nr > *room / RSD_SCALAR_RANK_COST ? RSD_ERR_RANGE : find_shares(k, nr, &shares);

	for (int r = rsd_ranks_first(ranks); r >= 0 && !err; r = rsd_ranks_next(ranks, r))
		err = draw_rank(k, &shares, r, room, &pile);
	if (!err)
		err = rsd_params_pile_take(&pile, out);
	rsd_params_pile_release(&pile);
	free(shares.s);
	return err;
}

/* What no group is for has no references. */
static int refuse_references(const struct rsd_variant *v)
{
	size_t nr = rsd_column_nr_numbers(v->col), own = 0;
	int64_t *number = rsd_malloc(nr * sizeof(*number));
	int err = number ? 0 : RSD_ERR_NOMEM;

	if (!err)
		rsd_column_get_numbers(v->col, number);
	for (size_t i = 0; i < nr && !err; i++) {
		if (own < v->nr_numbers && v->number[own].index == i) {
			const struct rsd_variant over = { .col = v->number[own++].over };

			err = refuse_references(&over);
		} else if (rsd_scalar_id(number[i]) >= 0) {
			err = RSD_ERR_FORMAT;
		}
	}
	free(number);
	return err;
}

/* Takes the ranks that are drawn out of the column; the others stay as they are. */
static int leave_rest(const struct columns *k, const struct rsd_ranks *drawn, uint64_t *room)
{
	uint64_t cost;
	int err = rsd_params_cut_cost(k->params, drawn, &cost);

	if (!err && cost > *room)
		err = RSD_ERR_RANGE;
	if (err)
		return err;
	*room -= cost;
	err = rsd_params_cut(k->params, drawn);
	for (int e = 0; e < RSD_NR_ENCODINGS; e++)
		for (size_t i = 0; i < k->params->enc[e].nr && !err; i++)
			err = refuse_references(&k->params->enc[e].variant[i]);
	return err;
}

static int draw_params(const struct columns *k, uint64_t *room)
{
	struct rsd_params out = RSD_PARAMS_INIT;
	struct rsd_ranks all = RSD_RANKS_INIT, groups = RSD_RANKS_INIT, ranks = RSD_RANKS_INIT;
	int err;

	if (rsd_scalars_drawn_once(k->params, k->groups, k->col))
		return draw_shared(k, room);
	err = rsd_params_ranks(k->params, &all);
	if (!err)
		err = rsd_scalars_ranks(k->groups, k->col, &groups);
	if (!err)
		err = rsd_ranks_intersect(&ranks, &all, &groups);
	if (!err)
		err = draw_ranks(k, &ranks, room, &out);
	if (!err)
		err = leave_rest(k, &ranks, room);
	if (!err)
		err = rsd_params_mix(k->params, &out);
	rsd_ranks_release(&all);
	rsd_ranks_release(&groups);
	rsd_ranks_release(&ranks);
	rsd_params_release(&out);
	return err;
}

static int say_drawn(struct rsd_trace *t)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int err;

	rsd_scalars_list(t, &text);
	rsd_buf_put_byte(&text, 0);
	err = text.err ? text.err : rsd_trace_set_meta(t, RSD_META_DRAWN, (const char *)text.data);
	rsd_buf_release(&text);
	return err;
}

static int draw_place(struct rsd_trace *t, size_t index, uint64_t *room, struct rsd_buf *why)
{
	struct rsd_place *p = &t->place[index];
	int nr = rsd_func_columns(&t->func[p->func]), err = 0;

	for (int c = 0; c < nr && !err; c++)
		if (rsd_scalars_has(&p->scalars, c))
			err = draw_params(&(struct columns){ &p->col[c], &p->scalars, c }, room);
	if (err == RSD_ERR_FORMAT)
		rsd_buf_printf(why,
			"place %zu: a histogram with other values than its column draws from it",
			index);
	return err;
}

static int draw_tree(struct rsd_tree *tree, uint64_t *room, struct rsd_buf *why)
{
	int err = 0;

	for (struct rsd_node *n = tree->first; n && !err; n = rsd_node_after(n, NULL))
		if (n->scalars.nr)
			err = draw_params(&(struct columns){ &n->count, &n->scalars, 0 }, room);
	if (err == RSD_ERR_FORMAT)
		rsd_buf_printf(why,
			"tree %d: a histogram with other counts than a loop draws from it",
			tree->thread);
	return err;
}

int rsd_scalars_draw(struct rsd_trace *t, struct rsd_buf *why)
{
	uint64_t room = RSD_SCALAR_MAX_DRAWN;
	int err = 0;

	if (!rsd_trace_has_scalars(t))
		return 0;
	for (size_t i = 0; i < t->nr_places && !err; i++)
		err = draw_place(t, i, &room, why);
	for (size_t i = 0; i < t->nr_trees && !err; i++)
		err = draw_tree(&t->tree[i], &room, why);
	if (err == RSD_ERR_RANGE)
		rsd_buf_printf(why, "more values to draw from histograms than there is room for");
	if (!err)
		err = say_drawn(t);
	t->drawn = !err;
	return err;
}
