/*
 * Makes the trace of a large run out of nothing, for what shows traces: many ranks in a three-dimensional grid, many
 * call sites, loops, times. No call is recorded; the columns are put together as merging leaves them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optab.h"
#include "optable.h"
#include "trace_file.h"
#include "util.h"

enum {
	PER_PHASE = 100, /* call sites of a function of the program */
	STEPS = 50,	 /* of the outer loop */
	ROUNDS = 10,	 /* of each inner one */
	CALLS = STEPS * ROUNDS,
	IRREGULAR = 4, /* sites whose ranks each send somewhere else */
	DIRECTIONS = 6,
};

struct scale {
	struct rsd_trace *t;
	int dim[3];
	struct rsd_ranks all, has[DIRECTIONS]; /* a neighbour there */
	int program;
	int err;
};

static int distance(const struct scale *s, int direction)
{
	int step = direction < 2 ? 1 : direction < 4 ? s->dim[0] : s->dim[0] * s->dim[1];

	return direction % 2 ? step : -step;
}

/* ---- columns ------------------------------------------------------------------------------- */

static void give(struct scale *s, struct rsd_params *p, enum rsd_encoding enc,
	const struct rsd_ranks *ranks, struct rsd_column *c, struct rsd_column *over)
{
	struct rsd_variant *v = rsd_calloc(1, sizeof(*v));

	if (!v || !c || rsd_ranks_copy(&v->ranks, ranks)) {
		s->err = RSD_ERR_NOMEM;
		return;
	}
	v->col = c;
	v->skeleton = rsd_column_skeleton_hash(c);
	if (over) {
		v->number = rsd_calloc(1, sizeof(*v->number));
		if (!v->number) {
			s->err = RSD_ERR_NOMEM;
			return;
		}
		v->number[0] = (struct rsd_number){ 0, over }; /* what the run starts with */
		v->nr_numbers = 1;
	}
	p->enc[enc].variant = v;
	p->enc[enc].nr = p->enc[enc].alloc = 1;
}

static struct rsd_column *constant(int64_t v, uint64_t count)
{
	struct rsd_column *c = rsd_column_new(false);

	if (c && rsd_column_append_run(c, v, count)) {
		rsd_column_free(c);
		return NULL;
	}
	return c;
}

/* A value a rank: the rank itself, or some rank, each once. */
static struct rsd_column *over_ranks(const struct scale *s, uint64_t seed)
{
	struct rsd_column *c = rsd_column_new(false);
	int64_t n = s->t->nprocs;

	for (int64_t r = 0; c && r < n; r++) {
		int64_t v = seed ? (int64_t)(rsd_hash_mix(seed + (uint64_t)r) % (uint64_t)n) : r;

		if (rsd_column_append(c, v)) {
			rsd_column_free(c);
			return NULL;
		}
	}
	return c;
}

/* ---- places --------------------------------------------------------------------------------- */

static int signature(struct scale *s, int site)
{
	const struct rsd_frame stack[] = {
		{ s->program, 0x10000 + 0x24 * (uint64_t)site },
		{ s->program, 0x4000 + 0x1c * (uint64_t)(site / PER_PHASE) },
		{ s->program, 0x3a41 },
	};

	return rsd_sigs_intern(&s->t->sigs, stack, RSD_ARRAY_SIZE(stack));
}

static void add_times(struct scale *s, struct rsd_place *p, uint64_t seed)
{
	struct rsd_timing *g = &p->timing;

	rsd_histogram_init(&g->dur);
	rsd_histogram_init(&g->before);
	rsd_histogram_init(&g->dur_first);
	p->has_timing = true;
	for (uint64_t i = 0; i < 64 && !s->err; i++) {
		uint64_t h = rsd_hash_mix(seed * 64 + i);

		s->err = rsd_histogram_add(i ? &g->dur : &g->dur_first, 700 + h % 9000);
		if (!s->err)
			s->err = rsd_histogram_add(&g->before, 2000 + (h >> 32) % 90000);
	}
	rsd_histogram_set_rank(&g->dur, (int)(rsd_hash_mix(seed) % (uint64_t)s->t->nprocs));
}

/* A place where 'ranks' send; 'irregular': each to another rank. */
static int add_send(
	struct scale *s, int site, const struct rsd_ranks *ranks, int far, bool irregular)
{
	struct rsd_trace *t = s->t;
	const int64_t value[] = { 0, 8 + site % 512, RSD_CONST(RSD_K_MPI_DOUBLE), 0, site % 7,
		RSD_CONST(RSD_K_MPI_COMM_WORLD), 0 };
	int func = rsd_trace_func(t, &rsd_funcs[RSD_F_MPI_Send]), index;
	struct rsd_place *p;

	index = func < 0 ? func : rsd_trace_place(t, 0, func, signature(s, site), 0);
	if (index < 0) {
		s->err = index;
		return 0;
	}
	p = &t->place[index];
	for (int i = 0; i < (int)RSD_ARRAY_SIZE(value); i++) {
		int64_t to = far < 0 ? far + t->nprocs : far;

		if (i == 3 && irregular)
			give(s, &p->col[i], RSD_E_ABS, ranks, constant(0, CALLS),
				over_ranks(s, (uint64_t)site + 1));
		else
			give(s, &p->col[i], i == 3 ? RSD_E_REL : RSD_E_ABS, ranks,
				constant(i == 3 ? to : value[i], CALLS), NULL);
	}
	add_times(s, p, (uint64_t)site);
	return index;
}

static int add_allreduce(struct scale *s, int site)
{
	struct rsd_trace *t = s->t;
	const int64_t value[] = { 0, 0, 1, RSD_CONST(RSD_K_MPI_DOUBLE), RSD_CONST(RSD_K_MPI_SUM),
		RSD_CONST(RSD_K_MPI_COMM_WORLD), 0 };
	int func = rsd_trace_func(t, &rsd_funcs[RSD_F_MPI_Allreduce]), index;

	index = func < 0 ? func : rsd_trace_place(t, 0, func, signature(s, site), 0);
	if (index < 0) {
		s->err = index;
		return 0;
	}
	for (int i = 0; i < (int)RSD_ARRAY_SIZE(value); i++)
		give(s, &t->place[index].col[i], RSD_E_ABS, &s->all, constant(value[i], CALLS),
			NULL);
	add_times(s, &t->place[index], (uint64_t)site);
	return index;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct rsd_node *add_loop(
	struct scale *s, struct rsd_tree *tree, struct rsd_node *in, int count, int entries)
{
	struct rsd_node *n = rsd_node_new(-1);

	if (!n) {
		s->err = RSD_ERR_NOMEM;
		return NULL;
	}
	give(s, &n->count, RSD_E_ABS, &s->all, constant(count, (uint64_t)entries), NULL);
	rsd_node_append(tree, in, n);
	return n;
}

static void add_site(struct scale *s, struct rsd_tree *tree, struct rsd_node *in, int site)
{
	int direction = site % 8 < DIRECTIONS ? site % 8 : -1;
	bool irregular = site % PER_PHASE == 50 && site / PER_PHASE < IRREGULAR;
	const struct rsd_ranks *ranks = direction < 0 || irregular ? &s->all : &s->has[direction];
	struct rsd_node *n;

	n = rsd_node_new(irregular	 ? add_send(s, site, ranks, 0, true)
			 : direction < 0 ? add_allreduce(s, site)
					 : add_send(s, site, ranks, distance(s, direction), false));
	if (!n || s->err) {
		s->err = RSD_ERR_NOMEM;
		return;
	}
	if (ranks != &s->all) {
		n->ranks = rsd_calloc(1, sizeof(*n->ranks));
		s->err = n->ranks ? rsd_ranks_copy(n->ranks, ranks) : RSD_ERR_NOMEM;
	}
	rsd_node_append(tree, in, n);
}

static void add_objects(struct scale *s)
{
	static const int name[] = { RSD_K_MPI_COMM_WORLD, RSD_K_MPI_DOUBLE, RSD_K_MPI_SUM };
	struct rsd_object *o;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(name) && !s->err; i++)
		s->err = rsd_trace_set_constant(s->t, name[i], rsd_constants[name[i]].name);
	o = rsd_trace_add_object(s->t, RSD_O_COMM, RSD_CONST(RSD_K_MPI_COMM_WORLD));
	for (int k = 0; o && k < 4; k++)
		give(s, &o->attr[k], RSD_E_ABS, &s->all,
			constant(k == 3 || k == 1 ? 0 : s->t->nprocs, 1),
			k == 1 ? over_ranks(s, 0) : NULL);
	o = rsd_trace_add_object(s->t, RSD_O_DATATYPE, RSD_CONST(RSD_K_MPI_DOUBLE));
	if (o)
		give(s, &o->attr[0], RSD_E_ABS, &s->all, constant(8, 1), NULL);
}

static void add_ranks(struct scale *s)
{
	const int *dim = s->dim;

	for (int r = 0; r < s->t->nprocs && !s->err; r++) {
		int at[] = { r % dim[0], r / dim[0] % dim[1], r / dim[0] / dim[1] };

		s->err = rsd_ranks_append(&s->all, r);
		for (int d = 0; d < DIRECTIONS && !s->err; d++)
			if (d % 2 ? at[d / 2] + 1 < dim[d / 2] : at[d / 2] > 0)
				s->err = rsd_ranks_append(&s->has[d], r);
	}
	if (!s->err)
		s->err = rsd_ranks_copy(&s->t->ranks, &s->all);
}

static void fill(struct scale *s, int sites)
{
	struct rsd_tree *tree;
	struct rsd_node *steps, *phase = NULL;

	add_ranks(s);
	add_objects(s);
	s->program = rsd_sigs_module(&s->t->sigs, "/home/user/app/solver", "8c1f0a5e77d24b03");
	rsd_trace_set_meta(s->t, "program", "/home/user/app/solver");
	rsd_trace_set_meta(s->t, "level", "glob");
	tree = rsd_trace_tree(s->t, 0);
	if (!tree) {
		s->err = RSD_ERR_NOMEM;
		return;
	}
	steps = add_loop(s, tree, NULL, STEPS, 1);
	for (int i = 0; i < sites && !s->err; i++) {
		if (i % PER_PHASE == 0)
			phase = add_loop(s, tree, steps, ROUNDS, STEPS);
		if (!s->err)
			add_site(s, tree, phase, i);
	}
	s->t->complete = true;
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "ranks", required_argument, NULL, 'r' },
		{ "sites", required_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	struct scale s = { .err = 0 };
	struct rsd_buf why = RSD_BUF_INIT;
	const char *path = NULL;
	int c, ranks = 1 << 20, sites = 10000, edge = 1;

	while ((c = getopt_long(argc, argv, "o:", known, NULL)) != -1) {
		if (c == 'r')
			ranks = (int)strtol(optarg, NULL, 10);
		else if (c == 's')
			sites = (int)strtol(optarg, NULL, 10);
		else if (c == 'o')
			path = optarg;
	}
	if (!path || ranks < 8 || sites < 1 || optind < argc) {
		fprintf(stderr, "usage: report_scale [--ranks N] [--sites N] -o FILE\n");
		return 2;
	}
	/* As near to a cube as a power of two allows; N is made a multiple. */
	while ((int64_t)edge * edge * edge * 8 <= ranks)
		edge *= 2;
	s.dim[0] = s.dim[1] = edge;
	s.dim[2] = ranks / edge / edge;
	s.t = rsd_trace_new(edge * edge * s.dim[2]);
	if (s.t)
		fill(&s, sites);
	else
		s.err = RSD_ERR_NOMEM;
	if (!s.err)
		s.err = rsd_trace_write(s.t, path, RSD_FORMAT_BINARY, &why);
	if (s.err)
		fprintf(stderr, "report_scale: %.*s\n", (int)why.len,
			why.len ? (const char *)why.data : "out of memory");
	else
		printf("%s: %d ranks, %d sites\n", path, s.t->nprocs, sites);
	return s.err ? 1 : 0;
}
