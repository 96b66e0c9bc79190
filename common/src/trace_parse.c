#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "text_parse.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

/* ---- places ------------------------------------------------------------------------ */

static void scan_bins(struct rsd_parser *p, struct rsd_histogram *h)
{
	rsd_scan_expect(&p->s, "bins");
	while (!rsd_scan_at_end(&p->s)) {
		size_t len;
		const char *w = rsd_scan_word(&p->s, &len), *colon = memchr(w, ':', len);
		size_t before = colon ? (size_t)(colon - w) : 0;
		uint64_t bin, nr;

		if (!colon || !rsd_scan_parse_uint(w, before, 10, &bin) ||
			bin >= RSD_HISTOGRAM_BINS ||
			!rsd_scan_parse_uint(colon + 1, len - before - 1, 10, &nr) ||
			nr > UINT32_MAX)
			rsd_scan_fail(&p->s, "not a bin of a histogram");
		else
			h->bin[bin] = (uint32_t)nr;
	}
}

/* As columns: what the text said is checked by way of bytes. */
static void parse_histogram(struct rsd_parser *p, const char *name, struct rsd_histogram *out)
{
	uint32_t bin[RSD_HISTOGRAM_BINS] = { 0 };
	const struct rsd_histogram_hints none = { 0 };
	struct rsd_histogram h;
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;

	rsd_scan_line(&p->s);
	rsd_scan_expect(&p->s, name);
	rsd_histogram_init(&h);
	h.bin = bin;
	h.nr = rsd_scan_uint(&p->s);
	if (h.nr) {
		rsd_scan_expect(&p->s, "sum");
		h.sum = rsd_scan_uint(&p->s);
		rsd_scan_expect(&p->s, "min");
		h.min = rsd_scan_uint(&p->s);
		rsd_scan_expect(&p->s, "rank");
		h.min_rank = (int)rsd_scan_int(&p->s, -1, p->t->nprocs - 1);
		rsd_scan_expect(&p->s, "max");
		h.max = rsd_scan_uint(&p->s);
		rsd_scan_expect(&p->s, "rank");
		h.max_rank = (int)rsd_scan_int(&p->s, -1, p->t->nprocs - 1);
		scan_bins(p, &h);
	}
	rsd_scan_done(&p->s);
	if (p->s.err)
		return;
	if (h.max < h.min) {
		rsd_scan_fail(&p->s, "histogram contradicts itself");
		return;
	}
	rsd_histogram_encode(&h, &none, &bytes);
	rsd_reader_init(&in, bytes.data, bytes.len);
	rsd_scan_error(&p->s, bytes.err);
	if (!p->s.err) {
		rsd_histogram_release(out);
		if (rsd_histogram_decode(out, &none, &in))
			rsd_scan_fail(&p->s, "histogram contradicts itself");
	}
	rsd_buf_release(&bytes);
}

/* The column of this name, or -1. */
static int find_column(const struct rsd_func *f, const char *name, size_t len)
{
	struct rsd_buf other = RSD_BUF_INIT;
	int nr = rsd_func_columns(f), found = -1;

	for (int i = 0; i < nr && found < 0; i++) {
		rsd_buf_reset(&other);
		rsd_text_column_name(f, i, &other);
		if (!other.err && other.len == len && !memcmp(other.data, name, len))
			found = i;
	}
	rsd_buf_release(&other);
	return found;
}

static void scan_values(struct rsd_parser *p, struct rsd_scalar *s)
{
	while (!rsd_scan_at_end(&p->s)) {
		size_t len;
		const char *w = rsd_scan_word(&p->s, &len), *colon = memchr(w, ':', len);
		size_t before = colon ? (size_t)(colon - w) : 0;
		uint64_t value, nr;

		if (!colon || s->nr_bins == RSD_SCALAR_BINS ||
			!rsd_scan_parse_uint(w, before, 10, &value) ||
			value > RSD_SCALAR_MAX_VALUE ||
			!rsd_scan_parse_uint(colon + 1, len - before - 1, 10, &nr))
			rsd_scan_fail(&p->s, "not a value of a histogram");
		else
			s->bin[s->nr_bins++] = (struct rsd_scalar_bin){ (uint32_t)value, nr };
	}
}

/* NAME ID ERROR RANKS DRAWS VALUE:NR..., of a place; of a loop ('f' is NULL) NAME is "count". */
static void parse_scalar(struct rsd_parser *p, struct rsd_scalars *a, const struct rsd_func *f)
{
	struct rsd_scalar *s = rsd_scalars_add(a, &(struct rsd_scalar){ .col = -1 });
	const char *name;
	size_t len;

	if (!s) {
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
		return;
	}
	s->whole = rsd_scan_take(&p->s, RSD_TEXT_WHOLE);
	if (!s->whole)
		rsd_scan_expect(&p->s, RSD_TEXT_SCALAR);
	name = rsd_scan_word(&p->s, &len);
	if (!name)
		return;
	if (f)
		s->col = find_column(f, name, len);
	else if (len == strlen(RSD_TEXT_COUNT) && !memcmp(name, RSD_TEXT_COUNT, len) && s->whole)
		s->col = 0;
	s->id = (int)rsd_scan_int(&p->s, 0, RSD_SCALAR_IDS - 1);
	s->error = (uint32_t)rsd_scan_int(&p->s, 0, RSD_SCALAR_MAX_ERROR);
	rsd_parse_ranks(p, &s->ranks);
	s->draws = rsd_scan_uint(&p->s);
	scan_values(p, s);
	rsd_scan_done(&p->s);
	if (!p->s.err && !rsd_scalar_is_valid(s, f ? rsd_func_columns(f) : 1))
		rsd_scan_fail(&p->s, "histogram contradicts itself");
}

static void parse_scalars(struct rsd_parser *p, struct rsd_scalars *a, const struct rsd_func *f)
{
	while (!p->s.err &&
		(rsd_scan_next_is(&p->s, RSD_TEXT_SCALAR) ||
			rsd_scan_next_is(&p->s, RSD_TEXT_WHOLE)) &&
		rsd_scan_line(&p->s))
		parse_scalar(p, a, f);
}

static void parse_columns(struct rsd_parser *p, struct rsd_place *place)
{
	const struct rsd_func *f = &p->t->func[place->func];
	struct rsd_buf name = RSD_BUF_INIT;
	int nr = rsd_func_columns(f);

	for (int i = 0; !p->s.err && rsd_scan_indented(&p->s, 1) && i < nr; i++) {
		rsd_buf_reset(&name);
		rsd_text_column_name(f, i, &name);
		rsd_buf_put_byte(&name, 0);
		if (!rsd_scan_error(&p->s, name.err))
			rsd_parse_params(p, (char *)name.data, &place->col[i]);
	}
	rsd_buf_release(&name);
	parse_scalars(p, &place->scalars, f);
	if (rsd_scan_next_is(&p->s, rsd_text_timing[0])) {
		place->has_timing = true;
		parse_histogram(p, rsd_text_timing[0], &place->timing.dur);
		parse_histogram(p, rsd_text_timing[1], &place->timing.before);
		parse_histogram(p, rsd_text_timing[2], &place->timing.dur_first);
	}
	if (rsd_scan_next_is(&p->s, "@times") && rsd_scan_line(&p->s)) {
		place->has_times = true;
		rsd_parse_params(p, "@before_ns", &place->before_ns);
		rsd_parse_params(p, "@dur_ns", &place->dur_ns);
	}
}

static void expect_func_name(struct rsd_parser *p, int func)
{
	const char *name = p->t->func[func].name;

	if (!rsd_scan_take(&p->s, name))
		rsd_scan_fail(&p->s, "'%s' expected", name);
}

static void parse_place(struct rsd_parser *p)
{
	struct rsd_trace *t = p->t;
	size_t id = t->nr_places, len, name_pos;
	int thread, func, sig = -1, nested;

	rsd_parse_expect_id(p, id);
	rsd_scan_at_end(&p->s);
	name_pos = p->s.pos;
	rsd_scan_word(&p->s, &len);
	rsd_scan_expect(&p->s, "thread");
	thread = (int)rsd_scan_int(&p->s, 0, INT32_MAX);
	rsd_scan_expect(&p->s, "function");
	func = (int)rsd_scan_int(&p->s, 0, (int64_t)t->nr_funcs - 1);
	rsd_scan_expect(&p->s, "signature");
	if (!rsd_scan_take(&p->s, "-"))
		sig = (int)rsd_scan_int(&p->s, 0, (int64_t)t->sigs.nr_sigs - 1);
	rsd_scan_expect(&p->s, "nested");
	nested = (int)rsd_scan_int(&p->s, 0, RSD_TRACE_MAX_NESTED);
	rsd_scan_done(&p->s);
	if (p->s.err)
		return;
	p->s.pos = name_pos;
	expect_func_name(p, func);
	if (p->s.err)
		return;
	p->s.pos = p->s.end;
	rsd_parse_check_id(p, rsd_trace_place(t, thread, func, sig, nested), id);
	if (!p->s.err)
		parse_columns(p, &t->place[id]);
}

/* ---- trees --------------------------------------------------------------------------- */

static void parse_node(
	struct rsd_parser *p, struct rsd_tree *tree, struct rsd_node **up, int *depth)
{
	bool loop = rsd_scan_take(&p->s, "loop");
	struct rsd_node *n;
	int place = -1;

	if (!loop) {
		rsd_scan_expect(&p->s, "call");
		place = (int)rsd_scan_int(&p->s, 0, (int64_t)p->t->nr_places - 1);
		if (!p->s.err)
			expect_func_name(p, p->t->place[place].func);
	}
	n = p->s.err ? NULL : rsd_node_new(place);
	if (!n) {
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
		return;
	}
	rsd_node_append(tree, *up, n);
	if (!rsd_scan_at_end(&p->s)) {
		n->ranks = rsd_calloc(1, sizeof(*n->ranks));
		if (n->ranks)
			rsd_parse_ranks(p, n->ranks);
		else
			rsd_scan_error(&p->s, RSD_ERR_NOMEM);
	}
	rsd_scan_done(&p->s);
	if (!loop)
		return;
	*up = n;
	if (++*depth > RSD_TREE_DEPTH)
		rsd_scan_fail(&p->s, "loops too deep");
	rsd_parse_params(p, RSD_TEXT_COUNT, &n->count);
	parse_scalars(p, &n->scalars, NULL);
}

static void parse_tree(struct rsd_parser *p)
{
	int thread = (int)rsd_scan_int(&p->s, 0, INT32_MAX), depth = 0;
	struct rsd_tree *tree;
	struct rsd_node *up = NULL;

	rsd_scan_done(&p->s);
	if (!p->s.err && !rsd_trace_tree_is_next(p->t, thread))
		rsd_scan_fail(&p->s, "tree out of order");
	tree = p->s.err ? NULL : rsd_trace_tree(p->t, thread);
	if (!tree) {
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
		return;
	}
	while (rsd_scan_indented(&p->s, 1) && rsd_scan_line(&p->s)) {
		if (!up || !rsd_scan_take(&p->s, "end")) {
			parse_node(p, tree, &up, &depth);
			continue;
		}
		rsd_scan_done(&p->s);
		if (!up->first)
			rsd_scan_fail(&p->s, "loop body of 0 nodes");
		up = up->parent;
		depth--;
	}
	if (up)
		rsd_scan_fail(&p->s, "a loop without its end");
}

/* ---- logs ------------------------------------------------------------------------------ */

/* First time: only where it is. */
static void parse_log(struct rsd_parser *p)
{
	struct rsd_text_block b;

	b.rank = (int)rsd_scan_int(&p->s, 0, p->t->nprocs - 1);
	b.thread = (int)rsd_scan_int(&p->s, 0, INT32_MAX);
	rsd_scan_done(&p->s);
	b.start = p->s.next;
	while (rsd_scan_indented(&p->s, 1) && rsd_scan_line(&p->s))
		;
	b.end = p->s.next;
	p->s.pos = p->s.end;
	if (p->s.err ||
		rsd_scan_error(&p->s, RSD_GROW(p->block, p->nr_blocks + 1, p->alloc_blocks)))
		return;
	p->block[p->nr_blocks++] = b;
}

static int index_places(struct rsd_parser *p)
{
	int *number = rsd_text_place_numbers(p->t);
	int err = number ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; !err && i < p->t->nr_places; i++)
		err = rsd_map_set(&p->place_by_number,
			(uint64_t)p->t->place[i].thread << 32 | (uint64_t)number[i], i);
	free(number);
	return rsd_scan_error(&p->s, err);
}

/* PLACE VALUE... [@ BEFORE DURATION] */
static void parse_event(struct rsd_parser *p, int thread, struct rsd_log *log)
{
	uint64_t number = (uint64_t)rsd_scan_int(&p->s, 0, INT32_MAX), before = 0, dur = 0;
	const uint64_t *place = rsd_map_find(&p->place_by_number, (uint64_t)thread << 32 | number);
	size_t nr = 0;

	if (!place)
		rsd_scan_fail(&p->s, "thread %d has no place %d", thread, (int)number);
	while (!rsd_scan_at_end(&p->s)) {
		if (rsd_scan_take(&p->s, "@")) {
			before = rsd_scan_uint(&p->s);
			dur = rsd_scan_uint(&p->s);
			rsd_scan_done(&p->s);
			break;
		}
		if (rsd_scan_error(&p->s, RSD_GROW(p->val, nr + 1, p->alloc_val)))
			return;
		p->val[nr++] = rsd_parse_value(p);
	}
	if (p->s.err)
		return;
	rsd_flat_put(&log->bytes, (int)*place, p->val, nr, before, dur);
	rsd_scan_error(&p->s, log->bytes.err);
}

static void parse_blocks(struct rsd_parser *p)
{
	size_t next = p->s.next, len = p->s.len;

	if (!p->nr_blocks || p->s.err || index_places(p))
		return;
	for (size_t i = 0; !p->s.err && i < p->nr_blocks; i++) {
		const struct rsd_text_block *b = &p->block[i];
		struct rsd_log *log = rsd_trace_log(p->t, b->rank, b->thread);

		rsd_scan_init(&p->s, p->s.text, b->end, b->start, p->s.why);
		if (!log)
			rsd_scan_error(&p->s, RSD_ERR_NOMEM);
		while (rsd_scan_line(&p->s))
			parse_event(p, b->thread, log);
	}
	p->s.next = next;
	p->s.len = len;
}

/* ---- the whole -------------------------------------------------------------------------- */

static void parse_line(struct rsd_parser *p)
{
	if (rsd_parse_table_line(p))
		return;
	if (rsd_scan_take(&p->s, "place"))
		parse_place(p);
	else if (rsd_scan_take(&p->s, "tree"))
		parse_tree(p);
	else if (rsd_scan_take(&p->s, "log"))
		parse_log(p);
	else
		rsd_scan_fail(&p->s, "a line of unknown kind");
	rsd_scan_done(&p->s);
}

static void parse_section(struct rsd_parser *p, size_t start)
{
	rsd_parse_start(p, "rsd", RSD_TEXT_FOREIGN);
	while (rsd_scan_line(&p->s)) {
		if (rsd_scan_take(&p->s, "end")) {
			rsd_parse_end(p, start);
			parse_blocks(p);
			return;
		}
		parse_line(p);
	}
	rsd_scan_fail(&p->s, "the trace is cut off: it has no end line");
}

int rsd_text_parse(
	struct rsd_trace **out, const char *text, size_t len, size_t *pos, struct rsd_buf *why)
{
	struct rsd_parser p;
	int err;

	*out = NULL;
	rsd_parser_init(&p, text, len, *pos, why);
	parse_section(&p, *pos);
	err = p.s.err;
	if (!err)
		err = rsd_trace_verify(p.t, why);
	*pos = p.s.next;
	rsd_parser_release(&p);
	if (err) {
		rsd_trace_free(p.t);
		return err;
	}
	*out = p.t;
	return 0;
}
