#include "handles.h"

#include <string.h>
#include "util.h"

void rsd_handles_release(struct rsd_handles *h)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(h->kind); i++)
		rsd_map_release(&h->kind[i]);
}

bool rsd_handles_find(const struct rsd_handles *h, int group, int64_t slot, int64_t *value)
{
	const uint64_t *found = rsd_map_find(&h->kind[group], (uint64_t)slot);

	if (found)
		*value = (int64_t)*found;
	return found != NULL;
}

int rsd_handles_set(struct rsd_handles *h, int group, int64_t slot, int64_t value)
{
	if (slot < 0)
		return RSD_ERR_RANGE;
	return rsd_map_set(&h->kind[group], (uint64_t)slot, (uint64_t)value);
}

void rsd_handles_drop(struct rsd_handles *h, int group, int64_t slot)
{
	rsd_map_delete(&h->kind[group], (uint64_t)slot);
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
