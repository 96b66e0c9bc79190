#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "hash.h"
#include "scan.h"
#include "transfer.h"
#include "util.h"

struct verifier {
	const struct rsd_trace *t;
	struct rsd_buf *why;
};

/* Always RSD_ERR_FORMAT. */
static int bad(struct verifier *v, const char *what, size_t index, const char *text)
{
	if (v->why)
		rsd_buf_printf(v->why, "%s %zu: %s", what, index, text);
	return RSD_ERR_FORMAT;
}

bool rsd_trace_object_is_next(const struct rsd_trace *t, int kind, int64_t id)
{
	const struct rsd_object *o = t->nr_objects ? &t->object[t->nr_objects - 1] : NULL;

	return !o || o->kind < kind || (o->kind == kind && o->id < id);
}

bool rsd_trace_tree_is_next(const struct rsd_trace *t, int thread)
{
	return !t->nr_trees || t->tree[t->nr_trees - 1].thread < thread;
}

static bool param_in_range(const struct rsd_func *f, int index)
{
	return index >= -1 && index < f->nr_params;
}

bool rsd_func_is_valid(const struct rsd_func *f)
{
	if (!rsd_scan_is_name(f->name, strlen(f->name)) || f->class >= RSD_NR_CLASSES ||
		f->nr_params < 0 || f->nr_params > RSD_TRACE_MAX_PARAMS)
		return false;
	if (!param_in_range(f, f->sent_count) || !param_in_range(f, f->sent_type) ||
		!param_in_range(f, f->recv_count) || !param_in_range(f, f->recv_type))
		return false;
	for (int i = 0; i < f->nr_params; i++) {
		const struct rsd_param *p = &f->param[i];

		if (!rsd_scan_is_name(p->name, strlen(p->name)) || p->type >= RSD_NR_TYPES ||
			p->role >= RSD_NR_ROLES || !param_in_range(f, p->of))
			return false;
		for (int j = 0; j < i; j++)
			if (!strcmp(p->name, f->param[j].name))
				return false;
	}
	return true;
}

/* The parameter that column 'col' belongs to, and which of its columns it is; NULL: the error. */
static const struct rsd_param *param_of_column(const struct rsd_func *f, int col, int *sub)
{
	for (int i = 0; i < f->nr_params; i++) {
		int nr = rsd_type_columns((enum rsd_type)f->param[i].type);

		if (col < nr) {
			*sub = col;
			return &f->param[i];
		}
		col -= nr;
	}
	return NULL;
}

static bool is_string_column(const struct rsd_func *f, int col)
{
	int sub;
	const struct rsd_param *p = param_of_column(f, col, &sub);

	return p &&
	       ((p->type == RSD_T_STRING && sub == 0) || (p->type == RSD_T_STRINGS && sub == 1));
}

static bool is_peer_column(const struct rsd_func *f, int col)
{
	int sub;
	const struct rsd_param *p = param_of_column(f, col, &sub);

	if (!p)
		return false;
	switch ((enum rsd_type)p->type) {
	case RSD_T_INT:
		return p->role == RSD_R_PEER;
	case RSD_T_INTS:
		return p->role == RSD_R_PEER && sub == 1;
	case RSD_T_STATUS:
		return sub == 1;
	case RSD_T_STATUSES:
		return sub == 2;
	default:
		return false;
	}
}

static bool ids_in_range(const struct rsd_column *c, size_t nr)
{
	struct rsd_column_stats s;

	rsd_column_stats(c, &s);
	return !s.nr || (s.min >= 0 && (uint64_t)s.max < nr);
}

/* A column of string ids is symbolic, alike on all ranks of a variant, and refers to strings there
 * are. */
static bool strings_are_sound(const struct rsd_params *p, size_t nr_strings)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];

			if (!rsd_column_is_symbolic(v->col) || v->nr_numbers ||
				!ids_in_range(v->col, nr_strings))
				return false;
		}
	}
	return true;
}

static bool extremes_are_sound(const struct rsd_histogram *h, int nprocs)
{
	return !h->nr || (h->min_rank < nprocs && h->max_rank < nprocs);
}

static int verify_place(struct verifier *v, size_t index)
{
	const struct rsd_place *p = &v->t->place[index];
	const struct rsd_func *f = &v->t->func[p->func];
	int nr = rsd_func_columns(f);

	for (int i = 0; i < nr; i++) {
		if (is_string_column(f, i) && !strings_are_sound(&p->col[i], v->t->strings.nr))
			return bad(
				v, "place", index, "a column of strings that has something else");
		if (p->col[i].enc[RSD_E_REL].nr && !is_peer_column(f, i))
			return bad(v, "place", index, "a relative column that is not a peer's");
	}
	if (!extremes_are_sound(&p->timing.dur, v->t->nprocs) ||
		!extremes_are_sound(&p->timing.before, v->t->nprocs) ||
		!extremes_are_sound(&p->timing.dur_first, v->t->nprocs))
		return bad(v, "place", index, "a histogram of a rank there is not");
	return 0;
}

static int verify_tree(struct verifier *v, size_t index)
{
	const struct rsd_tree *tree = &v->t->tree[index];
	const struct rsd_node *n = tree->first, *up = NULL;

	while (n || up) {
		if (!n) {
			n = up->next;
			up = up->parent;
			continue;
		}
		if (n->ranks && rsd_ranks_is_empty(n->ranks))
			return bad(v, "tree", index, "a node without participants");
		if (n->place >= 0) {
			if (v->t->place[n->place].thread != tree->thread)
				return bad(v, "tree", index, "a place of another thread");
			n = n->next;
		} else {
			up = n;
			n = n->first;
		}
	}
	return 0;
}

/* Is the event's vector laid out as its function says, and are its strings there? */
static bool event_is_sound(
	const struct rsd_trace *t, const struct rsd_func *f, const struct rsd_flat_event *e)
{
	struct rsd_layout l;
	size_t i = 0;
	int col;

	rsd_layout_init(&l, f);
	for (; (col = rsd_layout_column(&l)) >= 0; i++) {
		if (i >= e->nr_val)
			return false;
		if (is_string_column(f, col) && !rsd_is_const(e->val[i]) &&
			(e->val[i] < 0 || (uint64_t)e->val[i] >= t->strings.nr))
			return false;
		if (rsd_layout_step(&l, e->val[i]))
			return false;
	}
	return i == e->nr_val;
}

static int verify_log(struct verifier *v, size_t index)
{
	const struct rsd_log *l = &v->t->log[index];
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	int err;

	if (!rsd_ranks_has(&v->t->ranks, l->rank))
		return bad(v, "log", index, "a rank that is not in the trace");
	rsd_flat_reader_init(&r, l->bytes.data, l->bytes.len);
	while (!(err = rsd_flat_next(&r, &e))) {
		const struct rsd_place *p;

		if (e.place < 0 || (size_t)e.place >= v->t->nr_places ||
			v->t->place[e.place].thread != l->thread) {
			err = bad(v, "log", index, "an event whose place is not in the table");
			break;
		}
		p = &v->t->place[e.place];
		if (!event_is_sound(v->t, &v->t->func[p->func], &e)) {
			err = bad(v, "log", index, "an event whose values do not fit its function");
			break;
		}
	}
	if (err == RSD_ERR_FORMAT && r.in.err)
		bad(v, "log", index, "damaged events");
	rsd_flat_reader_release(&r);
	return err == RSD_ERR_END ? 0 : err;
}

/* A text format names constants by name: that must tell which one is meant. */
static int verify_constants(struct verifier *v)
{
	const struct rsd_trace *t = v->t;
	struct rsd_map by_name = RSD_MAP_INIT;
	int err = 0;

	if (t->nr_constants && t->constant[0] && strcmp(t->constant[0], "absent") != 0)
		return bad(v, "constant", 0, "not 'absent'");
	for (size_t i = 0; !err && i < t->nr_constants; i++) {
		const char *name = t->constant[i];
		const uint64_t *other;
		uint64_t key;

		if (!name)
			continue;
		if (!rsd_scan_is_name(name, strlen(name)))
			err = bad(v, "constant", i, "not a name");
		key = rsd_hash_bytes(name, strlen(name), 0);
		for (; !err && (other = rsd_map_find(&by_name, key)); key++)
			if (!strcmp(t->constant[*other], name))
				err = bad(v, "constant", i, "the name of another one");
		if (!err)
			err = rsd_map_set(&by_name, key, i);
	}
	rsd_map_release(&by_name);
	return err;
}

int rsd_trace_verify(const struct rsd_trace *t, struct rsd_buf *why)
{
	struct verifier v = { t, why };
	int err = verify_constants(&v);

	for (size_t i = 0; !err && i < t->nr_places; i++)
		err = verify_place(&v, i);
	for (size_t i = 0; !err && i < t->nr_trees; i++)
		err = verify_tree(&v, i);
	for (size_t i = 0; !err && i < t->nr_logs; i++)
		err = verify_log(&v, i);
	return err;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* The ranks that the tree has calls of. */
static int ranks_of_tree(
	const struct rsd_trace *t, const struct rsd_tree *tree, struct rsd_ranks *out)
{
	int err = 0;

	for (const struct rsd_node *n = tree->first; n && !err; n = n->next) {
		if (rsd_ranks_equal(out, &t->ranks))
			break;
		err = rsd_ranks_add(out, n->ranks ? n->ranks : &t->ranks);
	}
	return err;
}

static int lack_part(struct rsd_trace *t, int thread)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err;

	rsd_buf_printf(&why, "part %d of what thread %d recorded is missing",
		rsd_thread_part(thread), rsd_thread_number(thread));
	err = why.err;
	if (!err) {
		free(t->incomplete_why);
		t->incomplete_why = rsd_strndup((const char *)why.data, why.len);
		t->complete = false;
	}
	rsd_buf_release(&why);
	return err ? err : t->incomplete_why ? 0 : RSD_ERR_NOMEM;
}

int rsd_trace_check_parts(struct rsd_trace *t)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_trees && t->complete && !err; i++) {
		struct rsd_ranks ranks = RSD_RANKS_INIT, before = RSD_RANKS_INIT,
				 all = RSD_RANKS_INIT;
		int thread = t->tree[i].thread - RSD_PART;
		const struct rsd_tree *tree = rsd_trace_find_tree(t, thread);

		if (rsd_thread_part(t->tree[i].thread) && !t->tree[i].first)
			err = lack_part(t, t->tree[i].thread);
		if (thread < RSD_PART || err)
			continue;
		err = ranks_of_tree(t, &t->tree[i], &ranks);
		if (!err && tree)
			err = ranks_of_tree(t, tree, &before);
		if (!err)
			err = rsd_ranks_union(&all, &before, &ranks);
		if (!err && !rsd_ranks_equal(&all, &before))
			err = lack_part(t, thread);
		rsd_ranks_release(&ranks);
		rsd_ranks_release(&before);
		rsd_ranks_release(&all);
	}
	return err;
}
