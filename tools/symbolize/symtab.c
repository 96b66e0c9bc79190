/* symtab.c - see symtab.h */
#include "symtab.h"

#include <stdlib.h>
#include "util.h"

int rsd_symtab_add(struct rsd_symtab *s, const struct rsd_object *o)
{
	if (o->kind == RSD_OBJECT_ELF)
		return rsd_elf_symbols(o, &s->symbol, &s->nr, &s->alloc);
	return rsd_wasm_symbols(o, &s->symbol, &s->nr, &s->alloc);
}

static int compare(const void *a, const void *b)
{
	const struct rsd_sym_entry *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->binding != y->binding)
		return x->binding < y->binding ? -1 : 1;
	if (x->hi != y->hi)
		return x->hi < y->hi ? -1 : 1;
	return strcmp(x->name, y->name);
}

int rsd_symtab_sort(struct rsd_symtab *s)
{
	uint64_t max = 0;

	free(s->max_hi);
	s->max_hi = rsd_calloc(s->nr, sizeof(*s->max_hi));
	if (!s->max_hi)
		return RSD_ERR_NOMEM;
	if (s->nr)
		qsort(s->symbol, s->nr, sizeof(*s->symbol), compare);
	for (size_t i = 0; i < s->nr; i++) {
		if (s->symbol[i].hi > max)
			max = s->symbol[i].hi;
		s->max_hi[i] = max;
	}
	return 0;
}

void rsd_symtab_release(struct rsd_symtab *s)
{
	free(s->symbol);
	free(s->max_hi);
	*s = (struct rsd_symtab){ NULL, NULL, 0, 0 };
}

/* The first of those that start where symbol i does, and cover the address. */
static const struct rsd_sym_entry *first_at(
	const struct rsd_symtab *s, size_t i, uint64_t addr, bool *ambiguous)
{
	const struct rsd_sym_entry *best = NULL;

	while (i > 0 && s->symbol[i - 1].lo == s->symbol[i].lo)
		i--;
	for (uint64_t lo = s->symbol[i].lo; i < s->nr && s->symbol[i].lo == lo; i++) {
		const struct rsd_sym_entry *y = &s->symbol[i];

		if (addr >= y->hi)
			continue;
		if (!best)
			best = y;
		else if (!y->binding && !best->binding && strcmp(y->name, best->name) != 0)
			*ambiguous = true;
	}
	return best;
}

const struct rsd_sym_entry *rsd_symtab_find(
	const struct rsd_symtab *s, uint64_t addr, bool *ambiguous)
{
	size_t a = 0, b = s->nr;

	*ambiguous = false;
	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (s->symbol[mid].lo <= addr)
			a = mid + 1;
		else
			b = mid;
	}
	for (; a > 0 && s->max_hi[a - 1] > addr; a--) {
		if (addr < s->symbol[a - 1].hi)
			return first_at(s, a - 1, addr, ambiguous);
	}
	return NULL;
}
