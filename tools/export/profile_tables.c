/* profile_tables.c - functions, call sites, places, communicators: see profile.h */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "profile.h"
#include "trace_text.h"
#include "util.h"

void rsd_profile_word(const char *s, struct rsd_buf *out)
{
	for (; *s; s++) {
		if (*s > ' ' && *s < 0x7f && *s != '\\')
			rsd_buf_put_byte(out, (unsigned char)*s);
		else
			rsd_buf_printf(out, "\\x%02x", (unsigned char)*s);
	}
}

void rsd_profile_where(const struct rsd_profile *p, int sig, struct rsd_buf *out)
{
	const struct rsd_source *s = rsd_sources_site(p->x->sources, sig);

	if (!s || !s->nr || !s->frame[0].file || !s->frame[0].line) {
		rsd_buf_put_byte(out, '*');
		return;
	}
	rsd_profile_word(s->frame[0].file, out);
	rsd_buf_printf(out, ":%u:%u", s->frame[0].line, s->frame[0].column);
}

/* ---- call sites ---------------------------------------------------------------------------- */

static const struct rsd_frame *site_of(const struct rsd_trace *t, int sig)
{
	const struct rsd_sig *s =
		sig < 0 || (size_t)sig >= t->sigs.nr_sigs ? NULL : &t->sigs.sig[sig];

	return s && s->nr ? &t->sigs.frame[s->first] : NULL;
}

/* Signatures of one innermost frame have one call site. */
static bool number_site(struct rsd_profile *p, int sig)
{
	const struct rsd_frame *f = site_of(p->x->t, sig), *g;
	uint64_t key;
	const uint64_t *at;

	if (!f)
		return true;
	key = rsd_hash_mix(f->offset) ^ rsd_hash_mix((uint64_t)(unsigned)f->module + 1);
	while ((at = rsd_map_find(&p->site_by_frame, key)) != NULL) {
		g = site_of(p->x->t, (int)*at);
		if (g->module == f->module && g->offset == f->offset) {
			p->site[sig] = p->site[*at];
			return true;
		}
		key = rsd_hash_mix(key + 1);
	}
	p->site[sig] = ++p->nr_sites;
	return rsd_map_set(&p->site_by_frame, key, (uint64_t)sig) == 0;
}

static void put_site(const struct rsd_profile *p, int sig, struct rsd_buf *out)
{
	const struct rsd_trace *t = p->x->t;
	const struct rsd_frame *f = site_of(t, sig);
	const struct rsd_source *s = rsd_sources_site(p->x->sources, sig);

	rsd_buf_printf(out, "%d ", p->site[sig]);
	if (f->module >= 0)
		rsd_profile_word(t->sigs.module[f->module].path, out);
	else
		rsd_buf_put_byte(out, '-');
	rsd_buf_printf(out, " 0x%" PRIx64 " ", f->offset);
	rsd_profile_where(p, sig, out);
	rsd_buf_put_byte(out, ' ');
	rsd_profile_word(s && s->nr && s->frame[0].function ? s->frame[0].function : "*", out);
	rsd_buf_put_byte(out, '\n');
}

static bool put_sites(struct rsd_profile *p)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok = true;
	int last = 0;

	for (size_t i = 0; i < p->x->t->sigs.nr_sigs && ok; i++) {
		ok = number_site(p, (int)i);
		if (ok && p->site[i] > last) {
			last = p->site[i];
			put_site(p, (int)i, &out);
		}
	}
	if (!ok)
		rsd_tool_error("out of memory");
	ok = ok && rsd_profile_put(p, "callsites.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

/* ---- functions and places ------------------------------------------------------------------ */

static bool put_functions(struct rsd_profile *p)
{
	const struct rsd_trace *t = p->x->t;
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t i = 0; i < t->nr_funcs; i++) {
		uint64_t calls = 0;
		int places = 0;

		for (size_t k = 0; k < t->nr_places; k++) {
			calls += t->place[k].func == (int)i ? p->calls[k] : 0;
			places += t->place[k].func == (int)i;
		}
		rsd_buf_printf(&out, "%zu %s %s %" PRIu64 " %d\n", i, t->func[i].name,
			rsd_text_class[t->func[i].class], calls, places);
	}
	ok = rsd_profile_put(p, "functions.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

static bool put_places(struct rsd_profile *p)
{
	const struct rsd_trace *t = p->x->t;
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *q = &t->place[i];

		rsd_buf_printf(&out, "%zu %d %d %d %d %" PRIu64 "\n", i, q->func,
			q->sig < 0 ? 0 : p->site[q->sig], rsd_thread_number(q->thread), q->nested,
			p->calls[i]);
	}
	ok = rsd_profile_put(p, "places.txt", &out);
	rsd_buf_release(&out);
	return ok;
}

bool rsd_profile_tables(struct rsd_profile *p)
{
	return put_sites(p) && put_functions(p) && put_places(p);
}

/* ---- communicators ---------------------------------------------------------------------------- */

static void put_members(const int *member, int nr, struct rsd_buf *out)
{
	int i = 0;

	if (!member && nr)
		rsd_buf_printf(out, nr > 1 ? "0-%d" : "0", nr - 1);
	for (; member && i < nr; i++) {
		int first = i;

		while (i + 1 < nr && member[i + 1] == member[i] + 1 && member[i] >= 0)
			i++;
		rsd_buf_printf(out, first ? "," : "");
		if (member[first] < 0)
			rsd_buf_put_byte(out, '?');
		else if (i > first)
			rsd_buf_printf(out, "%d-%d", member[first], member[i]);
		else
			rsd_buf_printf(out, "%d", member[first]);
	}
}

bool rsd_profile_comms(struct rsd_profile *p, const struct rsd_comms *c)
{
	struct rsd_buf out = RSD_BUF_INIT;
	bool ok;

	for (size_t i = 0; i < c->nr; i++) {
		const struct rsd_comm *m = &c->comm[i];

		rsd_buf_printf(&out, "%zu %d %d ", i, m->parent, m->size[0] + m->size[1]);
		if (i == RSD_COMM_SELF)
			rsd_buf_put_byte(&out, '*');
		else
			put_members(m->member[0], m->size[0], &out);
		if (m->inter) {
			rsd_buf_put_byte(&out, '|');
			put_members(m->member[1], m->size[1], &out);
		}
		rsd_buf_put_byte(&out, '\n');
	}
	ok = rsd_profile_put(p, "communicators.txt", &out);
	rsd_buf_release(&out);
	return ok;
}
