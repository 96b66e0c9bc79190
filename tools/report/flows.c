/* flows.c - sizes of messages, and who sends to whom */
#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "joint.h"
#include "report.h"
#include "sweep.h"
#include "util.h"
#include "weight.h"

#define MOST_STEPS ((uint64_t)1 << 22) /* through one rank's columns */

enum { V_COUNT, V_TYPE, V_DEST, V_COMM, V_ERROR, NR_V };

/* How a function's arguments say what is moved: parameters, or -1. */
struct message {
	int param[NR_V];
	bool one_sided; /* V_COMM is the window */
};

static struct message message_of(const struct rsd_func *fn)
{
	struct message m = { { fn->sent_count, fn->sent_type, -1, -1, fn->nr_params }, false };
	int dest = rsd_func_find_param(fn, "dest");
	int target = fn->class == RSD_C_RMA ? rsd_func_find_param(fn, "target_rank") : -1;

	if (m.param[V_COUNT] < 0) {
		m.param[V_COUNT] = fn->recv_count;
		m.param[V_TYPE] = fn->recv_type;
	}
	if (target >= 0 && fn->param[target].type == RSD_T_INT) {
		/* Whichever way the bytes go, it is the origin that asks for it. */
		m.one_sided = true;
		m.param[V_DEST] = target;
		m.param[V_COMM] = rsd_func_find_param(fn, "win");
	} else if (fn->sent_count >= 0 && fn->class == RSD_C_P2P && dest >= 0 &&
		   fn->param[dest].type == RSD_T_INT && fn->param[dest].of >= 0) {
		m.param[V_DEST] = dest;
		m.param[V_COMM] = fn->param[dest].of;
	}
	if (m.param[V_TYPE] < 0)
		m.param[V_COUNT] = -1;
	return m;
}

struct flow { /* of one rank */
	int64_t comm, peer;
	uint64_t messages;
	double bytes;
};

/* What one rank moves at a place. */
struct moved {
	const struct rsd_trace *t;
	bool one_sided;
	bool shared; /* types have one size on all ranks */
	int rank;
	struct rsd_sweep sweep[NR_V];
	struct rsd_column *col[NR_V];
	int64_t fixed[NR_V]; /* where col is NULL */
	bool relative;	     /* destinations are distances */
	struct flow *flow;
	size_t nr, alloc;
	uint64_t calls[REPORT_SIZES];
	double bytes[REPORT_SIZES];
	int64_t type; /* of which the size is known */
	double type_size;
	bool cut; /* too irregular for all of it to be seen */
};

static int size_bin(double bytes)
{
	int b = 0;

	while (bytes >= 1 && b < REPORT_SIZES - 1) {
		bytes /= 2;
		b++;
	}
	return b;
}

static int add_flow(struct moved *m, int64_t comm, int64_t peer, uint64_t times, double bytes)
{
	for (size_t i = 0; i < m->nr; i++) {
		if (m->flow[i].comm != comm || m->flow[i].peer != peer)
			continue;
		m->flow[i].messages += times;
		m->flow[i].bytes += bytes;
		return 0;
	}
	if (RSD_GROW(m->flow, m->nr + 1, m->alloc))
		return RSD_ERR_NOMEM;
	m->flow[m->nr++] = (struct flow){ comm, peer, times, bytes };
	return 0;
}

static int add_values(const int64_t *v, uint64_t times, void *arg)
{
	struct moved *m = arg;
	int64_t x[NR_V];
	double bytes = 0;
	int b;

	for (int i = 0; i < NR_V; i++)
		x[i] = m->col[i] ? v[i] : m->fixed[i];
	if (rsd_is_const(x[V_COUNT]) || x[V_TYPE] == RSD_ABSENT ||
		rsd_volume_moved_nothing(m->t, x[V_ERROR]))
		return 0;
	if (x[V_TYPE] != m->type) {
		m->type = x[V_TYPE];
		m->type_size =
			(double)rsd_object_attribute(m->t, RSD_O_DATATYPE, m->type, 0, m->rank);
	}
	if (m->type_size > 0 && x[V_COUNT] > 0)
		bytes = (double)x[V_COUNT] * m->type_size;
	b = size_bin(bytes);
	m->calls[b] += times;
	m->bytes[b] += bytes * (double)times;
	if (x[V_DEST] == RSD_ABSENT || rsd_is_const(x[V_DEST]))
		return 0;
	return add_flow(m, x[V_COMM], x[V_DEST], times, bytes * (double)times);
}

static void forget(struct moved *m)
{
	m->nr = 0;
	m->type = RSD_ABSENT;
	memset(m->calls, 0, sizeof(m->calls));
	memset(m->bytes, 0, sizeof(m->bytes));
}

static void release(struct moved *m)
{
	for (int i = 0; i < NR_V; i++) {
		rsd_sweep_release(&m->sweep[i]);
		rsd_column_free(m->col[i]);
	}
	free(m->flow);
}

/* The values of an array's elements stand for messages of their own. */
static const struct rsd_params *values_of(
	const struct rsd_trace *t, const struct rsd_place *p, int param)
{
	if (param == t->func[p->func].nr_params)
		return rsd_volume_calls(t, p);
	return rsd_place_columns(t, p, param) +
	       (rsd_type_columns((enum rsd_type)t->func[p->func].param[param].type) == 2);
}

/* Gets the columns of a rank; *same: they are those of the rank before. */
static int get_columns(struct moved *m, const struct message *msg, int rank, bool *same)
{
	*same = m->rank >= 0 && m->shared;
	m->rank = rank;
	for (int i = 0; i < NR_V; i++) {
		struct rsd_column *c = NULL;
		enum rsd_encoding enc = RSD_E_ABS;
		int64_t v = RSD_ABSENT;
		int err = 0;

		if (msg->param[i] >= 0)
			err = rsd_sweep_get(&m->sweep[i], rank, &enc, &c);
		if (err && err != RSD_ERR_END)
			return err;
		if (i == V_DEST && m->relative != (enc == RSD_E_REL)) {
			m->relative = enc == RSD_E_REL;
			*same = false;
		}
		if (c && rsd_column_is_constant(c, &v)) {
			/* One column keeps its length, or there would be none. */
			if (i != V_COUNT) {
				rsd_column_free(c);
				c = NULL;
			}
		}
		*same &= v == m->fixed[i] &&
			 (c && m->col[i] ? rsd_column_equal(c, m->col[i]) : !c && !m->col[i]);
		rsd_column_free(m->col[i]);
		m->col[i] = c;
		m->fixed[i] = v;
	}
	return 0;
}

static int look_at(struct moved *m, const struct message *msg, int rank)
{
	bool same;
	int err = get_columns(m, msg, rank, &same);

	if (err || same)
		return err;
	forget(m);
	if (!m->col[V_COUNT])
		return 0;
	for (int i = 0; i < NR_V; i++) {
		/* An array of counts, and a type that changes from call to call. */
		if (m->col[i] &&
			rsd_column_length(m->col[i]) != rsd_column_length(m->col[V_COUNT])) {
			m->cut = true;
			return 0;
		}
	}
	err = report_joint(
		(const struct rsd_column *const *)m->col, NR_V, MOST_STEPS, add_values, m);
	m->cut |= err == RSD_ERR_RANGE;
	return err == RSD_ERR_RANGE ? 0 : err;
}

static void add_sizes(struct report_row *row, const struct moved *m, uint64_t ranks)
{
	for (int b = 0; b < REPORT_SIZES; b++) {
		row->size_calls[b] += m->calls[b] * ranks;
		row->size_bytes[b] += m->bytes[b] * (double)ranks;
	}
}

/* The flows of the rank just looked at. */
static int add_rank(struct report *r, const struct moved *m, size_t row)
{
	int err = 0;

	for (size_t i = 0; i < m->nr && !err; i++) {
		const struct flow *f = &m->flow[i];
		int64_t comm = m->one_sided ? report_groups_of_window(r->groups, f->comm, m->rank)
					    : f->comm;
		int to = report_groups_world(r->groups, comm, m->rank, f->peer, m->relative);

		err = report_links_add_one(&r->links, row, m->rank, to, f->messages, f->bytes);
	}
	return err;
}

static bool all_in_world(struct report *r, const struct moved *m)
{
	/* A window's number may stand for others on other ranks. */
	for (size_t i = 0; i < m->nr; i++)
		if (m->one_sided || !report_groups_is_world(r->groups, m->flow[i].comm))
			return false;
	return true;
}

static int add_class(struct report *r, const struct message *msg, const struct report_class *c,
	size_t row, struct moved *m)
{
	int rank = rsd_ranks_first(&c->ranks), err = look_at(m, msg, rank);

	if (!err && !c->each)
		add_sizes(&r->row[row], m, rsd_ranks_count(&c->ranks));
	if (!err && !c->each && all_in_world(r, m)) {
		for (size_t i = 0; i < m->nr && !err; i++)
			err = report_links_add(&r->links, row, &c->ranks, m->relative,
				m->flow[i].peer, m->flow[i].messages, m->flow[i].bytes);
		return err;
	}
	for (; rank >= 0 && !err; rank = rsd_ranks_next(&c->ranks, rank)) {
		err = look_at(m, msg, rank);
		if (!err && c->each)
			add_sizes(&r->row[row], m, 1);
		if (!err)
			err = add_rank(r, m, row);
	}
	return err ? err : report_links_flush(&r->links, row);
}

int report_flows_of_place(struct report *r, const struct rsd_place *p, struct report_row *row)
{
	struct message msg = message_of(&r->t->func[p->func]);
	struct moved m = {
		.t = r->t, .one_sided = msg.one_sided, .shared = r->types_shared, .rank = -1
	};
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct report_classes c = REPORT_CLASSES_INIT;
	int err;

	if (msg.param[V_COUNT] < 0)
		return 0;
	if (rsd_volume_is_sound(r->t, p))
		msg.param[V_ERROR] = -1;
	err = rsd_params_ranks(rsd_volume_calls(r->t, p), &ranks);
	if (!err)
		err = report_classes_begin(&c, &ranks);
	if (!err)
		err = report_classes_split(&c, rsd_volume_calls(r->t, p));
	for (int i = 0; i < NR_V && !err; i++) {
		if (msg.param[i] < 0)
			continue;
		rsd_sweep_init(&m.sweep[i], values_of(r->t, p, msg.param[i]));
		err = report_classes_split(&c, m.sweep[i].p);
	}
	if (!r->types_shared)
		report_classes_each(&c);
	for (size_t i = 0; i < c.nr && !err; i++)
		err = add_class(r, &msg, &c.class[i], (size_t)(row - r->row), &m);
	r->cut |= m.cut;
	release(&m);
	report_classes_release(&c);
	rsd_ranks_release(&ranks);
	return err;
}

/* ---- events of flat logs ---------------------------------------------------------------------- */

struct report_pair {
	size_t row;
	int from, to;
	uint64_t messages;
	double bytes;
};

/* The value of a parameter that is no array; RSD_ABSENT else. */
static int64_t value_of(const struct rsd_func *fn, const struct rsd_event *e, int param)
{
	struct rsd_layout l;
	size_t i = 0;

	if (param < 0 || fn->param[param].type != RSD_T_INT)
		return RSD_ABSENT;
	rsd_layout_init(&l, fn);
	while (i < e->nr_val && l.param < param && rsd_layout_step(&l, e->val[i]) == 0)
		i++;
	return i < e->nr_val ? e->val[i] : RSD_ABSENT;
}

static int add_pair(struct report *r, size_t row, int from, int to, double bytes)
{
	uint64_t key = rsd_hash_mix(rsd_hash_mix((uint64_t)row + 1) +
				    ((uint64_t)(uint32_t)from << 32 | (uint32_t)to)),
		 *at;

	for (; (at = rsd_map_find(&r->pair_by_key, key)) != NULL; key++) {
		struct report_pair *p = &r->pair[*at];

		if (p->row != row || p->from != from || p->to != to)
			continue;
		p->messages++;
		p->bytes += bytes;
		return 0;
	}
	if (RSD_GROW(r->pair, r->nr_pairs + 1, r->alloc_pairs) ||
		rsd_map_set(&r->pair_by_key, key, r->nr_pairs))
		return RSD_ERR_NOMEM;
	r->pair[r->nr_pairs++] = (struct report_pair){ row, from, to, 1, bytes };
	return 0;
}

int report_flows_of_event(struct report *r, const struct rsd_event *e, struct report_row *row)
{
	const struct rsd_func *fn = &r->t->func[e->func];
	const struct message msg = message_of(fn);
	int64_t count = value_of(fn, e, msg.param[V_COUNT]);
	int64_t type = value_of(fn, e, msg.param[V_TYPE]);
	int64_t dest = value_of(fn, e, msg.param[V_DEST]);
	int64_t comm = value_of(fn, e, msg.param[V_COMM]);
	double size, bytes;

	if (rsd_is_const(count) || type == RSD_ABSENT ||
		(e->nr_val && rsd_volume_moved_nothing(r->t, e->val[e->nr_val - 1])))
		return 0;
	size = (double)rsd_object_attribute(r->t, RSD_O_DATATYPE, type, 0, e->rank);
	bytes = size > 0 && count > 0 ? (double)count * size : 0;
	row->size_calls[size_bin(bytes)]++;
	row->size_bytes[size_bin(bytes)] += bytes;
	if (rsd_is_const(dest))
		return 0;
	if (msg.one_sided)
		comm = report_groups_of_window(r->groups, comm, e->rank);
	return add_pair(r, (size_t)(row - r->row), e->rank,
		report_groups_world(r->groups, comm, e->rank, dest, false), bytes);
}

static int by_row(const void *a, const void *b)
{
	const struct report_pair *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->to > y->to) - (x->to < y->to);
}

int report_flows_finish(struct report *r)
{
	int err = 0;

	if (r->nr_pairs)
		qsort(r->pair, r->nr_pairs, sizeof(*r->pair), by_row);
	for (size_t i = 0; i < r->nr_pairs && !err; i++) {
		const struct report_pair *p = &r->pair[i];

		err = report_links_add_one(
			&r->links, p->row, p->from, p->to, p->messages, p->bytes);
		if (!err && (i + 1 == r->nr_pairs || p[1].row != p->row))
			err = report_links_flush(&r->links, p->row);
	}
	return err;
}
