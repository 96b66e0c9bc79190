/*
 * moves.c - columns without moves
 *
 * What is written of a column here knows runs and repetitions. Runs that move (params_queue.h) beside ones that stay are
 * values with no rule to it: such a column is written value by value, and by rank where ranks differ in it.
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

static int is_move(const struct rsd_section *s, void *arg)
{
	(void)arg;
	return rsd_section_is_move(s);
}

static int append_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	for (uint64_t i = 0; i < count; i++) {
		if (rsd_column_append(arg, (int64_t)((uint64_t)start + i * (uint64_t)stride)))
			cg_nomem();
	}
	return 0;
}

/* Takes 'c'. Columns of ids have neither strides nor shifts, so they have no moves. */
static struct rsd_column *plain(struct rsd_column *c)
{
	struct rsd_column *out = rsd_column_new(true);

	if (!out)
		cg_nomem();
	rsd_column_each(c, append_section, out);
	rsd_column_free(c);
	return out;
}

static void add_variant(struct rsd_variants *to, const struct rsd_variant *v)
{
	if (RSD_GROW(to->variant, to->nr + 1, to->alloc))
		cg_nomem();
	to->variant[to->nr++] = *v;
}

/* A variant for each rank, whose numbers differ. */
static void split(const struct rsd_params *p, const struct rsd_variant *v, struct rsd_variants *to)
{
	for (int r = rsd_ranks_first(&v->ranks); r >= 0; r = rsd_ranks_next(&v->ranks, r)) {
		struct rsd_variant one = { .ranks = RSD_RANKS_INIT };
		enum rsd_encoding enc;

		if (rsd_params_get(p, r, &enc, &one.col) || rsd_ranks_append(&one.ranks, r))
			cg_nomem();
		one.col = plain(one.col);
		add_variant(to, &one);
	}
}

static int by_first_rank(const void *a, const void *b)
{
	int x = rsd_ranks_first(&((const struct rsd_variant *)a)->ranks);
	int y = rsd_ranks_first(&((const struct rsd_variant *)b)->ranks);

	return (x > y) - (x < y);
}

static void without_moves(struct rsd_params *p, int e)
{
	struct rsd_params old = RSD_PARAMS_INIT;
	struct rsd_variants more = { NULL, 0, 0 };
	size_t nr = 0;

	for (size_t i = 0; i < p->enc[e].nr; i++) {
		struct rsd_variant *v = &p->enc[e].variant[i];

		if (!rsd_column_sections(v->col, is_move, NULL))
			continue;
		if (v->nr_numbers) {
			split(p, v, &more);
			add_variant(&old.enc[e], v);
			v->col = NULL;
		} else {
			v->col = plain(v->col);
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

static void nodes_without_moves(struct rsd_node *n)
{
	for (; n; n = n->next) {
		for (int e = 0; e < RSD_NR_ENCODINGS; e++)
			without_moves(&n->count, e);
		nodes_without_moves(n->first);
	}
}

void cg_without_moves(struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr; c++) {
			for (int e = 0; e < RSD_NR_ENCODINGS; e++)
				without_moves(&p->col[c], e);
		}
	}
	for (size_t i = 0; i < t->nr_trees; i++)
		nodes_without_moves(t->tree[i].first);
}
