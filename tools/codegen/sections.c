/*
 * sections.c - the sections of a column
 */
#include "columns.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MOST_LOOKED_AT 8192

static int add_section(const struct rsd_section *s, void *arg)
{
	struct cg_sections *all = arg;

	if (RSD_GROW(all->s, all->nr + 1, all->alloc))
		cg_nomem();
	all->s[all->nr++] = *s;
	return 0;
}

struct cg_sections cg_sections_of(const struct rsd_column *c)
{
	struct cg_sections all = { NULL, 0, 0 };

	rsd_column_sections(c, add_section, &all);
	return all;
}

size_t cg_expand(
	const struct cg_sections *all, size_t at, size_t end, size_t max, int64_t add, int64_t *out)
{
	size_t nr = 0;

	while (at < end && nr <= max) {
		const struct rsd_section *s = &all->s[at];

		for (uint64_t i = 0; i < s->count && nr <= max; i++) {
			if (s->body)
				nr += cg_expand(all, at + 1, at + 1 + s->body, max - nr,
					(int64_t)((uint64_t)add + i * (uint64_t)s->step),
					out ? out + nr : NULL);
			else if (nr++ < max && out)
				out[nr - 1] =
					rsd_is_const(s->start)
						? s->start
						: (int64_t)((uint64_t)s->start +
							    i * (uint64_t)s->step + (uint64_t)add);
		}
		at += 1 + s->body;
	}
	return nr > max ? max + 1 : nr;
}

/* Long repetitions are looked at in part, in step with the period. */
bool cg_is_periodic(const struct cg_sections *all, uint64_t period, int64_t *pattern)
{
	struct cg_sections few = { cg_alloc(all->nr, sizeof(*all->s)), all->nr, 0 };
	int64_t *v = cg_alloc(MOST_LOOKED_AT + 1, sizeof(*v));
	size_t nr;
	bool ok;

	memcpy(few.s, all->s, all->nr * sizeof(*all->s));
	for (size_t i = 0; i < few.nr; i += 1 + few.s[i].body) {
		struct rsd_section *s = &few.s[i];

		if (!s->step && s->count > 4 * period)
			s->count = s->count % period + 3 * period;
	}
	nr = cg_expand(&few, 0, few.nr, MOST_LOOKED_AT, 0, v);
	ok = nr >= period && nr <= MOST_LOOKED_AT;
	for (size_t i = period; ok && i < nr; i++)
		ok = v[i] == v[i % period];
	for (size_t i = 0; ok && i < period; i++)
		pattern[i] = v[i];
	free(few.s);
	free(v);
	return ok;
}
