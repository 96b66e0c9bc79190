/* cmd_stats_size.c - rsd stats --by size: which table, loop or column takes the bytes of a trace */
#include "cmd_stats.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

struct part {
	char *name;	    /* "strings", "queue", "MPI_Send app+0x1a3f" */
	const char *column; /* or "" */
	size_t bytes;
};

struct parts {
	const struct rsd_trace *t;
	const struct rsd_format *f;
	struct part *part;
	size_t nr, alloc;
	int err;
};

static void add(struct parts *s, const char *name, const char *column, size_t bytes)
{
	if (!bytes || s->err)
		return;
	s->err = RSD_GROW(s->part, s->nr + 1, s->alloc);
	if (s->err)
		return;
	s->part[s->nr] = (struct part){ rsd_strndup(name, strlen(name)), column, bytes };
	if (!s->part[s->nr].name)
		s->err = RSD_ERR_NOMEM;
	else
		s->nr++;
}

/* ---- tables --------------------------------------------------------------------------------- */

static void add_names(struct parts *s)
{
	const struct rsd_trace *t = s->t;
	struct rsd_buf sigs = RSD_BUF_INIT;
	size_t strings = 0, constants = 0, funcs = 0, meta = 0;

	for (size_t i = 0; i < t->strings.nr; i++)
		strings += t->strings.str[i].len + 1;
	for (size_t i = 0; i < t->nr_constants; i++)
		constants += t->constant[i] ? strlen(t->constant[i]) + 2 : 0;
	for (size_t i = 0; i < t->nr_funcs; i++) {
		funcs += strlen(t->func[i].name) + 6;
		for (int k = 0; k < t->func[i].nr_params; k++)
			funcs += strlen(t->func[i].param[k].name) + 4;
	}
	for (size_t i = 0; i < t->nr_meta; i++)
		meta += strlen(t->meta[i].key) + strlen(t->meta[i].value) + 2;
	rsd_sigs_encode(&t->sigs, &sigs);
	add(s, "strings", "", strings);
	add(s, "constants", "", constants);
	add(s, "functions", "", funcs);
	add(s, "header", "", meta);
	add(s, "signatures", "", sigs.len);
	rsd_buf_release(&sigs);
}

static void add_objects(struct parts *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->t->nr_objects; i++) {
		const struct rsd_object *o = &s->t->object[i];

		bytes += 3;
		for (int k = 0; k < rsd_object_nr_attrs(o->kind); k++)
			bytes += rsd_params_size(&o->attr[k]);
	}
	add(s, "objects", "", bytes);
}

static size_t ranks_size(const struct rsd_ranks *ranks)
{
	struct rsd_buf b = RSD_BUF_INIT;
	size_t len;

	if (!ranks)
		return 1;
	rsd_ranks_encode(ranks, &b);
	len = b.len;
	rsd_buf_release(&b);
	return len + 1;
}

static void add_tree(struct parts *s, const struct rsd_tree *tree)
{
	const struct rsd_node *n = tree->first;
	size_t nodes = 0, ranks = 0, counts = 0;

	while (n) {
		nodes += 2;
		ranks += ranks_size(n->ranks);
		if (n->place < 0)
			counts += rsd_params_size(&n->count);
		if (n->place < 0 && n->first) {
			n = n->first;
			continue;
		}
		while (n && !n->next)
			n = n->parent;
		if (n)
			n = n->next;
	}
	add(s, "queue", "nodes", nodes);
	add(s, "queue", "ranks", ranks);
	add(s, "queue", "loop counts", counts);
}

/* ---- columns ----------------------------------------------------------------------------------
 */

static size_t timing_size(const struct rsd_place *p)
{
	const struct rsd_histogram_hints none = { 0 };
	struct rsd_buf b = RSD_BUF_INIT;
	size_t len;

	if (!p->has_timing)
		return 0;
	rsd_histogram_encode(&p->timing.dur, &none, &b);
	rsd_histogram_encode(&p->timing.before, &none, &b);
	rsd_histogram_encode(&p->timing.dur_first, &none, &b);
	len = b.len;
	rsd_buf_release(&b);
	return len;
}

static void add_place(struct parts *s, const struct rsd_place *p)
{
	const struct rsd_func *fn = &s->t->func[p->func];
	const struct rsd_params *col = p->col;
	struct rsd_buf name = RSD_BUF_INIT;

	rsd_buf_printf(&name, "%s ", fn->name);
	if (!rsd_format_site(s->f, p->sig, RSD_STYLE_TEXT, &name))
		rsd_buf_put_byte(&name, '?');
	rsd_buf_put_byte(&name, 0);
	if (name.err) {
		s->err = RSD_ERR_NOMEM;
		return;
	}
	for (int i = 0; col && i <= fn->nr_params; i++) {
		int nr = i < fn->nr_params ? rsd_type_columns((enum rsd_type)fn->param[i].type) : 1;
		size_t bytes = 0;

		while (nr-- > 0)
			bytes += rsd_params_size(col++);
		add(s, (const char *)name.data,
			i < fn->nr_params ? fn->param[i].name : "error code", bytes);
	}
	add(s, (const char *)name.data, "time statistics", timing_size(p));
	if (p->has_times)
		add(s, (const char *)name.data, "time stamps",
			rsd_params_size(&p->before_ns) + rsd_params_size(&p->dur_ns));
	rsd_buf_release(&name);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : strcmp(x->name, y->name);
}

int rsd_stats_by_size(const struct rsd_trace *t, const struct rsd_format *f,
	enum rsd_table_format format, size_t top, struct rsd_out *out)
{
	static const struct rsd_table_column column[] = {
		{ "part", false },
		{ "column", false },
		{ "bytes", true },
	};
	struct parts s = { .t = t, .f = f };
	struct rsd_table table;
	bool ok;

	add_names(&s);
	add_objects(&s);
	for (size_t i = 0; i < t->nr_trees; i++)
		add_tree(&s, &t->tree[i]);
	for (size_t i = 0; i < t->nr_places; i++)
		add_place(&s, &t->place[i]);
	for (size_t i = 0; i < t->nr_logs; i++)
		add(&s, "log", "", t->log[i].bytes.len);
	if (s.nr)
		qsort(s.part, s.nr, sizeof(*s.part), compare_bytes);
	rsd_table_init(&table, column, RSD_ARRAY_SIZE(column));
	table.err = s.err;
	for (size_t i = 0; i < s.nr && i < top; i++) {
		rsd_table_cell(&table, "%s", s.part[i].name);
		rsd_table_cell(&table, "%s", s.part[i].column);
		rsd_table_cell(&table, "%zu", s.part[i].bytes);
	}
	for (size_t i = 0; i < s.nr; i++)
		free(s.part[i].name);
	free(s.part);
	ok = rsd_table_print(&table, format, out);
	rsd_table_release(&table);
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}
