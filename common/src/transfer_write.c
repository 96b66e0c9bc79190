#include "transfer_impl.h"

#include <string.h>
#include "util.h"

static void put_cstr(struct rsd_buf *out, const char *s)
{
	rsd_buf_put_str(out, s, strlen(s));
}

static int version_of(const struct rsd_trace *t)
{
	return rsd_trace_has_foreign(t)		? RSD_BINARY_FOREIGN
	       : rsd_trace_has_late_objects(t)	? RSD_BINARY_CLOCKS
	       : rsd_trace_has_whole_scalars(t) ? RSD_BINARY_WHOLE
	       : rsd_trace_has_scalars(t)	? RSD_BINARY_SCALARS
						: RSD_BINARY_PLAIN;
}

static void encode_header(const struct rsd_trace *t, int version, struct rsd_buf *out)
{
	rsd_buf_field(out, RSD_FIELD_HEAD, 2);
	rsd_buf_put_uint(out, (uint64_t)version);
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
	uint64_t name = rsd_transfer_key(f->name);

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
		rsd_buf_field(out, RSD_FIELD_PARAM, rsd_transfer_key(p->name));
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
			rsd_transfer_column(out->coder, (unsigned)j, o->kind + 1);
			rsd_params_encode(&o->attr[j], out);
		}
	}
}

static void encode_timing(const struct rsd_timing *t, struct rsd_buf *out)
{
	struct rsd_histogram_hints k = { 0 };

	rsd_histogram_encode(&t->before, &k, out);
	k = rsd_transfer_hints_first(t);
	rsd_histogram_encode(&t->dur_first, &k, out);
	k = rsd_transfer_hints_dur(t);
	rsd_histogram_encode(&t->dur, &k, out);
}

static void encode_place(
	const struct rsd_trace *t, const struct rsd_place *p, int64_t sig, struct rsd_buf *out)
{
	int nr = rsd_func_columns(&t->func[p->func]);
	uint64_t key = out->coder ? rsd_transfer_key(t->func[p->func].name) : 0;
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
	rsd_buf_put_byte(out, (unsigned char)((p->has_timing ? RSD_PLACE_TIMING : 0) |
					      (p->has_times ? RSD_PLACE_TIMES : 0) |
					      (scalars ? RSD_PLACE_SCALARS : 0)));
	for (int i = 0; i < nr; i++) {
		rsd_transfer_column(out->coder, (unsigned)i, key);
		rsd_params_encode(&p->col[i], out);
	}
	if (scalars) {
		rsd_transfer_column(out->coder, RSD_COLUMN_SCALARS, 0);
		rsd_scalars_encode(&p->scalars, out);
	}
	if (p->has_timing) {
		rsd_transfer_times(out->coder, key, rsd_transfer_site(t, p->sig));
		encode_timing(&p->timing, out);
	}
	if (p->has_times) {
		rsd_transfer_column(out->coder, RSD_COLUMN_TIMES, 0);
		rsd_params_encode(&p->before_ns, out);
		rsd_transfer_column(out->coder, RSD_COLUMN_TIMES + 1, 0);
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
			rsd_buf_put_uint(out, RSD_NODE_END);
			if (!up)
				return;
			n = up->next;
			up = up->parent;
			continue;
		}
		if (n->place < 0)
			rsd_buf_put_uint(out, n->ranks ? RSD_NODE_LOOP_RANKS : RSD_NODE_LOOP);
		else
			rsd_buf_put_uint(out,
				RSD_NODE_EVENT + 2 * step_to(n->place, &next) + (n->ranks != NULL));
		if (n->ranks) {
			rsd_transfer_column(out->coder, RSD_COLUMN_RANKS, 0);
			rsd_ranks_encode(n->ranks, out);
		}
		if (n->place < 0) {
			rsd_transfer_column(out->coder, RSD_COLUMN_LOOP, 0);
			rsd_params_encode(&n->count, out);
			if (scalars) {
				rsd_transfer_column(out->coder, RSD_COLUMN_SCALARS, 0);
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
	int version = version_of(t);

	encode_header(t, version, out);
	encode_tables(t, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 9);
	rsd_buf_put_uint(out, t->nr_places);
	for (size_t i = 0; i < t->nr_places; i++)
		encode_place(t, &t->place[i], i ? t->place[i - 1].sig + (int64_t)1 : 0, out);
	rsd_buf_field(out, RSD_FIELD_HEAD, 10);
	rsd_buf_put_uint(out, t->nr_trees);
	for (size_t i = 0; i < t->nr_trees; i++)
		encode_tree(&t->tree[i], version >= RSD_BINARY_WHOLE, out);
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
