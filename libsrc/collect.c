#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "collect.h"
#include "births.h"
#include "checkpoint.h"
#include "clock.h"
#include "level.h"
#include "options.h"
#include "order.h"
#include "patience.h"
#include "req_tables.h"
#include "run_note.h"
#include "shield.h"
#include "sync.h"
#include "trouble.h"
#include "util.h"

static bool comm_shape(int64_t comm, int64_t *rank, int64_t *size, void *arg)
{
	struct rsd_shape s;

	(void)arg;
	if (!rsd_handle_shape(RSD_G_COMM, comm, &s))
		return false;
	*rank = s.attr[1];
	*size = s.attr[0];
	return true;
}

static const char *constant_name(int index, void *arg)
{
	(void)arg;
	return index >= 0 && index < rsd_nr_constants ? rsd_constants[index].name : NULL;
}

struct rsd_stream_context rsd_collect_context(void)
{
	return (struct rsd_stream_context){
		.rank = rsd_rt.rank,
		.nprocs = rsd_rt.nprocs,
		.sigs = &rsd_rt.sigs,
		.strings = &rsd_rt.strings,
		.comm_shape = comm_shape,
		.constant_name = constant_name,
		.clocks = rsd_keeps_all_times(),
	};
}

static int set_option(struct rsd_trace *t, const char *key, enum rsd_option option)
{
	struct rsd_buf value = RSD_BUF_INIT;
	int err;

	rsd_config_value(&rsd_rt.config, option, &value);
	rsd_buf_put_byte(&value, '\0');
	err = value.err ? value.err : rsd_trace_set_meta(t, key, (const char *)value.data);
	rsd_buf_release(&value);
	return err;
}

static int set_options(struct rsd_trace *t)
{
	static const struct {
		const char *key;
		enum rsd_option option;
	} shown[] = {
		{ "window", RSD_OPT_WINDOW },
		{ "stack", RSD_OPT_STACK },
		{ "time", RSD_OPT_TIME },
		{ "calls", RSD_OPT_CALLS },
	};
	int err = 0;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(shown) && !err; i++)
		err = set_option(t, shown[i].key, shown[i].option);
	return err;
}

int rsd_collect_cut_off(struct rsd_trace *t, const char *why)
{
	struct rsd_buf text = RSD_BUF_INIT;

	if (t->incomplete_why)
		rsd_buf_printf(&text, "%s; ", t->incomplete_why);
	rsd_buf_printf(&text, "rank %d: %s", rsd_rt.rank, why);
	rsd_buf_put_byte(&text, 0);
	if (text.err) {
		rsd_buf_release(&text);
		return RSD_ERR_NOMEM;
	}
	free(t->incomplete_why);
	t->incomplete_why = (char *)text.data;
	t->complete = false;
	return 0;
}

int rsd_collect_meta(struct rsd_trace *t)
{
	struct utsname host;
	int err = rsd_trace_set_meta(t, "program", rsd_rt.program ? rsd_rt.program : "");

	if (!err && rsd_rt.library)
		err = rsd_trace_set_meta(t, "mpi", rsd_rt.library);
	if (!err)
		err = rsd_trace_set_meta(t, "level", rsd_level_name);
	if (!err)
		err = set_options(t);
	if (!err && rsd_rt.date)
		err = rsd_trace_set_meta(t, rsd_rt.alone ? "own date" : "date", rsd_rt.date);
	if (!err && !uname(&host))
		err = rsd_trace_set_meta(t, "host", host.nodename);
	if (!err && rsd_rt.config.time != RSD_TIME_OFF && !rsd_clock_agrees()) {
		rsd_report("the processor's counter and the clock went apart; times in the trace "
			   "may be wrong");
		err = rsd_trace_set_meta(t, "clock", "unsteady");
	}
	if (!err)
		err = rsd_handles_to_trace(t, rsd_rt.rank);
	if (!err)
		err = rsd_sync_to_trace(t);
	if (!err && (!rsd_level_is_flat || rsd_keeps_all_times()))
		err = rsd_order_to_trace(t);
	t->complete = !rsd_rt.incomplete;
	if (!err && rsd_rt.incomplete)
		err = rsd_collect_cut_off(t, rsd_rt.incomplete);
	return err;
}

/* Moves a thread's stream into the trace. The thread goes on with an empty one. */
static int collect_thread(struct rsd_thread *t, int number, const struct rsd_stream_context *ctx,
	struct rsd_trace *trace)
{
	int err = t->nr_events ? rsd_stream_to_trace(&t->stream, number, ctx, trace) : 0;

	rsd_stream_release(&t->stream);
	rsd_stream_init(&t->stream, rsd_funcs, rsd_rt.config.window);
	t->nr_gone += t->nr_events;
	t->nr_events = 0;
	return err;
}

static int copy_thread(struct rsd_thread *t, int number, const struct rsd_stream_context *ctx,
	struct rsd_trace *trace)
{
	struct rsd_stream copy;
	int err;

	if (!t->nr_events)
		return 0;
	err = rsd_stream_copy(&copy, &t->stream);
	if (!err)
		err = rsd_stream_to_trace(&copy, number, ctx, trace);
	rsd_stream_release(&copy);
	return err;
}

/* Where parts have left memory, an empty tree in place of the latest tells that they are to come. */
static int collect_last(struct rsd_thread *t, bool copy, const struct rsd_stream_context *ctx,
	struct rsd_trace *trace)
{
	bool after = rsd_rt.phase >= RSD_HANDED_OVER;
	int number = after ? RSD_AFTER + t->number : t->number;
	int err = copy ? copy_thread(t, number, ctx, trace) : collect_thread(t, number, ctx, trace);

	if (!err && !after && t->weight.parts &&
		!rsd_trace_tree(trace, t->weight.parts * RSD_PART + t->number))
		err = RSD_ERR_NOMEM;
	return err;
}

/* Histogram mode: counts that differ by little lose their order. Where memory ends, the rest stays exact. */
static int collect_scalars(struct rsd_trace *t)
{
	const struct rsd_config *c = &rsd_rt.config;

	if (c->histo <= 0 || c->format == RSD_FORMAT_ASCII)
		return 0;
	rsd_scalars_record(t, rsd_rt.rank, c->histo);
	return set_option(t, "histo", RSD_OPT_HISTO);
}

/* What is known of the run, once all calls are in the trace. */
static int complete(struct rsd_trace *t)
{
	int err = rsd_collect_meta(t);

	return err ? err : collect_scalars(t);
}

static int collect_threads(struct rsd_trace **out, bool copy)
{
	struct rsd_thread **by_number = rsd_calloc((size_t)rsd_births_bound(), sizeof(*by_number));
	struct rsd_trace *trace = rsd_trace_new(rsd_rt.nprocs);
	struct rsd_stream_context ctx = rsd_collect_context();
	int err = trace && by_number ? rsd_ranks_append(&trace->ranks, rsd_rt.rank) : RSD_ERR_NOMEM;

	for (struct rsd_thread *t = rsd_rt.threads; t && by_number; t = t->next)
		by_number[t->number] = t;
	for (int i = 0; i < rsd_births_bound() && !err; i++)
		err = by_number[i] ? collect_last(by_number[i], copy, &ctx, trace) : 0;
	free(by_number);
	if (!err)
		err = complete(trace);
	*out = trace;
	return err;
}

/* The trace, or NULL where that went wrong, which is told. */
static struct rsd_trace *unless_lost(struct rsd_trace *trace, int err, const char *what)
{
	if (!err)
		return trace;
	rsd_trouble("%s of this rank is lost: %s", what, rsd_strerror(err));
	rsd_trace_free(trace);
	return NULL;
}

struct rsd_trace *rsd_collect(void)
{
	struct rsd_trace *trace;
	int err = collect_threads(&trace, false);

	return unless_lost(trace, err, "the trace");
}

int rsd_collect_so_far(struct rsd_so_far *s, const char *why)
{
	int err = collect_threads(&s->trace, true);

	if (!err)
		err = rsd_collect_cut_off(s->trace, why);
	return err ? err : rsd_parts_so_far(s);
}

struct rsd_trace *rsd_collect_part(struct rsd_thread *t)
{
	struct rsd_trace *trace = rsd_trace_new(rsd_rt.nprocs);
	struct rsd_stream_context ctx = rsd_collect_context();
	int err = trace ? rsd_ranks_append(&trace->ranks, rsd_rt.rank) : RSD_ERR_NOMEM;

	if (!err)
		err = collect_thread(t, (t->weight.parts + 1) * RSD_PART + t->number, &ctx, trace);
	if (!err)
		err = complete(trace);
	return unless_lost(trace, err, "a part of the trace");
}

char *rsd_collect_path(void)
{
	struct rsd_buf path = RSD_BUF_INIT;
	struct stat st;
	char *copy;

	/* A device, /dev/null say, is for all ranks; beside it there is nothing to write. */
	if (rsd_rt.path && !stat(rsd_rt.path, &st) && S_ISCHR(st.st_mode))
		return rsd_strndup(rsd_rt.path, strlen(rsd_rt.path));
	rsd_buf_printf(&path, "%s.%d", rsd_rt.path ? rsd_rt.path : "trace.rsd", rsd_rt.rank);
	copy = path.err ? NULL : rsd_strndup((const char *)path.data, path.len);
	rsd_buf_release(&path);
	return copy;
}

int rsd_collect_write(struct rsd_trace *t, const char *path)
{
	struct rsd_shield *shield = rsd_shield_new();
	struct rsd_buf why = RSD_BUF_INIT;
	int err;

	rsd_trace_round_times(t);
	err = rsd_trace_write_early(t, path, rsd_rt.config.format, &why);
	rsd_shield_free(shield);
	if (err)
		rsd_report("%.*s", (int)why.len, why.len ? (const char *)why.data : "");
	else
		rsd_run_note(RSD_NOTE_WRITTEN);
	if (!err && rsd_rt.config.verbose)
		rsd_report("wrote %s", path);
	rsd_buf_release(&why);
	return err;
}

struct rsd_trace *rsd_collect_checked(struct rsd_selfcheck *check)
{
	bool locked = rsd_lock();
	struct rsd_trace *t;

	rsd_selfcheck_begin(check);
	t = rsd_collect();
	rsd_unlock(locked);
	return t;
}

int rsd_collect_write_own(struct rsd_selfcheck *check, struct rsd_trace *t)
{
	char *path = rsd_collect_path();
	int err = path ? 0 : RSD_ERR_NOMEM;

	rsd_selfcheck_own(check, t);
	if (!err)
		err = rsd_collect_write(t, path);
	if (!err) {
		rsd_file_sync_name(path);
		err = rsd_parts_append(path);
	}
	free(path);
	return err;
}

void rsd_check_requests(int64_t most, bool together)
{
	struct rsd_buf origin = RSD_BUF_INIT;

	if (most <= rsd_rt.config.requests)
		return;
	rsd_options_origin(RSD_OPT_REQUESTS, &origin);
	rsd_buf_put_byte(&origin, '\0');
	(together ? rsd_say : rsd_report)(
		"the request offset buffer size is %lld (%s), but up to %lld requests of a thread "
		"were live at "
		"once; the table has grown, nothing is lost. RECORD_REQUESTS or the third setting "
		"in "
		"record.in changes it",
		(long long)rsd_rt.config.requests, origin.err ? "?" : (const char *)origin.data,
		(long long)most);
	rsd_buf_release(&origin);
}

void rsd_check_requests_together(void)
{
	int64_t most = (int64_t)rsd_tables_most(), all = most;

	if (rsd_patient_reduce(&most, &all, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD))
		all = most;
	if (rsd_rt.rank == 0)
		rsd_check_requests(all, true);
}

static void append_after(void)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_trace *t;
	char *path;

	t = rsd_level_after();
	path = rsd_level_is_global ? rsd_strndup(rsd_rt.path, strlen(rsd_rt.path))
				   : rsd_collect_path();
	if (t && path && rsd_trace_append_section(t, path, rsd_rt.config.format, &why))
		rsd_report("%.*s", (int)why.len, why.len ? (const char *)why.data : "");
	rsd_buf_release(&why);
	rsd_trace_free(t);
	free(path);
}

void rsd_write_at_exit(const char *why)
{
	struct rsd_shield *shield;
	uint64_t nr = 0;

	for (const struct rsd_thread *t = rsd_rt.threads; t; t = t->next)
		nr += t->nr_events;
	if (rsd_is_shut(RSD_SHUT_OUTSIDE))
		return;
	shield = rsd_shield_new();
	if (rsd_rt.phase <= RSD_RUNNING) {
		rsd_check_requests((int64_t)rsd_tables_most(), false);
		rsd_level_rescue(rsd_rt.phase == RSD_RUNNING ? why : NULL);
	} else if (nr && rsd_rt.written) {
		append_after();
	}
	rsd_shield_free(shield);
}
