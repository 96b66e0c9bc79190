#include <stdlib.h>
#include <string.h>

#include "selfcheck.h"
#include "births.h"
#include "trouble.h"
#include "util.h"
#include "walk.h"

void rsd_selfcheck_event(struct rsd_thread *t, int place, const int64_t *val, size_t nr)
{
	if (!rsd_rt.config.selfcheck || rsd_rt.phase >= RSD_HANDED_OVER)
		return;
	rsd_flat_put(&t->log, place, val, nr, 0, 0);
	if (t->log.err)
		rsd_trouble("no memory for the self-check");
}

static int take_thread(struct rsd_selfcheck_thread *s, struct rsd_thread *t)
{
	s->number = t->number;
	s->log = t->log;
	t->log = (struct rsd_buf)RSD_BUF_INIT;
	s->place = rsd_calloc(t->stream.nr_places, sizeof(*s->place));
	if (!s->place)
		return RSD_ERR_NOMEM;
	s->nr_places = t->stream.nr_places;
	for (size_t i = 0; i < s->nr_places; i++) {
		const struct rsd_stream_place *p = &t->stream.place[i];

		s->place[i] = (struct rsd_selfcheck_place){ p->func, p->sig, p->nested };
	}
	return 0;
}

void rsd_selfcheck_begin(struct rsd_selfcheck *s)
{
	if (!rsd_rt.config.selfcheck)
		return;
	s->thread = rsd_calloc((size_t)rsd_births_bound(), sizeof(*s->thread));
	for (struct rsd_thread *t = rsd_rt.threads; s->thread && t; t = t->next) {
		if (t->log.len && take_thread(&s->thread[s->nr_threads++], t)) {
			rsd_report("self-check: no memory");
			return;
		}
	}
	s->on = s->thread != NULL;
}

void rsd_selfcheck_begin_thread(struct rsd_selfcheck *s, struct rsd_thread *t)
{
	if (!rsd_rt.config.selfcheck)
		return;
	s->thread = rsd_calloc(1, sizeof(*s->thread));
	if (s->thread && t->log.len && take_thread(&s->thread[s->nr_threads++], t))
		rsd_report("self-check: no memory");
	else
		s->on = s->thread != NULL;
}

void rsd_selfcheck_end(struct rsd_selfcheck *s)
{
	for (size_t i = 0; i < s->nr_threads; i++) {
		rsd_buf_release(&s->thread[i].log);
		free(s->thread[i].place);
	}
	free(s->thread);
	*s = (struct rsd_selfcheck)RSD_SELFCHECK_INIT;
}

/* ---- comparison ------------------------------------------------------------------ */

static bool same_sig(const struct rsd_trace *t, int theirs, int ours)
{
	const struct rsd_sig *a, *b;

	if (theirs < 0 || ours < 0)
		return theirs < 0 && ours < 0;
	a = &t->sigs.sig[theirs];
	b = &rsd_rt.sigs.sig[ours];
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		const struct rsd_frame *f = &t->sigs.frame[a->first + i],
				       *g = &rsd_rt.sigs.frame[b->first + i];
		const struct rsd_module *m, *n;

		if (f->offset != g->offset || (f->module < 0) != (g->module < 0))
			return false;
		if (f->module < 0)
			continue;
		m = &t->sigs.module[f->module];
		n = &rsd_rt.sigs.module[g->module];
		if (strcmp(m->path, n->path) || strcmp(m->build_id, n->build_id))
			return false;
	}
	return true;
}

/* Signatures that were compared once, as a table of their signature + 1 by ours: most events have one of few. */
struct known {
	int *theirs;
	size_t nr;
};

static bool same_sig_cached(struct known *k, const struct rsd_trace *t, int theirs, int ours)
{
	if (ours >= 0 && (size_t)ours < k->nr && k->theirs[ours] == theirs + 1)
		return true;
	if (!same_sig(t, theirs, ours))
		return false;
	if (ours >= 0 && (size_t)ours < k->nr)
		k->theirs[ours] = theirs + 1;
	return true;
}

static bool same_string(const struct rsd_trace *t, int64_t theirs, int64_t ours)
{
	const struct rsd_string *a, *b;

	if (rsd_is_const(theirs) || rsd_is_const(ours))
		return theirs == ours;
	if (theirs < 0 || (uint64_t)theirs >= t->strings.nr)
		return false;
	a = &t->strings.str[theirs];
	b = &rsd_rt.strings.str[ours];
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* Position of the first value that differs, or -1. */
static int64_t differing_value(const struct rsd_trace *t, const struct rsd_func *f,
	const struct rsd_event *e, const struct rsd_flat_event *want)
{
	struct rsd_layout l;
	size_t i;

	rsd_layout_init(&l, f);
	for (i = 0; i < want->nr_val && i < e->nr_val; i++) {
		int type = l.param < f->nr_params ? f->param[l.param].type : RSD_T_INT;
		bool string = type == RSD_T_STRING || (type == RSD_T_STRINGS && l.sub == 1);

		if (string ? !same_string(t, e->val[i], want->val[i]) : e->val[i] != want->val[i])
			return (int64_t)i;
		if (rsd_layout_step(&l, want->val[i]))
			return (int64_t)i;
	}
	return want->nr_val == e->nr_val ? -1 : (int64_t)i;
}

static bool same_event(const struct rsd_trace *t, const struct rsd_event *e,
	const struct rsd_selfcheck_place *p, const struct rsd_flat_event *want, struct known *k,
	struct rsd_buf *why)
{
	const struct rsd_func *f = &rsd_funcs[p->func];
	int64_t at;

	if (strcmp(t->func[e->func].name, f->name)) {
		rsd_buf_printf(
			why, "%s was called, the trace has %s", f->name, t->func[e->func].name);
		return false;
	}
	if (e->nested != p->nested) {
		rsd_buf_printf(
			why, "%s: nesting %d, the trace has %d", f->name, p->nested, e->nested);
		return false;
	}
	if (!same_sig_cached(k, t, e->sig, p->sig)) {
		rsd_buf_printf(why, "%s: another stack signature", f->name);
		return false;
	}
	at = differing_value(t, f, e, want);
	if (at < 0)
		return true;
	rsd_buf_printf(why, "%s: value %lld of %zu is %lld, the trace has %lld of %zu", f->name,
		(long long)at, want->nr_val,
		(size_t)at < want->nr_val ? (long long)want->val[at] : 0LL,
		(size_t)at < e->nr_val ? (long long)e->val[at] : 0LL, e->nr_val);
	return false;
}

/* Compares one thread; what differs is told in 'why'. */
static bool compare_thread(const struct rsd_selfcheck_thread *s, const struct rsd_trace *t,
	struct known *k, uint64_t *nr, struct rsd_buf *why)
{
	struct rsd_flat_reader reader;
	struct rsd_flat_event want;
	struct rsd_walk *w = NULL;
	struct rsd_event e;
	int err = rsd_walk_new(&w, t, rsd_rt.rank, s->number), end;
	bool same = true;

	if (err) {
		rsd_buf_printf(why, "the trace can't be walked: %s", rsd_strerror(err));
		return false;
	}
	rsd_flat_reader_init(&reader, s->log.data, s->log.len);
	while (same && !(end = rsd_flat_next(&reader, &want))) {
		err = rsd_walk_next(w, &e);
		if (err) {
			rsd_buf_printf(why, "the trace ends: %s",
				err == RSD_ERR_FORMAT ? rsd_walk_error(w) : rsd_strerror(err));
			same = false;
		} else {
			same = same_event(t, &e, &s->place[want.place], &want, k, why);
			*nr += same;
		}
	}
	if (same && rsd_walk_next(w, &e) != RSD_ERR_END) {
		rsd_buf_printf(why, "the trace has more events than were called");
		same = false;
	}
	rsd_flat_reader_release(&reader);
	rsd_walk_free(w);
	return same;
}

bool rsd_selfcheck_compare(struct rsd_selfcheck *s, const struct rsd_trace *t)
{
	struct known k = { rsd_calloc(rsd_rt.sigs.nr_sigs, sizeof(int)), rsd_rt.sigs.nr_sigs };
	struct rsd_buf why = RSD_BUF_INIT;
	uint64_t nr = 0, total = 0;
	bool same = true;

	if (!k.theirs)
		k.nr = 0;
	for (size_t i = 0; s->on && same && i < s->nr_threads; i++) {
		nr = 0;
		same = compare_thread(&s->thread[i], t, &k, &nr, &why);
		total += nr;
		if (!same)
			rsd_say("self-check: rank %d: thread %d, event %llu differs: %.*s",
				rsd_rt.rank, s->thread[i].number, (unsigned long long)nr + 1,
				(int)why.len, why.len ? (const char *)why.data : "");
	}
	s->nr_events = total;
	rsd_buf_release(&why);
	free(k.theirs);
	return same;
}

void rsd_selfcheck_own(struct rsd_selfcheck *s, struct rsd_trace *t)
{
	bool same;

	if (!s->on)
		return;
	same = rsd_selfcheck_compare(s, t);
	if (same && rsd_rt.config.verbose)
		rsd_say("self-check: rank %d: %llu events equal", rsd_rt.rank,
			(unsigned long long)s->nr_events);
	rsd_trace_set_meta(t, "selfcheck", same ? "ok" : "failed");
}
