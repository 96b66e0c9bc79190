#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "scan.h"
#include "trace_text.h"
#include "util.h"

const char *const rsd_text_type[RSD_NR_TYPES] = { "int", "string", "ints", "strings", "status",
	"statuses" };

const char *const rsd_text_role[RSD_NR_ROLES] = { "int", "peer", "tag", "comm", "datatype",
	"request", "op", "group", "win", "file", "info", "errhandler", "message", "session",
	"keyval", "named", "buffer", "function", "string", "status", "error" };

const char *const rsd_text_class[RSD_NR_CLASSES] = { "other", "p2p", "coll", "completion", "comm",
	"type", "rma", "io", "env", "local" };

const char *const rsd_text_object[RSD_NR_OBJECT_KINDS] = { "comm", "datatype", "thread", "clock",
	"order" };

const char *const rsd_text_attr[RSD_NR_OBJECT_KINDS][RSD_OBJECT_ATTRS] = {
	{ "peers", "rank", "size", "inter" },
	{ "bytes", NULL, NULL, NULL },
	{ "begin", NULL, NULL, NULL },
	{ "at", "offset", "error", NULL },
	{ "from", "until", NULL, NULL },
};

const char *const rsd_text_timing[3] = { "@dur", "@before", "@first" };

void rsd_text_column_name(const struct rsd_func *f, int col, struct rsd_buf *out)
{
	static const char *const part[RSD_NR_TYPES][5] = {
		{ "" },
		{ "" },
		{ ".n", "" },
		{ ".n", "" },
		{ ".kind", ".source", ".tag", ".error" },
		{ ".n", ".kind", ".source", ".tag", ".error" },
	};

	for (int i = 0; i < f->nr_params; i++) {
		int nr = rsd_type_columns((enum rsd_type)f->param[i].type);

		if (col < nr) {
			rsd_buf_printf(out, "%s%s", f->param[i].name, part[f->param[i].type][col]);
			return;
		}
		col -= nr;
	}
	rsd_buf_printf(out, "return");
}

/* ---- columns --------------------------------------------------------------- */

struct writer {
	const struct rsd_trace *t;
	struct rsd_buf *out;
	struct rsd_buf name, col; /* for use within one function only */
	int (*drain)(void *);	  /* or NULL */
	void *arg;
	int err; /* of drain */
};

#define PIECE ((size_t)1 << 16)

/* A trace of calls without rules is as long as they are: what is written of it need not be in memory. */
static void pass_on(struct writer *w)
{
	if (w->drain && !w->err && w->out->len >= PIECE)
		w->err = w->drain(w->arg);
}

static const char *trace_name(int index, void *arg)
{
	const struct rsd_trace *t = arg;

	return (size_t)index < t->nr_constants ? t->constant[index] : NULL;
}

struct rsd_text_names rsd_text_trace_names(const struct rsd_trace *t)
{
	return (struct rsd_text_names){ trace_name, (void *)(uintptr_t)t };
}

/* Constants stand in columns as cINDEX; a reader is better served with <NAME>. */
static void put_named(struct writer *w, const char *s, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		size_t end = i + 1;
		uint64_t v = 0;
		const char *name;

		if (s[i] != 'c')
			continue;
		while (end < len && s[end] >= '0' && s[end] <= '9')
			end++;
		if (!rsd_scan_parse_uint(s + i + 1, end - i - 1, 10, &v) || v >= w->t->nr_constants)
			continue;
		name = w->t->constant[v];
		if (!name)
			continue;
		rsd_buf_put(w->out, s + from, i - from);
		rsd_buf_printf(w->out, "<%s>", name);
		from = end;
		i = end - 1;
	}
	rsd_buf_put(w->out, s + from, len - from);
}

static void put_column(struct writer *w, const struct rsd_column *c)
{
	if (rsd_column_is_symbolic(c))
		rsd_buf_printf(w->out, "sym ");
	rsd_buf_reset(&w->col);
	rsd_column_print(c, &w->col);
	if (w->col.err)
		w->out->err = w->col.err;
	else
		put_named(w, (char *)w->col.data, w->col.len);
}

static void put_ranks(struct writer *w, const struct rsd_ranks *r)
{
	if (rsd_ranks_equal(r, &w->t->ranks))
		rsd_buf_put_byte(w->out, '*');
	else
		rsd_ranks_print(r, w->out);
}

static void put_tabs(struct writer *w, int nr)
{
	while (nr-- > 0)
		rsd_buf_put_byte(w->out, '\t');
}

/* A line for each variant; none for an empty column. */
static void put_params(struct writer *w, int tabs, const char *name, const struct rsd_params *p)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];

			put_tabs(w, tabs);
			rsd_buf_printf(w->out, "%s ", name);
			put_ranks(w, &v->ranks);
			rsd_buf_printf(w->out, "%s ", e == RSD_E_REL ? " rel" : "");
			put_column(w, v->col);
			for (size_t j = 0; j < v->nr_numbers; j++) {
				rsd_buf_printf(w->out, " ; %" PRIu32 " ", v->number[j].index);
				put_column(w, v->number[j].over);
			}
			rsd_buf_put_byte(w->out, '\n');
		}
	}
}

/* ---- header and tables ------------------------------------------------------- */

void rsd_text_start(const struct rsd_trace *t, struct rsd_buf *out)
{
	const char *magic = rsd_trace_has_foreign(t)	     ? RSD_TEXT_MAGIC_FOREIGN
			    : rsd_trace_has_late_objects(t)  ? RSD_TEXT_MAGIC_CLOCKS
			    : rsd_trace_has_whole_scalars(t) ? RSD_TEXT_MAGIC_WHOLE
			    : rsd_trace_has_scalars(t)	     ? RSD_TEXT_MAGIC_SCALARS
							     : RSD_TEXT_MAGIC;

	rsd_buf_printf(out, "%snprocs %d\nranks ", magic, t->nprocs);
	rsd_ranks_print(&t->ranks, out);
	rsd_buf_put_byte(out, '\n');
}

void rsd_text_put_version(int version, struct rsd_buf *out)
{
	rsd_buf_printf(out, "version %d\n", version);
}

static void put_string(struct rsd_buf *out, const char *s)
{
	rsd_scan_put_string(out, s, strlen(s));
}

void rsd_text_put_state(const struct rsd_trace *t, struct rsd_buf *out)
{
	if (t->complete) {
		rsd_buf_printf(out, "complete\n");
	} else {
		rsd_buf_printf(out, "incomplete");
		if (t->incomplete_why) {
			rsd_buf_put_byte(out, ' ');
			put_string(out, t->incomplete_why);
		}
		rsd_buf_put_byte(out, '\n');
	}
	for (size_t i = 0; i < t->nr_meta; i++) {
		rsd_buf_printf(out, "meta ");
		put_string(out, t->meta[i].key);
		rsd_buf_put_byte(out, ' ');
		put_string(out, t->meta[i].value);
		rsd_buf_put_byte(out, '\n');
	}
}

void rsd_text_put_function(size_t id, const struct rsd_func *f, struct rsd_buf *out)
{
	rsd_buf_printf(out, "function %zu %s %s %d %d %d %d", id, f->name, rsd_text_class[f->class],
		f->sent_count, f->sent_type, f->recv_count, f->recv_type);
	for (int i = 0; i < f->nr_params; i++) {
		const struct rsd_param *p = &f->param[i];

		rsd_buf_printf(
			out, " %s:%s:%s", p->name, rsd_text_type[p->type], rsd_text_role[p->role]);
		if (p->of >= 0)
			rsd_buf_printf(out, ":%s", f->param[p->of].name);
	}
	rsd_buf_put_byte(out, '\n');
}

void rsd_text_put_module(size_t id, const struct rsd_module *m, struct rsd_buf *out)
{
	rsd_buf_printf(out, "module %zu ", id);
	put_string(out, m->path);
	rsd_buf_put_byte(out, ' ');
	put_string(out, m->build_id);
	rsd_buf_put_byte(out, '\n');
}

static void put_sigs(struct rsd_buf *out, const struct rsd_sigs *sigs)
{
	for (size_t i = 0; i < sigs->nr_modules; i++)
		rsd_text_put_module(i, &sigs->module[i], out);
	for (size_t i = 0; i < sigs->nr_sigs; i++) {
		rsd_buf_printf(out, "signature %zu", i);
		for (size_t j = 0; j < sigs->sig[i].nr; j++) {
			const struct rsd_frame *f = &sigs->frame[sigs->sig[i].first + j];

			if (f->module < 0)
				rsd_buf_printf(out, " -+%" PRIx64, f->offset);
			else
				rsd_buf_printf(out, " %d+%" PRIx64, f->module, f->offset);
		}
		rsd_buf_put_byte(out, '\n');
	}
}

void rsd_text_put_sources(const struct rsd_trace *t, struct rsd_buf *out)
{
	for (size_t i = 0; i < t->sources.nr; i++) {
		const struct rsd_source *s = &t->sources.entry[i];

		rsd_buf_printf(out, "source %d+%" PRIx64, s->module, s->offset);
		for (size_t k = 0; k < s->nr; k++) {
			const struct rsd_source_frame *f = &s->frame[k];

			rsd_buf_put_byte(out, ' ');
			put_string(out, f->function ? f->function : "");
			rsd_buf_put_byte(out, ' ');
			put_string(out, f->file ? f->file : "");
			rsd_buf_printf(out, " %" PRIu32 " %" PRIu32, f->line, f->column);
		}
		rsd_buf_put_byte(out, '\n');
	}
}

static void put_constant_ref(struct writer *w, int64_t v)
{
	if (!rsd_is_const(v)) {
		rsd_buf_printf(w->out, "%" PRId64, v);
		return;
	}
	rsd_buf_reset(&w->col);
	rsd_buf_printf(&w->col, "c%d", rsd_const_index(v));
	put_named(w, (char *)w->col.data, w->col.len);
}

void rsd_text_put_constant(int index, const char *name, struct rsd_buf *out)
{
	rsd_buf_printf(out, "constant %d %s\n", index, name);
}

static void put_tables(struct writer *w)
{
	const struct rsd_trace *t = w->t;

	for (size_t i = 0; i < t->nr_constants; i++)
		if (t->constant[i])
			rsd_text_put_constant((int)i, t->constant[i], w->out);
	for (size_t i = 0; i < t->strings.nr; i++) {
		rsd_buf_printf(w->out, "string %zu ", i);
		rsd_scan_put_string(w->out, t->strings.str[i].s, t->strings.str[i].len);
		rsd_buf_put_byte(w->out, '\n');
	}
	for (size_t i = 0; i < t->nr_funcs; i++)
		rsd_text_put_function(i, &t->func[i], w->out);
	put_sigs(w->out, &t->sigs);
}

static void put_objects(struct writer *w)
{
	const struct rsd_trace *t = w->t;

	for (size_t i = 0; i < t->nr_objects; i++) {
		const struct rsd_object *o = &t->object[i];

		rsd_buf_printf(w->out, "object %s ", rsd_text_object[o->kind]);
		put_constant_ref(w, o->id);
		rsd_buf_put_byte(w->out, '\n');
		for (int j = 0; j < rsd_object_nr_attrs((enum rsd_object_kind)o->kind); j++)
			put_params(w, 1, rsd_text_attr[o->kind][j], &o->attr[j]);
	}
}

/* ---- places and trees ---------------------------------------------------------- */

static void put_histogram(struct rsd_buf *out, const char *name, const struct rsd_histogram *h)
{
	rsd_buf_printf(out, "\t%s %" PRIu64, name, h->nr);
	if (h->nr) {
		rsd_buf_printf(out,
			" sum %" PRIu64 " min %" PRIu64 " rank %d max %" PRIu64 " rank %d bins",
			h->sum, h->min, h->min_rank, h->max, h->max_rank);
		for (int i = 0; i < RSD_HISTOGRAM_BINS; i++)
			if (h->bin[i])
				rsd_buf_printf(out, " %d:%" PRIu32, i, h->bin[i]);
	}
	rsd_buf_put_byte(out, '\n');
}

/* 'f': of a place; NULL: groups of a loop. */
static void put_scalars(
	struct writer *w, int tabs, const struct rsd_scalars *a, const struct rsd_func *f)
{
	for (size_t i = 0; i < a->nr && !w->t->drawn; i++) {
		const struct rsd_scalar *s = &a->s[i];

		put_tabs(w, tabs);
		rsd_buf_printf(w->out, "%s ", s->whole ? RSD_TEXT_WHOLE : RSD_TEXT_SCALAR);
		if (f)
			rsd_text_column_name(f, s->col, w->out);
		else
			rsd_buf_printf(w->out, RSD_TEXT_COUNT);
		rsd_buf_printf(w->out, " %d %" PRIu32 " ", s->id, s->error);
		put_ranks(w, &s->ranks);
		rsd_buf_printf(w->out, " %" PRIu64, s->draws);
		for (size_t k = 0; k < s->nr_bins; k++)
			rsd_buf_printf(
				w->out, " %" PRIu32 ":%" PRIu64, s->bin[k].value, s->bin[k].nr);
		rsd_buf_put_byte(w->out, '\n');
	}
}

static void put_place(struct writer *w, size_t id)
{
	const struct rsd_place *p = &w->t->place[id];
	const struct rsd_func *f = &w->t->func[p->func];
	int nr = rsd_func_columns(f);

	rsd_buf_printf(w->out, "place %zu %s thread %d function %d signature ", id, f->name,
		p->thread, p->func);
	if (p->sig < 0)
		rsd_buf_printf(w->out, "- nested %d\n", p->nested);
	else
		rsd_buf_printf(w->out, "%d nested %d\n", p->sig, p->nested);
	for (int i = 0; i < nr; i++) {
		rsd_buf_reset(&w->name);
		rsd_text_column_name(f, i, &w->name);
		rsd_buf_put_byte(&w->name, 0);
		if (w->name.err)
			w->out->err = w->name.err;
		else
			put_params(w, 1, (char *)w->name.data, &p->col[i]);
	}
	put_scalars(w, 1, &p->scalars, f);
	if (p->has_timing) {
		put_histogram(w->out, rsd_text_timing[0], &p->timing.dur);
		put_histogram(w->out, rsd_text_timing[1], &p->timing.before);
		put_histogram(w->out, rsd_text_timing[2], &p->timing.dur_first);
	}
	if (p->has_times) {
		rsd_buf_printf(w->out, "\t@times\n");
		put_params(w, 1, "@before_ns", &p->before_ns);
		put_params(w, 1, "@dur_ns", &p->dur_ns);
	}
}

static void put_node(struct writer *w, int depth, const struct rsd_node *n)
{
	put_tabs(w, depth);
	if (n->place < 0)
		rsd_buf_printf(w->out, "loop");
	else
		rsd_buf_printf(w->out, "call %d %s", n->place,
			w->t->func[w->t->place[n->place].func].name);
	if (n->ranks) {
		rsd_buf_put_byte(w->out, ' ');
		put_ranks(w, n->ranks);
	}
	rsd_buf_put_byte(w->out, '\n');
	if (n->place < 0) {
		put_params(w, depth + 1, RSD_TEXT_COUNT, &n->count);
		put_scalars(w, depth + 1, &n->scalars, NULL);
	}
}

static void put_tree(struct writer *w, const struct rsd_tree *tree)
{
	const struct rsd_node *n = tree->first, *up = NULL;
	int depth = 1;

	rsd_buf_printf(w->out, "tree %d\n", tree->thread);
	while ((n || up) && !w->err) {
		pass_on(w);
		if (!n) {
			put_tabs(w, --depth);
			rsd_buf_printf(w->out, "end\n");
			n = up->next;
			up = up->parent;
			continue;
		}
		put_node(w, depth, n);
		if (n->place < 0) {
			depth++;
			up = n;
			n = n->first;
		} else {
			n = n->next;
		}
	}
}

int rsd_text_tables(const struct rsd_trace *t, struct rsd_buf *out, int (*drain)(void *), void *arg)
{
	struct writer w = { .t = t,
		.out = out,
		.name = RSD_BUF_INIT,
		.col = RSD_BUF_INIT,
		.drain = drain,
		.arg = arg };

	rsd_text_put_state(t, out);
	put_tables(&w);
	rsd_text_put_sources(t, out);
	put_objects(&w);
	for (size_t i = 0; i < t->nr_places && !w.err; i++) {
		put_place(&w, i);
		pass_on(&w);
	}
	for (size_t i = 0; i < t->nr_trees && !w.err; i++)
		put_tree(&w, &t->tree[i]);
	rsd_buf_release(&w.name);
	rsd_buf_release(&w.col);
	return w.err;
}

void rsd_text_put_objects(const struct rsd_trace *t, struct rsd_buf *out)
{
	struct writer w = { .t = t, .out = out, .name = RSD_BUF_INIT, .col = RSD_BUF_INIT };

	put_objects(&w);
	rsd_buf_release(&w.name);
	rsd_buf_release(&w.col);
}

void rsd_text_end(uint64_t sum, struct rsd_buf *out)
{
	rsd_buf_printf(out, "end %016" PRIx64 "\n", sum);
}

/* ---- logs ------------------------------------------------------------------------ */

static void put_event(const struct rsd_flat_event *e, int place, const struct rsd_text_names *names,
	struct rsd_buf *out)
{
	rsd_buf_put_byte(out, '\t');
	rsd_buf_put_decimal(out, place);
	for (size_t i = 0; i < e->nr_val; i++) {
		int64_t v = e->val[i];
		const char *name;

		rsd_buf_put_byte(out, ' ');
		if (!rsd_is_const(v)) {
			rsd_buf_put_decimal(out, v);
			continue;
		}
		name = names->name(rsd_const_index(v), names->arg);
		rsd_buf_put_byte(out, name ? '<' : 'c');
		if (name) {
			rsd_buf_put(out, name, strlen(name));
			rsd_buf_put_byte(out, '>');
		} else {
			rsd_buf_put_decimal(out, rsd_const_index(v));
		}
	}
	if (e->before_ns || e->dur_ns)
		rsd_buf_printf(out, " @ %" PRIu64 " %" PRIu64, e->before_ns, e->dur_ns);
	rsd_buf_put_byte(out, '\n');
}

int rsd_text_log(int rank, int thread, const void *log, size_t len, const int *number,
	const struct rsd_text_names *names, struct rsd_buf *out)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	int err;

	rsd_buf_printf(out, "log %d %d\n", rank, thread);
	rsd_flat_reader_init(&r, log, len);
	while (!(err = rsd_flat_next(&r, &e)))
		put_event(&e, number ? number[e.place] : e.place, names, out);
	rsd_flat_reader_release(&r);
	return err == RSD_ERR_END ? out->err : err;
}

int *rsd_text_place_numbers(const struct rsd_trace *t)
{
	int *number = rsd_calloc(t->nr_places + 1, sizeof(*number));
	struct rsd_map next = RSD_MAP_INIT; /* thread to the number its next place gets */

	for (size_t i = 0; number && i < t->nr_places; i++) {
		uint64_t key = (uint64_t)t->place[i].thread;
		uint64_t *known = rsd_map_find(&next, key);

		number[i] = known ? (int)(*known)++ : 0;
		if (!known && rsd_map_set(&next, key, 1)) {
			free(number);
			number = NULL;
		}
	}
	rsd_map_release(&next);
	return number;
}

void rsd_text_print(const struct rsd_trace *t, struct rsd_buf *out)
{
	struct rsd_text_names names = rsd_text_trace_names(t);
	size_t start = out->len;
	int *number = NULL;

	rsd_text_start(t, out);
	if (t->nr_logs) {
		number = rsd_text_place_numbers(t);
		if (!number)
			out->err = RSD_ERR_NOMEM;
	}
	for (size_t i = 0; number && i < t->nr_logs; i++) {
		const struct rsd_log *l = &t->log[i];

		rsd_text_log(l->rank, l->thread, l->bytes.data, l->bytes.len, number, &names, out);
	}
	free(number);
	rsd_text_tables(t, out, NULL, NULL);
	if (!out->err)
		rsd_text_end(rsd_sum(RSD_SUM_INIT, out->data + start, out->len - start), out);
}
