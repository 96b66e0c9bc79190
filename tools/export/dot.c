/*
 * dot.c - the call tree, for Graphviz: dot -Tsvg
 *
 * Frames are boxes, loops are ellipses with their iterations, calls are filled, with how often they are called and the mean
 * of their times, where those were kept.
 */
#include <inttypes.h>
#include <string.h>
#include "calltree.h"
#include "export.h"
#include "sink.h"
#include "util.h"

static void put(struct rsd_buf *b, const char *s)
{
	rsd_buf_put(b, s, strlen(s));
}

/* Within quotes of a label. */
static void put_label(struct rsd_buf *out, const struct rsd_buf *s)
{
	for (size_t i = 0; i < s->len; i++) {
		if (s->data[i] == '"' || s->data[i] == '\\')
			rsd_buf_put_byte(out, '\\');
		if (s->data[i] >= 0x20)
			rsd_buf_put_byte(out, s->data[i]);
	}
}

static void name_frame(const struct rsd_export *x, const struct rsd_state *s, struct rsd_buf *out)
{
	const struct rsd_source *known;

	if (s->sig >= 0 && rsd_format_site(x->format, s->sig, RSD_STYLE_TEXT, out))
		return;
	known = rsd_source_table_find(&x->t->sources, s->frame.module, s->frame.offset);
	if (known && known->nr && known->frame[known->nr - 1].function)
		rsd_buf_printf(out, "%s ", known->frame[known->nr - 1].function);
	rsd_format_frame(x->format, &s->frame, out);
}

static void put_call(const struct rsd_export *x, const struct rsd_state *s, struct rsd_buf *out)
{
	const struct rsd_place *p = &x->t->place[s->place];
	double ns = (double)p->timing.dur.sum + (double)p->timing.dur_first.sum;
	uint64_t nr = p->timing.dur.nr + p->timing.dur_first.nr;

	rsd_buf_printf(out, "label=\"%s\\n%" PRIu64 " calls", x->t->func[p->func].name, s->calls);
	if (p->has_timing && nr)
		rsd_buf_printf(out, "\\nmean %.3f us", ns / (double)nr / 1e3);
	put(out, "\", shape=box, style=filled, fillcolor=lightgrey");
}

static void put_loop(const struct rsd_calltree *c, const struct rsd_state *s, struct rsd_buf *out)
{
	const struct rsd_item *i = &c->item[s->item];

	rsd_buf_printf(out, "label=\"loop %d\\n%" PRIu64 " iterations", i->loop, i->total);
	if (i->entries > 1)
		rsd_buf_printf(
			out, "\\n%" PRIu64 " entries, at most %" PRIu64, i->entries, i->most);
	put(out, "\", shape=ellipse");
}

static void put_state(
	const struct rsd_export *x, const struct rsd_calltree *c, size_t id, struct rsd_buf *out)
{
	const struct rsd_state *s = &c->state[id];
	struct rsd_buf name = RSD_BUF_INIT;

	rsd_buf_printf(out, "\ts%zu [", id);
	switch (s->kind) {
	case RSD_STATE_ROOT:
		rsd_buf_printf(
			out, "label=\"%d ranks\\n%" PRIu64 " calls\"", x->t->nprocs, s->calls);
		break;
	case RSD_STATE_FRAME:
		name_frame(x, s, &name);
		put(out, "label=\"");
		put_label(out, &name);
		rsd_buf_printf(out, "\\n%" PRIu64 " calls\", shape=box", s->calls);
		break;
	case RSD_STATE_LOOP:
		put_loop(c, s, out);
		break;
	case RSD_STATE_CALL:
		put_call(x, s, out);
		break;
	}
	put(out, "]\n");
	if (s->parent >= 0)
		rsd_buf_printf(out, "\ts%d -> s%zu\n", s->parent, id);
	rsd_buf_release(&name);
}

int rsd_export_dot(const struct rsd_export *x)
{
	struct rsd_calltree c;
	struct rsd_sink *sink = NULL;
	struct rsd_buf out = RSD_BUF_INIT;
	int err = rsd_calltree_init(&c, x->t), code = RSD_EXIT_ERROR;

	if (x->t->nr_logs && !x->t->nr_trees) {
		rsd_tool_error("%s: a flat trace (of libdump) has no call tree; 'rsd merge' does "
			       "not fold it",
			x->path);
	} else if (err) {
		rsd_tool_error("%s: %s", x->path, rsd_strerror(err));
	} else if ((sink = rsd_sink_open(x->out)) != NULL) {
		put(&out, "digraph calls {\n\tnode [fontname=\"sans-serif\", "
			  "fontsize=10]\n\trankdir=LR\n");
		for (size_t i = 0; i < c.nr_states && !err; i++) {
			put_state(x, &c, i, &out);
			err = rsd_sink_put(sink, &out);
		}
		put(&out, "}\n");
		if (!err)
			err = rsd_sink_put(sink, &out);
		code = rsd_sink_close(sink, err);
	}
	rsd_buf_release(&out);
	rsd_calltree_release(&c);
	return code;
}
