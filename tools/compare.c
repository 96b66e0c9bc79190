#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include "alike.h"
#include "format.h"
#include "same.h"
#include "tool.h"
#include "util.h"
#include "walk.h"

struct side {
	const char *path;
	struct rsd_trace *t;
	struct rsd_format *f;
	struct rsd_sources *sources; /* NULL: not wanted */
	struct rsd_walk *w;
	struct rsd_event e;
	int err; /* of the last step: 0, RSD_ERR_END, or trouble */
};

struct diff {
	struct side a, b;
	struct rsd_same *same;
	struct rsd_out out;
	const struct rsd_compare_options *opt;
	int64_t found;
	bool only_stacks; /* some calls differed in nothing else */
	bool broken;	  /* a message has been printed: exit code 2 */
	struct rsd_progress progress;
};

/* ---- one thread ------------------------------------------------------------------------------ */

static void start(struct side *s, int rank, int thread)
{
	s->w = NULL;
	s->err = rsd_ranks_has(&s->t->ranks, rank) ? rsd_walk_new(&s->w, s->t, rank, thread)
						   : RSD_ERR_END;
}

static void next(struct side *s)
{
	if (!s->err)
		s->err = rsd_walk_next(s->w, &s->e);
}

static void next_wanted(struct side *s, const struct rsd_compare_options *opt)
{
	do
		next(s);
	while (!s->err && opt->leave_out && opt->leave_out(&s->e, opt->arg));
}

/* What the second side lacks, and may, is passed. */
static void pass_lacking(struct diff *d)
{
	const struct rsd_compare_options *opt = d->opt;

	while (!d->a.err && opt->may_lack && opt->may_lack(&d->a.e, opt->arg) &&
		(d->b.err || !rsd_same_event(d->same, &d->a.e, &d->b.e)))
		next_wanted(&d->a, opt);
}

static bool is_broken(struct side *s, int rank)
{
	if (!s->err || s->err == RSD_ERR_END)
		return false;
	rsd_tool_error("%s: rank %d: %s", s->path, rank, rsd_tool_walk_error(s->w, s->err));
	return true;
}

static void show_side(struct diff *d, struct side *s, char sign)
{
	rsd_buf_printf(&d->out.buf, "%c ", sign);
	if (s->err)
		rsd_buf_printf(&d->out.buf, "(end)");
	else
		rsd_format_event(s->f, &s->e, RSD_STYLE_TEXT, false, &d->out.buf);
	rsd_buf_put_byte(&d->out.buf, '\n');
}

static void show_stack(struct diff *d, const struct side *s, const char *before)
{
	size_t len;

	rsd_buf_printf(&d->out.buf, "%s ", before);
	len = d->out.buf.len;
	rsd_format_stack(s->f, s->e.sig, RSD_STYLE_TEXT, &d->out.buf);
	rsd_buf_printf(&d->out.buf, d->out.buf.len == len ? "none\n" : "\n");
}

/* Where the events read alike the stacks are what tells them apart. */
static void show_stacks(struct diff *d)
{
	if (d->a.err || d->b.err || !rsd_same_values(d->same, &d->a.e, &d->b.e))
		return;
	show_stack(d, &d->a, "  stacks");
	show_stack(d, &d->b, "     and");
	d->only_stacks = true;
}

static void show_difference(struct diff *d, int rank, int thread, uint64_t nr)
{
	rsd_buf_printf(&d->out.buf, "rank %d, thread %d, call %" PRIu64 ":\n", rank, thread, nr);
	show_side(d, &d->a, '<');
	show_side(d, &d->b, '>');
	show_stacks(d);
}

static void diff_thread(struct diff *d, int rank, int thread)
{
	uint64_t nr = 0;

	if (!d->opt->leave_out && rsd_alike_thread(d->same, d->a.t, d->b.t, rank, thread))
		return;
	start(&d->a, rank, thread);
	start(&d->b, rank, thread);
	do {
		next_wanted(&d->a, d->opt);
		next(&d->b);
		pass_lacking(d);
		nr++;
		rsd_progress_step(&d->progress, 1);
	} while (!d->a.err && !d->b.err && rsd_same_event(d->same, &d->a.e, &d->b.e));
	if (is_broken(&d->a, rank) || is_broken(&d->b, rank))
		d->broken = true;
	else if ((!d->a.err || !d->b.err) && d->found++ < d->opt->max)
		show_difference(d, rank, thread, nr);
	rsd_walk_free(d->a.w);
	rsd_walk_free(d->b.w);
}

/* ---- ranks and threads
 * ---------------------------------------------------------------------------- */

/* Threads of either side, each once. */
static void diff_rank(struct diff *d, int rank)
{
	int *a = NULL, *b = NULL;
	size_t nr_a = 0, nr_b = 0, i = 0, k = 0;

	if (rsd_trace_threads(d->a.t, rank, &a, &nr_a) ||
		rsd_trace_threads(d->b.t, rank, &b, &nr_b)) {
		rsd_tool_error("out of memory");
		d->broken = true;
	}
	while ((i < nr_a || k < nr_b) && d->found <= d->opt->max && !d->broken) {
		int thread = k == nr_b || (i < nr_a && a[i] < b[k]) ? a[i] : b[k];

		diff_thread(d, rank, thread);
		i += i < nr_a && a[i] == thread;
		k += k < nr_b && b[k] == thread;
	}
	free(a);
	free(b);
}

static void diff_ranks(struct diff *d, const struct rsd_ranks *all)
{
	rsd_progress_begin(&d->progress, "events", 0);
	for (int r = rsd_ranks_first(all); r >= 0; r = rsd_ranks_next(all, r)) {
		if (d->opt->rank >= 0 && r != d->opt->rank)
			continue;
		diff_rank(d, r);
		if (d->broken || d->found > d->opt->max || !rsd_out_more(&d->out))
			break;
	}
	rsd_progress_end(&d->progress);
}

static void show_end(struct diff *d)
{
	if (d->found > d->opt->max)
		rsd_buf_printf(&d->out.buf, "... and more%s\n",
			d->opt->hints ? " (--max=N shows N of them)" : "");
	if (d->only_stacks && d->opt->hints)
		rsd_buf_printf(&d->out.buf, "Some calls differ in their stacks only: "
					    "--ignore-sites compares without these.\n");
}

/* False: out of memory. */
static bool prepare(struct side *s, const struct rsd_source_options *o)
{
	s->f = rsd_format_open(s->t, o, &s->sources);
	return s->f != NULL;
}

static int compare(struct diff *d)
{
	struct rsd_ranks all = RSD_RANKS_INIT;

	if (!prepare(&d->a, &d->opt->source) || !prepare(&d->b, &d->opt->source) || !d->same ||
		rsd_ranks_union(&all, &d->a.t->ranks, &d->b.t->ranks)) {
		rsd_tool_error("out of memory");
		rsd_ranks_release(&all);
		return RSD_EXIT_ERROR;
	}
	if (d->a.t->nprocs != d->b.t->nprocs) {
		rsd_buf_printf(
			&d->out.buf, "processes:\n< %d\n> %d\n", d->a.t->nprocs, d->b.t->nprocs);
		d->found++;
	}
	diff_ranks(d, &all);
	rsd_ranks_release(&all);
	if (d->broken)
		return RSD_EXIT_ERROR;
	show_end(d);
	return d->found ? RSD_EXIT_NO : RSD_EXIT_OK;
}

int rsd_compare(const char *path_a, const char *path_b, const struct rsd_compare_options *opt)
{
	struct diff diff = { .a.path = path_a, .b.path = path_b, .out = RSD_OUT_INIT, .opt = opt },
		    *d = &diff;
	int code = RSD_EXIT_ERROR;

	d->a.t = rsd_tool_load(d->a.path);
	d->b.t = d->a.t ? rsd_tool_load(d->b.path) : NULL;
	if (d->b.t && rsd_tool_has_rank(d->a.t, d->a.path, opt->rank) &&
		rsd_tool_has_rank(d->b.t, d->b.path, opt->rank)) {
		d->same = rsd_same_new(d->a.t, d->b.t, opt->ignore_sites);
		code = compare(d);
	}
	rsd_same_free(d->same);
	rsd_format_free(d->a.f);
	rsd_format_free(d->b.f);
	rsd_sources_free(d->a.sources);
	rsd_sources_free(d->b.sources);
	rsd_trace_free(d->a.t);
	rsd_trace_free(d->b.t);
	return rsd_out_end(&d->out, code);
}
