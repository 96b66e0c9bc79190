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

static inline bool is_timed(void)
{
	return rsd_rt.config.time != RSD_TIME_OFF;
}

static uint64_t now_if_wanted(void)
{
	return is_timed() ? rsd_clock_ticks() : 0;
}

static inline void set_inside(struct rsd_thread *t)
{
	t->inside = true;
	atomic_signal_fence(memory_order_seq_cst);
}

/* What is the same for all calls; whether it is recorded is known. */
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

/*
 * Begins a call of a thread that is there and of which the tracer was not at work, if there is nothing to be done for it but
 * to record it, and its stack is known; false: nothing has happened.
 */
static inline __attribute__((always_inline)) bool begin(
	struct rsd_call *c, struct rsd_thread *t, int func, const void *caller, const void *frame)
{
	const struct rsd_runtime *rt = &rsd_rt;
	int sig;

	if (__builtin_expect(!t || t->busy, 0))
		return false;
	set_inside(t);
	if (__builtin_expect(rsd_is_shut(~0) || rt->wanted[func] != RSD_WANTED, 0) ||
		!rsd_unwind_known(&t->unwinder, caller, frame, rt->config.stack, &sig)) {
		t->inside = false;
		return false;
	}
	note(c, t, func, sig, 0);
	c->recorded = c->usual = true;
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

/* Begins any call; false: it is none of our business. */
static __attribute__((noinline)) bool begin_otherwise(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	struct rsd_thread *t = rsd_thread_self();
	const struct rsd_runtime *rt = &rsd_rt;
	uint8_t about;
	int sig;

	if (!t || t->inside)
		return false;
	c->saved_errno = *t->error;
	set_inside(t);
	rsd_checkpoint_gate(t);
	if (t->depth)
		rsd_nesting_settle(t, frame);
	if (t->left_out > t->depth)
		t->left_out = t->depth;
	if (rsd_is_shut(RSD_SHUT_OUTSIDE))
		rsd_init_unseen();
	about = rt->wanted[func];
	c->special = about & RSD_SPECIAL;
	c->recorded =
		about & RSD_WANTED && !t->stopped && (!rsd_is_shut(RSD_SHUT_PAUSED) || rt->all);
	if ((about & RSD_OF_C && is_of_binding(caller)) ||
		!find_caller(c, t, caller, frame, &sig)) {
		*t->error = c->saved_errno;
		rsd_checkpoint_leave(t);
		return false;
	}
	c->usual = c->recorded && !c->special;
	if (!c->recorded && t->left_out == t->depth && t->depth < RSD_TRACE_MAX_NESTED)
		__atomic_store_n(&t->left_out, t->depth + 1, __ATOMIC_RELEASE);
	note(c, t, func, sig, t->depth);
	return true;
}

typedef bool (*otherwise)(struct rsd_call *c, int func, const void *caller, const void *frame);

static inline uintptr_t below(const struct rsd_open *o, const void *frame)
{
	return (uintptr_t)o->frame - (uintptr_t)frame;
}

/*
 * Does the call come from the entry point that is open by nothing but MPI's Fortran layer? Then what lies between is the
 * same every time, and as long: any other way there is longer, by what a callback has on the stack.
 */
static bool is_on_way(struct rsd_thread *t, const void *caller, const void *frame)
{
	const struct rsd_open *o = &t->open[t->depth - 1];
	int saved = *t->error;
	bool direct;

	set_inside(t);
	direct = rsd_nesting_is_direct(t, caller, frame);
	t->inside = false;
	*t->error = saved;
	if (direct) {
		__atomic_store_n(&o->way->caller, caller, __ATOMIC_RELAXED);
		__atomic_store_n(&o->way->below, below(o, frame), __ATOMIC_RELAXED);
	}
	return direct;
}

static inline bool was_on_way(const struct rsd_open *o, const void *caller, const void *frame)
{
	return __atomic_load_n(&o->way->caller, __ATOMIC_RELAXED) == caller &&
	       __atomic_load_n(&o->way->below, __ATOMIC_RELAXED) == below(o, frame);
}

static inline void pass(struct rsd_open *o, const void *caller, const void *frame)
{
	o->behind_caller = caller;
	o->behind_frame = frame;
	o->passed = true;
}

static __attribute__((noinline)) bool pass_by_new_way(
	struct rsd_call *c, int func, const void *caller, const void *frame, otherwise unusual)
{
	struct rsd_thread *t = rsd_self;

	if (!is_on_way(t, caller, frame))
		return unusual(c, func, caller, frame);
	pass(&t->open[t->depth - 1], caller, frame);
	return false;
}

/* The call that a Fortran entry point has begun passes through C's wrapper, once: what comes after it is another. */
static inline __attribute__((always_inline)) bool unless_it_passes(
	struct rsd_call *c, int func, const void *caller, const void *frame, otherwise unusual)
{
	struct rsd_thread *t = rsd_self;
	struct rsd_open *o;

	if (!t || !t->depth || t->inside)
		return unusual(c, func, caller, frame);
	o = &t->open[t->depth - 1];
	if (!o->way || o->passed || o->way->func != func)
		return unusual(c, func, caller, frame);
	if (!was_on_way(o, caller, frame))
		return pass_by_new_way(c, func, caller, frame, unusual);
	pass(o, caller, frame);
	return false;
}

static __attribute__((noinline)) bool begin_from_c(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return unless_it_passes(c, func, caller, frame, begin_otherwise);
}

static inline __attribute__((always_inline)) bool begin_at(
	struct rsd_call *c, int func, const void *caller, const void *frame, otherwise unusual)
{
	struct rsd_thread *t = rsd_self;

	c->caller = caller;
	c->frame = frame;
	c->at = c->end = NULL;
	if (!begin(c, t, func, caller, frame))
		return unusual(c, func, caller, frame);
	c->saved_errno = *t->error;
	return true;
}

bool rsd_call_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return begin_at(c, func, caller, frame, begin_from_c);
}

bool rsd_entry_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return begin_at(c, func, caller, frame, begin_otherwise);
}

/* ---- enter ------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void enter(struct rsd_call *c, struct rsd_thread *t,
	const void *caller, const void *frame, int depth, uint64_t now)
{
	if (__builtin_expect(depth < RSD_TRACE_MAX_NESTED, 1)) {
		/* What is deeper yet counts as that deep. */
		struct rsd_open *o = &t->open[depth];

		o->frame = frame;
		o->caller = caller;
		o->start = c->start;
		o->many = c->many;
		o->way = NULL;
		o->passed = false;
		__atomic_store_n(&o->func, c->func, __ATOMIC_RELAXED);
		__atomic_store_n(&t->depth, depth + 1, __ATOMIC_RELEASE);
	}
	c->t0 = now;
	rsd_checkpoint_leave(t);
}

void rsd_call_enter(struct rsd_call *c)
{
	struct rsd_thread *t = c->t;

	t->fill.val = c->put = c->start.val + (uint32_t)rsd_nr_values(c);
	enter(c, t, c->caller, c->frame, c->nested, now_if_wanted());
	*t->error = c->saved_errno;
}

static __attribute__((noinline)) bool start_otherwise(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	if (!begin_otherwise(c, func, caller, frame))
		return false;
	c->put = c->start.val;
	enter(c, c->t, caller, frame, c->nested, now_if_wanted());
	*c->t->error = c->saved_errno;
	return true;
}

static __attribute__((noinline)) bool start_from_c(
	struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return unless_it_passes(c, func, caller, frame, start_otherwise);
}

/* The clock may have to be asked about. */
static __attribute__((noinline)) bool start_by_clock(
	struct rsd_call *c, const void *caller, const void *frame)
{
	c->saved_errno = *c->t->error;
	enter(c, c->t, caller, frame, 0, rsd_clock_ticks());
	*c->t->error = c->saved_errno;
	return true;
}

static inline __attribute__((always_inline)) bool start_at(
	struct rsd_call *c, int func, const void *caller, const void *frame, otherwise unusual)
{
	struct rsd_thread *t = rsd_self;

	if (!begin(c, t, func, caller, frame))
		return unusual(c, func, caller, frame);
	c->put = c->start.val;
	if (is_timed() && !rsd_clock_is_counter())
		return start_by_clock(c, caller, frame);
	enter(c, t, caller, frame, 0, is_timed() ? rsd_clock_counter() : 0);
	return true;
}

bool rsd_call_start_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return start_at(c, func, caller, frame, start_from_c);
}

bool rsd_entry_start_at(struct rsd_call *c, int func, const void *caller, const void *frame)
{
	return start_at(c, func, caller, frame, start_otherwise);
}

void rsd_entry_passes(struct rsd_call *c, struct rsd_way *way)
{
	if (c->nested < RSD_TRACE_MAX_NESTED)
		c->t->open[c->nested].way = way;
}

/* ---- leave ------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void leave(
	struct rsd_call *c, struct rsd_thread *t, uint64_t now)
{
	c->t1 = now;
	__atomic_store_n(&t->depth, c->nested, __ATOMIC_RELEASE);
	rsd_values_set(c, c->put);
}

/* The call has not succeeded, or is one that matters by itself, or is not recorded; or threads are held. */
static __attribute__((noinline)) void leave_otherwise(struct rsd_call *c, int ret)
{
	struct rsd_thread *t = c->t;
	uint64_t now = now_if_wanted();

	rsd_checkpoint_gate(t);
	leave(c, t, now);
	if (t->left_out > c->nested)
		__atomic_store_n(&t->left_out, c->nested, __ATOMIC_RELEASE);
	if (!c->recorded)
		c->at = c->end = NULL;
	c->ret = ret;
	c->results = ret == MPI_SUCCESS || rsd_error_class(ret) == MPI_ERR_IN_STATUS;
	if (c->func == rsd_rt.func_cancel)
		rsd_rt.cancels = true;
	if (c->func == rsd_rt.func_session_init && ret == MPI_SUCCESS)
		rsd_session_seen();
}

static __attribute__((noinline)) void leave_by_clock(struct rsd_call *c)
{
	leave(c, c->t, rsd_clock_ticks());
	c->results = true;
}

void rsd_call_leave(struct rsd_call *c, int ret)
{
	struct rsd_thread *t = c->t;

	c->saved_errno = *t->error;
	set_inside(t);
	if (__builtin_expect(ret != MPI_SUCCESS || !c->usual || rsd_is_shut(RSD_SHUT_HELD), 0)) {
		leave_otherwise(c, ret);
	} else if (is_timed() && !rsd_clock_is_counter()) {
		leave_by_clock(c);
	} else {
		leave(c, t, is_timed() ? rsd_clock_counter() : 0);
		c->results = true;
	}
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
