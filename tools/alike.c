/* alike.c - see alike.h */
#include "alike.h"

#include <stdlib.h>
#include "util.h"
#include "walk.h"

/* A step of one rank through a tree: an event, or the beginning or the end of a loop. */
struct at {
	const struct rsd_tree *tree;
	const struct rsd_node *node; /* NULL: before the first one, or behind the last one */
	bool ends;
};

struct pair { /* of threads */
	struct rsd_same *same;
	const struct rsd_trace *a, *b;
	int rank;
	int *of_a, *of_b; /* the other side's place + 1; 0: not met yet */
};

static const struct rsd_node *taking_part(const struct rsd_node *n, int rank)
{
	while (n && n->ranks && !rsd_ranks_has(n->ranks, rank))
		n = n->next;
	return n;
}

/* From a node's place: it, or where there is none the end of the loop around it. */
static void go_to(struct at *at, const struct rsd_node *n, const struct rsd_node *around, int rank)
{
	n = taking_part(n, rank);
	at->node = n ? n : around;
	at->ends = !n;
}

static void step(struct at *at, int rank)
{
	const struct rsd_node *n = at->node;

	if (!n)
		go_to(at, at->tree ? at->tree->first : NULL, NULL, rank);
	else if (n->place < 0 && !at->ends)
		go_to(at, n->first, n, rank);
	else
		go_to(at, n->next, n->parent, rank);
}

static bool same_column(
	const struct pair *p, const struct rsd_params *x, const struct rsd_params *y)
{
	struct rsd_column *c = NULL, *d = NULL;
	enum rsd_encoding enc_c = RSD_E_ABS, enc_d = RSD_E_ABS;
	int err_c = rsd_params_get(x, p->rank, &enc_c, &c),
	    err_d = rsd_params_get(y, p->rank, &enc_d, &d);
	bool same = err_c == err_d && (err_c || (enc_c == enc_d && rsd_column_equal(c, d)));

	if ((err_c && err_c != RSD_ERR_END) || (err_d && err_d != RSD_ERR_END))
		same = false;
	rsd_column_free(c);
	rsd_column_free(d);
	return same;
}

/* Each place belongs to one of the other side, and draws the same values. */
static bool same_place(struct pair *p, int x, int y)
{
	const struct rsd_place *u = &p->a->place[x], *v = &p->b->place[y];

	if (p->of_a[x] || p->of_b[y])
		return p->of_a[x] == y + 1 && p->of_b[y] == x + 1;
	if (!rsd_same_place(p->same, x, y))
		return false;
	for (int i = 0; i < rsd_func_columns(&p->a->func[u->func]); i++) {
		if (!same_column(p, &u->col[i], &v->col[i]))
			return false;
	}
	p->of_a[x] = y + 1;
	p->of_b[y] = x + 1;
	return true;
}

static bool same_step(struct pair *p, const struct at *x, const struct at *y)
{
	if (x->ends != y->ends || (x->node->place < 0) != (y->node->place < 0))
		return false;
	if (x->ends)
		return true;
	return x->node->place < 0 ? same_column(p, &x->node->count, &y->node->count)
				  : same_place(p, x->node->place, y->node->place);
}

static bool same_tree(struct pair *p, int thread)
{
	struct at x = { rsd_trace_find_tree(p->a, thread), NULL, false },
		  y = { rsd_trace_find_tree(p->b, thread), NULL, false };

	if (rsd_trace_first_log(p->a, p->rank, thread) ||
		rsd_trace_first_log(p->b, p->rank, thread))
		return false;
	for (;;) {
		step(&x, p->rank);
		step(&y, p->rank);
		if (!x.node || !y.node)
			return !x.node && !y.node;
		if (!same_step(p, &x, &y))
			return false;
	}
}

bool rsd_alike_thread(struct rsd_same *s, const struct rsd_trace *a, const struct rsd_trace *b,
	int rank, int thread)
{
	struct pair p = { s, a, b, rank, NULL, NULL };
	int parts_a = rsd_trace_last_part(a), parts_b = rsd_trace_last_part(b);
	bool alike = false;

	if (!rsd_ranks_has(&a->ranks, rank) || !rsd_ranks_has(&b->ranks, rank) ||
		!rsd_same_tables(s))
		return false;
	p.of_a = rsd_calloc(a->nr_places + 1, sizeof(*p.of_a));
	p.of_b = rsd_calloc(b->nr_places + 1, sizeof(*p.of_b));
	if (p.of_a && p.of_b)
		alike = same_tree(&p, thread) && same_tree(&p, RSD_AFTER + thread);
	for (int k = 1; alike && k <= (parts_a > parts_b ? parts_a : parts_b); k++)
		alike = same_tree(&p, k * RSD_PART + thread);
	free(p.of_a);
	free(p.of_b);
	return alike;
}
