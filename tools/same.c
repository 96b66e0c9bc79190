/* same.c - see same.h */
#include "same.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

struct func_pair {
	int other; /* index in b, or -1 */
	bool has_strings;
};

struct rsd_same {
	const struct rsd_trace *a, *b;
	bool ignore_sites;
	struct func_pair *func;
	int *constant;	     /* index in b of each of a's constants, or -1 */
	bool same_constants; /* every constant of a has the same index in b */
	bool same_tables;    /* and strings and objects, too */
	struct rsd_map sig;  /* (a's, b's) -> equal? */
};

static bool same_params(const struct rsd_func *x, const struct rsd_func *y)
{
	if (x->nr_params != y->nr_params)
		return false;
	for (int i = 0; i < x->nr_params; i++)
		if (strcmp(x->param[i].name, y->param[i].name) ||
			x->param[i].type != y->param[i].type)
			return false;
	return true;
}

/* ---- pairs of equal names ------------------------------------------------------------- */

struct names {
	struct rsd_strings strings;
	int *first; /* by string: the first index of that name */
	int *next;  /* by index: the next one of the same name, or -1 */
	size_t nr;  /* strings that have an index */
};

static void names_release(struct names *n)
{
	rsd_strings_release(&n->strings);
	free(n->first);
	free(n->next);
}

static int names_init(struct names *n, size_t nr)
{
	*n = (struct names){ .nr = 0 };
	n->first = rsd_calloc(nr + 1, sizeof(*n->first));
	n->next = rsd_calloc(nr + 1, sizeof(*n->next));
	return n->first && n->next ? 0 : RSD_ERR_NOMEM;
}

/* Indices are added from the last to the first. */
static int names_add(struct names *n, const char *name, size_t index)
{
	int id = rsd_strings_intern(&n->strings, name, strlen(name));

	if (id < 0)
		return id;
	n->next[index] = (size_t)id < n->nr ? n->first[id] : -1;
	n->first[id] = (int)index;
	n->nr = n->strings.nr;
	return 0;
}

/* The first index of that name; -1: there is none. Once all are added. */
static int names_find(struct names *n, const char *name, int *first)
{
	int id = rsd_strings_intern(&n->strings, name, strlen(name));

	*first = id >= 0 && (size_t)id < n->nr ? n->first[id] : -1;
	return id < 0 ? id : 0;
}

static void pair_func(struct rsd_same *s, size_t i, const struct names *n, int first)
{
	const struct rsd_func *x = &s->a->func[i];

	while (first >= 0 && !same_params(x, &s->b->func[first]))
		first = n->next[first];
	s->func[i].other = first;
	for (int k = 0; k < x->nr_params; k++)
		if (x->param[k].type == RSD_T_STRING || x->param[k].type == RSD_T_STRINGS)
			s->func[i].has_strings = true;
}

static int pair_funcs(struct rsd_same *s)
{
	struct names n;
	int err = names_init(&n, s->b->nr_funcs), first;

	s->func = rsd_calloc(s->a->nr_funcs + 1, sizeof(*s->func));
	if (!s->func)
		err = RSD_ERR_NOMEM;
	for (size_t j = s->b->nr_funcs; j-- > 0 && !err;)
		err = names_add(&n, s->b->func[j].name, j);
	for (size_t i = 0; i < s->a->nr_funcs && !err; i++) {
		err = names_find(&n, s->a->func[i].name, &first);
		if (!err)
			pair_func(s, i, &n, first);
	}
	names_release(&n);
	return err;
}

static bool same_constant(const struct rsd_same *s, size_t i)
{
	return i < s->b->nr_constants && s->b->constant[i] &&
	       strcmp(s->a->constant[i], s->b->constant[i]) == 0;
}

static int pair_constants(struct rsd_same *s)
{
	struct names n;
	int err = names_init(&n, s->b->nr_constants);

	s->constant = rsd_calloc(s->a->nr_constants + 1, sizeof(*s->constant));
	if (!s->constant)
		err = RSD_ERR_NOMEM;
	s->same_constants = true;
	for (size_t j = s->b->nr_constants; j-- > 1 && !err;)
		if (s->b->constant[j])
			err = names_add(&n, s->b->constant[j], j);
	for (size_t i = 1; i < s->a->nr_constants && !err; i++) {
		s->constant[i] = -1;
		if (!s->a->constant[i])
			continue;
		if (same_constant(s, i)) {
			s->constant[i] = (int)i;
			continue;
		}
		s->same_constants = false;
		err = names_find(&n, s->a->constant[i], &s->constant[i]);
	}
	names_release(&n);
	return err;
}

static bool same_strings(const struct rsd_strings *x, const struct rsd_strings *y)
{
	if (x->nr != y->nr)
		return false;
	for (size_t i = 0; i < x->nr; i++) {
		if (x->str[i].len != y->str[i].len ||
			memcmp(x->str[i].s, y->str[i].s, x->str[i].len))
			return false;
	}
	return true;
}

/* Those that events speak of. They are sorted by kind. */
static size_t count_objects(const struct rsd_trace *t)
{
	size_t nr = 0;

	while (nr < t->nr_objects && t->object[nr].kind < RSD_O_THREAD)
		nr++;
	return nr;
}

static bool same_objects(const struct rsd_trace *a, const struct rsd_trace *b)
{
	size_t nr = count_objects(a);

	if (nr != count_objects(b))
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct rsd_object *x = &a->object[i], *y = &b->object[i];

		if (x->kind != y->kind || x->id != y->id)
			return false;
		for (int k = 0; k < RSD_OBJECT_ATTRS; k++) {
			if (!rsd_params_equal(&x->attr[k], &y->attr[k]))
				return false;
		}
	}
	return true;
}

bool rsd_same_tables(const struct rsd_same *s)
{
	return s->same_tables;
}

struct rsd_same *rsd_same_new(
	const struct rsd_trace *a, const struct rsd_trace *b, bool ignore_sites)
{
	struct rsd_same *s = rsd_calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->a = a;
	s->b = b;
	s->ignore_sites = ignore_sites;
	if (pair_funcs(s) || pair_constants(s)) {
		rsd_same_free(s);
		return NULL;
	}
	s->same_tables =
		s->same_constants && same_strings(&a->strings, &b->strings) && same_objects(a, b);
	return s;
}

void rsd_same_free(struct rsd_same *s)
{
	if (!s)
		return;
	free(s->func);
	free(s->constant);
	rsd_map_release(&s->sig);
	free(s);
}

/* ---- call sites ------------------------------------------------------------------------- */

static bool same_module(const struct rsd_same *s, int x, int y)
{
	const struct rsd_module *m, *n;

	if (x < 0 || y < 0)
		return x == y;
	m = &s->a->sigs.module[x];
	n = &s->b->sigs.module[y];
	if (m->build_id[0] && n->build_id[0])
		return strcmp(m->build_id, n->build_id) == 0;
	return strcmp(rsd_base_name(m->path), rsd_base_name(n->path)) == 0;
}

static bool same_frames(const struct rsd_same *s, int x, int y)
{
	const struct rsd_sig *p = &s->a->sigs.sig[x], *q = &s->b->sigs.sig[y];
	const struct rsd_frame *f = s->a->sigs.frame + p->first, *g = s->b->sigs.frame + q->first;

	if (p->nr != q->nr)
		return false;
	for (size_t i = 0; i < p->nr; i++) {
		if (!same_module(s, f[i].module, g[i].module))
			return false;
		/* Outside every module an offset is an address, which is another one in every run.
		 */
		if (f[i].module >= 0 && f[i].offset != g[i].offset)
			return false;
	}
	return true;
}

static bool same_sig(struct rsd_same *s, int x, int y)
{
	uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)y, *known;
	bool same;

	if (x < 0 || y < 0)
		return (x < 0 || !s->a->sigs.sig[x].nr) && (y < 0 || !s->b->sigs.sig[y].nr);
	known = rsd_map_find(&s->sig, key);
	if (known)
		return *known;
	same = same_frames(s, x, y);
	rsd_map_set(&s->sig, key, same); /* no memory: found out again the next time */
	return same;
}

/* ---- values ------------------------------------------------------------------------------- */

static bool same_number(const struct rsd_same *s, int64_t x, int64_t y)
{
	size_t i;

	if (!rsd_is_const(x) || s->same_constants)
		return x == y;
	i = (size_t)rsd_const_index(x);
	return rsd_is_const(y) && i < s->a->nr_constants && s->constant[i] == rsd_const_index(y);
}

static bool same_string(const struct rsd_same *s, int64_t x, int64_t y)
{
	const struct rsd_string *p, *q;

	if (rsd_is_const(x) || rsd_is_const(y))
		return same_number(s, x, y);
	if (x < 0 || (uint64_t)x >= s->a->strings.nr || y < 0 || (uint64_t)y >= s->b->strings.nr)
		return false;
	p = &s->a->strings.str[x];
	q = &s->b->strings.str[y];
	return p->len == q->len && memcmp(p->s, q->s, p->len) == 0;
}

/* With strings among the values, which those are depends on the layout. */
static bool same_layout(
	const struct rsd_same *s, const struct rsd_event *a, const struct rsd_event *b)
{
	const struct rsd_func *fn = &s->a->func[a->func];
	struct rsd_layout l;

	rsd_layout_init(&l, fn);
	for (size_t i = 0; i < a->nr_val; i++) {
		int type = l.param < fn->nr_params ? fn->param[l.param].type : RSD_T_INT;
		bool string = type == RSD_T_STRING || (type == RSD_T_STRINGS && l.sub == 1);

		if (string ? !same_string(s, a->val[i], b->val[i])
			   : !same_number(s, a->val[i], b->val[i]))
			return false;
		if (rsd_layout_column(&l) < 0 || rsd_layout_step(&l, a->val[i]))
			return false;
	}
	return true;
}

bool rsd_same_values(struct rsd_same *s, const struct rsd_event *a, const struct rsd_event *b)
{
	if (s->func[a->func].other != b->func || a->nested != b->nested || a->nr_val != b->nr_val)
		return false;
	if (s->func[a->func].has_strings)
		return same_layout(s, a, b);
	for (size_t i = 0; i < a->nr_val; i++)
		if (!same_number(s, a->val[i], b->val[i]))
			return false;
	return true;
}

bool rsd_same_event(struct rsd_same *s, const struct rsd_event *a, const struct rsd_event *b)
{
	return rsd_same_values(s, a, b) && (s->ignore_sites || same_sig(s, a->sig, b->sig));
}

bool rsd_same_place(struct rsd_same *s, int x, int y)
{
	const struct rsd_place *u = &s->a->place[x], *v = &s->b->place[y];

	return s->func[u->func].other == v->func && u->nested == v->nested &&
	       (s->ignore_sites || same_sig(s, u->sig, v->sig));
}
