/*
 * Writes a trace of very many calls in few loops, as no program could be run to make one:
 *
 *	1 rank, N times { Irecv; N times { Send, its tag counting; N times { Allreduce } }; Wait }
 *
 *	loops FILE [N]		N: 1,000 by default, which makes a billion calls
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace_file.h"
#include "util.h"

enum { WORLD = 1, DOUBLE, SUM, NR_CONSTANTS };
static const char *const constants[NR_CONSTANTS] = { "absent", "MPI_COMM_WORLD", "MPI_DOUBLE",
	"MPI_SUM" };

static const struct rsd_param irecv[] = {
	{ "buf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "datatype", RSD_T_INT, RSD_R_DATATYPE, -1 },
	{ "source", RSD_T_INT, RSD_R_PEER, 5 },
	{ "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "request", RSD_T_INT, RSD_R_REQUEST, -1 },
};
static const struct rsd_param send[] = {
	{ "buf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "datatype", RSD_T_INT, RSD_R_DATATYPE, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 5 },
	{ "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_param allreduce[] = {
	{ "sendbuf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "recvbuf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "datatype", RSD_T_INT, RSD_R_DATATYPE, -1 },
	{ "op", RSD_T_INT, RSD_R_OP, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_param wait[] = {
	{ "request", RSD_T_INT, RSD_R_REQUEST, -1 },
};

/* Of each function the values of a call, then its result. */
static const struct {
	struct rsd_func func;
	int depth; /* loops that it is in */
	int64_t value[8];
} calls[] = {
	{ { "MPI_Irecv", irecv, RSD_ARRAY_SIZE(irecv), RSD_C_P2P, -1, -1, 1, 2 }, 1,
		{ 0, 4, RSD_CONST(DOUBLE), 0, 7, RSD_CONST(WORLD), 0, 0 } },
	{ { "MPI_Send", send, RSD_ARRAY_SIZE(send), RSD_C_P2P, 1, 2, -1, -1 }, 2,
		{ 0, 4, RSD_CONST(DOUBLE), 0, 0, RSD_CONST(WORLD), 0 } },
	{ { "MPI_Allreduce", allreduce, RSD_ARRAY_SIZE(allreduce), RSD_C_COLL, 2, 3, -1, -1 }, 3,
		{ 0, 0, 1, RSD_CONST(DOUBLE), RSD_CONST(SUM), RSD_CONST(WORLD), 0 } },
	{ { "MPI_Wait", wait, RSD_ARRAY_SIZE(wait), RSD_C_COMPLETION, -1, -1, -1, -1 }, 1,
		{ 0, 0 } },
};

static uint64_t power(uint64_t n, int to)
{
	return to ? n * power(n, to - 1) : 1;
}

static struct rsd_column *constant_column(int64_t v, uint64_t count)
{
	struct rsd_column *c = rsd_column_new(false);

	if (!c || rsd_column_append_run(c, v, count))
		exit(2);
	return c;
}

/* 0, 1, ... in each round of the outer loop, n^2 values in all. */
static struct rsd_column *counting_column(uint64_t n)
{
	struct rsd_column *c;
	char text[64];
	size_t end;
	int len = snprintf(text, sizeof(text), "(0+1x%llu)x%llu", (unsigned long long)n,
		(unsigned long long)n);

	if (rsd_column_parse(&c, text, (size_t)len, false, &end))
		exit(2);
	return c;
}

static int add_place(struct rsd_trace *t, size_t which, uint64_t n)
{
	const struct rsd_func *f = &calls[which].func;
	int place = rsd_trace_place(t, 0, rsd_trace_func(t, f), -1, 0);

	for (int i = 0; i <= f->nr_params; i++) {
		bool counts = i < f->nr_params && f->param == send && f->param[i].role == RSD_R_TAG;
		struct rsd_column *c = counts ? counting_column(n)
					      : constant_column(calls[which].value[i],
							power(n, calls[which].depth));

		if (rsd_params_set(&t->place[place].col[i], 0, c, NULL))
			exit(2);
	}
	return place;
}

static struct rsd_node *add_node(
	struct rsd_tree *tree, struct rsd_node *parent, int place, uint64_t n, int depth)
{
	struct rsd_node *node = rsd_node_new(place);

	if (!node)
		exit(2);
	if (place < 0 &&
		rsd_params_set(&node->count, 0, constant_column((int64_t)n, power(n, depth)), NULL))
		exit(2);
	rsd_node_append(tree, parent, node);
	return node;
}

static struct rsd_trace *make(uint64_t n)
{
	struct rsd_trace *t = rsd_trace_new(1);
	struct rsd_node *loop[3];
	struct rsd_tree *tree;
	int place[RSD_ARRAY_SIZE(calls)];

	if (!t || rsd_ranks_append(&t->ranks, 0))
		exit(2);
	t->complete = true;
	for (int i = 0; i < NR_CONSTANTS; i++)
		rsd_trace_set_constant(t, i, constants[i]);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(calls); i++)
		place[i] = add_place(t, i, n);
	tree = rsd_trace_tree(t, 0);
	loop[0] = add_node(tree, NULL, -1, n, 0);
	add_node(tree, loop[0], place[0], n, 1);
	loop[1] = add_node(tree, loop[0], -1, n, 1);
	add_node(tree, loop[1], place[1], n, 2);
	loop[2] = add_node(tree, loop[1], -1, n, 2);
	add_node(tree, loop[2], place[2], n, 3);
	add_node(tree, loop[0], place[3], n, 1);
	return t;
}

int main(int argc, char **argv)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	int err;

	if (argc < 2)
		return 2;
	t = make(argc > 2 ? strtoull(argv[2], NULL, 10) : 1000);
	err = rsd_trace_write(t, argv[1], RSD_FORMAT_RSD, &why);
	if (err)
		fprintf(stderr, "loops: %.*s\n", (int)why.len,
			why.len ? (const char *)why.data : "");
	rsd_buf_release(&why);
	rsd_trace_free(t);
	return err ? 2 : 0;
}
