/* pthread_getattr_np is no part of POSIX. */
#define _GNU_SOURCE
#include "nesting.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unwind.h>

#include "runtime.h"

#define MAX_ASIDE                                                                                  \
	65536 /* values, requests and handles that are kept for calls that may come back */

/* ---- the thread's own stack ------------------------------------------------------------ */

/* The main thread's stack grows as far as its limit says, which the program may change. */
static void find_stack(struct rsd_thread *t)
{
	struct rlimit limit = { 0, 0 };
	pthread_attr_t attr;
	void *lo;
	size_t size;

	getrlimit(RLIMIT_STACK, &limit);
	if (t->stack_hi && t->stack_limit == limit.rlim_cur)
		return;
	t->stack_lo = t->stack_hi = 0;
	t->stack_limit = limit.rlim_cur;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &lo, &size)) {
		t->stack_lo = (uintptr_t)lo;
		t->stack_hi = t->stack_lo + size;
	}
	pthread_attr_destroy(&attr);
}

static bool is_own(const struct rsd_thread *t, const void *frame)
{
	return (uintptr_t)frame >= t->stack_lo && (uintptr_t)frame < t->stack_hi;
}

/* ---- the frames that there are ----------------------------------------------------------- */

struct search {
	const struct rsd_thread *t;
	const void *own; /* the new call's wrapper: what had that frame before it is no more */
	uintptr_t end;	 /* no frame of interest lies beyond it */
	uintptr_t last;	 /* stack pointer of the previous frame */
	int found;	 /* index + 1 of the innermost wrapper that is there */
	bool in_mpi;	 /* a frame of the MPI library's was seen */
};

/* A wrapper's frame lies between the stack pointers of what it called and of its caller. */
static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *arg)
{
	struct search *s = arg;
	uintptr_t pc = _Unwind_GetIP(context), sp = _Unwind_GetCFA(context), last = s->last;

	s->last = sp;
	for (int i = s->t->depth; i > 0; i--) {
		const struct rsd_open *o = &s->t->open[i - 1];

		if (o->frame != s->own && pc == (uintptr_t)o->caller &&
			last <= (uintptr_t)o->frame && (uintptr_t)o->frame < sp) {
			s->found = i;
			return _URC_END_OF_STACK;
		}
	}
	return sp > s->end ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* How many of the open wrappers, outermost first, the call at 'frame' is inside of. */
static int count_live(const struct rsd_thread *t, const void *frame)
{
	bool own = is_own(t, frame);
	struct search s = { .t = t, .own = frame };

	for (int i = 0; i < t->depth; i++) {
		uintptr_t at = (uintptr_t)t->open[i].frame;

		if (!own || !is_own(t, t->open[i].frame))
			s.end = UINTPTR_MAX;
		else if (at > s.end)
			s.end = at;
	}
	_Unwind_Backtrace(look_at, &s);
	if (s.found || !own)
		return s.found;
	/* An MPI library that can't be unwound hides them: what was not reached counts by its place. */
	for (int i = t->depth; i > 0; i--) {
		const void *at = t->open[i - 1].frame;

		if (is_own(t, at) && at != frame && (uintptr_t)at >= s.last)
			return i;
	}
	return 0;
}

static bool is_of(enum rsd_owner owner, uintptr_t address)
{
	const struct rsd_loaded *m = rsd_modules_find(address - 1);

	return m && m->owner == owner;
}

static _Unwind_Reason_Code look_for_mpi(struct _Unwind_Context *context, void *arg)
{
	struct search *s = arg;

	s->in_mpi = is_of(RSD_OF_MPI, _Unwind_GetIP(context));
	return s->in_mpi ? _URC_END_OF_STACK : look_at(context, arg);
}

bool rsd_nesting_is_direct(const struct rsd_thread *t, const void *caller, const void *frame)
{
	uintptr_t at = (uintptr_t)t->open[t->depth - 1].frame;
	struct search s = { .t = t, .own = frame, .end = at };

	_Unwind_Backtrace(look_for_mpi, &s);
	if (s.found || s.in_mpi || s.last > at)
		return s.found == t->depth;
	/* A Fortran layer that can't be unwound hides it. */
	return (uintptr_t)frame < at && is_of(RSD_OF_BINDING, (uintptr_t)caller);
}

/* ---- those that have ended without a word --------------------------------------------------- */

static void take_back(struct rsd_thread *t, const struct rsd_open *o)
{
	for (size_t i = t->fill.saved; i > o->start.saved; i--) {
		const struct rsd_saved *s = &t->saved[i - 1];

		rsd_handle_freed(s->kind, s->value, s->serial, false);
	}
	t->fill = o->start;
	if (o->many && o->many == t->status)
		t->status_lent = false;
	else
		free(o->many);
}

void rsd_nesting_settle(struct rsd_thread *t, const void *frame)
{
	bool sure = true;
	int live;

	if (!t->depth)
		return;
	find_stack(t);
	live = count_live(t, frame);
	while (t->depth > live) {
		const struct rsd_open *o = &t->open[t->depth - 1];

		__atomic_store_n(&t->depth, t->depth - 1, __ATOMIC_RELEASE);
		sure = sure && is_own(t, frame) && is_own(t, o->frame);
		if (sure)
			take_back(t, o);
	}
	/* There are not that many stacks; so most have ended. */
	if (!t->depth && t->fill.val + t->fill.saved + t->fill.req > MAX_ASIDE)
		t->fill = (struct rsd_marks){ 0 };
}
