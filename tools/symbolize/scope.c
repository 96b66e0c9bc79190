/* scope.c - see scope.h */
#include "scope.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "util.h"

struct walk {
	struct rsd_unit *u;
	struct rsd_scopes *s;
	size_t *level; /* the scope that the children of each open DIE are in */
	bool *opened;  /* and whether that DIE is it */
	size_t depth, alloc, alloc_opened;
};

void rsd_scopes_free(struct rsd_scopes *s)
{
	if (!s)
		return;
	free(s->scope);
	free(s);
}

static bool is_scope(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static const char *read_name(
	struct rsd_cursor *c, const struct rsd_unit *u, const struct rsd_abbrev *a)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < a->nr; i++) {
		const struct rsd_attr_spec *spec = &u->abbrevs->spec[a->first + i];
		struct rsd_value v;

		if (!rsd_value_read(c, u, spec, &v))
			break;
		if (spec->name == DW_AT_name)
			name = rsd_value_string(u, &v);
	}
	return name;
}

static int push(struct walk *w, size_t scope, bool opened)
{
	if (RSD_GROW(w->level, w->depth + 1, w->alloc) ||
		RSD_GROW(w->opened, w->depth + 1, w->alloc_opened))
		return RSD_ERR_NOMEM;
	w->level[w->depth] = scope;
	w->opened[w->depth++] = opened;
	return 0;
}

static void pop(struct walk *w, uint64_t end)
{
	w->depth--;
	if (w->opened[w->depth])
		w->s->scope[w->level[w->depth]].end = end;
}

/* One DIE, whose code was read. */
static int visit(struct walk *w, struct rsd_cursor *c, const struct rsd_abbrev *a, uint64_t die)
{
	struct rsd_scopes *s = w->s;
	size_t outer = w->depth ? w->level[w->depth - 1] : RSD_NO_SCOPE;
	struct rsd_scope scope = { die, die, outer, NULL, a->tag };

	if (!is_scope(a->tag) || !a->children) {
		rsd_die_skip(c, w->u, a);
		return a->children ? push(w, outer, false) : 0;
	}
	if (a->tag == DW_TAG_subprogram)
		rsd_die_skip(c, w->u, a);
	else
		scope.name = read_name(c, w->u, a);
	if (RSD_GROW(s->scope, s->nr + 1, s->alloc))
		return RSD_ERR_NOMEM;
	s->scope[s->nr++] = scope;
	return push(w, s->nr - 1, true);
}

static int walk(struct walk *w)
{
	struct rsd_unit *u = w->u;
	struct rsd_cursor c = rsd_cursor_at(
		rsd_bytes_part(u->dwarf->section[RSD_DW_INFO], 0, u->end), u->die, u->dwarf->big);
	int err = 0;

	while (!err && rsd_cursor_left(&c)) {
		uint64_t die = c.pos;
		const struct rsd_abbrev *a = rsd_die_begin(&c, u);

		if (a)
			err = visit(w, &c, a, die);
		else if (!c.err && w->depth)
			pop(w, c.pos);
	}
	while (w->depth)
		pop(w, u->end);
	return err;
}

const struct rsd_scopes *rsd_unit_scopes(struct rsd_unit *u)
{
	struct walk w = { .u = u };
	int err;

	if (u->scopes)
		return u->scopes;
	w.s = rsd_calloc(1, sizeof(*w.s));
	err = w.s ? rsd_unit_root(u) : RSD_ERR_NOMEM;
	if (!err)
		err = walk(&w);
	free(w.level);
	free(w.opened);
	if (err) {
		rsd_scopes_free(w.s);
		return NULL;
	}
	u->scopes = w.s;
	return u->scopes;
}

size_t rsd_scopes_around(const struct rsd_scopes *s, uint64_t die)
{
	size_t a = 0, b = s->nr;

	while (a < b) { /* the first that begins at the DIE or after it */
		size_t mid = a + (b - a) / 2;

		if (s->scope[mid].die < die)
			a = mid + 1;
		else
			b = mid;
	}
	if (!a)
		return RSD_NO_SCOPE;
	for (a--; a != RSD_NO_SCOPE && s->scope[a].end <= die; a = s->scope[a].outer) {}
	return a;
}
