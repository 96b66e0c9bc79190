#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "util.h"

uint64_t rsd_hash_bytes(const void *p, size_t len, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = seed ^ (uint64_t)len * 0x9e3779b97f4a7c15u, w;

	for (; len >= sizeof(w); len -= sizeof(w), s += sizeof(w)) {
		memcpy(&w, s, sizeof(w));
		h = (h ^ w) * 0x9fb21c651e98df25u;
		h ^= h >> 29;
	}
	if (len) {
		w = 0;
		memcpy(&w, s, len);
		h = (h ^ w) * 0x9fb21c651e98df25u;
		h ^= h >> 29;
	}
	return rsd_hash_mix(h);
}

void rsd_map_release(struct rsd_map *m)
{
	free(m->slot);
	*m = (struct rsd_map)RSD_MAP_INIT;
}

/* Where 'key' is, or the empty slot where it would go. Needs an empty slot. */
static size_t place_of(const struct rsd_map *m, uint64_t key)
{
	size_t i = (size_t)rsd_hash_mix(key) & (m->alloc - 1);

	while (m->slot[i].used && m->slot[i].key != key)
		i = (i + 1) & (m->alloc - 1);
	return i;
}

uint64_t *rsd_map_find(const struct rsd_map *m, uint64_t key)
{
	size_t i;

	if (!m->nr)
		return NULL;
	i = place_of(m, key);
	return m->slot[i].used ? &m->slot[i].value : NULL;
}

static int enlarge(struct rsd_map *m)
{
	struct rsd_map bigger = { NULL, m->nr, m->alloc ? 2 * m->alloc : 8 };

	bigger.slot = rsd_calloc(bigger.alloc, sizeof(*bigger.slot));
	if (!bigger.slot)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < m->alloc; i++)
		if (m->slot[i].used)
			bigger.slot[place_of(&bigger, m->slot[i].key)] = m->slot[i];
	free(m->slot);
	*m = bigger;
	return 0;
}

int rsd_map_set(struct rsd_map *m, uint64_t key, uint64_t value)
{
	uint64_t *known = rsd_map_find(m, key);
	int err;

	if (known) {
		*known = value;
		return 0;
	}
	if ((m->nr + 1) * 4 > m->alloc * 3) {
		err = enlarge(m);
		if (err)
			return err;
	}
	m->slot[place_of(m, key)] = (struct rsd_map_entry){ key, value, true };
	m->nr++;
	return 0;
}

bool rsd_map_delete(struct rsd_map *m, uint64_t key)
{
	size_t mask = m->alloc - 1, hole, i;

	if (!m->nr)
		return false;
	hole = place_of(m, key);
	if (!m->slot[hole].used)
		return false;
	/* An entry moves into the hole unless its home lies behind the hole, on its own side. */
	for (i = (hole + 1) & mask; m->slot[i].used; i = (i + 1) & mask) {
		size_t home = (size_t)rsd_hash_mix(m->slot[i].key) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole] = (struct rsd_map_entry){ 0 };
	m->nr--;
	return true;
}
