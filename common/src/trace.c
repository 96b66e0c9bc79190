/*
 * trace.c - the tables of a trace, found by content, and its trees
 *
 * The maps hold hashes of contents. Two contents of one hash stand under keys that
 * follow one another; nothing is ever deleted, so the first free key ends a search.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

/* ---- strings ------------------------------------------------------------------ */

void rsd_strings_release(struct rsd_strings *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->str[i].s);
	free(t->str);
	rsd_map_release(&t->by_hash);
	*t = (struct rsd_strings){ 0 };
}

int rsd_strings_intern(struct rsd_strings *t, const char *s, size_t len)
{
	uint64_t key = rsd_hash_bytes(s, len, 0);
	const uint64_t *id;
	char *copy;

	for (; (id = rsd_map_find(&t->by_hash, key)); key++) {
		const struct rsd_string *k = &t->str[*id];

		if (k->len == len && (len == 0 || memcmp(k->s, s, len) == 0))
			return (int)*id;
	}

	if (t->nr >= INT32_MAX || RSD_GROW(t->str, t->nr + 1, t->alloc))
		return RSD_ERR_NOMEM;
	copy = rsd_strndup(s, len);
	if (!copy || rsd_map_set(&t->by_hash, key, t->nr)) {
		free(copy);
		return RSD_ERR_NOMEM;
	}
	t->str[t->nr] = (struct rsd_string){ .s = copy, .len = len };
	return (int)t->nr++;
}

/* ---- functions ---------------------------------------------------------------- */

static void func_release(struct rsd_func *f)
{
	for (int i = 0; f->param && i < f->nr_params; i++)
		free((char *)(uintptr_t)f->param[i].name);
	free((struct rsd_param *)(uintptr_t)f->param);
	free((char *)(uintptr_t)f->name);
}

static int func_copy(struct rsd_func *dst, const struct rsd_func *src)
{
	struct rsd_param *param = rsd_calloc((size_t)src->nr_params + 1, sizeof(*param));

	*dst = *src;
	dst->name = rsd_strndup(src->name, strlen(src->name));
	dst->param = param;
	if (!dst->name || !param)
		goto nomem;
	for (int i = 0; i < src->nr_params; i++) {
		param[i] = src->param[i];
		param[i].name = rsd_strndup(src->param[i].name, strlen(src->param[i].name));
		if (!param[i].name)
			goto nomem;
	}
	return 0;
nomem:
	func_release(dst);
	return RSD_ERR_NOMEM;
}

static bool func_equal(const struct rsd_func *a, const struct rsd_func *b)
{
	if (strcmp(a->name, b->name) != 0 || a->nr_params != b->nr_params || a->class != b->class ||
		a->sent_count != b->sent_count || a->sent_type != b->sent_type ||
		a->recv_count != b->recv_count || a->recv_type != b->recv_type)
		return false;
	for (int i = 0; i < a->nr_params; i++) {
		const struct rsd_param *p = &a->param[i], *q = &b->param[i];

		if (p->type != q->type || p->role != q->role || p->of != q->of ||
			strcmp(p->name, q->name) != 0)
			return false;
	}
	return true;
}

int rsd_trace_func(struct rsd_trace *t, const struct rsd_func *f)
{
	uint64_t key = rsd_hash_bytes(f->name, strlen(f->name), 0);
	const uint64_t *id;

	for (; (id = rsd_map_find(&t->func_by_hash, key)); key++) {
		if (func_equal(&t->func[*id], f))
			return (int)*id;
	}

	if (t->nr_funcs >= INT32_MAX || RSD_GROW(t->func, t->nr_funcs + 1, t->alloc_funcs) ||
		func_copy(&t->func[t->nr_funcs], f))
		return RSD_ERR_NOMEM;
	if (rsd_map_set(&t->func_by_hash, key, t->nr_funcs)) {
		func_release(&t->func[t->nr_funcs]);
		return RSD_ERR_NOMEM;
	}
	return (int)t->nr_funcs++;
}

/* ---- places ------------------------------------------------------------------- */

static void timing_init(struct rsd_timing *t)
{
	rsd_histogram_init(&t->dur);
	rsd_histogram_init(&t->before);
	rsd_histogram_init(&t->dur_first);
}

static void place_release(struct rsd_trace *t, struct rsd_place *p)
{
	int nr = rsd_func_columns(&t->func[p->func]);

	for (int i = 0; i < nr; i++)
		rsd_params_release(&p->col[i]);
	free(p->col);
	rsd_scalars_release(&p->scalars);
	rsd_histogram_release(&p->timing.dur);
	rsd_histogram_release(&p->timing.before);
	rsd_histogram_release(&p->timing.dur_first);
	rsd_params_release(&p->before_ns);
	rsd_params_release(&p->dur_ns);
}

static uint64_t place_key(int thread, int func, int sig, int nested)
{
	uint64_t h = rsd_hash_mix((uint64_t)(uint32_t)thread << 32 | (uint32_t)func);

	return rsd_hash_mix(h ^ ((uint64_t)(uint32_t)sig << 32 | (uint32_t)nested));
}

int rsd_trace_place(struct rsd_trace *t, int thread, int func, int sig, int nested)
{
	uint64_t key = place_key(thread, func, sig, nested);
	const uint64_t *id;
	struct rsd_place *p;

	if (thread < 0 || func < 0 || (size_t)func >= t->nr_funcs || sig < -1 || nested < 0)
		return RSD_ERR_RANGE;
	for (; (id = rsd_map_find(&t->place_by_key, key)); key++) {
		p = &t->place[*id];
		if (p->thread == thread && p->func == func && p->sig == sig && p->nested == nested)
			return (int)*id;
	}

	if (t->nr_places >= INT32_MAX || RSD_GROW(t->place, t->nr_places + 1, t->alloc_places))
		return RSD_ERR_NOMEM;
	p = &t->place[t->nr_places];
	*p = (struct rsd_place){ .thread = thread, .func = func, .sig = sig, .nested = nested };
	p->col = rsd_calloc((size_t)rsd_func_columns(&t->func[func]), sizeof(*p->col));
	if (!p->col || rsd_map_set(&t->place_by_key, key, t->nr_places)) {
		free(p->col);
		return RSD_ERR_NOMEM;
	}
	timing_init(&p->timing);
	return (int)t->nr_places++;
}

/* ---- constants, objects, meta --------------------------------------------------- */

bool rsd_trace_is_constant(const struct rsd_trace *t, int64_t v, const char *name)
{
	size_t i = rsd_is_const(v) ? (size_t)rsd_const_index(v) : 0;

	return i && i < t->nr_constants && t->constant[i] && strcmp(t->constant[i], name) == 0;
}

int rsd_trace_set_constant(struct rsd_trace *t, int index, const char *name)
{
	size_t alloc = t->nr_constants;
	char *copy;

	if (index < 0 || index >= RSD_CONST_MAX)
		return RSD_ERR_RANGE;
	copy = rsd_strndup(name, strlen(name));
	if (!copy)
		return RSD_ERR_NOMEM;
	if ((size_t)index >= alloc) {
		if (RSD_GROW(t->constant, (size_t)index + 1, alloc)) {
			free(copy);
			return RSD_ERR_NOMEM;
		}
		memset(t->constant + t->nr_constants, 0,
			(alloc - t->nr_constants) * sizeof(*t->constant));
		t->nr_constants = alloc;
	}
	free(t->constant[index]);
	t->constant[index] = copy;
	return 0;
}

int rsd_object_nr_attrs(enum rsd_object_kind kind)
{
	static const int nr[] = {
		[RSD_O_COMM] = 4,
		[RSD_O_DATATYPE] = 1,
		[RSD_O_THREAD] = 1,
		[RSD_O_CLOCK] = 3,
		[RSD_O_ORDER] = 2,
	};

	return nr[kind];
}

int rsd_object_set(struct rsd_object *o, int rank, const int64_t *value)
{
	for (int i = 0; i < rsd_object_nr_attrs((enum rsd_object_kind)o->kind); i++) {
		struct rsd_column *c = rsd_column_new(false);
		int err = c ? rsd_column_append(c, value[i]) : RSD_ERR_NOMEM;

		if (err) {
			rsd_column_free(c);
			return err;
		}
		err = rsd_params_set(&o->attr[i], rank, c, NULL);
		if (err)
			return err;
	}
	return 0;
}

bool rsd_trace_has_late_objects(const struct rsd_trace *t)
{
	/* They are sorted by kind. */
	return t->nr_objects && t->object[t->nr_objects - 1].kind >= RSD_O_THREAD;
}

/* Objects are sorted by kind and id; where (kind, id) is or would be. */
static size_t object_position(const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id)
{
	size_t lo = 0, hi = t->nr_objects;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct rsd_object *o = &t->object[mid];

		if (o->kind < kind || (o->kind == kind && o->id < id))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct rsd_object *rsd_trace_find_object(
	const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id)
{
	size_t i = object_position(t, kind, id);

	if (i < t->nr_objects && t->object[i].kind == kind && t->object[i].id == id)
		return &t->object[i];
	return NULL;
}

struct rsd_object *rsd_trace_add_object(struct rsd_trace *t, enum rsd_object_kind kind, int64_t id)
{
	struct rsd_object *o = rsd_trace_find_object(t, kind, id);
	size_t i;

	if (o)
		return o;
	if (RSD_GROW(t->object, t->nr_objects + 1, t->alloc_objects))
		return NULL;
	i = object_position(t, kind, id);
	o = &t->object[i];
	memmove(o + 1, o, (t->nr_objects - i) * sizeof(*o));
	*o = (struct rsd_object){ .kind = (uint8_t)kind, .id = id };
	t->nr_objects++;
	return o;
}

static struct rsd_meta *find_meta(const struct rsd_trace *t, const char *key)
{
	for (size_t i = 0; i < t->nr_meta; i++) {
		if (strcmp(t->meta[i].key, key) == 0)
			return &t->meta[i];
	}
	return NULL;
}

int rsd_trace_set_meta(struct rsd_trace *t, const char *key, const char *value)
{
	struct rsd_meta *m = find_meta(t, key);
	char *v = rsd_strndup(value, strlen(value));

	if (!v)
		return RSD_ERR_NOMEM;
	if (m) {
		free(m->value);
		m->value = v;
		return 0;
	}
	if (RSD_GROW(t->meta, t->nr_meta + 1, t->alloc_meta))
		goto nomem;
	m = &t->meta[t->nr_meta];
	m->key = rsd_strndup(key, strlen(key));
	m->value = v;
	if (!m->key)
		goto nomem;
	t->nr_meta++;
	return 0;
nomem:
	free(v);
	return RSD_ERR_NOMEM;
}

const char *rsd_trace_get_meta(const struct rsd_trace *t, const char *key)
{
	const struct rsd_meta *m = find_meta(t, key);

	return m ? m->value : NULL;
}

/* ---- trees ---------------------------------------------------------------------- */

/* Where the tree of 'thread' is, or would be. */
static size_t tree_position(const struct rsd_trace *t, int thread)
{
	size_t lo = 0, hi = t->nr_trees;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->tree[mid].thread < thread)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct rsd_tree *rsd_trace_find_tree(const struct rsd_trace *t, int thread)
{
	size_t at = tree_position(t, thread);

	return at < t->nr_trees && t->tree[at].thread == thread ? &t->tree[at] : NULL;
}

struct rsd_tree *rsd_trace_tree(struct rsd_trace *t, int thread)
{
	size_t at = tree_position(t, thread);
	struct rsd_tree *tree;

	if (at < t->nr_trees && t->tree[at].thread == thread)
		return &t->tree[at];

	if (RSD_GROW(t->tree, t->nr_trees + 1, t->alloc_trees))
		return NULL;
	tree = &t->tree[at];
	memmove(tree + 1, tree, (t->nr_trees - at) * sizeof(*tree));
	*tree = (struct rsd_tree){ .thread = thread };
	t->nr_trees++;
	return tree;
}

/* ---- logs ------------------------------------------------------------------------- */

#define ANY_THREAD UINT32_MAX /* a key of the rank; no thread's number */

static uint64_t log_key(int rank, uint32_t thread)
{
	return (uint64_t)rank << 32 | thread;
}

/* What 'key' leads to, or SIZE_MAX. */
static size_t log_index(const struct rsd_trace *t, uint64_t key)
{
	const uint64_t *known = rsd_map_find(&t->log_by_key, key);

	return known ? (size_t)*known : SIZE_MAX;
}

struct rsd_log *rsd_trace_add_log(struct rsd_trace *t, int rank, int thread)
{
	uint64_t key = log_key(rank, (uint32_t)thread), rank_key = log_key(rank, ANY_THREAD);
	size_t last = log_index(t, key), other = log_index(t, rank_key), at = t->nr_logs;
	struct rsd_log *l;

	rsd_assert(rank >= 0 && thread >= 0);
	if (RSD_GROW(t->log, at + 1, t->alloc_logs) || rsd_map_set(&t->log_by_key, key, at))
		return NULL;
	l = &t->log[at];
	*l = (struct rsd_log){ .rank = rank, .thread = thread, .bytes = RSD_BUF_INIT };
	if (last != SIZE_MAX) {
		l->next = t->log[last].next;
		l->other = SIZE_MAX;
		t->log[last].next = at;
	} else if (rsd_map_set(&t->log_by_key, rank_key, at)) {
		rsd_map_delete(&t->log_by_key, key);
		return NULL;
	} else {
		l->next = at;
		l->other = other;
	}
	t->nr_logs++;
	return l;
}

struct rsd_log *rsd_trace_log(struct rsd_trace *t, int rank, int thread)
{
	size_t last = log_index(t, log_key(rank, (uint32_t)thread));

	return last == SIZE_MAX ? rsd_trace_add_log(t, rank, thread) : &t->log[last];
}

const struct rsd_log *rsd_trace_first_log(const struct rsd_trace *t, int rank, int thread)
{
	size_t last = log_index(t, log_key(rank, (uint32_t)thread));

	return last == SIZE_MAX ? NULL : &t->log[t->log[last].next];
}

const struct rsd_log *rsd_trace_next_log(const struct rsd_trace *t, const struct rsd_log *l)
{
	return l->next > (size_t)(l - t->log) ? &t->log[l->next] : NULL;
}

const struct rsd_log *rsd_trace_other_thread(
	const struct rsd_trace *t, int rank, const struct rsd_log *l)
{
	size_t at = l ? l->other : log_index(t, log_key(rank, ANY_THREAD));

	return at == SIZE_MAX ? NULL : &t->log[at];
}

const struct rsd_params *rsd_place_columns(
	const struct rsd_trace *t, const struct rsd_place *p, int param)
{
	return p->col + rsd_func_first_column(&t->func[p->func], param);
}

const struct rsd_ranks *rsd_node_ranks(const struct rsd_trace *t, const struct rsd_node *n)
{
	for (; n; n = n->parent) {
		if (n->ranks)
			return n->ranks;
	}
	return &t->ranks;
}

struct rsd_node *rsd_node_new(int place)
{
	struct rsd_node *n = rsd_calloc(1, sizeof(*n));

	if (n)
		n->place = place;
	return n;
}

/* Frees a list of nodes; bodies are put in front of the list, so that depth costs no stack. */
static void free_list(struct rsd_node *list)
{
	while (list) {
		struct rsd_node *n = list;

		if (n->first) {
			n->last->next = n->next;
			list = n->first;
		} else {
			list = n->next;
		}
		if (n->ranks)
			rsd_ranks_release(n->ranks);
		free(n->ranks);
		rsd_params_release(&n->count);
		rsd_scalars_release(&n->scalars);
		free(n);
	}
}

void rsd_node_free(struct rsd_node *n)
{
	if (!n)
		return;
	n->next = NULL;
	free_list(n);
}

void rsd_node_append(struct rsd_tree *tree, struct rsd_node *parent, struct rsd_node *n)
{
	struct rsd_node **first = parent ? &parent->first : &tree->first;
	struct rsd_node **last = parent ? &parent->last : &tree->last;

	n->parent = parent;
	n->next = NULL;
	n->prev = *last;
	if (*last)
		(*last)->next = n;
	else
		*first = n;
	*last = n;
}

struct rsd_node *rsd_node_after(const struct rsd_node *n, const struct rsd_node *top)
{
	if (n->first)
		return n->first;
	while (n && n != top && !n->next)
		n = n->parent;
	return n && n != top ? n->next : NULL;
}

/* ---- the whole -------------------------------------------------------------------- */

struct rsd_trace *rsd_trace_new(int nprocs)
{
	struct rsd_trace *t = rsd_calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->nprocs = nprocs;
	rsd_sigs_init(&t->sigs);
	if (rsd_trace_set_constant(t, 0, "absent")) {
		rsd_trace_free(t);
		return NULL;
	}
	return t;
}

void rsd_trace_forget_objects(struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_objects; i++) {
		for (int k = 0; k < RSD_OBJECT_ATTRS; k++)
			rsd_params_release(&t->object[i].attr[k]);
	}
	t->nr_objects = 0;
}

static void free_tables(struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_meta; i++) {
		free(t->meta[i].key);
		free(t->meta[i].value);
	}
	free(t->meta);
	rsd_strings_release(&t->strings);
	for (size_t i = 0; i < t->nr_constants; i++)
		free(t->constant[i]);
	free(t->constant);
	rsd_trace_forget_objects(t);
	free(t->object);
	rsd_sigs_release(&t->sigs);
	rsd_source_table_release(&t->sources);
}

bool rsd_trace_has_times(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		if (t->place[i].has_times)
			return true;
	}
	return false;
}

void rsd_trace_round_times(struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		struct rsd_place *p = &t->place[i];

		if (p->has_times)
			continue;
		rsd_histogram_round(&p->timing.before);
		rsd_histogram_round(&p->timing.dur_first);
		rsd_histogram_round(&p->timing.dur);
	}
}

void rsd_trace_free(struct rsd_trace *t)
{
	if (!t)
		return;
	free(t->path);
	for (size_t i = 0; i < t->nr_trees; i++)
		free_list(t->tree[i].first);
	free(t->tree);
	for (size_t i = 0; i < t->nr_logs; i++)
		rsd_buf_release(&t->log[i].bytes);
	free(t->log);
	rsd_map_release(&t->log_by_key);
	for (size_t i = 0; i < t->nr_places; i++)
		place_release(t, &t->place[i]);
	free(t->place);
	rsd_map_release(&t->place_by_key);
	for (size_t i = 0; i < t->nr_funcs; i++)
		func_release(&t->func[i]);
	free(t->func);
	rsd_map_release(&t->func_by_hash);
	free_tables(t);
	rsd_ranks_release(&t->ranks);
	free(t->incomplete_why);
	free(t);
}
