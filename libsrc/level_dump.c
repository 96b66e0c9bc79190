#include <stdlib.h>

#include "level.h"
#include "call_end.h"
#include "checkpoint.h"
#include "collect.h"
#include "flat.h"
#include "run_note.h"
#include "shield.h"
#include "trouble.h"
#include "util.h"

#define BLOCK (1 << 16) /* bytes of events that a thread collects before they go to the file */

const char rsd_level_name[] = "dump";
const bool rsd_level_is_global = false;
const bool rsd_level_is_flat = true;

/* Under the runtime's lock. */
static struct rsd_flat_file *file;
static bool failed;

/* Opens the file at the first block, so that a run that fails early leaves the old one. */
static int open_file(void)
{
	struct rsd_stream_context ctx = rsd_collect_context();
	struct rsd_buf why = RSD_BUF_INIT;
	char *path;
	int err;

	if (file || failed)
		return failed ? RSD_ERR_IO : 0;
	path = rsd_collect_path();
	err = path ? rsd_flat_file_begin(&file, path, rsd_rt.config.format, &ctx, &why)
		   : RSD_ERR_NOMEM;
	failed = err != 0;
	if (failed)
		rsd_report(
			"%.*s", (int)why.len, why.len ? (const char *)why.data : rsd_strerror(err));
	rsd_buf_release(&why);
	free(path);
	return err;
}

/* What can't be written is dropped: memory is not to grow with it. */
static int flush(struct rsd_thread *t)
{
	int err = open_file();

	if (!err)
		err = rsd_flat_file_block(file, t->number, &t->stream, t->log.data, t->log.len);
	rsd_buf_reset(&t->log);
	return err;
}

/* Checkpoints come from a thread that can't open it for the others. */
void rsd_level_start(void)
{
	bool locked;

	if (!rsd_rt.config.checkpoint)
		return;
	locked = rsd_lock();
	open_file();
	rsd_unlock(locked);
}

static int take_event(const struct rsd_call *c, struct rsd_thread *t, struct rsd_stream_place *p,
	const int64_t *val, size_t nr)
{
	struct rsd_spans s = rsd_call_spans(c);
	bool locked;

	rsd_flat_put(&t->log, (int)(p - t->stream.place), val, nr, s.before, s.dur);
	if (t->log.err)
		return t->log.err;
	/* Before MPI_Init it is not known where the file is to be; after MPI_Finalize it is closed. */
	if (t->log.len < BLOCK || rsd_rt.phase != RSD_RUNNING)
		return 0;
	locked = rsd_lock();
	flush(t); /* a failure is told at the end, once */
	rsd_unlock(locked);
	return 0;
}

void rsd_call_end(struct rsd_call *c)
{
	rsd_call_end_by(c, take_event);
}

/* A flat log keeps every call's times, unless there are none. */
static int collect_meta(struct rsd_trace *t)
{
	int err = rsd_collect_meta(t);

	return err || rsd_rt.config.time == RSD_TIME_OFF ? err
							 : rsd_trace_set_meta(t, "time", "full");
}

/* Its events are in the file, or in memory beside it. */
static int flush_all(void)
{
	int err = open_file();

	for (struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		if (t->log.len)
			err = flush(t);
	}
	return err;
}

int rsd_level_so_far(struct rsd_so_far *s, const char *why)
{
	struct rsd_trace *t;
	int err;

	/* The descriptor is the program's threads'; they open the file, too. */
	if (!file)
		return failed ? RSD_ERR_IO : RSD_ERR_END;
	t = rsd_flat_file_trace(file);
	rsd_flat_file_keep(file, true);
	err = flush_all();
	if (!err)
		err = collect_meta(t);
	if (!err)
		err = rsd_collect_cut_off(t, why);
	if (!err)
		s->name = rsd_flat_file_so_far(file, &s->len, &s->rest);
	if (!err && !s->name)
		err = RSD_ERR_NOMEM;
	rsd_flat_file_keep(file, false);
	rsd_trace_forget_objects(t);
	free(t->incomplete_why);
	t->incomplete_why = NULL;
	return err;
}

static int finish(void)
{
	struct rsd_buf why = RSD_BUF_INIT;
	bool locked = rsd_lock();
	int err = flush_all();

	for (struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		rsd_stream_release(&t->stream);
		rsd_stream_init(&t->stream, rsd_funcs, rsd_rt.config.window);
		t->nr_events = 0;
	}
	if (file) {
		if (collect_meta(rsd_flat_file_trace(file)))
			rsd_trouble("no memory for the tables of the trace");
		err = rsd_flat_file_finish(file, &why);
		if (err)
			rsd_report("%.*s", (int)why.len,
				why.len ? (const char *)why.data : rsd_strerror(err));
		else
			rsd_run_note(RSD_NOTE_WRITTEN);
		file = NULL;
		rsd_rt.written = !err;
	}
	rsd_unlock(locked);
	rsd_buf_release(&why);
	return err;
}

int rsd_level_finish(void)
{
	struct rsd_shield *shield;
	int err;

	rsd_check_requests_together();
	shield = rsd_shield_new();
	err = finish();
	rsd_shield_free(shield);
	return err;
}

/* ---- after MPI_Finalize ------------------------------------------------------------ */

/* The trace's place for each one of the thread's stream. NULL: no memory. */
static int *import_places(struct rsd_trace *trace, const struct rsd_thread *t)
{
	int *place = rsd_calloc(t->stream.nr_places, sizeof(*place));

	for (size_t i = 0; place && i < t->stream.nr_places; i++) {
		const struct rsd_stream_place *p = &t->stream.place[i];
		int func = rsd_trace_func(trace, &rsd_funcs[p->func]);
		int sig = p->sig < 0 ? -1 : rsd_sigs_import(&trace->sigs, &rsd_rt.sigs, p->sig);

		place[i] = func < 0 || (p->sig >= 0 && sig < 0)
				   ? RSD_ERR_NOMEM
				   : rsd_trace_place(
					     trace, RSD_AFTER + t->number, func, sig, p->nested);
		if (place[i] < 0) {
			free(place);
			return NULL;
		}
	}
	return place;
}

/* Copies a thread's events, and names the constants among their values. 0 or an error. */
static int copy_events(struct rsd_trace *trace, const struct rsd_thread *t, struct rsd_buf *out)
{
	int *place = import_places(trace, t), err = place ? 0 : RSD_ERR_NOMEM;
	struct rsd_flat_reader reader;
	struct rsd_flat_event e;

	rsd_flat_reader_init(&reader, t->log.data, t->log.len);
	while (!err && !(err = rsd_flat_next(&reader, &e))) {
		for (size_t i = 0; i < e.nr_val && !err; i++) {
			int index = rsd_is_const(e.val[i]) ? rsd_const_index(e.val[i]) : 0;

			if (index)
				err = rsd_trace_set_constant(
					trace, index, rsd_constants[index].name);
		}
		rsd_flat_put(out, place[e.place], e.val, e.nr_val, e.before_ns, e.dur_ns);
	}
	rsd_flat_reader_release(&reader);
	free(place);
	return err == RSD_ERR_END ? out->err : err;
}

static int collect_after(struct rsd_trace *trace)
{
	int err = rsd_ranks_append(&trace->ranks, rsd_rt.rank);

	/* In their order, so that the values of events stay true. */
	for (size_t i = 0; i < rsd_rt.strings.nr && !err; i++) {
		const struct rsd_string *s = &rsd_rt.strings.str[i];

		if (rsd_strings_intern(&trace->strings, s->s, s->len) < 0)
			err = RSD_ERR_NOMEM;
	}
	for (struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		struct rsd_log *log;

		if (!t->log.len)
			continue;
		log = rsd_trace_add_log(trace, rsd_rt.rank, RSD_AFTER + t->number);
		err = log ? copy_events(trace, t, &log->bytes) : RSD_ERR_NOMEM;
		rsd_buf_release(&t->log);
	}
	return err ? err : collect_meta(trace);
}

struct rsd_trace *rsd_level_after(void)
{
	struct rsd_trace *trace = rsd_trace_new(rsd_rt.nprocs);
	int err = trace ? collect_after(trace) : RSD_ERR_NOMEM;

	if (!err)
		return trace;
	rsd_trouble("calls after MPI_Finalize are lost: %s", rsd_strerror(err));
	rsd_trace_free(trace);
	return NULL;
}

void rsd_level_rescue(const char *why)
{
	if (why)
		rsd_trouble("%s", why);
	finish();
}
