#include "transfer_impl.h"

#include <stdlib.h>
#include "util.h"

/* ---- what is read everywhere --------------------------------------------------- */

int rsd_decoder_fail(struct rsd_decoder *d, int err, const char *what)
{
	if (!d->err) {
		d->err = err;
		if (d->why)
			rsd_buf_printf(d->why, "offset %zu: %s", d->in->pos,
				err == RSD_ERR_FORMAT ? what : rsd_strerror(err));
	}
	return d->err;
}

int rsd_decoder_check(struct rsd_decoder *d, const char *what)
{
	return d->in->err ? rsd_decoder_fail(d, d->in->err, what) : d->err;
}

size_t rsd_decoder_count(struct rsd_decoder *d, size_t min_len, const char *what)
{
	size_t nr = rsd_reader_count(d->in, min_len);

	return rsd_decoder_check(d, what) ? 0 : nr;
}

int rsd_decoder_int(struct rsd_decoder *d, int max, const char *what)
{
	uint64_t v = rsd_reader_uint(d->in);

	if (!rsd_decoder_check(d, what) && v > (uint64_t)max)
		rsd_decoder_fail(d, RSD_ERR_FORMAT, what);
	return d->err ? 0 : (int)v;
}

void rsd_decoder_columns(struct rsd_decoder *d, struct rsd_params *p)
{
	int err;

	if (d->err)
		return;
	rsd_params_release(p);
	err = rsd_params_decode(p, d->in, d->t->nprocs);
	if (err)
		rsd_decoder_fail(d, err, "column");
}

/* ---- header and tables ---------------------------------------------------------- */

/* A C string (freed by the caller), or NULL in error. */
static char *get_cstr(struct rsd_decoder *d, const char *what)
{
	char *copy;

	if (rsd_decoder_check(d, what))
		return NULL;
	copy = rsd_reader_cstr(d->in);
	rsd_decoder_check(d, what);
	return copy;
}

static void decode_meta(struct rsd_decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 4);
	nr = rsd_decoder_count(d, 2, "meta data");
	if (nr > RSD_TRACE_MAX_META)
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "too many meta keys");
	for (size_t i = 0; !d->err && i < nr; i++) {
		char *key = get_cstr(d, "meta key"), *value = get_cstr(d, "meta value");

		if (!d->err && rsd_trace_get_meta(d->t, key))
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "meta key given twice");
		if (!d->err) {
			int err = rsd_trace_set_meta(d->t, key, value);

			if (err)
				rsd_decoder_fail(d, err, "meta data");
		}
		free(key);
		free(value);
	}
}

static void decode_header(struct rsd_decoder *d)
{
	int nprocs, state, err;
	uint64_t version;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 2);
	version = rsd_reader_uint(d->in);
	if (!rsd_decoder_check(d, "version") && (version < 1 || version > RSD_BINARY_FOREIGN))
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "not a version this program reads");
	d->version = (int)version;
	nprocs = rsd_decoder_int(d, RSD_TRACE_MAX_RANKS, "size of the world");
	if (!d->err && !nprocs)
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "size of the world");
	if (d->err)
		return;
	d->t = rsd_trace_new(nprocs);
	if (!d->t) {
		rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	rsd_ranks_release(&d->t->ranks);
	err = rsd_ranks_decode(&d->t->ranks, d->in, nprocs);
	if (err)
		rsd_decoder_fail(d, err, "ranks of the trace");
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 3);
	state = rsd_decoder_int(d, 2, "state of the trace");
	d->t->complete = !d->err && state == 0;
	if (state == 2)
		d->t->incomplete_why = get_cstr(d, "reason of incompleteness");
	decode_meta(d);
}

static void decode_strings(struct rsd_decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 5);
	nr = rsd_decoder_count(d, 1, "string table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		size_t len;
		const char *s = rsd_reader_str(d->in, &len);
		int id;

		if (rsd_decoder_check(d, "string"))
			return;
		id = rsd_strings_intern(&d->t->strings, s, len);
		if (id < 0)
			rsd_decoder_fail(d, id, "string");
		else if ((size_t)id != i)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "string given twice");
	}
}

static void decode_constants(struct rsd_decoder *d)
{
	int index = 0, step;
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 6);
	nr = rsd_decoder_count(d, 2, "constant table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		char *name;

		rsd_reader_field(d->in, RSD_FIELD_CONSTANT, (unsigned)index);
		step = rsd_decoder_int(d, RSD_CONST_MAX - 1 - index, "constant's index");
		name = get_cstr(d, "constant's name");
		if (!d->err && i && !step)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "constant given twice");
		index += step;
		if (!d->err) {
			int err = rsd_trace_set_constant(d->t, index, name);

			if (err)
				rsd_decoder_fail(d, err, "constant");
		}
		free(name);
	}
}

static int8_t get_param_index(struct rsd_decoder *d)
{
	int64_t v = rsd_reader_int(d->in);

	if (!rsd_decoder_check(d, "function") && (v < -1 || v > INT8_MAX))
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "function: index of a parameter");
	return d->err ? -1 : (int8_t)v;
}

/* The parameters' names are allocated one by one until the trace has made its own copy. */
static void decode_params(struct rsd_decoder *d, struct rsd_func *f, struct rsd_param *param)
{
	for (int i = 0; !d->err && i < f->nr_params; i++) {
		struct rsd_param *p = &param[i];

		p->name = get_cstr(d, "parameter's name");
		if (d->err)
			return;
		rsd_reader_field(d->in, RSD_FIELD_PARAM, rsd_transfer_key(p->name));
		p->type = rsd_reader_byte(d->in);
		p->role = rsd_reader_byte(d->in);
		p->of = (int16_t)(rsd_decoder_int(d, f->nr_params, "communicator of a peer") - 1);
	}
}

static void decode_func(struct rsd_decoder *d)
{
	struct rsd_func f = { .name = get_cstr(d, "function's name") };
	struct rsd_param *param = NULL;
	uint64_t name = f.name ? rsd_transfer_key(f.name) : 0;
	size_t id = d->t->nr_funcs;

	rsd_reader_field(d->in, RSD_FIELD_FUNC, name);
	f.class = rsd_reader_byte(d->in);
	f.sent_count = get_param_index(d);
	f.sent_type = get_param_index(d);
	f.recv_count = get_param_index(d);
	f.recv_type = get_param_index(d);
	rsd_reader_field(d->in, RSD_FIELD_FUNC, name + 1);
	f.nr_params = rsd_decoder_int(d, RSD_TRACE_MAX_PARAMS, "number of parameters");
	if (!d->err) {
		param = rsd_calloc((size_t)f.nr_params + 1, sizeof(*param));
		if (!param)
			rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
	}
	if (param) {
		f.param = param;
		decode_params(d, &f, param);
	}
	if (!d->err && !rsd_func_is_valid(&f))
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "function of an impossible shape");
	if (!d->err) {
		int ret = rsd_trace_func(d->t, &f);

		if (ret < 0)
			rsd_decoder_fail(d, ret, "function");
		else if ((size_t)ret != id)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "function given twice");
	}
	for (int i = 0; param && i < f.nr_params; i++)
		free((char *)param[i].name);
	free(param);
	free((char *)f.name);
}

static void decode_objects(struct rsd_decoder *d)
{
	size_t nr;

	rsd_reader_field(d->in, RSD_FIELD_HEAD, 8);
	nr = rsd_decoder_count(d, 2, "object table");
	for (size_t i = 0; !d->err && i < nr; i++) {
		struct rsd_object *o;
		int64_t id;
		int kind;

		rsd_reader_field(d->in, RSD_FIELD_OBJECT, 0);
		kind = rsd_reader_byte(d->in);
		rsd_reader_field(d->in, RSD_FIELD_OBJECT, 1);
		id = rsd_reader_int(d->in);
		if (!rsd_decoder_check(d, "object") && kind >= RSD_NR_OBJECT_KINDS)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "object of unknown kind");
		if (!d->err && !rsd_trace_object_is_next(d->t, kind, id))
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "object out of order");
		if (d->err)
			return;
		o = rsd_trace_add_object(d->t, (enum rsd_object_kind)kind, id);
		if (!o) {
			rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
			return;
		}
		for (int j = 0; j < rsd_object_nr_attrs((enum rsd_object_kind)kind); j++) {
			rsd_transfer_column(d->in->coder, (unsigned)j, (unsigned)kind + 1);
			rsd_decoder_columns(d, &o->attr[j]);
		}
	}
}

static void decode_log(struct rsd_decoder *d)
{
	struct rsd_trace *t = d->t;
	struct rsd_log *l;
	const char *bytes;
	int rank, thread;
	size_t len;

	rsd_reader_field(d->in, RSD_FIELD_LOG, 0);
	rank = rsd_decoder_int(d, t->nprocs - 1, "log's rank");
	thread = rsd_decoder_int(d, INT32_MAX, "log's thread");
	bytes = rsd_reader_str(d->in, &len);
	if (rsd_decoder_check(d, "log"))
		return;
	l = rsd_trace_add_log(t, rank, thread);
	if (!l) {
		rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	rsd_buf_put(&l->bytes, bytes, len);
	if (l->bytes.err)
		rsd_decoder_fail(d, l->bytes.err, "log");
}

static void decode_all(struct rsd_decoder *d)
{
	size_t nr;

	decode_header(d);
	if (d->err)
		return;
	decode_strings(d);
	decode_constants(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 7);
	nr = rsd_decoder_count(d, 7, "function table");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_func(d);
	if (!d->err) {
		int err;

		rsd_sigs_release(&d->t->sigs);
		err = d->version < 4 ? rsd_sigs_decode_3(&d->t->sigs, d->in)
				     : rsd_sigs_decode(&d->t->sigs, d->in);
		if (err)
			rsd_decoder_fail(d, err, "modules and signatures");
	}
	decode_objects(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 9);
	nr = rsd_decoder_count(d, 6, "place table");
	for (size_t i = 0; !d->err && i < nr; i++)
		rsd_decoder_place(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 10);
	nr = rsd_decoder_count(d, 2, "number of trees");
	for (size_t i = 0; !d->err && i < nr; i++)
		rsd_decoder_tree(d);
	rsd_reader_field(d->in, RSD_FIELD_HEAD, 11);
	nr = rsd_decoder_count(d, 3, "number of logs");
	for (size_t i = 0; !d->err && i < nr; i++)
		decode_log(d);
}

int rsd_trace_decode(struct rsd_trace **out, struct rsd_reader *in, struct rsd_buf *why)
{
	struct rsd_decoder d = { .in = in, .why = why };

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
