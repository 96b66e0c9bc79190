/*
 * loops.c - the tree of loops, flat: each node with its depth, and how long it took
 *
 * Calls and times are kept by place. Where a place stands at several nodes, they are shared out by how often
 * the first rank of each node passes it: an estimate, marked as such.
 */
#include <stdlib.h>
#include <string.h>
#include "report.h"
#include "summary.h"
#include "util.h"

#define MOST_NODES 60000
#define MOST_TEXT 240			/* bytes of a node's arguments, or ranks */
#define MOST_TEXTS ((size_t)700 * 1000) /* of all nodes */

struct loops {
	struct report *r;
	uint64_t *calls; /* of each place */
	double *weight;	 /* of all nodes of a place */
	uint32_t *nodes; /* how many nodes a place stands at */
	size_t texts;
	json_t *list;
	size_t nr;
	bool cut;
};

/* How often the body of the loop around is gone through, by the first rank here, times the ranks. */
static double weight_of(const struct rsd_trace *t, const struct rsd_node *n)
{
	const struct rsd_ranks *ranks = rsd_node_ranks(t, n);
	struct rsd_column_stats s = { .sum = 1 };
	enum rsd_encoding enc;
	struct rsd_column *c;

	if (n->parent && !rsd_params_get(&n->parent->count, rsd_ranks_first(ranks), &enc, &c)) {
		rsd_column_stats(c, &s);
		rsd_column_free(c);
	}
	return s.sum * (double)rsd_ranks_count(ranks);
}

static const struct rsd_node *next_node(const struct rsd_node *n, int *depth)
{
	if (n->place < 0 && n->first) {
		++*depth;
		return n->first;
	}
	while (n && !n->next) {
		n = n->parent;
		--*depth;
	}
	return n ? n->next : NULL;
}

static void count_nodes(struct loops *l, const struct rsd_tree *tree)
{
	int depth = 0;

	for (const struct rsd_node *n = tree->first; n; n = next_node(n, &depth)) {
		if (n->place < 0)
			continue;
		l->nodes[n->place]++;
		l->weight[n->place] += weight_of(l->r->t, n);
	}
}

/* At most MOST_TEXT bytes, and no half of a character. */
static json_t *short_text(struct loops *l, struct rsd_buf *b)
{
	size_t len = b->len;

	if (len > MOST_TEXT) {
		len = MOST_TEXT;
		while (len && (b->data[len] & 0xc0) == 0x80)
			len--;
		b->len = len;
		rsd_buf_printf(b, " ...");
	}
	l->texts += b->len;
	if (b->err)
		return NULL;
	return report_text(b->len ? (const char *)b->data : "", b->len);
}

static json_t *ranks_json(struct loops *l, const struct rsd_node *n)
{
	struct rsd_buf b = RSD_BUF_INIT;
	json_t *j = json_null();

	if (n->ranks && !rsd_ranks_equal(n->ranks, rsd_node_ranks(l->r->t, n->parent))) {
		rsd_ranks_print(n->ranks, &b);
		j = short_text(l, &b);
	}
	rsd_buf_release(&b);
	return j;
}

static struct rsd_summary summary_of(
	const struct loops *l, const struct rsd_place *p, const struct rsd_node *n)
{
	const struct rsd_ranks *ranks = rsd_node_ranks(l->r->t, n);

	return (struct rsd_summary){ .f = l->r->f,
		.t = l->r->t,
		.p = p,
		.rank = -1,
		.style = RSD_STYLE_TEXT,
		.among = rsd_ranks_equal(ranks, &l->r->t->ranks) ? NULL : ranks };
}

static json_t *arguments(struct loops *l, const struct rsd_node *n)
{
	const struct rsd_place *p = &l->r->t->place[n->place];
	const struct rsd_func *fn = &l->r->t->func[p->func];
	struct rsd_summary s = summary_of(l, p, n);
	struct rsd_buf b = RSD_BUF_INIT, one = RSD_BUF_INIT;
	json_t *j;

	for (int i = 0; i <= fn->nr_params && b.len <= MOST_TEXT && l->texts < MOST_TEXTS; i++) {
		rsd_buf_reset(&one);
		if (!rsd_summary_param(&s, i, &one))
			continue;
		rsd_buf_printf(&b, "%s%s=", b.len ? ", " : "",
			i < fn->nr_params ? fn->param[i].name : "error");
		rsd_buf_put(&b, one.data, one.len);
	}
	j = short_text(l, &b);
	rsd_buf_release(&b);
	rsd_buf_release(&one);
	return j;
}

/* [depth, row, arguments, ranks, calls, ns, ns before, estimated] */
static json_t *event_json(struct loops *l, const struct rsd_node *n, int depth)
{
	const struct rsd_place *p = &l->r->t->place[n->place];
	size_t row = l->r->row_of_place[n->place];
	double all = l->weight[n->place], part = all > 0 ? weight_of(l->r->t, n) / all : 1;
	double ns = 0, before = 0;

	if (p->has_timing) {
		ns = (double)p->timing.dur.sum + (double)p->timing.dur_first.sum;
		before = (double)p->timing.before.sum;
	}
	return json_pack("[i, I, o, o, I, I, I, i]", depth, (json_int_t)(row == SIZE_MAX ? 0 : row),
		arguments(l, n), ranks_json(l, n),
		(json_int_t)(part * (double)l->calls[n->place] + 0.5), (json_int_t)(part * ns),
		(json_int_t)(part * before), l->nodes[n->place] > 1);
}

/* [depth, -1, iterations, ranks] */
static json_t *loop_json(struct loops *l, const struct rsd_node *n, int depth)
{
	struct rsd_summary s = summary_of(l, NULL, n);
	struct rsd_buf b = RSD_BUF_INIT;
	json_t *j;

	rsd_summary_count(&s, &n->count, &b);
	j = json_pack("[i, i, o, o]", depth, -1, short_text(l, &b), ranks_json(l, n));
	rsd_buf_release(&b);
	return j;
}

static int add_tree(struct loops *l, const struct rsd_tree *tree)
{
	int depth = 0, bad = 0;

	/* Other threads, and what comes after MPI_Finalize, are branches of their own. */
	if (tree->thread && tree->first) {
		struct rsd_buf b = RSD_BUF_INIT;

		rsd_buf_printf(&b, "thread %d", rsd_thread_number(tree->thread));
		if (rsd_thread_part(tree->thread))
			rsd_buf_printf(&b, ", part %d", rsd_thread_part(tree->thread));
		if (rsd_thread_is_after(tree->thread))
			rsd_buf_printf(&b, ", after MPI_Finalize");
		bad = json_array_append_new(
			l->list, json_pack("[i, i, o, n]", depth++, -2, short_text(l, &b)));
		rsd_buf_release(&b);
	}
	for (const struct rsd_node *n = tree->first; n && !bad; n = next_node(n, &depth)) {
		if (l->nr++ >= MOST_NODES) {
			l->cut = true;
			break;
		}
		bad = json_array_append_new(
			l->list, n->place >= 0 ? event_json(l, n, depth) : loop_json(l, n, depth));
	}
	return bad;
}

json_t *report_loops_json(struct report *r)
{
	size_t nr = r->t->nr_places + 1;
	struct loops l = { .r = r, .list = json_array() };
	int bad;
	json_t *j = NULL;

	l.calls = rsd_calloc(nr, sizeof(*l.calls));
	l.weight = rsd_calloc(nr, sizeof(*l.weight));
	l.nodes = rsd_calloc(nr, sizeof(*l.nodes));
	bad = !l.list || !l.calls || !l.weight || !l.nodes ||
	      (r->t->nr_trees && rsd_trace_count_calls(r->t, l.calls));
	for (size_t i = 0; i < r->t->nr_trees && !bad; i++)
		count_nodes(&l, &r->t->tree[i]);
	for (size_t i = 0; i < r->t->nr_trees && !bad; i++)
		bad = add_tree(&l, &r->t->tree[i]);
	if (!bad)
		j = json_pack("{s:O, s:b, s:b}", "nodes", l.list, "cut", l.cut, "cutTexts",
			l.texts >= MOST_TEXTS);
	json_decref(l.list);
	free(l.calls);
	free(l.weight);
	free(l.nodes);
	return j;
}
