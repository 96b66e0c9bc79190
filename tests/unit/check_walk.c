/*
 * check_walk.c - record, turn into a trace, walk: the calls recorded come back
 *
 * Covers stream, stream_trace, walk and count_calls together. The oracle is a
 * plain list of the calls.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "stream.h"
#include "transfer.h"
#include "util.h"
#include "walk.h"

#define RANK 3
#define WORLD RSD_CONST(7) /* size 8 */
#define MAX_VAL 40

static const struct rsd_param send_params[] = {
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 3 },
	{ "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_param array_params[] = {
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "ranks", RSD_T_INTS, RSD_R_PEER, 0 },
	{ "statuses", RSD_T_STATUSES, RSD_R_STATUS, -1 },
	{ "status", RSD_T_STATUS, RSD_R_STATUS, -1 },
};
static const struct rsd_param string_params[] = {
	{ "key", RSD_T_STRING, RSD_R_STRING, -1 },
	{ "argv", RSD_T_STRINGS, RSD_R_STRING, -1 },
};
static const struct rsd_func funcs[] = {
	{ "Barrier", NULL, 0, RSD_C_COLL, -1, -1, -1, -1 },
	{ "Send", send_params, 4, RSD_C_P2P, -1, -1, -1, -1 },
	{ "Arrays", array_params, 4, RSD_C_OTHER, -1, -1, -1, -1 },
	{ "Strings", string_params, 2, RSD_C_OTHER, -1, -1, -1, -1 },
};

struct call {
	int func, nested;
	int64_t val[MAX_VAL];
	size_t nr;
	uint64_t before, dur;
};

static struct call *calls;
static size_t nr_calls, alloc_calls;
static uint64_t seed;
static struct rsd_strings strings;
static struct rsd_stream stream;
static enum rsd_time_mode mode;

static unsigned int random_below(unsigned int n)
{
	seed += 0x9e3779b97f4a7c15u;
	return (unsigned int)(rsd_hash_mix(seed) % n);
}

/* ---- recording ---------------------------------------------------------------------- */

static void value(struct call *c, int64_t v)
{
	if (c->nr == MAX_VAL)
		ck_abort_msg("too many values");
	c->val[c->nr++] = v;
}

static void status(struct call *c)
{
	int64_t kind = random_below(4);

	value(c, kind);
	for (int i = 0; kind >= RSD_STATUS_KEPT && i < 3; i++)
		value(c, random_below(5));
}

static void values(struct call *c)
{
	unsigned int n = random_below(4);

	switch (c->func) {
	case 1:
		value(c, random_below(3));
		value(c, random_below(6) ? (int64_t)random_below(8) : RSD_CONST(2));
		value(c, random_below(3) ? 5 : RSD_CONST(3));
		value(c, WORLD);
		break;
	case 2:
		value(c, random_below(20) ? WORLD : 4);
		value(c, n == 3 ? RSD_CONST(5) : (int64_t)n);
		for (unsigned int i = 0; n < 3 && i < n; i++)
			value(c, random_below(4) ? (int64_t)random_below(8) : RSD_CONST(2));
		n = random_below(3);
		value(c, n);
		for (unsigned int i = 0; i < n; i++)
			status(c);
		status(c);
		break;
	case 3:
		value(c, random_below(3) ? (int64_t)random_below(5) : RSD_ABSENT);
		value(c, n);
		for (unsigned int i = 0; i < n; i++)
			value(c, random_below(5));
	}
	value(c, random_below(50) ? 0 : RSD_CONST(9));
}

static void record(int func, int nested)
{
	struct call *c;
	int place;

	if (RSD_GROW(calls, nr_calls + 1, alloc_calls))
		ck_abort_msg("no memory");
	c = &calls[nr_calls++];
	*c = (struct call){
		.func = func, .nested = nested, .before = random_below(100), .dur = random_below(9)
	};
	values(c);
	place = rsd_stream_place(&stream, func, -1, nested);
	if (place < 0 || rsd_stream_append(&stream, place, c->val, c->nr, mode, c->before, c->dur))
		ck_abort_msg("cannot append");
}

/* A random loop nest; bodies repeat by repeating their seed. */
static void run_random(int depth)
{
	unsigned int nr = 1 + random_below(3);

	for (unsigned int i = 0; i < nr && nr_calls < 3000; i++) {
		if (depth > 0 && random_below(2)) {
			uint64_t kept = seed, body = rsd_hash_mix(seed + 1);
			unsigned int n = random_below(12);

			for (unsigned int k = 0; k < n; k++) {
				seed = random_below(6) ? body : body + k % 3;
				run_random(depth - 1);
			}
			seed = kept + 7;
		} else {
			record((int)random_below(4), random_below(10) == 0);
		}
	}
}

static bool comm_shape(int64_t comm, int64_t *rank, int64_t *size, void *arg)
{
	(void)arg;
	*rank = RANK;
	*size = 8;
	return comm == WORLD;
}

static const char *constant_name(int index, void *arg)
{
	(void)arg;
	return index == 7   ? "WORLD"
	       : index == 2 ? "PROC_NULL"
	       : index == 3 ? "ANY_TAG"
	       : index == 5 ? "UNWEIGHTED"
	       : index == 9 ? "ERR_OTHER"
			    : NULL;
}

static void set_attr(struct rsd_params *p, int64_t v)
{
	struct rsd_column *c = rsd_column_new(false);

	ck_assert_int_eq(rsd_column_append(c, v), 0);
	ck_assert_int_eq(rsd_params_set(p, RANK, c, NULL), 0);
}

static void start(enum rsd_time_mode time)
{
	static const char *const text[] = { "zero", "one", "", "thr\xff", "four" };

	calls = NULL;
	nr_calls = alloc_calls = 0;
	mode = time;
	strings = (struct rsd_strings){ 0 };
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(rsd_strings_intern(&strings, text[i], strlen(text[i])), i);
	rsd_stream_init(&stream, funcs, -1);
}

static struct rsd_trace *new_trace(void)
{
	struct rsd_trace *t = rsd_trace_new(8);
	struct rsd_object *o = rsd_trace_add_object(t, RSD_O_COMM, WORLD);

	set_attr(&o->attr[0], 8);
	set_attr(&o->attr[1], RANK);
	t->complete = true;
	/* so that string ids change on the way */
	ck_assert_int_eq(rsd_strings_intern(&t->strings, "one", 3), 0);
	return t;
}

static void to_trace(struct rsd_trace *t, int thread)
{
	struct rsd_stream_context ctx = {
		.rank = RANK,
		.nprocs = 8,
		.strings = &strings,
		.comm_shape = comm_shape,
		.constant_name = constant_name,
	};

	ck_assert_int_eq(rsd_stream_to_trace(&stream, thread, &ctx, t), 0);
	rsd_stream_release(&stream);
	rsd_stream_init(&stream, funcs, -1);
}

static void finish(struct rsd_trace *t)
{
	rsd_trace_free(t);
	rsd_stream_release(&stream);
	rsd_strings_release(&strings);
	free(calls);
}

/* ---- comparing ------------------------------------------------------------------------ */

static void same_value(
	const struct rsd_trace *t, const struct rsd_func *f, int col, int64_t got, int64_t want)
{
	bool text = strcmp(f->name, "Strings") == 0 && (col == 0 || col == 2);

	if (text && !rsd_is_const(want)) {
		if (got < 0 || (size_t)got >= t->strings.nr ||
			strcmp(t->strings.str[got].s, strings.str[want].s) != 0)
			ck_abort_msg("another string");
	} else if (got != want) {
		ck_abort_msg("%s: column %d: got %lld, want %lld", f->name, col, (long long)got,
			(long long)want);
	}
}

static void same_call(const struct rsd_trace *t, const struct rsd_event *e, const struct call *c)
{
	const struct rsd_func *f = &t->func[e->func];
	struct rsd_layout l;

	if (strcmp(f->name, funcs[c->func].name) != 0 || e->nested != c->nested || e->sig != -1 ||
		e->rank != RANK || e->nr_val != c->nr)
		ck_abort_msg("another call");
	rsd_layout_init(&l, f);
	for (size_t i = 0; i < c->nr; i++) {
		same_value(t, f, rsd_layout_column(&l), e->val[i], c->val[i]);
		ck_assert(rsd_layout_step(&l, c->val[i]) == 0);
	}
}

static void walk_gives(const struct rsd_trace *t, int thread, size_t from, size_t to)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int64_t clock = 0;
	int err;

	ck_assert_int_eq(rsd_walk_new(&w, t, RANK, thread), 0);
	for (size_t i = from; i < to; i++) {
		err = rsd_walk_next(w, &e);
		if (err)
			ck_abort_msg("call %zu of %zu: %s", i, to, rsd_walk_error(w));
		same_call(t, &e, &calls[i]);
		ck_assert_int_eq(e.thread, thread);
		clock += (int64_t)calls[i].before;
		if (e.has_time != (mode == RSD_TIME_FULL) || (e.has_time && e.begin_ns != clock))
			ck_abort_msg("another time");
		clock += (int64_t)calls[i].dur;
	}
	err = rsd_walk_next(w, &e);
	if (err != RSD_ERR_END)
		ck_abort_msg("the end: %d %s", err, rsd_walk_error(w));
	ck_assert_int_eq(rsd_walk_next(w, &e), RSD_ERR_END);
	rsd_walk_free(w);
}

static void counts_are_right(const struct rsd_trace *t)
{
	uint64_t *nr = rsd_calloc(t->nr_places + 1, sizeof(*nr)), sum = 0;

	ck_assert_int_eq(rsd_trace_count_calls(t, nr), 0);
	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];

		sum += nr[i];
		if (p->has_timing)
			ck_assert_uint_eq(p->timing.dur.nr + p->timing.dur_first.nr, nr[i]);
	}
	ck_assert_uint_eq(sum, nr_calls);
	free(nr);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void random_program(int nr)
{
	struct rsd_trace *t;

	seed = (uint64_t)nr;
	start((enum rsd_time_mode)(nr % 3));
	do
		run_random(1 + nr % 4);
	while (random_below(6) || nr_calls == 0);
	t = new_trace();
	to_trace(t, 0);
	walk_gives(t, 0, 0, nr_calls);
	counts_are_right(t);
	ck_assert_uint_ge(t->nr_constants, 1);
	for (size_t i = 0; i < nr_calls; i++) {
		if (calls[i].func == 1)
			ck_assert_str_eq(t->constant[7], "WORLD");
	}
	finish(t);
}

START_TEST(random_programs_come_back)
{
	for (int i = 0; i < 10; i++)
		random_program(10 * _i + i);
}
END_TEST

START_TEST(peers_are_kept_relative_too)
{
	struct rsd_trace *t;
	int64_t v;

	start(RSD_TIME_OFF);
	for (int i = 0; i < 10; i++) {
		int64_t val[] = { 4, RANK + 1, 5, WORLD, 0 };

		ck_assert_int_eq(rsd_stream_append(&stream, rsd_stream_place(&stream, 1, -1, 0),
					 val, 5, mode, 0, 0),
			0);
	}
	t = new_trace();
	to_trace(t, 0);
	ck_assert_uint_eq(t->place[0].col[1].enc[RSD_E_REL].nr, 1);
	ck_assert(rsd_column_is_constant(t->place[0].col[1].enc[RSD_E_REL].variant[0].col, &v));
	ck_assert_int_eq(v, 1);
	ck_assert_uint_eq(t->place[0].col[0].enc[RSD_E_REL].nr, 0);
	finish(t);
}
END_TEST

START_TEST(threads_and_what_comes_after)
{
	struct rsd_trace *t;
	size_t nr[4] = { 0 };
	int *thread, want[4] = { 0, 2, RSD_AFTER, RSD_AFTER + 5 };
	size_t nr_threads;

	seed = 42;
	start(RSD_TIME_FULL);
	t = new_trace();
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 50; k++)
			record((int)random_below(4), 0);
		to_trace(t, want[i]);
		nr[i] = nr_calls;
	}
	ck_assert_int_eq(rsd_trace_threads(t, RANK, &thread, &nr_threads), 0);
	ck_assert_uint_eq(nr_threads, 3);
	ck_assert_int_eq(thread[0], 0);
	ck_assert_int_eq(thread[1], 2);
	ck_assert_int_eq(thread[2], 5);
	free(thread);
	ck_assert_int_eq(rsd_trace_threads(t, RANK + 1, &thread, &nr_threads), 0);
	ck_assert_uint_eq(nr_threads, 0);
	free(thread);
	walk_gives(t, 2, nr[0], nr[1]);
	walk_gives(t, 5, nr[2], nr[3]);
	memmove(calls + nr[0], calls + nr[1],
		(nr[2] - nr[1]) * sizeof(*calls)); /* thread 0 goes on */
	walk_gives(t, 0, 0, nr[0] + nr[2] - nr[1]);
	finish(t);
}
END_TEST

/* What left memory before comes first, in the order of the parts; what came after MPI_Finalize last. */
START_TEST(parts_of_a_thread_are_walked_in_order)
{
	static const int part[] = { RSD_PART, 2 * RSD_PART, 3 * RSD_PART, 0, RSD_AFTER };
	struct rsd_trace *t;
	size_t nr_threads;
	int *thread;

	seed = 43;
	start(RSD_TIME_FULL);
	t = new_trace();
	for (size_t i = 0; i < RSD_ARRAY_SIZE(part); i++) {
		for (int k = 0; k < 50; k++)
			record((int)random_below(4), 0);
		to_trace(t, part[i] + 3);
	}
	ck_assert_int_eq(rsd_trace_threads(t, RANK, &thread, &nr_threads), 0);
	ck_assert_uint_eq(nr_threads, 1);
	ck_assert_int_eq(thread[0], 3);
	free(thread);
	walk_gives(t, 3, 0, nr_calls);
	ck_assert_int_eq(rsd_trace_check_parts(t), 0);
	ck_assert(t->complete);
	ck_assert_ptr_nonnull(rsd_trace_tree(t, 4 * RSD_PART + 3)); /* empty: it is to come */
	ck_assert_int_eq(rsd_trace_check_parts(t), 0);
	ck_assert(!t->complete);
	ck_assert_ptr_nonnull(strstr(t->incomplete_why, "part 4"));
	finish(t);
}
END_TEST

START_TEST(logs_are_walked)
{
	struct rsd_trace *t;

	seed = 5;
	start(RSD_TIME_FULL);
	t = new_trace();
	ck_assert_int_eq(rsd_ranks_append(&t->ranks, RANK), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(rsd_trace_func(t, &funcs[i]), i);
	for (int k = 0; k < 2; k++) {
		struct rsd_log *log = rsd_trace_add_log(t, RANK, 0);

		ck_assert_ptr_nonnull(log);
		for (int i = 0; i < 100; i++) {
			const struct call *c;

			record(i % 3, 0);
			c = &calls[nr_calls - 1];
			rsd_flat_put(&log->bytes, rsd_trace_place(t, 0, c->func, -1, 0), c->val,
				c->nr, c->before + 1, c->dur + 1);
			calls[nr_calls - 1].before++;
			calls[nr_calls - 1].dur++;
		}
	}
	walk_gives(t, 0, 0, nr_calls);
	counts_are_right(t);
	finish(t);
}
END_TEST

START_TEST(a_thread_finds_its_logs_among_many)
{
	enum { RANKS = 20000 };
	static const int after[] = { 1, 0, RSD_AFTER, 1 };
	struct rsd_trace *t = rsd_trace_new(RANKS);

	ck_assert_int_eq(rsd_ranks_append_range(&t->ranks, 0, RANKS), 0);
	for (int k = 0; k < 4; k++) {
		for (int r = 0; r < RANKS; r += 2)
			ck_assert_int_eq(rsd_trace_add_log(t, r, after[k])->rank, r);
	}
	ck_assert_uint_eq(t->nr_logs, 2 * RANKS);
	for (int r = 0; r < RANKS; r++) {
		const struct rsd_log *l = rsd_trace_first_log(t, r, 1);
		struct rsd_walk *w;
		struct rsd_event e;
		size_t nr;
		int *thread;

		ck_assert_int_eq(rsd_trace_threads(t, r, &thread, &nr), 0);
		ck_assert_uint_eq(nr, r % 2 ? 0 : 2);
		ck_assert(r % 2 || (thread[0] == 0 && thread[1] == 1));
		free(thread);
		ck_assert_int_eq(rsd_walk_new(&w, t, r, 0), r % 2 ? RSD_ERR_END : 0);
		if (r % 2) {
			ck_assert_ptr_null(l);
			continue;
		}
		ck_assert_int_eq(rsd_walk_next(w, &e), RSD_ERR_END);
		rsd_walk_free(w);
		ck_assert_ptr_eq(l, &t->log[r / 2]);
		l = rsd_trace_next_log(t, l);
		ck_assert_ptr_eq(l, &t->log[3 * RANKS / 2 + r / 2]);
		ck_assert_ptr_eq(rsd_trace_log(t, r, 1), l);
		ck_assert_ptr_null(rsd_trace_next_log(t, l));
	}
	rsd_trace_free(t);
}
END_TEST

/* ---- contradictory traces ----------------------------------------------------------------- */

static struct rsd_column *constant(int64_t v, uint64_t nr)
{
	struct rsd_column *c = rsd_column_new(false);

	ck_assert_int_eq(rsd_column_append_run(c, v, nr), 0);
	return c;
}

/* loop(outer) { loop(inner) { Barrier } }, the Barrier called 'nr' times. */
static struct rsd_trace *two_loops(struct rsd_column *outer, struct rsd_column *inner, uint64_t nr)
{
	struct rsd_trace *t = rsd_trace_new(8);
	struct rsd_tree *tree = rsd_trace_tree(t, 0);
	struct rsd_node *a = rsd_node_new(-1), *b = rsd_node_new(-1);

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, RANK), 0);
	ck_assert_int_eq(rsd_trace_func(t, &funcs[0]), 0);
	ck_assert_int_eq(rsd_trace_place(t, 0, 0, -1, 0), 0);
	if (nr)
		ck_assert_int_eq(
			rsd_params_set(&t->place[0].col[0], RANK, constant(0, nr), NULL), 0);
	ck_assert_int_eq(rsd_params_set(&a->count, RANK, outer, NULL), 0);
	ck_assert_int_eq(rsd_params_set(&b->count, RANK, inner, NULL), 0);
	rsd_node_append(tree, NULL, a);
	rsd_node_append(tree, a, b);
	rsd_node_append(tree, b, rsd_node_new(0));
	t->complete = true;
	return t;
}

static int walk_result(const struct rsd_trace *t, int max, const char *why)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err = 0;

	ck_assert_int_eq(rsd_walk_new(&w, t, RANK, 0), 0);
	for (int i = 0; i < max && !err; i++)
		err = rsd_walk_next(w, &e);
	if (why)
		ck_assert_ptr_ne(strstr(rsd_walk_error(w), why), NULL);
	rsd_walk_free(w);
	return err;
}

START_TEST(contradictions_are_told)
{
	static const struct {
		int64_t outer, inner;
		uint64_t nr_inner, nr;
		const char *why;
	} bad[] = {
		{ 3, 2, 3, 5, "too few values" },
		{ 3, 2, 2, 6, "without a count" },
		{ 3, 2, 3, 7, "left over" },
		{ -1, 2, 3, 6, "without a count" },
		{ (int64_t)1 << 60, 0, (uint64_t)1 << 60, 6, "without a call" },
	};

	for (size_t i = 0; i < RSD_ARRAY_SIZE(bad); i++) {
		struct rsd_trace *t = two_loops(constant(bad[i].outer, 1),
			constant(bad[i].inner, bad[i].nr_inner), bad[i].nr);

		ck_assert_int_eq(walk_result(t, INT_MAX, bad[i].why), RSD_ERR_FORMAT);
		rsd_trace_free(t);
	}
}
END_TEST

/* A call of two arrays that are said to have 'a' and 'b' elements. */
static struct rsd_trace *two_arrays(int64_t a, int64_t b)
{
	static const struct rsd_param param[] = {
		{ "a", RSD_T_INTS, RSD_R_INT, -1 },
		{ "b", RSD_T_INTS, RSD_R_INT, -1 },
	};
	static const struct rsd_func func = { "MPI_F", param, 2, RSD_C_OTHER, -1, -1, -1, -1 };
	const int64_t nr[] = { 1, a, 1, b, 1 }, value[] = { a, 7, b, 7, 0 };
	struct rsd_trace *t = rsd_trace_new(8);

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, RANK), 0);
	ck_assert_int_eq(rsd_trace_func(t, &func), 0);
	ck_assert_int_eq(rsd_trace_place(t, 0, 0, -1, 0), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(rsd_params_set(&t->place[0].col[i], RANK,
					 constant(value[i], (uint64_t)nr[i]), NULL),
			0);
	rsd_node_append(rsd_trace_tree(t, 0), NULL, rsd_node_new(0));
	t->complete = true;
	return t;
}

START_TEST(a_call_has_a_limit_of_values)
{
	static const char why[] = "a call with more than";
	const int64_t half = (int64_t)RSD_MAX_VALUES / 2;
	static const struct {
		int64_t a, b;
	} bad[] = {
		{ INT32_MAX, 1 },
		{ 1, INT32_MAX },
		{ (int64_t)RSD_MAX_VALUES, 1 },
		{ (int64_t)RSD_MAX_VALUES / 2, (int64_t)RSD_MAX_VALUES / 2 - 2 },
	};
	struct rsd_trace *t = two_arrays(half, half - 3);

	ck_assert_int_eq(walk_result(t, 2, NULL), RSD_ERR_END);
	rsd_trace_free(t);
	for (size_t i = 0; i < RSD_ARRAY_SIZE(bad); i++) {
		t = two_arrays(bad[i].a, bad[i].b);
		ck_assert_int_eq(walk_result(t, 2, why), RSD_ERR_FORMAT);
		rsd_trace_free(t);
	}
}
END_TEST

START_TEST(endless_loops_yield_call_by_call)
{
	struct rsd_trace *t = two_loops(
		constant((int64_t)1 << 60, 1), constant(1, (uint64_t)1 << 60), (uint64_t)1 << 60);
	uint64_t nr;

	ck_assert_int_eq(walk_result(t, 1000, NULL), 0);
	ck_assert_int_eq(rsd_trace_count_calls(t, &nr), 0);
	ck_assert_uint_eq(nr, (uint64_t)1 << 60);
	rsd_trace_free(t);
}
END_TEST

START_TEST(deep_nesting_takes_no_stack)
{
	struct rsd_trace *t = two_loops(constant(1, 1), constant(1, 1), 1);
	struct rsd_node *n = t->tree[0].first;

	for (int i = 0; i < 300000; i++) {
		struct rsd_node *outer = rsd_node_new(-1);

		ck_assert(outer && rsd_params_set(&outer->count, RANK, constant(1, 1), NULL) == 0);
		t->tree[0].first = t->tree[0].last = NULL;
		rsd_node_append(&t->tree[0], NULL, outer);
		rsd_node_append(&t->tree[0], outer, n);
		n = outer;
	}
	ck_assert_int_eq(walk_result(t, 1, NULL), 0);
	ck_assert_int_eq(walk_result(t, 2, NULL), RSD_ERR_END);
	rsd_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("walk");
	TCase *tc = tcase_create("walk");
	SRunner *r;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_programs_come_back, 0, 15);
	tcase_add_test(tc, peers_are_kept_relative_too);
	tcase_add_test(tc, threads_and_what_comes_after);
	tcase_add_test(tc, parts_of_a_thread_are_walked_in_order);
	tcase_add_test(tc, logs_are_walked);
	tcase_add_test(tc, a_thread_finds_its_logs_among_many);
	tcase_add_test(tc, contradictions_are_told);
	tcase_add_test(tc, a_call_has_a_limit_of_values);
	tcase_add_test(tc, endless_loops_yield_call_by_call);
	tcase_add_test(tc, deep_nesting_takes_no_stack);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
