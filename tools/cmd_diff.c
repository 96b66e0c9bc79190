/* cmd_diff.c - rsd diff: compares two traces rank by rank, call by call */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include "format.h"
#include "same.h"
#include "tool.h"
#include "util.h"
#include "walk.h"

static const char help[] =
	"usage: rsd diff [OPTION]... A B\n"
	"\n"
	"Compares two traces rank by rank and thread by thread, call by call, arguments, results\n"
	"and call stacks; time is not compared. Shows where each thread differs first.\n"
	"\n"
	"  -i, --ignore-sites  compare calls and arguments only\n"
	"  -r, --rank=R        only rank R\n"
	"  -m, --max=N         stop after N differences (10)\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 0 equal, 1 different, 2 a trace can't be read.\n";

struct side {
	const char *path;
	struct rsd_trace *t;
	struct rsd_format *f;
	struct rsd_walk *w;
	struct rsd_event e;
	int err; /* of the last step: 0, RSD_ERR_END, or trouble */
};

struct diff {
	struct side a, b;
	struct rsd_same *same;
	struct rsd_out out;
	int64_t rank, max, found;
	bool broken; /* a message has been printed: exit code 2 */
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

/* Where the events read alike the stacks are what tells them apart. */
static void show_stacks(struct diff *d)
{
	if (d->a.err || d->b.err || !rsd_same_values(d->same, &d->a.e, &d->b.e))
		return;
	rsd_buf_printf(&d->out.buf, "  stacks ");
	rsd_format_stack(d->a.f, d->a.e.sig, RSD_STYLE_TEXT, &d->out.buf);
	rsd_buf_printf(&d->out.buf, "\n     and ");
	rsd_format_stack(d->b.f, d->b.e.sig, RSD_STYLE_TEXT, &d->out.buf);
	rsd_buf_put_byte(&d->out.buf, '\n');
}

static void show_difference(struct diff *d, int rank, int thread, uint64_t nr)
{
	d->found++;
	rsd_buf_printf(&d->out.buf, "rank %d, thread %d, call %" PRIu64 ":\n", rank, thread, nr);
	show_side(d, &d->a, '<');
	show_side(d, &d->b, '>');
	show_stacks(d);
}

static void diff_thread(struct diff *d, int rank, int thread)
{
	uint64_t nr = 0;

	start(&d->a, rank, thread);
	start(&d->b, rank, thread);
	do {
		next(&d->a);
		next(&d->b);
		nr++;
		rsd_progress_step(&d->progress, 1);
	} while (!d->a.err && !d->b.err && rsd_same_event(d->same, &d->a.e, &d->b.e));
	if (is_broken(&d->a, rank) || is_broken(&d->b, rank))
		d->broken = true;
	else if (!d->a.err || !d->b.err)
		show_difference(d, rank, thread, nr);
	rsd_walk_free(d->a.w);
	rsd_walk_free(d->b.w);
}

/* ---- ranks and threads
 * ---------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static size_t threads_of(const struct side *s, int rank, int *thread, size_t max)
{
	return rsd_ranks_has(&s->t->ranks, rank) ? rsd_trace_threads(s->t, rank, thread, max) : 0;
}

/* Threads of either side, each once. */
static void diff_rank(struct diff *d, int rank)
{
	size_t nr_a = threads_of(&d->a, rank, NULL, 0), nr_b = threads_of(&d->b, rank, NULL, 0);
	int *thread = rsd_malloc((nr_a + nr_b + 1) * sizeof(*thread));

	if (!thread) {
		rsd_tool_error("out of memory");
		d->broken = true;
		return;
	}
	threads_of(&d->a, rank, thread, nr_a);
	threads_of(&d->b, rank, thread + nr_a, nr_b);
	qsort(thread, nr_a + nr_b, sizeof(*thread), compare_ints);
	for (size_t i = 0; i < nr_a + nr_b && d->found < d->max && !d->broken; i++)
		if (!i || thread[i] != thread[i - 1])
			diff_thread(d, rank, thread[i]);
	free(thread);
}

static void diff_ranks(struct diff *d, const struct rsd_ranks *all)
{
	rsd_progress_begin(&d->progress, "events", 0);
	for (int r = rsd_ranks_first(all); r >= 0; r = rsd_ranks_next(all, r)) {
		if (d->rank >= 0 && r != d->rank)
			continue;
		diff_rank(d, r);
		if (d->broken || d->found >= d->max || !rsd_out_more(&d->out))
			break;
	}
	rsd_progress_end(&d->progress);
}

static int compare(struct diff *d)
{
	struct rsd_ranks all = RSD_RANKS_INIT;

	d->a.f = rsd_format_new(d->a.t);
	d->b.f = rsd_format_new(d->b.t);
	if (!d->a.f || !d->b.f || !d->same ||
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
	return d->found ? RSD_EXIT_NO : RSD_EXIT_OK;
}

static int load_and_compare(struct diff *d, bool ignore_sites)
{
	int code = RSD_EXIT_ERROR;

	d->a.t = rsd_tool_load(d->a.path);
	d->b.t = d->a.t ? rsd_tool_load(d->b.path) : NULL;
	if (d->b.t && rsd_tool_has_rank(d->a.t, d->a.path, d->rank) &&
		rsd_tool_has_rank(d->b.t, d->b.path, d->rank)) {
		d->same = rsd_same_new(d->a.t, d->b.t, ignore_sites);
		code = compare(d);
	}
	rsd_same_free(d->same);
	rsd_format_free(d->a.f);
	rsd_format_free(d->b.f);
	rsd_trace_free(d->a.t);
	rsd_trace_free(d->b.t);
	return rsd_out_end(&d->out, code);
}

int rsd_cmd_diff(int argc, char **argv)
{
	static const struct option option[] = {
		{ "ignore-sites", no_argument, NULL, 'i' },
		{ "rank", required_argument, NULL, 'r' },
		{ "max", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct diff d = { .out = RSD_OUT_INIT, .rank = -1, .max = 10 };
	bool ignore_sites = false;
	int c;

	while ((c = getopt_long(argc, argv, ":ir:m:h", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == 'i')
			ignore_sites = true;
		else if (c == 'r' && !rsd_tool_number("--rank", optarg, 0, INT_MAX, &d.rank))
			return RSD_EXIT_ERROR;
		else if (c == 'm' && !rsd_tool_number("--max", optarg, 1, INT64_MAX, &d.max))
			return RSD_EXIT_ERROR;
		else if (c == '?' || c == ':')
			return rsd_tool_bad_option(c, argv);
	}
	if (argc - optind != 2)
		return rsd_tool_error("two traces are needed (see --help)");
	d.a.path = argv[optind];
	d.b.path = argv[optind + 1];
	return load_and_compare(&d, ignore_sites);
}
