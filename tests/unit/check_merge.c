/*
 * merge: random programs are recorded rank by rank, merged in a binomial tree,
 * and walked: every rank must get back what it called. The programs differ from rank to
 * rank in calls skipped, trips, values, and in how tables number things.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "flat.h"
#include "stream.h"
#include "transfer.h"
#include "util.h"
#include "walk.h"

#define MAX_RANKS 1024
#define MAX_VALUES 24

/* Constants as the programs know them; a rank's table may number them otherwise. */
enum { WORLD = 1, PROC_NULL = 2, ERR_OTHER = 3, NR_CONSTANTS = 4 };
static const char *const constant_names[NR_CONSTANTS] = {
	"absent",
	"MPI_COMM_WORLD",
	"MPI_PROC_NULL",
	"MPI_ERR_OTHER",
};

enum { BARRIER, SEND, RECV, VECTOR, OPEN, SPAWN, NR_FUNCS };

static const struct rsd_param barrier_params[] = { { "comm", RSD_T_INT, RSD_R_COMM, -1 } };
static const struct rsd_param send_params[] = {
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 2 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_param recv_params[] = {
	{ "source", RSD_T_INT, RSD_R_PEER, 1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "status", RSD_T_STATUS, RSD_R_STATUS, 1 },
};
static const struct rsd_param vector_params[] = { { "counts", RSD_T_INTS, RSD_R_INT, -1 } };
static const struct rsd_param open_params[] = { { "filename", RSD_T_STRING, RSD_R_STRING, -1 } };
static const struct rsd_param spawn_params[] = { { "argv", RSD_T_STRINGS, RSD_R_STRING, -1 } };

#define FUNC(n, p)                                                                                 \
	{                                                                                          \
		n, p, RSD_ARRAY_SIZE(p), RSD_C_OTHER, -1, -1, -1, -1                               \
	}
static const struct rsd_func funcs[NR_FUNCS + 1] = {
	FUNC("MPI_Barrier", barrier_params),
	FUNC("MPI_Send", send_params),
	FUNC("MPI_Recv", recv_params),
	FUNC("MPI_Vector", vector_params),
	FUNC("MPI_File_open", open_params),
	FUNC("MPI_Comm_spawn", spawn_params),
	{ 0 },
};

/* ck_assert allocates each time, which is too slow for every value of every call. */
#define EXPECT(c)                                                                                  \
	do {                                                                                       \
		if (!(c))                                                                          \
			ck_abort_msg("%s", #c);                                                    \
	} while (0)

/* ---- what a rank called ---------------------------------------------------------- */

struct call {
	int func, site, nested;
	int64_t val[MAX_VALUES]; /* strings: any number, standing for "string NUMBER" */
	size_t nr;
};

struct calls {
	struct call *call;
	size_t nr, alloc;
};

static void calls_release(struct calls *l)
{
	free(l->call);
	*l = (struct calls){ NULL, 0, 0 };
}

static struct call *add_call(struct calls *l, int func, int site)
{
	struct call *c;

	EXPECT(RSD_GROW(l->call, l->nr + 1, l->alloc) == 0);
	c = &l->call[l->nr++];
	memset(c, 0, sizeof(*c));
	c->func = func;
	c->site = site;
	return c;
}

static void put(struct call *c, int64_t v)
{
	EXPECT(c->nr < MAX_VALUES);
	c->val[c->nr++] = v;
}

static void call_barrier(struct calls *l, int site)
{
	struct call *c = add_call(l, BARRIER, site);

	put(c, RSD_CONST(WORLD));
	put(c, 0);
}

static void call_send(struct calls *l, int site, int64_t count, int64_t dest)
{
	struct call *c = add_call(l, SEND, site);

	put(c, count);
	put(c, dest < 0 ? RSD_CONST(PROC_NULL) : dest);
	put(c, RSD_CONST(WORLD));
	put(c, 0);
}

static void call_recv(struct calls *l, int site, int64_t source, int kind)
{
	struct call *c = add_call(l, RECV, site);

	put(c, source < 0 ? RSD_CONST(PROC_NULL) : source);
	put(c, RSD_CONST(WORLD));
	put(c, kind);
	if (kind >= RSD_STATUS_KEPT) {
		put(c, source < 0 ? RSD_CONST(PROC_NULL) : source);
		put(c, 7);
		put(c, 0);
	}
	put(c, 0);
}

static void call_list(struct calls *l, int func, int site, int n, int64_t first, int64_t error)
{
	struct call *c = add_call(l, func, site);

	put(c, n);
	for (int i = 0; i < n; i++)
		put(c, first + i);
	put(c, error);
}

static void call_open(struct calls *l, int site, int64_t name)
{
	struct call *c = add_call(l, OPEN, site);

	put(c, name < 0 ? RSD_ABSENT : name);
	put(c, 0);
}

/* ---- recording -------------------------------------------------------------------- */

struct recorder { /* one rank: its tables, numbered in the order things occur */
	int rank, nprocs;
	bool odd_constants; /* numbers constants as another build would */
	struct rsd_sigs sigs;
	struct rsd_strings strings;
	struct rsd_trace *trace;
};

static int own_constant(const struct recorder *r, int index)
{
	return index && r->odd_constants ? index % (NR_CONSTANTS - 1) + 1 + (index == 1 ? 4 : 0)
					 : index;
}

static const char *constant_name(int index, void *arg)
{
	for (int i = 0; i < NR_CONSTANTS; i++)
		if (own_constant(arg, i) == index)
			return constant_names[i];
	return NULL;
}

static bool comm_shape(int64_t comm, int64_t *rank, int64_t *size, void *arg)
{
	const struct recorder *r = arg;

	if (comm != RSD_CONST(own_constant(r, WORLD)))
		return false;
	*rank = r->rank;
	*size = r->nprocs;
	return true;
}

static int own_string(struct recorder *r, int64_t v)
{
	char text[40];

	snprintf(text, sizeof(text), "string %lld", (long long)v);
	return rsd_strings_intern(&r->strings, text, strlen(text));
}

static int own_sig(struct recorder *r, int site)
{
	struct rsd_frame f[3];

	if (site < 0)
		return -1;
	f[0].module = rsd_sigs_module(&r->sigs, site % 2 ? "app" : "lib", "id");
	f[0].offset = 0x1000 + (uint64_t)site;
	f[1].module = rsd_sigs_module(&r->sigs, "app", "id");
	f[1].offset = 0x500 + (uint64_t)site * 16;
	f[2] = (struct rsd_frame){ f[1].module, 0x100 };
	return rsd_sigs_intern(&r->sigs, f, 3);
}

/* The call's values as this rank numbers strings and constants. */
static void own_values(struct recorder *r, const struct call *c, int64_t *val)
{
	struct rsd_layout l;
	size_t i = 0;

	rsd_layout_init(&l, &funcs[c->func]);
	for (; rsd_layout_column(&l) >= 0; i++) {
		bool string = (c->func == OPEN && l.param == 0) ||
			      (c->func == SPAWN && l.param == 0 && l.sub == 1);

		if (rsd_is_const(c->val[i]))
			val[i] = RSD_CONST(own_constant(r, rsd_const_index(c->val[i])));
		else
			val[i] = string ? own_string(r, c->val[i]) : c->val[i];
		EXPECT(rsd_layout_step(&l, val[i]) == 0);
	}
	EXPECT(i == c->nr);
}

static void recorder_init(struct recorder *r, int rank, int nprocs)
{
	memset(r, 0, sizeof(*r));
	r->rank = rank;
	r->nprocs = nprocs;
	rsd_sigs_init(&r->sigs);
	r->trace = rsd_trace_new(nprocs);
	EXPECT(r->trace);
	r->trace->complete = true;
	EXPECT(rsd_ranks_append(&r->trace->ranks, rank) == 0);
}

static void add_object(
	struct recorder *r, enum rsd_object_kind kind, int64_t id, const int64_t *attr)
{
	struct rsd_object *o = rsd_trace_add_object(r->trace, kind, id);

	EXPECT(o);
	if (rsd_is_const(id))
		EXPECT(!rsd_trace_set_constant(
			r->trace, rsd_const_index(id), constant_name(rsd_const_index(id), r)));
	for (int i = 0; i < rsd_object_nr_attrs(kind); i++) {
		struct rsd_column *c = rsd_column_new(false);

		EXPECT(c && rsd_column_append(c, attr[i]) == 0);
		EXPECT(rsd_params_set(&o->attr[i], r->rank, c, NULL) == 0);
	}
}

static int64_t attribute(
	const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id, int attr, int rank)
{
	const struct rsd_object *o = rsd_trace_find_object(t, kind, id);
	struct rsd_column *c;
	enum rsd_encoding enc;
	int64_t v = 0;

	if (!o || rsd_params_get(&o->attr[attr], rank, &enc, &c))
		return -1;
	EXPECT(enc == RSD_E_ABS && rsd_column_is_constant(c, &v));
	rsd_column_free(c);
	return v;
}

static struct rsd_trace *recorder_finish(struct recorder *r)
{
	add_object(r, RSD_O_COMM, RSD_CONST(own_constant(r, WORLD)),
		(int64_t[]){ r->nprocs, r->rank, r->nprocs, 0 });
	rsd_sigs_release(&r->sigs);
	rsd_strings_release(&r->strings);
	return r->trace;
}

static struct rsd_stream_context context(struct recorder *r)
{
	return (struct rsd_stream_context){ .rank = r->rank,
		.nprocs = r->nprocs,
		.sigs = &r->sigs,
		.strings = &r->strings,
		.comm_shape = comm_shape,
		.constant_name = constant_name,
		.arg = r };
}

static void record(struct recorder *r, int thread, const struct calls *l)
{
	struct rsd_stream_context ctx;
	struct rsd_stream s;

	rsd_stream_init(&s, funcs, -1);
	for (size_t i = 0; i < l->nr; i++) {
		const struct call *c = &l->call[i];
		int64_t val[MAX_VALUES];
		int place = rsd_stream_place(&s, c->func, own_sig(r, c->site), c->nested);

		EXPECT(place >= 0);
		own_values(r, c, val);
		EXPECT(rsd_stream_append(&s, place, val, c->nr, RSD_TIME_STATS, i, 3) == 0);
	}
	ctx = context(r);
	EXPECT(rsd_stream_to_trace(&s, thread, &ctx, r->trace) == 0);
	rsd_stream_release(&s);
}

static struct rsd_trace *record_one(int rank, int nprocs, const struct calls *l)
{
	struct recorder r;

	recorder_init(&r, rank, nprocs);
	record(&r, 0, l);
	return recorder_finish(&r);
}

/* The order in which radix_tree.h joins ranks. */
static struct rsd_trace *merge_all(struct rsd_trace **t, int nr)
{
	for (int step = 1; step < nr; step *= 2)
		for (int r = 0; r + step < nr; r += 2 * step)
			EXPECT(rsd_merge(t[r], t[r + step]) == 0);
	return t[0];
}

/* ---- checking ----------------------------------------------------------------------- */

static void check_value(const struct rsd_trace *t, bool string, int64_t want, int64_t got)
{
	char text[40];

	if (rsd_is_const(want)) {
		EXPECT(rsd_is_const(got));
		EXPECT((size_t)rsd_const_index(got) < t->nr_constants);
		EXPECT(!strcmp(
			t->constant[rsd_const_index(got)], constant_names[rsd_const_index(want)]));
	} else if (string) {
		EXPECT(got >= 0);
		EXPECT((size_t)got < t->strings.nr);
		snprintf(text, sizeof(text), "string %lld", (long long)want);
		EXPECT(!strcmp(t->strings.str[got].s, text));
	} else {
		EXPECT(got == want);
	}
}

static void check_values(
	const struct rsd_trace *t, const struct call *c, const int64_t *val, size_t nr)
{
	EXPECT(nr == c->nr);
	for (size_t i = 0; i < nr; i++) {
		bool string =
			(c->func == OPEN && i == 0) || (c->func == SPAWN && i > 0 && i + 1 < nr);

		check_value(t, string, c->val[i], val[i]);
	}
}

static void check_sig(const struct rsd_trace *t, int site, int sig)
{
	const struct rsd_sig *s;

	if (site < 0) {
		EXPECT(sig == -1);
		return;
	}
	EXPECT(sig >= 0);
	s = &t->sigs.sig[sig];
	EXPECT(s->nr == 3);
	EXPECT(t->sigs.frame[s->first].offset == 0x1000 + (uint64_t)site);
	EXPECT(!strcmp(
		t->sigs.module[t->sigs.frame[s->first].module].path, site % 2 ? "app" : "lib"));
}

static void check_walk(const struct rsd_trace *t, int rank, int thread, const struct calls *l)
{
	struct rsd_walk *w;
	struct rsd_event e;
	size_t i = 0;
	int err = rsd_walk_new(&w, t, rank, thread);

	if (!l->nr) {
		EXPECT(err == RSD_ERR_END);
		return;
	}
	EXPECT(err == 0);
	for (; !(err = rsd_walk_next(w, &e)); i++) {
		const struct call *c;

		EXPECT(i < l->nr);
		c = &l->call[i];
		EXPECT(!strcmp(t->func[e.func].name, funcs[c->func].name));
		EXPECT(e.nested == c->nested);
		check_sig(t, c->site, e.sig);
		check_values(t, c, e.val, e.nr_val);
	}
	ck_assert_msg(err == RSD_ERR_END, "%d: %s", err, rsd_walk_error(w));
	EXPECT(i == l->nr);
	rsd_walk_free(w);
}

/* Participants: never empty, among the parent's, NULL where they are all of them. */
static void check_nodes(
	const struct rsd_node *n, const struct rsd_node *parent, const struct rsd_ranks *of)
{
	const struct rsd_node *prev = NULL;

	for (; n; prev = n, n = n->next) {
		ck_assert_ptr_eq(n->parent, parent);
		ck_assert_ptr_eq(n->prev, prev);
		if (n->ranks) {
			struct rsd_ranks more = RSD_RANKS_INIT;

			ck_assert(!rsd_ranks_is_empty(n->ranks));
			ck_assert(!rsd_ranks_equal(n->ranks, of));
			ck_assert_int_eq(rsd_ranks_minus(&more, n->ranks, of), 0);
			ck_assert(rsd_ranks_is_empty(&more));
			rsd_ranks_release(&more);
		}
		if (n->place < 0) {
			ck_assert_ptr_nonnull(n->first);
			check_nodes(n->first, n, n->ranks ? n->ranks : of);
		}
	}
}

static void check_structure(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_trees; i++)
		check_nodes(t->tree[i].first, NULL, &t->ranks);
}

static size_t count_nodes(const struct rsd_node *n)
{
	size_t nr = 0;

	for (; n; n = n->next)
		nr += 1 + count_nodes(n->first);
	return nr;
}

static size_t encoded_size(struct rsd_trace *t)
{
	struct rsd_buf b = RSD_BUF_INIT;
	size_t len;

	rsd_merge_settle(t);
	rsd_trace_encode(t, &b);
	ck_assert_int_eq(b.err, 0);
	len = b.len;
	rsd_buf_release(&b);
	return len;
}

/* ---- random programs -------------------------------------------------------------------- */

enum { STMT_CALL, STMT_LOOP };

struct stmt {
	int kind, site, func, rule, skip, skip_arg, trips, trips_rule;
	struct stmt *body;
	int nr;
};

struct run { /* the program run by one rank */
	int rank, nprocs, wild;
	struct calls *out;
	uint64_t seed;
};

static int draw(struct run *r, int n)
{
	r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
	return (int)(rsd_hash_mix(r->seed) % (uint64_t)n);
}

static void make_body(struct stmt *loop, int depth, int *site)
{
	loop->nr = 1 + rand() % 5;
	loop->body = calloc((size_t)loop->nr, sizeof(*loop->body));
	for (int i = 0; i < loop->nr; i++) {
		struct stmt *s = &loop->body[i];

		s->skip = rand() % 12;
		s->skip_arg = rand() % 5;
		s->rule = rand() % 5;
		s->trips = 1 + rand() % 6;
		s->trips_rule = rand() % 6;
		if (depth < 3 && rand() % 3 == 0) {
			s->kind = STMT_LOOP;
			make_body(s, depth + 1, site);
			continue;
		}
		s->kind = STMT_CALL;
		s->func = rand() % NR_FUNCS;
		s->site = rand() % 20 ? (*site)++ : -1;
	}
}

static void free_body(struct stmt *loop)
{
	for (int i = 0; i < loop->nr; i++)
		if (loop->body[i].kind == STMT_LOOP)
			free_body(&loop->body[i]);
	free(loop->body);
}

static bool skips(struct run *r, const struct stmt *s)
{
	switch (s->skip) {
	case 0:
		return r->rank == s->skip_arg;
	case 1:
		return r->rank % 4 == s->skip_arg % 4;
	case 2:
		return r->rank >= r->nprocs - s->skip_arg;
	case 3:
		return draw(r, 20) < r->wild;
	default:
		return false;
	}
}

static int64_t pick(struct run *r, const struct stmt *s, int i)
{
	switch (s->rule) {
	case 0:
		return 64;
	case 1:
		return i;
	case 2:
		return r->rank;
	case 3:
		return 10 * r->rank + i;
	default:
		return draw(r, 4);
	}
}

static void run_call(struct run *r, const struct stmt *s, int i)
{
	int64_t v = pick(r, s, i);

	switch (s->func) {
	case BARRIER:
		call_barrier(r->out, s->site);
		break;
	case SEND:
		call_send(r->out, s->site, v, (r->rank + 1) % r->nprocs);
		break;
	case RECV:
		call_recv(r->out, s->site, r->rank - 1, (int)(v % 4));
		break;
	case VECTOR:
		call_list(r->out, VECTOR, s->site, (int)(v % 4), v,
			v == 3 ? RSD_CONST(ERR_OTHER) : 0);
		break;
	case OPEN:
		call_open(r->out, s->site, v);
		break;
	default:
		call_list(r->out, SPAWN, s->site, (int)(v % 3), v, 0);
		break;
	}
	r->out->call[r->out->nr - 1].nested = s->site % 7 == 0;
}

static int trips(struct run *r, const struct stmt *s)
{
	switch (s->trips_rule) {
	case 0:
		return s->trips + r->rank % 3;
	case 1:
		return draw(r, 1 + s->trips);
	case 2:
		return r->rank == 0 ? 1 : s->trips;
	default:
		return s->trips;
	}
}

static void run_body(struct run *r, const struct stmt *loop, int i)
{
	for (int k = 0; k < loop->nr && r->out->nr < 3000; k++) {
		const struct stmt *s = &loop->body[k];

		if (skips(r, s))
			continue;
		if (s->kind == STMT_CALL) {
			run_call(r, s, i);
			continue;
		}
		for (int j = trips(r, s), n = 0; n < j; n++)
			run_body(r, s, n);
	}
}

static void run_program(
	const struct stmt *main_body, int rank, int nprocs, int seed, struct calls *out)
{
	struct run r = { .rank = rank,
		.nprocs = nprocs,
		.wild = seed % 3,
		.out = out,
		.seed = (uint64_t)(seed * 1000 + rank) };

	run_body(&r, main_body, 0);
}

START_TEST(each_rank_gets_its_calls_back)
{
	static const int sizes[] = { 2, 3, 4, 5, 7, 8, 16, 33 };
	int nprocs = sizes[_i % 8], site = 0;
	struct calls calls[33][2] = { { { NULL, 0, 0 } } };
	struct rsd_trace *t[33];
	struct stmt thread[2];

	srand((unsigned)_i);
	for (int k = 0; k < 2; k++)
		make_body(&thread[k], 0, &site);
	for (int r = 0; r < nprocs; r++) {
		struct recorder rec;

		recorder_init(&rec, r, nprocs);
		rec.odd_constants = _i % 5 == 0 && r % 2;
		run_program(&thread[0], r, nprocs, _i, &calls[r][0]);
		if (r % 3)
			run_program(&thread[1], r, nprocs, _i + 1, &calls[r][1]);
		for (int k = 0; k < 2; k++)
			if (calls[r][k].nr)
				record(&rec, k, &calls[r][k]);
		t[r] = recorder_finish(&rec);
	}
	merge_all(t, nprocs);
	check_structure(t[0]);
	ck_assert_uint_eq(rsd_ranks_count(&t[0]->ranks), (size_t)nprocs);
	for (int pass = 0; pass < 2; pass++) {
		for (int r = 0; r < nprocs; r++)
			for (int k = 0; k < 2; k++)
				check_walk(t[0], r, k, &calls[r][k]);
		rsd_merge_settle(t[0]);
	}
	rsd_trace_free(t[0]);
	for (int r = 0; r < nprocs; r++)
		for (int k = 0; k < 2; k++)
			calls_release(&calls[r][k]);
	for (int k = 0; k < 2; k++)
		free_body(&thread[k]);
}
END_TEST

/* ---- shapes ------------------------------------------------------------------------------- */

/* A 2D stencil without wrap-around: who has no neighbour on a side makes no calls there. */
static void run_stencil(int rank, int nx, int ny, int steps, struct calls *out)
{
	int x = rank % nx, y = rank / nx;
	bool has[4] = { y > 0, y<ny - 1, x> 0, x < nx - 1 };
	int peer[4] = { rank - nx, rank + nx, rank - 1, rank + 1 };

	call_barrier(out, 1);
	for (int s = 0; s < steps; s++) {
		for (int k = 0; k < 4; k++)
			if (has[k])
				call_send(out, 10 + k, 1000, peer[k]);
		for (int k = 0; k < 4; k++)
			if (has[k])
				call_recv(out, 20 + k, peer[k], RSD_STATUS_IGNORED);
		call_list(out, VECTOR, 30, 1, 5, 0);
	}
	call_barrier(out, 40);
}

static struct rsd_trace *merge_stencil(int nx, int ny)
{
	static struct rsd_trace *t[MAX_RANKS];
	int nr = nx * ny;

	for (int r = 0; r < nr; r++) {
		struct calls l = { NULL, 0, 0 };

		run_stencil(r, nx, ny, 10, &l);
		t[r] = record_one(r, nr, &l);
		calls_release(&l);
	}
	return merge_all(t, nr);
}

START_TEST(a_stencil_stays_one_loop)
{
	static const int grid[][2] = { { 4, 4 }, { 8, 8 }, { 5, 7 }, { 32, 32 } };
	struct calls l = { NULL, 0, 0 };
	int nx = grid[_i][0], ny = grid[_i][1];
	struct rsd_trace *t = merge_stencil(nx, ny);
	struct rsd_node *n = t->tree[0].first;

	check_structure(t);
	ck_assert_uint_eq(count_nodes(n), 12);
	ck_assert_int_lt(n->next->place, 0);
	ck_assert_ptr_null(n->next->ranks);
	for (int r = 0; r < nx * ny; r += 1 + nx * ny / 40) {
		run_stencil(r, nx, ny, 10, &l);
		check_walk(t, r, 0, &l);
		calls_release(&l);
	}
	rsd_trace_free(t);
}
END_TEST

START_TEST(a_stencil_has_one_size_for_all_process_numbers)
{
	struct rsd_trace *small = merge_stencil(8, 8), *large = merge_stencil(32, 32);
	size_t a = encoded_size(small), b = encoded_size(large);

	ck_assert_msg(b <= a + a / 5, "%zu bytes for 64 ranks, %zu for 1024", a, b);
	rsd_trace_free(small);
	rsd_trace_free(large);
}
END_TEST

/*
 * A chain with a loop over neighbours: the ends have one, so that there is nothing to
 * fold there. With 'twice', a pair of calls per neighbour.
 */
static void run_chain(int rank, int nprocs, int steps, bool twice, struct calls *out)
{
	int nr = rank == 0 || rank == nprocs - 1 ? 1 : 2;

	call_barrier(out, 1);
	for (int s = 0; s < steps; s++) {
		for (int k = 0; k < nr; k++) {
			call_recv(out, 2, rank + k, RSD_STATUS_IGNORED);
			if (twice)
				call_send(out, 3, 10 * k, rank + k);
		}
		for (int k = 0; k < nr; k++)
			call_send(out, 4, 100, rank + k);
		call_barrier(out, 5);
	}
}

/* One-iteration loops are found whichever side they are on, and however deep. */
START_TEST(a_loop_run_once_joins_the_loop)
{
	static const int sizes[] = { 3, 4, 8, 33 };
	struct calls calls[33] = { { NULL, 0, 0 } };
	int nr = sizes[_i % 4];
	bool twice = _i / 4 % 2;
	struct rsd_trace *t[33] = { NULL };

	for (int r = 0; r < nr; r++) {
		run_chain(r, nr, _i < 8 ? 4 : 2 + r % 3, twice, &calls[r]);
		t[r] = record_one(r, nr, &calls[r]);
	}
	merge_all(t, nr);
	check_structure(t[0]);
	for (int r = 0; r < nr; r++) {
		check_walk(t[0], r, 0, &calls[r]);
		calls_release(&calls[r]);
	}
	ck_assert_uint_eq(count_nodes(t[0]->tree[0].first), twice ? 8 : 7);
	rsd_trace_free(t[0]);
}
END_TEST

/* ---- sequences without loops ---------------------------------------------------------------- */

static struct rsd_trace *record_sites(int rank, const int *site, int nr)
{
	struct calls l = { NULL, 0, 0 };
	struct rsd_trace *t;

	for (int i = 0; i < nr; i++)
		call_barrier(&l, site[i]);
	t = record_one(rank, 2, &l);
	calls_release(&l);
	return t;
}

static void check_sites(const struct rsd_trace *t, int rank, const int *site, int nr)
{
	struct calls l = { NULL, 0, 0 };

	for (int i = 0; i < nr; i++)
		call_barrier(&l, site[i]);
	check_walk(t, rank, 0, &l);
	calls_release(&l);
}

START_TEST(differences_cost_a_node_each)
{
	enum { NR = 300 };
	int site[2][NR], nr[2] = { 0, 0 };
	struct rsd_trace *t[2];

	srand((unsigned)_i);
	for (int i = 0; i < NR; i++) {
		bool in_a = rand() % 20, in_b = rand() % 20 || !in_a;

		if (in_a)
			site[0][nr[0]++] = i;
		if (in_b)
			site[1][nr[1]++] = i;
	}
	for (int r = 0; r < 2; r++)
		t[r] = record_sites(r, site[r], nr[r]);
	merge_all(t, 2);
	check_structure(t[0]);
	ck_assert_uint_eq(count_nodes(t[0]->tree[0].first), NR);
	for (int r = 0; r < 2; r++)
		check_sites(t[0], r, site[r], nr[r]);
	rsd_trace_free(t[0]);
}
END_TEST

static void merge_long(int nr, int offset, size_t expect)
{
	int *site[2];
	struct rsd_trace *t[2];

	for (int r = 0; r < 2; r++) {
		site[r] = malloc((size_t)nr * sizeof(int));
		for (int i = 0; i < nr; i++)
			site[r][i] = i + r * offset;
		t[r] = record_sites(r, site[r], nr);
	}
	merge_all(t, 2);
	check_structure(t[0]);
	ck_assert_uint_eq(count_nodes(t[0]->tree[0].first), expect);
	for (int r = 0; r < 2; r++) {
		check_sites(t[0], r, site[r], nr);
		free(site[r]);
	}
	rsd_trace_free(t[0]);
}

START_TEST(long_sequences_are_cheap_whether_equal_or_not)
{
	merge_long(10000, 0, 10000);
	merge_long(10000, 100, 10100);
	merge_long(10000, 100000, 20000);
}
END_TEST

/* The same places in an order without rhyme: the account is used up, the order is kept. */
START_TEST(shuffled_sequences_end_within_the_limit)
{
	enum { NR = 10000 };
	static int site[2][NR];
	struct rsd_trace *t[2];

	srand(1);
	for (int r = 0; r < 2; r++) {
		for (int i = 0; i < NR; i++) {
			int k = rand() % (i + 1);

			site[r][i] = site[r][k];
			site[r][k] = i;
		}
		t[r] = record_sites(r, site[r], NR);
	}
	merge_all(t, 2);
	check_structure(t[0]);
	for (int r = 0; r < 2; r++)
		check_sites(t[0], r, site[r], NR);
	rsd_trace_free(t[0]);
}
END_TEST

/* ---- the rest ------------------------------------------------------------------------------- */

/* A flat log of one rank with some places; what it says is in 'l'. */
static void add_log(struct recorder *r, const struct calls *l)
{
	struct rsd_trace *t = r->trace;
	struct rsd_log *log;

	log = rsd_trace_add_log(t, r->rank, 0);
	ck_assert_ptr_nonnull(log);
	for (size_t i = 0; i < l->nr; i++) {
		const struct call *c = &l->call[i];
		int64_t val[MAX_VALUES];
		int func = rsd_trace_func(t, &funcs[c->func]), sig = own_sig(r, c->site);

		own_values(r, c, val);
		sig = sig < 0 ? -1 : rsd_sigs_import(&t->sigs, &r->sigs, sig);
		rsd_flat_put(
			&log->bytes, rsd_trace_place(t, 0, func, sig, c->nested), val, c->nr, 5, 6);
	}
	for (size_t i = 0; i < r->strings.nr; i++)
		rsd_strings_intern(&t->strings, r->strings.str[i].s, r->strings.str[i].len);
	for (int i = 0; i < 20; i++)
		if (constant_name(i, r))
			rsd_trace_set_constant(t, i, constant_name(i, r));
}

START_TEST(flat_logs_are_renumbered)
{
	struct calls calls[6] = { { NULL, 0, 0 } };
	struct rsd_trace *t[6];
	struct stmt prog;
	int site = 0;

	srand((unsigned)_i);
	make_body(&prog, 0, &site);
	for (int r = 0; r < 6; r++) {
		struct recorder rec;

		recorder_init(&rec, r, 6);
		rec.odd_constants = r % 2;
		run_program(&prog, r, 6, _i, &calls[r]);
		add_log(&rec, &calls[r]);
		t[r] = recorder_finish(&rec);
	}
	merge_all(t, 6);
	ck_assert_uint_eq(t[0]->nr_logs, 6);
	for (int r = 0; r < 6; r++) {
		struct rsd_flat_reader in;
		struct rsd_flat_event e;
		size_t i = 0;

		ck_assert_int_eq(t[0]->log[r].rank, r);
		rsd_flat_reader_init(&in, t[0]->log[r].bytes.data, t[0]->log[r].bytes.len);
		for (; !rsd_flat_next(&in, &e); i++) {
			const struct rsd_place *p = &t[0]->place[e.place];

			ck_assert_str_eq(
				t[0]->func[p->func].name, funcs[calls[r].call[i].func].name);
			check_sig(t[0], calls[r].call[i].site, p->sig);
			check_values(t[0], &calls[r].call[i], e.val, e.nr_val);
			ck_assert_uint_eq(e.before_ns, 5);
			ck_assert_uint_eq(e.dur_ns, 6);
		}
		ck_assert_uint_eq(i, calls[r].nr);
		rsd_flat_reader_release(&in);
		calls_release(&calls[r]);
	}
	rsd_trace_free(t[0]);
	free_body(&prog);
}
END_TEST

START_TEST(what_was_called_after_finalize_joins_at_the_end)
{
	struct calls calls[6] = { { NULL, 0, 0 } }, late[6] = { { NULL, 0, 0 } };
	struct rsd_trace *t[6], *after[6];
	int nr_after = 0;

	for (int r = 0; r < 6; r++) {
		struct recorder first;

		run_stencil(r, 3, 2, 5, &calls[r]);
		recorder_init(&first, r, 6);
		record(&first, 0, &calls[r]);
		if (r % 3 == 0)
			add_object(&first, RSD_O_DATATYPE, 5, (int64_t[]){ 8 + r });
		t[r] = recorder_finish(&first);
		if (r % 2 == _i)
			continue;
		for (int k = 0; k < r; k++) {
			call_barrier(&late[r], 50);
			call_open(&late[r], 51, r);
		}
		if (late[r].nr) {
			struct recorder rec;

			recorder_init(&rec, r, 6);
			record(&rec, RSD_AFTER, &late[r]);
			add_object(&rec, RSD_O_DATATYPE, 5, (int64_t[]){ 8 + r });
			after[nr_after++] = recorder_finish(&rec);
		}
	}
	merge_all(t, 6);
	merge_all(after, nr_after);
	ck_assert_int_eq(rsd_merge_after(t[0], after[0]), 0);
	check_structure(t[0]);
	for (int r = 0; r < 6; r++) {
		struct calls all = { NULL, 0, 0 };

		ck_assert_int_eq(attribute(t[0], RSD_O_COMM, RSD_CONST(WORLD), 1, r), r);
		ck_assert_int_eq(attribute(t[0], RSD_O_DATATYPE, 5, 0, r),
			r % 3 == 0 || late[r].nr ? 8 + r : -1);
		for (size_t i = 0; i < calls[r].nr; i++)
			*add_call(&all, 0, 0) = calls[r].call[i];
		for (size_t i = 0; i < late[r].nr; i++)
			*add_call(&all, 0, 0) = late[r].call[i];
		check_walk(t[0], r, 0, &all);
		calls_release(&all);
		calls_release(&calls[r]);
		calls_release(&late[r]);
	}
	rsd_trace_free(t[0]);
}
END_TEST

START_TEST(what_does_not_belong_together_is_refused)
{
	struct calls l = { NULL, 0, 0 };
	struct rsd_trace *a, *b;
	struct rsd_func f = funcs[SEND];

	call_send(&l, 1, 2, 1);
	a = record_one(0, 2, &l);
	ck_assert_int_eq(rsd_merge(a, record_one(1, 3, &l)), RSD_ERR_MISMATCH);
	rsd_trace_free(a);
	a = record_one(1, 2, &l);
	ck_assert_int_eq(rsd_merge(a, record_one(0, 2, &l)), RSD_ERR_MISMATCH);
	rsd_trace_free(a);
	a = record_one(0, 2, &l);
	b = rsd_trace_new(2);
	ck_assert_int_eq(rsd_ranks_append(&b->ranks, 1), 0);
	f.nr_params--;
	ck_assert_int_ge(rsd_trace_func(b, &f), 0);
	ck_assert_int_eq(rsd_merge(a, b), RSD_ERR_MISMATCH);
	rsd_trace_free(a);
	calls_release(&l);
}
END_TEST

START_TEST(an_incomplete_part_makes_the_whole_incomplete)
{
	struct calls l = { NULL, 0, 0 };
	struct rsd_trace *t[3];

	for (int i = 0; i < 3; i++)
		call_barrier(&l, 1);
	for (int r = 0; r < 3; r++)
		t[r] = record_one(r, 3, &l);
	t[1]->complete = false;
	t[1]->incomplete_why = rsd_strndup("killed", 6);
	merge_all(t, 3);
	ck_assert(!t[0]->complete);
	ck_assert_str_eq(t[0]->incomplete_why, "killed");
	ck_assert_uint_eq(t[0]->place[0].timing.dur_first.nr, 3);
	ck_assert_uint_eq(t[0]->place[0].timing.dur.nr, 6);
	ck_assert_uint_eq(t[0]->place[0].timing.dur.sum, 18);
	rsd_trace_free(t[0]);
	calls_release(&l);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("merge");
	TCase *walks = tcase_create("walks"), *shapes = tcase_create("shapes");
	TCase *rest = tcase_create("rest");
	SRunner *sr;
	int failed;

	tcase_set_timeout(walks, 120);
	tcase_set_timeout(shapes, 120);
	tcase_add_loop_test(walks, each_rank_gets_its_calls_back, 0, 100);
	tcase_add_loop_test(walks, flat_logs_are_renumbered, 0, 20);
	tcase_add_loop_test(walks, what_was_called_after_finalize_joins_at_the_end, 0, 2);
	tcase_add_loop_test(shapes, a_stencil_stays_one_loop, 0, 4);
	tcase_add_test(shapes, a_stencil_has_one_size_for_all_process_numbers);
	tcase_add_loop_test(shapes, a_loop_run_once_joins_the_loop, 0, 16);
	tcase_add_loop_test(shapes, differences_cost_a_node_each, 0, 20);
	tcase_add_test(shapes, long_sequences_are_cheap_whether_equal_or_not);
	tcase_add_test(shapes, shuffled_sequences_end_within_the_limit);
	tcase_add_test(rest, what_does_not_belong_together_is_refused);
	tcase_add_test(rest, an_incomplete_part_makes_the_whole_incomplete);
	suite_add_tcase(s, walks);
	suite_add_tcase(s, shapes);
	suite_add_tcase(s, rest);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
