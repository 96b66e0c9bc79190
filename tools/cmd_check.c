/* cmd_check.c - rsd check: reads everything, checks sums and invariants, says whether the trace is
 * complete */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "failures.h"
#include "scan.h"
#include "tally.h"
#include "tool.h"
#include "util.h"
#include "walk.h"

#define WALK_LIMIT 10000000 /* events that are walked without being asked to */

static const char help[] =
	"usage: rsd check [OPTION]... TRACE\n"
	"\n"
	"Reads the whole trace, checks sums and invariants, and says whether it is complete, or\n"
	"what is missing. Loops and columns are held against each other by counting; traces of up "
	"to\n"
	"ten million events are also walked, event by event.\n"
	"\n"
	"  -w, --walk   walk all events, however many there are\n"
	"  -h, --help   this text\n"
	"\n"
	"Exit status: 0 complete, 1 not complete or contradictory, 2 can't be read.\n";

struct check {
	const struct rsd_trace *t;
	struct rsd_out out;
	struct rsd_progress progress;
	uint64_t events;
	bool contradictory;
	struct rsd_ranks paused; /* ranks that stopped recording for a while */
	struct rsd_failures failures;
};

static void contradiction(struct check *c, int rank, const char *text, size_t len)
{
	rsd_buf_printf(&c->out.buf, "contradictory: rank %d: %.*s\n", rank, (int)len, text);
	c->contradictory = true;
}

/* ---- calls that were left out on purpose ---------------------------------------------------- */

static int has_zero(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	(void)arg;
	if (!stride)
		return start == 0;
	return start % stride == 0 && start / stride <= 0 && (uint64_t) - (start / stride) < count;
}

static bool is_pcontrol(const struct check *c, int func)
{
	return strcmp(c->t->func[func].name, "MPI_Pcontrol") == 0;
}

static int add_paused(struct check *c, int rank)
{
	return rsd_ranks_has(&c->paused, rank) ? 0 : rsd_ranks_append(&c->paused, rank);
}

/* MPI_Pcontrol(0) is recorded itself. */
static int note_pauses(struct check *c, int rank)
{
	int err = 0;

	for (size_t i = 0; i < c->t->nr_places && !err; i++) {
		const struct rsd_place *p = &c->t->place[i];
		struct rsd_column *level = NULL;
		enum rsd_encoding enc;

		if (!is_pcontrol(c, p->func) || !p->col)
			continue;
		err = rsd_params_get(&p->col[0], rank, &enc, &level);
		if (err == RSD_ERR_END)
			err = 0;
		else if (!err && rsd_column_each(level, has_zero, NULL))
			err = add_paused(c, rank);
		rsd_column_free(level);
	}
	return err;
}

/* Why calls have no call site, where they have none. */
static void report_sites(struct check *c)
{
	const char *stack = rsd_trace_get_meta(c->t, "stack");
	size_t nr = 0;

	if (!stack)
		return;
	for (size_t i = 0; i < c->t->nr_places; i++)
		nr += c->t->place[i].sig < 0;
	if (strcmp(stack, "off") == 0)
		rsd_buf_printf(&c->out.buf, "no call sites (RECORD_STACK=off)\n");
	else if (nr)
		rsd_buf_printf(&c->out.buf,
			"no call site at %zu place%s: nothing of the program was on the stack\n",
			nr, nr == 1 ? "" : "s");
}

/* What is complete need not be all that the program did. With RECORD_CALLS=all nothing stops recording. */
static void report_left_out(struct check *c)
{
	const char *calls = rsd_trace_get_meta(c->t, "calls"), *less = rsd_tool_not_recorded(c->t);

	if (less) {
		rsd_buf_printf(&c->out.buf, "restricted: calls ");
		rsd_scan_put_shown(&c->out.buf, less);
		rsd_buf_printf(&c->out.buf, " (RECORD_CALLS)\n");
	}
	if (rsd_ranks_is_empty(&c->paused) || (calls && strcmp(calls, "all") == 0))
		return;
	rsd_buf_printf(&c->out.buf, "paused: on ");
	rsd_ranks_show(&c->paused, &c->out.buf);
	rsd_buf_printf(&c->out.buf, " (MPI_Pcontrol)\n");
}

/* ---- counting, walking -------------------------------------------------------------------- */

/* What a rank's own numbers make of a column may be none: a value alone that has a step. */
static const char no_column[] = "its numbers do not fit the column that they are of";

static int count(struct check *c)
{
	struct rsd_tally y;
	int err = rsd_tally_init(&y, c->t), rank = rsd_ranks_first(&c->t->ranks);
	uint64_t events;

	rsd_progress_begin(&c->progress, "counting", rsd_ranks_count(&c->t->ranks));
	for (; rank >= 0 && !err; rank = rsd_ranks_next(&c->t->ranks, rank)) {
		err = rsd_tally_rank(&y, rank, &events);
		c->events += err ? 0 : events;
		if (err == RSD_ERR_MISMATCH)
			contradiction(c, rank, (const char *)y.why.data, y.why.len);
		else if (err == RSD_ERR_FORMAT)
			contradiction(c, rank, no_column, strlen(no_column));
		else if (!err &&
			 !c->t->nr_logs) /* else they are found walking, which all ranks are */
			err = note_pauses(c, rank);
		rsd_progress_step(&c->progress, 1);
	}
	rsd_progress_end(&c->progress);
	rsd_tally_release(&y);
	return err == RSD_ERR_MISMATCH || err == RSD_ERR_FORMAT ? 0 : err;
}

/* A walk ends where the rank's columns are used up, exactly, or finds fault. */
static int walk_thread(struct check *c, int rank, int thread, uint64_t *events)
{
	struct rsd_walk *w;
	struct rsd_event e;
	const char *why;
	int err = rsd_walk_new(&w, c->t, rank, thread);

	if (err == RSD_ERR_FORMAT)
		contradiction(c, rank, no_column, strlen(no_column));
	if (err)
		return err == RSD_ERR_END || err == RSD_ERR_FORMAT ? 0 : err;
	while (!(err = rsd_walk_next(w, &e))) {
		++*events;
		if (c->t->nr_logs && is_pcontrol(c, e.func) && e.nr_val && e.val[0] == 0)
			err = add_paused(c, rank);
		if (err)
			break;
		rsd_progress_step(&c->progress, 1);
	}
	if (err == RSD_ERR_FORMAT) {
		why = rsd_tool_walk_error(w, err);
		contradiction(c, rank, why, strlen(why));
	}
	rsd_walk_free(w);
	return err == RSD_ERR_END || err == RSD_ERR_FORMAT ? 0 : err;
}

static int walk_rank(struct check *c, int rank, uint64_t *events)
{
	size_t nr;
	int *thread, err = rsd_trace_threads(c->t, rank, &thread, &nr);

	for (size_t i = 0; i < nr && !err && !c->contradictory; i++)
		err = walk_thread(c, rank, thread[i], events);
	free(thread);
	return err;
}

static int walk(struct check *c)
{
	uint64_t events = 0;
	int err = 0, rank = rsd_ranks_first(&c->t->ranks);

	rsd_progress_begin(&c->progress, "walking", c->events);
	for (; rank >= 0 && !err && !c->contradictory; rank = rsd_ranks_next(&c->t->ranks, rank))
		err = walk_rank(c, rank, &events);
	rsd_progress_end(&c->progress);
	if (!err && !c->contradictory && !c->t->nr_logs && events != c->events) {
		rsd_buf_printf(&c->out.buf,
			"contradictory: %" PRIu64 " events walked, %" PRIu64 " counted\n", events,
			c->events);
		c->contradictory = true;
	}
	if (c->t->nr_logs)
		c->events = events;
	return err;
}

/* True where all ranks of the run are there and none of them says that it is cut short. */
static bool report(struct check *c)
{
	const struct rsd_trace *t = c->t;
	struct rsd_ranks all = RSD_RANKS_INIT, missing = RSD_RANKS_INIT;
	size_t nr = rsd_ranks_count(&t->ranks);
	bool complete = t->complete && nr == (size_t)t->nprocs;

	if (!t->complete) {
		rsd_buf_printf(&c->out.buf, "incomplete: ");
		rsd_scan_put_shown(&c->out.buf, t->incomplete_why
							? t->incomplete_why
							: "not every rank reached MPI_Finalize");
		rsd_buf_put_byte(&c->out.buf, '\n');
	}
	if (nr < (size_t)t->nprocs && !rsd_ranks_append_range(&all, 0, t->nprocs) &&
		!rsd_ranks_minus(&missing, &all, &t->ranks)) {
		rsd_buf_printf(&c->out.buf, "missing: ");
		rsd_ranks_show(&missing, &c->out.buf);
		rsd_buf_printf(&c->out.buf, " of %d\n", t->nprocs);
	}
	rsd_ranks_release(&all);
	rsd_ranks_release(&missing);
	if (c->contradictory)
		return false;
	report_left_out(c);
	report_sites(c);
	if (c->failures.calls) {
		rsd_failures_put_number(&c->failures, &c->out.buf);
		rsd_buf_printf(&c->out.buf, " (rsd stats says which)\n");
	}
	rsd_buf_printf(&c->out.buf, "%s: %zu rank%s, %" PRIu64 " event%s\n",
		complete ? "complete" : "has", nr, nr == 1 ? "" : "s", c->events,
		c->events == 1 ? "" : "s");
	return complete;
}

/*
 * Columns that are kept as histograms; and whether these have what the columns draw from them. What is looked at after that is
 * what was drawn: loops do not run so often before.
 */
static int check_scalars(struct check *c, struct rsd_trace *t)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err;

	rsd_buf_printf(&c->out.buf, "lossy: ");
	rsd_scalars_list(t, &c->out.buf);
	rsd_buf_printf(&c->out.buf, " (RECORD_HISTO)\n");
	err = rsd_scalars_draw(t, &why);
	if (err == RSD_ERR_FORMAT) {
		rsd_buf_printf(
			&c->out.buf, "contradictory: %.*s\n", (int)why.len, (const char *)why.data);
		c->contradictory = true;
	} else if (err == RSD_ERR_RANGE) {
		rsd_buf_printf(
			&c->out.buf, "not drawn: %.*s\n", (int)why.len, (const char *)why.data);
	}
	rsd_buf_release(&why);
	/* Without their counts, nothing can be said of what is in loops. */
	return err == RSD_ERR_NOMEM || (err && rsd_trace_has_whole_scalars(t)) ? err : 0;
}

static int check(struct rsd_trace *t, const char *path, bool all)
{
	struct check c = { .t = t, .out = RSD_OUT_INIT, .paused = RSD_RANKS_INIT };
	int err = rsd_trace_has_scalars(t) ? check_scalars(&c, t) : 0, code;

	if (!err && !c.contradictory)
		err = count(&c);
	if (!err && !c.contradictory && (all || t->nr_logs || c.events <= WALK_LIMIT))
		err = walk(&c);
	if (!err && !c.contradictory)
		err = rsd_failures_collect(&c.failures, t);
	if (err) {
		rsd_tool_error("%s: %s", path, rsd_strerror(err));
		code = RSD_EXIT_ERROR;
	} else {
		code = report(&c) ? RSD_EXIT_OK : RSD_EXIT_NO;
	}
	rsd_ranks_release(&c.paused);
	rsd_failures_release(&c.failures);
	return rsd_out_end(&c.out, code);
}

int rsd_cmd_check(int argc, char **argv)
{
	static const struct option option[] = {
		{ "walk", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct rsd_trace *t;
	const char *path;
	bool all = false;
	int c, code;

	while ((c = getopt_long(argc, argv, ":wh", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c != 'w')
			return rsd_tool_bad_option(c, argv);
		all = true;
	}
	if (!(path = rsd_tool_operand(argc, argv)) || !(t = rsd_tool_load_as_is(path)))
		return RSD_EXIT_ERROR;
	code = check(t, path, all);
	rsd_trace_free(t);
	return code;
}
