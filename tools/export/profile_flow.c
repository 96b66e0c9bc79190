/*
 * profile_flow.c - which place takes messages from which, and which call follows which: see profile.h
 *
 * Both are counted in one pass over the calls; memory is that of the pairs that there are. Tags that are many (a tag that
 * counts the steps) are one: after MOST_TAGS of a pair the others are put together as *.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "profile.h"
#include "sink.h"
#include "util.h"

#define MOST_TAGS 16

struct dependence {
	int sink,
		source; /* items of the call tree; source -1: the message was not seen being sent */
	int comm;
	int64_t tag; /* INT64_MIN: others */
	uint64_t count, bytes;
};

struct transition {
	int from, to; /* states */
	uint64_t count;
};

struct flow {
	struct rsd_profile *p;
	struct dependence *dep;
	size_t nr_deps, alloc_deps;
	struct rsd_map dep_by_key, tags; /* tags: how many a pair has */
	struct transition *step;
	size_t nr_steps, alloc_steps;
	struct rsd_map step_by_key;
	int *at;	   /* by location: its last state; -1: none yet */
	uint64_t *initial; /* by state: so many locations begin there */
};

static int item_of(const struct flow *f, const struct rsd_node *n)
{
	const struct rsd_item *i = n ? rsd_calltree_item(&f->p->tree, n) : NULL;

	return i ? (int)(i - f->p->tree.item) : -1;
}

static bool is_same(const struct dependence *a, const struct dependence *b)
{
	return a->sink == b->sink && a->source == b->source && a->comm == b->comm &&
	       a->tag == b->tag;
}

/* The line of that kind, found or (add) new; NULL: there is none, or no memory. */
static struct dependence *find(struct flow *f, const struct dependence *d, bool add)
{
	uint64_t key = rsd_hash_mix((uint64_t)(unsigned)d->sink << 32 | (unsigned)d->source) ^
		       rsd_hash_mix((uint64_t)d->tag) ^ (uint64_t)(unsigned)d->comm << 20;
	const uint64_t *at;

	while ((at = rsd_map_find(&f->dep_by_key, key)) != NULL) {
		if (is_same(&f->dep[*at], d))
			return &f->dep[*at];
		key = rsd_hash_mix(key + 1);
	}
	if (!add || RSD_GROW(f->dep, f->nr_deps + 1, f->alloc_deps) ||
		rsd_map_set(&f->dep_by_key, key, f->nr_deps))
		return NULL;
	f->dep[f->nr_deps] = *d;
	return &f->dep[f->nr_deps++];
}

/* A new tag of a pair, if it is not one too many. */
static bool may_have(struct flow *f, const struct dependence *d)
{
	uint64_t key = rsd_hash_mix((uint64_t)(unsigned)d->sink << 32 | (unsigned)d->source) +
		       (unsigned)d->comm;
	const uint64_t *nr = rsd_map_find(&f->tags, key);
	uint64_t had = nr ? *nr : 0;

	return had < MOST_TAGS && rsd_map_set(&f->tags, key, had + 1) == 0;
}

static int count_message(struct flow *f, const struct rsd_action *a)
{
	struct dependence d = { item_of(f, a->node), item_of(f, a->sender), a->comm, a->tag, 0, 0 },
			  *known;

	if (d.sink < 0)
		return 0;
	known = find(f, &d, false);
	if (!known) {
		if (!may_have(f, &d))
			d.tag = INT64_MIN;
		known = find(f, &d, true);
	}
	if (!known)
		return RSD_ERR_NOMEM;
	known->count++;
	known->bytes += a->bytes;
	return 0;
}

static int count_step(struct flow *f, int from, int to)
{
	uint64_t key = (uint64_t)(unsigned)from << 32 | (unsigned)to;
	const uint64_t *at = rsd_map_find(&f->step_by_key, key);

	if (at) {
		f->step[*at].count++;
		return 0;
	}
	if (RSD_GROW(f->step, f->nr_steps + 1, f->alloc_steps) ||
		rsd_map_set(&f->step_by_key, key, f->nr_steps))
		return RSD_ERR_NOMEM;
	f->step[f->nr_steps++] = (struct transition){ from, to, 1 };
	return 0;
}

static int see(const struct rsd_moment *m, void *arg)
{
	struct flow *f = arg;
	int item = item_of(f, m->node), state = item < 0 ? -1 : f->p->tree.item[item].state,
	    err = 0;

	for (size_t i = 0; i < m->nr_actions && !err; i++)
		if (m->action[i].kind == RSD_X_RECV || m->action[i].kind == RSD_X_IRECV_DONE)
			err = count_message(f, &m->action[i]);
	if (state < 0 || err)
		return err;
	if (f->at[m->location] >= 0)
		err = count_step(f, f->at[m->location], state);
	else
		f->initial[state]++;
	f->at[m->location] = state;
	return err;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static int by_places(const void *a, const void *b)
{
	const struct dependence *x = a, *y = b;

	if (x->sink != y->sink)
		return x->sink < y->sink ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static int by_states(const void *a, const void *b)
{
	const struct transition *x = a, *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1)
				  : (x->to > y->to) - (x->to < y->to);
}

static void put_end_point(const struct flow *f, int item, struct rsd_buf *out)
{
	const struct rsd_item *i = item < 0 ? NULL : &f->p->tree.item[item];

	if (i)
		rsd_buf_printf(out, "%d@%d", i->node->place, i->state);
	else
		rsd_buf_put_byte(out, '*');
}

static bool put_dependences(struct flow *f)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	if (f->nr_deps)
		qsort(f->dep, f->nr_deps, sizeof(*f->dep), by_places);
	for (size_t i = 0; i < f->nr_deps; i++) {
		const struct dependence *d = &f->dep[i];

		if (i == 0 || d->sink != d[-1].sink) {
			rsd_buf_printf(&out, i ? "\n" : "");
			put_end_point(f, d->sink, &out);
			rsd_buf_printf(&out, " NOM");
		}
		rsd_buf_printf(&out, "  MSG ");
		put_end_point(f, d->source, &out);
		rsd_buf_printf(&out, "|");
		if (d->comm < 0)
			rsd_buf_printf(&out, "?");
		else
			rsd_buf_printf(&out, "%d", d->comm);
		if (rsd_is_const(d->tag))
			rsd_buf_printf(&out, "(*)");
		else
			rsd_buf_printf(&out, "(%" PRId64 ")", d->tag);
		rsd_buf_printf(&out, ":%" PRIu64 ":%" PRIu64, d->count, d->bytes);
	}
	rsd_buf_printf(&out, f->nr_deps ? "\n" : "");
	ok = rsd_profile_put(f->p, "dependences.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

static bool put_transitions(struct flow *f)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	rsd_buf_printf(&out, "# Format: <source state id> <place id> <target state id> <count>\n");
	if (f->nr_steps)
		qsort(f->step, f->nr_steps, sizeof(*f->step), by_states);
	for (size_t i = 0; i < f->nr_steps; i++)
		rsd_buf_printf(&out, "%d %d %d %" PRIu64 "\n", f->step[i].from,
			f->p->tree.state[f->step[i].to].place, f->step[i].to, f->step[i].count);
	ok = rsd_profile_put(f->p, "transitions.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

static bool put_initial(struct flow *f)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t i = 0; i < f->p->tree.nr_states; i++)
		if (f->initial[i])
			rsd_buf_printf(&out, "%zu %" PRIu64 "\n", i, f->initial[i]);
	ok = rsd_profile_put(f->p, "initial_state.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

static bool prepare(struct flow *f, const struct rsd_timeline *tl)
{
	size_t nr;

	rsd_timeline_locations(tl, &nr);
	f->at = rsd_calloc(nr + 1, sizeof(*f->at));
	f->initial = rsd_calloc(f->p->tree.nr_states + 1, sizeof(*f->initial));
	for (size_t i = 0; f->at && i < nr; i++)
		f->at[i] = -1;
	return f->at && f->initial;
}

bool rsd_profile_flow(struct rsd_profile *p, struct rsd_timeline *tl)
{
	struct flow f = { .p = p };
	int err = prepare(&f, tl) ? rsd_timeline_run(tl, see, &f) : RSD_ERR_NOMEM;
	bool ok = rsd_sink_code(err) == RSD_EXIT_OK;

	ok = ok && put_dependences(&f) && put_transitions(&f) && put_initial(&f);
	free(f.dep);
	free(f.step);
	free(f.at);
	free(f.initial);
	rsd_map_release(&f.dep_by_key);
	rsd_map_release(&f.tags);
	rsd_map_release(&f.step_by_key);
	return ok;
}
