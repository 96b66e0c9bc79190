#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "symbolize/symbolize.h"
#include "tool.h"
#include "util.h"

bool rsd_source_option(struct rsd_source_options *o, int c, const char *arg)
{
	if (c == 'S')
		o->wanted = true;
	else if (c == 'D')
		o->debug_root = arg;
	else if (c == 'O')
		o->source_root = arg;
	else
		return false;
	return true;
}

/* ---- sources that were moved ------------------------------------------------------------------- */

static bool leads_upwards(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")) != NULL; p += 2) {
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	}
	return false;
}

/* The file under 'root' that 'path' is now; NULL: there is none, or no memory. Caller frees. */
static char *moved_file(const char *root, const char *path)
{
	for (const char *tail = path; tail; tail = strchr(tail, '/')) {
		struct rsd_buf b = RSD_BUF_INIT;

		tail += strspn(tail, "/");
		if (!*tail || leads_upwards(tail))
			continue;
		rsd_buf_printf(&b, "%s/%s", root, tail);
		rsd_buf_put_byte(&b, '\0');
		if (!b.err && access((const char *)b.data, F_OK) == 0)
			return (char *)b.data;
		rsd_buf_release(&b);
	}
	return NULL;
}

/* Adds a place with these frames, but for where their files are now. */
static int add_moved(struct rsd_source_table *to, const struct rsd_frame *at,
	const struct rsd_source_frame *frame, size_t nr, const char *source_root)
{
	struct rsd_source_frame *f = rsd_calloc(nr + 1, sizeof(*f));
	char **moved = rsd_calloc(nr + 1, sizeof(*moved));
	int err = f && moved ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; !err && i < nr; i++) {
		f[i] = frame[i];
		if (source_root && f[i].file)
			moved[i] = moved_file(source_root, f[i].file);
		if (moved[i])
			f[i].file = moved[i];
	}
	if (!err)
		err = rsd_source_table_add(to, at->module, at->offset, f, nr, NULL);
	for (size_t i = 0; moved && i < nr; i++)
		free(moved[i]);
	free(moved);
	free(f);
	return err;
}

/* ---- modules ----------------------------------------------------------------------------------- */

/* Is it the build that was traced? A module that had no build id then can't be told from another. */
static bool is_traced_build(const struct rsd_symbolizer *s, const char *traced)
{
	size_t len;
	const unsigned char *id = rsd_symbolizer_build_id(s, &len);
	struct rsd_buf hex = RSD_BUF_INIT;
	bool same;

	if (!*traced)
		return true;
	if (!id)
		return false;
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

/* ---- looking up -------------------------------------------------------------------------------- */

struct search {
	const struct rsd_trace *t;
	struct rsd_source_table *to;
	const struct rsd_source_options *o;
	bool whole; /* all frames of the signatures, not only the innermost */
	bool quiet; /* modules without lines are not told */
	size_t sites,
		lines; /* call sites of the present module, and how many of them have a line */
	struct rsd_progress progress;
};

static int put_result(struct search *s, const struct rsd_frame *at, const struct rsd_sym_result *r)
{
	struct rsd_source_frame *frame = rsd_calloc(r->nr + 1, sizeof(*frame));
	int err = frame ? 0 : RSD_ERR_NOMEM;

	for (size_t i = 0; !err && i < r->nr; i++) {
		const struct rsd_sym_frame *f = &r->frame[i];

		frame[i] = (struct rsd_source_frame){ f->function, f->file, f->line, f->column };
	}
	if (!err)
		err = add_moved(s->to, at, frame, r->nr, s->o->source_root);
	free(frame);
	return err;
}

/* What the trace has is looked up nowhere else. */
static int look_up_frame(
	struct search *s, const struct rsd_frame *at, struct rsd_symbolizer **sym, bool *absent)
{
	const struct rsd_source *stored =
		rsd_source_table_find(&s->t->sources, at->module, at->offset);
	struct rsd_sym_result r;
	int err;

	if (stored && s->to == &s->t->sources)
		return 0;
	if (stored)
		return add_moved(s->to, at, stored->frame, stored->nr, s->o->source_root);
	if (*absent || rsd_source_table_find(s->to, at->module, at->offset))
		return 0;
	if (!*sym)
		*sym = open_module(&s->t->sigs.module[at->module], s->o->debug_root);
	*absent = !*sym;
	if (*absent)
		return 0;
	err = rsd_symbolizer_lookup(*sym, at->offset, &r);
	return err ? err : put_result(s, at, &r);
}

static void count_line(struct search *s, const struct rsd_frame *at)
{
	const struct rsd_source *found = rsd_source_table_find(s->to, at->module, at->offset);

	s->sites++;
	s->lines += found && found->nr && found->frame[0].line;
}

/* Why a module that was looked into tells no line of a call site, and what helps. */
static void tell_no_lines(
	const struct search *s, const struct rsd_module *m, const struct rsd_symbolizer *sym)
{
	if (s->quiet || !s->sites || s->lines)
		return;
	if (!sym)
		rsd_tool_error("no source lines of '%s' are in the trace: it had none when it was "
			       "resolved",
			m->path);
	else
		rsd_tool_error("'%s' %s: no source lines; build it with -g%s, or give "
			       "--debug-root=DIR with its debug file",
			m->path,
			rsd_symbolizer_is_stripped(sym) ? "is stripped" : "was built without -g",
			rsd_symbolizer_is_stripped(sym) ? " and do not strip it" : "");
}

static int look_up_module(struct search *s, int module)
{
	const struct rsd_sigs *sigs = &s->t->sigs;
	struct rsd_symbolizer *sym = NULL;
	bool absent = false;
	int err = 0;

	s->sites = s->lines = 0;
	for (size_t i = 0; i < sigs->nr_sigs && !err; i++) {
		const struct rsd_sig *sig = &sigs->sig[i];

		for (size_t k = 0; k < sig->nr && !err && (k == 0 || s->whole); k++) {
			const struct rsd_frame *at = &sigs->frame[sig->first + k];

			if (at->module != module)
				continue;
			err = look_up_frame(s, at, &sym, &absent);
			if (k == 0)
				count_line(s, at);
			rsd_progress_step(&s->progress, 1);
		}
	}
	if (!err && !absent)
		tell_no_lines(s, &sigs->module[module], sym);
	rsd_symbolizer_free(sym);
	return err;
}

static int look_up(struct search *s)
{
	static const struct rsd_source_options none;
	int err = 0;

	s->quiet = !s->o;
	if (!s->o)
		s->o = &none;
	rsd_progress_begin(
		&s->progress, "source lines", s->whole ? s->t->sigs.nr_frames : s->t->sigs.nr_sigs);
	for (size_t m = 0; m < s->t->sigs.nr_modules && !err; m++)
		err = look_up_module(s, (int)m);
	rsd_progress_end(&s->progress);
	return err;
}

struct rsd_sources *rsd_sources_new(const struct rsd_trace *t, const struct rsd_source_options *o)
{
	struct rsd_sources *s = rsd_calloc(1, sizeof(*s));
	struct search search = { .t = t, .o = o };

	if (!s)
		return NULL;
	s->t = t;
	search.to = &s->found;
	search.whole = o && o->stacks;
	if (look_up(&search)) {
		rsd_sources_free(s);
		return NULL;
	}
	return s;
}

void rsd_sources_free(struct rsd_sources *s)
{
	if (!s)
		return;
	rsd_source_table_release(&s->found);
	free(s);
}

const struct rsd_source *rsd_sources_frame(const struct rsd_sources *s, const struct rsd_frame *at)
{
	const struct rsd_source *source =
		s ? rsd_source_table_find(&s->found, at->module, at->offset) : NULL;

	return source && source->nr && (source->frame[0].line || source->frame[0].function) ? source
											    : NULL;
}

const struct rsd_source *rsd_sources_site(const struct rsd_sources *s, int sig)
{
	if (!s || sig < 0 || (size_t)sig >= s->t->sigs.nr_sigs || !s->t->sigs.sig[sig].nr)
		return NULL;
	return rsd_sources_frame(s, &s->t->sigs.frame[s->t->sigs.sig[sig].first]);
}

int rsd_sources_resolve(struct rsd_trace *t, const struct rsd_source_options *o)
{
	struct search search = { .t = t, .to = &t->sources, .o = o, .whole = true };

	return look_up(&search);
}
