/*
 * tables.c - a column as a table of its sections, with a cursor
 */
#include "columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t cg_largest(const struct rsd_params *p)
{
	int64_t most = 0;

	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];
			int rank = v->nr_numbers ? rsd_ranks_first(&v->ranks) : -1;
			struct rsd_column_stats s;

			rsd_column_stats(v->col, &s);
			if (rank < 0 && s.nr > s.nr_consts && s.max > most)
				most = s.max;
			for (; rank >= 0; rank = rsd_ranks_next(&v->ranks, rank)) {
				enum rsd_encoding enc;
				struct rsd_column *c;

				if (rsd_params_get(p, rank, &enc, &c))
					cg_nomem();
				rsd_column_stats(c, &s);
				rsd_column_free(c);
				if (s.nr > s.nr_consts && s.max > most)
					most = s.max;
			}
		}
	}
	return most;
}

/* A value in a table is a number: of handles and strings, that of the variable. */
static void put_number(struct cg *cg, const struct cg_column_of *c, int64_t v, struct rsd_buf *out)
{
	struct cg_column_of plain = *c;

	plain.index = cg_handle(c->role) != NULL;
	plain.same = NULL;
	if (c->role == RSD_R_STRING || c->role == RSD_R_STATUS)
		rsd_buf_put_decimal(out, v == RSD_ABSENT ? 0 : rsd_is_const(v) ? 1 : v);
	else if (c->role == RSD_R_BUFFER)
		rsd_buf_printf(out, "%s",
			!rsd_is_const(v) || v == RSD_ABSENT		   ? "0"
			: !strcmp(cg_constant_name(cg, v), "MPI_IN_PLACE") ? "1"
			: !strcmp(cg_constant_name(cg, v), "MPI_BOTTOM")   ? "2"
									   : "3");
	else
		cg_value(cg, &plain, false, v, out);
}

static void put_sections(struct cg *cg, const struct cg_column_of *c, const struct rsd_column *col,
	const char *name, bool constant)
{
	struct cg_sections all = cg_sections_of(col);
	struct rsd_buf *out = &cg->tables;
	size_t at = out->len;

	rsd_buf_printf(out, "static %sstruct section %s[] = {", constant ? "const " : "", name);
	for (size_t i = 0; i < all.nr; i++) {
		const struct rsd_section *s = &all.s[i];

		if (out->len - at > 90) {
			rsd_buf_printf(out, "\n\t");
			at = out->len;
		}
		rsd_buf_printf(
			out, "%s{ ", all.nr > 0 && out->data[out->len - 1] == '\t' ? "" : " ");
		if (s->body)
			rsd_buf_printf(out, "0");
		else
			put_number(cg, c, s->start, out);
		rsd_buf_printf(out, ", %" PRId64 ", %" PRIu64 ", %" PRIu64 " }%s", s->step,
			s->count, s->body, i + 1 < all.nr ? "," : "");
	}
	rsd_buf_printf(out, " };\n");
	free(all.s);
}

/* Is the number one of the column's values, and not a step or a count? */
static bool is_start(const struct rsd_column *c, uint32_t index)
{
	struct cg_sections all = cg_sections_of(c);
	bool yes = false;

	for (size_t i = 0; i < all.nr; i++) {
		uint32_t nr = all.s[i].body ? 2 : 3;

		if (index < nr) {
			yes = !index && !all.s[i].body;
			break;
		}
		index -= nr;
	}
	free(all.s);
	return yes;
}

/* A variant's numbers by rank: their tables, and the list of them; how many. */
static void put_numbers(
	struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v, const char *name)
{
	struct cg_column_of plain = { .type = "long", .role = RSD_R_INT };
	char over[128];

	if (!v->nr_numbers)
		return;
	for (size_t i = 0; i < v->nr_numbers; i++) {
		snprintf(over, sizeof(over), "%s_%zu", name, i);
		put_sections(cg, is_start(v->col, v->number[i].index) ? c : &plain,
			v->number[i].over, over, true);
	}
	rsd_buf_printf(&cg->tables, "static const struct number %s_numbers[] = {", name);
	for (size_t i = 0; i < v->nr_numbers; i++) {
		struct cg_sections all = cg_sections_of(v->number[i].over);

		rsd_buf_printf(&cg->tables, "%s { %u, %s_%zu, %zu }", i ? "," : "",
			v->number[i].index, name, i, all.nr);
		free(all.s);
	}
	rsd_buf_printf(&cg->tables, " };\n");
}

struct variants {
	struct cg *cg;
	const struct cg_column_of *c;
	const char *name;
	int nr;
	struct rsd_buf list;
};

static int put_variant(const struct rsd_variant *v, bool relative, void *arg)
{
	struct variants *w = arg;
	struct cg_sections all = cg_sections_of(v->col);
	struct rsd_buf set = RSD_BUF_INIT;
	char name[64];

	snprintf(name, sizeof(name), "%s_%d", w->name, w->nr);
	cg_set(w->cg, &v->ranks, &set);
	put_sections(w->cg, w->c, v->col, name, !v->nr_numbers);
	put_numbers(w->cg, w->c, v, name);
	rsd_buf_printf(&w->list, "%s\n\t{ %.*s, %s%s, %zu, ", w->nr ? "," : "", (int)set.len,
		(char *)set.data, v->nr_numbers ? "" : "(struct section *)", name, all.nr);
	if (v->nr_numbers)
		rsd_buf_printf(&w->list, "%s_numbers, %zu", name, v->nr_numbers);
	else
		rsd_buf_printf(&w->list, "NULL, 0");
	rsd_buf_printf(&w->list, ", %d }", relative);
	w->nr++;
	free(all.s);
	rsd_buf_release(&set);
	return 0;
}

void cg_put_table(struct cg *cg, const struct cg_column_of *c, const char *name)
{
	struct variants w = { cg, c, name, 0, RSD_BUF_INIT };

	if (cg_handle(c->role))
		cg_need_slots(cg, c->role, cg_largest(c->params) + 1);
	cg_need(cg, CG_NEXT);
	cg_each_variant(cg, c, NULL, put_variant, &w);
	rsd_buf_printf(&cg->tables, "static const struct variant %s_by_rank[] = {%.*s\n};\n", name,
		(int)w.list.len, w.list.data ? (char *)w.list.data : "");
	rsd_buf_printf(
		&cg->tables, "static struct column %s = { %s_by_rank, %d };\n", name, name, w.nr);
	rsd_buf_release(&w.list);
}

void cg_table(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out)
{
	int id = cg->first_col[c->place] + c->col;
	const struct rsd_place *p = &cg->t->place[c->place];
	char name[32];

	snprintf(name, sizeof(name), "c%d", id);
	rsd_buf_printf(out, "%s", name);
	if (cg->tabled[id])
		return;
	cg->tabled[id] = true;
	rsd_buf_printf(&cg->tables, "\n/* ");
	cg_comment(cg->t->func[p->func].name, &cg->tables);
	rsd_buf_printf(&cg->tables, " */\n");
	cg_put_table(cg, c, name);
}

void cg_next(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out)
{
	struct rsd_buf name = RSD_BUF_INIT;
	const char *before = "", *after = "";
	char text[64];

	cg_table(cg, c, &name);
	snprintf(text, sizeof(text), "&%.*s", (int)name.len, (char *)name.data);
	rsd_buf_release(&name);
	if (c->own) {
		cg_need(cg, CG_WHERE);
		rsd_buf_printf(out, "where(next(%s), %s)", text, c->own);
		return;
	}
	if (c->role == RSD_R_PEER && c->params->enc[RSD_E_REL].nr) {
		cg_need(cg, CG_PEERS);
		rsd_buf_printf(
			out, "next_peer(%s, %s)", text, c->comm ? c->comm : "MPI_COMM_WORLD");
		return;
	}
	if (c->role == RSD_R_STRING) {
		cg->uses_texts = true;
		before = "texts[", after = "]";
	} else if (!c->index && cg_handle(c->role)) {
		rsd_buf_printf(out, "%s[", cg_handle(c->role));
		after = "]";
	}
	rsd_buf_printf(out, "%snext(%s)%s", before, text, after);
}
