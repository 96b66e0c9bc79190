#include <stdlib.h>

#include "call.h"
#include "call_values.h"
#include "checkpoint.h"
#include "clock.h"
#include "guide.h"
#include "level.h"
#include "nesting.h"
#include "runtime.h"
#include "wrap_special.h"

/* The stack signature; false: the call is the MPI library's own business. */
static bool find_caller(struct rsd_call *c, struct rsd_thread *t)
{
	enum rsd_stack_mode mode = c->recorded ? rsd_rt.config.stack : RSD_STACK_OFF;

	if (!t->guided)
		return rsd_unwind(
			&t->unwinder, c->caller, c->frame, t->open, t->depth, mode, &c->sig);
	/* A replay's own call, wherever it seems to come from. */
	t->guided = false;
	if (t->site == RSD_GUIDE_OWN)
		c->recorded = false;
	c->sig = mode == RSD_STACK_OFF || t->site < 0 ? -1 : t->site;
	return true;
}

bool rsd_call_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = rsd_thread_self();
	const struct rsd_runtime *rt = &rsd_rt;
	int saved_errno;
	bool followed;

	if (!t || t->inside)
		return false;
	saved_errno = *t->error;
	t->inside = true;
	rsd_checkpoint_gate(t);
	if (t->depth)
		rsd_nesting_settle(t, frame);
	if (!rt->in_mpi)
		rsd_init_unseen();
	c->t = t;
	c->caller = caller;
	c->frame = frame;
	c->recorded = !t->stopped && rt->wanted[func] && (!rt->paused || rt->all);
	followed = find_caller(c, t);
	*t->error = saved_errno;
	if (!followed) {
		rsd_checkpoint_leave(t);
		return false;
	}
	c->func = func;
	c->ret = 0;
	c->results = false;
	c->saved_errno = saved_errno;
	c->t0 = c->t1 = 0;
	c->pre = c->taken = t->nr_saved;
	c->req = t->nr_offsets;
	c->nr_req = 0;
	c->val = t->nr_val;
	c->nested = t->depth;
	c->many = NULL;
	c->at = c->end = NULL;
	return true;
}

void rsd_call_enter(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;

	t->nr_val = c->put = c->val + rsd_nr_values(c);
	if (c->nested < RSD_TRACE_MAX_NESTED) { /* what is deeper yet counts as that deep */
		t->open[c->nested] = (struct rsd_open){
			.frame = c->frame,
			.caller = c->caller,
			.values = c->val,
			.saved = c->pre,
			.offsets = c->req,
			.many = c->many,
		};
		t->depth = c->nested + 1;
	}
	if (rsd_rt.config.time != RSD_TIME_OFF)
		c->t0 = rsd_clock_ticks();
	rsd_checkpoint_leave(t);
	*t->error = c->saved_errno;
}

void rsd_call_leave(struct rsd_call *c, int ret)
{
	struct rsd_thread *t = c->t;

	c->saved_errno = *t->error;
	t->inside = true;
	if (rsd_rt.config.time != RSD_TIME_OFF)
		c->t1 = rsd_clock_ticks();
	rsd_checkpoint_gate(t);
	t->depth = c->nested;
	rsd_values_set(c, c->put);
	c->ret = ret;
	c->results = ret == MPI_SUCCESS || rsd_error_class(ret) == MPI_ERR_IN_STATUS;
	if (c->func == rsd_rt.func_cancel)
		rsd_rt.cancels = true;
	if (c->func == rsd_rt.func_session_init && ret == MPI_SUCCESS)
		rsd_session_seen();
}

/* Hands the event of this call to the level. */
static void take_event(struct rsd_thread *t, const struct rsd_call *c)
{
	uint64_t begin = !rsd_clock.exact || c->t0 > t->end ? c->t0 : t->end,
		 before = rsd_clock_span(t->end, begin), dur = rsd_clock_span(begin, c->t1);
	const int64_t *val = t->val + c->val;
	size_t nr = rsd_nr_values(c);
	int place, err;

	place = rsd_stream_place(&t->stream, c->func, c->sig, c->nested);
	if (place < 0)
		err = place;
	else
		err = rsd_level_event(t, place, val, nr, before, dur);
	if (err)
		rsd_thread_stop(t, err);
	else
		t->nr_events++;
}

/*
 * Does the time before the next call begin at the end of this one? Without clock readings of its own a nested call may not
 * move it. Where every time is kept, all that passes between two calls of the trace is in it: their sum is the time.
 */
static bool is_end(const struct rsd_thread *t, const struct rsd_call *c)
{
	return rsd_clock.exact ? c->recorded && c->t1 > t->end : c->t1 != 0;
}

void rsd_call_end(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;

	if (c->recorded && !t->stopped) {
		if (c->ret == MPI_SUCCESS)
			rsd_put(c, 0);
		else
			rsd_put_error(c, c->ret);
		if (c->recorded && !t->stopped) /* still: there may have been too many values */
			take_event(t, c);
	}
	if (is_end(t, c))
		t->end = c->t1;
	t->nr_val = c->val;
	t->nr_saved = c->pre;
	t->nr_offsets = c->req;
	if (c->many == t->status)
		t->status_lent = false;
	else
		free(c->many);
	rsd_checkpoint_leave(t);
	*t->error = c->saved_errno;
}
