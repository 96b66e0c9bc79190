/* stats.c - see stats.h */
#include "stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "stats_times.h"
#include "util.h"
#include "walk.h"
#include "weight.h"

/* ---- rows ---------------------------------------------------------------------------------------- */

static struct rsd_stats_row *find_row(struct rsd_stats *s, int func, int64_t key, size_t place)
{
	uint64_t id = (uint64_t)key << 32 | (uint32_t)(s->merged ? -1 : func);
	uint64_t *at = rsd_map_find(&s->row_by_key, id);

	if (at)
		return &s->row[*at];
	if (RSD_GROW(s->row, s->nr_rows + 1, s->alloc_rows) ||
		rsd_map_set(&s->row_by_key, id, s->nr_rows))
		return NULL;
	s->row[s->nr_rows] =
		(struct rsd_stats_row){ .func = s->merged ? -1 : func, .key = key, .place = place };
	rsd_histogram_init(&s->row[s->nr_rows].dur);
	rsd_histogram_init(&s->row[s->nr_rows].before);
	return &s->row[s->nr_rows++];
}

static int64_t text_key(struct rsd_stats *s, const char *text, size_t len)
{
	return rsd_strings_intern(&s->keys, text, len);
}

/* The site's number: by its text, so that equal sites of different stacks are one. */
static int64_t site_key(struct rsd_stats *s, int sig)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t id;

	if (!rsd_format_site(s->f, sig, RSD_STYLE_TEXT, &text))
		rsd_buf_put_byte(&text, '?');
	id = text_key(s, (const char *)text.data, text.len);
	rsd_buf_release(&text);
	return id;
}

static int64_t comm_key(struct rsd_stats *s, int64_t comm)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int64_t id;

	if (comm == RSD_ABSENT)
		rsd_buf_put_byte(&text, '-');
	else
		rsd_format_value(s->f, RSD_R_COMM, comm, RSD_STYLE_TEXT, &text);
	id = text_key(s, (const char *)text.data, text.len);
	rsd_buf_release(&text);
	return id;
}

/* Sizes by powers of two: 0 is 0, k is 2^(k-1) ... 2^k - 1; -1: not known. */
static int64_t size_key(const struct rsd_volume *v)
{
	double bytes = v->sent > v->received ? v->sent : v->received;
	int64_t bin = 0;

	if (v->unknown)
		return -1;
	while (bytes >= 1 && bin < 63) {
		bytes /= 2;
		bin++;
	}
	return bin;
}

static int64_t class_key(struct rsd_stats *s, int func)
{
	static const char *const name[RSD_NR_CLASSES] = { "other", "point to point", "collective",
		"completion", "communicators", "datatypes", "one-sided", "files", "environment",
		"local" };
	const char *text = name[s->t->func[func].class];

	return text_key(s, text, strlen(text));
}

void rsd_stats_key_text(
	const struct rsd_stats *s, const struct rsd_stats_row *r, struct rsd_buf *out)
{
	int64_t k = r->key;

	if (s->by == RSD_BY_FUNCTION)
		return;
	if (s->by == RSD_BY_RANK)
		rsd_buf_printf(out, "%" PRId64, k);
	else if (s->by == RSD_BY_MESSAGE && k < 0)
		rsd_buf_printf(out, "unknown");
	else if (s->by == RSD_BY_MESSAGE && k < 2)
		rsd_buf_printf(out, "%" PRId64, k);
	else if (s->by == RSD_BY_MESSAGE)
		rsd_buf_printf(out, "%" PRIu64 "-%" PRIu64, UINT64_C(1) << (k - 1),
			(UINT64_C(1) << k) - 1);
	else
		rsd_buf_put(out, s->keys.str[k].s, s->keys.str[k].len);
}

/* ---- places by their columns ---------------------------------------------------------------------- */

/* A column that has one value for all calls of a rank, or none. */
static bool is_one(const struct rsd_params *col, int rank, int64_t *v)
{
	struct rsd_column *c;
	enum rsd_encoding enc;
	bool same;

	if (rsd_params_get(col, rank, &enc, &c))
		return true;
	same = rsd_column_is_constant(c, v);
	rsd_column_free(c);
	return same;
}

/* The value of a parameter in all calls of a rank; RSD_ABSENT where there is none. False where it changes. */
static bool one_value(
	const struct rsd_trace *t, const struct rsd_place *p, int param, int rank, int64_t *v)
{
	const struct rsd_params *col = p->col;

	*v = RSD_ABSENT;
	if (param < 0 || !col)
		return true;
	col += rsd_func_first_column(&t->func[p->func], param);
	if (t->func[p->func].param[param].type != RSD_T_INT)
		return false;
	return is_one(col, rank, v);
}

static int comm_param(const struct rsd_func *f)
{
	for (int i = 0; i < f->nr_params; i++)
		if (f->param[i].role == RSD_R_COMM && f->param[i].type == RSD_T_INT)
			return i;
	return -1;
}

/* Do all calls of a rank have one key? */
static bool has_one_key(const struct rsd_stats *s, const struct rsd_place *p, int rank)
{
	const struct rsd_func *f = &s->t->func[p->func];
	const int sizes[] = { f->sent_count, f->sent_type, f->recv_count, f->recv_type,
		comm_param(f), rsd_func_find_param(f, "root") };
	int64_t v;

	if (s->by == RSD_BY_COMM)
		return one_value(s->t, p, comm_param(f), rank, &v);
	/* What failed moved nothing, and has another size than what did not. */
	if (s->by == RSD_BY_MESSAGE && !is_one(rsd_volume_calls(s->t, p), rank, &v))
		return false;
	for (size_t i = 0; s->by == RSD_BY_MESSAGE && i < RSD_ARRAY_SIZE(sizes); i++)
		if (!one_value(s->t, p, sizes[i], rank, &v))
			return false;
	return true;
}

/* The key of all calls of a rank at the place, 'v' being what they move. */
static int64_t key_of(
	struct rsd_stats *s, const struct rsd_place *p, int rank, const struct rsd_volume *v)
{
	struct rsd_volume one;
	int64_t comm;

	switch (s->by) {
	case RSD_BY_SITE:
		return site_key(s, p->sig);
	case RSD_BY_RANK:
		return rank;
	case RSD_BY_COMM:
		one_value(s->t, p, comm_param(&s->t->func[p->func]), rank, &comm);
		return comm_key(s, comm);
	case RSD_BY_MESSAGE:
		one = *v;
		one.sent /= v->calls ? (double)v->calls : 1;
		one.received /= v->calls ? (double)v->calls : 1;
		return size_key(&one);
	case RSD_BY_CLASS:
		return class_key(s, p->func);
	case RSD_BY_FUNCTION:
		break;
	}
	return 0;
}

/* Only of functions that move data is there a size to tell. */
static bool is_left_out(const struct rsd_stats *s, int func)
{
	const struct rsd_func *f = &s->t->func[func];

	return s->by == RSD_BY_MESSAGE && f->sent_count < 0 && f->recv_count < 0;
}

/* Is the key one that all calls at the place have, whichever rank makes them? */
static bool is_of_place(const struct rsd_stats *s)
{
	return s->by == RSD_BY_FUNCTION || s->by == RSD_BY_SITE || s->by == RSD_BY_CLASS;
}

struct spread {	       /* of a place's calls over rows */
	ptrdiff_t row; /* the first; -1: none yet */
	bool differ;   /* there are others */
	int64_t key;   /* where it is of the place */
};

/* The row of a rank's calls. NULL: no memory. */
static struct rsd_stats_row *row_of(
	struct rsd_stats *s, size_t place, int rank, const struct rsd_volume *v, struct spread *to)
{
	const struct rsd_place *p = &s->t->place[place];
	int64_t key = is_of_place(s) ? to->key : key_of(s, p, rank, v);
	struct rsd_stats_row *r;

	if (key < 0 && s->by != RSD_BY_MESSAGE)
		return NULL;
	r = find_row(s, p->func, key, place);
	if (!r)
		return NULL;
	to->differ |= to->row >= 0 && to->row != r - s->row;
	if (to->row < 0)
		to->row = r - s->row;
	return r;
}

/* Times of a rank's calls are columns of their own, not a share of all ranks'. */
static bool has_times_by_rank(const struct rsd_stats *s)
{
	return s->by == RSD_BY_RANK || s->one_rank;
}

static int add_each_rank(struct rsd_stats *s, size_t place, const struct rsd_ranks *ranks,
	const struct rsd_volume *same, struct spread *to)
{
	const struct rsd_place *p = &s->t->place[place];

	for (int rank = rsd_ranks_first(ranks); rank >= 0; rank = rsd_ranks_next(ranks, rank)) {
		struct rsd_volume v;
		struct rsd_stats_row *r;
		int err = same ? 0 : rsd_volume_of_rank(s->t, p, rank, &v);

		if (err)
			return err;
		r = row_of(s, place, rank, same ? same : &v, to);
		if (!r)
			return RSD_ERR_NOMEM;
		rsd_volume_add(&r->v, same ? same : &v, 1);
		if (has_times_by_rank(s))
			err = rsd_stats_add_columns(r, p, rank);
		if (err)
			return err;
	}
	return 0;
}

static bool is_walked(
	const struct rsd_stats *s, const struct rsd_place *p, const struct rsd_ranks *ranks)
{
	if (s->no_walk || (s->by != RSD_BY_COMM && s->by != RSD_BY_MESSAGE))
		return false;
	for (int rank = rsd_ranks_first(ranks); rank >= 0; rank = rsd_ranks_next(ranks, rank))
		if (!has_one_key(s, p, rank))
			return true;
	return false;
}

/* Times of a place are those of all ranks: where these are in different rows, shared out by how many calls they made. */
static int add_times(
	struct rsd_stats *s, size_t place, const struct rsd_ranks *ranks, struct spread *to)
{
	const struct rsd_place *p = &s->t->place[place];

	if (has_times_by_rank(s) || to->row < 0)
		return 0;
	if (!to->differ)
		return rsd_stats_add_timing(&s->row[to->row], p);
	for (int rank = rsd_ranks_first(ranks); rank >= 0; rank = rsd_ranks_next(ranks, rank)) {
		struct rsd_volume v;
		struct rsd_stats_row *r;
		int err = rsd_volume_of_rank(s->t, p, rank, &v);

		r = err ? NULL : row_of(s, place, rank, &v, to);
		if (!r)
			return RSD_ERR_NOMEM;
		err = rsd_stats_add_share(r, p, v.calls);
		if (err)
			return err;
	}
	return 0;
}

/* Those that call it, of the wanted ones. */
static int ranks_of(const struct rsd_stats *s, const struct rsd_place *p, struct rsd_ranks *out)
{
	int err = rsd_params_ranks(rsd_volume_calls(s->t, p), out);
	bool has = !err && s->one_rank && rsd_ranks_has(out, s->rank);

	if (err || !s->one_rank)
		return err;
	rsd_ranks_release(out);
	return has ? rsd_ranks_append(out, s->rank) : 0;
}

static int add_place(struct rsd_stats *s, size_t place)
{
	const struct rsd_place *p = &s->t->place[place];
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct spread to = { .row = -1 };
	struct rsd_volume v;
	struct rsd_stats_row *r;
	int err = ranks_of(s, p, &ranks);

	if (err || rsd_ranks_is_empty(&ranks) || is_left_out(s, p->func))
		goto out;
	s->walked[place] = is_walked(s, p, &ranks);
	if (s->walked[place])
		goto out;
	if (is_of_place(s))
		to.key = key_of(s, p, 0, NULL);
	if (!rsd_volume_is_uniform(s->t, p, &v)) {
		err = add_each_rank(s, place, &ranks, NULL, &to);
	} else if (has_times_by_rank(s) || s->by == RSD_BY_COMM) {
		err = add_each_rank(s, place, &ranks, &v, &to);
	} else {
		r = row_of(s, place, rsd_ranks_first(&ranks), &v, &to);
		err = r ? 0 : RSD_ERR_NOMEM;
		if (r)
			rsd_volume_add(&r->v, &v, rsd_ranks_count(&ranks));
	}
	if (!err)
		err = add_times(s, place, &ranks, &to);
out:
	rsd_ranks_release(&ranks);
	return err;
}

/* ---- call by call ----------------------------------------------------------------------------------- */

static int64_t key_of_event(
	struct rsd_stats *s, const struct rsd_event *e, const struct rsd_volume *v)
{
	const struct rsd_func *f = &s->t->func[e->func];
	int param;
	const int64_t *at = e->val;

	switch (s->by) {
	case RSD_BY_SITE:
		return site_key(s, e->sig);
	case RSD_BY_RANK:
		return e->rank;
	case RSD_BY_COMM:
		param = comm_param(f);
		for (int i = 0; i < param; i++)
			at += rsd_param_length((enum rsd_type)f->param[i].type, at);
		return comm_key(s, param < 0 ? RSD_ABSENT : *at);
	case RSD_BY_MESSAGE:
		return size_key(v);
	case RSD_BY_CLASS:
		return class_key(s, e->func);
	case RSD_BY_FUNCTION:
		break;
	}
	return 0;
}

static int add_event(struct rsd_stats *s, const struct rsd_event *e, const struct rsd_node *node,
	uint64_t before_ns)
{
	struct rsd_volume v;
	struct rsd_stats_row *r;
	int64_t key;

	if (is_left_out(s, e->func) || (node && !s->walked[node->place]))
		return 0;
	rsd_volume_of_event(s->t, e, &v);
	key = key_of_event(s, e, &v);
	r = key < 0 && s->by != RSD_BY_MESSAGE
		    ? NULL
		    : find_row(s, e->func, key, node ? (size_t)node->place : SIZE_MAX);
	if (!r)
		return RSD_ERR_NOMEM;
	rsd_volume_add(&r->v, &v, 1);
	if (node && !e->has_time && !has_times_by_rank(s))
		return rsd_stats_add_share(r, &s->t->place[node->place], 1);
	return rsd_stats_add_event(r, e, before_ns);
}

/* Of a thread what is in a log, or at places that are gone through. */
static int walk_thread(struct rsd_stats *s, int rank, int thread)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int64_t end_ns = 0; /* of the call before */
	int err = rsd_walk_new(&w, s->t, rank, thread);

	if (err)
		return err == RSD_ERR_END ? 0 : err;
	while (!(err = rsd_walk_next(w, &e))) {
		err = add_event(s, &e, rsd_walk_node(w), rsd_event_before(&e, &end_ns));
		if (err)
			break;
		rsd_progress_step(&s->progress, 1);
	}
	if (err == RSD_ERR_FORMAT)
		rsd_tool_walk_failed(s->t, rank, w, err);
	rsd_walk_free(w);
	return err == RSD_ERR_END ? 0 : err;
}

static int walk_rank(struct rsd_stats *s, int rank)
{
	int *thread;
	size_t nr;
	int err = rsd_trace_threads(s->t, rank, &thread, &nr);

	for (size_t i = 0; i < nr && !err; i++)
		err = walk_thread(s, rank, thread[i]);
	free(thread);
	return err;
}

static int walk_all(struct rsd_stats *s)
{
	const struct rsd_ranks *ranks = &s->t->ranks;
	bool wanted = s->t->nr_logs > 0;
	int err = 0;

	for (size_t i = 0; i < s->t->nr_places; i++)
		wanted |= s->walked[i];
	if (!wanted)
		return 0;
	rsd_progress_begin(&s->progress, "events", 0);
	for (int r = rsd_ranks_first(ranks); r >= 0 && !err; r = rsd_ranks_next(ranks, r))
		err = s->one_rank && r != s->rank ? 0 : walk_rank(s, r);
	rsd_progress_end(&s->progress);
	return err;
}

int rsd_stats_collect(struct rsd_stats *s)
{
	int err = 0;

	s->walked = rsd_calloc(s->t->nr_places + 1, 1);
	if (!s->walked)
		err = RSD_ERR_NOMEM;
	rsd_progress_begin(&s->progress, "places", s->t->nr_places);
	for (size_t i = 0; i < s->t->nr_places && !err; i++) {
		err = add_place(s, i);
		rsd_progress_step(&s->progress, 1);
	}
	rsd_progress_end(&s->progress);
	if (err) {
		rsd_tool_places_failed(s->t, err);
		return err;
	}
	err = walk_all(s);
	if (err && err != RSD_ERR_FORMAT)
		rsd_tool_error("%s", rsd_strerror(err));
	return err;
}

int rsd_stats_regroup(struct rsd_stats *s, const struct rsd_stats *sites)
{
	for (size_t i = 0; i < sites->nr_rows; i++) {
		const struct rsd_stats_row *from = &sites->row[i];
		int64_t key = s->by == RSD_BY_CLASS ? class_key(s, from->func) : 0;
		struct rsd_stats_row *r =
			key < 0 ? NULL : find_row(s, from->func, key, from->place);

		if (!r)
			return RSD_ERR_NOMEM;
		r->place = from->place < r->place ? from->place : r->place;
		rsd_volume_add(&r->v, &from->v, 1);
		if (rsd_histogram_merge(&r->dur, &from->dur) ||
			rsd_histogram_merge(&r->before, &from->before))
			return RSD_ERR_NOMEM;
	}
	return 0;
}

void rsd_stats_release(struct rsd_stats *s)
{
	for (size_t i = 0; i < s->nr_rows; i++) {
		rsd_histogram_release(&s->row[i].dur);
		rsd_histogram_release(&s->row[i].before);
	}
	free(s->row);
	free(s->walked);
	rsd_map_release(&s->row_by_key);
	rsd_strings_release(&s->keys);
}
