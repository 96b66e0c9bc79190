#include "player.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "clock.h"
#include "files.h"
#include "optab.h"
#include "left_out.h"
#include "own_calls.h"
#include "pace.h"
#include "threads.h"
#include "util.h"
#include "watchdog.h"

bool rsd_play_recorded;
static _Thread_local struct rsd_play *self;

struct rsd_play *rsd_play_self(void)
{
	return self;
}

int rsd_play_place(int func, const char *name)
{
	return rsd_func_find_param(&rsd_funcs[func], name);
}

const struct rsd_arg *rsd_play_named(const struct rsd_play *p, const char *name)
{
	int place = rsd_play_place(p->f->func, name);

	return place < 0 ? NULL : rsd_play_arg(p, place);
}

void rsd_play_give_up(struct rsd_play *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
	siglongjmp(*p->skip, 1);
}

/* ---- one call -------------------------------------------------------------------------- */

static void skip(struct rsd_play *p, const char *why)
{
	rsd_report_skip(&p->r->report, p->r->trace->func[p->e.func].name, why);
}

int rsd_play_signature(const struct rsd_play *p, int sig)
{
	return sig < 0 || !p->r->sig ? -1 : p->r->sig[sig];
}

void rsd_play_enter(struct rsd_play *p)
{
	struct rsd_replay *r = p->r;

	if (r->guide)
		r->guide->at(rsd_play_signature(p, p->e.sig));
	p->armed = true;
	atomic_store_explicit(&p->entered_ns, rsd_replay_clock_ns(), memory_order_relaxed);
}

bool rsd_play_leave(struct rsd_play *p, int ret)
{
	uint64_t now = rsd_replay_clock_ns();
	uint64_t entered = atomic_load_explicit(&p->entered_ns, memory_order_relaxed);

	p->armed = false;
	atomic_store_explicit(&p->entered_ns, 0, memory_order_relaxed);
	p->left_ns = now;
	rsd_report_call(&p->r->report, p->f->func, now - entered);
	if (ret != MPI_SUCCESS && !rsd_play_failed(p))
		rsd_report_skip(&p->r->report, rsd_funcs[p->f->func].name,
			"returned an error, other than in the traced run");
	if (p->requests.now.nr_seen)
		rsd_play_settle_requests(p);
	return ret == MPI_SUCCESS;
}

/* The error class the call returned in the traced run, its last value. */
bool rsd_play_failed(const struct rsd_play *p)
{
	return p->e.val[p->e.nr_val - 1] != 0;
}

static void split(struct rsd_play *p)
{
	rsd_own_calls_split(&p->r->trace->func[p->e.func], p->e.val, p->arg);
}

/*
 * Where sizes are drawn from histograms, a message may be longer than the one of the traced run, by the spread of a
 * group, and a receive's own count shorter: it makes room for both. What is sent is as drawn.
 */
static void make_room(struct rsd_play *p)
{
	const struct rsd_func *f = &p->r->trace->func[p->e.func];
	int64_t *count;
	double more;

	if (p->r->room <= 1 || f->class != RSD_C_P2P || f->recv_count < 0 ||
		f->recv_count == f->sent_count || f->param[f->recv_count].type != RSD_T_INT)
		return;
	count = &p->arg[f->recv_count].head;
	more = (double)*count * p->r->room + 1;
	if (*count > 0 && more < INT_MAX)
		*count = (int64_t)more;
}

/* Things to be done around the calls that start and end MPI. */
static void before_call(struct rsd_play *p)
{
	if (p->f->func == RSD_F_MPI_Finalize && p->thread == 0)
		rsd_replay_finish(p->r);
}

static void after_call(struct rsd_play *p)
{
	if (p->f->func == RSD_F_MPI_Init || p->f->func == RSD_F_MPI_Init_thread)
		rsd_replay_started(p->r);
	if (p->f->func == RSD_F_MPI_Finalize)
		p->r->finalized = true;
}

static void play_call(struct rsd_play *p)
{
	const char *why;

	p->f = &p->r->func[p->e.func];
	p->requests.now.counted = false;
	rsd_graphs_see(p->graphs, &p->e);
	why = rsd_left_out(p->r->trace, &p->e, p->f->func);
	if (why) {
		rsd_play_leave_out(p, &p->e, why);
		return;
	}
	split(p);
	make_room(p);
	if (!p->e.nested)
		rsd_pace(p);
	before_call(p);
	p->f->call(p);
	rsd_play_end_request(p);
	after_call(p);
	rsd_scratch_reset(&p->scratch);
	if (p->e.has_time)
		rsd_report_recorded(&p->r->report, p->f->func, &p->e);
}

void rsd_play_leave_out(struct rsd_play *p, const struct rsd_event *e, const char *why)
{
	p->e = *e;
	split(p);
	p->requests.now.counted = false;
	rsd_play_end_request(p);
	skip(p, why);
}

static void play_or_give_up(struct rsd_play *p)
{
	sigjmp_buf here, *const outer = p->skip;

	p->skip = &here;
	if (!sigsetjmp(here, 0)) {
		play_call(p);
	} else {
		skip(p, p->why);
		rsd_play_end_request(p);
		p->armed = false;
		rsd_play_settle_requests(p);
		rsd_scratch_reset(&p->scratch);
	}
	p->skip = outer;
}

/* ---- one in the middle of another --------------------------------------------------------- */

struct outer { /* what is the present call's */
	struct rsd_event e;
	const struct rsd_play_func *f;
	struct rsd_arg *arg;
	bool armed;
	struct rsd_scratch scratch;
	struct rsd_call_requests requests;
	MPI_Status status;
	int64_t freeing;
	uint64_t entered_ns;
};

static struct outer put_aside(struct rsd_play *p)
{
	struct outer o = { p->e, p->f, p->arg, p->armed, p->scratch, p->requests.now, p->status,
		p->freeing, atomic_load_explicit(&p->entered_ns, memory_order_relaxed) };

	p->scratch = (struct rsd_scratch){ NULL, NULL };
	p->requests.now = (struct rsd_call_requests){ .made = NULL };
	return o;
}

static void take_back(struct rsd_play *p, const struct outer *o)
{
	free(p->requests.now.seen);
	p->requests.now = o->requests;
	rsd_scratch_release(&p->scratch);
	p->scratch = o->scratch;
	p->status = o->status;
	p->freeing = o->freeing;
	p->e = o->e;
	p->f = o->f;
	p->arg = o->arg;
	p->armed = o->armed;
	atomic_store_explicit(&p->entered_ns, o->entered_ns, memory_order_relaxed);
}

void rsd_play_inner(struct rsd_play *p, const struct rsd_event *e)
{
	struct outer o = put_aside(p);

	p->requests.now.outer = &o.requests;
	p->e = *e;
	p->arg = rsd_calloc((size_t)p->r->trace->func[e->func].nr_params + 1, sizeof(*p->arg));
	if (p->arg)
		play_or_give_up(p);
	else
		skip(p, "no memory for its arguments");
	free(p->arg);
	take_back(p, &o);
}

/* ---- a thread ---------------------------------------------------------------------------- */

static void play_all(struct rsd_play *p)
{
	int err;

	if (!p->walk)
		return;
	while (!(err = rsd_walk_next(p->walk, &p->e))) {
		if (rsd_callbacks_take(p))
			continue;
		rsd_order_before_call(p);
		rsd_callbacks_begin(p);
		play_or_give_up(p);
		rsd_callbacks_end(p);
		rsd_order_after_calls(p, 1);
	}
	rsd_callbacks_begin(p);
	rsd_callbacks_end(p);
	if (err != RSD_ERR_END)
		rsd_replay_say(p->r, "the trace is damaged: %s",
			err == RSD_ERR_FORMAT ? rsd_walk_error(p->walk) : rsd_strerror(err));
}

static void *play_thread(void *arg)
{
	struct rsd_play *p = arg;
	int err;

	self = p;
	p->left_ns = rsd_replay_clock_ns();
	if (p->r->guide)
		p->r->guide->thread(p->thread);
	rsd_threads_wait_for_mpi(p);
	err = p->arg ? 0 : rsd_replay_open(p);
	if (err)
		rsd_replay_say(p->r, "the calls of thread %d are not played: %s", p->thread,
			rsd_strerror(err));
	else
		play_all(p);
	if (p != p->r->play)
		rsd_replay_close(p);
	rsd_threads_ended(p);
	return NULL;
}

/* ---- the process ----------------------------------------------------------------------------- */

void rsd_replay_say(const struct rsd_replay *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "rsd-replay: rank %d: %s\n", r->rank, text);
}

void rsd_replay_be_heard(void)
{
	const struct timespec a_moment = { .tv_nsec = 200 * 1000 * 1000 };

	fflush(NULL);
	nanosleep(&a_moment, NULL);
}

void rsd_replay_abort(void)
{
	rsd_replay_be_heard();
	PMPI_Abort(MPI_COMM_WORLD, 2);
}

/* MPI has started: is everything as the launcher promised? */
void rsd_replay_started(struct rsd_replay *r)
{
	int rank, size;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank != r->rank || size != r->nprocs) {
		rsd_replay_say(r,
			"MPI says that this is rank %d of %d, but it was started as rank %d of %d",
			rank, size, r->rank, r->nprocs);
		rsd_replay_abort();
	}
	rsd_threads_mpi_started(r);
	rsd_files_start(r);
}

static uint64_t mapped(const struct rsd_replay *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->nr_plays; i++)
		sum += r->play[i].buffers.mapped;
	return sum;
}

/*
 * What will be left out of the calls inside MPI_Finalize and after it has to be told before: the
 * report needs MPI. These calls are ahead of the player.
 */
static void skip_late(struct rsd_replay *r)
{
	const struct rsd_trace *t = r->trace;
	struct rsd_walk *w;
	struct rsd_event e;
	bool late = false;

	if (!rsd_has_late_calls(t) || rsd_walk_new(&w, t, r->rank, r->play[0].thread))
		return;
	while (!rsd_walk_next(w, &e)) {
		int func = r->func[e.func].func;
		const char *why = e.nested ? "called from a callback" : rsd_left_out(t, &e, func);

		if (late && why)
			rsd_report_skip(&r->report, t->func[e.func].name, why);
		if (func == RSD_F_MPI_Finalize)
			late = true;
	}
	rsd_walk_free(w);
}

/* The main thread is about to call MPI_Finalize: the others have to be at their end. */
void rsd_replay_finish(struct rsd_replay *r)
{
	rsd_threads_join_all(r);
	skip_late(r);
	r->report.mapped = mapped(r);
	r->skipped = rsd_report_print(&r->report, r->trace, r->rank, r->nprocs, r->opt.quiet);
	rsd_files_finish(r);
}

static int start_mpi(struct rsd_replay *r)
{
	int required = r->nr_plays > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, provided;

	if (r->guide)
		r->guide->at(RSD_GUIDE_OWN);
	if ((rsd_play_recorded ? MPI_Init_thread : PMPI_Init_thread)(
		    NULL, NULL, required, &provided)) {
		rsd_replay_say(r, "MPI_Init_thread failed");
		return -1;
	}
	rsd_replay_started(r);
	return 0;
}

int rsd_replay_run(struct rsd_replay *r)
{
	struct rsd_play *main_play = &r->play[0];

	r->report.start_ns = rsd_replay_clock_ns();
	if (r->own_init && start_mpi(r))
		return 2;
	if (rsd_watchdog_start(r))
		rsd_replay_say(r, "cannot start a thread: no call is watched");
	rsd_threads_start(r, play_thread);
	play_thread(main_play);
	if (!r->finalized && r->in_mpi) {
		rsd_replay_finish(r);
		if (r->guide)
			r->guide->at(RSD_GUIDE_OWN);
		(rsd_play_recorded ? MPI_Finalize : PMPI_Finalize)();
		r->finalized = true;
	}
	rsd_watchdog_stop(r);
	return r->skipped ? 1 : 0;
}
