/*
 * call_end.h - the end of a call: its event goes to the level
 *
 * rsd_call_end is the one function that each level_*.c has of its own, as what the level does with an event is in line in it.
 */
#ifndef RSD_CALL_END_H
#define RSD_CALL_END_H

#include "call_values.h"
#include "checkpoint.h"
#include "clock.h"
#include "runtime.h"

/* What the function returned, as the last value; where it may be more than a zero for which there is room. */
void rsd_put_result(struct rsd_call *c);
/* An array of statuses that was lent. */
void rsd_return_statuses(struct rsd_call *c);

/* Nanoseconds before the call, and of it; 0 without times. */
struct rsd_spans {
	uint64_t before, dur;
};
static inline struct rsd_spans rsd_call_spans(const struct rsd_call *c)
{
	struct rsd_spans s = { 0, 0 };
	uint64_t length;

	if (c->t1) {
		length = rsd_clock_length(c->t1);
		s.before = rsd_clock_span_of(c->t->end, c->t0, length);
		s.dur = rsd_clock_span_of(c->t0, c->t1, length);
	}
	return s;
}

/*
 * From when on the time before the next call counts: the end of this one. Without clock readings of its own a nested call
 * does not move it. Where every time is kept, all that passes between two calls of the trace is in it, recorded or not, and readers
 * add up the times: a call with others nested in it, which come first, has its whole duration, and what of that they
 * have taken already is not counted before the next calls.
 */
static inline uint64_t rsd_call_next_begin(const struct rsd_thread *t, const struct rsd_call *c)
{
	if (__builtin_expect(rsd_clock.exact, 0) && c->recorded)
		return (c->t0 > t->end ? c->t0 : t->end) + (c->t1 > c->t0 ? c->t1 - c->t0 : 0);
	return c->t1 && !rsd_clock.exact ? c->t1 : t->end;
}

/* Takes the event of a call of thread t, 'nr' values at 'val'. 0 or an error, after which it is not called again for this thread. */
typedef int rsd_take_event(const struct rsd_call *c, struct rsd_thread *t,
	struct rsd_stream_place *place, const int64_t *val, size_t nr);

static inline __attribute__((always_inline)) void rsd_call_event(
	struct rsd_call *c, struct rsd_thread *t, rsd_take_event *take)
{
	const int64_t *val = t->val + c->start.val;
	struct rsd_stream_place *p = rsd_stream_place_of(&t->stream, c->func, c->sig, c->nested);
	int err = p ? take(c, t, p, val, (size_t)(c->at - val)) : t->stream.err;

	if (__builtin_expect(err, 0))
		rsd_thread_stop(t, err);
	else
		t->nr_events++;
}

static inline __attribute__((always_inline)) void rsd_call_end_by(
	struct rsd_call *c, rsd_take_event *take)
{
	struct rsd_thread *t = c->t;

	if (__builtin_expect(c->at < c->end && c->ret == MPI_SUCCESS, 1))
		*c->at++ = 0;
	else
		rsd_put_result(c);
	if (__builtin_expect(c->at && !t->stopped, 1))
		rsd_call_event(c, t, take);
	t->end = rsd_call_next_begin(t, c);
	t->fill = c->start;
	if (__builtin_expect(c->many != NULL, 0))
		rsd_return_statuses(c);
	rsd_checkpoint_leave(t);
	*t->error = c->saved_errno;
}

#endif
