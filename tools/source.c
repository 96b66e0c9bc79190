#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "symbolize/symbolize.h"
#include "tool.h"
#include "util.h"

static const struct rsd_frame *site_of(const struct rsd_trace *t, size_t sig)
{
	return t->sigs.sig[sig].nr ? &t->sigs.frame[t->sigs.sig[sig].first] : NULL;
}

static char *copy(const char *s)
{
	return s ? rsd_strndup(s, strlen(s)) : NULL;
}

/* Without memory for a text it is unknown. */
static void keep(struct rsd_source *to, const struct rsd_sym_result *r)
{
	if (!r->nr || r->origin < RSD_SYM_LINE || !r->frame[0].line)
		return;
	to->frame = rsd_calloc(r->nr, sizeof(*to->frame));
	to->nr = to->frame ? r->nr : 0;
	for (size_t i = 0; i < to->nr; i++) {
		const struct rsd_sym_frame *f = &r->frame[i];

		to->frame[i] = (struct rsd_source_frame){ copy(f->function), copy(f->file), f->line,
			f->column };
	}
}

/* ---- modules ----------------------------------------------------------------------------------- */

/* Is it the build that was traced? A module that had no build id can't be told from another. */
static bool is_traced_build(const struct rsd_symbolizer *s, const char *traced)
{
	size_t len;
	const unsigned char *id = rsd_symbolizer_build_id(s, &len);
	struct rsd_buf hex = RSD_BUF_INIT;
	bool same;

	if (!*traced || !id)
		return true;
	for (size_t i = 0; i < len; i++)
		rsd_buf_printf(&hex, "%02x", id[i]);
	rsd_buf_put_byte(&hex, '\0');
	same = !hex.err && strcmp((const char *)hex.data, traced) == 0;
	rsd_buf_release(&hex);
	return same;
}

/* Why it can't be used is appended to 'why'. */
static struct rsd_symbolizer *open_at(const char *path, const struct rsd_module *m,
	const struct rsd_sym_options *o, struct rsd_buf *why)
{
	struct rsd_symbolizer *s = NULL;
	size_t before = why->len;
	int err = rsd_symbolizer_open(&s, path, o, why);

	if (err) {
		if (why->len == before)
			rsd_buf_printf(why, "'%s': %s", path, rsd_strerror(err));
		return NULL;
	}
	if (is_traced_build(s, m->build_id))
		return s;
	rsd_symbolizer_free(s);
	rsd_buf_printf(why, "'%s' is not the build that was traced", path);
	return NULL;
}

static struct rsd_symbolizer *open_module(const struct rsd_module *m, const char *debug_root)
{
	struct rsd_sym_options o = { .debug_root = &debug_root,
		.nr_debug_roots = debug_root ? 1 : 0 };
	struct rsd_buf why = RSD_BUF_INIT, moved = RSD_BUF_INIT;
	struct rsd_symbolizer *s = open_at(m->path, m, &o, &why);

	if (!s && debug_root) {
		rsd_buf_printf(&moved, "%s/%s", debug_root, m->path);
		rsd_buf_put_byte(&moved, '\0');
		rsd_buf_printf(&why, "; ");
		if (!moved.err)
			s = open_at((const char *)moved.data, m, &o, &why);
	}
	if (!s)
		rsd_tool_error("no source lines: %.*s", (int)why.len,
			why.data ? (const char *)why.data : "");
	rsd_buf_release(&why);
	rsd_buf_release(&moved);
	return s;
}

static int look_up(
	struct rsd_sources *s, int module, const char *debug_root, struct rsd_progress *progress)
{
	struct rsd_symbolizer *sym = NULL;
	int err = 0;

	for (size_t i = 0; i < s->t->sigs.nr_sigs && !err; i++) {
		const struct rsd_frame *f = site_of(s->t, i);
		struct rsd_sym_result r;

		if (!f || f->module != module)
			continue;
		if (!sym && !(sym = open_module(&s->t->sigs.module[module], debug_root)))
			return 0;
		err = rsd_symbolizer_lookup(sym, f->offset, &r);
		if (!err)
			keep(&s->site[i], &r);
		rsd_progress_step(progress, 1);
	}
	rsd_symbolizer_free(sym);
	return err;
}

struct rsd_sources *rsd_sources_new(const struct rsd_trace *t, const char *debug_root)
{
	struct rsd_sources *s = rsd_calloc(1, sizeof(*s));
	struct rsd_progress progress;
	int err = 0;

	if (!s)
		return NULL;
	s->t = t;
	s->site = rsd_calloc(t->sigs.nr_sigs + 1, sizeof(*s->site));
	rsd_progress_begin(&progress, "call sites", t->sigs.nr_sigs);
	for (size_t m = 0; s->site && m < t->sigs.nr_modules && !err; m++)
		err = look_up(s, (int)m, debug_root, &progress);
	rsd_progress_end(&progress);
	if (!s->site || err) {
		rsd_sources_free(s);
		return NULL;
	}
	return s;
}

void rsd_sources_free(struct rsd_sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->site && i < s->t->sigs.nr_sigs; i++) {
		for (size_t k = 0; k < s->site[i].nr; k++) {
			free(s->site[i].frame[k].function);
			free(s->site[i].frame[k].file);
		}
		free(s->site[i].frame);
	}
	free(s->site);
	free(s);
}
