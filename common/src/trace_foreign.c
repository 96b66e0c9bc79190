/*
 * trace_foreign.c - does a trace name requests of other threads (opstruct.h)?
 *
 * Looked at are columns and logs of requests only: such a number says something else anywhere else.
 */
#include <stdlib.h>

#include "flat.h"
#include "trace.h"

#define LEAST (INT64_C(1) << RSD_FOREIGN_BITS) /* of all that are such */

/* The column of a parameter's values: of an array, of its elements. */
static int value_column(const struct rsd_func *f, int param)
{
	return rsd_func_first_column(f, param + 1) - 1;
}

static bool has_requests(const struct rsd_func *f)
{
	for (int i = 0; i < f->nr_params; i++)
		if (f->param[i].role == RSD_R_REQUEST)
			return true;
	return false;
}

bool rsd_call_has_foreign(const struct rsd_func *f, const int64_t *val, size_t nr)
{
	struct rsd_layout l;
	bool any = false;

	/* Hardly a call has a value like that, whatever it means. */
	for (size_t i = 0; i < nr; i++)
		any |= rsd_is_foreign(val[i]);
	if (!any || !has_requests(f))
		return false;
	rsd_layout_init(&l, f);
	for (size_t i = 0; i < nr && l.param < f->nr_params; i++) {
		if (f->param[l.param].role == RSD_R_REQUEST && rsd_is_foreign(val[i]) &&
			rsd_layout_column(&l) == value_column(f, l.param))
			return true;
		if (rsd_layout_step(&l, val[i]))
			return false;
	}
	return false;
}

/* ---- columns ------------------------------------------------------------------------ */

static int is_beyond(int64_t min, int64_t max, void *arg)
{
	(void)min;
	(void)arg;
	return max >= LEAST;
}

/* A number that differs between ranks: without one so large or small no values are that had none before. */
static int is_far(int64_t min, int64_t max, void *arg)
{
	(void)arg;
	return max >= LEAST / 4 || min <= -LEAST / 4;
}

/* Of each rank of a variant: the first that has one mostly is the first. */
static bool any_rank_has(const struct rsd_params *p, const struct rsd_ranks *ranks)
{
	bool has = false;

	for (int r = rsd_ranks_next(ranks, -1); !has && r >= 0; r = rsd_ranks_next(ranks, r)) {
		struct rsd_column *c;
		enum rsd_encoding enc;

		if (rsd_params_get(p, r, &enc, &c))
			return true; /* no memory: the newer version can tell all traces */
		has = rsd_column_extremes(c, is_beyond, NULL);
		rsd_column_free(c);
	}
	return has;
}

static bool params_have(const struct rsd_params *p)
{
	const struct rsd_variants *all = &p->enc[RSD_E_ABS];

	for (size_t i = 0; i < all->nr; i++) {
		const struct rsd_variant *v = &all->variant[i];
		bool far = rsd_column_extremes(v->col, v->nr_numbers ? is_far : is_beyond, NULL);

		for (size_t k = 0; !far && k < v->nr_numbers; k++)
			far = rsd_column_extremes(v->number[k].over, is_far, NULL);
		if (far && (!v->nr_numbers || any_rank_has(p, &v->ranks)))
			return true;
	}
	return false;
}

static bool place_has(const struct rsd_func *f, const struct rsd_place *p)
{
	for (int i = 0; i < f->nr_params; i++)
		if (f->param[i].role == RSD_R_REQUEST && params_have(&p->col[value_column(f, i)]))
			return true;
	return false;
}

/* ---- logs ------------------------------------------------------------------------------ */

static bool log_has(const struct rsd_trace *t, const struct rsd_log *l)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	bool has = false;

	rsd_flat_reader_init(&r, l->bytes.data, l->bytes.len);
	while (!has && !rsd_flat_next(&r, &e))
		has = (size_t)e.place < t->nr_places &&
		      rsd_call_has_foreign(&t->func[t->place[e.place].func], e.val, e.nr_val);
	rsd_flat_reader_release(&r);
	return has;
}

bool rsd_trace_has_foreign(const struct rsd_trace *t)
{
	bool requests = false;

	if (t->foreign)
		return true;
	for (size_t i = 0; i < t->nr_places; i++)
		if (place_has(&t->func[t->place[i].func], &t->place[i]))
			return true;
	for (size_t i = 0; i < t->nr_funcs; i++)
		requests |= has_requests(&t->func[i]);
	for (size_t i = 0; requests && i < t->nr_logs; i++)
		if (log_has(t, &t->log[i]))
			return true;
	return false;
}
