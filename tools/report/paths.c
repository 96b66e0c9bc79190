/* paths.c - the tree of calls: who called whom, down to MPI, by the call stacks */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"
#include "util.h"

#define MOST_NODES 60000

struct path { /* a frame below its caller's; index 0 is above all */
	int module;
	uint64_t offset;
	size_t parent;
};

struct paths {
	struct report *r;
	struct path *path;
	size_t nr, alloc;
	struct rsd_map by_key;
	json_t *list, *ends;
	bool cut;
};

static void put_offset(const struct rsd_trace *t, int module, uint64_t offset, struct rsd_buf *b)
{
	if (module >= 0)
		rsd_buf_printf(b, "%s+", rsd_base_name(t->sigs.module[module].path));
	rsd_buf_printf(b, "0x%" PRIx64, offset);
}

/*
 * "function file:line", inlined ones from outside to inside; "function module+0x1234" where no line is known, and without the
 * function where that is not, either.
 */
static json_t *label(const struct report *r, int module, uint64_t offset)
{
	const struct rsd_trace *t = r->t;
	const struct rsd_source *s = rsd_source_table_find(
		r->sources ? &r->sources->found : &t->sources, module, offset);
	struct rsd_buf b = RSD_BUF_INIT;
	json_t *j;

	for (size_t i = s ? s->nr : 0; i > 0; i--) {
		const struct rsd_source_frame *f = &s->frame[i - 1];

		rsd_buf_printf(&b, "%s%s", b.len ? " > " : "", f->function ? f->function : "?");
		if (f->file && f->line)
			rsd_buf_printf(&b, " %s:%" PRIu32, rsd_base_name(f->file), f->line);
	}
	if (!s || !s->nr || !s->frame[0].line) {
		rsd_buf_printf(&b, "%s", b.len ? " " : "");
		put_offset(t, module, offset, &b);
	}
	j = b.err ? NULL : report_text((const char *)b.data, b.len);
	rsd_buf_release(&b);
	return j;
}

/* The node of a frame below 'parent'. Below 0: an error. */
static int64_t find_path(struct paths *p, size_t parent, const struct rsd_frame *f)
{
	uint64_t key = rsd_hash_mix(rsd_hash_mix(parent + 1) + f->offset) + (uint64_t)f->module,
		 *at;

	for (; (at = rsd_map_find(&p->by_key, key)) != NULL; key++) {
		const struct path *x = &p->path[*at];

		if (x->parent == parent && x->module == f->module && x->offset == f->offset)
			return (int64_t)*at;
	}
	if (RSD_GROW(p->path, p->nr + 1, p->alloc) || rsd_map_set(&p->by_key, key, p->nr))
		return RSD_ERR_NOMEM;
	if (json_array_append_new(p->list,
		    json_pack("[I, o]", (json_int_t)parent, label(p->r, f->module, f->offset))))
		return RSD_ERR_NOMEM;
	p->path[p->nr] = (struct path){ f->module, f->offset, parent };
	return (int64_t)p->nr++;
}

/* [frame, row, calls, ns] */
static int add_spot(struct paths *p, const struct report_spot *s)
{
	const struct rsd_sigs *sigs = &p->r->t->sigs;
	int64_t at = 0;

	for (size_t i = s->sig < 0 ? 0 : sigs->sig[s->sig].nr; i > 0 && at >= 0; i--)
		at = find_path(p, (size_t)at, &sigs->frame[sigs->sig[s->sig].first + i - 1]);
	if (at < 0)
		return (int)at;
	return json_array_append_new(
		p->ends, json_pack("[I, I, I, I]", (json_int_t)at, (json_int_t)s->row,
				 (json_int_t)s->v.calls, (json_int_t)s->ns));
}

json_t *report_paths_json(struct report *r)
{
	struct paths p = { .r = r, .list = json_array(), .ends = json_array(), .nr = 1 };
	int bad = !p.list || !p.ends || RSD_GROW(p.path, 1, p.alloc);
	json_t *j = NULL;

	if (!bad)
		p.path[0] = (struct path){ -2, 0, 0 };
	for (size_t i = 0; i < r->nr_spots && !bad; i++) {
		p.cut = p.nr + json_array_size(p.ends) > MOST_NODES;
		if (p.cut)
			break;
		bad = add_spot(&p, &r->spot[i]);
	}
	if (!bad)
		j = json_pack("{s:O, s:O, s:b}", "frames", p.list, "ends", p.ends, "cut", p.cut);
	json_decref(p.list);
	json_decref(p.ends);
	rsd_map_release(&p.by_key);
	free(p.path);
	return j;
}
