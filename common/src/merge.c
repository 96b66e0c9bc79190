#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "merge_align.h"
#include "merge_reasons.h"
#include "merge_tables.h"
#include "scan.h"
#include "util.h"

/* ---- columns ------------------------------------------------------------------ */

/* Moves a column over ranks from 'b' into 'a', mapped. */
static int merge_params(
	const struct rsd_merge_map *m, struct rsd_params *a, struct rsd_params *b, bool strings)
{
	int err = rsd_merge_map_params(m, b, strings);

	return err ? err : rsd_params_merge(a, b);
}

static int merge_timing(struct rsd_place *a, const struct rsd_place *b)
{
	int err;

	a->has_times |= b->has_times;
	if (!b->has_timing)
		return 0;
	a->has_timing = true;
	err = rsd_histogram_merge(&a->timing.dur, &b->timing.dur);
	if (!err)
		err = rsd_histogram_merge(&a->timing.before, &b->timing.before);
	if (!err)
		err = rsd_histogram_merge(&a->timing.dur_first, &b->timing.dur_first);
	return err;
}

static int merge_places(const struct rsd_merge_map *m, struct rsd_trace *a, struct rsd_trace *b)
{
	int err = 0;

	for (size_t i = 0; i < b->nr_places && !err; i++) {
		struct rsd_place *p = &a->place[m->place[i]], *q = &b->place[i];
		const struct rsd_func *f = &a->func[p->func];
		int nr = rsd_func_columns(f);

		for (int c = 0; c < nr && !err; c++)
			err = merge_params(
				m, &p->col[c], &q->col[c], rsd_func_column_is_string(f, c));
		if (!err)
			err = rsd_scalars_merge(&p->scalars, &q->scalars);
		if (!err)
			err = merge_timing(p, q);
		if (!err)
			err = rsd_params_merge(&p->before_ns, &q->before_ns);
		if (!err)
			err = rsd_params_merge(&p->dur_ns, &q->dur_ns);
	}
	return err;
}

/* ---- objects -------------------------------------------------------------------- */

static int add_rank(struct rsd_params *out, const struct rsd_params *from, int rank)
{
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *col;
	enum rsd_encoding enc;
	int err = rsd_params_get(from, rank, &enc, &col);

	if (err)
		return err;
	err = rsd_params_set(&one, rank, col, NULL);
	if (!err)
		err = rsd_params_merge(out, &one);
	rsd_params_release(&one);
	return err;
}

/*
 * Adds to 'a' what only 'b' has, for ranks in any order: rank by rank. Attributes
 * are kept as absolute values only.
 */
static int merge_late_attr(struct rsd_params *a, const struct rsd_params *b)
{
	struct rsd_ranks in_a = RSD_RANKS_INIT, in_b = RSD_RANKS_INIT;
	struct rsd_ranks both = RSD_RANKS_INIT;
	struct rsd_params out = RSD_PARAMS_INIT;
	int err = rsd_params_ranks(a, &in_a);

	if (!err)
		err = rsd_params_ranks(b, &in_b);
	if (!err)
		err = rsd_ranks_union(&both, &in_a, &in_b);
	if (!err && !rsd_ranks_equal(&both, &in_a)) {
		for (int r = rsd_ranks_first(&both); r >= 0 && !err; r = rsd_ranks_next(&both, r))
			err = add_rank(&out, rsd_ranks_has(&in_a, r) ? a : b, r);
		if (!err) {
			rsd_params_release(a);
			*a = out;
			out = (struct rsd_params)RSD_PARAMS_INIT;
		}
	}
	rsd_params_release(&out);
	rsd_ranks_release(&both);
	rsd_ranks_release(&in_a);
	rsd_ranks_release(&in_b);
	return err;
}

/* 'late': the ranks of 'b' are among those of 'a'. */
static int merge_objects(
	const struct rsd_merge_map *m, struct rsd_trace *a, struct rsd_trace *b, bool late)
{
	int err = 0;

	for (size_t i = 0; i < b->nr_objects && !err; i++) {
		struct rsd_object *q = &b->object[i], *p;
		int nr = rsd_object_nr_attrs(q->kind);

		p = rsd_trace_add_object(a, q->kind, rsd_merge_map_value(m, q->id));
		if (!p)
			return RSD_ERR_NOMEM;
		for (int k = 0; k < nr && !err; k++) {
			err = rsd_merge_map_params(m, &q->attr[k], false);
			if (!err)
				err = late ? merge_late_attr(&p->attr[k], &q->attr[k])
					   : rsd_params_merge(&p->attr[k], &q->attr[k]);
		}
	}
	return err;
}

/* ---- trees, logs ------------------------------------------------------------------ */

static void map_nodes(const struct rsd_merge_map *m, struct rsd_node *n)
{
	for (; n; n = n->next) {
		if (n->place >= 0)
			n->place = m->place[n->place];
		else
			map_nodes(m, n->first);
	}
}

static int merge_trees(const struct rsd_merge_map *m, struct rsd_trace *a, struct rsd_trace *b)
{
	int64_t work = RSD_MERGE_LIMIT;
	int err = 0;

	for (size_t i = 0; i < b->nr_trees && !err; i++) {
		struct rsd_tree *t = rsd_trace_tree(a, b->tree[i].thread);

		if (!t)
			return RSD_ERR_NOMEM;
		map_nodes(m, b->tree[i].first);
		err = rsd_merge_trees(a, t, &b->tree[i], &a->ranks, &b->ranks, &work);
	}
	return err;
}

/* Trees that only 'a' has: what stands for all ranks there no longer does. */
static int merge_absent_trees(struct rsd_trace *a, const struct rsd_trace *b)
{
	int64_t work = RSD_MERGE_LIMIT;
	int err = 0;

	for (size_t i = 0; i < a->nr_trees && !err; i++) {
		struct rsd_tree none = { a->tree[i].thread, NULL, NULL };
		size_t k = 0;

		while (k < b->nr_trees && b->tree[k].thread != none.thread)
			k++;
		if (k == b->nr_trees)
			err = rsd_merge_trees(a, &a->tree[i], &none, &a->ranks, &b->ranks, &work);
	}
	return err;
}

static int merge_logs(const struct rsd_merge_map *m, struct rsd_trace *a, struct rsd_trace *b)
{
	for (size_t i = 0; i < b->nr_logs; i++) {
		struct rsd_log *log = &b->log[i], *to;
		int err = rsd_merge_map_log(m, b, &log->bytes);

		if (err)
			return err;
		to = rsd_trace_add_log(a, log->rank, log->thread);
		if (!to)
			return RSD_ERR_NOMEM;
		to->bytes = log->bytes;
		log->bytes = (struct rsd_buf)RSD_BUF_INIT;
	}
	return 0;
}

static int merge_state(struct rsd_trace *a, struct rsd_trace *b)
{
	char *both;
	int err;

	a->complete = a->complete && b->complete;
	if (!b->incomplete_why)
		return 0;
	if (!a->incomplete_why) {
		a->incomplete_why = b->incomplete_why;
		b->incomplete_why = NULL;
		return 0;
	}
	err = rsd_merge_reasons(a->incomplete_why, b->incomplete_why, &both);
	if (err)
		return err;
	free(a->incomplete_why);
	a->incomplete_why = both;
	return 0;
}

/* ---- what fits together --------------------------------------------------------------- */

int rsd_merge_check(const struct rsd_trace *a, const char *name_a, const struct rsd_trace *b,
	const char *name_b, struct rsd_buf *why)
{
	static const char *const common[] = { "date", "level" };

	if (a->nprocs != b->nprocs) {
		rsd_buf_printf(why, "%s is of a run of %d processes, %s of one of %d", name_a,
			a->nprocs, name_b, b->nprocs);
		return RSD_ERR_MISMATCH;
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(common); i++) {
		const char *x = rsd_trace_get_meta(a, common[i]);
		const char *y = rsd_trace_get_meta(b, common[i]);

		if (!x || !y || !strcmp(x, y))
			continue;
		rsd_buf_printf(why, "%s is of a run of %s ", name_a, common[i]);
		rsd_scan_put_shown(why, x);
		rsd_buf_printf(why, ", %s of one of ", name_b);
		rsd_scan_put_shown(why, y);
		return RSD_ERR_MISMATCH;
	}
	return 0;
}

/* ---- the whole ---------------------------------------------------------------------- */

static int merge(struct rsd_trace *a, struct rsd_trace *b, bool late)
{
	struct rsd_merge_map m;
	int err;

	if (a->nprocs != b->nprocs)
		return RSD_ERR_MISMATCH;
	if (!late && rsd_ranks_last(&a->ranks) >= rsd_ranks_first(&b->ranks) &&
		!rsd_ranks_is_empty(&b->ranks))
		return RSD_ERR_MISMATCH;
	err = rsd_merge_map_init(&m, a, b);
	if (!err)
		err = rsd_merge_map_places(&m, a, b);
	if (!err)
		err = merge_places(&m, a, b);
	if (!err)
		err = merge_objects(&m, a, b, late);
	if (!err)
		err = merge_trees(&m, a, b);
	if (!err && !late)
		err = merge_absent_trees(a, b);
	if (!err)
		err = merge_logs(&m, a, b);
	if (!err)
		err = rsd_source_table_import(&a->sources, &a->sigs, &b->sources, &b->sigs);
	if (!err && !late)
		err = rsd_ranks_add(&a->ranks, &b->ranks);
	if (!err)
		err = merge_state(a, b);
	rsd_merge_map_release(&m);
	return err;
}

int rsd_merge(struct rsd_trace *a, struct rsd_trace *b)
{
	int err = merge(a, b, false);

	rsd_trace_free(b);
	return err;
}

int rsd_merge_after(struct rsd_trace *a, struct rsd_trace *b)
{
	int err = merge(a, b, true);

	rsd_trace_free(b);
	return err;
}

static void settle_nodes(struct rsd_node *n)
{
	for (; n; n = n->next) {
		rsd_params_settle(&n->count);
		settle_nodes(n->first);
	}
}

void rsd_merge_settle(struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr; c++)
			rsd_params_settle(&p->col[c]);
		rsd_params_settle(&p->before_ns);
		rsd_params_settle(&p->dur_ns);
	}
	for (size_t i = 0; i < t->nr_objects; i++)
		for (int k = 0; k < rsd_object_nr_attrs(t->object[i].kind); k++)
			rsd_params_settle(&t->object[i].attr[k]);
	for (size_t i = 0; i < t->nr_trees; i++)
		settle_nodes(t->tree[i].first);
}
