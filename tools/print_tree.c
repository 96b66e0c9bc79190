/* print_tree.c - see print_tree.h */
#include "print_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hash.h"
#include "scan.h"
#include "summary.h"
#include "util.h"
#include "walk.h"

#define CALL "\033[1m"	/* bold */
#define LOOP "\033[36m" /* cyan */
#define DIM "\033[2m"
#define PLAIN "\033[0m"

bool rsd_print_wants_color(const char *when)
{
	const char *no = getenv("NO_COLOR");

	if (strcmp(when, "auto"))
		return strcmp(when, "always") == 0;
	return isatty(STDOUT_FILENO) && !(no && *no);
}

static void put(const struct rsd_tree_view *v, const char *s)
{
	rsd_buf_put(&v->out->buf, s, strlen(s));
}

static void colour(const struct rsd_tree_view *v, const char *code)
{
	if (v->color)
		put(v, code);
}

static void put_string(const struct rsd_tree_view *v, const char *s)
{
	rsd_format_string(s, strlen(s), RSD_STYLE_JSON, &v->out->buf);
}

static bool is_shown(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	return v->rank < 0 || !n->ranks || rsd_ranks_has(n->ranks, v->rank);
}

static struct rsd_summary summary_of(
	const struct rsd_tree_view *v, const struct rsd_place *p, const struct rsd_node *n)
{
	const struct rsd_ranks *ranks = rsd_node_ranks(v->t, n);

	return (struct rsd_summary){ .f = v->f,
		.t = v->t,
		.p = p,
		.rank = v->rank,
		.style = v->style,
		.full = v->full,
		.among = rsd_ranks_equal(ranks, &v->t->ranks) ? NULL : ranks };
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_ranks(const struct rsd_tree_view *v, const struct rsd_ranks *ranks)
{
	put(v, ",\"ranks\":\"");
	if (v->rank >= 0)
		rsd_buf_put_decimal(&v->out->buf, v->rank);
	else
		rsd_ranks_print(ranks, &v->out->buf);
	put(v, "\"");
}

static void json_thread(const struct rsd_tree_view *v, int thread)
{
	if (rsd_thread_number(thread))
		rsd_buf_printf(&v->out->buf, ",\"thread\":%d", rsd_thread_number(thread));
	if (rsd_thread_part(thread))
		rsd_buf_printf(&v->out->buf, ",\"part\":%d", rsd_thread_part(thread));
	if (rsd_thread_is_after(thread))
		put(v, ",\"after_finalize\":true");
}

/* Parameters 'from' to 'end' as an object: their names without the first 'skip' bytes. */
static void json_params(const struct rsd_tree_view *v, const struct rsd_summary *s,
	const struct rsd_func *fn, int from, int end, size_t skip)
{
	struct rsd_buf one = RSD_BUF_INIT;
	bool first = true;

	put(v, "{");
	for (int i = from; i < end; i++) {
		rsd_buf_reset(&one);
		if (!rsd_summary_param(s, i, &one))
			continue;
		if (!first)
			put(v, ",");
		first = false;
		put_string(v, fn->param[i].name + skip);
		put(v, ":");
		rsd_buf_put(&v->out->buf, one.data, one.len);
	}
	put(v, "}");
	rsd_buf_release(&one);
}

static void json_args(
	const struct rsd_tree_view *v, const struct rsd_place *p, const struct rsd_node *n)
{
	const struct rsd_func *fn = &v->t->func[p->func];
	struct rsd_summary s = summary_of(v, p, n);
	struct rsd_buf one = RSD_BUF_INIT;
	int nr_old = rsd_func_nr_old(fn);

	put(v, ",\"args\":");
	json_params(v, &s, fn, nr_old, fn->nr_params, 0);
	if (nr_old) {
		put(v, ",\"before\":");
		json_params(v, &s, fn, 0, nr_old, strlen(RSD_OLD));
	}
	if (rsd_summary_param(&s, fn->nr_params, &one)) {
		put(v, ",\"error\":");
		rsd_buf_put(&v->out->buf, one.data, one.len);
	}
	rsd_buf_release(&one);
}

static void json_histogram(
	const struct rsd_tree_view *v, const char *name, const struct rsd_histogram *h)
{
	if (!h->nr)
		return;
	rsd_buf_printf(&v->out->buf, ",\"%s\":{\"calls\":%" PRIu64 ",\"total\":", name, h->nr);
	rsd_buf_put_seconds(&v->out->buf, h->sum);
	put(v, ",\"min\":");
	rsd_buf_put_seconds(&v->out->buf, h->min);
	put(v, ",\"max\":");
	rsd_buf_put_seconds(&v->out->buf, h->max);
	put(v, "}");
}

/* Durations are of all ranks together: where one is asked for there are none. */
static void json_time(const struct rsd_tree_view *v, const struct rsd_place *p)
{
	if (!p->has_timing || v->rank >= 0)
		return;
	json_histogram(v, "first_time", &p->timing.dur_first);
	json_histogram(v, "time", &p->timing.dur);
}

static void json_event(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	const struct rsd_place *p = &v->t->place[n->place];

	put(v, "{\"call\":");
	put_string(v, v->t->func[p->func].name);
	json_ranks(v, rsd_node_ranks(v->t, n));
	if (!n->parent)
		json_thread(v, p->thread);
	json_args(v, p, n);
	if (p->nested)
		rsd_buf_printf(&v->out->buf, ",\"nested\":%d", p->nested);
	if (p->sig >= 0 && v->t->sigs.sig[p->sig].nr) {
		put(v, ",\"site\":");
		rsd_format_site(v->f, p->sig, RSD_STYLE_JSON, &v->out->buf);
	}
	if (v->stack && p->sig >= 0 && v->t->sigs.sig[p->sig].nr) {
		put(v, ",\"stack\":");
		rsd_format_stack(v->f, p->sig, RSD_STYLE_JSON, &v->out->buf);
	}
	json_time(v, p);
	put(v, "}");
}

static void json_open_loop(
	const struct rsd_tree_view *v, const struct rsd_tree *tree, const struct rsd_node *n)
{
	struct rsd_summary s = summary_of(v, NULL, n);

	put(v, "{\"loop\":");
	rsd_summary_count(&s, &n->count, &v->out->buf);
	json_ranks(v, rsd_node_ranks(v->t, n));
	if (!n->parent)
		json_thread(v, tree->thread);
	put(v, ",\"body\":[");
}

static void json_head(const struct rsd_tree_view *v)
{
	const struct rsd_trace *t = v->t;

	rsd_buf_printf(&v->out->buf, "{\"nprocs\":%d,\"ranks\":\"", t->nprocs);
	if (v->rank >= 0)
		rsd_buf_put_decimal(&v->out->buf, v->rank);
	else
		rsd_ranks_print(&t->ranks, &v->out->buf);
	rsd_buf_printf(&v->out->buf, "\",\"complete\":%s", t->complete ? "true" : "false");
	if (t->incomplete_why) {
		put(v, ",\"incomplete\":");
		put_string(v, t->incomplete_why);
	}
	put(v, ",\"meta\":{");
	for (size_t i = 0; i < t->nr_meta; i++) {
		if (i)
			put(v, ",");
		put_string(v, t->meta[i].key);
		put(v, ":");
		put_string(v, t->meta[i].value);
	}
	put(v, "},\"queue\":[");
}

/* ---- text ---------------------------------------------------------------------------------- */

static void indent(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	for (n = n->parent; n; n = n->parent)
		put(v, "    ");
}

/* Participants, where they differ from those of the loop around. */
static void text_ranks(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	if (!n->ranks || v->rank >= 0)
		return;
	if (rsd_ranks_equal(n->ranks, rsd_node_ranks(v->t, n->parent)))
		return;
	put(v, "  ranks ");
	rsd_ranks_print(n->ranks, &v->out->buf);
}

static void text_args(
	const struct rsd_tree_view *v, const struct rsd_place *p, const struct rsd_node *n)
{
	const struct rsd_func *fn = &v->t->func[p->func];
	struct rsd_summary s = summary_of(v, p, n);
	struct rsd_buf one = RSD_BUF_INIT;
	bool first = true;

	put(v, "(");
	for (int i = 0; i < fn->nr_params; i++) {
		rsd_buf_reset(&one);
		if (!rsd_summary_param(&s, i, &one))
			continue;
		if (!first)
			put(v, ", ");
		first = false;
		put(v, fn->param[i].name);
		put(v, "=");
		rsd_buf_put(&v->out->buf, one.data, one.len);
	}
	put(v, ")");
	rsd_buf_reset(&one);
	if (rsd_summary_param(&s, fn->nr_params, &one)) {
		put(v, " = ");
		rsd_buf_put(&v->out->buf, one.data, one.len);
	}
	rsd_buf_release(&one);
}

static void text_event(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	const struct rsd_place *p = &v->t->place[n->place];

	indent(v, n);
	colour(v, CALL);
	put(v, v->t->func[p->func].name);
	colour(v, PLAIN);
	text_args(v, p, n);
	if (p->nested)
		rsd_buf_printf(&v->out->buf, "  nested %d", p->nested);
	text_ranks(v, n);
	colour(v, DIM);
	if (p->sig >= 0 && v->t->sigs.sig[p->sig].nr) {
		put(v, "  ");
		if (v->stack)
			rsd_format_stack(v->f, p->sig, RSD_STYLE_TEXT, &v->out->buf);
		else
			rsd_format_site(v->f, p->sig, RSD_STYLE_TEXT, &v->out->buf);
	}
	colour(v, PLAIN);
	put(v, "\n");
}

static void text_open_loop(const struct rsd_tree_view *v, const struct rsd_node *n)
{
	struct rsd_summary s = summary_of(v, NULL, n);

	indent(v, n);
	colour(v, LOOP);
	put(v, "loop ");
	rsd_summary_count(&s, &n->count, &v->out->buf);
	colour(v, PLAIN);
	text_ranks(v, n);
	put(v, " {\n");
}

static void text_head(const struct rsd_tree_view *v)
{
	const struct rsd_trace *t = v->t;

	put(v, "# ");
	rsd_scan_put_shown(&v->out->buf, v->path);
	put(v, ": ");
	if (rsd_ranks_count(&t->ranks) == (size_t)t->nprocs) {
		rsd_buf_printf(&v->out->buf, "%d rank%s", t->nprocs, t->nprocs == 1 ? "" : "s");
	} else {
		put(v, "ranks ");
		rsd_ranks_print(&t->ranks, &v->out->buf);
		rsd_buf_printf(&v->out->buf, " of %d", t->nprocs);
	}
	if (!t->complete) {
		put(v, ", incomplete: ");
		rsd_scan_put_shown(&v->out->buf, t->incomplete_why
							 ? t->incomplete_why
							 : "not every rank reached MPI_Finalize");
	}
	put(v, "\n");
	for (size_t i = 0; i < t->nr_meta; i++) {
		put(v, "# ");
		rsd_scan_put_shown(&v->out->buf, t->meta[i].key);
		put(v, ": ");
		rsd_scan_put_shown(&v->out->buf, t->meta[i].value);
		put(v, "\n");
	}
	if (v->rank >= 0)
		rsd_buf_printf(&v->out->buf, "# only rank %d\n", v->rank);
}

/* 'last': the last part that the thread has; 0: none. */
static void text_tree_head(const struct rsd_tree_view *v, int thread, int last)
{
	const char *comma = rsd_thread_number(thread) ? ", " : "";

	if (rsd_thread_number(thread))
		rsd_buf_printf(&v->out->buf, "thread %d", rsd_thread_number(thread));
	if (rsd_thread_part(thread))
		rsd_buf_printf(&v->out->buf, "%spart %d", comma, rsd_thread_part(thread));
	else if (rsd_thread_is_after(thread))
		rsd_buf_printf(&v->out->buf, "%safter MPI_Finalize", comma);
	else if (last)
		rsd_buf_printf(&v->out->buf, "%safter part %d", comma, last);
	if (thread || last)
		put(v, ":\n");
}

/* ---- both: the walk over the nodes, without recursion ------------------------------------------
 */

struct position {
	bool comma; /* JSON: something stands before, at this level */
};

static void open_node(const struct rsd_tree_view *v, const struct rsd_tree *tree,
	const struct rsd_node *n, struct position *at)
{
	bool json = v->style == RSD_STYLE_JSON;

	if (json && at->comma)
		put(v, ",\n");
	if (n->place >= 0 && json)
		json_event(v, n);
	else if (n->place >= 0)
		text_event(v, n);
	else if (json)
		json_open_loop(v, tree, n);
	else
		text_open_loop(v, n);
	at->comma = n->place >= 0;
}

static void close_loop(const struct rsd_tree_view *v, const struct rsd_node *n, struct position *at)
{
	if (v->style == RSD_STYLE_JSON) {
		put(v, "]}");
	} else {
		indent(v, n);
		put(v, "}\n");
	}
	at->comma = true;
}

static bool print_nodes(
	const struct rsd_tree_view *v, const struct rsd_tree *tree, struct position *at)
{
	const struct rsd_node *n = tree->first;

	while (n) {
		bool shown = is_shown(v, n);

		if (shown) {
			open_node(v, tree, n, at);
			if (!rsd_out_more(v->out))
				return false;
		}
		if (shown && n->place < 0 && n->first) {
			n = n->first;
			continue;
		}
		if (shown && n->place < 0)
			close_loop(v, n, at);
		while (n && !n->next) {
			n = n->parent;
			if (n)
				close_loop(v, n, at);
		}
		if (n)
			n = n->next;
	}
	return true;
}

/* A flat log has no structure but its order: each event is a node of one rank. */
static void log_event(const struct rsd_tree_view *v, const struct rsd_event *e, struct position *at)
{
	if (v->style == RSD_STYLE_JSON && at->comma)
		put(v, ",\n");
	at->comma = true;
	if (v->style == RSD_STYLE_JSON) {
		struct rsd_buf one = RSD_BUF_INIT;

		rsd_format_event(v->f, e, v->style, v->stack, &one);
		rsd_buf_printf(&v->out->buf, "{\"ranks\":\"%d\",", e->rank);
		if (one.len)
			rsd_buf_put(&v->out->buf, one.data + 1, one.len - 1);
		rsd_buf_release(&one);
	} else {
		rsd_format_event(v->f, e, v->style, v->stack, &v->out->buf);
		put(v, "\n");
	}
}

static bool print_log(const struct rsd_tree_view *v, const struct rsd_log *log, struct position *at)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err;

	if (v->rank >= 0 && log->rank != v->rank)
		return true;
	err = rsd_walk_new_log(&w, v->t, log);
	if (err)
		return err == RSD_ERR_END;
	while (!(err = rsd_walk_next(w, &e))) {
		log_event(v, &e, at);
		if (!rsd_out_more(v->out))
			break;
	}
	if (err && err != RSD_ERR_END)
		rsd_tool_walk_failed(v->t, log->rank, w, err);
	rsd_walk_free(w);
	return err == RSD_ERR_END;
}

/* The last part of each thread that has some, by its number. */
static bool find_last_parts(const struct rsd_trace *t, struct rsd_map *last)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_trees && !err; i++) {
		int part = rsd_thread_part(t->tree[i].thread);
		uint64_t number = (uint64_t)rsd_thread_number(t->tree[i].thread);
		const uint64_t *known = part ? rsd_map_find(last, number) : NULL;

		if (part && (!known || *known < (uint64_t)part))
			err = rsd_map_set(last, number, (uint64_t)part);
	}
	if (err)
		rsd_tool_error("%s", rsd_strerror(err));
	return !err;
}

/* Parts of threads, which come before, or what the trees are else. */
static bool print_trees(
	const struct rsd_tree_view *v, bool parts, const struct rsd_map *last, struct position *at)
{
	bool ok = true;

	for (size_t i = 0; i < v->t->nr_trees && ok; i++) {
		const struct rsd_tree *tree = &v->t->tree[i];
		const uint64_t *part;

		if (parts != (rsd_thread_part(tree->thread) > 0))
			continue;
		part = rsd_map_find(last, (uint64_t)rsd_thread_number(tree->thread));
		if (v->style != RSD_STYLE_JSON && tree->first)
			text_tree_head(v, tree->thread, part ? (int)*part : 0);
		ok = print_nodes(v, tree, at);
	}
	return ok;
}

int rsd_print_tree(const struct rsd_tree_view *v)
{
	bool json = v->style == RSD_STYLE_JSON, ok = true;
	struct rsd_map last = RSD_MAP_INIT;
	struct position at = { false };

	if (json)
		json_head(v);
	else
		text_head(v);
	ok = find_last_parts(v->t, &last) && print_trees(v, true, &last, &at) &&
	     print_trees(v, false, &last, &at);
	rsd_map_release(&last);
	for (size_t i = 0; i < v->t->nr_logs && ok; i++)
		ok = print_log(v, &v->t->log[i], &at);
	if (json)
		put(v, "]}\n");
	return ok ? RSD_EXIT_OK : RSD_EXIT_ERROR;
}
