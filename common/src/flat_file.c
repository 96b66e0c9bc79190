#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "flat.h"
#include "scan.h"
#include "trace_binary.h"
#include "trace_file.h"
#include "trace_text.h"
#include "util.h"

struct thread { /* what is known of one thread */
	int thread;
	int *place; /* by index in its stream: the trace's */
	size_t nr_places, alloc_places;
	int64_t clock_ns; /* end of its last call */
	bool has_time;	  /* some call had a time: so have those after it */
};

struct rsd_flat_file {
	enum rsd_format format;
	struct rsd_stream_context ctx;
	struct rsd_file *file;
	struct rsd_trace *t;
	struct rsd_buf out;
	uint64_t sum; /* text: of what has been written */
	struct rsd_ascii ascii;
	struct rsd_binary binary;
	struct thread *thread;
	size_t nr_threads, alloc_threads;
	int err;
};

static void flat_file_free(struct rsd_flat_file *f)
{
	for (size_t i = 0; i < f->nr_threads; i++)
		free(f->thread[i].place);
	free(f->thread);
	rsd_ascii_release(&f->ascii);
	rsd_buf_release(&f->out);
	rsd_trace_free(f->t);
	free(f);
}

static int drain(struct rsd_flat_file *f)
{
	if (!f->err)
		f->err = f->out.err;
	if (!f->err) {
		f->sum = rsd_sum(f->sum, f->out.data, f->out.len);
		rsd_file_write(f->file, f->out.data, f->out.len); /* its error is told at commit */
	}
	rsd_buf_reset(&f->out);
	return f->err;
}

static void start(struct rsd_flat_file *f)
{
	f->sum = RSD_SUM_INIT;
	if (f->format == RSD_FORMAT_RSD)
		rsd_text_start(f->t, &f->out);
	else if (f->format == RSD_FORMAT_ASCII)
		rsd_ascii_start(&f->ascii, f->t, &f->out);
	else
		rsd_binary_start(&f->binary, &f->out);
	drain(f);
}

int rsd_flat_file_begin(struct rsd_flat_file **out, const char *path, enum rsd_format format,
	const struct rsd_stream_context *ctx, struct rsd_buf *why)
{
	struct rsd_flat_file *f = rsd_calloc(1, sizeof(*f));
	int err = RSD_ERR_NOMEM;

	*out = NULL;
	if (!f)
		goto fail;
	f->format = format;
	f->ctx = *ctx;
	f->t = rsd_trace_new(ctx->nprocs);
	if (!f->t || rsd_ranks_append(&f->t->ranks, ctx->rank) ||
		(ctx->clocks && !rsd_trace_add_object(f->t, RSD_O_THREAD, 0)))
		goto fail;
	err = rsd_file_create(&f->file, path, why);
	if (err) {
		flat_file_free(f);
		return err;
	}
	start(f);
	*out = f;
	return 0;
fail:
	if (f)
		flat_file_free(f);
	if (why)
		rsd_buf_printf(why, "cannot write '%s': %s", path, rsd_strerror(err));
	return err;
}

static struct thread *find_thread(struct rsd_flat_file *f, int thread)
{
	for (size_t i = 0; i < f->nr_threads; i++)
		if (f->thread[i].thread == thread)
			return &f->thread[i];
	if (RSD_GROW(f->thread, f->nr_threads + 1, f->alloc_threads))
		return NULL;
	f->thread[f->nr_threads] = (struct thread){ .thread = thread };
	return &f->thread[f->nr_threads++];
}

/*
 * The thread's new places. The position of a place among its thread's in the trace is
 * its index in the stream, because they are added in order and each is new.
 */
static int take_places(struct rsd_flat_file *f, struct thread *th, const struct rsd_stream *s)
{
	while (th->nr_places < s->nr_places) {
		const struct rsd_stream_place *p = &s->place[th->nr_places];
		int func, sig = -1, place, err;

		err = RSD_GROW(th->place, th->nr_places + 1, th->alloc_places);
		if (err)
			return err;
		func = rsd_trace_func(f->t, &s->funcs[p->func]);
		if (func < 0)
			return func;
		if (p->sig >= 0) {
			sig = f->ctx.sigs ? rsd_sigs_import(&f->t->sigs, f->ctx.sigs, p->sig)
					  : RSD_ERR_RANGE;
			if (sig < 0)
				return sig;
		}
		place = rsd_trace_place(f->t, th->thread, func, sig, p->nested);
		if (place < 0)
			return place;
		th->place[th->nr_places++] = place;
	}
	return 0;
}

/* Strings keep the ids they have in the recording: both tables are in order of first use. */
static int take_strings(struct rsd_flat_file *f)
{
	struct rsd_strings *own = &f->t->strings;
	int err = 0;

	while (err >= 0 && f->ctx.strings && own->nr < f->ctx.strings->nr) {
		const struct rsd_string *s = &f->ctx.strings->str[own->nr];

		err = rsd_strings_intern(own, s->s, s->len);
	}
	return err < 0 ? err : 0;
}

static int take_constant(struct rsd_flat_file *f, int index)
{
	const char *name;
	int err;

	if ((size_t)index < f->t->nr_constants && f->t->constant[index])
		return 0;
	name = f->ctx.constant_name(index, f->ctx.arg);
	if (!name)
		return 0;
	err = rsd_trace_set_constant(f->t, index, name);
	if (!err && f->format == RSD_FORMAT_ASCII)
		rsd_ascii_constant(&f->ascii, index);
	return err;
}

static void put_ascii(struct rsd_flat_file *f, struct thread *th, const struct rsd_flat_event *e)
{
	const struct rsd_place *p = &f->t->place[th->place[e->place]];
	struct rsd_event event = { .rank = f->ctx.rank,
		.thread = th->thread,
		.func = p->func,
		.sig = p->sig,
		.nested = p->nested,
		.val = e->val,
		.nr_val = e->nr_val };

	th->has_time |= e->before_ns || e->dur_ns;
	th->clock_ns = rsd_event_set_time(&event, th->clock_ns, e->before_ns, e->dur_ns);
	event.has_time = th->has_time;
	rsd_ascii_event(&f->ascii, &event);
}

/*
 * The file has begun as a trace that names no request of another thread: the version that can tell them stands before the
 * first such, and readers that don't know it end there. (In binary it is at the end.)
 */
static void tell_foreign(struct rsd_flat_file *f)
{
	f->t->foreign = true;
	if (f->format == RSD_FORMAT_RSD)
		rsd_text_put_version(RSD_TEXT_FOREIGN, &f->out);
	else if (f->format == RSD_FORMAT_ASCII)
		rsd_text_put_version(RSD_ASCII_FOREIGN, &f->out);
}

/* What is to be known of all events; in ascii the events as well. */
static int go_through(struct rsd_flat_file *f, struct thread *th, const void *log, size_t len)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	int err;

	rsd_flat_reader_init(&r, log, len);
	while (!(err = rsd_flat_next(&r, &e))) {
		if (e.place < 0 || (size_t)e.place >= th->nr_places)
			err = RSD_ERR_RANGE;
		for (size_t i = 0; !err && i < e.nr_val; i++)
			if (rsd_is_const(e.val[i]))
				err = take_constant(f, rsd_const_index(e.val[i]));
		if (err)
			break;
		if (!f->t->foreign &&
			rsd_call_has_foreign(
				&f->t->func[f->t->place[th->place[e.place]].func], e.val, e.nr_val))
			tell_foreign(f);
		if (f->format == RSD_FORMAT_ASCII)
			put_ascii(f, th, &e);
	}
	rsd_flat_reader_release(&r);
	return err == RSD_ERR_END ? 0 : err;
}

int rsd_flat_file_block(struct rsd_flat_file *f, int thread, const struct rsd_stream *s,
	const void *log, size_t len)
{
	struct rsd_text_names names = rsd_text_trace_names(f->t);
	struct thread *th;

	if (f->err || !len)
		return f->err;
	th = find_thread(f, thread);
	f->err = th ? take_places(f, th, s) : RSD_ERR_NOMEM;
	if (!f->err)
		f->err = take_strings(f);
	if (!f->err)
		f->err = go_through(f, th, log, len);
	if (f->err)
		return f->err;
	if (f->format == RSD_FORMAT_RSD)
		f->err = rsd_text_log(f->ctx.rank, thread, log, len, NULL, &names, &f->out);
	else if (f->format == RSD_FORMAT_BINARY)
		rsd_binary_log(&f->binary, f->ctx.rank, thread, log, len, &f->out);
	return drain(f);
}

struct rsd_trace *rsd_flat_file_trace(struct rsd_flat_file *f)
{
	return f->t;
}

void rsd_flat_file_keep(struct rsd_flat_file *f, bool keep)
{
	rsd_file_keep(f->file, keep);
}

static void put_tables(
	const struct rsd_flat_file *f, struct rsd_binary *binary, struct rsd_buf *out)
{
	if (f->format == RSD_FORMAT_RSD)
		rsd_text_tables(f->t, out, NULL, NULL);
	else if (f->format == RSD_FORMAT_ASCII)
		rsd_ascii_tables(f->t, out);
	else
		rsd_binary_trace(binary, f->t, out);
}

char *rsd_flat_file_so_far(struct rsd_flat_file *f, uint64_t *len, struct rsd_buf *rest)
{
	struct rsd_binary binary = f->binary;
	struct rsd_buf tables = RSD_BUF_INIT;
	char *name = NULL;

	if (f->format == RSD_FORMAT_ASCII)
		rsd_ascii_news(&f->ascii);
	if (!drain(f))
		name = rsd_file_so_far(f->file, len, rest);
	put_tables(f, &binary, &tables);
	if (f->format != RSD_FORMAT_BINARY)
		rsd_text_end(rsd_sum(f->sum, tables.data, tables.len), &tables);
	rsd_buf_put(rest, tables.data, tables.len);
	if (tables.err || rest->err) {
		free(name);
		name = NULL;
	}
	rsd_buf_release(&tables);
	return name;
}

int rsd_flat_file_finish(struct rsd_flat_file *f, struct rsd_buf *why)
{
	int err;

	if (f->err) {
		f->t->complete = false;
		if (!f->t->incomplete_why)
			f->t->incomplete_why = rsd_strndup("the rest could not be kept", 26);
	}
	rsd_buf_reset(&f->out);
	if (f->format == RSD_FORMAT_RSD)
		rsd_text_tables(f->t, &f->out, NULL, NULL);
	else if (f->format == RSD_FORMAT_ASCII)
		rsd_ascii_finish(&f->ascii);
	else
		rsd_binary_trace(&f->binary, f->t, &f->out);
	f->err = 0;
	drain(f);
	if (f->format != RSD_FORMAT_BINARY)
		rsd_text_end(f->sum, &f->out);
	err = drain(f);
	if (err) {
		rsd_file_abandon(f->file);
		if (why)
			rsd_buf_printf(why, "cannot write the trace: %s", rsd_strerror(err));
	} else {
		err = rsd_file_commit(f->file, why);
	}
	flat_file_free(f);
	return err;
}

void rsd_flat_file_abandon(struct rsd_flat_file *f)
{
	rsd_file_abandon(f->file);
	flat_file_free(f);
}
