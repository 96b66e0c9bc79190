#include "transfer_impl.h"

#include <stdlib.h>
#include "util.h"

/* ---- places ------------------------------------------------------------------------ */

static void decode_histogram(
	struct rsd_decoder *d, struct rsd_histogram *h, struct rsd_histogram_hints k)
{
	int err;

	if (d->err)
		return;
	rsd_histogram_release(h);
	err = d->version < 4 ? rsd_histogram_decode_3(h, d->in)
			     : rsd_histogram_decode(h, &k, d->in);
	if (err)
		rsd_decoder_fail(d, err, "histogram");
}

static void decode_timing(struct rsd_decoder *d, struct rsd_timing *t)
{
	const struct rsd_histogram_hints none = { 0 };

	if (d->version < 4)
		decode_histogram(d, &t->dur, none);
	decode_histogram(d, &t->before, none);
	decode_histogram(d, &t->dur_first, rsd_transfer_hints_first(t));
	if (d->version >= 4)
		decode_histogram(d, &t->dur, rsd_transfer_hints_dur(t));
}

struct head { /* of a place */
	int thread, func, sig, nested, flags;
};

static struct head decode_head(struct rsd_decoder *d)
{
	struct head h = { 0 };
	int64_t sig;

	rsd_reader_field(d->in, RSD_FIELD_PLACE_THREAD, 0);
	h.thread = rsd_decoder_int(d, INT32_MAX, "place's thread");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FUNC, 0);
	h.func = rsd_decoder_int(d, INT32_MAX, "place's function");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_SIG, 0);
	if (d->version < 4) {
		sig = (int64_t)rsd_decoder_int(d, INT32_MAX, "place's signature") - 1;
	} else {
		sig = rsd_reader_int(d->in);
		rsd_decoder_check(d, "place's signature");
		if (sig < -(int64_t)INT32_MAX || sig > INT32_MAX)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "place's signature");
		sig = d->err ? -1 : sig + d->next;
	}
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FLAGS, 0);
	h.nested = rsd_decoder_int(d, RSD_TRACE_MAX_NESTED, "place's nesting");
	rsd_reader_field(d->in, RSD_FIELD_PLACE_FLAGS, 1);
	h.flags = rsd_decoder_int(d,
		RSD_PLACE_TIMING | RSD_PLACE_TIMES |
			(d->version < RSD_BINARY_SCALARS ? 0 : RSD_PLACE_SCALARS),
		"place's flags");
	if (!d->err && ((size_t)h.func >= d->t->nr_funcs || sig < -1 ||
			       sig >= (int64_t)d->t->sigs.nr_sigs))
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "place of an unknown function or signature");
	d->next = sig + 1;
	h.sig = d->err ? -1 : (int)sig;
	return h;
}

static void decode_scalars(struct rsd_decoder *d, struct rsd_scalars *s, int nr_cols)
{
	int err;

	if (d->err)
		return;
	rsd_transfer_column(d->in->coder, RSD_COLUMN_SCALARS, 0);
	err = rsd_scalars_decode(s, nr_cols, d->version >= RSD_BINARY_WHOLE, d->in, d->t->nprocs);
	if (err)
		rsd_decoder_fail(d, err, "histograms of values");
}

void rsd_decoder_place(struct rsd_decoder *d)
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
		rsd_decoder_fail(d, ret < 0 ? ret : RSD_ERR_FORMAT, "place given twice");
		return;
	}
	p = &t->place[id];
	nr = rsd_func_columns(&t->func[h.func]);
	key = d->in->coder ? rsd_transfer_key(t->func[h.func].name) : 0;
	for (int i = 0; i < nr; i++) {
		rsd_transfer_column(d->in->coder, (unsigned)i, key);
		rsd_decoder_columns(d, &p->col[i]);
	}
	if (h.flags & RSD_PLACE_SCALARS)
		decode_scalars(d, &p->scalars, nr);
	p->has_timing = h.flags & RSD_PLACE_TIMING;
	p->has_times = h.flags & RSD_PLACE_TIMES;
	if (p->has_timing) {
		rsd_transfer_times(d->in->coder, key, rsd_transfer_site(t, p->sig));
		decode_timing(d, &p->timing);
	}
	if (p->has_times) {
		rsd_transfer_column(d->in->coder, RSD_COLUMN_TIMES, 0);
		rsd_decoder_columns(d, &p->before_ns);
		rsd_transfer_column(d->in->coder, RSD_COLUMN_TIMES + 1, 0);
		rsd_decoder_columns(d, &p->dur_ns);
	}
}

/* ---- trees ---------------------------------------------------------------------------- */

static void decode_loop_scalars(struct rsd_decoder *d, struct rsd_scalars *s)
{
	decode_scalars(d, s, 1);
	for (size_t i = 0; i < s->nr && !d->err; i++)
		if (!s->s[i].whole)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "loop counts that are dealt out");
}

static struct rsd_ranks *decode_ranks(struct rsd_decoder *d)
{
	struct rsd_ranks *r = rsd_calloc(1, sizeof(*r));
	int err;

	if (!r) {
		rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
		return NULL;
	}
	err = rsd_ranks_decode(r, d->in, d->t->nprocs);
	if (err) {
		rsd_decoder_fail(d, err, "participants");
		rsd_ranks_release(r);
		free(r);
		return NULL;
	}
	return r;
}

/* The inverse of step_to(). */
static uint64_t place_of(struct rsd_decoder *d, uint64_t step)
{
	uint64_t place = (uint64_t)d->next + (step & 1 ? 0 - (step + 1) / 2 : step / 2);

	if (d->version < 4)
		return step;
	d->next = (int64_t)(place + 1);
	return place;
}

/* Reads one node that is not an end and links it; returns the loop whose body comes next. */
static struct rsd_node *decode_node(
	struct rsd_decoder *d, struct rsd_tree *tree, struct rsd_node *up, uint64_t what)
{
	bool loop = what < RSD_NODE_EVENT;
	uint64_t place = loop ? 0 : place_of(d, (what - RSD_NODE_EVENT) / 2);
	struct rsd_node *n;

	if (!loop && place >= d->t->nr_places) {
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "place that is not in the table");
		return NULL;
	}
	n = rsd_node_new(loop ? -1 : (int)place);
	if (!n) {
		rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
		return NULL;
	}
	rsd_node_append(tree, up, n);
	if (loop ? what == RSD_NODE_LOOP_RANKS : (what - RSD_NODE_EVENT) & 1) {
		rsd_transfer_column(d->in->coder, RSD_COLUMN_RANKS, 0);
		n->ranks = decode_ranks(d);
	}
	if (loop) {
		rsd_transfer_column(d->in->coder, RSD_COLUMN_LOOP, 0);
		rsd_decoder_columns(d, &n->count);
		if (d->version >= RSD_BINARY_WHOLE)
			decode_loop_scalars(d, &n->scalars);
	}
	return loop ? n : up;
}

void rsd_decoder_tree(struct rsd_decoder *d)
{
	int thread, depth = 0;
	struct rsd_tree *tree;
	struct rsd_node *up = NULL, *in;

	rsd_reader_field(d->in, RSD_FIELD_PLACE_THREAD, 1);
	thread = rsd_decoder_int(d, INT32_MAX, "tree's thread");
	d->next = 0;
	if (!d->err && !rsd_trace_tree_is_next(d->t, thread))
		rsd_decoder_fail(d, RSD_ERR_FORMAT, "tree out of order");
	if (d->err)
		return;
	tree = rsd_trace_tree(d->t, thread);
	if (!tree) {
		rsd_decoder_fail(d, RSD_ERR_NOMEM, "");
		return;
	}
	while (!d->err) {
		uint64_t what;

		rsd_reader_field(d->in, RSD_FIELD_NODE, 0);
		what = rsd_reader_uint(d->in);
		if (rsd_decoder_check(d, "tree"))
			return;
		if (what == RSD_NODE_END) {
			if (!up)
				return;
			if (!up->first)
				rsd_decoder_fail(d, RSD_ERR_FORMAT, "loop body of 0 nodes");
			up = up->parent;
			depth--;
			continue;
		}
		in = decode_node(d, tree, up, what);
		if (in != up && ++depth > RSD_TREE_DEPTH)
			rsd_decoder_fail(d, RSD_ERR_FORMAT, "loops too deep");
		up = in;
	}
}
