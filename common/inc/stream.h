/*
 * stream.h - what one thread records: places with their columns, and its queue
 *
 * The runtime has one stream per thread (no locks). Its content becomes part of
 * a trace with rsd_stream_to_trace, after the last event.
 */
#ifndef RSD_STREAM_H
#define RSD_STREAM_H

#include "ahead.h"
#include "histogram.h"
#include "opstruct.h"
#include "rsd_node.h"
#include "stack_sig.h"
#include "trace.h"

struct rsd_stream_place {
	int func, sig, nested;
	rsd_symbol sym;
	struct rsd_column **col; /* rsd_func_columns(func); NULL once moved to a trace */
	int nr_cols;
	bool scalars; /* value i of an event belongs to column i */
	bool *lays_out; /* by column: its values say to which columns others belong; NULL where none does */
	struct rsd_ahead ahead; /* the columns are told later, of events that came as they expect */
	struct rsd_timing timing;
	struct rsd_column *before_ns, *dur_ns; /* NULL unless times are kept in full */
};

#define RSD_STREAM_RECENT 64

struct rsd_stream {
	const struct rsd_func *funcs; /* the runtime's table, borrowed */
	struct rsd_queue queue;
	struct rsd_stream_place *place;
	size_t nr_places, alloc_places;
	struct rsd_map place_by_key;
	const struct rsd_stream_place *recent
		[RSD_STREAM_RECENT]; /* by a cheap hash: the place found last; or one that no call has */
	int err;
};

enum rsd_time_mode { RSD_TIME_OFF, RSD_TIME_STATS, RSD_TIME_FULL };

void rsd_stream_init(struct rsd_stream *s, const struct rsd_func *funcs, int64_t window);
void rsd_stream_release(struct rsd_stream *s);
static inline bool rsd_stream_is_place(
	const struct rsd_stream_place *p, int func, int sig, int nested)
{
	return p->func == func && p->sig == sig && p->nested == nested;
}
static inline unsigned rsd_stream_recent(int func, int sig)
{
	return ((unsigned)func * 9 + (unsigned)sig) % RSD_STREAM_RECENT;
}
/* Index of the place of (func, sig, nested), sig -1: no stack; found or added; or an error. */
int rsd_stream_place(struct rsd_stream *s, int func, int sig, int nested);
/* The same place itself: one that was found lately costs a comparison, others a hash look-up. NULL: s->err tells why. */
struct rsd_stream_place *rsd_stream_find_place(struct rsd_stream *s, int func, int sig, int nested);
static inline struct rsd_stream_place *rsd_stream_place_of(
	struct rsd_stream *s, int func, int sig, int nested)
{
	const struct rsd_stream_place *p = s->recent[rsd_stream_recent(func, sig)];

	if (__builtin_expect(rsd_stream_is_place(p, func, sig, nested), 1))
		return (struct rsd_stream_place *)p;
	return rsd_stream_find_place(s, func, sig, nested);
}
/*
 * An event of a place is appended in three steps: its values, its times if they are kept, its symbol. Nothing is
 * allocated once loops have settled. Each returns 0, or an error after which the stream keeps what it has and takes no
 * more (sticky).
 *
 * 'val' is the event's value vector (opstruct.h), laid out by the function's parameters.
 */
int rsd_stream_append_other(struct rsd_stream *s, struct rsd_stream_place *p, const int64_t *val,
	size_t nr); /* not as expected */
static inline int rsd_stream_append_values(
	struct rsd_stream *s, struct rsd_stream_place *p, const int64_t *val, size_t nr)
{
	if (__builtin_expect(s->err, 0))
		return s->err;
	if (__builtin_expect(rsd_ahead_take(&p->ahead, val, nr), 1))
		return 0;
	return rsd_stream_append_other(s, p, val, nr);
}
/* The first ones; and those that are kept in full, too. */
int rsd_stream_append_first_times(
	struct rsd_stream *s, struct rsd_stream_place *p, uint64_t before_ns, uint64_t dur_ns);
int rsd_stream_append_full_times(
	struct rsd_stream *s, struct rsd_stream_place *p, uint64_t before_ns, uint64_t dur_ns);
static inline int rsd_stream_append_times(struct rsd_stream *s, struct rsd_stream_place *p,
	enum rsd_time_mode mode, uint64_t before_ns, uint64_t dur_ns)
{
	struct rsd_timing *k = &p->timing;

	/* From the second event on there are values of all kinds. */
	if (__builtin_expect(!k->dur.nr, 0)) {
		int err = rsd_stream_append_first_times(s, p, before_ns, dur_ns);

		if (err)
			return err;
	} else {
		rsd_histogram_add_more(&k->dur, dur_ns);
		rsd_histogram_add_more(&k->before, before_ns);
	}
	return mode == RSD_TIME_FULL ? rsd_stream_append_full_times(s, p, before_ns, dur_ns) : 0;
}
static inline int rsd_stream_append_symbol(struct rsd_stream *s, const struct rsd_stream_place *p)
{
	int err = rsd_queue_append(&s->queue, p->sym);

	if (__builtin_expect(err, 0))
		s->err = err;
	return err;
}
/* All of them, at a place that there is. */
static inline int rsd_stream_append(struct rsd_stream *s, int place, const int64_t *val, size_t nr,
	enum rsd_time_mode mode, uint64_t before_ns, uint64_t dur_ns)
{
	struct rsd_stream_place *p = &s->place[place];
	int err = rsd_stream_append_values(s, p, val, nr);

	if (!err && mode != RSD_TIME_OFF)
		err = rsd_stream_append_times(s, p, mode, before_ns, dur_ns);
	return err ? err : rsd_stream_append_symbol(s, p);
}

/*
 * About as many bytes as the stream takes, and making a trace of it will take beside; O(places).
 * *columns: how many there are.
 */
size_t rsd_stream_memory(const struct rsd_stream *s, size_t *columns);

/*
 * A copy, for rsd_stream_to_trace and nothing else; the stream goes on as it was. 0 or RSD_ERR_NOMEM; release it
 * in either case.
 */
int rsd_stream_copy(struct rsd_stream *copy, struct rsd_stream *s);

/* Everything that is needed beside the streams to make one rank's trace; all borrowed. */
struct rsd_stream_context {
	int rank, nprocs;
	const struct rsd_sigs *sigs; /* that the streams' signature ids refer to */
	const struct rsd_strings *strings;
	/* Own rank in, and size of the group addressed by, communicator value 'comm'; false where unknown. */
	bool (*comm_shape)(int64_t comm, int64_t *rank, int64_t *size, void *arg);
	const char *(*constant_name)(int index, void *arg); /* NULL: no such constant */
	void *arg;
	bool clocks; /* there will be some in the trace */
};
/*
 * Adds the stream, as thread 'thread', to a trace of this one rank: places,
 * tree (loop counts moved from symbols to nodes), relative encodings of peer
 * columns. The stream's queue is closed and its columns are taken; release it afterwards.
 */
int rsd_stream_to_trace(struct rsd_stream *s, int thread, const struct rsd_stream_context *ctx,
	struct rsd_trace *t);

#endif
