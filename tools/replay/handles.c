#include "handles.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_SLOT ((int64_t)1 << 31) /* a trace that names a higher one is damaged */

void rsd_handles_release(struct rsd_handles *h)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(h->kind); i++) {
		free(h->kind[i].value);
		free(h->kind[i].there);
	}
	memset(h, 0, sizeof(*h));
}

bool rsd_handles_find(const struct rsd_handles *h, int group, int64_t slot, int64_t *value)
{
	const struct rsd_handle_slots *s = &h->kind[group];

	if (slot < 0 || (uint64_t)slot >= s->nr || !s->there[slot])
		return false;
	*value = s->value[slot];
	return true;
}

int rsd_handles_set(struct rsd_handles *h, int group, int64_t slot, int64_t value)
{
	struct rsd_handle_slots *s = &h->kind[group];
	size_t nr;

	if (slot < 0 || slot >= MAX_SLOT)
		return RSD_ERR_RANGE;
	nr = (size_t)slot + 1;
	if (RSD_GROW(s->value, nr, s->alloc_value) || RSD_GROW(s->there, nr, s->alloc_there))
		return RSD_ERR_NOMEM;
	for (; s->nr < nr; s->nr++)
		s->there[s->nr] = false;
	s->value[slot] = value;
	s->there[slot] = true;
	return 0;
}

void rsd_handles_drop(struct rsd_handles *h, int group, int64_t slot)
{
	struct rsd_handle_slots *s = &h->kind[group];

	if (slot >= 0 && (uint64_t)slot < s->nr)
		s->there[slot] = false;
}

static bool is_null(const char *name)
{
	size_t len = strlen(name);

	return (len > 5 && !strcmp(name + len - 5, "_NULL")) || !strcmp(name, "MPI_KEYVAL_INVALID");
}

int64_t rsd_handles_null(int group)
{
	for (int i = 1; i < rsd_nr_constants; i++) {
		if (rsd_constants[i].group == group && is_null(rsd_constants[i].name))
			return rsd_constants[i].value;
	}
	return 0;
}
