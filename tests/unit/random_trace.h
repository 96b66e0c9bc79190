/*
 * random_trace.h - random programs, recorded into traces, for tests of what becomes of traces
 *
 * A program of some ranks calls functions that have parameters of every type: loops
 * of calls, mostly regular, with what is out of the ordinary (absent values,
 * odd strings, failed calls, nested calls, a second thread) thrown in. It is recorded into a
 * trace by streams and merging, and beside it as a flat trace.
 */
#ifndef RANDOM_TRACE_H
#define RANDOM_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "merge.h"
#include "stream.h"
#include "trace.h"
#include "util.h"

enum {
	WORLD = 1,
	PROC_NULL,
	MPI_INT_,
	MPI_DOUBLE_,
	UNWEIGHTED,
	ERR_TRUNCATE,
	STATUSES_IGNORE,
	NR_CONSTANTS
};
static const char *const random_constants[NR_CONSTANTS] = {
	"absent",
	"MPI_COMM_WORLD",
	"MPI_PROC_NULL",
	"MPI_INT",
	"MPI_DOUBLE",
	"MPI_UNWEIGHTED",
	"MPI_ERR_TRUNCATE",
	"MPI_STATUSES_IGNORE",
};

static const struct rsd_param random_barrier[] = { { "comm", RSD_T_INT, RSD_R_COMM, -1 } };
static const struct rsd_param random_send[] = {
	{ "buf", RSD_T_INT, RSD_R_BUFFER, -1 },
	{ "count", RSD_T_INT, RSD_R_INT, -1 },
	{ "datatype", RSD_T_INT, RSD_R_DATATYPE, -1 },
	{ "dest", RSD_T_INT, RSD_R_PEER, 5 },
	{ "tag", RSD_T_INT, RSD_R_TAG, -1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
};
static const struct rsd_param random_recv[] = {
	{ "source", RSD_T_INT, RSD_R_PEER, 1 },
	{ "comm", RSD_T_INT, RSD_R_COMM, -1 },
	{ "status", RSD_T_STATUS, RSD_R_STATUS, 1 },
};
static const struct rsd_param random_waitall[] = {
	{ "array_of_requests", RSD_T_INTS, RSD_R_REQUEST, -1 },
	{ "array_of_statuses", RSD_T_STATUSES, RSD_R_STATUS, -1 },
};
static const struct rsd_param random_open[] = {
	{ "filename", RSD_T_STRING, RSD_R_STRING, -1 },
	{ "fh", RSD_T_INT, RSD_R_FILE, -1 },
};
static const struct rsd_param random_spawn[] = { { "argv", RSD_T_STRINGS, RSD_R_STRING, -1 } };

#define RANDOM_FUNC(n, p, c, a, b)                                                                 \
	{                                                                                          \
		n, p, RSD_ARRAY_SIZE(p), c, a, b, -1, -1                                           \
	}
static const struct rsd_func random_funcs[] = {
	RANDOM_FUNC("MPI_Barrier", random_barrier, RSD_C_COLL, -1, -1),
	RANDOM_FUNC("MPI_Send", random_send, RSD_C_P2P, 1, 2),
	RANDOM_FUNC("MPI_Recv", random_recv, RSD_C_P2P, -1, -1),
	RANDOM_FUNC("MPI_Waitall", random_waitall, RSD_C_COMPLETION, -1, -1),
	RANDOM_FUNC("MPI_File_open", random_open, RSD_C_IO, -1, -1),
	RANDOM_FUNC("MPI_Comm_spawn", random_spawn, RSD_C_OTHER, -1, -1),
	{ 0 },
};
#define RANDOM_NR_FUNCS 6
#define RANDOM_THREADS 2

struct random_rank {
	struct rsd_stream stream[RANDOM_THREADS];
	struct rsd_buf log[RANDOM_THREADS];
	struct rsd_sigs sigs;
	struct rsd_strings strings;
	struct rsd_stream_context ctx;
	bool times, flat_only;
	bool foreign; /* a request of another thread was named */
	int64_t val[200];
	size_t nr;
	uint64_t calls;
};

/* What is under a test's control. */
struct random_options {
	int nprocs;
	bool times; /* each call's times are kept */
	void (*block)(struct random_rank *r, int thread,
		void *arg); /* called after some events, if not NULL */
	void *arg;
};

static const char *random_constant(int index, void *arg)
{
	(void)arg;
	return index >= 0 && index < NR_CONSTANTS ? random_constants[index] : NULL;
}

static bool random_shape(int64_t comm, int64_t *rank, int64_t *size, void *arg)
{
	struct random_rank *r = arg;

	*rank = r->ctx.rank;
	*size = r->ctx.nprocs;
	return comm == RSD_CONST(WORLD);
}

static void random_put(struct random_rank *r, int64_t v)
{
	if (r->nr < RSD_ARRAY_SIZE(r->val))
		r->val[r->nr++] = v;
}

static int64_t random_string(struct random_rank *r)
{
	static const char *const odd[] = { "data.bin", "", "a \"quoted\" \\ one", "tab\tnewline\n",
		"\xff\xc3(", "\xc3\xa4\xe2\x82\xac" };
	char s[20];
	size_t len;

	if (rand() % 4)
		return rsd_strings_intern(&r->strings, "file", 4);
	if (rand() % 2)
		return rsd_strings_intern(&r->strings, "a\0b", 3);
	if (rand() % 2) {
		const char *o = odd[rand() % 6];

		return rsd_strings_intern(&r->strings, o, strlen(o));
	}
	len = (size_t)snprintf(s, sizeof(s), "name%d", rand() % 20);
	return rsd_strings_intern(&r->strings, s, len);
}

static int64_t random_peer(struct random_rank *r)
{
	switch (rand() % 6) {
	case 0:
		return RSD_CONST(PROC_NULL);
	case 1:
		return rand() % r->ctx.nprocs;
	default:
		return (r->ctx.rank + 1) % r->ctx.nprocs;
	}
}

static int64_t random_request(struct random_rank *r, int i)
{
	if (rand() % 80 == 0) {
		r->foreign = true;
		return rsd_foreign(rand() % RANDOM_THREADS, (uint64_t)(i + rand() % 3));
	}
	return rand() % 9 ? i : -1 - i;
}

static void random_status(struct random_rank *r)
{
	int kind = rand() % 4;

	random_put(r, kind);
	if (kind < RSD_STATUS_KEPT)
		return;
	random_put(r, random_peer(r));
	random_put(r, rand() % 3);
	random_put(r, rand() % 5 ? 0 : RSD_CONST(ERR_TRUNCATE));
}

static void random_values(struct random_rank *r, int func, int64_t round)
{
	int n = rand() % 3 ? 2 : rand() % 5;

	r->nr = 0;
	switch (func) {
	case 0:
		random_put(r, rand() % 5 ? RSD_CONST(WORLD) : rand() % 3);
		break;
	case 1:
		random_put(r, 0);
		random_put(r, rand() % 9 ? 100 : rand());
		random_put(r, rand() % 4   ? RSD_CONST(MPI_INT_)
			      : rand() % 2 ? 3
					   : RSD_CONST(MPI_DOUBLE_));
		random_put(r, random_peer(r));
		random_put(r, rand() % 7   ? round
			      : rand() % 3 ? RSD_ABSENT
					   : (INT64_MAX >> rand() % 60) - 100);
		random_put(r, RSD_CONST(WORLD));
		break;
	case 2:
		random_put(r, random_peer(r));
		random_put(r, RSD_CONST(WORLD));
		random_status(r);
		break;
	case 3:
		random_put(r, n);
		for (int i = 0; i < n; i++)
			random_put(r, random_request(r, i));
		if (rand() % 4 == 0) {
			random_put(r, rand() % 2 ? RSD_CONST(STATUSES_IGNORE) : RSD_ABSENT);
			break;
		}
		random_put(r, n);
		for (int i = 0; i < n; i++)
			random_status(r);
		break;
	case 4:
		random_put(r, rand() % 9 ? random_string(r) : RSD_ABSENT);
		random_put(r, rand() % 4);
		break;
	default:
		random_put(r, rand() % 5 ? n : RSD_CONST(UNWEIGHTED));
		for (int i = 0; !rsd_is_const(r->val[0]) && i < n; i++)
			random_put(r, random_string(r));
	}
	random_put(r, rand() % 20 ? 0 : rand() % 2 ? RSD_CONST(ERR_TRUNCATE) : 17);
}

static int random_sig(struct random_rank *r, int func)
{
	struct rsd_frame frame[3];
	int app = rsd_sigs_module(&r->sigs, "/home/user/my app", "0123abcd");
	int lib = rsd_sigs_module(&r->sigs, "/usr/lib/libx_y.so.1", "");
	int plugin = rsd_sigs_module(&r->sigs, "/opt/libx_y.so.1", "ff");

	frame[0] = (struct rsd_frame){ rand() % 5 ? app : plugin, 0x1000 + (uint64_t)func * 16 };
	frame[1] = (struct rsd_frame){ rand() % 9 ? lib : -1, 0x200 };
	frame[2] = (struct rsd_frame){ app, 0xabcdef };
	if (rand() % 15 == 0)
		return -1;
	return rsd_sigs_intern(&r->sigs, frame, rand() % 15 ? 3 : (size_t)rand() % 3);
}

static void random_event(struct random_rank *r, int thread, int func, int64_t round)
{
	uint64_t before = r->times ? (uint64_t)(1 + rand() % 5000) : 0,
		 dur = r->times ? (uint64_t)(rand() % 900) : 0;
	int place = rsd_stream_place(
		&r->stream[thread], func, random_sig(r, func), rand() % 25 ? 0 : 1);

	random_values(r, func, round);
	rsd_flat_put(&r->log[thread], place, r->val, r->nr, before, dur);
	if (!r->flat_only)
		rsd_stream_append(&r->stream[thread], place, r->val, r->nr,
			r->times ? RSD_TIME_FULL : RSD_TIME_OFF, before, dur);
	r->calls++;
}

static void random_init(
	struct random_rank *r, const struct random_options *o, int rank, unsigned seed)
{
	*r = (struct random_rank){ .times = o->times };
	r->ctx = (struct rsd_stream_context){ rank, o->nprocs, &r->sigs, &r->strings, random_shape,
		random_constant, r, false };
	rsd_sigs_init(&r->sigs);
	for (int t = 0; t < RANDOM_THREADS; t++)
		rsd_stream_init(&r->stream[t], random_funcs, -1);
	srand(seed);
}

static void random_release(struct random_rank *r)
{
	for (int t = 0; t < RANDOM_THREADS; t++) {
		rsd_stream_release(&r->stream[t]);
		rsd_buf_release(&r->log[t]);
	}
	rsd_sigs_release(&r->sigs);
	rsd_strings_release(&r->strings);
}

/* The calls of one rank. All ranks of a program of one seed call nearly the same. */
static void random_run(struct random_rank *r, const struct random_options *o, unsigned seed)
{
	int body[5], nr = 1 + (int)(seed % 5);

	for (int i = 0; i < nr; i++)
		body[i] = rand() % RANDOM_NR_FUNCS;
	for (int part = 0; part < 1 + (int)(seed % 3); part++) {
		int rounds = rand() % 12, thread = rand() % 4 == 0;

		for (int64_t i = 0; i < rounds; i++) {
			for (int k = 0; k < nr; k++)
				if (rand() % 12)
					random_event(r, thread, body[k], i);
			if (o->block && rand() % 3 == 0)
				o->block(r, thread, o->arg);
		}
	}
}

static void random_describe(struct rsd_trace *t, const struct rsd_stream_context *ctx)
{
	struct rsd_object *o = rsd_trace_add_object(t, RSD_O_COMM, RSD_CONST(WORLD));
	struct rsd_column *c;
	int64_t attr[RSD_OBJECT_ATTRS] = { ctx->nprocs, ctx->rank, ctx->nprocs, 0 };

	for (int i = 0; i < RSD_OBJECT_ATTRS; i++) {
		c = rsd_column_new(false);
		rsd_column_append(c, attr[i]);
		rsd_params_set(&o->attr[i], ctx->rank, c, NULL);
	}
	o = rsd_trace_add_object(t, RSD_O_DATATYPE, 3);
	c = rsd_column_new(false);
	rsd_column_append(c, 24);
	rsd_params_set(&o->attr[0], ctx->rank, c, NULL);
	rsd_trace_set_constant(t, WORLD, random_constants[WORLD]);
	rsd_trace_set_meta(t, "program", "./a \"b\"");
	rsd_trace_set_meta(t, "level", "glob");
	t->complete = true;
}

/* The trace of one rank; its flat log is in r->log. */
static struct rsd_trace *random_rank_trace(struct random_rank *r)
{
	struct rsd_trace *t = rsd_trace_new(r->ctx.nprocs);

	rsd_ranks_append(&t->ranks, r->ctx.rank);
	for (int i = 0; i < RANDOM_THREADS; i++)
		if (r->stream[i].nr_places && rsd_stream_to_trace(&r->stream[i], i, &r->ctx, t))
			abort();
	random_describe(t, &r->ctx);
	if (rsd_trace_has_foreign(t) != r->foreign)
		abort();
	return t;
}

/* A whole program. */
static inline struct rsd_trace *random_trace(unsigned seed, bool times)
{
	struct random_options o = { .nprocs = 1 + (int)(seed % 5), .times = times };
	struct rsd_trace *t = NULL;
	bool foreign = false;

	for (int rank = 0; rank < o.nprocs; rank++) {
		struct random_rank r;
		struct rsd_trace *one;

		random_init(&r, &o, rank, seed % 3 ? seed : seed + (unsigned)rank);
		random_run(&r, &o, seed);
		one = random_rank_trace(&r);
		foreign |= r.foreign;
		random_release(&r);
		if (!t)
			t = one;
		else if (rsd_merge(t, one))
			abort();
	}
	if (rsd_trace_has_foreign(t) != foreign)
		abort();
	return t;
}

#endif
