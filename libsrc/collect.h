/*
 * collect.h - from what the threads have recorded to a trace of this rank, and where it goes
 */
#ifndef RSD_COLLECT_H
#define RSD_COLLECT_H

#include "call_end.h"
#include "trace_file.h"
#include "runtime.h"
#include "selfcheck.h"

struct rsd_so_far; /* checkpoint.h */

/* What rsd_stream_to_trace and flat files want to know. */
struct rsd_stream_context rsd_collect_context(void);
/* Folds an event into the thread's stream, and keeps it for the self-check. 0 or an error. */
static inline int rsd_collect_event(const struct rsd_call *c, struct rsd_thread *t,
	struct rsd_stream_place *p, const int64_t *val, size_t nr)
{
	int err = rsd_stream_append_values(&t->stream, p, val, nr);

	if (__builtin_expect(!err, 1) && c->t1) {
		struct rsd_spans s = rsd_call_spans(c);

		err = rsd_stream_append_times(&t->stream, p, rsd_rt.config.time, s.before, s.dur);
	}
	if (__builtin_expect(!err, 1))
		err = rsd_stream_append_symbol(&t->stream, p);
	if (__builtin_expect(rsd_rt.config.selfcheck, 0) && !err)
		rsd_selfcheck_event(t, (int)(p - t->stream.place), val, nr);
	if (__builtin_expect(nr >= 64, 0))
		t->weight.left -= (int64_t)(nr / 64);
	if (__builtin_expect(--t->weight.left <= 0, 0) && !err)
		rsd_parts_weigh(t);
	return err;
}
/* Header lines, completeness, objects. 0 or an error. */
int rsd_collect_meta(struct rsd_trace *t);
/*
 * The trace of this rank, all threads; they begin anew. NULL: no memory, which was
 * reported. The caller frees it. Under the runtime's lock: other threads may still be at work.
 */
struct rsd_trace *rsd_collect(void);
/* What libnode and libglob have so far, with the parts that have left memory. 0 or an error. */
int rsd_collect_so_far(struct rsd_so_far *s, const char *why);
/* What the trace of this rank lacks is marked, in addition to what is known already. 0 or an error. */
int rsd_collect_cut_off(struct rsd_trace *t, const char *why);
/* rsd_collect of one thread, as a part of it (RSD_PART) that ends here. */
struct rsd_trace *rsd_collect_part(struct rsd_thread *t);
/* The rank's own file, where the level (or a run without an end) has one for each: path.<rank>. NULL: no memory. */
char *rsd_collect_path(void);
/* Rounds its times and writes the trace, its name to be synced (rsd_file_sync_name); reports where that fails. 0 or an error. */
int rsd_collect_write(struct rsd_trace *t, const char *path);

/* rsd_collect, under the lock, with what the trace can be compared with. */
struct rsd_trace *rsd_collect_checked(struct rsd_selfcheck *check);
/* Compares a trace of this rank with what was seen, and writes it to the rank's own file, with the parts that left memory. 0 or an error. */
int rsd_collect_write_own(struct rsd_selfcheck *check, struct rsd_trace *t);

/* Tells if 'most' requests, live at once, are more than the table was to have places; together: for all ranks. */
void rsd_check_requests(int64_t most, bool together);
/* All ranks call it, and rank 0 tells for all. */
void rsd_check_requests_together(void);
/* At the end of the process: what came after MPI_Finalize, or the rescue of a run that had none, for which 'why' is the reason. */
void rsd_write_at_exit(const char *why);

#endif
