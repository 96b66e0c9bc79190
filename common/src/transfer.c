#include <stdlib.h>
#include <string.h>

#include "coder.h"
#include "scan.h"
#include "transfer.h"
#include "util.h"

/*
 * Read are, too: 1, which had no moves, and constants were not shifted over; 2, which had no brackets in sets of ranks; 3, which
 * had histograms, frames and numbers of places as they are. A trace that has columns with references (ScalarParam.h) is of
 * version 5, which is otherwise as 4; or of 6, which has whole groups, and groups of loops, too. One that
 * knows of clocks or of the order of threads is of 7, which is otherwise as 6. All others are written as ever.
 */
#define VERSION 4
#define VERSION_SCALARS 5
#define VERSION_WHOLE 6
#define VERSION_CLOCKS 7 /* threads, clocks, order among the objects */

/* Before each node of a tree stands one number that says what it is. */
enum { NODE_END, NODE_LOOP, NODE_LOOP_RANKS, NODE_EVENT }; /* EVENT + 2 * step + has ranks */

enum { PLACE_TIMING = 1, PLACE_TIMES = 2, PLACE_SCALARS = 4 };

/* ---- what a model is told (coder.h) -------------------------------------------- */

/* Columns of places are told apart by function and number, others by these. */
enum { COLUMN_RANKS = 1000, COLUMN_LOOP, COLUMN_TIMES, COLUMN_SCALARS = 1004 };

static uint64_t key_of(const char *name)
{
	return rsd_sum(RSD_SUM_INIT, name, strlen(name));
}

static void begin_column(struct rsd_coder *c, unsigned nr, uint64_t key)
{
	if (c)
		rsd_coder_scope(c, rsd_hash_mix(key + nr), 0);
}

/* The times at a place are likely to be as those of the last place of its call site, or of its function. */
static void begin_times(struct rsd_coder *c, uint64_t func, uint64_t site)
{
	if (!c)
		return;
	rsd_coder_scope(c, site, func);
}

/* Of three: as many calls as before are expected to be the first ones, and the rest to be the others. */
static struct rsd_histogram_hints hints_first(const struct rsd_timing *t)
{
	return (struct rsd_histogram_hints){ 1, 0, t->before.nr };
}

static struct rsd_histogram_hints hints_dur(const struct rsd_timing *t)
{
	uint64_t first = t->dur_first.min;

	return (struct rsd_histogram_hints){ 2, t->before.nr - t->dur_first.nr,
		first ? 64 - (unsigned)__builtin_clzll(first) : 0 };
}

static uint64_t site_of(const struct rsd_trace *t, int sig)
{
	const struct rsd_sig *s = sig < 0 ? NULL : &t->sigs.sig[sig];
	const struct rsd_frame *f = s && s->nr ? &t->sigs.frame[s->first] : NULL;

	return f ? rsd_hash_mix(f->offset) + (uint64_t)f->module : 0;
}

/* ---- encoding ------------------------------------------------------------ */

static void put_cstr(struct rsd_buf *out, const char *s)
{
	rsd_buf_put_str(out, s, strlen(s));
}

static int version_of(const struct rsd_trace *t)
{
	return rsd_trace_has_clocks(t)		? VERSION_CLOCKS
	       : rsd_trace_has_whole_scalars(t) ? VERSION_WHOLE
	       : rsd_trace_has_scalars(t)	? VERSION_SCALARS
						: VERSION;
}

static void encode_header(const struct rsd_trace *t, struct rsd_buf *out)
{
	rsd_buf_field(out, RSD_FIELD_HEAD, 2);
	rsd_buf_put_uint(out, (uint64_t)version_of(t));
	rsd_buf_put_uint(out, (uint64_t)t->nprocs);
	rsd_ranks_encode(&t->ranks, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 3);
	rsd_buf_put_uint(out, t->complete ? 0 : t->incomplete_why ? 2 : 1);
	if (!t->complete && t->incomplete_why)
		put_cstr(out, t->incomplete_why);
	rsd_buf_field(out, RSD_FIELD_HEAD, 4);
	rsd_buf_put_uint(out, t->nr_meta);
	for (size_t i = 0; i < t->nr_meta; i++) {
		put_cstr(out, t->meta[i].key);
		put_cstr(out, t->meta[i].value);
	}
}

/* Only those that have a name: the index as the distance from the one before. */
static void encode_constants(const struct rsd_trace *t, struct rsd_buf *out)
{
	size_t nr = 0, before = 0;

	for (size_t i = 0; i < t->nr_constants; i++)
		nr += t->constant[i] != NULL;
	rsd_buf_field(out, RSD_FIELD_HEAD, 6);
	rsd_buf_put_uint(out, nr);
	for (size_t i = 0; i < t->nr_constants; i++) {
		if (!t->constant[i])
			continue;
		rsd_buf_field(out, RSD_FIELD_CONSTANT, before);
		rsd_buf_put_uint(out, i - before);
		put_cstr(out, t->constant[i]);
		before = i;
	}
}

static void encode_func(const struct rsd_func *f, struct rsd_buf *out)
{
	uint64_t name = key_of(f->name);

	put_cstr(out, f->name);
	rsd_buf_field(out, RSD_FIELD_FUNC, name);
	rsd_buf_put_byte(out, f->class);
	rsd_buf_put_int(out, f->sent_count);
	rsd_buf_put_int(out, f->sent_type);
	rsd_buf_put_int(out, f->recv_count);
	rsd_buf_put_int(out, f->recv_type);
	rsd_buf_field(out, RSD_FIELD_FUNC, name + 1);
	rsd_buf_put_uint(out, (uint64_t)f->nr_params);
	for (int i = 0; i < f->nr_params; i++) {
		const struct rsd_param *p = &f->param[i];

		put_cstr(out, p->name);
		rsd_buf_field(out, RSD_FIELD_PARAM, key_of(p->name));
		rsd_buf_put_byte(out, p->type);
		rsd_buf_put_byte(out, p->role);
		rsd_buf_put_uint(out, (uint64_t)(p->of + 1));
	}
}

static void encode_tables(const struct rsd_trace *t, struct rsd_buf *out)
{
	rsd_buf_field(out, RSD_FIELD_HEAD, 5);
	rsd_buf_put_uint(out, t->strings.nr);
	for (size_t i = 0; i < t->strings.nr; i++)
		rsd_buf_put_str(out, t->strings.str[i].s, t->strings.str[i].len);
	encode_constants(t, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 7);
	rsd_buf_put_uint(out, t->nr_funcs);
	for (size_t i = 0; i < t->nr_funcs; i++)
		encode_func(&t->func[i], out);
	rsd_sigs_encode(&t->sigs, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 8);
	rsd_buf_put_uint(out, t->nr_objects);
	for (size_t i = 0; i < t->nr_objects; i++) {
		const struct rsd_object *o = &t->object[i];

		rsd_buf_field(out, RSD_FIELD_OBJECT, 0);
		rsd_buf_put_byte(out, o->kind);
		rsd_buf_field(out, RSD_FIELD_OBJECT, 1);
		rsd_buf_put_int(out, o->id);
		for (int j = 0; j < rsd_object_nr_attrs((enum rsd_object_kind)o->kind); j++) {
			begin_column(out->coder, (unsigned)j, o->kind + 1);
			rsd_params_encode(&o->attr[j], out);
		}
	}
}

static void encode_timing(const struct rsd_timing *t, struct rsd_buf *out)
{
	struct rsd_histogram_hints k = { 0 };

	rsd_histogram_encode(&t->before, &k, out);
	k = hints_first(t);
	rsd_histogram_encode(&t->dur_first, &k, out);
	k = hints_dur(t);
	rsd_histogram_encode(&t->dur, &k, out);
}

static void encode_place(
	const struct rsd_trace *t, const struct rsd_place *p, int64_t sig, struct rsd_buf *out)
{
	int nr = rsd_func_columns(&t->func[p->func]);
	uint64_t key = out->coder ? key_of(t->func[p->func].name) : 0;
	bool scalars = p->scalars.nr && !t->drawn;

	rsd_buf_field(out, RSD_FIELD_PLACE_THREAD, 0);
	rsd_buf_put_uint(out, (uint64_t)p->thread);
	rsd_buf_field(out, RSD_FIELD_PLACE_FUNC, 0);
	rsd_buf_put_uint(out, (uint64_t)p->func);
	rsd_buf_field(out, RSD_FIELD_PLACE_SIG, 0);
	rsd_buf_put_int(out, p->sig - sig);
	rsd_buf_field(out, RSD_FIELD_PLACE_FLAGS, 0);
	rsd_buf_put_uint(out, (uint64_t)p->nested);
	rsd_buf_field(out, RSD_FIELD_PLACE_FLAGS, 1);
	rsd_buf_put_byte(out,
		(unsigned char)((p->has_timing ? PLACE_TIMING : 0) |
				(p->has_times ? PLACE_TIMES : 0) | (scalars ? PLACE_SCALARS : 0)));
	for (int i = 0; i < nr; i++) {
		begin_column(out->coder, (unsigned)i, key);
		rsd_params_encode(&p->col[i], out);
	}
	if (scalars) {
		begin_column(out->coder, COLUMN_SCALARS, 0);
		rsd_scalars_encode(&p->scalars, out);
	}
	if (p->has_timing) {
		begin_times(out->coder, key, site_of(t, p->sig));
		encode_timing(&p->timing, out);
	}
	if (p->has_times) {
		begin_column(out->coder, COLUMN_TIMES, 0);
		rsd_params_encode(&p->before_ns, out);
		begin_column(out->coder, COLUMN_TIMES + 1, 0);
		rsd_params_encode(&p->dur_ns, out);
	}
}

/* From the place that is expected, as a number that is 0 mostly: places are numbered as they first occur. */
static uint64_t step_to(int place, int64_t *next)
{
	int64_t step = place - *next;

	*next = place + (int64_t)1;
	return step < 0 ? (uint64_t)-step * 2 - 1 : (uint64_t)step * 2;
}

/* Goes through the nodes without recursion: into a loop's body, and up again at the end of it. */
static void encode_tree(const struct rsd_tree *tree, bool scalars, struct rsd_buf *out)
{
	const struct rsd_node *n = tree->first, *up = NULL;
	int64_t next = 0; /* the place that is expected */

	rsd_buf_field(out, RSD_FIELD_PLACE_THREAD, 1);
	rsd_buf_put_uint(out, (uint64_t)tree->thread);
	for (;;) {
		rsd_buf_field(out, RSD_FIELD_NODE, 0);
		if (!n) {
			rsd_buf_put_uint(out, NODE_END);
			if (!up)
				return;
			n = up->next;
			up = up->parent;
			continue;
		}
		if (n->place < 0)
			rsd_buf_put_uint(out, n->ranks ? NODE_LOOP_RANKS : NODE_LOOP);
		else
			rsd_buf_put_uint(out,
				NODE_EVENT + 2 * step_to(n->place, &next) + (n->ranks != NULL));
		if (n->ranks) {
			begin_column(out->coder, COLUMN_RANKS, 0);
			rsd_ranks_encode(n->ranks, out);
		}
		if (n->place < 0) {
			begin_column(out->coder, COLUMN_LOOP, 0);
			rsd_params_encode(&n->count, out);
			if (scalars) {
				begin_column(out->coder, COLUMN_SCALARS, 0);
				rsd_scalars_encode(&n->scalars, out);
			}
			up = n;
			n = n->first;
		} else {
			n = n->next;
		}
	}
}

void rsd_trace_encode(const struct rsd_trace *t, struct rsd_buf *out)
{
	bool whole = version_of(t) >= VERSION_WHOLE;

	encode_header(t, out);
	encode_tables(t, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 9);
	rsd_buf_put_uint(out, t->nr_places);
	for (size_t i = 0; i < t->nr_places; i++)
		encode_place(t, &t->place[i], i ? t->place[i - 1].sig + (int64_t)1 : 0, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 10);
	rsd_buf_put_uint(out, t->nr_trees);
	for (size_t i = 0; i < t->nr_trees; i++)
		encode_tree(&t->tree[i], whole, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 11);
	rsd_buf_put_uint(out, t->nr_logs);
	for (size_t i = 0; i < t->nr_logs; i++) {
		const struct rsd_log *l = &t->log[i];

		rsd_buf_field(out, RSD_FIELD_LOG, 0);
		rsd_buf_put_uint(out, (uint64_t)l->rank);
		rsd_buf_put_uint(out, (uint64_t)l->thread);
		rsd_buf_put_str(out, (const char *)l->bytes.data, l->bytes.len);
	}
}

/* ---- decoding ------------------------------------------------------------ */

struct decoder {
	struct rsd_reader *in;
	struct rsd_trace *t;
	struct rsd_buf *why;
	int version, err;
	int64_t next; /* the signature, or the place, that is expected */
};

static int fail(struct decoder *d, int err, const char *what)
{
	if (!d->err) {
		d->err = err;
		if (d->why)
			rsd_buf_printf(d->why, "offset %zu: %s", d->in->pos,
				err == RSD_ERR_FORMAT ? what : rsd_strerror(err));
	}
	return d->err;
}

/* After reads: passes the reader's error on. */
static int check(struct decoder *d, const char *what)
{
	return d->in->err ? fail(d, d->in->err, what) : d->err;
}

static size_t get_count(struct decoder *d, size_t min_len, const char *what)
{
	size_t nr = rsd_reader_count(d->in, min_len);

	return check(d, what) ? 0 : nr;
}

static int get_int(struct decoder *d, int max, const char *what)
{
	uint64_t v = rsd_reader_uint(d->in);

	if (!check(d, what) && v > (uint64_t)max)
		fail(d, RSD_ERR_FORMAT, what);
	return d->err ? 0 : (int)v;
}

/* A C string (freed by the caller), or NULL in error. */
static char *get_cstr(struct decoder *d, const char *what)
{
	char *copy;

	if (check(d, what))
		return NULL;
	copy = rsd_reader_cstr(d->in);
	check(d, what);
	return copy;
}

static void decode_meta(struct decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 4);
	nr = get_count(d, 2, "meta data");
	if (nr > RSD_TRACE_MAX_META)
		fail(d, RSD_ERR_FORMAT, "too many meta keys");
	for (size_t i = 0; !d->err && i < nr; i++) {
		char *key = get_cstr(d, "meta key"), *value = get_cstr(d, "meta value");

		if (!d->err && rsd_trace_get_meta(d->t, key))
			fail(d, RSD_ERR_FORMAT, "meta key given twice");
		if (!d->err) {
			int err = rsd_trace_set_meta(d->t, key, value);

			if (err)
				fail(d, err, "meta data");
		}
		free(key);
		free(value);
	}
}

static void decode_header(struct decoder *d)
{
	int nprocs, state, err;
	uint64_t version;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 2);
	version = rsd_reader_uint(d->in);
	if (!check(d, "version") && (version < 1 || version > VERSION_CLOCKS))
		fail(d, RSD_ERR_FORMAT, "not a version this program reads");
	d->version = (int)version;
	nprocs = get_int(d, RSD_TRACE_MAX_RANKS, "size of the world");
	if (!d->err && !nprocs)
		fail(d, RSD_ERR_FORMAT, "size of the world");
	if (d->err)
		return;
	d->t = rsd_trace_new(nprocs);
	if (!d->t) {
		fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	rsd_ranks_release(&d->t->ranks);
	err = rsd_ranks_decode(&d->t->ranks, d->in, nprocs);
	if (err)
		fail(d, err, "ranks of the trace");
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 3);
	state = get_int(d, 2, "state of the trace");
	d->t->complete = !d->err && state == 0;
	if (state == 2)
		d->t->incomplete_why = get_cstr(d, "reason of incompleteness");
	decode_meta(d);
}

static void decode_strings(struct decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 5);
	nr = get_count(d, 1, "string table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		size_t len;
		const char *s = rsd_reader_str(d->in, &len);
		int id;

		if (check(d, "string"))
			return;
		id = rsd_strings_intern(&d->t->strings, s, len);
		if (id < 0)
			fail(d, id, "string");
		else if ((size_t)id != i)
			fail(d, RSD_ERR_FORMAT, "string given twice");
	}
}

static void decode_constants(struct decoder *d)
{
	int index = 0, step;
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 6);
	nr = get_count(d, 2, "constant table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		char *name;

		rsd_reader_field(d->in, RSD_FIELD_CONSTANT, (unsigned)index);
		step = get_int(d, RSD_CONST_MAX - 1 - index, "constant's index");
		name = get_cstr(d, "constant's name");
		if (!d->err && i && !step)
			fail(d, RSD_ERR_FORMAT, "constant given twice");
		index += step;
		if (!d->err) {
			int err = rsd_trace_set_constant(d->t, index, name);

			if (err)
				fail(d, err, "constant");
		}
		free(name);
	}
}

static int8_t get_param_index(struct decoder *d)
{
	int64_t v = rsd_reader_int(d->in);

	if (!check(d, "function") && (v < -1 || v > INT8_MAX))
		fail(d, RSD_ERR_FORMAT, "function: index of a parameter");
	return d->err ? -1 : (int8_t)v;
}

/* The parameters' names are allocated one by one until the trace has made its own copy. */
static void decode_params(struct decoder *d, struct rsd_func *f, struct rsd_param *param)
{
	for (int i = 0; !d->err && i < f->nr_params; i++) {
		struct rsd_param *p = &param[i];

		p->name = get_cstr(d, "parameter's name");
		if (d->err)
			return;
		rsd_reader_field(d->in, RSD_FIELD_PARAM, key_of(p->name));
		p->type = rsd_reader_byte(d->in);
		p->role = rsd_reader_byte(d->in);
		p->of = (int16_t)(get_int(d, f->nr_params, "communicator of a peer") - 1);
	}
}

static void decode_func(struct decoder *d)
{
	struct rsd_func f = { .name = get_cstr(d, "function's name") };
	struct rsd_param *param = NULL;
	uint64_t name = f.name ? key_of(f.name) : 0;
	size_t id = d->t->nr_funcs;

	rsd_reader_field(d->in, RSD_FIELD_FUNC, name);
	f.class = rsd_reader_byte(d->in);
	f.sent_count = get_param_index(d);
	f.sent_type = get_param_index(d);
	f.recv_count = get_param_index(d);
	f.recv_type = get_param_index(d);
	rsd_reader_field(d->in, RSD_FIELD_FUNC, name + 1);
	f.nr_params = get_int(d, RSD_TRACE_MAX_PARAMS, "number of parameters");
	if (!d->err) {
		param = rsd_calloc((size_t)f.nr_params + 1, sizeof(*param));
		if (!param)
			fail(d, RSD_ERR_NOMEM, "");
	}
	if (param) {
		f.param = param;
		decode_params(d, &f, param);
	}
	if (!d->err && !rsd_func_is_valid(&f))
		fail(d, RSD_ERR_FORMAT, "function of an impossible shape");
	if (!d->err) {
		int ret = rsd_trace_func(d->t, &f);

		if (ret < 0)
			fail(d, ret, "function");
		else if ((size_t)ret != id)
			fail(d, RSD_ERR_FORMAT, "function given twice");
	}
	for (int i = 0; param && i < f.nr_params; i++)
		free((char *)param[i].name);
	free(param);
	free((char *)f.name);
}

static void decode_columns(struct decoder *d, struct rsd_params *p)
{
	int err;

	if (d->err)
		return;
	rsd_params_release(p);
	err = rsd_params_decode(p, d->in, d->t->nprocs);
	if (err)
		fail(d, err, "column");
}

static void decode_objects(struct decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 8);
	nr = get_count(d, 2, "object table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		struct rsd_object *o;
		int64_t id;
		int kind;

		rsd_reader_field(d->in, RSD_FIELD_OBJECT, 0);
		kind = rsd_reader_byte(d->in);
		rsd_reader_field(d->in, RSD_FIELD_OBJECT, 1);
		id = rsd_reader_int(d->in);
		if (!check(d, "object") && kind >= RSD_NR_OBJECT_KINDS)
			fail(d, RSD_ERR_FORMAT, "object of unknown kind");
		if (!d->err && !rsd_trace_object_is_next(d->t, kind, id))
			fail(d, RSD_ERR_FORMAT, "object out of order");
		if (d->err)
			return;
		o = rsd_trace_add_object(d->t, (enum rsd_object_kind)kind, id);
		if (!o) {
			fail(d, RSD_ERR_NOMEM, "");
			return;
		}
		for (int j = 0; j < rsd_object_nr_attrs((enum rsd_object_kind)kind); j++) {
			begin_column(d->in->coder, (unsigned)j, (unsigned)kind + 1);
			decode_columns(d, &o->attr[j]);
		}
	}
}

static void decode_histogram(
	struct decoder *d, struct rsd_histogram *h, struct rsd_histogram_hints k)
{
	int err;

	if (d->err)
		return;
	rsd_histogram_release(h);
	err = d->version < 4 ? rsd_histogram_decode_3(h, d->in)
			     : rsd_histogram_decode(h, &k, d->in);
	if (err)
		fail(d, err, "histogram");
}

static void decode_timing(struct decoder *d, struct rsd_timing *t)
{
	const struct rsd_histogram_hints none = { 0 };

	if (d->version < 4)
		decode_histogram(d, &t->dur, none);
	decode_histogram(d, &t->before, none);
	decode_histogram(d, &t->dur_first, hints_first(t));
	if (d->version >= 4)
		decode_histogram(d, &t->dur, hints_dur(t));
}

struct head { /* of a place */
	int thread, func, sig, nested, flags;
};

static struct head decode_head(struct decoder *d)
{
	struct head h = { 0 };
	int64_t sig;

	rsd_reader_field(d->in, RSD_FIELD_PLACE_THREAD, 0);
	h.thread = get_int(d, INT32_MAX, "place's thread");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FUNC, 0);
	h.func = get_int(d, INT32_MAX, "place's function");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_SIG, 0);
	if (d->version < 4) {
		sig = (int64_t)get_int(d, INT32_MAX, "place's signature") - 1;
	} else {
		sig = rsd_reader_int(d->in);
		check(d, "place's signature");
		if (sig < -(int64_t)INT32_MAX || sig > INT32_MAX)
			fail(d, RSD_ERR_FORMAT, "place's signature");
		sig = d->err ? -1 : sig + d->next;
	}
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FLAGS, 0);
	h.nested = get_int(d, RSD_TRACE_MAX_NESTED, "place's nesting");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FLAGS, 1);
	h.flags = get_int(d,
		PLACE_TIMING | PLACE_TIMES | (d->version < VERSION_SCALARS ? 0 : PLACE_SCALARS),
		"place's flags");
	if (!d->err && ((size_t)h.func >= d->t->nr_funcs || sig < -1 ||
			       sig >= (int64_t)d->t->sigs.nr_sigs))
		fail(d, RSD_ERR_FORMAT, "place of an unknown function or signature");
	d->next = sig + 1;
	h.sig = d->err ? -1 : (int)sig;
	return h;
}

static void decode_scalars(struct decoder *d, struct rsd_scalars *s, int nr_cols)
{
	int err;

	if (d->err)
		return;
	begin_column(d->in->coder, COLUMN_SCALARS, 0);
	err = rsd_scalars_decode(s, nr_cols, d->version >= VERSION_WHOLE, d->in, d->t->nprocs);
	if (err)
		fail(d, err, "histograms of values");
}

static void decode_place(struct decoder *d)
{
	struct rsd_trace *t = d->t;
	size_t id = t->nr_places;
	struct head h = decode_head(d);
	struct rsd_place *p;
	uint64_t key;
	int ret, nr;

	if (d->err)
		return;
	ret = rsd_trace_place(t, h.thread, h.func, h.sig, h.nested);
	if (ret < 0 || (size_t)ret != id) {
		fail(d, ret < 0 ? ret : RSD_ERR_FORMAT, "place given twice");
		return;
	}
	p = &t->place[id];
	nr = rsd_func_columns(&t->func[h.func]);
	key = d->in->coder ? key_of(t->func[h.func].name) : 0;
	for (int i = 0; i < nr; i++) {
		begin_column(d->in->coder, (unsigned)i, key);
		decode_columns(d, &p->col[i]);
	}
	if (h.flags & PLACE_SCALARS)
		decode_scalars(d, &p->scalars, nr);
	p->has_timing = h.flags & PLACE_TIMING;
	p->has_times = h.flags & PLACE_TIMES;
	if (p->has_timing) {
		begin_times(d->in->coder, key, site_of(t, p->sig));
		decode_timing(d, &p->timing);
	}
	if (p->has_times) {
		begin_column(d->in->coder, COLUMN_TIMES, 0);
		decode_columns(d, &p->before_ns);
		begin_column(d->in->coder, COLUMN_TIMES + 1, 0);
		decode_columns(d, &p->dur_ns);
	}
}

static void decode_loop_scalars(struct decoder *d, struct rsd_scalars *s)
{
	decode_scalars(d, s, 1);
	for (size_t i = 0; i < s->nr && !d->err; i++)
		if (!s->s[i].whole)
			fail(d, RSD_ERR_FORMAT, "loop counts that are dealt out");
}

static struct rsd_ranks *decode_ranks(struct decoder *d)
{
	struct rsd_ranks *r = rsd_calloc(1, sizeof(*r));
	int err;

	if (!r) {
		fail(d, RSD_ERR_NOMEM, "");
		return NULL;
	}
	err = rsd_ranks_decode(r, d->in, d->t->nprocs);
	if (err) {
		fail(d, err, "participants");
		rsd_ranks_release(r);
		free(r);
		return NULL;
	}
	return r;
}

/* The inverse of step_to(). */
static uint64_t place_of(struct decoder *d, uint64_t step)
{
	uint64_t place = (uint64_t)d->next + (step & 1 ? 0 - (step + 1) / 2 : step / 2);

	if (d->version < 4)
		return step;
	d->next = (int64_t)(place + 1);
	return place;
}

/* Reads one node that is not an end and links it; returns the loop whose body comes next. */
static struct rsd_node *decode_node(
	struct decoder *d, struct rsd_tree *tree, struct rsd_node *up, uint64_t what)
{
	bool loop = what < NODE_EVENT;
	uint64_t place = loop ? 0 : place_of(d, (what - NODE_EVENT) / 2);
	struct rsd_node *n;

	if (!loop && place >= d->t->nr_places) {
		fail(d, RSD_ERR_FORMAT, "place that is not in the table");
		return NULL;
	}
	n = rsd_node_new(loop ? -1 : (int)place);
	if (!n) {
		fail(d, RSD_ERR_NOMEM, "");
		return NULL;
	}
	rsd_node_append(tree, up, n);
	if (loop ? what == NODE_LOOP_RANKS : (what - NODE_EVENT) & 1) {
		begin_column(d->in->coder, COLUMN_RANKS, 0);
		n->ranks = decode_ranks(d);
	}
	if (loop) {
		begin_column(d->in->coder, COLUMN_LOOP, 0);
		decode_columns(d, &n->count);
		if (d->version >= VERSION_WHOLE)
			decode_loop_scalars(d, &n->scalars);
	}
	return loop ? n : up;
}

static void decode_tree(struct decoder *d)
{
	int thread, depth = 0;
	struct rsd_tree *tree;
	struct rsd_node *up = NULL, *in;

	rsd_reader_field(d->in, RSD_FIELD_PLACE_THREAD, 1);
	thread = get_int(d, INT32_MAX, "tree's thread");
	d->next = 0;
	if (!d->err && !rsd_trace_tree_is_next(d->t, thread))
		fail(d, RSD_ERR_FORMAT, "tree out of order");
	if (d->err)
		return;
	tree = rsd_trace_tree(d->t, thread);
	if (!tree) {
		fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	while (!d->err) {
		uint64_t what;

		rsd_reader_field(d->in, RSD_FIELD_NODE, 0);
		what = rsd_reader_uint(d->in);
		if (check(d, "tree"))
			return;
		if (what == NODE_END) {
			if (!up)
				return;
			if (!up->first)
				fail(d, RSD_ERR_FORMAT, "loop body of 0 nodes");
			up = up->parent;
			depth--;
			continue;
		}
		in = decode_node(d, tree, up, what);
		if (in != up && ++depth > RSD_TREE_DEPTH)
			fail(d, RSD_ERR_FORMAT, "loops too deep");
		up = in;
	}
}

static void decode_log(struct decoder *d)
{
	struct rsd_trace *t = d->t;
	struct rsd_log *l;
	const char *bytes;
	int rank, thread;
	size_t len;

	rsd_reader_field(d->in, RSD_FIELD_LOG, 0);
	rank = get_int(d, t->nprocs - 1, "log's rank");
	thread = get_int(d, INT32_MAX, "log's thread");
	bytes = rsd_reader_str(d->in, &len);
	if (check(d, "log"))
		return;
	l = rsd_trace_add_log(t, rank, thread);
	if (!l) {
		fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	rsd_buf_put(&l->bytes, bytes, len);
	if (l->bytes.err)
		fail(d, l->bytes.err, "log");
}

static void decode_all(struct decoder *d)
{
	size_t nr;

	decode_header(d);
	if (d->err)
		return;
	decode_strings(d);
	decode_constants(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 7);
	nr = get_count(d, 7, "function table");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_func(d);
	if (!d->err) {
		int err;

		rsd_sigs_release(&d->t->sigs);
		err = d->version < 4 ? rsd_sigs_decode_3(&d->t->sigs, d->in)
				     : rsd_sigs_decode(&d->t->sigs, d->in);
		if (err)
			fail(d, err, "modules and signatures");
	}
	decode_objects(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 9);
	nr = get_count(d, 6, "place table");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_place(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 10);
	nr = get_count(d, 2, "number of trees");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_tree(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 11);
	nr = get_count(d, 3, "number of logs");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_log(d);
}

int rsd_trace_decode(struct rsd_trace **out, struct rsd_reader *in, struct rsd_buf *why)
{
	struct decoder d = { .in = in, .why = why };

	*out = NULL;
	decode_all(&d);
	if (!d.err)
		d.err = rsd_trace_verify(d.t, why);
	if (d.err) {
		if (d.t)
			rsd_trace_free(d.t);
		return d.err;
	}
	*out = d.t;
	return 0;
}
