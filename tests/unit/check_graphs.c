/*
 * check_graphs.c - the answers that a replay finds ahead are those that the program got
 *
 * The oracle is a list: for each graph that is made, in order, what the first question of it, or of a copy, was told.
 */
#include "graphs.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "player.h"
#include "stream.h"
#include "util.h"

#define RANK 3
#define SLOTS 6
#define STEPS 400
#define UNWEIGHTED RSD_CONST(5)

enum { CREATE, ASK, DUP, FREE, BARRIER, NR_FUNCS };
static const struct rsd_param made[] = { { "comm_dist_graph", RSD_T_INT, RSD_R_COMM, -1 } };
static const struct rsd_param asked[] = {
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "sources", RSD_T_INTS, RSD_R_INT, -1 },
	{ "sourceweights", RSD_T_INTS, RSD_R_INT, -1 },
	{ "destinations", RSD_T_INTS, RSD_R_INT, -1 },
	{ "destweights", RSD_T_INTS, RSD_R_INT, -1 },
};
static const struct rsd_param copied[] = {
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "newcomm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_func funcs[NR_FUNCS] = {
	[CREATE] = { "MPI_Dist_graph_create", made, 1, RSD_C_OTHER, -1, -1, -1, -1 },
	[ASK] = { "MPI_Dist_graph_neighbors", asked, 5, RSD_C_OTHER, -1, -1, -1, -1 },
	[DUP] = { "MPI_Comm_dup", copied, 2, RSD_C_OTHER, -1, -1, -1, -1 },
	[FREE] = { "MPI_Comm_free", copied, 1, RSD_C_OTHER, -1, -1, -1, -1 },
	[BARRIER] = { "MPI_Barrier", copied, 1, RSD_C_COLL, -1, -1, -1, -1 },
};

static struct rsd_stream stream;
static struct rsd_strings strings;
static struct rsd_trace *t;
static struct rsd_replay r;
static int64_t constants[16];

static struct told {
	bool is;
	int in, weight,
		out; /* of two sources and a destination: the first one, its weight or -1, and the one */
} told[STEPS];
static int nr_told;
static int graph[SLOTS]; /* by slot: which one it is, or -1 */

static bool comm_shape(int64_t comm, int64_t *rank, int64_t *size, void *arg)
{
	(void)comm;
	(void)arg;
	*rank = RANK;
	*size = 8;
	return true;
}

static const char *constant_name(int index, void *arg)
{
	(void)arg;
	return index == 5 ? "MPI_UNWEIGHTED" : NULL;
}

static void setup(void)
{
	rsd_stream_init(&stream, funcs, -1);
	t = NULL;
	nr_told = 0;
	memset(told, 0, sizeof(told));
	for (int i = 0; i < SLOTS; i++)
		graph[i] = -1;
}

static void teardown(void)
{
	rsd_trace_free(t);
	rsd_stream_release(&stream);
}

static void call(int func, const int64_t *val, size_t nr)
{
	int place = rsd_stream_place(&stream, func, -1, 0);

	ck_assert_int_eq(rsd_stream_append(&stream, place, val, nr, RSD_TIME_OFF, 0, 0), 0);
}

static void create(int slot)
{
	call(CREATE, (int64_t[]){ slot, 0 }, 2);
	graph[slot] = nr_told++;
}

static void copy(int slot, int to)
{
	call(DUP, (int64_t[]){ slot, to, 0 }, 3);
	graph[to] = graph[slot];
}

static void release(int slot)
{
	call(FREE, (int64_t[]){ slot, 0 }, 2);
	graph[slot] = -1;
}

static void ask(int slot, struct told now)
{
	int64_t val[16];
	size_t n = 0;

	val[n++] = slot;
	val[n++] = 2;
	val[n++] = now.in;
	val[n++] = 7;
	val[n++] = now.weight < 0 ? UNWEIGHTED : 2;
	if (now.weight >= 0) {
		val[n++] = now.weight;
		val[n++] = 1;
	}
	val[n++] = 1;
	val[n++] = now.out;
	val[n++] = UNWEIGHTED;
	val[n++] = 0;
	call(ASK, val, n);
	if (graph[slot] >= 0 && !told[graph[slot]].is)
		told[graph[slot]] = now;
}

static void barrier(void)
{
	call(BARRIER, (int64_t[]){ 0, 0 }, 2);
}

static void record(void)
{
	struct rsd_stream_context ctx = {
		.rank = RANK,
		.nprocs = 8,
		.strings = &strings,
		.comm_shape = comm_shape,
		.constant_name = constant_name,
	};

	t = rsd_trace_new(8);
	t->complete = true;
	ck_assert_int_eq(rsd_stream_to_trace(&stream, 0, &ctx, t), 0);
	r = (struct rsd_replay){ .trace = t, .rank = RANK, .constant = constants };
}

static void compare(const struct rsd_graph_order *order, const struct told *want)
{
	ck_assert_int_eq(order != NULL, want->is);
	if (!order)
		return;
	ck_assert_uint_eq(order->in.nr, 2);
	ck_assert_int_eq(order->in.rank[0], want->in);
	ck_assert_int_eq(order->in.rank[1], 7);
	ck_assert_int_eq(order->in.weight ? order->in.weight[0] : -1, want->weight);
	ck_assert_uint_eq(order->out.nr, 1);
	ck_assert_int_eq(order->out.rank[0], want->out);
	ck_assert_ptr_null(order->out.weight);
}

/* Plays what was recorded, up to so many graphs. */
static void answers_are_right(int most)
{
	struct rsd_graphs *g;
	struct rsd_walk *w;
	struct rsd_event e;
	int err, nr = 0;

	record();
	g = rsd_graphs_new(&r, 0, &err);
	ck_assert_int_eq(err, 0);
	ck_assert_int_eq(rsd_walk_new(&w, t, RANK, 0), 0);
	while (nr < most && !rsd_walk_next(w, &e)) {
		rsd_graphs_see(g, &e);
		if (!strcmp(t->func[e.func].name, "MPI_Dist_graph_create"))
			compare(rsd_graphs_order(g), &told[nr++]);
	}
	ck_assert_int_eq(nr, most);
	rsd_walk_free(w);
	rsd_graphs_free(g);
}

static void step(void)
{
	int slot = rand() % SLOTS, other = rand() % SLOTS, kind = rand() % 8;
	struct told now = { true, rand() % 5, rand() % 2 ? rand() % 9 : -1, rand() % 5 };

	if (graph[slot] < 0 && kind < 4)
		create(slot);
	else if (kind < 2 && graph[slot] >= 0 && graph[other] < 0)
		copy(slot, other);
	else if (kind < 4 && graph[slot] >= 0)
		release(slot);
	else if (kind < 6)
		ask(slot, now);
	else
		barrier();
}

START_TEST(each_graph_has_its_first_answer)
{
	srand((unsigned)_i);
	for (int i = 0; i < STEPS; i++)
		step();
	answers_are_right(_i % 2 ? nr_told : rand() % (nr_told + 1));
}
END_TEST

START_TEST(a_slot_that_is_used_again_is_another_graph)
{
	create(0);
	release(0);
	create(0);
	ask(0, (struct told){ true, 4, 3, 2 });
	answers_are_right(2);
}
END_TEST

START_TEST(a_copy_is_asked_when_the_graph_is_gone)
{
	create(0);
	copy(0, 1);
	create(2);
	release(0);
	create(0);
	ask(1, (struct told){ true, 4, -1, 2 });
	ask(0, (struct told){ true, 1, -1, 1 });
	answers_are_right(3);
}
END_TEST

/* Nor does that one keep the next one from being told. */
START_TEST(who_asks_much_later_is_not_waited_for)
{
	create(0);
	for (int i = 0; i < (1 << 18) + 2; i++)
		barrier();
	ask(0, (struct told){ true, 1, 1, 1 });
	create(1);
	ask(1, (struct told){ true, 2, 2, 2 });
	told[0].is = false;
	answers_are_right(2);
}
END_TEST

START_TEST(another_rank_has_nothing_to_look_for)
{
	int err;

	create(0);
	ask(0, (struct told){ true, 1, 1, 1 });
	record();
	ck_assert(rsd_graphs_are_asked(t));
	r.rank = RANK - 1;
	ck_assert_ptr_null(rsd_graphs_new(&r, 0, &err));
	ck_assert_int_eq(err, 0);
}
END_TEST

START_TEST(who_never_asks_has_nothing_to_look_for)
{
	int err;

	create(0);
	record();
	ck_assert(!rsd_graphs_are_asked(t));
	ck_assert_ptr_null(rsd_graphs_new(&r, 0, &err));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("graphs");
	TCase *c = tcase_create("graphs");
	SRunner *run;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, each_graph_has_its_first_answer, 0, 40);
	tcase_add_test(c, a_slot_that_is_used_again_is_another_graph);
	tcase_add_test(c, a_copy_is_asked_when_the_graph_is_gone);
	tcase_add_test(c, who_asks_much_later_is_not_waited_for);
	tcase_add_test(c, another_rank_has_nothing_to_look_for);
	tcase_add_test(c, who_never_asks_has_nothing_to_look_for);
	suite_add_tcase(s, c);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
