#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "trace.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"
#include "walk.h"

/*
 * A run of so many ranks and steps: in each step there are up to three loops of one call each, whose counts
 * are those of a sequence, and then a barrier.
 */
#define RANKS 4
#define STEPS 300
#define WORLD RSD_CONST(5)

enum { ALLREDUCE, SEND, RECV, IRECV, WAIT, BARRIER, NR_FUNCS };

static const struct rsd_param coll[] = { { "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 } };
static const struct rsd_param to[] = { { "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 3 }, { "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 } };
static const struct rsd_param from[] = { { "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "source", RSD_T_INT, RSD_R_PEER, 3 }, { "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 }, { "request", RSD_T_INT, RSD_R_REQUEST, -1 } };
static const struct rsd_param request[] = { { "request", RSD_T_INT, RSD_R_REQUEST, -1 } };
static const struct rsd_func func[NR_FUNCS] = {
	[ALLREDUCE] = { "MPI_Allreduce", coll, 2, RSD_C_COLL, 0, -1, 0, -1 },
	[SEND] = { "MPI_Send", to, 4, RSD_C_P2P, 0, -1, -1, -1 },
	[RECV] = { "MPI_Recv", from, 4, RSD_C_P2P, -1, -1, 0, -1 },
	[IRECV] = { "MPI_Irecv", from, 5, RSD_C_P2P, -1, -1, 0, -1 },
	[WAIT] = { "MPI_Wait", request, 1, RSD_C_COMPLETION, -1, -1, -1, -1 },
	[BARRIER] = { "MPI_Barrier", &coll[1], 1, RSD_C_COLL, -1, -1, -1, -1 },
};

struct part {		/* a loop and what is in it */
	int func, also; /* also: -1, or a second call */
	const int64_t *count;
	bool odd_tags;	     /* of which no two are alike */
	const int64_t *size; /* the counts of its calls; NULL: 1 */
};

static int64_t value_of(const char *name, int rank, int64_t nr, const struct part *p)
{
	if (!strcmp(name, "count"))
		return p && p->size ? p->size[nr % STEPS] : 1;
	if (!strcmp(name, "dest"))
		return (rank + 1) % RANKS;
	if (!strcmp(name, "source"))
		return (rank + RANKS - 1) % RANKS;
	if (!strcmp(name, "tag"))
		return p && p->odd_tags ? nr * nr % 1009 : 3;
	return strcmp(name, "comm") ? 0 : WORLD;
}

static void add_call(struct rsd_trace *t, int rank, int f, int nested, int64_t times,
	struct rsd_node *up, const struct part *p)
{
	int place = rsd_trace_place(t, 0, rsd_trace_func(t, &func[f]), -1, nested);

	for (int i = 0; i <= func[f].nr_params; i++) {
		struct rsd_column *c = rsd_column_new(false);

		for (int64_t k = 0; k < times; k++)
			rsd_column_append(c, i < func[f].nr_params
						     ? value_of(func[f].param[i].name, rank, k, p)
						     : 0);
		ck_assert_int_eq(rsd_params_set(&t->place[place].col[i], rank, c, NULL), 0);
	}
	rsd_node_append(rsd_trace_tree(t, 0), up, rsd_node_new(place));
}

static struct rsd_node *add_loop(
	struct rsd_trace *t, int rank, struct rsd_node *up, const int64_t *count, size_t nr)
{
	struct rsd_node *n = rsd_node_new(-1);
	struct rsd_column *c = rsd_column_new(false);

	for (size_t i = 0; i < nr; i++)
		rsd_column_append(c, count[i]);
	ck_assert_int_eq(rsd_params_set(&n->count, rank, c, NULL), 0);
	rsd_node_append(rsd_trace_tree(t, 0), up, n);
	return n;
}

static void add_world(struct rsd_trace *t, int rank)
{
	const int64_t attr[4] = { RANKS, rank, RANKS, 0 };
	struct rsd_object *o = rsd_trace_add_object(t, RSD_O_COMM, WORLD);

	rsd_trace_set_constant(t, 5, "MPI_COMM_WORLD");
	for (int i = 0; i < 4; i++) {
		struct rsd_column *c = rsd_column_new(false);

		rsd_column_append(c, attr[i]);
		rsd_params_set(&o->attr[i], rank, c, NULL);
	}
}

static struct rsd_trace *rank_of(int rank, const struct part *part, size_t nr, int nested)
{
	struct rsd_trace *t = rsd_trace_new(RANKS);
	const int64_t steps = STEPS;
	struct rsd_node *outer;

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, rank), 0);
	t->complete = true;
	add_world(t, rank);
	outer = add_loop(t, rank, NULL, &steps, 1);
	for (size_t i = 0; i < nr; i++) {
		int64_t times = 0;
		struct rsd_node *n = add_loop(t, rank, outer, part[i].count, STEPS);

		for (size_t k = 0; k < STEPS; k++)
			times += part[i].count[k];
		add_call(t, rank, part[i].func, nested, times, n, &part[i]);
		if (part[i].also >= 0)
			add_call(t, rank, part[i].also, nested, times, n, &part[i]);
	}
	add_call(t, rank, BARRIER, 0, STEPS, outer, NULL);
	return t;
}

static struct rsd_trace *joined(struct rsd_trace *all, struct rsd_trace *t)
{
	if (!all)
		return t;
	ck_assert_int_eq(rsd_merge(all, t), 0);
	return all;
}

static void jitter(int64_t *v, unsigned seed)
{
	srand(seed);
	for (int i = 0; i < STEPS; i++)
		v[i] = 9 + rand() % 3;
}

/* The same part on all ranks, but for the counts of one. */
static struct rsd_trace *run_of(
	int f, int also, const int64_t *count, const int64_t *last, bool odd_tags)
{
	struct rsd_trace *all = NULL;

	for (int r = 0; r < RANKS; r++) {
		struct part p = { f, also, r == RANKS - 1 ? last : count, odd_tags, NULL };

		all = joined(all, rank_of(r, &p, 1, 0));
	}
	rsd_merge_settle(all);
	ck_assert_int_eq(rsd_scalars_agree(all, 10), 0);
	return all;
}

/* Through bytes, then text, then bytes again. */
static struct rsd_trace *through_formats(struct rsd_trace *t)
{
	struct rsd_buf a = RSD_BUF_INIT, b = RSD_BUF_INIT, text = RSD_BUF_INIT, why = RSD_BUF_INIT;
	struct rsd_reader in;
	struct rsd_trace *u;
	size_t pos = 0;

	rsd_trace_encode(t, &a);
	rsd_trace_free(t);
	rsd_reader_init(&in, a.data, a.len);
	ck_assert_int_eq(rsd_trace_decode(&u, &in, &why), 0);
	rsd_text_print(u, &text);
	rsd_trace_free(u);
	ck_assert_int_eq(memcmp(text.data, "rsd 5\n", 6), 0);
	ck_assert_int_eq(rsd_text_parse(&t, (char *)text.data, text.len, &pos, &why), 0);
	rsd_trace_encode(t, &b);
	ck_assert_uint_eq(a.len, b.len);
	ck_assert_int_eq(memcmp(a.data, b.data, a.len), 0);
	rsd_buf_release(&a);
	rsd_buf_release(&b);
	rsd_buf_release(&text);
	rsd_buf_release(&why);
	return t;
}

static void get_values(const struct rsd_params *p, int rank, int64_t *out)
{
	struct rsd_column *c;
	enum rsd_encoding enc;
	struct rsd_cursor *k;

	ck_assert_int_eq(rsd_params_get(p, rank, &enc, &c), 0);
	ck_assert_uint_eq(rsd_column_length(c), STEPS);
	k = rsd_cursor_new(c);
	for (int i = 0; i < STEPS; i++)
		ck_assert_int_eq(rsd_cursor_next(k, &out[i]), 0);
	rsd_cursor_free(k);
	rsd_column_free(c);
}

static int64_t sum_of(const int64_t *v)
{
	int64_t sum = 0;

	for (int i = 0; i < STEPS; i++) {
		ck_assert_int_ge(v[i], 9);
		ck_assert_int_le(v[i], 11);
		sum += v[i];
	}
	return sum;
}

static void draw(struct rsd_trace *t)
{
	struct rsd_buf why = RSD_BUF_INIT;

	ck_assert(rsd_trace_has_whole_scalars(t));
	ck_assert_int_eq(rsd_scalars_draw(t, &why), 0);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_buf_release(&why);
}

/* Goes through all calls of all ranks: columns are as long as the loops run. */
static void walk(const struct rsd_trace *t)
{
	for (int r = 0; r < RANKS; r++) {
		struct rsd_event e;
		struct rsd_walk *w;
		int err;

		ck_assert_int_eq(rsd_walk_new(&w, t, r, 0), 0);
		while (!(err = rsd_walk_next(w, &e)))
			;
		ck_assert_int_eq(err, RSD_ERR_END);
		rsd_walk_free(w);
	}
}

static const struct rsd_params *counts_of(const struct rsd_trace *t, int which)
{
	const struct rsd_node *n = t->tree[0].first->first;

	while (which-- > 0)
		n = n->next;
	return &n->count;
}

START_TEST(ranks_in_a_collective_draw_alike)
{
	int64_t count[STEPS], first[STEPS], other[STEPS];
	struct rsd_trace *t;

	jitter(count, 1);
	t = through_formats(run_of(ALLREDUCE, -1, count, count, false));
	draw(t);
	get_values(counts_of(t, 0), 0, first);
	ck_assert_int_eq(sum_of(first), sum_of(count));
	ck_assert_int_ne(memcmp(first, count, sizeof(first)), 0);
	for (int r = 1; r < RANKS; r++) {
		get_values(counts_of(t, 0), r, other);
		ck_assert_int_eq(memcmp(first, other, sizeof(first)), 0);
	}
	walk(t);
	rsd_trace_free(t);
}
END_TEST

START_TEST(ranks_that_differ_in_a_collective_stay_exact)
{
	int64_t count[STEPS], last[STEPS];
	struct rsd_trace *t;

	jitter(count, 2);
	memcpy(last, count, sizeof(last));
	last[17] = count[17] == 9 ? 10 : 9;
	t = run_of(ALLREDUCE, -1, count, last, false);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_trace_free(t);
}
END_TEST

/* Each rank sends as often as it likes; its neighbour knows how often that is. */
START_TEST(a_receive_is_drawn_as_its_send)
{
	static int64_t count[RANKS][STEPS];
	int64_t sent[STEPS], received[STEPS];
	struct rsd_trace *t = NULL;

	for (int r = 0; r < RANKS; r++)
		jitter(count[r], 10 + (unsigned)r);
	for (int r = 0; r < RANKS; r++) {
		const struct part p[] = { { SEND, -1, count[r], false, NULL },
			{ RECV, -1, count[(r + RANKS - 1) % RANKS], false, NULL } };

		t = joined(t, rank_of(r, p, 2, 0));
	}
	rsd_merge_settle(t);
	ck_assert_int_eq(rsd_scalars_agree(t, 10), 0);
	t = through_formats(t);
	draw(t);
	for (int r = 0; r < RANKS; r++) {
		get_values(counts_of(t, 0), r, sent);
		get_values(counts_of(t, 1), (r + 1) % RANKS, received);
		ck_assert_int_eq(memcmp(sent, received, sizeof(sent)), 0);
		ck_assert_int_eq(sum_of(sent), sum_of(count[r]));
		ck_assert_int_ne(memcmp(sent, count[r], sizeof(sent)), 0);
	}
	walk(t);
	rsd_trace_free(t);
}
END_TEST

/* A send whose receive is elsewhere; tags that tell messages apart; requests that outlive the round. */
START_TEST(what_others_may_depend_on_stays_exact)
{
	static const struct {
		int func, also;
		bool odd_tags, lossy;
	} body[] = { { SEND, -1, false, false }, { SEND, RECV, true, false },
		{ SEND, RECV, false, true }, { SEND, IRECV, false, false } };
	int64_t count[STEPS];
	struct rsd_trace *t;

	jitter(count, 3);
	t = run_of(body[_i].func, body[_i].also, count, count, body[_i].odd_tags);
	ck_assert(rsd_trace_has_scalars(t) == body[_i].lossy);
	if (body[_i].lossy)
		draw(t);
	walk(t);
	rsd_trace_free(t);
}
END_TEST

/* Rank 0 calls from another place than the others. */
static struct rsd_trace *sizes(const int64_t *size, const int64_t *last)
{
	static int64_t once[STEPS];
	struct rsd_trace *t = NULL;

	for (int i = 0; i < STEPS; i++)
		once[i] = 1;
	for (int r = 0; r < RANKS; r++) {
		struct part p = { ALLREDUCE, -1, once, false, r == RANKS - 1 ? last : size };

		t = joined(t, rank_of(r, &p, 1, r == 0));
	}
	rsd_merge_settle(t);
	ck_assert_int_eq(rsd_scalars_agree(t, 10), 0);
	return t;
}

START_TEST(counts_of_a_collective_agree_from_place_to_place)
{
	int64_t size[STEPS], first[STEPS], other[STEPS];
	struct rsd_trace *t;

	jitter(size, 4);
	t = through_formats(sizes(size, size));
	draw(t);
	for (size_t i = 0, seen = 0; i < t->nr_places; i++) {
		if (strcmp(t->func[t->place[i].func].name, "MPI_Allreduce") != 0)
			continue;
		get_values(&t->place[i].col[0], t->place[i].nested ? 0 : 2, seen ? other : first);
		if (seen++)
			ck_assert_int_eq(memcmp(first, other, sizeof(first)), 0);
	}
	ck_assert_int_eq(sum_of(first), sum_of(size));
	walk(t);
	rsd_trace_free(t);
	memcpy(other, size, sizeof(other));
	other[5] = size[5] == 9 ? 10 : 9;
	t = sizes(size, other);
	ck_assert(!rsd_trace_has_scalars(t));
	rsd_trace_free(t);
}
END_TEST

/* Any byte may be another one: an error, or a trace that draws, and walks, or refuses to. */
START_TEST(damage_is_told)
{
	struct rsd_buf bytes = RSD_BUF_INIT;
	int64_t count[STEPS];
	struct rsd_trace *t;

	jitter(count, 5);
	t = run_of(ALLREDUCE, -1, count, count, false);
	rsd_trace_encode(t, &bytes);
	rsd_trace_free(t);
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char was = bytes.data[i];
		struct rsd_buf why = RSD_BUF_INIT;
		struct rsd_reader in;

		bytes.data[i] ^= (unsigned char)(1 << (_i + (int)i) % 8);
		rsd_reader_init(&in, bytes.data, bytes.len);
		if (!rsd_trace_decode(&t, &in, &why)) {
			if (i % 2)
				rsd_scalars_draw(t, &why);
			else
				rsd_scalars_show(t);
			rsd_trace_free(t);
		}
		rsd_buf_release(&why);
		bytes.data[i] = was;
	}
	rsd_buf_release(&bytes);
}
END_TEST

/* More or fewer counts than the loop draws; a sum that no rank's columns have. */
START_TEST(groups_that_do_not_fit_are_told)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int64_t count[STEPS];
	struct rsd_scalar *s;
	struct rsd_event e;
	struct rsd_trace *t;
	struct rsd_walk *w;
	int err;

	jitter(count, 6);
	t = run_of(ALLREDUCE, -1, count, count, false);
	s = t->tree[0].first->first->scalars.s;
	if (_i < 2) {
		s->draws += _i ? 1 : -1;
		ck_assert(!rsd_scalar_is_valid(s, 1));
		ck_assert_int_eq(rsd_scalars_draw(t, &why), RSD_ERR_FORMAT);
		ck_assert_uint_gt(why.len, 0);
	} else {
		s->bin[s->nr_bins - 1].value++;
		ck_assert_int_eq(rsd_scalars_draw(t, &why), 0);
		ck_assert_int_eq(rsd_walk_new(&w, t, 0, 0), 0);
		while (!(err = rsd_walk_next(w, &e)))
			;
		ck_assert_int_eq(err, RSD_ERR_FORMAT);
		rsd_walk_free(w);
	}
	rsd_buf_release(&why);
	rsd_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scalar_agree");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, ranks_in_a_collective_draw_alike);
	tcase_add_test(tc, ranks_that_differ_in_a_collective_stay_exact);
	tcase_add_test(tc, a_receive_is_drawn_as_its_send);
	tcase_add_loop_test(tc, what_others_may_depend_on_stays_exact, 0, 4);
	tcase_add_test(tc, counts_of_a_collective_agree_from_place_to_place);
	tcase_add_loop_test(tc, damage_is_told, 0, 4);
	tcase_add_loop_test(tc, groups_that_do_not_fit_are_told, 0, 3);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
