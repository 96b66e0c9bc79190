/* live.c - see live.h */
#include "live.h"

#include <stdlib.h>
#include "util.h"

void rsd_live_release(struct rsd_live_table *t)
{
	rsd_map_release(&t->by_key);
	free(t->entry);
	free(t->free);
}

/* A persistent one's slot is marked, others are by their number from the beginning. */
static uint64_t key_of(const struct rsd_live_table *t, int64_t id)
{
	if (rsd_is_foreign(id))
		return rsd_foreign_number(id) + 1;
	if (id < 0)
		return UINT64_C(1) << 63 | (uint64_t)(-1 - id);
	return (uint64_t)id < t->head ? t->head - (uint64_t)id
				      : 0; /* 0: none, in a damaged trace */
}

int rsd_live_add(struct rsd_live_table *t, int64_t id, const struct rsd_live_request *r)
{
	size_t at;

	if (id >= 0)
		t->head++;
	if (t->nr_free) {
		at = t->free[--t->nr_free];
	} else {
		if (RSD_GROW(t->entry, t->nr + 1, t->alloc) ||
			RSD_GROW(t->free, t->nr + 1, t->alloc_free))
			return RSD_ERR_NOMEM;
		at = t->nr++;
	}
	t->entry[at] = *r;
	return rsd_map_set(&t->by_key, id >= 0 ? t->head : key_of(t, id), at);
}

struct rsd_live_request *rsd_live_find(const struct rsd_live_table *t, int64_t id)
{
	const uint64_t *at = rsd_is_const(id) ? NULL : rsd_map_find(&t->by_key, key_of(t, id));

	return at ? &t->entry[*at] : NULL;
}

void rsd_live_drop(struct rsd_live_table *t, int64_t id)
{
	const uint64_t *at = rsd_is_const(id) ? NULL : rsd_map_find(&t->by_key, key_of(t, id));

	if (!at)
		return;
	t->free[t->nr_free++] = (size_t)*at;
	rsd_map_delete(&t->by_key, key_of(t, id));
}
