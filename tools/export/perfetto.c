/*
 * perfetto.c - Chrome's JSON, which Perfetto and chrome://tracing show
 *
 * A process is a rank, a thread a thread; a call is a complete event ("X"), with its arguments and call site; a message is a
 * flow from the call that sends it to the call that has received it ("s", "f"). Times are in microseconds.
 */
#include <inttypes.h>
#include <string.h>
#include "export.h"
#include "sink.h"
#include "timeline.h"
#include "trace_text.h"
#include "util.h"

struct chrome {
	const struct rsd_export *x;
	struct rsd_sink *sink;
	struct rsd_buf out;
	bool first;
};

static void put(struct chrome *c, const char *s)
{
	rsd_buf_put(&c->out, s, strlen(s));
}

/* Nanoseconds as microseconds, exactly. */
static void put_time(struct chrome *c, const char *name, int64_t ns)
{
	rsd_buf_printf(&c->out, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

static void begin(struct chrome *c, char phase, int rank, int thread)
{
	put(c, c->first ? "\n" : ",\n");
	c->first = false;
	rsd_buf_printf(&c->out, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d", phase, rank,
		rsd_thread_number(thread));
}

static void put_args(struct chrome *c, const struct rsd_moment *m)
{
	const struct rsd_event *e = m->event;
	const struct rsd_func *f = &c->x->t->func[e->func];
	int64_t error = e->val[e->nr_val - 1];
	bool first = true;

	put(c, ",\"args\":{");
	for (int i = 0; i < f->nr_params; i++) {
		size_t before = c->out.len;

		rsd_buf_printf(&c->out, "%s\"%s\":", first ? "" : ",", f->param[i].name);
		if (rsd_format_param(c->x->format, e, i, m->values->at[i], RSD_STYLE_JSON, &c->out))
			first = false;
		else
			c->out.len = before;
	}
	if (error != 0 && error != RSD_ABSENT) {
		put(c, first ? "\"error\":" : ",\"error\":");
		first = false;
		rsd_format_value(c->x->format, RSD_R_ERROR, error, RSD_STYLE_JSON, &c->out);
	}
	if (e->sig >= 0) {
		size_t before = c->out.len;

		put(c, first ? "\"site\":" : ",\"site\":");
		if (!rsd_format_site(c->x->format, e->sig, RSD_STYLE_JSON, &c->out))
			c->out.len = before;
	}
	put(c, "}");
}

/* The ends of flows are bound to the call that they lie in, not to its edge. */
static void put_flow(
	struct chrome *c, const struct rsd_moment *m, const struct rsd_action *a, bool sends)
{
	begin(c, sends ? 's' : 'f', m->event->rank, m->event->thread);
	rsd_buf_printf(&c->out, ",\"id\":%" PRIu64 ",\"name\":\"message\",\"cat\":\"message\"",
		a->message);
	put_time(c, "ts", sends ? m->begin_ns : m->end_ns);
	put(c, sends ? "}" : ",\"bp\":\"e\"}");
}

static int put_moment(const struct rsd_moment *m, void *arg)
{
	struct chrome *c = arg;
	const struct rsd_func *f = &c->x->t->func[m->event->func];

	begin(c, 'X', m->event->rank, m->event->thread);
	rsd_buf_printf(
		&c->out, ",\"name\":\"%s\",\"cat\":\"%s\"", f->name, rsd_text_class[f->class]);
	put_time(c, "ts", m->begin_ns);
	put_time(c, "dur", m->end_ns - m->begin_ns);
	put_args(c, m);
	put(c, "}");
	for (size_t i = 0; i < m->nr_actions; i++) {
		const struct rsd_action *a = &m->action[i];

		if (!a->message)
			continue;
		put_flow(c, m, a, a->kind == RSD_X_SEND || a->kind == RSD_X_ISEND);
	}
	return rsd_sink_put(c->sink, &c->out);
}

static void put_name(
	struct chrome *c, const char *what, int rank, int thread, const char *name, int number)
{
	begin(c, 'M', rank, thread);
	rsd_buf_printf(
		&c->out, ",\"name\":\"%s\",\"args\":{\"name\":\"%s %d\"}}", what, name, number);
}

static int put_head(struct chrome *c, const struct rsd_timeline *tl)
{
	const char *drawn = rsd_trace_get_meta(c->x->t, RSD_META_DRAWN);
	size_t nr;
	const struct rsd_location *l = rsd_timeline_locations(tl, &nr);

	put(c, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"trace\":");
	rsd_format_string(c->x->path, strlen(c->x->path), RSD_STYLE_JSON, &c->out);
	rsd_buf_printf(&c->out, ",\"nprocs\":%d,\"times\":\"%s\"", c->x->t->nprocs,
		rsd_timeline_times_text(tl));
	if (drawn) {
		put(c, ",\"drawn\":");
		rsd_format_string(drawn, strlen(drawn), RSD_STYLE_JSON, &c->out);
	}
	put(c, "},\"traceEvents\":[");
	c->first = true;
	for (size_t i = 0; i < nr; i++) {
		if (i == 0 || l[i].rank != l[i - 1].rank) {
			put_name(c, "process_name", l[i].rank, l[i].thread, "rank", l[i].rank);
			begin(c, 'M', l[i].rank, l[i].thread);
			rsd_buf_printf(&c->out,
				",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}",
				l[i].rank);
		}
		put_name(c, "thread_name", l[i].rank, l[i].thread, "thread",
			rsd_thread_number(l[i].thread));
	}
	return rsd_sink_put(c->sink, &c->out);
}

int rsd_export_perfetto(const struct rsd_export *x)
{
	struct chrome c = { .x = x };
	struct rsd_timeline *tl = rsd_export_timeline(x);
	int err;

	if (!tl || !(c.sink = rsd_sink_open(x->out))) {
		rsd_timeline_free(tl);
		return RSD_EXIT_ERROR;
	}
	err = put_head(&c, tl);
	if (!err)
		err = rsd_timeline_run(tl, put_moment, &c);
	if (!err) {
		put(&c, "\n]}\n");
		err = rsd_sink_put(c.sink, &c.out);
	}
	rsd_buf_release(&c.out);
	rsd_timeline_free(tl);
	return rsd_sink_close(c.sink, err);
}
