#include <stdlib.h>

#include "call.h"
#include "call_end.h"
#include "call_values.h"
#include "checkpoint.h"
#include "clock.h"
#include "guide.h"
#include "nesting.h"
#include "runtime.h"
#include "wrap_special.h"

/*
 * The functions here come in two forms. What nearly all calls need is a straight line, which calls no other function and
 * so keeps no registers; whatever is not as it mostly is leaves it at its beginning, and is done 'otherwise', in full.
 */

/* ---- begin ------------------------------------------------------------------------------ */

/* Is there nothing to be done for such a call but to record it? Its thread has set 'inside' just now. */
static inline bool is_usual(const struct rsd_thread *t, int func)
{
	const struct rsd_runtime *rt = &rsd_rt;

	atomic_signal_fence(memory_order_seq_cst);
	return !__atomic_load_n(&rt->holding, __ATOMIC_ACQUIRE) && !t->depth && rt->in_mpi &&
	       !t->stopped && !t->guided && rt->wanted[func] == RSD_WANTED && !rt->paused;
}

/* What is the same for all calls; func, sig and whether it is recorded are known. */
static inline __attribute__((always_inline)) void note(
	struct rsd_call *c, struct rsd_thread *t, int func, int sig, int depth)
{
	c->t = t;
	c->func = func;
	c->sig = sig;
	c->nested = depth;
	c->ret = MPI_SUCCESS;
	c->results = false;
	c->start = t->fill;
	c->taken = c->nr_req = 0;
	c->many = NULL;
}

/* begin, up to its end where the call is a usual one from a known place. */
static inline __attribute__((always_inline)) bool begin(
	struct rsd_call *c, struct rsd_thread *t, int func, const void *caller, const void *frame)
{
	int sig;

	if (__builtin_expect(!is_usual(t, func), 0) ||
		!rsd_unwind_known(&t->unwinder, caller, frame, rsd_rt.config.stack, &sig))
		return false;
	note(c, t, func, sig, 0);
	c->recorded = true;
	c->special = false;
	return true;
}

/*
 * The stack signature; false: the call is the MPI library's own business. 'recorded' may be taken back.
 */
static bool find_caller(
	struct rsd_call *c, struct rsd_thread *t, const void *caller, const void *frame, int *sig)
{
	enum rsd_stack_mode mode = c->recorded ? rsd_rt.config.stack : RSD_STACK_OFF;

	if (!t->guided)
		return rsd_unwind(&t->unwinder, caller, frame, t->open, t->depth, mode, sig);
	/* A replay's own call, wherever it seems to come from. */
	t->guided = false;
	if (t->site == RSD_GUIDE_OWN)
		c->recorded = false;
	*sig = mode == RSD_STACK_OFF || t->site < 0 ? -1 : t->site;
	return true;
}

static bool is_of_binding(const void *caller)
{
	const struct rsd_loaded *m = rsd_modules_find((uintptr_t)caller - 1);

	return m && m->owner == RSD_OF_BINDING;
}

static __attribute__((noinline)) bool begin_otherwise(
	struct rsd_call *c, struct rsd_thread *t, int func, const void *caller, const void *frame)
{
	const struct rsd_runtime *rt = &rsd_rt;
	uint8_t about;
	int sig;

	rsd_checkpoint_gate(t);
	if (t->depth)
		rsd_nesting_settle(t, frame);
	if (!rt->in_mpi)
		rsd_init_unseen();
	about = rt->wanted[func];
	c->special = about & RSD_SPECIAL;
	c->recorded = about & RSD_WANTED && !t->stopped && (!rt->paused || rt->all);
	if ((about & RSD_OF_C && is_of_binding(caller)) ||
		!find_caller(c, t, caller, frame, &sig)) {
		*t->error = c->saved_errno;
		rsd_checkpoint_leave(t);
		return false;
	}
	note(c, t, func, sig, t->depth);
	return true;
}

static inline void set_inside(struct rsd_call *c, struct rsd_thread *t)
{
	c->saved_errno = *t->error;
	t->inside = true;
}

/* The calling thread's state, if it is there, and the tracer is not at work already. */
static inline struct rsd_thread *usual_thread(void)
{
	struct rsd_thread *t = rsd_self;

	return __builtin_expect(rsd_rt.phase != RSD_OVER && t && !t->inside, 1) ? t : NULL;
}

/* The same, where it is not there yet. NULL: the call is none of our business. */
static struct rsd_thread *new_thread(void)
{
	struct rsd_thread *t = rsd_thread_self();

	return t && !t->inside ? t : NULL;
}

static __attribute__((noinline)) bool begin_first(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = new_thread();

	if (!t)
		return false;
	set_inside(c, t);
	return begin_otherwise(c, t, func, caller, frame);
}

bool rsd_call_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = usual_thread();

	c->caller = caller;
	c->frame = frame;
	c->at = c->end = NULL;
	if (!t)
		return begin_first(c, func, caller, frame);
	set_inside(c, t);
	return begin(c, t, func, caller, frame) ? true : begin_otherwise(c, t, func, caller, frame);
}

/* ---- enter ------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void enter(struct rsd_call *c, struct rsd_thread *t,
	const void *caller, const void *frame, int depth, uint64_t now)
{
	if (__builtin_expect(depth < RSD_TRACE_MAX_NESTED, 1)) {
		/* What is deeper yet counts as that deep. */
		t->open[depth] = (struct rsd_open){
			.frame = frame,
			.caller = caller,
			.start = c->start,
			.many = c->many,
		};
		t->depth = depth + 1;
	}
	c->t0 = now;
	rsd_checkpoint_leave(t);
	*t->error = c->saved_errno;
}

static inline bool is_timed(void)
{
	return rsd_rt.config.time != RSD_TIME_OFF;
}

static uint64_t now_if_wanted(void)
{
	return is_timed() ? rsd_clock_ticks() : 0;
}

void rsd_call_enter(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;

	t->fill.val = c->put = c->start.val + rsd_nr_values(c);
	enter(c, t, c->caller, c->frame, c->nested, now_if_wanted());
}

static __attribute__((noinline)) bool start_otherwise(
	struct rsd_call *c, struct rsd_thread *t, int func, const void *caller, const void *frame)
{
	if (!begin_otherwise(c, t, func, caller, frame))
		return false;
	c->put = c->start.val;
	enter(c, t, caller, frame, c->nested, now_if_wanted());
	return true;
}

static __attribute__((noinline)) bool start_first(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = new_thread();

	if (!t)
		return false;
	set_inside(c, t);
	return start_otherwise(c, t, func, caller, frame);
}

bool rsd_call_start_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = usual_thread();

	if (!t)
		return start_first(c, func, caller, frame);
	set_inside(c, t);
	if ((is_timed() && !rsd_clock_is_counter()) || !begin(c, t, func, caller, frame))
		return start_otherwise(c, t, func, caller, frame);
	c->put = c->start.val;
	enter(c, t, caller, frame, 0, is_timed() ? rsd_clock_counter() : 0);
	return true;
}

/* ---- leave ------------------------------------------------------------------------------ */

/* The call has not succeeded, or is one that matters by itself, or is not recorded, or its end is not to be timed as usual. */
static __attribute__((noinline)) void leave_otherwise(struct rsd_call *c, int ret)
{
	struct rsd_thread *t = c->t;

	c->t1 = now_if_wanted();
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

void rsd_call_leave(struct rsd_call *c, int ret)
{
	struct rsd_thread *t = c->t;

	set_inside(c, t);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(ret != MPI_SUCCESS || c->special || !c->recorded || !t->val ||
				     (is_timed() && !rsd_clock_is_counter()) ||
				     __atomic_load_n(&rsd_rt.holding, __ATOMIC_ACQUIRE),
		    0)) {
		leave_otherwise(c, ret);
		return;
	}
	c->t1 = is_timed() ? rsd_clock_counter() : 0;
	t->depth = c->nested;
	rsd_values_set(c, c->put);
	c->results = true;
}

/* ---- end -------------------------------------------------------------------------------- */

void rsd_put_result(struct rsd_call *c)
{
	if (!c->recorded || c->t->stopped)
		return;
	if (c->ret == MPI_SUCCESS)
		rsd_put(c, 0);
	else
		rsd_put_error(c, c->ret);
}

void rsd_return_statuses(struct rsd_call *c)
{
	if (c->many == c->t->status)
		c->t->status_lent = false;
	else
		free(c->many);
}
