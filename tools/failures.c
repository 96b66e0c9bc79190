/* failures.c - see failures.h */
#include "failures.h"

#include <inttypes.h>
#include <stdlib.h>
#include "sweep.h"
#include "util.h"
#include "volume.h"
#include "walk.h"

/* A trace that was recorded has some ten. */
#define MOST_KINDS 1000

static int add(struct rsd_failures *f, int func, int64_t error, int sig, uint64_t calls)
{
	f->calls += calls;
	for (size_t i = 0; i < f->nr; i++) {
		if (f->list[i].func == func && f->list[i].error == error) {
			f->list[i].calls += calls;
			return 0;
		}
	}
	if (f->nr == MOST_KINDS) {
		f->more = true;
		return 0;
	}
	if (RSD_GROW(f->list, f->nr + 1, f->alloc))
		return RSD_ERR_NOMEM;
	f->list[f->nr++] = (struct rsd_failure){ func, sig, error, calls };
	return 0;
}

/* ---- places ------------------------------------------------------------------------------------ */

struct errors_of {
	struct rsd_failures *f;
	const struct rsd_place *p;
};

static int add_section(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	const struct errors_of *x = arg;
	uint64_t all = x->f->calls + rsd_volume_errors_among(start, stride, count);
	int err = 0;

	if (!stride)
		return rsd_volume_is_error(start) ? add(x->f, x->p->func, start, x->p->sig, count)
						  : 0;
	for (uint64_t i = 0; i < count && !err && !x->f->more; i++) {
		int64_t v = (int64_t)((uint64_t)start + i * (uint64_t)stride);

		if (rsd_volume_is_error(v))
			err = add(x->f, x->p->func, v, x->p->sig, 1);
	}
	x->f->calls = all;
	return err;
}

static int add_place(struct rsd_failures *f, const struct rsd_place *p)
{
	const struct rsd_params *errors = rsd_volume_calls(f->t, p);
	struct errors_of x = { f, p };
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct rsd_sweep sweep;
	int err;

	if (rsd_volume_is_sound(f->t, p))
		return 0;
	rsd_sweep_init(&sweep, errors);
	err = rsd_params_ranks(errors, &ranks);
	for (int r = rsd_ranks_first(&ranks); r >= 0 && !err; r = rsd_ranks_next(&ranks, r)) {
		struct rsd_column *col = NULL;
		enum rsd_encoding enc;

		err = rsd_sweep_get(&sweep, r, &enc, &col);
		if (!err)
			err = rsd_column_each(col, add_section, &x);
		rsd_column_free(col);
	}
	rsd_sweep_release(&sweep);
	rsd_ranks_release(&ranks);
	return err;
}

/* ---- flat logs ---------------------------------------------------------------------------------- */

static int add_log(struct rsd_failures *f, const struct rsd_log *log)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err = rsd_walk_new_log(&w, f->t, log);

	while (!err && !(err = rsd_walk_next(w, &e)))
		if (e.nr_val && rsd_volume_is_error(e.val[e.nr_val - 1]))
			err = add(f, e.func, e.val[e.nr_val - 1], e.sig, 1);
	rsd_walk_free(w);
	return err == RSD_ERR_END ? 0 : err;
}

int rsd_failures_collect(struct rsd_failures *f, const struct rsd_trace *t)
{
	int err = 0;

	f->t = t;
	for (size_t i = 0; i < t->nr_places && !err; i++)
		err = add_place(f, &t->place[i]);
	for (size_t i = 0; i < t->nr_logs && !err; i++)
		err = add_log(f, &t->log[i]);
	return err;
}

void rsd_failures_release(struct rsd_failures *f)
{
	free(f->list);
	*f = (struct rsd_failures){ 0 };
}

/* ---- as text ------------------------------------------------------------------------------------ */

void rsd_failures_put_number(const struct rsd_failures *f, struct rsd_buf *out)
{
	rsd_buf_printf(
		out, "%" PRIu64 " call%s returned an error", f->calls, f->calls == 1 ? "" : "s");
}

static int by_calls(const void *a, const void *b)
{
	const struct rsd_failure *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	return (x->error > y->error) - (x->error < y->error);
}

void rsd_failures_put_list(
	struct rsd_failures *f, const struct rsd_format *format, size_t most, struct rsd_buf *out)
{
	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), by_calls);
	for (size_t i = 0; i < f->nr && i < most; i++) {
		const struct rsd_failure *x = &f->list[i];
		struct rsd_buf site = RSD_BUF_INIT;

		rsd_buf_printf(out, "%s%s ", i ? "; " : ": ", f->t->func[x->func].name);
		rsd_format_value(format, RSD_R_ERROR, x->error, RSD_STYLE_TEXT, out);
		rsd_buf_printf(out, " %" PRIu64 " time%s", x->calls, x->calls == 1 ? "" : "s");
		if (rsd_format_site(format, x->sig, RSD_STYLE_TEXT, &site))
			rsd_buf_printf(
				out, ", first at %.*s", (int)site.len, (const char *)site.data);
		rsd_buf_release(&site);
	}
	if (f->nr > most)
		rsd_buf_printf(
			out, "; ... and %zu%s more kinds", f->nr - most, f->more ? " or" : "");
}
