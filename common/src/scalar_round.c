#include <string.h>

#include "hash.h"
#include "scalar_agree.h"
#include "util.h"

#define MAX_TIMES ((uint64_t)1 << 16) /* calls at a node in one round, values of one column in it */

struct look {
	const struct rsd_trace *t;
	int rank;
	const uint32_t *standing;
	struct rsd_round *out;
	uint64_t made, ended; /* requests in a round */
};

struct values { /* of one column of the rank */
	struct rsd_column *col;
	bool relative, constant;
	int64_t v; /* constant: the value */
	uint64_t nr, in_round;
};

/* ---- columns ------------------------------------------------------------------------------- */

static int get_values(const struct look *l, const struct rsd_params *p, struct values *k)
{
	enum rsd_encoding enc = RSD_E_ABS;
	int err;

	*k = (struct values){ .col = NULL };
	err = rsd_params_get(p, l->rank, &enc, &k->col);
	if (err)
		return err == RSD_ERR_END ? 0 : err;
	k->relative = enc == RSD_E_REL;
	k->nr = rsd_column_length(k->col);
	k->constant = rsd_column_is_constant(k->col, &k->v);
	return 0;
}

struct bracket {
	struct rsd_section head;
	uint64_t items;
};

static int see_section(const struct rsd_section *s, void *arg)
{
	struct bracket *b = arg;

	if (!b->items)
		b->head = *s;
	b->items++;
	return 0;
}

/* The length of what a column does again and again, 0 where it does not: one pair of brackets around all of it. */
static uint64_t period_of(const struct rsd_column *c)
{
	struct bracket b = { .items = 0 };
	struct rsd_cursor *k, *later;
	uint64_t nr = rsd_column_length(c), period;
	int64_t v, w;

	rsd_column_sections(c, see_section, &b);
	if (!b.items || b.head.body != b.items - 1 || b.head.step || b.head.count < 2)
		return 0;
	period = nr / b.head.count;
	if (period > MAX_TIMES)
		return 0;
	k = rsd_cursor_new(c); /* moves show from the first round to the second */
	later = rsd_cursor_new(c);
	if (!k || !later || rsd_cursor_skip(later, period))
		period = 0;
	for (uint64_t i = 0; i < period; i++)
		if (rsd_cursor_next(k, &v) || rsd_cursor_next(later, &w) || v != w)
			period = 0;
	rsd_cursor_free(k);
	rsd_cursor_free(later);
	return period;
}

/* Is each of the 'rounds' rounds as the others? */
static bool is_regular(struct values *k, uint64_t rounds)
{
	uint64_t period;

	k->in_round = rounds && k->nr % rounds == 0 ? k->nr / rounds : 0;
	if (k->constant || !k->nr)
		return true;
	period = k->in_round ? period_of(k->col) : 0;
	return period && k->in_round <= MAX_TIMES && k->in_round % period == 0;
}

/* ---- requests ------------------------------------------------------------------------------ */

/* Those of a round that are no persistent ones. */
static uint64_t count_requests(const struct values *k)
{
	struct rsd_cursor *c;
	uint64_t nr = 0;
	int64_t v;

	if (k->constant)
		return k->v >= 0 ? k->in_round : 0;
	c = k->col ? rsd_cursor_new(k->col) : NULL;
	for (uint64_t i = 0; c && i < k->in_round && !rsd_cursor_next(c, &v); i++)
		nr += v >= 0;
	rsd_cursor_free(c);
	return nr;
}

/* The column that has a parameter's requests, or -1. */
static int request_column(const struct rsd_func *f, int param)
{
	int first = rsd_func_first_column(f, param);

	if (f->param[param].role != RSD_R_REQUEST)
		return -1;
	return first + (f->param[param].type == RSD_T_INTS);
}

static bool is_inside(const struct rsd_node *n, const struct rsd_node *loop)
{
	while (n && n != loop)
		n = n->parent;
	return n != NULL;
}

/* Is one of a place's parameters a request that is not named alike in each of its calls? */
static int look_at_requests(struct look *l, const struct rsd_place *p)
{
	const struct rsd_func *f = &l->t->func[p->func];
	struct values calls;
	int err = get_values(l, &p->col[rsd_func_columns(f) - 1], &calls);

	for (int i = 0; i < f->nr_params && !err; i++) {
		int col = request_column(f, i);
		struct values k;

		if (col < 0)
			continue;
		err = get_values(l, &p->col[col], &k);
		if (!err && !is_regular(&k, calls.nr))
			l->out->regular = false;
		rsd_column_free(k.col);
	}
	rsd_column_free(calls.col);
	return err;
}

/*
 * Requests outside of the loop that are named by how many were made since: these must not depend on its count. Those that
 * repeat with it only, not with each call, may.
 */
static int look_around(struct look *l, const struct rsd_node *loop)
{
	const struct rsd_node *top = loop;
	int err = 0;

	while (top->parent)
		top = top->parent;
	for (const struct rsd_node *n = top; n && !err; n = rsd_node_after(n, top))
		if (n->place >= 0 && !is_inside(n, loop))
			err = look_at_requests(l, &l->t->place[n->place]);
	return err;
}

/* ---- messages ------------------------------------------------------------------------------ */

struct ends {
	struct values peer, tag, comm;
};

/* One value of a communicator's object for this rank; -1: not known. */
static int64_t attribute(const struct look *l, int64_t comm, int which)
{
	const struct rsd_object *o = rsd_trace_find_object(l->t, RSD_O_COMM, comm);
	struct values k = { .col = NULL };
	int64_t v = -1;

	if (o && !get_values(l, &o->attr[which], &k) && k.constant)
		v = k.v;
	rsd_column_free(k.col);
	return v;
}

static void add_message(struct look *l, int64_t peer, int64_t tag, int64_t comm, bool relative,
	int direction, uint64_t nr)
{
	int64_t own = attribute(l, comm, 1), size = attribute(l, comm, 0);
	uint64_t key;

	if (rsd_trace_is_constant(l->t, peer, "MPI_PROC_NULL"))
		return;
	if (own < 0 || size <= 0 || rsd_is_const(peer) || rsd_is_const(tag)) {
		l->out->hidden = true;
		return;
	}
	if (relative && (peer < 0 || peer >= size || own >= size)) {
		l->out->hidden = true;
		return;
	}
	if (relative)
		peer = own < size - peer ? own + peer : own - (size - peer);
	key = rsd_hash_mix((uint64_t)comm ^ rsd_hash_mix((uint64_t)tag + 1));
	key = rsd_hash_mix(key ^ rsd_hash_mix((uint64_t)(direction > 0 ? own : peer) + 2));
	key = rsd_hash_mix(key ^ rsd_hash_mix((uint64_t)(direction > 0 ? peer : own) + 3));
	l->out->messages += direction > 0 ? key * nr : 0 - key * nr;
}

static int64_t next_of(struct rsd_cursor *c, const struct values *k)
{
	int64_t v = k->v;

	if (c && rsd_cursor_next(c, &v))
		v = RSD_ABSENT;
	return v;
}

static int add_messages(struct look *l, const struct ends *e, int direction, uint64_t times)
{
	const struct values *k[] = { &e->peer, &e->tag, &e->comm };
	struct rsd_cursor *c[RSD_ARRAY_SIZE(k)] = { NULL };
	bool constant = true;
	int err = 0;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(k); i++) {
		constant &= k[i]->constant;
		if (k[i]->constant || err)
			continue;
		c[i] = k[i]->col ? rsd_cursor_new(k[i]->col) : NULL;
		err = c[i] ? 0 : RSD_ERR_NOMEM;
	}
	for (uint64_t i = 0; !err && i < (constant ? 1 : times); i++) {
		int64_t peer = next_of(c[0], k[0]), tag = next_of(c[1], k[1]);
		int64_t comm = next_of(c[2], k[2]);

		add_message(l, peer, tag, comm, e->peer.relative, direction, constant ? times : 1);
	}
	for (size_t i = 0; i < RSD_ARRAY_SIZE(k); i++)
		rsd_cursor_free(c[i]);
	return err;
}

/* Sends (1) or receives (-1) of a call: those that name the other end. */
static int look_messages(struct look *l, const struct rsd_place *p, int direction, uint64_t times)
{
	const struct rsd_func *f = &l->t->func[p->func];
	int count = direction > 0 ? f->sent_count : f->recv_count;
	int peer = rsd_func_find_param(f, direction > 0 ? "dest" : "source");
	int tag = rsd_func_find_param(f, direction > 0 ? "sendtag" : "recvtag");
	int comm = peer < 0 ? -1 : f->param[peer].of, err = 0;
	struct ends e = { .peer = { .col = NULL } };

	if (count < 0 && peer < 0)
		return 0;
	tag = tag < 0 ? rsd_func_find_param(f, "tag") : tag;
	if (count < 0)
		return 0; /* a probe */
	if (peer < 0 || tag < 0 || comm < 0) {
		l->out->hidden = true;
		return 0;
	}
	err = get_values(l, &p->col[rsd_func_first_column(f, peer)], &e.peer);
	if (!err)
		err = get_values(l, &p->col[rsd_func_first_column(f, tag)], &e.tag);
	if (!err)
		err = get_values(l, &p->col[rsd_func_first_column(f, comm)], &e.comm);
	if (!err)
		err = add_messages(l, &e, direction, times);
	rsd_column_free(e.peer.col);
	rsd_column_free(e.tag.col);
	rsd_column_free(e.comm.col);
	return err;
}

/* ---- calls --------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end)
{
	size_t a = strlen(s), b = strlen(end);

	return a >= b && !strcmp(s + a - b, end);
}

/* May it stand in a loop whose count is drawn? What makes things for others, or tells what has happened yet, may not. */
static bool is_allowed(const struct rsd_func *f)
{
	static const char *const other[] = { "MPI_Wait", "MPI_Waitall", "MPI_Start", "MPI_Startall",
		"MPI_Comm_rank", "MPI_Comm_size" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(other); i++)
		if (!strcmp(f->name, other[i]))
			return true;
	for (int i = 0; i < f->nr_params; i++)
		if (f->param[i].role == RSD_R_MESSAGE)
			return false;
	if (f->class == RSD_C_P2P)
		return (f->sent_count >= 0 || rsd_func_find_param(f, "source") >= 0) &&
		       !ends_with(f->name, "_init");
	return f->class == RSD_C_LOCAL || (f->class == RSD_C_COLL && !ends_with(f->name, "_init"));
}

static int look_collective(struct look *l, const struct rsd_place *p, uint64_t times)
{
	const struct rsd_func *f = &l->t->func[p->func];
	int comm = rsd_func_find_param(f, "comm"), err;
	struct values k;
	uint64_t key = rsd_hash_bytes(f->name, strlen(f->name), times);

	if (comm < 0)
		return 0;
	err = get_values(l, &p->col[rsd_func_first_column(f, comm)], &k);
	if (!err && !k.constant)
		l->out->regular = false;
	if (!err && !(k.constant && rsd_trace_is_constant(l->t, k.v, "MPI_COMM_SELF")))
		l->out->calls = rsd_hash_mix(l->out->calls ^ key ^ rsd_hash_mix((uint64_t)k.v)) | 1;
	rsd_column_free(k.col);
	return err;
}

static int look_columns(struct look *l, const struct rsd_node *n, uint64_t times)
{
	const struct rsd_place *p = &l->t->place[n->place];
	const struct rsd_func *f = &l->t->func[p->func];
	int nr = rsd_func_columns(f), err = 0, param = 0;
	uint64_t rounds = 0;
	struct values k;

	err = get_values(l, &p->col[nr - 1], &k);
	if (!err && l->standing[n->place] == 1 && k.nr % times == 0)
		rounds = k.nr / times;
	rsd_column_free(k.col);
	for (int c = 0; c < nr && !err; c++) {
		err = get_values(l, &p->col[c], &k);
		if (!err && !is_regular(&k, rounds))
			l->out->regular = false;
		while (param < f->nr_params && rsd_func_first_column(f, param + 1) <= c)
			param++;
		if (!err && param < f->nr_params && request_column(f, param) == c) {
			/* A place that stands elsewhere, too, is not known to have so many in each round. */
			if (!rounds && k.nr && f->param[param].type == RSD_T_INTS)
				l->out->regular = false;
			k.in_round = rounds ? k.in_round : times;
			*(f->class == RSD_C_COMPLETION ? &l->ended : &l->made) +=
				count_requests(&k);
		}
		rsd_column_free(k.col);
	}
	return err;
}

static int look_call(struct look *l, const struct rsd_node *n, uint64_t times)
{
	const struct rsd_place *p = &l->t->place[n->place];
	const struct rsd_func *f = &l->t->func[p->func];
	int err = 0;

	if (p->nested || !is_allowed(f))
		l->out->regular = false;
	if (!strncmp(f->name, "MPI_Start", strlen("MPI_Start")))
		l->out->hidden = true;
	if (l->out->regular)
		err = look_columns(l, n, times);
	if (!err && f->class == RSD_C_COLL)
		err = look_collective(l, p, times);
	if (!err && f->class == RSD_C_P2P)
		err = look_messages(l, p, 1, times);
	if (!err && f->class == RSD_C_P2P)
		err = look_messages(l, p, -1, times);
	return err;
}

static int look_body(struct look *l, const struct rsd_node *n, uint64_t times)
{
	int err = 0;

	for (; n && !err; n = n->next) {
		struct values k;

		if (n->ranks && !rsd_ranks_has(n->ranks, l->rank))
			continue;
		if (n->place >= 0) {
			err = look_call(l, n, times);
			continue;
		}
		err = get_values(l, &n->count, &k);
		rsd_column_free(k.col);
		if (err || (k.constant && k.v == 0))
			continue;
		if (!k.constant || k.v < 0 || (uint64_t)k.v > MAX_TIMES / times) {
			l->out->regular = false;
			k.v = 1;
		}
		err = look_body(l, n->first, times * (uint64_t)k.v);
	}
	return err;
}

int rsd_round_look(const struct rsd_trace *t, const struct rsd_node *loop, int rank,
	const uint32_t *standing, struct rsd_round *out)
{
	struct look l = { t, rank, standing, out, 0, 0 };
	int err;

	*out = (struct rsd_round){ .regular = true };
	err = look_body(&l, loop->first, 1);
	if (l.made != l.ended)
		out->regular = false;
	if (!err && out->regular && l.made)
		err = look_around(&l, loop);
	return err;
}
