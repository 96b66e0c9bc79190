/*
 * moves.c - columns without moves
 *
 * What is written of a column here knows runs and repetitions. Runs that move (params_queue.h) beside ones that stay are
 * values with no rule to it: such a column is written value by value, and by rank where ranks differ in it. If that is
 * too much, or not possible in a damaged trace, it stays as it is, and what it is of is left out.
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

/* Values that are written one by one, of all columns together. */
#define MOST_VALUES (UINT64_C(1) << 20)

static int is_move(const struct rsd_section *s, void *arg)
{
	(void)arg;
	return rsd_section_is_move(s);
}

static int append_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	if (!stride) {
		if (rsd_column_append_run(arg, start, count))
			cg_nomem();
		return 0;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (rsd_column_append(arg, (int64_t)((uint64_t)start + i * (uint64_t)stride)))
			cg_nomem();
	}
	return 0;
}

/* NULL: too many. Columns of ids have neither strides nor shifts, so they have no moves. */
static struct rsd_column *plain(const struct rsd_column *c, uint64_t *left)
{
	struct rsd_column *out;

	if (rsd_column_length(c) > *left)
		return NULL;
	*left -= rsd_column_length(c);
	out = rsd_column_new(true);
	if (!out)
		cg_nomem();
	rsd_column_each(c, append_section, out);
	return out;
}

static void add_variant(struct rsd_variants *to, const struct rsd_variant *v)
{
	if (RSD_GROW(to->variant, to->nr + 1, to->alloc))
		cg_nomem();
	to->variant[to->nr++] = *v;
}

/* The column of one rank; NULL: there is none to be had. */
static struct rsd_column *plain_of(const struct rsd_params *p, int rank, uint64_t *left)
{
	enum rsd_encoding enc;
	struct rsd_column *c, *out;

	if (rsd_params_get(p, rank, &enc, &c))
		return NULL;
	out = plain(c, left);
	rsd_column_free(c);
	return out;
}

static void drop_variants(struct rsd_variants *v, size_t from)
{
	for (size_t i = from; i < v->nr; i++) {
		rsd_ranks_release(&v->variant[i].ranks);
		rsd_column_free(v->variant[i].col);
	}
	v->nr = from;
}

/* A variant for each rank, whose numbers differ. False: that is not possible, and 'to' is as it was. */
static bool split(const struct rsd_params *p, const struct rsd_variant *v, struct rsd_variants *to,
	uint64_t *left)
{
	size_t before = to->nr;

	for (int r = rsd_ranks_first(&v->ranks); r >= 0; r = rsd_ranks_next(&v->ranks, r)) {
		struct rsd_variant one = { .ranks = RSD_RANKS_INIT };

		one.col = plain_of(p, r, left);
		if (!one.col) {
			drop_variants(to, before);
			return false;
		}
		if (rsd_ranks_append(&one.ranks, r))
			cg_nomem();
		add_variant(to, &one);
	}
	return true;
}

static int by_first_rank(const void *a, const void *b)
{
	int x = rsd_ranks_first(&((const struct rsd_variant *)a)->ranks);
	int y = rsd_ranks_first(&((const struct rsd_variant *)b)->ranks);

	return (x > y) - (x < y);
}

static void without_moves(struct rsd_params *p, int e, uint64_t *left)
{
	struct rsd_params old = RSD_PARAMS_INIT;
	struct rsd_variants more = { NULL, 0, 0 };
	size_t nr = 0;

	for (size_t i = 0; i < p->enc[e].nr; i++) {
		struct rsd_variant *v = &p->enc[e].variant[i];
		struct rsd_column *c;

		if (!rsd_column_sections(v->col, is_move, NULL))
			continue;
		if (v->nr_numbers) {
			if (!split(p, v, &more, left))
				continue;
			add_variant(&old.enc[e], v);
			v->col = NULL;
			continue;
		}
		c = plain(v->col, left);
		if (c) {
			rsd_column_free(v->col);
			v->col = c;
			v->skeleton = 0;
		}
	}
	if (!more.nr)
		return;
	for (size_t i = 0; i < p->enc[e].nr; i++) {
		if (p->enc[e].variant[i].col)
			p->enc[e].variant[nr++] = p->enc[e].variant[i];
	}
	p->enc[e].nr = nr;
	for (size_t i = 0; i < more.nr; i++)
		add_variant(&p->enc[e], &more.variant[i]);
	qsort(p->enc[e].variant, p->enc[e].nr, sizeof(*more.variant), by_first_rank);
	free(more.variant);
	rsd_params_release(&old);
}

bool cg_has_moves(const struct rsd_params *p)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			if (rsd_column_sections(p->enc[e].variant[i].col, is_move, NULL))
				return true;
		}
	}
	return false;
}

static bool nodes_without_moves(struct rsd_node *n, uint64_t *left)
{
	for (; n; n = n->next) {
		for (int e = 0; e < RSD_NR_ENCODINGS; e++)
			without_moves(&n->count, e, left);
		if (cg_has_moves(&n->count) || !nodes_without_moves(n->first, left))
			return false;
	}
	return true;
}

bool cg_without_moves(struct rsd_trace *t)
{
	uint64_t left = MOST_VALUES;
	bool all = true;

	for (size_t i = 0; i < t->nr_trees && all; i++)
		all = nodes_without_moves(t->tree[i].first, &left);
	for (size_t i = 0; i < t->nr_places && all; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr; c++) {
			for (int e = 0; e < RSD_NR_ENCODINGS; e++)
				without_moves(&p->col[c], e, &left);
		}
	}
	return all;
}
