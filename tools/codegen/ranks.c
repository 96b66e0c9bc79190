/*
 * ranks.c - sets of ranks as conditions, and as tables where a condition would be too long
 */
#include "codegen.h"

#define MAX_CONDITIONS 3 /* runs of a set that is written as a condition */

bool cg_overlap(const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;
	bool yes;

	if (rsd_ranks_minus(&rest, a, b))
		cg_nomem();
	yes = rsd_ranks_count(&rest) != rsd_ranks_count(a);
	rsd_ranks_release(&rest);
	return yes;
}

bool cg_within(const struct rsd_ranks *a, const struct rsd_ranks *b)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;
	bool yes;

	if (rsd_ranks_minus(&rest, a, b))
		cg_nomem();
	yes = rsd_ranks_is_empty(&rest);
	rsd_ranks_release(&rest);
	return yes;
}

static int last_of(const struct rsd_run *r)
{
	return r->nr_dims ? r->first + (r->dim[0].count - 1) * r->dim[0].stride : r->first;
}

static void put_run(const struct cg *cg, const struct rsd_run *r, bool alone, struct rsd_buf *out)
{
	int last = last_of(r), stride = r->nr_dims ? r->dim[0].stride : 1, nr = 0;
	bool several;

	if (!r->nr_dims) {
		rsd_buf_printf(out, "rank == %d", r->first);
		return;
	}
	several = (r->first >= stride) + (last + stride < cg->t->nprocs) + (stride > 1) > 1;
	if (several && !alone)
		rsd_buf_printf(out, "(");
	if (r->first >= stride)
		rsd_buf_printf(out, "%srank >= %d", nr++ ? " && " : "", r->first);
	if (last + stride < cg->t->nprocs)
		rsd_buf_printf(out, "%srank <= %d", nr++ ? " && " : "", last);
	if (stride > 1)
		rsd_buf_printf(
			out, "%srank %% %d == %d", nr++ ? " && " : "", stride, r->first % stride);
	if (!nr)
		rsd_buf_printf(out, "rank >= 0");
	if (several && !alone)
		rsd_buf_printf(out, ")");
}

static bool is_short(const struct rsd_ranks *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		if (s->run[i].nr_dims > 1)
			return false;
	}
	return s->nr <= MAX_CONDITIONS;
}

static void put_condition(struct cg *cg, const struct rsd_ranks *s, struct rsd_buf *out)
{
	struct rsd_buf name = RSD_BUF_INIT;

	for (size_t i = 0; is_short(s) && i < s->nr; i++) {
		rsd_buf_printf(out, i ? " || " : "");
		put_run(cg, &s->run[i], s->nr == 1, out);
	}
	if (is_short(s))
		return;
	cg_set(cg, s, &name);
	rsd_buf_printf(out, "position(%.*s, rank) >= 0", (int)name.len, (char *)name.data);
	rsd_buf_release(&name);
}

void cg_condition(struct cg *cg, const struct rsd_ranks *s, const struct rsd_ranks *within,
	struct rsd_buf *out)
{
	struct rsd_ranks rest = RSD_RANKS_INIT;

	if (rsd_ranks_minus(&rest, within, s))
		cg_nomem();
	if (rest.nr == 1 && !rest.run[0].nr_dims)
		rsd_buf_printf(out, "rank != %d", rest.run[0].first);
	else if (!rsd_ranks_is_empty(&rest))
		put_condition(cg, s, out);
	rsd_ranks_release(&rest);
}

void cg_set(struct cg *cg, const struct rsd_ranks *s, struct rsd_buf *name)
{
	int id = cg->nr_sets++;

	cg_need(cg, CG_SETS);
	rsd_buf_printf(&cg->tables, "static const struct run r%d[] = {", id);
	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_run *r = &s->run[i];

		rsd_buf_printf(&cg->tables, "%s { %d, %d, {", i ? "," : "", r->first, r->nr_dims);
		for (int k = 0; k < r->nr_dims; k++)
			rsd_buf_printf(&cg->tables, "%s { %d, %d }", k ? "," : "", r->dim[k].count,
				r->dim[k].stride);
		rsd_buf_printf(&cg->tables, r->nr_dims ? " } }" : " { 0, 0 } } }");
	}
	rsd_buf_printf(&cg->tables, " };\n");
	rsd_buf_printf(name, "r%d, %zu", id, s->nr);
}
