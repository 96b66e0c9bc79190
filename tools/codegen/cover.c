/*
 * cover.c - which places of the trace become calls of the program, and why the others do not
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "tool.h"
#include "util.h"

#define MOST_ROUNDS 4096 /* of a pattern that are looked at for slots */
#define MOST_SLOTS ((int64_t)1 << 22)

static const struct rsd_prototype *find_prototype(const char *name)
{
	for (const struct rsd_prototype *p = rsd_prototypes; p->name; p++) {
		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static const struct rsd_param *recorded(const struct cg *cg, int place, int param)
{
	int i = cg->place[place].param[param];

	return i < 0 ? NULL : &cg->t->func[cg->t->place[place].func].param[i];
}

bool cg_is_made(const struct cg_place *p, int param)
{
	for (int i = 0; p->proto && i < p->proto->nr_params; i++) {
		if (p->param[i] == param)
			return p->proto->param[i].flags & RSD_P_MADE;
	}
	return false;
}

/* Of what a call takes and changes, the value before the call is the argument. */
static int find_param(const struct rsd_func *f, const struct rsd_prototype_param *q)
{
	size_t skip = q->flags & RSD_P_INOUT ? strlen("old_") : 0;

	for (int i = 0; !(q->flags & RSD_P_SKIPPED) && i < f->nr_params; i++) {
		const char *name = f->param[i].name;

		if (!strncmp(name, "old_", skip) && !strcmp(name + skip, q->name))
			return i;
	}
	return -1;
}

static void map_params(struct cg *cg, int place)
{
	const struct rsd_func *f = &cg->t->func[cg->t->place[place].func];
	struct cg_place *p = &cg->place[place];
	int col = 0;

	p->proto = find_prototype(f->name);
	p->param = cg_alloc(p->proto ? (size_t)p->proto->nr_params : 0, sizeof(int));
	p->col = cg_alloc((size_t)f->nr_params + 1, sizeof(int));
	for (int i = 0; i < f->nr_params; i++) {
		p->col[i] = col;
		col += rsd_type_columns((enum rsd_type)f->param[i].type);
		if (f->param[i].role == RSD_R_REQUEST && !p->request)
			p->request = cg_alloc((size_t)f->nr_params, sizeof(*p->request));
	}
	p->col[f->nr_params] = col;
	for (int i = 0; p->proto && i < p->proto->nr_params; i++)
		p->param[i] = find_param(f, &p->proto->param[i]);
}

/* ---- a parameter ---------------------------------------------------------------------------- */

static struct cg_column_of column_of(const struct cg *cg, int place, int param, int sub)
{
	int col = cg->place[place].col[param] + sub;

	return (struct cg_column_of){
		.place = place, .col = col, .params = &cg->t->place[place].col[col], .type = ""
	};
}

static const char *why_not_skipped(const struct rsd_prototype_param *q)
{
	bool number = !strcmp(q->type, "int") || !strcmp(q->type, "MPI_Aint") ||
		      !strcmp(q->type, "MPI_Count") || !strcmp(q->type, "MPI_Offset") ||
		      !strcmp(q->type, "MPI_Fint");

	if (q->depth == 1 && (!strcmp(q->type, "void") || !strcmp(q->type, "MPI_Status")))
		return NULL;
	if ((q->depth < 2 && number) || (q->depth > 1 && !strcmp(q->type, "char")))
		return NULL;
	return "has arguments that are not recorded";
}

/* Is the parameter that an extent begins with always 0? */
static bool is_empty(const struct cg *cg, int place, const char *extent)
{
	const struct rsd_func *f = &cg->t->func[cg->t->place[place].func];

	for (int i = 0; i < f->nr_params; i++) {
		if (!strcmp(f->param[i].name, extent) && f->param[i].type == RSD_T_INT)
			return cg_largest(column_of(cg, place, i, 0).params) == 0;
	}
	return false;
}

static const char *why_not_buffer(
	const struct cg *cg, int place, int param, const struct rsd_prototype_param *q)
{
	struct cg_column_of c = column_of(cg, place, param, 0);

	if (!q->extent)
		return "is given memory of an earlier call";
	if (cg_has_constant(cg, c.params, "MPI_BOTTOM") && !is_empty(cg, place, q->extent))
		return "uses absolute addresses (MPI_BOTTOM)";
	return NULL;
}

static const char *why_not_param(const struct cg *cg, int place, int i)
{
	const struct rsd_prototype_param *q = &cg->place[place].proto->param[i];
	const struct rsd_param *r = recorded(cg, place, i);
	struct cg_column_of c;
	int64_t v;

	if (q->flags & RSD_P_SKIPPED)
		return why_not_skipped(q);
	if (!r)
		return "has arguments that are not recorded";
	c = column_of(cg, place, cg->place[place].param[i], 0);
	if (r->type == RSD_T_STRINGS || (r->role == RSD_R_STRING && q->depth > 1))
		return "is given lists of strings";
	if (q->role == RSD_R_FUNCTION &&
		(!cg_has_stand_in(q->type) || !cg_constant(cg, &c, NULL, &v)))
		return "is given callbacks";
	if (q->role == RSD_R_BUFFER)
		return why_not_buffer(cg, place, cg->place[place].param[i], q);
	return NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static const char *why_not_func(const struct rsd_func *f, const struct rsd_prototype *proto)
{
	if (f->class == RSD_C_RMA)
		return "one-sided communication";
	if (f->class == RSD_C_IO)
		return "files";
	if (begins(f->name, "MPI_Session") || strstr(f->name, "_from_group"))
		return "sessions";
	if (begins(f->name, "MPI_Grequest") || strstr(f->name, "Grequest"))
		return "generalized requests";
	if (strstr(f->name, "_spawn"))
		return "starts programs";
	if (!strcmp(f->name, "MPI_Abort"))
		return "ends the run";
	if (!proto)
		return "is not known to this rsd";
	return proto->unplayed ? "is beyond a program of its own" : NULL;
}

static int all_failed(const struct rsd_section *s, void *arg)
{
	(void)arg;
	return !s->body && s->start == 0;
}

static bool never_succeeds(const struct cg *cg, int place)
{
	const struct rsd_place *p = &cg->t->place[place];
	const struct rsd_params *ret = &p->col[rsd_func_columns(&cg->t->func[p->func]) - 1];

	for (size_t i = 0; i < ret->enc[RSD_E_ABS].nr; i++) {
		if (rsd_column_sections(ret->enc[RSD_E_ABS].variant[i].col, all_failed, NULL))
			return false;
	}
	return ret->enc[RSD_E_ABS].nr > 0;
}

static int one_failed(const struct rsd_section *s, void *arg)
{
	(void)arg;
	return !s->body && (s->start != 0 || s->step != 0);
}

bool cg_takes_null(const char *function)
{
	return begins(function, "MPI_Wait") || begins(function, "MPI_Test") ||
	       begins(function, "MPI_Request_get_status");
}

bool cg_fails_at_times(const struct cg *cg, int place)
{
	const struct rsd_place *p = &cg->t->place[place];
	const struct rsd_params *ret = &p->col[rsd_func_columns(&cg->t->func[p->func]) - 1];

	for (size_t i = 0; i < ret->enc[RSD_E_ABS].nr && !cg->place[place].why_not; i++) {
		const struct rsd_variant *v = &ret->enc[RSD_E_ABS].variant[i];

		if (rsd_column_sections(v->col, one_failed, NULL))
			return true;
		/* All zeros are one section; ranks may differ in its start, its step, and how long it is. */
		for (size_t k = 0; k < v->nr_numbers; k++) {
			if (v->number[k].index <= 1)
				return true;
		}
	}
	return false;
}

static bool has_moves(const struct cg *cg, int place)
{
	const struct rsd_place *p = &cg->t->place[place];
	bool found = false;

	for (int c = 0; !found && c < rsd_func_columns(&cg->t->func[p->func]); c++)
		found = cg_has_moves(&p->col[c]);
	return found;
}

static const char *why_not(const struct cg *cg, int place)
{
	const struct rsd_place *p = &cg->t->place[place];
	const char *why;

	if (rsd_thread_number(p->thread))
		return "another thread";
	if (p->nested)
		return "called from a callback";
	why = why_not_func(&cg->t->func[p->func], cg->place[place].proto);
	for (int i = 0; !why && i < cg->place[place].proto->nr_params; i++)
		why = why_not_param(cg, place, i);
	if (!why && never_succeeds(cg, place))
		why = "failed in the traced run";
	if (!why && has_moves(cg, place))
		why = "has values that follow no rule, too many to be written one by one";
	return why;
}

/* ---- handles: who uses what nobody makes ---------------------------------------------------------- */

struct slots {
	bool *made, *spoilt; /* by a call that is, that is not in the program */
	int64_t nr;
};

struct constants {
	const struct cg *cg;
	struct rsd_map seen;
	int *index;
	size_t nr, alloc;
};

struct visit {
	const struct cg *cg;
	struct slots *slots;
	bool mark, made, spoilt, missing, beyond;
	struct constants *constants; /* or NULL: looks for these only */
};

static void add_constant(struct constants *c, int64_t v)
{
	int i = rsd_is_const(v) ? rsd_const_index(v) : 0;

	if (i == 0 || (size_t)i >= c->cg->t->nr_constants || !c->cg->t->constant[i] ||
		rsd_map_find(&c->seen, (uint64_t)i))
		return;
	if (rsd_map_set(&c->seen, (uint64_t)i, 0) || RSD_GROW(c->index, c->nr + 1, c->alloc))
		cg_nomem();
	c->index[c->nr++] = i;
}

static void visit_value(struct visit *w, int64_t v)
{
	if (w->constants) {
		add_constant(w->constants, v);
		return;
	}
	if (rsd_is_const(v) || v < 0)
		return;
	if (v >= MOST_SLOTS) {
		w->beyond = true;
		return;
	}
	if (!w->mark) {
		w->missing |= v >= w->slots->nr || !w->slots->made[v] || w->slots->spoilt[v];
		return;
	}
	if (v >= w->slots->nr) {
		int64_t nr = v + 64;

		w->slots->made = rsd_realloc(w->slots->made, (size_t)nr);
		w->slots->spoilt = rsd_realloc(w->slots->spoilt, (size_t)nr);
		if (!w->slots->made || !w->slots->spoilt)
			cg_nomem();
		memset(w->slots->made + w->slots->nr, 0, (size_t)(nr - w->slots->nr));
		memset(w->slots->spoilt + w->slots->nr, 0, (size_t)(nr - w->slots->nr));
		w->slots->nr = nr;
	}
	w->slots->made[v] |= w->made;
	w->slots->spoilt[v] |= w->spoilt;
}

struct flat {
	struct rsd_section *s;
	size_t nr, alloc;
};

static int add_flat(const struct rsd_section *s, void *arg)
{
	struct flat *f = arg;

	if (RSD_GROW(f->s, f->nr + 1, f->alloc))
		cg_nomem();
	f->s[f->nr++] = *s;
	return 0;
}

static void visit_flat(struct visit *w, const struct flat *f, size_t at, size_t end, int64_t add)
{
	for (; at < end; at += 1 + f->s[at].body) {
		const struct rsd_section *s = &f->s[at];
		uint64_t nr = s->step ? s->count : 1;

		for (uint64_t i = 0; i < nr && i < MOST_ROUNDS; i++) {
			if (s->body)
				visit_flat(
					w, f, at + 1, at + 1 + s->body, add + (int64_t)i * s->step);
			else
				visit_value(w, rsd_is_const(s->start)
						       ? s->start
						       : s->start + (int64_t)i * s->step + add);
		}
	}
}

static void visit_column(struct visit *w, const struct rsd_column *c)
{
	struct flat f = { NULL, 0, 0 };

	rsd_column_sections(c, add_flat, &f);
	visit_flat(w, &f, 0, f.nr, 0);
	free(f.s);
}

static void visit_params(struct visit *w, const struct rsd_params *p)
{
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];
			int rank = v->nr_numbers && !w->constants ? rsd_ranks_first(&v->ranks) : -1;

			if (rank < 0)
				visit_column(w, v->col);
			for (; rank >= 0; rank = rsd_ranks_next(&v->ranks, rank)) {
				enum rsd_encoding enc;
				struct rsd_column *c;

				if (rsd_params_get(p, rank, &enc, &c))
					cg_nomem();
				visit_column(w, c);
				rsd_column_free(c);
			}
		}
	}
}

static int ascending(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

size_t cg_constants(const struct cg *cg, const struct rsd_params *p, int **index)
{
	struct constants c = { .cg = cg };
	struct visit w = { .cg = cg, .constants = &c };

	visit_params(&w, p);
	if (c.nr)
		qsort(c.index, c.nr, sizeof(*c.index), ascending);
	rsd_map_release(&c.seen);
	*index = c.index;
	return c.nr;
}

bool cg_has_constant(const struct cg *cg, const struct rsd_params *p, const char *name)
{
	int *index;
	size_t nr = cg_constants(cg, p, &index);
	bool found = false;

	for (size_t i = 0; i < nr && !found; i++)
		found = !strcmp(cg->t->constant[index[i]], name);
	free(index);
	return found;
}

/* Visits the handles of a place: those that it makes, or those that it uses. */
static void visit_handles(struct visit *w, int place, struct slots *slots, bool made)
{
	const struct rsd_func *f = &w->cg->t->func[w->cg->t->place[place].func];

	for (int i = 0; i < f->nr_params; i++) {
		int role = f->param[i].role, sub = f->param[i].type == RSD_T_INTS;

		if (!cg_handle(role) || made != cg_is_made(&w->cg->place[place], i))
			continue;
		w->slots = &slots[role];
		visit_params(w, column_of(w->cg, place, i, sub).params);
	}
}

/* What is made outside the program, or both there and in it, can't be used in it. */
static bool spread(struct cg *cg)
{
	struct slots slots[RSD_NR_ROLES] = { { NULL, NULL, 0 } };
	bool changed = false;

	for (size_t i = 0; i < cg->t->nr_places; i++) {
		struct visit w = { .cg = cg, .mark = true };

		w.made = !cg->place[i].why_not;
		w.spoilt = cg->place[i].why_not &&
			   strcmp(cg->place[i].why_not, "failed in the traced run");
		visit_handles(&w, (int)i, slots, true);
		if (w.beyond && !cg->place[i].why_not) {
			cg->place[i].why_not = "makes a handle of a number beyond all bounds";
			changed = true;
		}
	}
	for (size_t i = 0; i < cg->t->nr_places; i++) {
		struct visit w = { .cg = cg };

		if (cg->place[i].why_not)
			continue;
		visit_handles(&w, (int)i, slots, false);
		/* What other threads make is not in it, either. */
		if (w.missing || w.beyond) {
			cg->place[i].why_not = CG_USES_ABSENT;
			changed = true;
		}
	}
	for (int i = 0; i < RSD_NR_ROLES; i++) {
		free(slots[i].made);
		free(slots[i].spoilt);
	}
	return changed;
}

/* ---- what MPI decides ------------------------------------------------------------------------------ */

const char *cg_undecided(const struct cg *cg, int place)
{
	const struct rsd_func *f = &cg->t->func[cg->t->place[place].func];

	if (f->class == RSD_C_COMPLETION &&
		(begins(f->name, "MPI_Waitany") || begins(f->name, "MPI_Waitsome") ||
			(begins(f->name, "MPI_Test") && !begins(f->name, "MPI_Test_"))))
		return "which requests are complete";
	if (begins(f->name, "MPI_Iprobe") || begins(f->name, "MPI_Improbe"))
		return "whether a message has come";
	if (!strcmp(f->name, "MPI_Dist_graph_create"))
		return "in which order neighbours are";
	for (int i = 0; i < f->nr_params; i++) {
		if (f->param[i].type != RSD_T_INT ||
			(f->param[i].role != RSD_R_PEER && f->param[i].role != RSD_R_TAG))
			continue;
		if (cg_has_constant(cg, column_of(cg, place, i, 0).params,
			    f->param[i].role == RSD_R_TAG ? "MPI_ANY_TAG" : "MPI_ANY_SOURCE"))
			return "which message is matched";
	}
	return NULL;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void count_nodes(struct cg *cg)
{
	for (size_t i = 0; i < cg->t->nr_trees; i++) {
		const struct rsd_node *n = cg->t->tree[i].first;

		while (n) {
			if (n->place >= 0)
				cg->place[n->place].nr_nodes++;
			if (n->place < 0 && n->first) {
				n = n->first;
				continue;
			}
			while (n && !n->next)
				n = n->parent;
			n = n ? n->next : NULL;
		}
	}
}

bool cg_has_requests(const struct cg *cg, int place)
{
	return cg->place[place].request != NULL;
}

bool cg_cover(struct cg *cg)
{
	size_t nr = cg->t->nr_places;
	uint64_t *calls = cg_alloc(nr, sizeof(*calls));
	int cols = 0;

	cg->place = cg_alloc(nr, sizeof(*cg->place));
	cg->first_col = cg_alloc(nr, sizeof(*cg->first_col));
	if (rsd_trace_count_calls(cg->t, calls)) {
		free(calls);
		return rsd_tool_error("%s: the trace contradicts itself", cg->path) == 0;
	}
	for (size_t i = 0; i < nr; i++) {
		map_params(cg, (int)i);
		cg->place[i].calls = calls[i];
		cg->place[i].why_not = why_not(cg, (int)i);
		cg->first_col[i] = cols;
		/* Behind them, two a parameter: those of requests' variables. */
		cols += rsd_func_columns(&cg->t->func[cg->t->place[i].func]) +
			2 * cg->t->func[cg->t->place[i].func].nr_params;
	}
	cg->tabled = cg_alloc((size_t)cols, sizeof(*cg->tabled));
	cg->named = cg_alloc((cg->t->nr_constants + 1) * RSD_NR_ROLES, sizeof(*cg->named));
	count_nodes(cg);
	while (spread(cg))
		;
	free(calls);
	return true;
}
