/* volume.c - see volume.h */
#include "volume_parts.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_STEPS ((uint64_t)1 << 28) /* values stepped through in one column */

/* A count and a type parameter, as columns of one rank: n is NULL where it is no array. */
struct pair {
	struct rsd_column *count_n, *count, *type_n, *type;
	const struct rsd_column *error; /* one value a call */
};

void rsd_volume_add(struct rsd_volume *a, const struct rsd_volume *b, uint64_t times)
{
	a->calls += b->calls * times;
	a->failed += b->failed * times;
	a->sent += b->sent * (double)times;
	a->received += b->received * (double)times;
	a->unknown |= b->unknown;
}

const struct rsd_params *rsd_volume_calls(const struct rsd_trace *t, const struct rsd_place *p)
{
	return rsd_place_columns(t, p, t->func[p->func].nr_params);
}

/* ---- calls that failed ------------------------------------------------------------------- */

bool rsd_volume_moved_nothing(const struct rsd_trace *t, int64_t error)
{
	return rsd_volume_is_error(error) &&
	       !rsd_trace_is_constant(t, error, "MPI_ERR_IN_STATUS") &&
	       !rsd_trace_is_constant(t, error, "MPI_ERR_TRUNCATE");
}

/* Is 'v' among the values that begin with 'start', 'stride' apart, which is not 0? */
static bool is_among(int64_t v, int64_t start, int64_t stride, uint64_t count)
{
	bool up = stride > 0;
	uint64_t step = up ? (uint64_t)stride : 0 - (uint64_t)stride;
	uint64_t away = up ? (uint64_t)v - (uint64_t)start : (uint64_t)start - (uint64_t)v;

	return (up ? v >= start : v <= start) && away % step == 0 && away / step < count;
}

uint64_t rsd_volume_errors_among(int64_t start, int64_t stride, uint64_t count)
{
	if (!stride)
		return rsd_volume_is_error(start) ? count : 0;
	return count - is_among(0, start, stride, count) -
	       is_among(RSD_ABSENT, start, stride, count);
}

static int count_errors(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	*(uint64_t *)arg += rsd_volume_errors_among(start, stride, count);
	return 0;
}

uint64_t rsd_volume_errors(const struct rsd_column *c)
{
	uint64_t nr = 0;
	int64_t v;

	if (rsd_column_is_constant(c, &v))
		return rsd_volume_is_error(v) ? rsd_column_length(c) : 0;
	rsd_column_each(c, count_errors, &nr);
	return nr;
}

bool rsd_volume_is_sound(const struct rsd_trace *t, const struct rsd_place *p)
{
	const struct rsd_params *errors = rsd_volume_calls(t, p);
	int64_t v;

	for (size_t i = 0; i < errors->enc[RSD_E_ABS].nr; i++) {
		const struct rsd_variant *one = &errors->enc[RSD_E_ABS].variant[i];

		if (one->nr_numbers || !rsd_column_is_constant(one->col, &v) ||
			rsd_volume_is_error(v))
			return false;
	}
	return !errors->enc[RSD_E_REL].nr;
}

/* ---- sizes of types ------------------------------------------------------------------- */

static bool is_shared(const struct rsd_params *p)
{
	return p->enc[RSD_E_ABS].nr + p->enc[RSD_E_REL].nr <= 1 &&
	       (!p->enc[RSD_E_ABS].nr || !p->enc[RSD_E_ABS].variant[0].nr_numbers) &&
	       (!p->enc[RSD_E_REL].nr || !p->enc[RSD_E_REL].variant[0].nr_numbers);
}

/* Bytes of datatype value 'type' on 'rank'; below 0 where it is not known. */
static double type_size(const struct rsd_trace *t, int64_t type, int rank)
{
	const struct rsd_object *o;
	int64_t size;

	if (type == RSD_ABSENT)
		return 0;
	o = rsd_trace_find_object(t, RSD_O_DATATYPE, type);
	if (!o)
		return -1;
	if (is_shared(&o->attr[0]) && o->attr[0].enc[RSD_E_ABS].nr &&
		rsd_column_is_constant(o->attr[0].enc[RSD_E_ABS].variant[0].col, &size))
		return rsd_is_const(size) ? -1 : (double)size;
	return (double)rsd_object_attribute(t, RSD_O_DATATYPE, type, 0, rank);
}

double rsd_volume_times_size(
	const struct rsd_trace *t, double count, int64_t type, int rank, bool *unknown)
{
	double size = type_size(t, type, rank);

	if (size < 0) {
		*unknown |= count > 0;
		return 0;
	}
	return count * size;
}

/* ---- one rank ---------------------------------------------------------------------------- */

struct stepper { /* the values of a parameter, call by call */
	struct rsd_cursor *n, *v;
};

static bool begin_steps(struct stepper *s, const struct rsd_column *n, const struct rsd_column *v)
{
	s->n = n ? rsd_cursor_new(n) : NULL;
	s->v = rsd_cursor_new(v);
	return s->v && (s->n || !n);
}

static void end_steps(struct stepper *s)
{
	rsd_cursor_free(s->n);
	rsd_cursor_free(s->v);
}

/* How many values the next call has; -1 at the end. */
static int64_t step(struct stepper *s)
{
	int64_t n;

	if (!s->n)
		return 1;
	if (rsd_cursor_next(s->n, &n))
		return -1;
	return rsd_is_const(n) || n < 0 ? 0 : n;
}

/* Counts and types side by side: element by element, or an array of counts with the call's one
 * type. */
static int step_through(
	const struct rsd_trace *t, const struct pair *p, int rank, double *bytes, bool *unknown)
{
	struct rsd_cursor *errors = rsd_cursor_new(p->error);
	struct stepper c, y;
	uint64_t steps = 0;
	int64_t nc, ny = 0, count, error, type = RSD_ABSENT, known_type = RSD_ABSENT;
	double size = 0;
	int err = RSD_ERR_NOMEM;

	bool ready = begin_steps(&c, p->count_n, p->count);

	if (!begin_steps(&y, p->type_n, p->type) || !ready || !errors)
		goto out;
	err = 0;
	while ((nc = step(&c)) >= 0 && (ny = step(&y)) >= 0 && !rsd_cursor_next(errors, &error)) {
		bool nothing = rsd_volume_moved_nothing(t, error);

		for (int64_t i = 0; i < nc || i < ny; i++) {
			if (i < ny && rsd_cursor_next(y.v, &type))
				goto out;
			if (i < nc && rsd_cursor_next(c.v, &count))
				goto out;
			if (i >= nc || rsd_is_const(count) || count == 0 || nothing)
				continue;
			if (type != known_type) {
				size = rsd_volume_times_size(t, 1, type, rank, unknown);
				known_type = type;
			}
			*bytes += (double)count * size;
		}
		if (++steps > MAX_STEPS) {
			*unknown = true;
			break;
		}
	}
out:
	rsd_cursor_free(errors);
	end_steps(&c);
	end_steps(&y);
	return err;
}

static int sum_pair(
	const struct rsd_trace *t, const struct pair *p, int rank, double *bytes, bool *unknown)
{
	struct rsd_column_stats stats;
	int64_t type, count, error;
	bool same = rsd_column_is_constant(p->error, &error);

	if (!p->count || !p->type || (same && rsd_volume_moved_nothing(t, error)))
		return 0;
	if (rsd_column_is_constant(p->count, &count) && (rsd_is_const(count) || count == 0))
		return 0;
	if (!rsd_column_is_constant(p->type, &type) || !same)
		return step_through(t, p, rank, bytes, unknown);
	rsd_column_stats(p->count, &stats);
	*bytes += rsd_volume_times_size(t, stats.sum, type, rank, unknown);
	return 0;
}

/* The columns of one parameter; NULL where the rank has none. */
static int get_columns(const struct rsd_trace *t, const struct rsd_place *p, int param, int rank,
	struct rsd_column **n, struct rsd_column **v)
{
	const struct rsd_params *col = rsd_place_columns(t, p, param);
	bool array = rsd_type_columns((enum rsd_type)t->func[p->func].param[param].type) == 2;
	enum rsd_encoding enc;
	int err = 0;

	*n = *v = NULL;
	if (array)
		err = rsd_params_get(col, rank, &enc, n);
	if (!err)
		err = rsd_params_get(&col[array], rank, &enc, v);
	return err == RSD_ERR_END ? 0 : err;
}

static int bytes_of(const struct rsd_trace *t, const struct rsd_place *p,
	const struct rsd_column *error, int count, int type, int rank, double *bytes, bool *unknown)
{
	struct pair x = { NULL, NULL, NULL, NULL, error };
	int err;

	*bytes = 0;
	if (count < 0 || type < 0)
		return 0;
	err = get_columns(t, p, count, rank, &x.count_n, &x.count);
	if (!err)
		err = get_columns(t, p, type, rank, &x.type_n, &x.type);
	if (!err)
		err = sum_pair(t, &x, rank, bytes, unknown);
	rsd_column_free(x.count_n);
	rsd_column_free(x.count);
	rsd_column_free(x.type_n);
	rsd_column_free(x.type);
	return err;
}

/* ---- collectives: a count and a type, weighted call by call ------------------------------------ */

enum { W_COUNT, W_TYPE, W_COMM, W_ROOT, W_ERROR, NR_W };

struct weighted {
	struct rsd_column *col[NR_W]; /* NULL: absent in all calls */
	struct rsd_cursor *next[NR_W];
	bool relative; /* roots are */
};

int rsd_volume_find_role(const struct rsd_func *fn, int role, const char *name)
{
	for (int i = 0; i < fn->nr_params; i++)
		if (fn->param[i].role == role && (!name || !strcmp(fn->param[i].name, name)))
			return i;
	return -1;
}

static int open_weighted(struct weighted *x, const struct rsd_trace *t, const struct rsd_place *p,
	int count, int type, int rank)
{
	const struct rsd_func *fn = &t->func[p->func];
	const int param[NR_W] = { count, type, rsd_volume_find_role(fn, RSD_R_COMM, NULL),
		rsd_volume_find_role(fn, RSD_R_PEER, "root"), fn->nr_params };
	enum rsd_encoding enc;
	int err = 0;

	for (int i = 0; i < NR_W && !err; i++) {
		if (param[i] < 0)
			continue;
		err = rsd_params_get(rsd_place_columns(t, p, param[i]), rank, &enc, &x->col[i]);
		if (err == RSD_ERR_END)
			err = 0, x->col[i] = NULL;
		else if (!err && i == W_ROOT)
			x->relative = enc == RSD_E_REL;
		if (!err && x->col[i] && !(x->next[i] = rsd_cursor_new(x->col[i])))
			err = RSD_ERR_NOMEM;
	}
	return err;
}

static void close_weighted(struct weighted *x)
{
	for (int i = 0; i < NR_W; i++) {
		rsd_cursor_free(x->next[i]);
		rsd_column_free(x->col[i]);
	}
}

/* Bytes of one element, all that varies but the count being as in 'v'. */
static double unit_of(const struct rsd_trace *t, enum rsd_weight weight, const int64_t *v,
	bool relative, int rank, bool *unknown)
{
	const struct rsd_whereabouts where = { rank, v[W_COMM], v[W_ROOT], relative };
	double w;

	if (rsd_volume_moved_nothing(t, v[W_ERROR]))
		return 0;
	w = rsd_weight_of(t, weight, &where);
	*unknown |= w < 0;
	return w > 0 ? w * rsd_volume_times_size(t, 1, v[W_TYPE], rank, unknown) : 0;
}

static void step_weighted(const struct rsd_trace *t, const struct weighted *x,
	enum rsd_weight weight, int rank, double *bytes, bool *unknown)
{
	int64_t v[NR_W], last[NR_W] = { 0 };
	uint64_t steps = 0;
	double unit = -1;

	for (; steps < MAX_STEPS; steps++) {
		for (int i = 0; i < NR_W; i++) {
			v[i] = RSD_ABSENT;
			if (x->next[i] && rsd_cursor_next(x->next[i], &v[i]))
				return;
		}
		if (rsd_is_const(v[W_COUNT]) || v[W_COUNT] == 0)
			continue;
		if (unit < 0 || memcmp(&v[1], &last[1], (NR_W - 1) * sizeof(v[1])))
			unit = unit_of(t, weight, v, x->relative, rank, unknown);
		memcpy(last, v, sizeof(v));
		*bytes += (double)v[W_COUNT] * unit;
	}
	*unknown = true;
}

static int weighted_bytes(const struct rsd_trace *t, const struct rsd_place *p, int count, int type,
	enum rsd_weight weight, int rank, double *bytes, bool *unknown)
{
	struct weighted x = { { NULL }, { NULL }, false };
	struct rsd_column_stats stats;
	int64_t v[NR_W];
	bool constant = true;
	int err = open_weighted(&x, t, p, count, type, rank);

	*bytes = 0;
	for (int i = W_TYPE; i < NR_W && !err; i++) {
		v[i] = RSD_ABSENT;
		constant &= !x.col[i] || rsd_column_is_constant(x.col[i], &v[i]);
	}
	if (!err && x.col[W_COUNT] && constant) {
		rsd_column_stats(x.col[W_COUNT], &stats);
		if (stats.sum > 0)
			*bytes = stats.sum * unit_of(t, weight, v, x.relative, rank, unknown);
	} else if (!err && x.col[W_COUNT]) {
		step_weighted(t, &x, weight, rank, bytes, unknown);
	}
	close_weighted(&x);
	return err;
}

/* ---- a place on one rank --------------------------------------------------------------------- */

void rsd_volume_sides(
	const struct rsd_func *fn, struct rsd_volume_side *sent, struct rsd_volume_side *received)
{
	struct rsd_flow flow = rsd_flow_of(fn);

	*sent = (struct rsd_volume_side){ fn->sent_count, fn->sent_type, flow.sent };
	*received = (struct rsd_volume_side){ fn->recv_count, fn->recv_type, flow.received };
	if (flow.result && received->count < 0)
		*received = (struct rsd_volume_side){ sent->count, sent->type, flow.received };
}

static int side_bytes(const struct rsd_trace *t, const struct rsd_place *p,
	const struct rsd_column *error, const struct rsd_volume_side *s, int rank, double *bytes,
	bool *unknown)
{
	if (s->weight == RSD_WEIGHT_ONCE || s->count < 0 || s->type < 0)
		return bytes_of(t, p, error, s->count, s->type, rank, bytes, unknown);
	return weighted_bytes(t, p, s->count, s->type, s->weight, rank, bytes, unknown);
}

int rsd_volume_of_rank(
	const struct rsd_trace *t, const struct rsd_place *p, int rank, struct rsd_volume *out)
{
	const struct rsd_func *fn = &t->func[p->func];
	struct rsd_volume_side sent, received;
	struct rsd_column *calls;
	enum rsd_encoding enc;
	int err;

	*out = (struct rsd_volume){ 0 };
	err = rsd_params_get(rsd_volume_calls(t, p), rank, &enc, &calls);
	if (err)
		return err == RSD_ERR_END ? 0 : err;
	out->calls = rsd_column_length(calls);
	out->failed = rsd_volume_errors(calls);
	rsd_volume_sides(fn, &sent, &received);
	err = side_bytes(t, p, calls, &sent, rank, &out->sent, &out->unknown);
	if (!err)
		err = side_bytes(t, p, calls, &received, rank, &out->received, &out->unknown);
	rsd_column_free(calls);
	return err;
}

/* ---- all ranks at once ------------------------------------------------------------------- */

static bool is_shared_param(const struct rsd_trace *t, const struct rsd_place *p, int param)
{
	const struct rsd_params *col;
	int nr;

	if (param < 0)
		return true;
	col = rsd_place_columns(t, p, param);
	nr = rsd_type_columns((enum rsd_type)t->func[p->func].param[param].type);
	for (int i = 0; i < nr; i++)
		if (!is_shared(&col[i]))
			return false;
	return true;
}

/* One type that has one size everywhere, or none. */
static bool is_shared_type(const struct rsd_trace *t, const struct rsd_place *p, int param)
{
	const struct rsd_params *col;
	const struct rsd_object *o;
	int64_t type;

	if (param < 0)
		return true;
	col = rsd_place_columns(t, p, param);
	if (t->func[p->func].param[param].type != RSD_T_INT || !col->enc[RSD_E_ABS].nr)
		return false;
	if (!rsd_column_is_constant(col->enc[RSD_E_ABS].variant[0].col, &type))
		return false;
	o = rsd_trace_find_object(t, RSD_O_DATATYPE, type);
	return !o || is_shared(&o->attr[0]);
}

/* The weight is the same for all ranks and calls. */
static bool is_shared_weight(
	const struct rsd_trace *t, const struct rsd_place *p, enum rsd_weight weight)
{
	const struct rsd_params *col;
	const struct rsd_object *o;
	int param = rsd_volume_find_role(&t->func[p->func], RSD_R_COMM, NULL);
	int64_t comm;

	if (weight == RSD_WEIGHT_ONCE)
		return true;
	if (weight != RSD_WEIGHT_PEERS || param < 0 || !is_shared_param(t, p, param))
		return false;
	col = rsd_place_columns(t, p, param);
	if (!col->enc[RSD_E_ABS].nr ||
		!rsd_column_is_constant(col->enc[RSD_E_ABS].variant[0].col, &comm))
		return false;
	o = rsd_trace_find_object(t, RSD_O_COMM, comm);
	return o && is_shared(&o->attr[0]);
}

bool rsd_volume_is_uniform(
	const struct rsd_trace *t, const struct rsd_place *p, struct rsd_volume *out)
{
	const struct rsd_func *fn = &t->func[p->func];
	const struct rsd_params *calls = rsd_volume_calls(t, p);
	const int8_t param[] = { fn->sent_count, fn->sent_type, fn->recv_count, fn->recv_type };

	struct rsd_volume_side sent, received;

	rsd_volume_sides(fn, &sent, &received);
	if (!is_shared_weight(t, p, sent.weight) || !is_shared_weight(t, p, received.weight))
		return false;
	if (!is_shared(calls) || !calls->enc[RSD_E_ABS].nr)
		return false;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(param); i++)
		if (!is_shared_param(t, p, param[i]))
			return false;
	if (!is_shared_type(t, p, fn->sent_type) || !is_shared_type(t, p, fn->recv_type))
		return false;
	return rsd_volume_of_rank(
		       t, p, rsd_ranks_first(&calls->enc[RSD_E_ABS].variant[0].ranks), out) == 0;
}
