/* function.c - see function.h */
#include "function.h"

#include <stdlib.h>
#include "dwarf_const.h"
#include "util.h"

struct level {		/* of DIEs that are open */
	uint32_t self;	/* a function, or RSD_NO_FUNCTION */
	uint32_t outer; /* the function that what stands here is inlined into, or RSD_NO_FUNCTION */
};

struct finder {
	struct rsd_unit *u;
	const struct rsd_object *code;
	struct rsd_functions *f;
	struct rsd_ranges ranges; /* of one DIE */
	struct level *level;
	size_t depth, alloc;
};

void rsd_functions_free(struct rsd_functions *f)
{
	if (!f)
		return;
	free(f->function);
	free(f->ranges.range);
	free(f->index);
	free(f);
}

static bool covers(const struct rsd_functions *f, uint32_t k, uint64_t lo, uint64_t hi)
{
	const struct rsd_function *fn = &f->function[k];

	for (uint32_t i = 0; i < fn->nr; i++) {
		const struct rsd_range *r = &f->ranges.range[fn->first + i];

		if (r->lo <= lo && hi <= r->hi)
			return true;
	}
	return false;
}

/*
 * Keeps the ranges that are code. Those of a list whose leading end mark was passed over may be
 * another DIE's: they count only if all lie in the function around.
 */
static int keep_ranges(struct finder *s, const struct rsd_pc *pc, uint32_t outer)
{
	struct rsd_functions *f = s->f;
	size_t before = f->ranges.nr;
	bool leading = false;
	int err;

	s->ranges.nr = 0;
	err = rsd_pc_ranges(s->u, pc, outer == RSD_NO_FUNCTION ? NULL : &leading, &s->ranges);
	if (err == RSD_ERR_FORMAT)
		return 0; /* of this DIE nothing more is known */
	for (size_t i = 0; i < s->ranges.nr && !err; i++) {
		const struct rsd_range *r = &s->ranges.range[i];

		if (leading && !covers(f, outer, r->lo, r->hi)) {
			f->ranges.nr = before;
			break;
		}
		if (!rsd_object_is_code(s->code, r->lo, r->hi))
			continue;
		err = RSD_GROW(f->ranges.range, f->ranges.nr + 1, f->ranges.alloc);
		if (!err)
			f->ranges.range[f->ranges.nr++] = *r;
	}
	return err;
}

static int add_index(struct finder *s, uint32_t k)
{
	struct rsd_functions *f = s->f;
	const struct rsd_function *fn = &f->function[k];

	for (uint32_t i = 0; i < fn->nr; i++) {
		const struct rsd_range *r = &f->ranges.range[fn->first + i];

		if (RSD_GROW(f->index, f->nr_index + 1, f->alloc_index))
			return RSD_ERR_NOMEM;
		f->index[f->nr_index++] = (struct rsd_function_range){ r->lo, r->hi, r->hi, k };
	}
	return 0;
}

/* Reads a function's DIE; false where it is malformed. */
static bool read_die(struct rsd_cursor *c, const struct rsd_unit *u, const struct rsd_abbrev *a,
	struct rsd_function *fn, struct rsd_pc *pc, bool *declaration)
{
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct rsd_attr_spec *spec = &u->abbrevs->spec[a->first + i];
		struct rsd_value v;

		if (!rsd_value_read(c, u, spec, &v))
			return false;
		if (rsd_pc_take(pc, spec->name, &v))
			continue;
		if (spec->name == DW_AT_call_file)
			fn->call_file = v.u > UINT32_MAX ? 0 : (uint32_t)v.u;
		else if (spec->name == DW_AT_call_line)
			fn->call_line = v.u > UINT32_MAX ? 0 : (uint32_t)v.u;
		else if (spec->name == DW_AT_call_column)
			fn->call_column = v.u > UINT32_MAX ? 0 : (uint32_t)v.u;
		else if (spec->name == DW_AT_declaration)
			*declaration = v.u != 0;
	}
	return true;
}

/* A subprogram or an inlined call; *self is its number where it has code. */
static int take_function(struct finder *s, struct rsd_cursor *c, const struct rsd_abbrev *a,
	size_t die, uint32_t *self)
{
	struct rsd_functions *f = s->f;
	uint32_t outer = s->level[s->depth - 1].outer;
	struct rsd_function fn = { .die = die, .inlined = a->tag == DW_TAG_inlined_subroutine };
	struct rsd_pc pc = { .has_low = false };
	bool declaration = false;
	int err;

	*self = RSD_NO_FUNCTION;
	if (!read_die(c, s->u, a, &fn, &pc, &declaration))
		return RSD_ERR_FORMAT;
	if (declaration || (fn.inlined && outer == RSD_NO_FUNCTION))
		return 0;
	if (f->nr >= RSD_NO_FUNCTION - 1 || f->ranges.nr >= UINT32_MAX / 2)
		return RSD_ERR_NOMEM;
	fn.first = (uint32_t)f->ranges.nr;
	err = keep_ranges(s, &pc, fn.inlined ? outer : RSD_NO_FUNCTION);
	fn.nr = (uint32_t)f->ranges.nr - fn.first;
	if (err || !fn.nr)
		return err;
	if (RSD_GROW(f->function, f->nr + 1, f->alloc))
		return RSD_ERR_NOMEM;
	*self = (uint32_t)f->nr;
	fn.end = *self + 1;
	f->function[f->nr++] = fn;
	return fn.inlined ? 0 : add_index(s, *self);
}

static int push(struct finder *s, uint32_t self, uint32_t outer)
{
	if (RSD_GROW(s->level, s->depth + 1, s->alloc))
		return RSD_ERR_NOMEM;
	s->level[s->depth++] = (struct level){ self, outer };
	return 0;
}

static void pop(struct finder *s)
{
	uint32_t self = s->level[--s->depth].self;

	if (self != RSD_NO_FUNCTION)
		s->f->function[self].end = (uint32_t)s->f->nr;
}

static int find(struct finder *s)
{
	struct rsd_unit *u = s->u;
	struct rsd_cursor c = rsd_cursor_at(
		rsd_bytes_part(u->dwarf->section[RSD_DW_INFO], 0, u->end), u->die, u->dwarf->big);
	int err = push(s, RSD_NO_FUNCTION, RSD_NO_FUNCTION);

	while (!err && s->depth && rsd_cursor_left(&c)) {
		size_t die = c.pos;
		const struct rsd_abbrev *a = rsd_die_begin(&c, u);
		uint32_t self = RSD_NO_FUNCTION, outer = s->level[s->depth - 1].outer;

		if (!a && !c.err)
			pop(s);
		if (!a)
			continue;
		if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine) {
			err = take_function(s, &c, a, die, &self);
			outer = self;
		} else {
			rsd_die_skip(&c, u, a);
		}
		if (!err && a->children)
			err = push(s, self, outer);
	}
	while (s->depth)
		pop(s);
	/* What was read before malformed bytes is as good as it is. */
	return err == RSD_ERR_FORMAT ? 0 : err;
}

static int by_lo(const void *a, const void *b)
{
	const struct rsd_function_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

struct rsd_functions *rsd_unit_functions(struct rsd_unit *u, const struct rsd_object *code)
{
	struct finder s = { .u = u, .code = code };
	struct rsd_functions *f;
	int err;

	if (u->functions || u->functions_failed)
		return u->functions;
	f = s.f = rsd_calloc(1, sizeof(*f));
	err = f ? rsd_unit_root(u) : RSD_ERR_NOMEM;
	if (!err)
		err = find(&s);
	free(s.ranges.range);
	free(s.level);
	if (err) {
		u->functions_failed = true;
		rsd_functions_free(f);
		return NULL;
	}
	if (f->nr_index)
		qsort(f->index, f->nr_index, sizeof(*f->index), by_lo);
	for (size_t i = 1; i < f->nr_index; i++) {
		if (f->index[i - 1].max_hi > f->index[i].max_hi)
			f->index[i].max_hi = f->index[i - 1].max_hi;
	}
	u->functions = f;
	return f;
}

uint32_t rsd_functions_find(const struct rsd_functions *f, uint64_t addr, uint64_t *width)
{
	const struct rsd_function_range *best = NULL;
	size_t a = 0, b = f->nr_index;

	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (f->index[mid].lo <= addr)
			a = mid + 1;
		else
			b = mid;
	}
	for (; a > 0 && f->index[a - 1].max_hi > addr; a--) {
		const struct rsd_function_range *r = &f->index[a - 1];

		if (addr < r->hi && (!best || r->hi - r->lo < best->hi - best->lo))
			best = r;
	}
	if (!best)
		return RSD_NO_FUNCTION;
	*width = best->hi - best->lo;
	return best->function;
}

uint32_t rsd_functions_inlined(const struct rsd_functions *f, uint32_t outer, uint64_t addr)
{
	uint32_t k = outer + 1;

	while (k < f->function[outer].end) {
		if (f->function[k].inlined && covers(f, k, addr, addr + 1))
			return k;
		k = f->function[k].end;
	}
	return RSD_NO_FUNCTION;
}
