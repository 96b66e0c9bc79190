/*
 * requests.c - gives each request of the trace a variable of the program's own: request[v]
 *
 * A trace names a request by how many were made after it, a program by the variable that it is in; so does a tracer
 * that meets several of one value. The variables are chosen such that requests that some call completes
 * or starts together lie in a row, in the call's order: the program hands over &request[v], and nothing has to be
 * moved. For a program that keeps its requests in arrays, these are its arrays.
 *
 *	first walk	a request is placed when the first call takes it in an array, or when it ends: the lowest variables
 *			that have been free since it was made
 *	second walk	each call gets the variables of its requests, as columns
 *
 * So a loop that does the same in each iteration has the same variables in each. What is not decided yet is kept in the
 * order in which it was made: as much as is live.
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "tool.h"
#include "util.h"

#define UNPLACED (-1)
#define MOST_WAITING                                                                               \
	((size_t)1 << 20) /* requests that wait for a place, the older ones not at all */

struct live {	       /* a request, until it has ended and its variable is written down */
	uint64_t made; /* when */
	int64_t var;
	bool over, persistent;
	uint64_t key; /* serial, or slot */
};

struct queue { /* requests in the order in which they were made, that have no variable yet, or had none when they came */
	struct live **item;
	size_t first, nr, alloc;
	struct rsd_column *var; /* what is known */
};

struct variable {
	bool taken;
	uint64_t free_since;
};

struct walker {
	struct cg *cg;
	int rank;
	bool second;
	const struct rsd_event *e;
	uint64_t now, head;
	struct rsd_map serial, slot; /* live ones */
	struct queue queue[2];	     /* by persistent */
	struct rsd_cursor *next[2];  /* second walk: the variables, in the order of making */
	struct variable *var;
	size_t nr_vars, alloc_vars;
	struct live **seen; /* the requests of the present call; NULL: a null one */
	size_t nr_seen, alloc_seen;
	int64_t *seen_const;
	size_t alloc_seen_const;
	const int64_t *flag, *index, *indices; /* results of the present call, or NULL */
	int64_t nr_indices;
	struct rsd_column **col; /* second walk: of this rank; two a parameter, by place */
	int *first;		 /* by place, in 'col' */
};

/* ---- variables ------------------------------------------------------------------------- */

static struct variable *variable(struct walker *w, size_t v)
{
	if (RSD_GROW(w->var, v + 1, w->alloc_vars))
		cg_nomem();
	while (w->nr_vars <= v)
		w->var[w->nr_vars++] = (struct variable){ false, 0 };
	return &w->var[v];
}

/* Could the request have been in there since it was made? */
static bool is_free(struct walker *w, size_t v, const struct live *l)
{
	const struct variable *x = variable(w, v);

	return !x->taken && (!l || x->free_since <= l->made);
}

static void put_in(struct walker *w, struct live *l, size_t v)
{
	variable(w, v)->taken = true;
	l->var = (int64_t)v;
}

static void place_alone(struct walker *w, struct live *l)
{
	size_t v = 0;

	while (!is_free(w, v, l))
		v++;
	put_in(w, l, v);
}

/* Do the requests that the call has seen fit in the variables from 'base' on? */
static bool fits(struct walker *w, size_t base)
{
	for (size_t i = 0; i < w->nr_seen; i++) {
		const struct live *l = w->seen[i];

		if (l && l->var != UNPLACED ? l->var != (int64_t)(base + i)
					    : !is_free(w, base + i, l))
			return false;
	}
	return true;
}

static bool is_repeated(const struct walker *w)
{
	for (size_t i = 1; i < w->nr_seen; i++) {
		if (w->seen[i] && w->seen[i] == w->seen[i - 1])
			return true;
	}
	return false;
}

/* Where the array begins: given by the requests that have a place, else the first that is free. False: in no row. */
static bool find_base(struct walker *w, size_t *base)
{
	for (size_t i = 0; i < w->nr_seen; i++) {
		const struct live *l = w->seen[i];

		if (!l || l->var == UNPLACED)
			continue;
		*base = (size_t)l->var - i;
		return l->var >= (int64_t)i && fits(w, *base);
	}
	for (*base = 0; !fits(w, *base); ++*base)
		;
	return true;
}

static void place_array(struct walker *w)
{
	size_t base;

	if (is_repeated(w) || !find_base(w, &base))
		return;
	for (size_t i = 0; i < w->nr_seen; i++) {
		struct live *l = w->seen[i];

		if (l && l->var == UNPLACED)
			put_in(w, l, base + i);
		else if (!l)
			variable(w, base + i)->free_since = w->now;
	}
}

/* ---- the order of making ----------------------------------------------------------------------- */

static void flush(struct queue *q)
{
	while (q->nr && (q->item[q->first]->var != UNPLACED)) {
		struct live *l = q->item[q->first++];

		q->nr--;
		if (rsd_column_append(q->var, l->var))
			cg_nomem();
		if (l->over)
			free(l);
		else
			l->made |= UINT64_C(1) << 63; /* no longer in the queue */
	}
}

static bool is_flushed(const struct live *l)
{
	return l->made >> 63;
}

static void enqueue(struct walker *w, struct live *l)
{
	struct queue *q = &w->queue[l->persistent];

	if (q->first && q->first >= q->nr) {
		memmove(q->item, q->item + q->first, q->nr * sizeof(struct live *));
		q->first = 0;
	}
	if (RSD_GROW(q->item, q->first + q->nr + 1, q->alloc))
		cg_nomem();
	q->item[q->first + q->nr++] = l;
	if (q->nr > MOST_WAITING && q->item[q->first]->var == UNPLACED)
		place_alone(w, q->item[q->first]);
	flush(q);
}

/* ---- requests ------------------------------------------------------------------------------------- */

static struct live *find(const struct walker *w, int64_t id)
{
	const uint64_t *found;

	if (rsd_is_const(id) || (id >= 0 && (uint64_t)id >= w->head))
		return NULL;
	found = id < 0 ? rsd_map_find(&w->slot, (uint64_t)(-1 - id))
		       : rsd_map_find(&w->serial, w->head - (uint64_t)id);
	return found ? (struct live *)(uintptr_t)*found : NULL;
}

/* What a call makes that is not in the program is counted, as distances go by it, and is in no variable. */
static void make_elsewhere(struct walker *w, int64_t id)
{
	if (id >= 0)
		w->head++;
}

/* Whatever the trace calls it, what is made is the newest one. */
static struct live *make(struct walker *w, int64_t id)
{
	struct live *l = cg_alloc(1, sizeof(*l));
	int64_t v;

	*l = (struct live){ .made = w->now, .var = UNPLACED, .persistent = id < 0 };
	l->key = id < 0 ? (uint64_t)(-1 - id) : ++w->head;
	if (rsd_map_set(id < 0 ? &w->slot : &w->serial, l->key, (uint64_t)(uintptr_t)l))
		cg_nomem();
	if (!w->second) {
		enqueue(w, l);
		return l;
	}
	if (rsd_cursor_next(w->next[l->persistent], &v))
		v = 0;
	l->made = UINT64_C(1) << 63;
	put_in(w, l, (size_t)v);
	return l;
}

static void end(struct walker *w, struct live *l)
{
	if (!w->second && l->var == UNPLACED)
		place_alone(w, l);
	variable(w, (size_t)l->var)->taken = false;
	variable(w, (size_t)l->var)->free_since = w->now;
	rsd_map_delete(l->persistent ? &w->slot : &w->serial, l->key);
	l->over = true;
	if (is_flushed(l))
		free(l);
	else
		flush(&w->queue[l->persistent]);
}

/* Has the call ended the i-th of its requests? */
static bool has_ended(const struct walker *w, size_t i)
{
	if (w->flag && *w->flag != 1)
		return false;
	if (w->indices) {
		for (int64_t k = 0; k < w->nr_indices; k++) {
			if (w->indices[k] == (int64_t)i)
				return true;
		}
		return false;
	}
	return !w->index || *w->index == (int64_t)i;
}

static void end_seen(struct walker *w)
{
	const char *name = w->cg->t->func[w->e->func].name;
	bool freed = !strcmp(name, "MPI_Request_free");

	if (!freed && strncmp(name, "MPI_Wait", 8) && strncmp(name, "MPI_Test", 8))
		return;
	for (size_t i = 0; i < w->nr_seen; i++) {
		struct live *l = w->seen[i];

		if (!l || (l->persistent && !freed) || !has_ended(w, i))
			continue;
		for (size_t k = i + 1; k < w->nr_seen; k++) {
			if (w->seen[k] == l)
				w->seen[k] = NULL;
		}
		end(w, l);
	}
}

/* ---- one call ----------------------------------------------------------------------------------------- */

static void see(struct walker *w, struct cg_place *p, const int64_t *id, int64_t nr)
{
	w->nr_seen = 0;
	if (RSD_GROW(w->seen, (size_t)nr + 1, w->alloc_seen) ||
		RSD_GROW(w->seen_const, (size_t)nr + 1, w->alloc_seen_const))
		cg_nomem();
	for (int64_t i = 0; i < nr; i++) {
		w->seen_const[w->nr_seen] = id[i];
		w->seen[w->nr_seen] = find(w, id[i]);
		if (w->seen[w->nr_seen++])
			p->has_request = true;
		else if (!rsd_is_const(id[i]))
			p->lacks_request = true;
	}
}

static void append(struct walker *w, int place, int param, bool each, int64_t v)
{
	struct rsd_column **c = &w->col[w->first[place] + 2 * param + each];

	if (!*c)
		*c = rsd_column_new(false);
	if (!*c || rsd_column_append(*c, v))
		cg_nomem();
	if (!rsd_is_const(v) && v + 1 > w->cg->nr_requests)
		w->cg->nr_requests = v + 1;
}

static int64_t null_of(int64_t id)
{
	return rsd_is_const(id) ? id : RSD_ABSENT;
}

static void write_array(struct walker *w, int place, int param)
{
	size_t base = 0;
	bool row = !is_repeated(w) && find_base(w, &base);

	/* Those that are not in the program are taken out of the array for the call. */
	row &= !w->cg->place[place].lacks_request || cg_takes_null(w->cg->t->func[w->e->func].name);
	if (!row)
		w->cg->place[place].copied = true;
	for (size_t i = 0; i < w->nr_seen; i++)
		append(w, place, param, true,
			w->seen[i] ? w->seen[i]->var : null_of(w->seen_const[i]));
	append(w, place, param, false, row ? (int64_t)base : 0);
	if (row && (int64_t)(base + w->nr_seen) > w->cg->nr_requests)
		w->cg->nr_requests = (int64_t)(base + w->nr_seen);
}

/* One parameter with requests: *v is its value in the vector. */
static void take_param(struct walker *w, int place, int param, const int64_t *v)
{
	const struct rsd_param *q = &w->cg->t->func[w->e->func].param[param];
	bool array = q->type == RSD_T_INTS;
	struct cg_place *p = &w->cg->place[place];

	if (cg_is_made(p, param) && p->why_not) {
		if (!rsd_is_const(*v))
			make_elsewhere(w, *v);
		return;
	}
	if (cg_is_made(p, param)) {
		int64_t var = rsd_is_const(*v) ? *v : make(w, *v)->var;

		if (w->second)
			append(w, place, param, false, var);
		return;
	}
	see(w, p, array ? v + 1 : v, !array ? 1 : rsd_is_const(*v) ? 0 : *v);
	if (array && !w->second)
		place_array(w);
	else if (array)
		write_array(w, place, param);
	else if (w->second)
		append(w, place, param, false, w->seen[0] ? w->seen[0]->var : null_of(*v));
}

static void take_result(struct walker *w, const struct rsd_param *q, const int64_t *v)
{
	if (!strcmp(q->name, "flag"))
		w->flag = v;
	else if (!strcmp(q->name, "index"))
		w->index = v;
	else if (!strcmp(q->name, "array_of_indices")) {
		w->indices = v + 1;
		w->nr_indices = rsd_is_const(*v) ? 0 : *v;
	}
}

static void take_call(struct walker *w, int place)
{
	const struct rsd_func *f = &w->cg->t->func[w->e->func];
	const int64_t *v = w->e->val;

	w->now++;
	w->nr_seen = 0;
	w->flag = w->index = w->indices = NULL;
	for (int i = 0; i < f->nr_params; i++) {
		take_result(w, &f->param[i], v);
		v += rsd_param_length(f->param[i].type, v);
	}
	v = w->e->val;
	for (int i = 0; i < f->nr_params; i++) {
		if (f->param[i].role == RSD_R_REQUEST)
			take_param(w, place, i, v);
		v += rsd_param_length(f->param[i].type, v);
	}
	end_seen(w);
}

/* ---- a rank ------------------------------------------------------------------------------------------------ */

static void free_lives(struct walker *w, struct rsd_map *m)
{
	for (size_t i = 0; i < m->alloc; i++) {
		struct live *l = (struct live *)(uintptr_t)m->slot[i].value;

		if (!m->slot[i].used)
			continue;
		if (l->var == UNPLACED)
			place_alone(w, l);
		l->over = true;
		if (is_flushed(l))
			free(l);
	}
	rsd_map_release(m);
}

static bool walk(struct walker *w)
{
	struct rsd_walk *k;
	struct rsd_event e;
	int err = rsd_walk_new(&k, w->cg->t, w->rank, 0);

	if (err == RSD_ERR_END)
		return true;
	if (err)
		cg_nomem();
	w->e = &e;
	while (!(err = rsd_walk_next(k, &e))) {
		int place = rsd_walk_node(k) ? rsd_walk_node(k)->place : -1;

		if (place >= 0 && w->cg->place[place].request)
			take_call(w, place);
	}
	if (err != RSD_ERR_END)
		rsd_tool_error(
			"%s: rank %d: %s", w->cg->path, w->rank, rsd_tool_walk_error(k, err));
	rsd_walk_free(k);
	free_lives(w, &w->serial);
	free_lives(w, &w->slot);
	return err == RSD_ERR_END;
}

/* Joins this rank's columns to those of the ranks before. */
static void hand_over(struct walker *w)
{
	for (size_t i = 0; i < w->cg->t->nr_places; i++) {
		int nr = w->cg->place[i].request ? w->cg->t->func[w->cg->t->place[i].func].nr_params
						 : 0;

		for (int k = 0; k < 2 * nr; k++) {
			struct rsd_column *c = w->col[w->first[i] + k];
			struct cg_request_columns *to = &w->cg->place[i].request[k / 2];
			struct rsd_params one = RSD_PARAMS_INIT;

			w->col[w->first[i] + k] = NULL;
			if (c && (rsd_params_set(&one, w->rank, c, NULL) ||
					 rsd_params_merge(k % 2 ? &to->each : &to->var, &one)))
				cg_nomem();
			rsd_params_release(&one);
		}
	}
}

static void restart(struct walker *w)
{
	w->second = true;
	w->now = w->head = 0;
	w->nr_vars = 0;
	for (int i = 0; i < 2; i++) {
		flush(&w->queue[i]);
		w->next[i] = rsd_cursor_new(w->queue[i].var);
		if (!w->next[i])
			cg_nomem();
	}
}

static bool place_rank(struct cg *cg, int rank, struct rsd_column **col, int *first)
{
	struct walker w = { .cg = cg, .rank = rank, .col = col, .first = first };
	bool ok;

	for (int i = 0; i < 2; i++) {
		w.queue[i].var = rsd_column_new(false);
		if (!w.queue[i].var)
			cg_nomem();
	}
	ok = walk(&w);
	if (ok) {
		restart(&w);
		ok = walk(&w);
		hand_over(&w);
	}
	for (int i = 0; i < 2; i++) {
		flush(&w.queue[i]); /* after a walk that failed; else there is nothing */
		rsd_cursor_free(w.next[i]);
		rsd_column_free(w.queue[i].var);
		free(w.queue[i].item);
	}
	free(w.var);
	free(w.seen);
	free(w.seen_const);
	return ok;
}

/* Such calls make no requests, so that nothing else has to be left out with them. */
static void leave_out_absent(struct cg *cg)
{
	for (size_t i = 0; i < cg->t->nr_places; i++) {
		struct cg_place *p = &cg->place[i];

		if (!p->why_not && p->lacks_request && !p->has_request)
			p->why_not = CG_USES_ABSENT;
	}
}

bool cg_place_requests(struct cg *cg)
{
	int *first = cg_alloc(cg->t->nr_places, sizeof(*first)), nr = 0;
	int rank = rsd_ranks_first(&cg->t->ranks);
	struct rsd_column **col;
	bool ok = true;

	for (size_t i = 0; i < cg->t->nr_places; i++) {
		first[i] = nr;
		nr += cg->place[i].request ? 2 * cg->t->func[cg->t->place[i].func].nr_params : 0;
	}
	col = cg_alloc((size_t)nr, sizeof(*col));
	for (; nr && rank >= 0 && ok; rank = rsd_ranks_next(&cg->t->ranks, rank))
		ok = place_rank(cg, rank, col, first);
	leave_out_absent(cg);
	free(first);
	free(col);
	return ok;
}
